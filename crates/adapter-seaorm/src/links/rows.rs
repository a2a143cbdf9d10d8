//! Rows of links.

use chrono::{DateTime, Utc};
use domain_live::link::{Link, LinkHealth, Probe, at_rest};
use ports::StoreError;
use sea_orm::{
    QueryResult,
    sea_query::{Expr, Query, SelectStatement},
};

use crate::{
    db::values::{get, member},
    entities::links::Entity,
};

/// Columns of a link.
pub(crate) const LINK: &str = "l.id, l.owner, l.item_id, l.position, l.label, l.title, l.host, l.active, l.state, l.since, l.failures, l.turn, l.next_probe, \
     l.probed_at, l.outcome, l.http_status, l.milliseconds, l.format, l.height, l.codecs, l.bitrate, l.variants, l.sequence, l.switched_off, \
     (SELECT h.free_at FROM link_hosts h WHERE h.host = l.host) AS free_at";

/// A query for links `l`.
pub(crate) fn select_links() -> SelectStatement {
    Query::select().expr(Expr::cust(LINK)).from_as(Entity, "l").take()
}

/// Time of the next probe in responses: at the earliest when its host is free.
fn next_probe(next: DateTime<Utc>, free_at: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    Some(next).filter(|next| *next < at_rest()).map(|next| free_at.map_or(next, |free_at| next.max(free_at)))
}

pub(super) fn unsigned<T: TryFrom<i64>>(number: Option<i64>) -> Option<T> {
    number.and_then(|number| T::try_from(number).ok())
}

pub(super) fn health(row: &QueryResult) -> Result<LinkHealth, StoreError> {
    Ok(LinkHealth {
        state: member(&get::<String>(row, "state")?)?,
        since: get(row, "since")?,
        failures: get::<i32>(row, "failures")?.unsigned_abs(),
        turn: get(row, "turn")?,
    })
}

pub(super) fn status(row: &QueryResult) -> Result<Option<u16>, StoreError> {
    Ok(unsigned(get::<Option<i32>>(row, "http_status")?.map(i64::from)))
}

fn last_probe(row: &QueryResult) -> Result<Option<(DateTime<Utc>, Probe)>, StoreError> {
    let (Some(at), Some(outcome)) = (get(row, "probed_at")?, get::<Option<String>>(row, "outcome")?) else {
        return Ok(None);
    };
    let format: Option<String> = get(row, "format")?;
    let probe = Probe {
        outcome: member(&outcome)?,
        http_status: status(row)?,
        milliseconds: unsigned(Some(get(row, "milliseconds")?)).unwrap_or_default(),
        retry_after: None,
        format: format.as_deref().map(member).transpose()?,
        height: unsigned(get(row, "height")?),
        codecs: get(row, "codecs")?,
        bitrate: unsigned(get(row, "bitrate")?),
        variants: unsigned(get(row, "variants")?),
        sequence: unsigned(get(row, "sequence")?),
    };
    Ok(Some((at, probe)))
}

pub(crate) fn link(row: &QueryResult) -> Result<Link, StoreError> {
    Ok(Link {
        id: get(row, "id")?,
        owner: member(&get::<String>(row, "owner")?)?,
        item: get(row, "item_id")?,
        position: get::<i32>(row, "position")?.unsigned_abs(),
        label: get(row, "label")?,
        title: get(row, "title")?,
        host: get(row, "host")?,
        active: get(row, "active")?,
        switched_off: get(row, "switched_off")?,
        health: health(row)?,
        next_probe: next_probe(get(row, "next_probe")?, get(row, "free_at")?),
        last: last_probe(row)?,
    })
}
