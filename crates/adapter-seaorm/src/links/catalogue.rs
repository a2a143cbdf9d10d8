//! Synchronization of links with the catalogue: missing, outdated and deleted ones, and their
//! writes. Raw SQL: the statements are the same for all kinds but for what they join, and most kinds
//! have their links as JSON. Channels are read from the first one on along their primary key, their
//! streams along `channel_streams_by_position`.

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id, fold};
use domain_live::link::LinkOwner;
use ports::{CatalogueLink, StoreError};
use sea_orm::DbBackend;

use super::{
    SeaOrmLinks,
    items::{push_requested, push_without_link},
    table_of,
};
use crate::db::sql::Sql;

/// Condition of an upsert that a user has activated the item of a link that is down: it is probed
/// before the item is deactivated again.
const IS_ACTIVATED: &str = "(excluded.active AND links.state = 'DOWN' \
     AND (NOT links.active OR (links.switched_off AND NOT excluded.switched_off)))";

/// Condition that the service has deactivated the item `c` and no user has activated it since.
const IS_SWITCHED_OFF: &str = "w.item_id IS NOT NULL";

/// Joins the mark of an item `c` deactivated by the service: it has the version of the item, until
/// a user activates that.
fn push_switch(sql: &mut Sql, owner: LinkOwner) {
    sql.push(" LEFT JOIN link_switches w ON w.item_id = c.id AND w.version = c.version AND w.owner = ");
    sql.bind(owner.code());
}

/// `SELECT` of `since`, the time of deactivation by the service, for items that no user has
/// activated since; there are few marks.
pub(crate) fn push_switched_off(sql: &mut Sql) {
    for (index, owner) in LinkOwner::ALL.iter().filter(|owner| owner.is_live()).enumerate() {
        sql.push(if index == 0 { "" } else { " UNION ALL " });
        sql.push(&format!(
            "SELECT w.since FROM link_switches w WHERE EXISTS (SELECT 1 FROM {} c WHERE c.id = w.item_id \
             AND c.version = w.version) AND w.owner = ",
            table_of(*owner)
        ));
        sql.bind(owner.code());
    }
}

/// URL of a row for players, and whether it is probed: `address`, `active`, `switched_off`.
fn push_address(sql: &mut Sql, row: &str, base_url: Option<&str>) {
    let separator = base_url.map_or("", |base| if base.ends_with(['/', '=']) { "" } else { "/" });
    let base = format!("{}{separator}", base_url.unwrap_or_default());
    sql.push(&format!("CASE WHEN {row}.url_type = 'INTERNAL' THEN CAST(")).bind(base);
    sql.push(&format!(
        " AS text) || {row}.url ELSE {row}.url END AS address, (c.active OR {IS_SWITCHED_OFF})"
    ));
    if base_url.is_none() {
        sql.push(&format!(" AND {row}.url_type <> 'INTERNAL'"));
    }
    sql.push(&format!(" AS active, {IS_SWITCHED_OFF} AS switched_off"));
}

/// Streams of items of a kind with their URLs for players: `id`, `stream`, `link_key`, `position`,
/// `label`, `title`, `address`, `active`, `switched_off`. Those of requested films and other items
/// also have `requested_at`.
fn push_items(sql: &mut Sql, owner: LinkOwner, base_url: Option<&str>, backend: DbBackend) {
    match owner {
        LinkOwner::TvChannels => {
            // The first one is the stream with the channel's URL, at any position of the list: a
            // form may have moved it. The state of the stream at the first position belongs to the
            // URL that was probed.
            sql.push(
                "SELECT c.id, coalesce(s.number, 0) AS stream, '' AS link_key, 0 AS position, \
                 CASE WHEN s.url = c.url AND s.url_type = c.url_type THEN s.label END AS label, c.title, ",
            );
            push_address(sql, "c", base_url);
            sql.push(
                " FROM tv_channels c LEFT JOIN channel_streams s ON s.channel_id = c.id AND s.position = coalesce(\
                 (SELECT min(m.position) FROM channel_streams m WHERE m.channel_id = c.id AND m.url = c.url \
                 AND m.url_type = c.url_type), 0)",
            );
            push_switch(sql, owner);
            sql.push(
                " UNION ALL SELECT c.id, s.number AS stream, '' AS link_key, s.position, s.label, c.title, ",
            );
            push_address(sql, "s", base_url);
            sql.push(" FROM channel_streams s JOIN tv_channels c ON c.id = s.channel_id");
            push_switch(sql, owner);
            sql.push(" WHERE s.position > 0 AND NOT (s.url = c.url AND s.url_type = c.url_type)");
        }
        LinkOwner::RadioStations => {
            sql.push(&format!(
                "SELECT c.id, CAST(0 AS bigint) AS stream, '' AS link_key, 0 AS position, CAST(NULL AS text) AS label, \
                 c.station_name AS title, c.stream_url AS address, (c.active OR {IS_SWITCHED_OFF}) AS active, \
                 {IS_SWITCHED_OFF} AS switched_off FROM radio_stations c"
            ));
            push_switch(sql, owner);
        }
        _ => push_requested(sql, owner, backend),
    }
}

