//! Reports and the links of their items. Raw SQL finds reports, by the index of waiting items.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_issues::{IssueContentType, ReportStatus, ReportType};
use domain_kernel::{Enumeration, Id};
use domain_live::link::{LinkOwner, LinkState};
use ports::{LinkReports, ReportedLink, ReportedSpan, StoreError};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, JoinType, QueryFilter, QueryResult,
    sea_query::{Expr, ExprTrait, Order, Query, UnionType},
};

use crate::{
    Database,
    db::{
        error::store_error,
        sql::{Sql, codes, of},
        values::{broken, get, member},
    },
    entities::{
        link_changes::{self, Column as Change},
        links::{ActiveModel, Column, Entity},
    },
    links::{MAY_PLAY, link, select_links},
};

/// Repository of reported links.
#[derive(Debug, Clone)]
pub struct SeaOrmLinkReports(pub Database);

/// Condition that players get the link `l`, which is up: for a channel the first one, or with AUTO
/// the first that is not down; for other items any. Raw, as [`MAY_PLAY`] is. The list is found by its
/// primary key.
fn is_played() -> String {
    format!(
        "(l.owner <> 'tv-channels' OR CASE WHEN EXISTS (SELECT 1 FROM channel_stream_lists f \
         WHERE f.channel_id = l.item_id AND f.failover = 'AUTO') THEN NOT EXISTS (SELECT 1 FROM links o WHERE o.owner = l.owner \
         AND o.item_id = l.item_id AND o.position < l.position AND {MAY_PLAY}) ELSE l.position = 0 END)"
    )
}

fn reported(row: &QueryResult) -> Result<ReportedLink, StoreError> {
    Ok(ReportedLink {
        link: link(row)?,
        address_since: get(row, "address_since")?,
        came_up: get(row, "came_up")?,
        is_played: get(row, "is_played")?,
    })
}

/// Content types of reports with links, and the owners of these.
fn linked() -> impl Iterator<Item = (IssueContentType, LinkOwner)> {
    IssueContentType::ALL.iter().filter_map(|of| Some((*of, LinkOwner::of(of.stream_of()?)?)))
}

/// The owner of the links of the items `i`, for these content types.
fn owner_of_item(wanted: impl Fn(LinkOwner) -> bool) -> String {
    let mut case = Sql::new("CASE i.content_type");
    for (of, owner) in linked().filter(|(_, owner)| wanted(*owner)) {
        case.push(&format!(" WHEN '{}' THEN '{}'", of.code(), owner.code()));
    }
    case.text + " END"
}

/// ` AND` the report `r` is open, and of a playback problem.
fn push_open(sql: &mut Sql) {
    sql.push(" AND r.status IN (").bind_all(codes(ReportStatus::is_open));
    sql.push(") AND r.report_type IN (").bind_all(codes(ReportType::is_of_playback)).push(")");
}

/// Waiting items `i` of these content types, and their open reports `r` of a playback problem.
fn push_reported(sql: &mut Sql, wanted: impl Fn(LinkOwner) -> bool, span: ReportedSpan) {
    let types = linked().filter(|(_, owner)| wanted(*owner)).map(|(of, _)| of.code());
    sql.push(" WHERE i.waiting AND i.content_type IN (").bind_all(types);
    sql.push(") AND i.last_date > ").bind(span.since);
    push_open(sql);
    sql.push(" AND r.created_date > ").bind(span.since);
}

impl SeaOrmLinkReports {
    async fn rows(&self, sql: Sql) -> Result<Vec<QueryResult>, StoreError> {
        self.0.reader.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)
    }
}

#[async_trait]
impl LinkReports for SeaOrmLinkReports {
    async fn request_reported(&self, span: ReportedSpan) -> Result<u64, StoreError> {
        let owner = owner_of_item(LinkOwner::is_live);
        let mut sql = Sql::new(format!(
            "SELECT DISTINCT l.id FROM issue_items i JOIN issue_reports r ON r.item_id = i.id \
             JOIN links l ON l.item_id = i.content_id AND l.owner = {owner}"
        ));
        push_reported(&mut sql, LinkOwner::is_live, span);
        sql.push(" AND l.active AND NOT l.probe_requested AND (l.probed_at IS NULL OR (l.probed_at < r.created_date AND l.probed_at <= ");
        sql.bind(span.probed_before).push("))");
        let rows = self.rows(sql).await?;
        let ids = rows.iter().map(|row| get(row, "id")).collect::<Result<Vec<Id>, StoreError>>()?;
        // Usually there is none, and no lock of the writer is needed.
        if ids.is_empty() {
            return Ok(0);
        }
        let row =
            ActiveModel { probe_requested: Set(true), next_probe: Set(span.now), ..ActiveModel::default() };
        let update = Entity::update_many()
            .set(row)
            .filter(Expr::col(Column::ProbeRequested).not())
            .filter(Column::Id.is_in(ids));
        Ok(update.exec(&self.0.writer).await.map_err(store_error)?.rows_affected)
    }

