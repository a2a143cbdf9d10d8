//! The list of matches.

use domain_kernel::{Enumeration, FilterValue, Id, ListQuery, Page};
use domain_live::matching::{EpgMatch, MatchReason};
use ports::{MatchGroup, MatchTarget, StoreError};
use sea_orm::{ConnectionTrait, QueryResult};

use super::{
    SeaOrmMatches, get, json, member,
    reading::{self, decided_link},
    rows,
};
use crate::{
    Database,
    db::{error::store_error, sql::Sql},
    guides::{decided_shift, linked},
    list::{AccessPath, ListRequest, ListTable, keys, page, rows_of_list},
};

const COLUMNS: &str = concat!(
    "x.id, x.version, x.level, x.candidates, x.decision, x.decided_by, x.decided_date, \
     m.channel_number, m.title, m.image_url, m.tv_guide_id, m.epg_id, g.id AS guide_channel, ",
    decided_shift!("m"),
    " AS shift_minutes"
);

/// Joins after `epg_matches x`: the channels `m`, with their links.
pub(crate) const CHANNELS_OF_MATCHES: &str = concat!(" JOIN tv_channels m ON m.id = x.id", linked!("m"));

/// Condition of shown and counted matches: those of active channels. A link without a decision was
/// made by the form since, and needs no review.
pub(crate) const SHOWN: &str = concat!(
    " WHERE m.active AND (g.id IS NULL OR (x.decision IN ('LINKED', 'ACCEPTED') AND ",
    decided_link!(),
    "))"
);

fn match_of(row: &QueryResult) -> Result<EpgMatch, StoreError> {
    Ok(EpgMatch {
        channel: get(row, "id")?,
        version: get(row, "version")?,
        number: get(row, "channel_number")?,
        title: get(row, "title")?,
        image_url: get(row, "image_url")?,
        guide: get(row, "tv_guide_id")?,
        epg_id: get(row, "epg_id")?,
        is_linked: get::<Option<Id>>(row, "guide_channel")?.is_some(),
        shift_minutes: get(row, "shift_minutes")?,
        level: member(&get::<String>(row, "level")?)?,
        candidates: json(&get::<String>(row, "candidates")?)?,
        decision: get::<Option<String>>(row, "decision")?.as_deref().map(member).transpose()?,
        decided_by: get(row, "decided_by")?,
        decided_date: get(row, "decided_date")?,
    })
}

struct MatchList;

rows_of_list!(SeaOrmMatches, 0, (), EpgMatch, |store, _filter| MatchList);

impl ListTable for MatchList {
    type Row = EpgMatch;

    const TABLE: &'static str = "epg_matches";
    const ALIAS: &'static str = "x";
    const COLUMNS: &'static str = COLUMNS;
    const JOINS: &'static str = CHANNELS_OF_MATCHES;
    const SORTS: &'static [(&'static str, &'static str)] = &[("id", "id"), ("score", "score")];
    const DEFAULT_ORDER: (&'static str, bool) = ("m.channel_number", false);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = match_of;

    fn condition_joins(&self) -> &'static str {
        CHANNELS_OF_MATCHES
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(SHOWN);
        for filter in &request.query.filters {
            match (filter.field.as_str(), &filter.value) {
                ("level", FilterValue::Code(code)) => {
                    sql.push(" AND x.level = ").bind(*code);
                }
                ("level", FilterValue::Codes(codes)) => {
                    sql.push(" AND x.level IN (").bind_all(codes.iter().copied()).push(")");
                }
                ("guide", FilterValue::Reference(id)) => {
                    sql.push(" AND x.guide_id = ").bind(*id);
                }
                ("channel", FilterValue::Reference(id)) => {
                    sql.push(" AND x.id = ").bind(*id);
                }
                ("reason", FilterValue::Code(code)) => push_reason(sql, code),
                ("reason", FilterValue::Codes(codes)) => codes.iter().for_each(|code| push_reason(sql, code)),
                ("minScore", FilterValue::Number(score)) => {
                    sql.push(" AND x.score >= ").bind(*score);
                }
                ("maxScore", FilterValue::Number(score)) => {
                    sql.push(" AND x.score <= ").bind(*score);
                }
                ("clear", FilterValue::Flag(flag)) => {
                    sql.push(" AND x.clear = ").bind(*flag);
                }
                ("decided", FilterValue::Flag(flag)) => {
                    sql.push(if *flag { " AND x.decision IS NOT NULL" } else { " AND x.decision IS NULL" });
                }
                ("decision", FilterValue::Code(code)) => {
                    sql.push(" AND x.decision = ").bind(*code);
                }
                ("decision", FilterValue::Codes(codes)) => {
                    sql.push(" AND x.decision IN (").bind_all(codes.iter().copied()).push(")");
                }
                _ => {}
            }
        }
        if let Some(text) = request.search.text() {
            sql.push(" AND ").push_like("m.search_text", text);
        }
    }
}

