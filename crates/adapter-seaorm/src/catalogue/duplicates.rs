//! Likely duplicates: rows with equal index entries are adjacent, so one scan of the index finds
//! all groups without reading rows.

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

/// Finds likely duplicates.
#[derive(Debug, Clone)]
pub struct SeaOrmDuplicates(pub Database);

/// A group of more items is not compared with others: it is listed for each address that its items share.
const MOST_COMPARED: u32 = 1_000;

/// The rows `m` that are compared.
struct Compared {
    table: &'static str,
    /// The column with the item's id.
    id: &'static str,
    /// The columns that are compared.
    parts: &'static [&'static str],
    /// The condition for rows to be compared.
    condition: String,
    /// Whether an item has several entries: items that share all of them are one group.
    has_several: bool,
}

/// The comparison for a reason. The primary key of `item_addresses`, and indexes of migrations 41
/// and 70, begin with these columns.
fn compared(kind: Kind, reason: DuplicateReason) -> Compared {
    let table = table(kind);
    match reason {
        DuplicateReason::ImdbId => Compared {
            table,
            id: "m.id",
            parts: &["m.imdb_id"],
            condition: "m.imdb_id IS NOT NULL".to_owned(),
            has_several: false,
        },
        // Titles are folded as lists order them.
        DuplicateReason::TitleAndYear => Compared {
            table,
            id: "m.id",
            parts: &["m.title_key", "m.year"],
            condition: "m.title_key <> ''".to_owned(),
            has_several: false,
        },
        // Triggers maintain the addresses of all links and streams (migration 118).
        DuplicateReason::Address => Compared {
            table: "item_addresses",
            id: "m.item_id",
            parts: &["m.address"],
            condition: format!("m.kind = '{}'", kind.path()),
            has_several: true,
        },
    }
}

impl Compared {
    /// `SELECT`s one row for each group: its common values `part0` and so on, and its number of
    /// `items`.
    fn groups(&self) -> String {
        let named = self.parts.iter().enumerate().map(|(index, part)| format!("{part} AS part{index}"));
        let named = named.collect::<Vec<_>>().join(", ");
        let (by, Self { table, id, condition, .. }) = (self.parts.join(", "), self);
        let select = |items: &str| {
            format!(
                "SELECT {named}, count(*) AS items{items} FROM {table} m WHERE {condition} GROUP BY {by} HAVING count(*) > 1"
            )
        };
        if !self.has_several {
            return select("");
        }
        // Groups of two or three items with equal numbers have the same items; of larger groups the
        // ids themselves are compared.
        let numbered = select(&format!(", min({id}) AS lowest, max({id}) AS highest, sum({id}) AS added"));
        let ids = format!(
            "(SELECT string_agg(CAST({id} AS text), ',' ORDER BY {id}) FROM {table} m WHERE {condition} AND {by} = g.part0)"
        );
        let ids = format!("CASE WHEN g.items > {MOST_COMPARED} THEN g.part0 WHEN g.items > 3 THEN {ids} END");
        format!(
            "SELECT min(part0) AS part0, items FROM (SELECT g.*, {ids} AS ids FROM ({numbered}) g) s \
             GROUP BY lowest, highest, added, items, ids"
        )
    }
}

impl SeaOrmDuplicates {
    fn counted(kind: Kind, reason: DuplicateReason) -> Sql {
        Sql::new(format!("SELECT count(*) AS total FROM ({}) g", compared(kind, reason).groups()))
    }

    fn paged(&self, kind: Kind, reason: DuplicateReason, query: &ListQuery, most_items: u32) -> Sql {
        let is_sqlite = self.0.backend() == DbBackend::Sqlite;
        let compared = compared(kind, reason);
        let Compared { table, id, parts, condition, .. } = &compared;
        let names: Vec<String> = (0..parts.len()).map(|index| format!("part{index}")).collect();
        let by = names.join(", ");
        let same: Vec<String> =
            parts.iter().zip(&names).map(|(part, name)| format!("{part} = k.{name}")).collect();
        let join = if is_sqlite { "CROSS JOIN" } else { "JOIN" };
        let mut sql = Sql::new(format!(
            "SELECT place, items, id FROM (SELECT k.place, k.items, {id} AS id, \
             row_number() OVER (PARTITION BY k.place ORDER BY {id}) AS number FROM (\
             SELECT g.*, row_number() OVER (ORDER BY {by}) AS place FROM ({} ORDER BY {by} LIMIT ",
            compared.groups()
        ));
        sql.bind(i64::from(query.size)).push(" OFFSET ");
        sql.bind(i64::try_from(query.offset()).unwrap_or(i64::MAX));
        let same = same.join(" AND ");
        sql.push(&format!(") g) k {join} {table} m ON {condition} AND {same}) r WHERE number <= "));
        sql.bind(i64::from(most_items)).push(" ORDER BY place, id");
        sql
    }

    /// The statements of a page, for tests of their plans.
    #[doc(hidden)]
    pub fn statements(&self, kind: Kind, reason: DuplicateReason, query: &ListQuery) -> [Statement; 2] {
        let backend = self.0.backend();
        [
            Self::counted(kind, reason).statement(backend),
            self.paged(kind, reason, query, 20).statement(backend),
        ]
    }
}

/// Rows of items, grouped; rows of a group are adjacent.
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
        Self::counted(kind, reason).total(&self.0.scanner).await
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
