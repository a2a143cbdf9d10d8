//! Schedule: active channels with the programmes of their linked channels of guides.

mod conditions;

use std::collections::HashMap;

use async_trait::async_trait;
use domain_kernel::{FilterValue, Id, ListQuery, Page};
use domain_live::{
    health::Slot,
    programme::{KeptProgramme, LONGEST, TITLE_KEY, title_key},
    schedule::{ChannelLink, PendingMatch, ScheduleChannel, ScheduleSpan, Showing},
};
use ports::{ScheduleFilter, ScheduleRepository, StoreError};
use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, QueryResult, Value,
    sea_query::{Expr, ExprTrait, Func, Order, Query},
};
use serde::{Deserialize, de::DeserializeOwned};

use self::conditions::{pending, push_finding, push_on, push_reason, shift, too_near};
use super::{
    SeaOrmGuides,
    links::{decision_of_link, linked},
    programmes::programme_of,
};
use crate::{
    db::{
        error::store_error,
        sql::{Sql, json_item, of, read_item, values_as_v},
    },
    entities::programmes::{Column as Programme, Entity as Programmes},
    list::{AccessPath, ListRequest, ListTable, page_of_items, rows_of_list},
};

/// Maximum offset of a channel's programmes, in seconds: limits the index range of their times in
/// the guide.
const LONGEST_SHIFT: i64 = 24 * 60 * 60;

/// Joins of the linked channel, of whether the guide was ever read, of the entry `e` of a playlist
/// that was applied first and of the decision `s` about the link (the offset of the channel), and of
/// the match (`r`) of a channel without a link.
const JOINS: &str = concat!(
    linked!("m"),
    " LEFT JOIN guide_fetches f ON f.guide_id = t.id LEFT JOIN playlist_entries e ON e.id = \
     (SELECT min(x.id) FROM playlist_entries x WHERE x.item_id = m.id AND x.item_kind = 'tv-channels' AND x.in_use \
     AND x.applied IS NOT NULL) LEFT JOIN epg_decisions s ON s.id = ",
    decision_of_link!("m"),
    " LEFT JOIN epg_matches r ON r.id = m.id AND g.id IS NULL"
);

/// SQLite has no booleans: 0 or 1 on both databases.
const COLUMNS: &str = concat!(
    "m.id, m.channel_number, m.title, m.image_url, m.epg_id, m.tv_guide_id, t.title, \
     CASE WHEN t.active THEN 1 ELSE 0 END, CASE WHEN f.last_good_date IS NOT NULL THEN 1 ELSE 0 END, g.id, g.title, ",
    shift!(),
    ", CASE WHEN NOT coalesce(",
    pending!(),
    ", FALSE) THEN 0 WHEN ",
    too_near!(),
    " THEN 2 ELSE 1 END"
);

/// Row of a channel: [`COLUMNS`], in their order.
#[derive(Deserialize)]
struct Columns {
    id: Id,
    number: i32,
    title: String,
    image_url: Option<String>,
    epg_id: Option<String>,
    guide: Option<Id>,
    guide_title: Option<String>,
    guide_is_active: u8,
    guide_was_read: u8,
    guide_channel: Option<Id>,
    guide_channel_title: Option<String>,
    shift: i64,
    /// 1 for a match that waits for a decision, 2 for one with a second candidate too close.
    pending: u8,
}

fn channel_of(columns: Columns) -> ScheduleChannel {
    ScheduleChannel {
        id: columns.id,
        number: columns.number,
        title: columns.title,
        image_url: columns.image_url,
        guide_title: columns.guide_title,
        guide_channel_title: columns.guide_channel_title,
        link: ChannelLink {
            guide: columns.guide.map(|id| (id, columns.guide_is_active == 1, columns.guide_was_read == 1)),
            epg_id: columns.epg_id,
            guide_channel: columns.guide_channel,
            shift: columns.shift,
            pending: match columns.pending {
                0 => None,
                2 => Some(PendingMatch::TwoFit),
                _ => Some(PendingMatch::Undecided),
            },
        },
    }
}

fn read_channel(row: &QueryResult) -> Result<ScheduleChannel, StoreError> {
    read_item(row).map(channel_of)
}

