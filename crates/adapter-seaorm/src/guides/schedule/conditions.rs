//! Conditions on the programmes of a channel, equal to the counts of `domain_live::health`.
//! Programmes are those of the guide's channel `g`; a span is in the times of the channel, which
//! differ from the guide's by the offset.

use domain_kernel::Enumeration;
use domain_live::{
    health::{AROUND_TITLES, LONGEST_REAL, OVERLAP, PLACEHOLDERS},
    programme::LONGEST,
    schedule::{GAP, ScheduleSpan, WithoutGuide},
};

use crate::db::sql::Sql;

/// Offset of the channel's times, in seconds: the decided one before that of its entry.
macro_rules! shift {
    () => {
        "coalesce(s.shift_minutes * 60, e.applied_shift, 0)"
    };
}

pub(super) use shift;

/// A time of the channel in the guide's times.
fn push_time(sql: &mut Sql, time: i64) {
    sql.bind(time).push(concat!(" - ", shift!()));
}

/// Programmes `p` of the channel `g` in a span.
pub(super) fn push_on(sql: &mut Sql, from: i64, to: i64) {
    sql.push("p.channel_id = g.id AND p.start_at > ");
    push_time(sql, from - LONGEST);
    sql.push(" AND p.start_at < ");
    push_time(sql, to);
    sql.push(" AND p.stop_at > ");
    push_time(sql, from);
}

/// Condition that the match `r` of a channel waits for a decision: it needs a review, or its
/// certain link was not made. NULL without a match.
macro_rules! pending {
    () => {
        "(r.level = 'REVIEW' OR (r.level = 'AUTO' AND r.decision IS NULL))"
    };
}

/// Condition that the second candidate of the match `r` is too close to the best one.
macro_rules! too_near {
    () => {
        r"r.reasons LIKE '% SECOND\_TOO\_NEAR %' ESCAPE '\'"
    };
}

pub(super) use pending;
pub(super) use too_near;

/// Reason for missing programmes, equal to [`domain_live::schedule::ChannelLink::fault`].
pub(super) fn push_reason(sql: &mut Sql, code: &str) {
    const HAS_ID: &str = "trim(coalesce(m.epg_id, '')) <> ''";
    /// For a pending match, faults of the channel's own guide come first.
    const PENDING: &str = concat!(
        " AND g.id IS NULL AND ",
        pending!(),
        " AND (m.tv_guide_id IS NULL OR (t.active AND (f.last_good_date IS NOT NULL OR trim(coalesce(m.epg_id, '')) = '')))"
    );
    const NOT_PENDING: &str = concat!(" AND NOT coalesce(", pending!(), ", FALSE)");
    let condition = match WithoutGuide::from_code(code) {
        Some(WithoutGuide::NoGuide) => format!(" AND m.tv_guide_id IS NULL{NOT_PENDING}"),
        Some(WithoutGuide::GuideOff) => " AND NOT t.active".to_owned(),
        Some(WithoutGuide::NoId) => format!(" AND t.active AND NOT {HAS_ID}{NOT_PENDING}"),
        Some(WithoutGuide::NeverRead) => {
            format!(" AND t.active AND {HAS_ID} AND g.id IS NULL AND f.last_good_date IS NULL")
        }
        Some(WithoutGuide::IdNotInGuide) => {
            format!(
                " AND t.active AND {HAS_ID} AND g.id IS NULL AND f.last_good_date IS NOT NULL{NOT_PENDING}"
            )
        }
        Some(WithoutGuide::TwoFit) => format!("{PENDING} AND {}", too_near!()),
        Some(WithoutGuide::NobodyDecided) => format!("{PENDING} AND NOT {}", too_near!()),
        None => String::new(),
    };
    sql.push(&condition);
}

/// Channels with such a finding in the span.
pub(super) fn push_finding(sql: &mut Sql, finding: &str, span: ScheduleSpan) {
    let (from, to) = (span.from.timestamp(), span.to.timestamp());
    match finding {
        "gaps" => push_gaps(sql, from, to, GAP.num_seconds()),
        "overlaps" => push_overlaps(sql, from, to),
        "placeholders" => {
            sql.push(" AND EXISTS (SELECT 1 FROM programmes p WHERE ");
            push_on(sql, from, to);
            sql.push(" AND ");
            push_placeholder(sql, "p");
            sql.push(")");
        }
        "uncovered" => {
            // A channel without a guide is not covered.
            sql.push(" AND (");
            push_gap(sql, from, to, 0, push_says_something);
            sql.push(")");
        }
        _ => {}
    }
}

fn push_gaps(sql: &mut Sql, from: i64, to: i64, longest: i64) {
    sql.push(" AND g.id IS NOT NULL AND (");
    push_gap(sql, from, to, longest, |_, _| {});
    sql.push(")");
}

/// A gap over `longest` without a matching programme: at the start of the span, or after a matching
/// programme in it.
fn push_gap(sql: &mut Sql, from: i64, to: i64, longest: i64, push_fits: impl Fn(&mut Sql, &str)) {
    if to - from <= longest {
        sql.push("1 = 0");
        return;
    }
    sql.push("NOT EXISTS (SELECT 1 FROM programmes p WHERE ");
    push_on(sql, from, from + longest + 1);
    push_fits(sql, "p");
    sql.push(") OR EXISTS (SELECT 1 FROM programmes p WHERE ");
    push_on(sql, from, to);
    push_fits(sql, "p");
    sql.push(" AND p.stop_at < ");
    push_time(sql, to - longest);
    sql.push(
        " AND NOT EXISTS (SELECT 1 FROM programmes n WHERE n.channel_id = p.channel_id AND n.stop_at > p.stop_at \
         AND n.start_at > p.stop_at - ",
    );
    sql.bind(LONGEST).push(" AND n.start_at <= p.stop_at + ").bind(longest);
    push_fits(sql, "n");
    sql.push("))");
}

/// A programme that begins before the end of an earlier one.
fn push_overlaps(sql: &mut Sql, from: i64, to: i64) {
    sql.push(" AND EXISTS (SELECT 1 FROM programmes p WHERE ");
    push_on(sql, from, to);
    sql.push(" AND p.stop_at > ");
    push_time(sql, from + OVERLAP);
    sql.push(" AND EXISTS (SELECT 1 FROM programmes n WHERE n.channel_id = p.channel_id AND n.start_at > p.start_at");
    sql.push(" AND n.start_at < p.stop_at - ").bind(OVERLAP).push(" AND n.start_at < ");
    push_time(sql, to - OVERLAP);
    sql.push(" AND n.stop_at > ");
    push_time(sql, from);
    sql.push("))");
}

/// The texts for searches have the number before the title of the channel `m`, and the names of the
/// channel `g` before its ID, a line each.
fn push_placeholder(sql: &mut Sql, alias: &str) {
    sql.push(&format!("({alias}.stop_at - {alias}.start_at >= ")).bind(LONGEST_REAL);
    sql.push(&format!(" OR trim({alias}.search_text, ")).bind(AROUND_TITLES);
    sql.push(") IN (").bind_all(PLACEHOLDERS).push(")");
    sql.push(&format!(
        " OR m.search_text = CAST(m.channel_number AS text) || '\n' || {alias}.search_text \
         OR substr(g.search_text || '\n', 1, length({alias}.search_text) + 1) = {alias}.search_text || '\n')"
    ));
}

fn push_says_something(sql: &mut Sql, alias: &str) {
    sql.push(" AND NOT ");
    push_placeholder(sql, alias);
}
