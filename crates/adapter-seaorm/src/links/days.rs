//! Daily counts of probes, updated with each probe, by link and host.

use chrono::NaiveDate;
use domain_kernel::Id;
use domain_live::link::{ProbeDay, Verdict};
use ports::StoreError;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QueryResult,
    sea_query::{Expr, ExprTrait, OnConflict, Order, Query, SelectStatement},
};

use super::get;
use crate::{
    db::{sql::of, transaction::Transaction},
    entities::{link_days, link_host_days, links},
};

/// Counts of successful and failed probes; `None` for an inconclusive one.
const fn counts(verdict: Verdict) -> Option<(i32, i32)> {
    match verdict {
        Verdict::Plays => Some((1, 0)),
        Verdict::Fails => Some((0, 1)),
        Verdict::Unknown => None,
    }
}

/// Adds the counts to those of the row with this key and day.
fn add_to(table: &'static str, key: &'static str) -> OnConflict {
    let sum = |column: &'static str| of(table, column).add(of("excluded", column));
    OnConflict::columns([key, "day"]).value("good", sum("good")).value("failed", sum("failed")).to_owned()
}

pub(super) async fn count_of_link(
    transaction: &Transaction,
    link: Id,
    day: NaiveDate,
    verdict: Verdict,
) -> Result<(), DbErr> {
    let Some((good, failed)) = counts(verdict) else { return Ok(()) };
    let row =
        link_days::ActiveModel { link_id: Set(link), day: Set(day), good: Set(good), failed: Set(failed) };
    let insert = link_days::Entity::insert(row).on_conflict(add_to("link_days", "link_id"));
    insert.exec_without_returning(transaction).await.map(drop)
}

pub(super) async fn count_of_host(
    transaction: &Transaction,
    host: &str,
    day: NaiveDate,
    verdict: Verdict,
) -> Result<(), DbErr> {
    let Some((good, failed)) = counts(verdict) else { return Ok(()) };
    let row = link_host_days::ActiveModel {
        host: Set(host.to_owned()),
        day: Set(day),
        good: Set(good),
        failed: Set(failed),
    };
    let insert = link_host_days::Entity::insert(row).on_conflict(add_to("link_host_days", "host"));
    insert.exec_without_returning(transaction).await.map(drop)
}

/// Days of a link, oldest first; one row without a day for none, no row without the link.
pub(super) fn of_link(link: Id, since: NaiveDate) -> SelectStatement {
    let days = |column: link_days::Column| Expr::col((link_days::Entity, column));
    let id = (links::Entity, links::Column::Id);
    let is_shown = days(link_days::Column::LinkId).equals(id).and(days(link_days::Column::Day).gte(since));
    Query::select()
        .exprs([link_days::Column::Day, link_days::Column::Good, link_days::Column::Failed].map(days))
        .from(links::Entity)
        .left_join(link_days::Entity, is_shown)
        .and_where(Expr::col(id).eq(link))
        .order_by((link_days::Entity, link_days::Column::Day), Order::Asc)
        .take()
}

/// Days of these hosts, oldest first.
pub(super) async fn of_hosts(
    connection: &impl ConnectionTrait,
    hosts: Vec<String>,
    since: NaiveDate,
) -> Result<Vec<(String, ProbeDay)>, DbErr> {
    let rows = link_host_days::Entity::find()
        .filter(link_host_days::Column::Host.is_in(hosts))
        .filter(link_host_days::Column::Day.gte(since))
        .order_by_asc(link_host_days::Column::Host)
        .order_by_asc(link_host_days::Column::Day)
        .all(connection)
        .await?;
    let day = |row: link_host_days::Model| {
        let (good, failed) = (row.good.unsigned_abs(), row.failed.unsigned_abs());
        (row.host, ProbeDay { day: row.day, good, failed })
    };
    Ok(rows.into_iter().map(day).collect())
}

pub(super) fn day(row: &QueryResult) -> Result<ProbeDay, StoreError> {
    let number = |column: &str| get::<i32>(row, column).map(i32::unsigned_abs);
    Ok(ProbeDay { day: get(row, "day")?, good: number("good")?, failed: number("failed")? })
}