/// The channels of a schedule.
struct ScheduleList {
    backend: DbBackend,
    span: ScheduleSpan,
    /// Span of the conditions on programmes.
    examined: ScheduleSpan,
    /// Whether there are conditions on guides or programmes.
    looks_in_guides: bool,
}

// The query of a file is not known here: its conditions may need the joins.
rows_of_list!(
    SeaOrmGuides,
    0,
    ScheduleFilter,
    ScheduleChannel,
    |store, filter| ScheduleList {
        backend: store.0.backend(),
        span: filter.span,
        examined: filter.examined,
        looks_in_guides: true,
    },
    |rows| Ok(rows.into_iter().map(channel_of).collect())
);

impl ListTable for ScheduleList {
    type Row = Columns;

    const TABLE: &'static str = "tv_channels";
    const ALIAS: &'static str = "m";
    const JOINS: &'static str = JOINS;
    const DEFAULT_ORDER: (&'static str, bool) = ("m.channel_number", false);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = read_item;

    fn columns(&self) -> String {
        json_item(self.backend, COLUMNS)
    }

    fn condition_joins(&self) -> &'static str {
        if self.looks_in_guides { JOINS } else { "" }
    }

    fn only_path(&self, _request: &ListRequest<'_>) -> Option<AccessPath> {
        Some(AccessPath::IndexScan)
    }

    fn push_total(&self, sql: &mut Sql, request: &ListRequest<'_>) {
        if request.query.filters.is_empty() && request.query.search.is_none() {
            // The counter table of channels has the total.
            sql.push("SELECT CAST(coalesce(sum(m.total), 0) AS bigint) AS total FROM tv_channels_counts m WHERE m.active");
            return;
        }
        sql.push("SELECT count(*) AS total FROM tv_channels m").push(self.condition_joins());
        self.push_conditions(sql, request, AccessPath::FilterThenSort);
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE m.active");
        for filter in &request.query.filters {
            match (filter.field.as_str(), &filter.value) {
                ("ids", FilterValue::Reference(id)) => {
                    sql.push(" AND m.id = ").bind(*id);
                }
                ("ids", FilterValue::References(ids)) => {
                    sql.push(" AND m.id IN (").bind_all(ids.iter().copied()).push(")");
                }
                ("category", FilterValue::Reference(id)) => {
                    sql.push(" AND m.id IN (SELECT c.channel_id FROM tv_channel_categories c WHERE c.category_id = ");
                    sql.bind(*id).push(")");
                }
                ("guide", FilterValue::Reference(id)) => {
                    sql.push(" AND m.tv_guide_id = ").bind(*id);
                }
                ("without", FilterValue::Flag(without)) => {
                    sql.push(if *without { " AND g.id IS NULL" } else { " AND g.id IS NOT NULL" });
                }
                ("reason", FilterValue::Code(code)) => push_reason(sql, code),
                (finding, FilterValue::Flag(true)) => push_finding(sql, finding, self.examined),
                _ => {}
            }
        }
        if let Some(text) = request.search.text() {
            let (from, to) = (self.span.from.timestamp(), self.span.to.timestamp());
            sql.push(" AND (").push_like("m.search_text", text);
            sql.push(" OR EXISTS (SELECT 1 FROM programmes p WHERE ");
            push_on(sql, from, to);
            sql.push(" AND (").push_like("p.search_text", text);
            sql.push(" OR ").push_like("p.other_titles", text).push(")))");
        }
    }
}

/// Programmes of these channels of guides in a span.
fn push_on_in(sql: &mut Sql, guide_channels: &[Id], span: ScheduleSpan) {
    let from = span.from.timestamp();
    sql.push(" FROM programmes p WHERE p.channel_id IN (").bind_all(guide_channels.iter().copied());
    sql.push(") AND p.start_at > ").bind(from - LONGEST).push(" AND p.start_at < ");
    sql.bind(span.to.timestamp()).push(" AND p.stop_at > ").bind(from);
}

impl SeaOrmGuides {
    /// Beginning of a query of active channels, whose rows [`read_channel`] reads.
    fn active_channels(&self) -> Sql {
        let item = json_item(self.0.backend(), COLUMNS);
        Sql::new(format!("SELECT {item} FROM tv_channels m{JOINS} WHERE m.active"))
    }

