//! Claims of links: the row of the host is written first, so that claims of one host are serialized
//! on all nodes.

use chrono::{DateTime, TimeDelta, Utc};
use domain_catalogue::StreamHeader;
use domain_live::{entry::Entry, headers::sent_value, link::ProbePolicy};
use ports::{ClaimedLink, ProbeTime, StoreError};
use sea_orm::{
    ActiveValue::Set,
    ConnectionTrait, DbErr, EntityTrait, QueryResult,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use super::{broken, get, health, member, unsigned};
use crate::{
    Database,
    db::{
        sql::{Sql, of},
        transaction::Transaction,
    },
    entities::link_hosts::{ActiveModel, Column, Entity},
};

/// Period in which changes count for flapping.
const RECENT: TimeDelta = TimeDelta::hours(24);
/// Maximum time after a probe in which a live playlist may have no new segment.
const NEW_SEGMENT: TimeDelta = TimeDelta::seconds(60);

/// `AND` the link `l` is active with a requested probe: in the form of its own index, not of the
/// index of active links.
const REQUESTED: &str = " AND l.active IS TRUE AND l.probe_requested";

/// `AND` the link `l` is due and not claimed.
fn push_due(sql: &mut Sql, now: DateTime<Utc>) {
    sql.push(" AND l.active");
    push_free(sql, now);
}

/// The same for an active link.
fn push_free(sql: &mut Sql, now: DateTime<Utc>) {
    sql.push(" AND l.next_probe <= ").bind(now);
    sql.push(" AND (l.claimed_until IS NULL OR l.claimed_until <= ").bind(now).push(")");
}

/// Hosts with a due link, requested probes first, without those in a pause or at their daily limit.
/// Two index lookups in `links_due` per host: this runs each second, and a host may have thousands
/// of due links.
pub(super) fn due_hosts(at: ProbeTime, policy: &ProbePolicy) -> Sql {
    let mut sql = Sql::new(
        "WITH RECURSIVE hosts (host) AS (SELECT min(l.host) FROM links l WHERE l.active UNION ALL \
         SELECT (SELECT min(l.host) FROM links l WHERE l.active AND l.host > p.host) FROM hosts p WHERE p.host IS NOT NULL) \
         SELECT d.host FROM (SELECT p.host, (SELECT min(l.next_probe) FROM links l WHERE l.host = p.host",
    );
    push_due(&mut sql, at.now);
    sql.push(
        ") AS due FROM hosts p WHERE p.host IS NOT NULL) d LEFT JOIN link_hosts h ON h.host = d.host \
         WHERE d.due IS NOT NULL AND (h.host IS NULL OR (h.free_at <= ",
    );
    sql.bind(at.now);
    if let Some(budget) = policy.budget {
        sql.push(" AND (h.day <> ").bind(at.day).push(" OR h.probes < ").bind(i64::from(budget)).push(")");
    }
    sql.push(")) ORDER BY CASE WHEN EXISTS (SELECT 1 FROM links l WHERE l.host = d.host");
    push_free(&mut sql, at.now);
    sql.push(REQUESTED);
    sql.push(") THEN 0 ELSE 1 END, d.due, d.host");
    sql
}

/// Counts a probe of the host: none in the pause after the last one, nor above the daily limit.
/// Returns whether it was counted.
async fn count_probe(
    transaction: &Transaction,
    host: &str,
    at: ProbeTime,
    policy: &ProbePolicy,
) -> Result<bool, DbErr> {
    let stored = |column: Column| of("link_hosts", column);
    let new_day = || of("excluded", Column::Day);
    let probes = Expr::case(stored(Column::Day).eq(new_day()), stored(Column::Probes).add(1_i64));
    let mut is_free = stored(Column::FreeAt).lte(at.now);
    if let Some(budget) = policy.budget {
        let is_below = stored(Column::Probes).lt(i64::from(budget));
        is_free = is_free.and(stored(Column::Day).ne(new_day()).or(is_below));
    }
    let again = OnConflict::column(Column::Host)
        .update_columns([Column::FreeAt, Column::Day])
        .value(Column::Probes, probes.finally(1_i64))
        .action_and_where(is_free)
        .to_owned();
    let row = ActiveModel {
        host: Set(host.to_owned()),
        free_at: Set(at.now + policy.pause),
        day: Set(at.day),
        probes: Set(1),
    };
    let insert = Entity::insert(row).on_conflict(again);
    Ok(insert.exec_without_returning(transaction).await? == 1)
}

/// Priority of due links.
#[derive(Clone, Copy)]
enum Priority {
    /// A requested probe.
    Requested,
    /// The next probe decides the state.
    InDoubt,
    /// The longest overdue.
    Overdue,
}

/// `(SELECT …)`: ID of a link of the claimed host with this priority.
fn push_next(sql: &mut Sql, priority: Priority, host: &str, now: DateTime<Utc>, policy: &ProbePolicy) {
    sql.push("(SELECT l.id FROM links l WHERE l.host = ").bind(host);
    match priority {
        Priority::Requested => {
            push_free(sql, now);
            sql.push(REQUESTED);
        }
        Priority::InDoubt => {
            push_free(sql, now);
            sql.push(" AND l.active IS TRUE AND l.state IN ('SUSPECT', 'RECOVERING')");
        }
        Priority::Overdue => push_due(sql, now),
    }
    sql.push(" AND (SELECT count(*) FROM links o WHERE o.host = ").bind(host);
    sql.push(" AND o.claimed_until > ").bind(now).push(") < ").bind(i64::from(policy.connections));
    if policy.connections > 1 {
        // Providers close the older one of two connections of an account, or both.
        sql.push(
            " AND (l.account IS NULL OR l.account = '' OR NOT EXISTS (SELECT 1 FROM links o \
             WHERE o.host = l.host AND o.account = l.account AND o.claimed_until > ",
        );
        sql.bind(now).push("))");
    }
    sql.push(" ORDER BY l.next_probe, l.id LIMIT 1)");
}

/// The headers of the stream of a claimed link. The row of a channel's first stream applies while it
/// has the channel's URL. Raw, as the statement that returns them: conditions are in the form of
/// partial indexes. Finds the stream and the channel by their primary keys.
const HEADERS: &str = "(SELECT s.headers FROM channel_streams s LEFT JOIN tv_channels c ON c.id = s.channel_id \
     WHERE links.owner = 'tv-channels' AND s.channel_id = links.item_id AND s.number = links.stream \
     AND (s.position > 0 OR (s.url = c.url AND s.url_type = c.url_type))) AS headers";

/// Claims a link of the host, and counts the probe, in one transaction.
pub(super) async fn claim(
    database: &Database,
    host: &str,
    at: ProbeTime,
    until: DateTime<Utc>,
    policy: &ProbePolicy,
) -> Result<Option<QueryResult>, DbErr> {
    let transaction = database.begin().await?;
    if !count_probe(&transaction, host, at, policy).await? {
        return Ok(None);
    }
    let now = at.now;
    let mut sql = Sql::new("UPDATE links SET claimed_until = ");
    sql.bind(until).push(" WHERE id = COALESCE(");
    for (index, priority) in
        [Priority::Requested, Priority::InDoubt, Priority::Overdue].into_iter().enumerate()
    {
        sql.push(if index == 0 { "" } else { ", " });
        push_next(&mut sql, priority, host, now, policy);
    }
    sql.push(")");
    sql.push(" AND (claimed_until IS NULL OR claimed_until <= ").bind(now);
    sql.push(
        ") RETURNING id, owner, address, host, state, since, failures, turn, \
         CASE WHEN probed_at <= ",
    );
    sql.bind(now - NEW_SEGMENT);
    sql.push(
        " THEN sequence END AS sequence, \
         (SELECT count(*) FROM link_changes h WHERE h.link_id = links.id AND h.occurred_at > ",
    );
    sql.bind(now - RECENT).push(
        ") AS recent, (SELECT e.applied FROM playlist_entries e WHERE e.item_id = links.item_id \
         AND e.item_kind = links.owner AND e.in_use AND e.applied IS NOT NULL ORDER BY e.id LIMIT 1) AS applied, ",
    );
    sql.push(HEADERS);
    let row = transaction.query_one_raw(sql.statement(database.backend())).await?;
    // Without a link the host was not probed.
    if row.is_some() {
        transaction.commit().await?;
    }
    Ok(row)
}

pub(super) fn claimed(
    row: &QueryResult,
    claimed_at: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<ClaimedLink, StoreError> {
    let applied: Option<String> = get(row, "applied")?;
    let applied = applied.as_deref().map(serde_json::from_str::<Entry>).transpose().map_err(broken)?;
    let own: Option<String> = get(row, "headers")?;
    let address: String = get(row, "address")?;
    let headers = match own {
        Some(own) => {
            let own: Vec<StreamHeader> = serde_json::from_str(&own).map_err(broken)?;
            own.into_iter().map(|header| (header.name, header.value)).collect::<Vec<_>>()
        }
        // Headers of the entry belong to its own URL.
        None => applied
            .filter(|entry| entry.url == address)
            .map(|entry| entry.player_headers())
            .unwrap_or_default(),
    };
    // Playlists have them after the URL, where players decode them.
    let headers = headers.into_iter().map(|(name, value)| (name, sent_value(&value))).collect();
    Ok(ClaimedLink {
        id: get(row, "id")?,
        owner: member(&get::<String>(row, "owner")?)?,
        address,
        host: get(row, "host")?,
        headers,
        health: health(row)?,
        sequence: unsigned(get(row, "sequence")?),
        recent_changes: unsigned(Some(get::<i64>(row, "recent")?)).unwrap_or_default(),
        claimed_at,
        until,
    })
}
