//! Reports and the links of their items. Raw SQL: reports are found by the index of waiting items.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_issues::{IssueContentType, ReportStatus, ReportType};
use domain_kernel::{Enumeration, Id};
use domain_live::link::{LinkOwner, LinkState};
use ports::{LinkReports, ReportedLink, ReportedSpan, StoreError};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryResult,
    sea_query::{Expr, ExprTrait},
};

use crate::{
    Database,
    db::{
        error::store_error,
        sql::{Sql, codes},
        values::{broken, get, member},
    },
    entities::links::{ActiveModel, Column, Entity},
    links::{LINK, MAY_PLAY, link},
};

/// Repository of reported links.
#[derive(Debug, Clone)]
pub struct SeaOrmLinkReports(pub Database);

/// Condition that players get the link `l`, which is up: for a channel the first one, or with AUTO
/// the first that is not down; for other items any. Raw, as the statements it is part of. The list is
/// found by its primary key.
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
        let mut sql = Sql::new("SELECT ");
        sql.push(LINK).push(&format!(
            ", l.address_since, (SELECT max(h.occurred_at) FROM link_changes h WHERE h.link_id = l.id \
             AND h.state = 'UP') AS came_up, {} AS is_played FROM links l WHERE l.owner = ",
            is_played()
        ));
        sql.bind(owner.code()).push(" AND l.item_id = ").bind(item).push(" ORDER BY l.position, l.id");
        self.rows(sql).await?.iter().map(reported).collect()
    }

    async fn came_up(
        &self,
        items: &[(LinkOwner, Id)],
    ) -> Result<Vec<(LinkOwner, Id, DateTime<Utc>)>, StoreError> {
        let mut found = Vec::new();
        let mut sql = Sql::default();
        for owner in LinkOwner::ALL {
            let ids: Vec<Id> = items.iter().filter(|(of, _)| of == owner).map(|(_, id)| *id).collect();
            if ids.is_empty() {
                continue;
            }
            sql.push(if sql.text.is_empty() { "" } else { " UNION ALL " });
            sql.push(
                "SELECT l.owner, l.item_id, max(h.occurred_at) AS came_up FROM links l JOIN link_changes h ON h.link_id = l.id \
                 WHERE l.owner = ",
            );
            sql.bind(owner.code()).push(" AND l.item_id IN (").bind_all(ids).push(") AND l.state = ");
            sql.bind(LinkState::Up.code()).push(" AND h.state = ").bind(LinkState::Up.code());
            sql.push(" AND ").push(&is_played()).push(" GROUP BY l.owner, l.item_id");
        }
        if sql.text.is_empty() {
            return Ok(found);
        }
        for row in &self.rows(sql).await? {
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
