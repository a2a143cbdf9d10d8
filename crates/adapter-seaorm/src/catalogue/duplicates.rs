//! Items that are probably the same: rows with equal entries in an index are beside each other, so one pass over the index
//! finds them all, without a look at the rows.

use async_trait::async_trait;
use domain_catalogue::{DuplicateReason, Kind};
use domain_kernel::{Id, ListQuery, Page};
use ports::{DuplicateIds, DuplicateRepository, StoreError};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, QueryResult, Statement};

use super::table;
use crate::{
    Database,
    db::{error::store_error, sql::Sql},
};

/// Finds probable duplicates.
#[derive(Debug, Clone)]
pub struct SeaOrmDuplicates(pub Database);

/// What rows are compared by, and which of them are. Indexes of migrations 41, 43, 70 and 71 begin with these.
const fn compared(is_sqlite: bool, reason: DuplicateReason) -> (&'static [&'static str], &'static str) {
    match reason {
        DuplicateReason::ImdbId => (&["m.imdb_id"], "m.imdb_id IS NOT NULL"),
        // Titles are folded as lists order them.
        DuplicateReason::TitleAndYear => (&["m.title_key", "m.year"], "m.title_key <> ''"),
        DuplicateReason::Address if is_sqlite => {
            (&["json_extract(m.links, '$[0].url')"], "json_extract(m.links, '$[0].url') IS NOT NULL")
        }
        DuplicateReason::Address => (&["m.first_link"], "m.first_link IS NOT NULL"),
    }
}

/// `SELECT`s one row for each group: `part0` and so on, what it has in common, and `items`, how many they are.
fn groups(is_sqlite: bool, kind: Kind, reason: DuplicateReason) -> String {
    let (parts, condition) = compared(is_sqlite, reason);
    let named = parts.iter().enumerate().map(|(index, part)| format!("{part} AS part{index}"));
    let named = named.collect::<Vec<_>>().join(", ");
    let (by, table) = (parts.join(", "), table(kind));
    format!(
        "SELECT {named}, count(*) AS items FROM {table} m WHERE {condition} GROUP BY {by} HAVING count(*) > 1"
    )
}

impl SeaOrmDuplicates {
    fn counted(&self, kind: Kind, reason: DuplicateReason) -> Sql {
        let groups = groups(self.0.backend() == DbBackend::Sqlite, kind, reason);
        Sql::new(format!("SELECT count(*) AS total FROM ({groups}) g"))
    }

    fn paged(&self, kind: Kind, reason: DuplicateReason, query: &ListQuery, most_items: u32) -> Sql {
        let is_sqlite = self.0.backend() == DbBackend::Sqlite;
        let (parts, _) = compared(is_sqlite, reason);
        let names: Vec<String> = (0..parts.len()).map(|index| format!("part{index}")).collect();
        let by = names.join(", ");
        let same: Vec<String> =
            parts.iter().zip(&names).map(|(part, name)| format!("{part} = k.{name}")).collect();
        let join = if is_sqlite { "CROSS JOIN" } else { "JOIN" };
        let mut sql = Sql::new(format!(
            "SELECT place, items, id FROM (SELECT k.place, k.items, m.id, \
             row_number() OVER (PARTITION BY k.place ORDER BY m.id) AS number FROM (\
             SELECT g.*, row_number() OVER (ORDER BY {by}) AS place FROM ({} ORDER BY {} LIMIT ",
            groups(is_sqlite, kind, reason),
            parts.join(", ")
        ));
        sql.bind(i64::from(query.size)).push(" OFFSET ");
        sql.bind(i64::try_from(query.offset()).unwrap_or(i64::MAX));
        sql.push(&format!(") g) k {join} {} m ON {}) r WHERE number <= ", table(kind), same.join(" AND ")));
        sql.bind(i64::from(most_items)).push(" ORDER BY place, id");
        sql
    }

    /// The statements of a page, for tests of their plans.
    #[doc(hidden)]
    pub fn statements(&self, kind: Kind, reason: DuplicateReason, query: &ListQuery) -> [Statement; 2] {
        let backend = self.0.backend();
        [
            self.counted(kind, reason).statement(backend),
            self.paged(kind, reason, query, 20).statement(backend),
        ]
    }
}

/// Rows of items, those of a group beside each other, as groups.
fn collected(rows: &[QueryResult]) -> Result<Vec<DuplicateIds>, DbErr> {
    let mut found: Vec<DuplicateIds> = Vec::new();
    let mut last = 0;
    for row in rows {
        let (place, items): (i64, i64) = (row.try_get("", "place")?, row.try_get("", "items")?);
        if place != last {
            found.push(DuplicateIds { ids: Vec::new(), total: items.unsigned_abs() });
            last = place;
        }
        if let Some(group) = found.last_mut() {
            group.ids.push(row.try_get::<Id>("", "id")?);
        }
    }
    Ok(found)
}

#[async_trait]
impl DuplicateRepository for SeaOrmDuplicates {
    async fn count(&self, kind: Kind, reason: DuplicateReason) -> Result<u64, StoreError> {
        self.counted(kind, reason).total(&self.0.scanner).await
    }

    async fn groups(
        &self,
        kind: Kind,
        reason: DuplicateReason,
        query: &ListQuery,
        most_items: u32,
    ) -> Result<Page<Vec<DuplicateIds>>, StoreError> {
        let total = self.count(kind, reason).await?;
        let sql = self.paged(kind, reason, query, most_items);
        let rows = self.0.scanner.query_all_raw(sql.statement(self.0.backend())).await;
        let found = rows.and_then(|rows| collected(&rows)).map_err(store_error)?;
        Ok(Page::of(query, found, total))
    }
}