/// Missing or outdated links of a kind, from this item on.
pub(super) fn outdated(
    owner: LinkOwner,
    base_url: Option<&str>,
    first: Id,
    most: u32,
    backend: DbBackend,
) -> Sql {
    let mut sql = Sql::new(
        "SELECT i.id, i.stream, i.link_key, i.position, i.label, i.title, i.address, i.active, i.switched_off",
    );
    sql.push(if owner.is_live() { " FROM (" } else { ", i.requested_at FROM (" });
    push_items(&mut sql, owner, base_url, backend);
    sql.push(
        ") i LEFT JOIN links l ON l.item_id = i.id AND l.stream = i.stream AND l.link_key = i.link_key \
         AND l.owner = ",
    );
    sql.bind(owner.code());
    sql.push(
        " WHERE (l.id IS NULL OR l.title <> i.title OR l.address <> i.address OR l.active <> i.active OR l.switched_off <> i.switched_off \
         OR l.position <> i.position OR l.account IS NULL OR coalesce(l.label, '') <> coalesce(i.label, '')) AND i.id >= ",
    );
    sql.bind(first).push(" ORDER BY i.id, i.position LIMIT ").bind(i64::from(most));
    sql
}

/// `SELECT` of the IDs of links whose item or stream is deleted.
pub(super) fn push_orphans(sql: &mut Sql, owner: LinkOwner, most: u32, backend: DbBackend) {
    let table = table_of(owner);
    sql.push(&format!("SELECT l.id FROM links l LEFT JOIN {table} i ON i.id = l.item_id"));
    match owner {
        LinkOwner::TvChannels => sql.push(
            " LEFT JOIN channel_stream_lists f ON f.channel_id = l.item_id LEFT JOIN channel_streams s \
             ON s.channel_id = l.item_id AND s.number = l.stream WHERE (i.id IS NULL \
             OR CASE WHEN f.channel_id IS NULL THEN l.stream <> 0 ELSE s.number IS NULL OR (s.position = 0 \
             AND EXISTS (SELECT 1 FROM channel_streams m WHERE m.channel_id = s.channel_id AND m.position > 0 \
             AND m.url = i.url AND m.url_type = i.url_type)) END)",
        ),
        LinkOwner::RadioStations => sql.push(" WHERE i.id IS NULL"),
        _ => push_without_link(sql, table, backend),
    };
    sql.push(" AND l.owner = ").bind(owner.code()).push(" LIMIT ").bind(i64::from(most));
}

impl SeaOrmLinks {
    /// Upserts links. One with a changed URL is unknown again, and due; one that is down is
    /// requested after the activation of its item; with `are_requested`, all others are requested
    /// and due, too.
    pub(crate) async fn put_links(
        &self,
        links: &[CatalogueLink],
        now: DateTime<Utc>,
        are_requested: bool,
    ) -> Result<(), StoreError> {
        let mut sql = Sql::new(
            "INSERT INTO links (owner, item_id, stream, link_key, position, label, title, title_key, address, host, account, active, \
             switched_off, requested_at, state, since, failures, next_probe, probe_requested, milliseconds) VALUES ",
        );
        for (index, link) in links.iter().enumerate() {
            sql.push(if index == 0 { "(" } else { ", (" });
            sql.bind(link.owner.code()).push(", ").bind(link.item).push(", ").bind(link.stream).push(", ");
            sql.bind(link.key.clone())
                .push(", ")
                .bind(link.position)
                .push(", ")
                .bind(link.label.clone())
                .push(", ")
                .bind(link.title.clone());
            sql.push(", ").bind(fold(&link.title)).push(", ").bind(link.address.clone()).push(", ");
            sql.bind(link.host.clone()).push(", ").bind(link.account.clone()).push(", ").bind(link.active);
            sql.push(", ").bind(link.switched_off).push(", ").bind(link.requested_at);
            sql.push(", 'UNKNOWN', ").bind(now);
            sql.push(", 0, ").bind(now).push(", ").bind(are_requested).push(", 0)");
        }
        sql.push(
            " ON CONFLICT (owner, item_id, stream, link_key) DO UPDATE SET position = excluded.position, label = excluded.label, \
             title = excluded.title, title_key = excluded.title_key, \
             address = excluded.address, host = excluded.host, account = excluded.account, active = excluded.active, \
             switched_off = excluded.switched_off, \
             requested_at = CASE WHEN links.requested_at > excluded.requested_at THEN links.requested_at ELSE excluded.requested_at END",
        );
        // A changed URL resets the state. A claim of the former one is void.
        for (column, unknown) in [
            ("state", "'UNKNOWN'"),
            ("address_since", "excluded.since"),
            ("since", "excluded.since"),
            ("failures", "0"),
            ("turn", "NULL"),
            ("claimed_until", "NULL"),
            ("probed_at", "NULL"),
            ("outcome", "NULL"),
            ("http_status", "NULL"),
            ("format", "NULL"),
            ("height", "NULL"),
            ("codecs", "NULL"),
            ("bitrate", "NULL"),
            ("variants", "NULL"),
            ("sequence", "NULL"),
        ] {
            sql.push(&format!(
                ", {column} = CASE WHEN links.address = excluded.address THEN links.{column} ELSE {unknown} END"
            ));
        }
        sql.push(&format!(
            ", probe_requested = excluded.active AND (links.probe_requested OR excluded.probe_requested OR {IS_ACTIVATED}), \
             next_probe = "
        ));
        if !are_requested {
            sql.push(&format!(
                "CASE WHEN links.address = excluded.address AND NOT {IS_ACTIVATED} THEN links.next_probe ELSE "
            ));
        }
        sql.push(if are_requested { "excluded.next_probe" } else { "excluded.next_probe END" });
        self.write(sql).await.map(drop)
    }
}
