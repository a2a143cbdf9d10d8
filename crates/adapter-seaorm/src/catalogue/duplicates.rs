//! Groups of likely duplicates.

use std::collections::HashMap;

use async_trait::async_trait;
use domain_catalogue::{DuplicateReason, Kind};
use domain_kernel::{Id, ListQuery, Page};
use ports::{DuplicateIds, DuplicateRepository, GroupedItems, StoreError};
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
        let compared = compared(table(kind), kind, reason);
        let mut sql = Sql::new(format!("SELECT place, items, id, {} FROM (", named(&compared)));
        self.push_items(&mut sql, &compared, PageWindow::from_beginning(query));
        sql.push(") r WHERE number <= ").bind(i64::from(most_items)).push(" ORDER BY place, id");
        sql
    }

    /// `SELECT`s the items of some groups: the group's `place`, number of `items` and values, and the item's `id`
    /// and `number` in the group.
    fn push_items(&self, sql: &mut Sql, compared: &Compared<'_>, window: PageWindow) {
        let Compared { table, id, condition, .. } = compared;
        let (by, same) = (named(compared), compared.has_values_of_k());
        let join = join(self.0.backend() == DbBackend::Sqlite);
        sql.push(&format!(
            "SELECT k.place, k.items, {by}, {id} AS id, \
             row_number() OVER (PARTITION BY k.place ORDER BY {id}) AS number FROM (\
             SELECT g.*, row_number() OVER (ORDER BY {by}) AS place FROM ({} ORDER BY {by}",
            compared.groups()
        ));
        window.push(sql);
        sql.push(&format!(") g) k {join} {table} m ON {condition} AND {same}"));
    }

    /// One text of all items: a million rows of the driver would need a hundred times the memory. Each line has the
    /// group's place and the item's id; the first line of a group with a common address also has the compared value.
    fn all_items(&self, kind: Kind, reason: DuplicateReason, most: u64) -> Sql {
        let value = match (reason, self.0.backend()) {
            (DuplicateReason::Address, DbBackend::Sqlite) => {
                " || CASE WHEN number = 1 THEN ' ' || replace(part0, char(10), ' ') ELSE '' END"
            }
            (DuplicateReason::Address, _) => " || CASE WHEN number = 1 THEN ' ' || part0 ELSE '' END",
            _ => "",
        };
        let joined = match self.0.backend() {
            DbBackend::Sqlite => "group_concat(line, char(10))",
            _ => "string_agg(line, chr(10))",
        };
        let mut sql = Sql::new(format!(
            "SELECT coalesce({joined}, '') AS lines FROM (\
             SELECT CAST(place AS text) || ' ' || CAST(id AS text){value} AS line FROM ("
        ));
        self.push_items(&mut sql, &compared(table(kind), kind, reason), PageWindow::first(most));
        sql.push(") r ORDER BY place, id LIMIT ").bind(i64::try_from(most).unwrap_or(i64::MAX)).push(") l");
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

/// The names of a group's values.
fn named(compared: &Compared<'_>) -> String {
    let names: Vec<String> = (0..compared.parts.len()).map(|index| format!("part{index}")).collect();
    names.join(", ")
}

/// Reads the lines of [`SeaOrmDuplicates::all_items`].
fn read_lines(lines: &str) -> Result<GroupedItems, StoreError> {
    let mut found = GroupedItems::default();
    for line in lines.lines() {
        let broken = || StoreError::Broken(format!("a line that names no item, {line}"));
        let mut words = line.splitn(3, ' ');
        let mut number = || words.next().and_then(|word| word.parse::<Id>().ok()).ok_or_else(broken);
        let (place, id) = (number()?, number()?);
        found.items.push((u32::try_from(place).map_err(|_| broken())?, id));
        found.compared.extend(words.next().map(str::to_owned));
    }
    Ok(found)
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

    async fn grouped(
        &self,
        kind: Kind,
        reason: DuplicateReason,
        most: u64,
    ) -> Result<GroupedItems, StoreError> {
        let row = self.all_items(kind, reason, most).only_row(&self.0.scanner).await?;
        let lines: String = row.try_get("", "lines").map_err(store_error)?;
        read_lines(&lines)
    }

    async fn addresses(&self, kind: Kind, groups: &[(Id, &str)]) -> Result<Vec<Option<String>>, StoreError> {
        let group = |(first, compared): &(Id, &str)| DuplicateIds {
            value: Some((*compared).to_owned()),
            year: None,
            ids: vec![*first],
            total: 0,
        };
        let mut groups: Vec<DuplicateIds> = groups.iter().map(group).collect();
        self.read_addresses(kind, &mut groups).await.map_err(store_error)?;
        Ok(groups.into_iter().map(|group| group.value).collect())
    }
}