    async fn rows(&self, sql: Sql) -> Result<Vec<QueryResult>, StoreError> {
        self.0.reader.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)
    }

    /// The channel and these columns of the programmes in a span, by channel and start.
    async fn on_in<T: DeserializeOwned>(
        &self,
        columns: &str,
        guide_channels: &[Id],
        span: ScheduleSpan,
    ) -> Result<Vec<T>, StoreError> {
        if guide_channels.is_empty() {
            return Ok(Vec::new());
        }
        let columns = format!("p.channel_id, {columns}");
        let mut sql = Sql::as_json(self.0.backend(), &columns, "p.channel_id, p.start_at");
        push_on_in(&mut sql, guide_channels, span);
        sql.json_rows(&self.0.reader).await
    }
}

#[async_trait]
impl ScheduleRepository for SeaOrmGuides {
    async fn channels(
        &self,
        span: ScheduleSpan,
        examined: ScheduleSpan,
        query: &ListQuery,
    ) -> Result<Page<Vec<ScheduleChannel>>, StoreError> {
        let of_channels = |field: &str| ["category", "guide", "ids"].contains(&field);
        let looks_in_guides =
            query.search.is_some() || query.filters.iter().any(|filter| !of_channels(&filter.field));
        let list = ScheduleList { backend: self.0.backend(), span, examined, looks_in_guides };
        let page = page_of_items(&self.0, &list, query).await?;
        Ok(page.map(|rows| rows.into_iter().map(channel_of).collect()))
    }

    async fn channels_after(&self, after: Id, count: u32) -> Result<Vec<ScheduleChannel>, StoreError> {
        let mut sql = self.active_channels();
        sql.push(" AND m.id > ").bind(after).push(" ORDER BY m.id LIMIT ").bind(i64::from(count));
        self.rows(sql).await?.iter().map(read_channel).collect()
    }

    async fn channel(&self, id: Id) -> Result<Option<ScheduleChannel>, StoreError> {
        let mut sql = self.active_channels();
        sql.push(" AND m.id = ").bind(id);
        self.rows(sql).await?.first().map(read_channel).transpose()
    }

    async fn programmes(
        &self,
        guide_channels: &[Id],
        span: ScheduleSpan,
    ) -> Result<Vec<(Id, KeptProgramme)>, StoreError> {
        let found = self.on_in("p.start_at, p.stop_at, p.title, p.details", guide_channels, span).await?;
        let programme = |(channel, start, stop, title, details)| {
            (channel, KeptProgramme { start, stop, title, details, further_details: None })
        };
        Ok(found.into_iter().map(programme).collect())
    }

    async fn programme_counts(
        &self,
        guide_channels: &[(Id, i64)],
        span: ScheduleSpan,
    ) -> Result<HashMap<(Id, i64), u64>, StoreError> {
        if guide_channels.is_empty() {
            return Ok(HashMap::new());
        }
        // A subquery for each channel: its range of the primary key. PostgreSQL joins several hundred channels by
        // reading all programmes.
        let shifted = |time: i64| Expr::val(time).sub(of("v", "column2"));
        let (from, to) = (span.from.timestamp(), span.to.timestamp());
        let total = Query::select()
            .expr(Expr::cust("count(*)"))
            .from_as(Programmes, "p")
            .and_where(of("p", Programme::ChannelId).eq(of("v", "column1")))
            .and_where(of("p", Programme::StartAt).gt(shifted(from - LONGEST)))
            .and_where(of("p", Programme::StartAt).lt(shifted(to)))
            .and_where(of("p", Programme::StopAt).gt(shifted(from)))
            .take();
        let channels =
            guide_channels.iter().map(|(channel, shift)| [Value::from(*channel), Value::from(*shift)]);
        let select = Query::select()
            .expr_as(of("v", "column1"), "id")
            .expr_as(of("v", "column2"), "shift")
            .expr_as(Expr::from(total), "total")
            .from(values_as_v(channels))
            .take();
        let read = |row: &QueryResult| -> Result<((Id, i64), u64), DbErr> {
            let total: i64 = row.try_get("", "total")?;
            Ok(((row.try_get("", "id")?, row.try_get("", "shift")?), total.unsigned_abs()))
        };
        let rows = self.0.reader.query_all(&select).await.map_err(store_error)?;
        let counts = rows.iter().map(|row| read(row).map_err(store_error));
        counts.filter(|count| !matches!(count, Ok((_, 0)))).collect()
    }

