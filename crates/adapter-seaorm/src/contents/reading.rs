//! Lists and single items.
//!
//! A page costs one statement where its list was looked at before or is near its beginning, and never more than two:
//! every look at a list answers rows, totals and the count of writes that they hold for, all of one moment. Where
//! that count shows that the way was chosen by totals of another time, the second look goes by the true ones.

use domain_catalogue::{Content, Kind, Stored};
use domain_kernel::{Id, ListQuery, Page};
use ports::{Rows, StoreError};
use sea_orm::{ConnectionTrait, QueryResult, Statement};
use serde_json::value::RawValue;

use super::{
    SeaOrmContents,
    memory::{Approach, is_far, step},
    plan::{Asked, Search, Totals, Way},
    table::ContentTable,
};
use crate::{error::store_error, sql::Sql};

/// What one statement saw of a list.
struct Seen {
    rows: String,
    totals: Totals,
}

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn read(
        &self,
        connection: &impl ConnectionTrait,
        id: Id,
    ) -> Result<Option<Stored<T::Content>>, StoreError> {
        let mut sql = Sql::new(format!(
            "SELECT CAST({} AS text) AS item FROM {} m WHERE m.id = ",
            self.projection.whole, self.projection.table
        ));
        sql.bind(id);
        let row =
            connection.query_one_raw(sql.statement(self.database.backend())).await.map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let text: String = row.try_get("", "item").map_err(store_error)?;
        serde_json::from_str(&text).map(Some).map_err(|error| StoreError::Broken(error.to_string()))
    }

    /// Active items behind an id: what belongs to a show only where the show is active too.
    pub(super) async fn active_behind(
        &self,
        after: Id,
        count: u32,
    ) -> Result<Vec<Stored<T::Content>>, StoreError> {
        let mut sql = Sql::new(format!(
            "SELECT CAST({} AS text) AS item FROM {} m WHERE m.active",
            self.projection.whole, self.projection.table
        ));
        if matches!(T::Content::KIND, Kind::Seasons | Kind::Episodes) {
            sql.push(" AND EXISTS (SELECT 1 FROM tv_shows s WHERE s.id = m.tv_show_id AND s.active)");
        }
        sql.push(" AND m.id > ").bind(after).push(" ORDER BY m.id LIMIT ").bind(i64::from(count));
        let rows = self.database.scanner.query_all_raw(sql.statement(self.database.backend())).await;
        let item = |row: &QueryResult| {
            let text: String = row.try_get("", "item").map_err(store_error)?;
            serde_json::from_str(&text).map_err(|error| StoreError::Broken(error.to_string()))
        };
        rows.map_err(store_error)?.iter().map(item).collect()
    }

    pub(super) async fn page(&self, query: &ListQuery) -> Result<Page<Rows>, StoreError> {
        let asked = Asked::of::<T>(query);
        let list = asked.list();
        let known = self.memory.totals(&list);
        let mut worth_a_ladder = false;
        let mut way = asked.near().or_else(|| asked.way(known?));
        if let (Some(chosen), Some(totals)) = (way, known)
            && asked.can_have_ladder(chosen)
            && is_far(chosen.skipped, totals)
        {
            match self.memory.approach(&list, totals.stamp, query.offset()) {
                Approach::Climb { from, skipped } => {
                    way = Some(Way { from_end: false, rung: Some(from), skipped, ..chosen });
                }
                Approach::Build => worth_a_ladder = true,
                Approach::Walk => {}
            }
        }
        let mut seen = self.look(&asked, way, known).await?;
        self.memory.keep(&list, seen.totals);
        if known.is_some_and(|known| known.stamp == seen.totals.stamp) {
            if worth_a_ladder {
                self.build_ladder(&asked, &list, seen.totals).await?;
            }
        } else if !way.is_some_and(|way| way.holds()) {
            // Nothing was known, or somebody wrote since.
            seen.rows = match asked.way(seen.totals) {
                Some(way) => self.look(&asked, Some(way), Some(seen.totals)).await?.rows,
                None => "[]".to_owned(),
            };
        }
        let rows = RawValue::from_string(seen.rows).map_err(|error| StoreError::Broken(error.to_string()))?;
        Ok(Page::of(query, Rows(rows), seen.totals.fitting))
    }

    async fn look(
        &self,
        asked: &Asked<'_>,
        way: Option<Way>,
        known: Option<Totals>,
    ) -> Result<Seen, StoreError> {
        let row = self.ask(asked, self.projection.look(asked, way, known)).await?;
        let count =
            |column: &str| row.try_get("", column).map(|total: i64| u64::try_from(total).unwrap_or_default());
        let totals = Totals {
            fitting: count("total").map_err(store_error)?,
            whole: count("whole").map_err(store_error)?,
            stamp: row.try_get("", "stamp").map_err(store_error)?,
        };
        Ok(Seen { rows: row.try_get("", "rows").map_err(store_error)?, totals })
    }

    /// Walks a list once from its beginning to its end and remembers every so manieth row.
    async fn build_ladder(&self, asked: &Asked<'_>, list: &str, totals: Totals) -> Result<(), StoreError> {
        let row = self.ask(asked, self.projection.rungs(asked, step(totals))).await?;
        let stamp = row.try_get("", "stamp").map_err(store_error)?;
        let text: String = row.try_get("", "rungs").map_err(store_error)?;
        let rungs = serde_json::from_str(&text).map_err(|error| StoreError::Broken(error.to_string()))?;
        self.memory.keep_rungs(list, stamp, rungs);
        Ok(())
    }

    /// The only row of a statement about a list.
    async fn ask(&self, asked: &Asked<'_>, sql: Sql) -> Result<QueryResult, StoreError> {
        let connection = match asked.search {
            Search::Short(_) => &self.database.scanner,
            _ => &self.database.reader,
        };
        let row =
            connection.query_one_raw(sql.statement(self.database.backend())).await.map_err(store_error)?;
        row.ok_or_else(|| StoreError::Broken("a statement without a row".into()))
    }

    /// The statements that answer a list of which `total` rows fit, the first time and when it is known, for tests that
    /// ask the planner about them.
    #[doc(hidden)]
    pub fn statements(&self, query: &ListQuery, total: u64) -> Vec<Statement> {
        let asked = Asked::of::<T>(query);
        let totals = Totals { fitting: total, whole: total.max(1_000_000), stamp: 0 };
        let way = asked.near().or_else(|| asked.way(totals));
        [self.projection.look(&asked, asked.near(), None), self.projection.look(&asked, way, Some(totals))]
            .map(|sql| sql.statement(self.database.backend()))
            .to_vec()
    }
}
