//! What is on: active channels with the programmes of the channels of guides that they are linked with.

use async_trait::async_trait;
use domain_kernel::{FilterValue, Id, ListQuery, Page};
use domain_live::{
    programme::{KeptProgramme, LONGEST},
    schedule::{ChannelLink, GAP, ScheduleChannel, ScheduleSpan},
};
use ports::{ScheduleRepository, StoreError};
use sea_orm::{ConnectionTrait, DbErr, QueryResult};

use super::{SeaOrmGuides, links::linked, programmes::programme_of};
use crate::{
    db::{
        error::store_error,
        sql::{Sql, like_pattern},
    },
    list::{AccessPath, ListRequest, ListTable, page},
};

/// Its guide, the channel that it is linked with, and whether the guide was ever read.
const JOINS: &str = concat!(linked!("m"), " LEFT JOIN guide_fetches f ON f.guide_id = t.id");

const COLUMNS: &str = "m.id, m.channel_number, m.title, m.image_url, m.epg_id, m.tv_guide_id, t.title AS guide_title, \
     t.active AS guide_active, f.last_good_date IS NOT NULL AS guide_read, g.id AS guide_channel_id, \
     g.title AS guide_channel_title";

fn channel_of(row: &QueryResult) -> Result<ScheduleChannel, StoreError> {
    let read = || -> Result<ScheduleChannel, DbErr> {
        let guide: Option<Id> = row.try_get("", "tv_guide_id")?;
        let active: Option<bool> = row.try_get("", "guide_active")?;
        let was_read: bool = row.try_get("", "guide_read")?;
        Ok(ScheduleChannel {
            id: row.try_get("", "id")?,
            number: row.try_get("", "channel_number")?,
            title: row.try_get("", "title")?,
            image_url: row.try_get("", "image_url")?,
            guide_title: row.try_get("", "guide_title")?,
            guide_channel_title: row.try_get("", "guide_channel_title")?,
            link: ChannelLink {
                guide: guide.map(|id| (id, active.unwrap_or_default(), was_read)),
                epg_id: row.try_get("", "epg_id")?,
                guide_channel: row.try_get("", "guide_channel_id")?,
            },
        })
    };
    read().map_err(store_error)
}

/// The channels of a schedule.
struct ScheduleList {
    span: ScheduleSpan,
    /// Something is required of their programmes.
    looks_in_guides: bool,
}

/// Programmes `p` of the channel `g` that are on in a span.
fn push_on(sql: &mut Sql, from: i64, to: i64) {
    sql.push("p.channel_id = g.id AND p.start_at > ").bind(from - LONGEST);
    sql.push(" AND p.start_at < ").bind(to).push(" AND p.stop_at > ").bind(from);
}

/// A time without a programme: at the beginning of the span, or behind a programme of it.
fn push_gaps(sql: &mut Sql, from: i64, to: i64) {
    let gap = GAP.num_seconds();
    sql.push(" AND g.id IS NOT NULL AND (NOT EXISTS (SELECT 1 FROM programmes p WHERE ");
    push_on(sql, from, (from + gap + 1).min(to));
    sql.push(") OR EXISTS (SELECT 1 FROM programmes p WHERE ");
    push_on(sql, from, to);
    sql.push(" AND p.stop_at < ").bind(to - gap);
    sql.push(
        " AND NOT EXISTS (SELECT 1 FROM programmes n WHERE n.channel_id = p.channel_id AND n.start_at > p.start_at \
         AND n.start_at <= p.stop_at + ",
    );
    sql.bind(gap).push(")))");
}

impl ListTable for ScheduleList {
    type Row = ScheduleChannel;