    async fn reported_items(
        &self,
        span: ReportedSpan,
        most: u32,
    ) -> Result<Vec<(LinkOwner, Id)>, StoreError> {
        let on_demand = |owner: LinkOwner| !owner.is_live();
        let owner = owner_of_item(on_demand);
        let mut sql = Sql::new(format!(
            "SELECT DISTINCT {owner} AS owner, i.content_id FROM issue_items i JOIN issue_reports r ON r.item_id = i.id"
        ));
        push_reported(&mut sql, on_demand, span);
        sql.push(&format!(
            " AND i.content_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM links l WHERE l.owner = {owner} \
             AND l.item_id = i.content_id AND (l.requested_at >= r.created_date OR l.requested_at > "
        ));
        sql.bind(span.probed_before).push(")) LIMIT ").bind(i64::from(most));
        let item = |row: &QueryResult| Ok((member(&get::<String>(row, "owner")?)?, get(row, "content_id")?));
        self.rows(sql).await?.iter().map(item).collect()
    }

    async fn of_item(&self, owner: LinkOwner, item: Id) -> Result<Vec<ReportedLink>, StoreError> {
        let came_up = Query::select()
            .expr(of("h", Change::OccurredAt).max())
            .from_as(link_changes::Entity, "h")
            .and_where(of("h", Change::LinkId).eq(of("l", Column::Id)))
            .and_where(of("h", Change::State).eq(LinkState::Up.code()))
            .take();
        let query = select_links()
            .expr(of("l", Column::AddressSince))
            .expr_as(came_up, "came_up")
            .expr_as(Expr::cust(is_played()), "is_played")
            .and_where(of("l", Column::Owner).eq(owner.code()))
            .and_where(of("l", Column::ItemId).eq(item))
            .order_by(("l", Column::Position), Order::Asc)
            .order_by(("l", Column::Id), Order::Asc)
            .take();
        let rows = self.0.reader.query_all(&query).await.map_err(store_error)?;
        rows.iter().map(reported).collect()
    }

    async fn came_up(
        &self,
        items: &[(LinkOwner, Id)],
    ) -> Result<Vec<(LinkOwner, Id, DateTime<Utc>)>, StoreError> {
        let came_up = |owner: &LinkOwner| {
            let ids: Vec<Id> = items.iter().filter(|(of, _)| of == owner).map(|(_, id)| *id).collect();
            let select = || {
                Query::select()
                    .exprs([Column::Owner, Column::ItemId].map(|column| of("l", column)))
                    .expr_as(of("h", Change::OccurredAt).max(), "came_up")
                    .from_as(Entity, "l")
                    .join_as(
                        JoinType::Join,
                        link_changes::Entity,
                        "h",
                        of("h", Change::LinkId).eq(of("l", Column::Id)),
                    )
                    .and_where(of("l", Column::Owner).eq(owner.code()))
                    .and_where(of("l", Column::ItemId).is_in(ids.iter().copied()))
                    .and_where(of("l", Column::State).eq(LinkState::Up.code()))
                    .and_where(of("h", Change::State).eq(LinkState::Up.code()))
                    .and_where(Expr::cust(is_played()))
                    .add_group_by([Column::Owner, Column::ItemId].map(|column| of("l", column)))
                    .take()
            };
            (!ids.is_empty()).then(select)
        };
        let mut of_owners = LinkOwner::ALL.iter().filter_map(came_up);
        let Some(mut query) = of_owners.next() else { return Ok(Vec::new()) };
        query.unions(of_owners.map(|other| (UnionType::All, other)));
        let mut found = Vec::new();
        for row in &self.0.reader.query_all(&query).await.map_err(store_error)? {
            found.push((
                member(&get::<String>(row, "owner")?)?,
                get(row, "item_id")?,
                get::<Option<DateTime<Utc>>>(row, "came_up")?
                    .ok_or_else(|| broken("a group without a row"))?,
            ));
        }
        Ok(found)
    }

    async fn recovered(&self, since: DateTime<Utc>, most: u32) -> Result<Vec<Id>, StoreError> {
        let mut key = Sql::new("CASE l.owner");
        for (of, owner) in linked() {
            key.push(&format!(" WHEN '{}' THEN '{}/'", owner.code(), of.code()));
        }
        let mut sql = Sql::new(format!(
            "SELECT DISTINCT r.id FROM link_changes h JOIN links l ON l.id = h.link_id \
             JOIN issue_items i ON i.item_key = {} END || l.item_id JOIN issue_reports r ON r.item_id = i.id \
             WHERE h.occurred_at > ",
            key.text
        ));
        sql.bind(since).push(" AND h.state = ").bind(LinkState::Up.code());
        sql.push(" AND l.state = ").bind(LinkState::Up.code()).push(" AND ").push(&is_played());
        push_open(&mut sql);
        sql.push(" AND r.updated_date < h.occurred_at ORDER BY r.id LIMIT ").bind(i64::from(most));
        self.rows(sql).await?.iter().map(|row| get(row, "id")).collect()
    }
}
