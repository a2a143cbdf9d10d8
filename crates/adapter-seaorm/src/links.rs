//! Links of channels, stations and items. Raw SQL: claims and upserts are one statement each, the
//! next host is selected by an aggregate, and lists share their columns.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Enumeration, Id, ListQuery, Page};
use domain_live::link::{
    FAILURES_OF_DOWN, HostLinks, Link, LinkChange, LinkOwner, LinkState, Probe, ProbeDay, ProbeOutcome,
    ProbePolicy, Step, Verdict,
};
use ports::{
    CatalogueLink, ClaimedLink, HostCounts, LinkRepository, ProbeTime, RedundancyCounts, StoreError,
};
use sea_orm::{
    ActiveValue::{self, NotSet, Set},
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryResult, QuerySelect,
    Value,
    sea_query::{Expr, ExprTrait, Func, Order, Query, SelectStatement},
};

mod catalogue;
mod claims;
mod days;
mod items;
mod list;
mod rows;

pub(crate) use self::{
    catalogue::push_switched_off,
    rows::{LINK, link, select_links},
};
use self::{
    catalogue::{outdated, push_orphans},
    items::catalogue_link,
    list::LinkList,
    rows::{health, status, unsigned},
};
use crate::{
    Database,
    db::{
        error::store_error,
        sql::{Sql, codes, of},
        values::{broken, get, member},
    },
    entities::{
        link_changes, link_hosts,
        links::{ActiveModel, Column, Entity},
    },
    list::page,
};

/// Repository of links.
#[derive(Debug, Clone)]
pub struct SeaOrmLinks(pub Database);

/// Condition that players may get the link `o`: it has a URL, its item is active, and it is not
/// down.
pub(crate) const MAY_PLAY: &str = "o.active AND o.state <> 'DOWN'";

/// 1 for rows with this condition, else 0: `integer`, which PostgreSQL sums as `bigint`.
fn one_if(condition: Expr) -> Expr {
    Expr::case(condition, 1_i32).finally(0_i32).into()
}

macro_rules! tables {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal
        [$($code:literal $labels:tt played $views:tt reported $reports:tt watched $visits:tt counted $dashboards:tt
            linked($($variant:ident $names:tt)?) $($rest:tt)*)?];)+) => {
        /// The table of the items of a kind with links.
        pub(crate) const fn table_of(owner: LinkOwner) -> &'static str {
            match owner {
                $($($(LinkOwner::$variant => stringify!($field),)?)?)+
            }
        }
    };
}
domain_kernel::for_each_kind!(tables);

/// The property of a link: after a failure, that of the last successful probe.
fn if_known<T>(found: Option<T>) -> ActiveValue<Option<T>>
where
    Option<T>: Into<Value>,
{
    if found.is_some() { Set(found) } else { NotSet }
}