    const TABLE: &'static str = "tv_channels";
    const ALIAS: &'static str = "m";
    const COLUMNS: &'static str = COLUMNS;
    const JOINS: &'static str = JOINS;
    const DEFAULT_ORDER: (&'static str, bool) = ("m.channel_number", false);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = channel_of;

    fn condition_joins(&self) -> &'static str {
        if self.looks_in_guides { linked!("m") } else { "" }
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        let (from, to) = (self.span.from.timestamp(), self.span.to.timestamp());
        sql.push(" WHERE m.active");
        for filter in &request.query.filters {
            match (filter.field.as_str(), &filter.value) {
                ("category", FilterValue::Reference(id)) => {
                    sql.push(" AND m.id IN (SELECT c.channel_id FROM tv_channel_categories c WHERE c.category_id = ");
                    sql.bind(*id).push(")");
                }
                ("without", FilterValue::Flag(without)) => {
                    sql.push(if *without { " AND g.id IS NULL" } else { " AND g.id IS NOT NULL" });
                }
                ("gaps", FilterValue::Flag(true)) => push_gaps(sql, from, to),
                _ => {}
            }
        }
        if let Some(text) = request.search.text() {
            let pattern = like_pattern(text);
            sql.push(" AND (m.search_text LIKE ").bind(pattern.clone()).push(r" ESCAPE '\'");
            sql.push(" OR EXISTS (SELECT 1 FROM programmes p WHERE ");
            push_on(sql, from, to);
            sql.push(" AND p.search_text LIKE ").bind(pattern).push(r" ESCAPE '\'))");
        }
    }
}

#[async_trait]
impl ScheduleRepository for SeaOrmGuides {
    async fn channels(
        &self,
        span: ScheduleSpan,
        query: &ListQuery,
    ) -> Result<Page<Vec<ScheduleChannel>>, StoreError> {
        let looks_in_guides =
            query.search.is_some() || query.filters.iter().any(|filter| filter.field != "category");
        page(&self.0, &ScheduleList { span, looks_in_guides }, query).await
    }

    async fn channel(&self, id: Id) -> Result<Option<ScheduleChannel>, StoreError> {
        let mut sql =
            Sql::new(format!("SELECT {COLUMNS} FROM tv_channels m{JOINS} WHERE m.active AND m.id = "));
        sql.bind(id);
        let row = self.0.reader.query_one_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        row.as_ref().map(channel_of).transpose()
    }

    async fn programmes(
        &self,
        guide_channels: &[Id],
        span: ScheduleSpan,
    ) -> Result<Vec<(Id, KeptProgramme)>, StoreError> {
        if guide_channels.is_empty() {
            return Ok(Vec::new());
        }
        let from = span.from.timestamp();
        let mut sql = Sql::new(
            "SELECT p.channel_id, p.start_at, p.stop_at, p.title, p.details FROM programmes p WHERE p.channel_id IN (",
        );
        sql.bind_all(guide_channels.iter().copied());
        sql.push(") AND p.start_at > ").bind(from - LONGEST).push(" AND p.start_at < ");
        sql.bind(span.to.timestamp()).push(" AND p.stop_at > ").bind(from);
        sql.push(" ORDER BY p.channel_id, p.start_at");
        let rows = self.0.reader.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        let read = |row: &QueryResult| Ok((row.try_get("", "channel_id")?, programme_of(row)?));
        rows.iter().map(|row| read(row).map_err(store_error)).collect()
    }

    async fn on_from(
        &self,
        guide_channel: Id,
        now: i64,
        most: u64,
    ) -> Result<Vec<KeptProgramme>, StoreError> {
        let mut sql = Sql::new(
            "SELECT p.start_at, p.stop_at, p.title, p.details FROM programmes p WHERE p.channel_id = ",
        );
        sql.bind(guide_channel).push(" AND p.start_at > ").bind(now - LONGEST);
        sql.push(" AND p.stop_at > ").bind(now).push(" ORDER BY p.start_at LIMIT ");
        sql.bind(i64::try_from(most).unwrap_or(i64::MAX));
        let rows = self.0.reader.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        rows.iter().map(|row| programme_of(row).map_err(store_error)).collect()
    }
}
