//! The likely duplicates among the rows of a kind: rows with equal index entries are adjacent, so one
//! scan of an index finds all groups without reading rows.

use domain_catalogue::{DuplicateReason, Kind, duplicate_reasons};
use domain_kernel::Id;

use crate::db::sql::Sql;

/// A group of more items is not compared with others: it is listed for each address that its items
/// share.
const MOST_COMPARED: u32 = 1_000;

/// The rows `m` that are compared.
pub(super) struct Compared<'a> {
    pub(super) table: &'a str,
    /// The column with the item's id.
    pub(super) id: &'static str,
    /// The columns that are compared.
    pub(super) parts: &'static [&'static str],
    /// The condition for rows to be compared.
    pub(super) condition: String,
    /// Whether an item has several entries: items that share all of them are one group.
    has_several: bool,
}

/// The comparison for a reason. The primary key of `item_addresses`, and indexes of migrations 41,
/// 70 and 131, begin with these columns.
pub(super) fn compared(table: &str, kind: Kind, reason: DuplicateReason) -> Compared<'_> {
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

impl Compared<'_> {
    /// `SELECT`s one row for each common value: its parts `part0` and so on, its number of `items`,
    /// and these further columns.
    fn values(&self, further: &str) -> String {
        let named = self.parts.iter().enumerate().map(|(index, part)| format!("{part} AS part{index}"));
        let named = named.collect::<Vec<_>>().join(", ");
        let (by, Self { table, condition, .. }) = (self.parts.join(", "), self);
        format!(
            "SELECT {named}, count(*) AS items{further} FROM {table} m WHERE {condition} GROUP BY {by} HAVING count(*) > 1"
        )
    }

    /// The condition that a row has the values of a group `k`.
    pub(super) fn has_values_of_k(&self) -> String {
        let same = self.parts.iter().enumerate().map(|(index, part)| format!("{part} = k.part{index}"));
        same.collect::<Vec<_>>().join(" AND ")
    }

    /// `SELECT`s one row for each group: its common values `part0` and so on, and its number of
    /// `items`.
    pub(super) fn groups(&self) -> String {
        let (by, Self { table, id, condition, .. }) = (self.parts.join(", "), self);
        if !self.has_several {
            return self.values("");
        }
        // Groups of two or three items with equal numbers have the same items; of larger groups the
        // ids themselves are compared.
        let numbered =
            self.values(&format!(", min({id}) AS lowest, max({id}) AS highest, sum({id}) AS added"));
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

/// `SELECT`s each `address` of these items of a kind on `PostgreSQL`, whose table `item_addresses` has
/// their digests only. Raw: part of one statement for all kinds, most of which have their links as JSON.
/// Items are found by their primary key, streams by the beginning of `channel_streams_by_position`.
pub(super) fn addresses_of(sql: &mut Sql, (table, kind): (&str, Kind), ids: &[Id]) {
    let mut push = |select: &str| {
        sql.push(select).push(" IN (");
        sql.bind_all(ids.iter().copied()).push(")");
    };
    match kind {
        Kind::TvChannels => {
            push("SELECT m.url AS address FROM tv_channels m WHERE m.id");
            push(" UNION ALL SELECT s.url FROM channel_streams s WHERE s.channel_id");
        }
        Kind::RadioStations => push("SELECT m.stream_url AS address FROM radio_stations m WHERE m.id"),
        _ => push(&format!(
            "SELECT j.value->>'url' AS address FROM {table} m CROSS JOIN jsonb_array_elements(m.links) j(value) \
             WHERE m.id"
        )),
    }
}

/// The join that reads the groups first: `SQLite` changes the order of other joins.
pub(super) const fn join(is_sqlite: bool) -> &'static str {
    if is_sqlite { "CROSS JOIN" } else { "JOIN" }
}

/// `SELECT`s the ids of the items of a kind that are in a group, for any reason.
pub(super) fn push_duplicates(sql: &mut Sql, is_sqlite: bool, (table, kind): (&str, Kind)) {
    for (index, reason) in duplicate_reasons(kind).iter().enumerate() {
        let compared = compared(table, kind, *reason);
        let Compared { table, id, condition, .. } = &compared;
        let (values, same, join) = (compared.values(""), compared.has_values_of_k(), join(is_sqlite));
        sql.push(if index == 0 { "" } else { " UNION ALL " });
        sql.push(&format!("SELECT {id} FROM ({values}) k {join} {table} m ON {condition} AND {same}"));
    }
}