impl SeaOrmLinks {
    pub(crate) async fn rows(&self, sql: Sql) -> Result<Vec<QueryResult>, StoreError> {
        self.0.reader.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)
    }

    /// The only row of a query that always has one.
    async fn only_row(&self, query: &SelectStatement) -> Result<QueryResult, StoreError> {
        let row = self.0.reader.query_one(query).await.map_err(store_error)?;
        row.ok_or_else(|| broken("a statement without a row"))
    }

    async fn write(&self, sql: Sql) -> Result<u64, StoreError> {
        let statement = sql.statement(self.0.backend());
        Ok(self.0.writer.execute_raw(statement).await.map_err(store_error)?.rows_affected())
    }

    async fn try_record(
        &self,
        claimed: &ClaimedLink,
        probe: &Probe,
        step: &Step,
        ProbeTime { now: at, day }: ProbeTime,
    ) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        days::count_of_host(&transaction, &claimed.host, day, step.verdict).await?;
        let number = |value: Option<u64>| value.and_then(|value| i64::try_from(value).ok());
        let status = probe.http_status.map(i32::from);
        let row = ActiveModel {
            claimed_until: Set(None),
            state: Set(step.health.state.code().to_owned()),
            since: Set(step.health.since),
            failures: Set(i32::try_from(step.health.failures).unwrap_or(i32::MAX)),
            turn: Set(step.health.turn),
            probed_at: Set(Some(at)),
            outcome: Set(Some(probe.outcome.code().to_owned())),
            http_status: Set(status),
            milliseconds: Set(i64::from(probe.milliseconds)),
            sequence: Set(number(probe.sequence)),
            height: if_known(probe.height.map(i64::from)),
            bitrate: if_known(number(probe.bitrate)),
            variants: if_known(probe.variants.map(i64::from)),
            format: if_known(probe.format.map(|format| format.code().to_owned())),
            codecs: if_known(probe.codecs.clone()),
            ..ActiveModel::default()
        };
        // A request during this probe may follow a repair of the stream, and stays pending.
        let next_probe = Expr::col(Column::NextProbe);
        let is_pending = Expr::col(Column::ProbeRequested).and(next_probe.clone().gt(claimed.claimed_at));
        let next = Expr::case(is_pending.clone(), next_probe).finally(step.next);
        let update = Entity::update_many()
            .set(row)
            .col_expr(Column::ProbeRequested, is_pending)
            .col_expr(Column::NextProbe, next.into())
            .filter(Column::Id.eq(claimed.id))
            // After a change of the URL, or a claim by another node, the result is not for this
            // link any more.
            .filter(Column::ClaimedUntil.eq(claimed.until));
        if update.exec(&transaction).await?.rows_affected == 0 {
            return Ok(false);
        }
        days::count_of_link(&transaction, claimed.id, day, step.verdict).await?;
        if step.changed {
            let change = link_changes::ActiveModel {
                id: NotSet,
                link_id: Set(claimed.id),
                occurred_at: Set(at),
                from_state: Set(claimed.health.state.code().to_owned()),
                state: Set(step.health.state.code().to_owned()),
                outcome: Set(probe.outcome.code().to_owned()),
                http_status: Set(status),
            };
            link_changes::Entity::insert(change).exec_without_returning(&transaction).await?;
        }
        transaction.commit().await.map(|()| true)
    }
}

#[async_trait]
impl LinkRepository for SeaOrmLinks {
    async fn outdated(
        &self,
        owner: LinkOwner,
        base_url: Option<String>,
        first: Id,
        most: u32,
    ) -> Result<Vec<CatalogueLink>, StoreError> {
        let sql = outdated(owner, base_url.as_deref(), first, most, self.0.backend());
        let statement = sql.statement(self.0.backend());
        let rows = self.0.scanner.query_all_raw(statement).await.map_err(store_error)?;
        let requested_at = |row| if owner.is_live() { Ok(None) } else { get(row, "requested_at") };
        rows.iter().map(|row| catalogue_link(row, owner, requested_at(row)?)).collect()
    }

    async fn put(&self, links: &[CatalogueLink], now: DateTime<Utc>) -> Result<(), StoreError> {
        self.put_links(links, now, false).await
    }

    async fn remove_orphans(&self, owner: LinkOwner, most: u32) -> Result<u64, StoreError> {
        // Read first: usually there is none, and a write statement would lock out other writers
        // while scanning all links.
        let mut any = Sql::default();
        push_orphans(&mut any, owner, 1, self.0.backend());
        let any = any.statement(self.0.backend());
        if self.0.scanner.query_one_raw(any).await.map_err(store_error)?.is_none() {
            return Ok(0);
        }
        let mut sql = Sql::new("DELETE FROM links WHERE id IN (");
        push_orphans(&mut sql, owner, most, self.0.backend());
        sql.push(")");
        self.write(sql).await
    }

    async fn due_hosts(&self, at: ProbeTime, policy: &ProbePolicy) -> Result<Vec<String>, StoreError> {
        self.rows(claims::due_hosts(at, policy)).await?.iter().map(|row| get(row, "host")).collect()
    }

    async fn claim(
        &self,
        host: &str,
        at: ProbeTime,
        until: DateTime<Utc>,
        policy: &ProbePolicy,
    ) -> Result<Option<ClaimedLink>, StoreError> {
        let row = claims::claim(&self.0, host, at, until, policy).await.map_err(store_error)?;
        row.as_ref().map(|row| claims::claimed(row, at.now, until)).transpose()
    }

    async fn record(
        &self,
        claimed: &ClaimedLink,
        probe: &Probe,
        step: &Step,
        at: ProbeTime,
    ) -> Result<bool, StoreError> {
        self.try_record(claimed, probe, step, at).await.map_err(store_error)
    }