/// Condition that the best candidate has all of these reasons.
fn push_reason(sql: &mut Sql, code: &str) {
    sql.push(" AND ").push_like("x.reasons", &format!(" {code} "));
}

pub(super) async fn page_of(
    database: &Database,
    query: &ListQuery,
) -> Result<Page<Vec<EpgMatch>>, StoreError> {
    page(database, &MatchList, query).await
}

/// Numbers of the matches of a list, by score and reasons of the best candidate.
pub(super) async fn groups_of(database: &Database, query: &ListQuery) -> Result<Vec<MatchGroup>, StoreError> {
    let request = ListRequest::of(&MatchList, query);
    let mut sql = Sql::new(format!(
        "SELECT x.score, x.reasons, count(*) AS number FROM epg_matches x{CHANNELS_OF_MATCHES}"
    ));
    MatchList.push_conditions(&mut sql, &request, AccessPath::FilterThenSort);
    sql.push(" GROUP BY x.score, x.reasons");
    let statement = sql.statement(database.backend());
    let found = database.scanner.query_all_raw(statement).await.map_err(store_error)?;
    let group = |row: &QueryResult| -> Result<MatchGroup, StoreError> {
        let reasons: String = get(row, "reasons")?;
        Ok(MatchGroup {
            score: get(row, "score")?,
            reasons: reasons.split_whitespace().filter_map(MatchReason::from_code).collect(),
            count: u64::try_from(get::<i64>(row, "number")?).unwrap_or_default(),
        })
    };
    found.iter().map(group).collect()
}

pub(super) async fn ids_of(
    database: &Database,
    query: &ListQuery,
    limit: u64,
) -> Result<Vec<Id>, StoreError> {
    keys(database, &MatchList, "id", query, limit).await?.iter().map(|row| get(row, "id")).collect()
}

/// The stored match of an existing channel, whether the review shows it or not; version 0 without
/// one.
pub(super) async fn find_stored(
    connection: &impl ConnectionTrait,
    channel: Id,
) -> Result<Option<(EpgMatch, MatchTarget)>, StoreError> {
    let target = reading::TARGET;
    let mut sql = Sql::new(format!(
        "SELECT m.id, coalesce(x.version, 0) AS version, coalesce(x.level, 'NONE') AS level, \
         coalesce(x.candidates, '[]') AS candidates, x.decision, x.decided_by, x.decided_date, m.channel_number, \
         m.title, m.image_url, m.tv_guide_id, m.epg_id, g.id AS guide_channel, {} AS shift_minutes, {target} \
         FROM tv_channels m{} LEFT JOIN epg_matches x ON x.id = m.id WHERE m.id = ",
        decided_shift!("m"),
        linked!("m")
    ));
    sql.bind(channel);
    let row = rows(connection, sql).await?.pop();
    row.map(|row| Ok((match_of(&row)?, reading::target_of(&row)?))).transpose()
}

pub(super) async fn find_all(
    connection: &impl ConnectionTrait,
    channels: &[Id],
) -> Result<Vec<(EpgMatch, MatchTarget)>, StoreError> {
    if channels.is_empty() {
        return Ok(Vec::new());
    }
    let target = reading::TARGET;
    let mut sql = Sql::new(format!(
        "SELECT {COLUMNS}, {target} FROM epg_matches x{CHANNELS_OF_MATCHES} WHERE x.id IN ("
    ));
    sql.bind_all(channels.iter().copied()).push(") ORDER BY x.id");
    rows(connection, sql).await?.iter().map(|row| Ok((match_of(row)?, reading::target_of(row)?))).collect()
}
