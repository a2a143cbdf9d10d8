//! Daily counts of probes, updated with each probe, by link and host.

use chrono::NaiveDate;
use domain_kernel::Id;
use domain_live::link::{ProbeDay, Verdict};
use ports::StoreError;
use sea_orm::{ConnectionTrait, DbErr, QueryResult};

use super::get;
use crate::db::{sql::Sql, transaction::Transaction};

/// Counts of successful and failed probes; `None` for an inconclusive one.
const fn counts(verdict: Verdict) -> Option<(i32, i32)> {
    match verdict {
        Verdict::Plays => Some((1, 0)),
        Verdict::Fails => Some((0, 1)),
        Verdict::Unknown => None,
    }
}

async fn count<K: Into<sea_orm::Value>>(
    transaction: &Transaction,
    (table, column): (&str, &str),
    key: K,
    day: NaiveDate,
    verdict: Verdict,
) -> Result<(), DbErr> {
    let Some((good, failed)) = counts(verdict) else { return Ok(()) };
    let mut sql = Sql::new(format!("INSERT INTO {table} ({column}, day, good, failed) VALUES ("));
    sql.bind(key).push(", ").bind(day).push(", ").bind(good).push(", ").bind(failed);
    sql.push(&format!(
        ") ON CONFLICT ({column}, day) DO UPDATE SET good = {table}.good + excluded.good, \
         failed = {table}.failed + excluded.failed"
    ));
    transaction.execute_raw(sql.statement(transaction.get_database_backend())).await.map(drop)
}

pub(super) async fn count_of_link(
    transaction: &Transaction,
    link: Id,
    day: NaiveDate,
    verdict: Verdict,
) -> Result<(), DbErr> {
    count(transaction, ("link_days", "link_id"), link, day, verdict).await
}

pub(super) async fn count_of_host(
    transaction: &Transaction,
    host: &str,
    day: NaiveDate,
    verdict: Verdict,
) -> Result<(), DbErr> {
    count(transaction, ("link_host_days", "host"), host.to_owned(), day, verdict).await
}

/// Days of a link, oldest first; one row without a day for none, no row without the link.
pub(super) fn of_link(link: Id, since: NaiveDate) -> Sql {
    let mut sql = Sql::new(
        "SELECT d.day, d.good, d.failed FROM links l LEFT JOIN link_days d ON d.link_id = l.id AND d.day >= ",
    );
    sql.bind(since).push(" WHERE l.id = ").bind(link).push(" ORDER BY d.day");
    sql
}

/// Days of these hosts, oldest first.
pub(super) fn of_hosts(hosts: Vec<String>, since: NaiveDate) -> Sql {
    let mut sql = Sql::new("SELECT d.host, d.day, d.good, d.failed FROM link_host_days d WHERE d.host IN (");
    sql.bind_all(hosts).push(") AND d.day >= ").bind(since).push(" ORDER BY d.host, d.day");
    sql
}

pub(super) fn day(row: &QueryResult) -> Result<ProbeDay, StoreError> {
    let number = |column: &str| get::<i32>(row, column).map(i32::unsigned_abs);
    Ok(ProbeDay { day: get(row, "day")?, good: number("good")?, failed: number("failed")? })
}