    async fn postpone(&self, host: &str, until: DateTime<Utc>) -> Result<(), StoreError> {
        // Also for links added meanwhile, and those with a requested probe.
        let update = link_hosts::Entity::update_many()
            .col_expr(link_hosts::Column::FreeAt, until.into())
            .filter(link_hosts::Column::Host.eq(host))
            .filter(link_hosts::Column::FreeAt.lt(until));
        update.exec(&self.0.writer).await.map_err(store_error)?;
        let update = Entity::update_many()
            .col_expr(Column::NextProbe, until.into())
            .filter(Expr::col(Column::Active))
            .filter(Column::Host.eq(host))
            .filter(Column::NextProbe.lt(until));
        update.exec(&self.0.writer).await.map(drop).map_err(store_error)
    }

    async fn host_counts(&self, since: DateTime<Utc>) -> Result<HostCounts, StoreError> {
        let fails = codes(|outcome: ProbeOutcome| outcome.verdict() == Verdict::Fails);
        // A link that is down, or has enough failures, does not count: it is probed more often than
        // playing ones.
        let counts = Condition::any()
            .add(of("l", Column::Turn).is_null())
            .add(of("l", Column::Turn).gt(since))
            .add(of("l", Column::Failures).lt(i32::try_from(FAILURES_OF_DOWN).unwrap_or(i32::MAX)));
        let hosts = Query::select()
            .expr_as(one_if(of("l", Column::Outcome).is_in(fails)).min(), "failing")
            .from_as(Entity, "l")
            .and_where(of("l", Column::ProbedAt).gt(since))
            .and_where(of("l", Column::State).ne(LinkState::Down.code()))
            .cond_where(counts)
            .group_by_col(("l", Column::Host))
            .take();
        let query = Query::select()
            .expr_as(Expr::cust("count(*)"), "probed")
            .expr_as(Func::coalesce([of("h", "failing").sum(), 0_i64.into()]), "failing")
            .from_subquery(hosts, "h")
            .take();
        let row = self.only_row(&query).await?;
        let count = |column: &str| get::<i64>(&row, column).map(i64::unsigned_abs);
        Ok(HostCounts { probed: count("probed")?, failing: count("failing")? })
    }

    async fn request(&self, id: Id, now: DateTime<Utc>) -> Result<Option<Link>, StoreError> {
        let row = ActiveModel { probe_requested: Set(true), next_probe: Set(now), ..ActiveModel::default() };
        let update =
            Entity::update_many().set(row).filter(Expr::col(Column::Active)).filter(Column::Id.eq(id));
        update.exec(&self.0.writer).await.map_err(store_error)?;
        let query = select_links().and_where(of("l", Column::Id).eq(id)).take();
        let row = self.0.writer.query_one(&query).await.map_err(store_error)?;
        row.as_ref().map(link).transpose()
    }

    async fn probes_of(&self, host: &str, day: NaiveDate) -> Result<u64, StoreError> {
        let row = link_hosts::Entity::find()
            .filter(link_hosts::Column::Host.eq(host))
            .filter(link_hosts::Column::Day.eq(day))
            .one(&self.0.reader)
            .await
            .map_err(store_error)?;
        Ok(row.map_or(0, |row| row.probes.unsigned_abs()))
    }

    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<Link>>, StoreError> {
        page(&self.0, &LinkList, query).await
    }

    async fn states(&self) -> Result<Vec<(LinkState, u64)>, StoreError> {
        let counts: Vec<(String, i64)> = Entity::find()
            .select_only()
            .column(Column::State)
            .column_as(Expr::cust("count(*)"), "total")
            .filter(Expr::col(Column::Active))
            .group_by(Column::State)
            .into_tuple()
            .all(&self.0.reader)
            .await
            .map_err(store_error)?;
        counts.into_iter().map(|(state, total)| Ok((member(&state)?, total.unsigned_abs()))).collect()
    }