    async fn slots(&self, guide_channels: &[Id], span: ScheduleSpan) -> Result<Vec<(Id, Slot)>, StoreError> {
        let found = self.on_in("p.start_at, p.stop_at, p.search_text", guide_channels, span).await?;
        Ok(found
            .into_iter()
            .map(|(channel, start, stop, title)| (channel, Slot { start, stop, title }))
            .collect())
    }

    async fn showings(
        &self,
        folded: &str,
        span: ScheduleSpan,
        most: u64,
    ) -> Result<Vec<Showing>, StoreError> {
        let mut sql = Sql::new(format!(
            "SELECT m.id, m.channel_number, m.title, p.start_at + {shift} AS start_at, p.stop_at + {shift} AS stop_at \
             FROM programmes p JOIN guide_channels l ON l.id = p.channel_id JOIN tv_channels m \
             ON m.tv_guide_id = l.guide_id AND m.epg_id = l.xml_id AND m.active{JOINS} WHERE g.id = p.channel_id \
             AND substr(p.search_text, 1, {TITLE_KEY}) = ",
            shift = shift!()
        ));
        sql.bind(title_key(folded)).push(" AND p.search_text = ").bind(folded);
        let (from, to) = (span.from.timestamp(), span.to.timestamp());
        sql.push(" AND p.start_at >= ").bind(from - LONGEST_SHIFT);
        sql.push(" AND p.start_at < ").bind(to + LONGEST_SHIFT);
        sql.push(concat!(" AND p.start_at + ", shift!(), " >= ")).bind(from);
        sql.push(concat!(" AND p.start_at + ", shift!(), " < ")).bind(to);
        sql.push(" ORDER BY p.start_at, m.channel_number, m.id LIMIT ");
        sql.bind(i64::try_from(most).unwrap_or(i64::MAX));
        let read = |row: &QueryResult| -> Result<Showing, DbErr> {
            Ok(Showing {
                channel: row.try_get("", "id")?,
                number: row.try_get("", "channel_number")?,
                channel_title: row.try_get("", "title")?,
                start: row.try_get("", "start_at")?,
                stop: row.try_get("", "stop_at")?,
            })
        };
        let rows = self.rows(sql).await?;
        let read = rows.iter().map(|row| read(row).map_err(store_error));
        let mut showings = read.collect::<Result<Vec<Showing>, StoreError>>()?;
        // Ordered by the index, with the times of the guide: over the limit, the last ones by these
        // times are missing.
        showings.sort_by_key(|showing| (showing.start, showing.number, showing.channel));
        Ok(showings)
    }

    async fn on_from(
        &self,
        guide_channel: Id,
        now: i64,
        most: u64,
    ) -> Result<Vec<KeptProgramme>, StoreError> {
        // Of overlapping programmes, the last one to begin is current.
        let current = Query::select()
            .expr(of("q", Programme::StartAt).max())
            .from_as(Programmes, "q")
            .and_where(of("q", Programme::ChannelId).eq(guide_channel))
            .and_where(of("q", Programme::StartAt).gt(now - LONGEST))
            .and_where(of("q", Programme::StartAt).lte(now))
            .and_where(of("q", Programme::StopAt).gt(now))
            .take();
        let columns = [
            Programme::StartAt,
            Programme::StopAt,
            Programme::Title,
            Programme::Details,
            Programme::FurtherDetails,
        ];
        let query = Query::select()
            .exprs(columns.map(|column| of("p", column)))
            .from_as(Programmes, "p")
            .and_where(of("p", Programme::ChannelId).eq(guide_channel))
            .and_where(of("p", Programme::StartAt).gte(Func::coalesce([current.into(), Expr::val(now)])))
            .and_where(of("p", Programme::StopAt).gt(now))
            .order_by(("p", Programme::StartAt), Order::Asc)
            .limit(most)
            .take();
        let rows = self.0.reader.query_all(&query).await.map_err(store_error)?;
        rows.iter().map(|row| programme_of(row).map_err(store_error)).collect()
    }
}
