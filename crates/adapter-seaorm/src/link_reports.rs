//! Reports and the links of their channels. Raw SQL: reports are found through the index of items that wait.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_issues::{IssueContentType, ReportStatus, ReportType};
use domain_kernel::{Enumeration, Id};
use domain_live::link::LinkOwner;
use ports::{LinkReports, ReportedLink, ReportedSpan, StoreError};
use sea_orm::{ConnectionTrait, QueryResult};

use crate::{
    Database,
    db::{
        error::store_error,
        sql::{Sql, codes},
    },
    links::{LINK, link},
};

/// Brings reports and links together.
#[derive(Debug, Clone)]
pub struct SeaOrmLinkReports(pub Database);

fn reported(row: &QueryResult) -> Result<ReportedLink, StoreError> {
    let date = |column: &str| row.try_get::<Option<DateTime<Utc>>>("", column).map_err(store_error);
    Ok(ReportedLink { link: link(row)?, address_since: date("address_since")?, came_up: date("came_up")? })
}

#[async_trait]
impl LinkReports for SeaOrmLinkReports {
    async fn request_reported(&self, span: ReportedSpan) -> Result<u64, StoreError> {
        let mut sql = Sql::new(
            "SELECT DISTINCT l.id FROM issue_items i JOIN issue_reports r ON r.item_id = i.id \
             JOIN links l ON l.item_id = i.content_id AND l.owner = ",
        );
        sql.bind(LinkOwner::TvChannels.code()).push(" WHERE i.waiting AND i.content_type = ");
        sql.bind(IssueContentType::Tv.code()).push(" AND i.last_date > ").bind(span.since);
        sql.push(" AND r.status IN (").bind_all(codes(ReportStatus::is_open));
        sql.push(") AND r.report_type IN (").bind_all(codes(ReportType::is_of_playback));
        sql.push(") AND r.created_date > ").bind(span.since);
        sql.push(" AND l.active AND l.next_probe > ").bind(span.now);
        sql.push(" AND (l.probed_at IS NULL OR (l.probed_at < r.created_date AND l.probed_at <= ");
        sql.bind(span.probed_before).push("))");
        let rows = self.0.reader.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        let ids = rows.iter().map(|row| row.try_get::<Id>("", "id").map_err(store_error));
        let ids = ids.collect::<Result<Vec<Id>, StoreError>>()?;
        // Mostly there is none: then nothing waits for whoever writes.
        if ids.is_empty() {
            return Ok(0);
        }
        let mut sql = Sql::new("UPDATE links SET next_probe = ");
        sql.bind(span.now).push(" WHERE next_probe > ").bind(span.now);
        sql.push(" AND id IN (").bind_all(ids).push(")");
        let statement = sql.statement(self.0.backend());
        Ok(self.0.writer.execute_raw(statement).await.map_err(store_error)?.rows_affected())
    }

    async fn of_channel(&self, channel: Id) -> Result<Vec<ReportedLink>, StoreError> {
        let mut sql = Sql::new("SELECT ");
        sql.push(LINK).push(
            ", l.address_since, (SELECT max(h.occurred_at) FROM link_changes h WHERE h.link_id = l.id \
             AND h.state = 'UP') AS came_up FROM links l WHERE l.owner = ",
        );
        sql.bind(LinkOwner::TvChannels.code())
            .push(" AND l.item_id = ")
            .bind(channel)
            .push(" ORDER BY l.position, l.id");
        let statement = sql.statement(self.0.backend());
        let rows = self.0.reader.query_all_raw(statement).await.map_err(store_error)?;
        rows.iter().map(reported).collect()
    }
}