    async fn redundancy(&self) -> Result<RedundancyCounts, StoreError> {
        let channels = Query::select()
            .expr_as(one_if(Expr::cust(MAY_PLAY)).sum(), "playing")
            .from_as(Entity, "o")
            .and_where(of("o", Column::Active))
            .and_where(of("o", Column::Owner).eq(LinkOwner::TvChannels.code()))
            .group_by_col(("o", Column::ItemId))
            .take();
        let with =
            |playing: i64| Func::coalesce([one_if(of("h", "playing").eq(playing)).sum(), 0_i64.into()]);
        let query = Query::select()
            .expr_as(with(0), "none")
            .expr_as(with(1), "single")
            .from_subquery(channels, "h")
            .take();
        let row = self.only_row(&query).await?;
        let count = |column: &str| get::<i64>(&row, column).map(i64::unsigned_abs);
        Ok(RedundancyCounts { none: count("none")?, single: count("single")? })
    }

    async fn failing_hosts(&self, most: u32, since: NaiveDate) -> Result<Vec<HostLinks>, StoreError> {
        let fails =
            of("l", Column::State).is_in([LinkState::Suspect, LinkState::Down].map(Enumeration::code));
        let counted = Query::select()
            .expr(of("l", Column::Host))
            .expr_as(Expr::cust("count(*)"), "links")
            .expr_as(one_if(fails).sum(), "failing")
            .from_as(Entity, "l")
            .and_where(of("l", Column::Active))
            .group_by_col(("l", Column::Host))
            .take();
        let query = Query::select()
            .exprs(["host", "links", "failing"].map(|column| of("h", column)))
            .from_subquery(counted, "h")
            .and_where(of("h", "failing").gt(0))
            .order_by(("h", "failing"), Order::Desc)
            .order_by(("h", "host"), Order::Asc)
            .limit(most.into())
            .take();
        let host = |row: &QueryResult| {
            let count = |column: &str| get::<i64>(row, column).map(i64::unsigned_abs);
            let (links, failing) = (count("links")?, count("failing")?);
            Ok(HostLinks { host: get(row, "host")?, links, failing, days: Vec::new() })
        };
        let rows = self.0.reader.query_all(&query).await.map_err(store_error)?;
        let mut hosts: Vec<HostLinks> = rows.iter().map(host).collect::<Result<_, StoreError>>()?;
        if !hosts.is_empty() {
            let names: Vec<String> = hosts.iter().map(|host| host.host.clone()).collect();
            for (name, day) in days::of_hosts(&self.0.reader, names, since).await.map_err(store_error)? {
                if let Some(host) = hosts.iter_mut().find(|host| host.host == name) {
                    host.days.push(day);
                }
            }
        }
        Ok(hosts)
    }

    async fn days(&self, id: Id, since: NaiveDate) -> Result<Option<Vec<ProbeDay>>, StoreError> {
        let rows = self.0.reader.query_all(&days::of_link(id, since)).await.map_err(store_error)?;
        if rows.is_empty() {
            return Ok(None);
        }
        let mut found = Vec::with_capacity(rows.len());
        for row in &rows {
            if get::<Option<NaiveDate>>(row, "day")?.is_some() {
                found.push(days::day(row)?);
            }
        }
        Ok(Some(found))
    }

    async fn changes(&self, id: Id, most: u32) -> Result<Option<Vec<LinkChange>>, StoreError> {
        let change = |column: link_changes::Column| (link_changes::Entity, column);
        let link_id = (Entity, Column::Id);
        let query = Query::select()
            .columns(
                [
                    link_changes::Column::OccurredAt,
                    link_changes::Column::FromState,
                    link_changes::Column::State,
                    link_changes::Column::Outcome,
                    link_changes::Column::HttpStatus,
                ]
                .map(change),
            )
            .from(Entity)
            .left_join(link_changes::Entity, Expr::col(change(link_changes::Column::LinkId)).equals(link_id))
            .and_where(Expr::col(link_id).eq(id))
            .order_by(change(link_changes::Column::OccurredAt), Order::Desc)
            .order_by(change(link_changes::Column::Id), Order::Desc)
            .limit(u64::from(most))
            .take();
        let rows = self.0.reader.query_all(&query).await.map_err(store_error)?;
        if rows.is_empty() {
            return Ok(None);
        }
        let mut changes = Vec::with_capacity(rows.len());
        for row in &rows {
            let Some(occurred_at) = get(row, "occurred_at")? else { continue };
            changes.push(LinkChange {
                occurred_at,
                from: member(&get::<String>(row, "from_state")?)?,
                to: member(&get::<String>(row, "state")?)?,
                outcome: member(&get::<String>(row, "outcome")?)?,
                http_status: status(row)?,
            });
        }
        Ok(Some(changes))
    }
}
