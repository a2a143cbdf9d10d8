//! Groups of likely duplicates.

use std::collections::HashMap;

use async_trait::async_trait;
use domain_catalogue::{DuplicateReason, Kind};
use domain_kernel::{Id, ListQuery, Page};
use ports::{DuplicateIds, DuplicateRepository, StoreError};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, QueryResult, Statement};

use super::{
    comparing::{Compared, addresses_of, compared, join},
    table,
};
use crate::{
    Database,
    db::{error::store_error, sql::Sql},
    list::PageWindow,
};

/// Finds likely duplicates.
#[derive(Debug, Clone)]
pub struct SeaOrmDuplicates(pub Database);

impl SeaOrmDuplicates {
    fn counted(kind: Kind, reason: DuplicateReason) -> Sql {
        Sql::new(format!(
            "SELECT count(*) AS total FROM ({}) g",
            compared(table(kind), kind, reason).groups()
        ))
    }

    fn paged(&self, kind: Kind, reason: DuplicateReason, query: &ListQuery, most_items: u32) -> Sql {
        let is_sqlite = self.0.backend() == DbBackend::Sqlite;
        let compared = compared(table(kind), kind, reason);
        let Compared { table, id, parts, condition, .. } = &compared;
        let names: Vec<String> = (0..parts.len()).map(|index| format!("part{index}")).collect();
        let by = names.join(", ");
        let (same, join) = (compared.has_values_of_k(), join(is_sqlite));
        let mut sql = Sql::new(format!(
            "SELECT place, items, id, {by} FROM (SELECT k.place, k.items, {by}, {id} AS id, \
             row_number() OVER (PARTITION BY k.place ORDER BY {id}) AS number FROM (\
             SELECT g.*, row_number() OVER (ORDER BY {by}) AS place FROM ({} ORDER BY {by}",
            compared.groups()
        ));
        PageWindow::from_beginning(query).push(&mut sql);
        sql.push(&format!(") g) k {join} {table} m ON {condition} AND {same}) r WHERE number <= "));
        sql.bind(i64::from(most_items)).push(" ORDER BY place, id");
        sql
    }

    /// Replaces the digests that `PostgreSQL` compares by their addresses, which the first item of
    /// each group has.
    async fn read_addresses(&self, kind: Kind, groups: &mut [DuplicateIds]) -> Result<(), DbErr> {
        let backend = self.0.backend();
        if backend == DbBackend::Sqlite || groups.is_empty() {
            return Ok(());
        }
        let first = groups.iter().filter_map(|group| group.ids.first().copied());
        let mut sql = Sql::new("SELECT DISTINCT md5(a.address) AS digest, a.address FROM (");
        addresses_of(&mut sql, (table(kind), kind), &first.collect::<Vec<Id>>());
        sql.push(") a WHERE md5(a.address) IN (");
        sql.bind_all(groups.iter().filter_map(|group| group.value.clone())).push(")");
        let mut addresses = HashMap::new();
        for row in self.0.scanner.query_all_raw(sql.statement(backend)).await? {
            addresses.insert(row.try_get::<String>("", "digest")?, row.try_get::<String>("", "address")?);
        }
        for group in groups {
            group.value = group.value.take().and_then(|digest| addresses.get(&digest).cloned());
        }
        Ok(())
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
fn collected(rows: &[QueryResult], reason: DuplicateReason) -> Result<Vec<DuplicateIds>, DbErr> {
    let mut found: Vec<DuplicateIds> = Vec::new();
    let mut last = 0;
    for row in rows {
        let (place, items): (i64, i64) = (row.try_get("", "place")?, row.try_get("", "items")?);
        if place != last {
            found.push(DuplicateIds {
                value: Some(row.try_get("", "part0")?),
                year: match reason {
                    DuplicateReason::TitleAndYear => row.try_get("", "part1")?,
                    _ => None,
                },
                ids: Vec::new(),
                total: items.unsigned_abs(),
            });
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
        let mut found = rows.and_then(|rows| collected(&rows, reason)).map_err(store_error)?;
        if reason == DuplicateReason::Address {
            self.read_addresses(kind, &mut found).await.map_err(store_error)?;
        }
        Ok(Page::of(query, found, total))
    }
}
