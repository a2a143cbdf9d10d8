//! Results of a run, written if changed.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id, Kind};
use domain_live::matching::{LinkVerdict, MatchLevel, MatchReason, Proposal};
use ports::{ClaimedMatching, FoundMatch, MatchTarget};
use sea_orm::{
    ActiveValue::{Set, Unchanged},
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, LockType, Query},
};

use super::{
    ROWS_AT_ONCE, SeaOrmMatches, changed_rows, deciding::without_candidates, is_ours, level_of,
    reading::decided_link, text_of,
};
use crate::{
    catalogue::{ChannelColumn, TvChannelsTable},
    db::{sql::Sql, transaction::Transaction},
    entities::{
        bulk_operations, epg_decisions,
        epg_matches::{ActiveModel, Column, Entity, Model},
        sheets, trash,
    },
    guides::linked,
};

/// Deletes matches of deleted channels and of those linked by their form, and links that were not
/// made.
pub(super) async fn forget(transaction: &Transaction) -> Result<(), DbErr> {
    let channel_id = (TvChannelsTable, ChannelColumn::Id);
    let channel = Query::select()
        .column(channel_id)
        .from(TvChannelsTable)
        .and_where(Expr::col(channel_id).equals((Entity, Column::Id)))
        .take();
    // A channel that is restored from the trash has its decided match again.
    let in_trash = Query::select()
        .column(trash::Column::Id)
        .from(trash::Entity)
        .and_where(trash::Column::Kind.eq(Kind::TvChannels.path()))
        .and_where(Expr::col((trash::Entity, trash::Column::ItemId)).equals((Entity, Column::Id)))
        .take();
    let of_deleted =
        Entity::delete_many().filter(Expr::exists(channel).not()).filter(Expr::exists(in_trash).not());
    of_deleted.exec(transaction).await?;
    let active = Query::select()
        .column(channel_id)
        .from(TvChannelsTable)
        .and_where(Expr::col((TvChannelsTable, ChannelColumn::Active)))
        .take();
    let of_inactive =
        Entity::delete_many().filter(Column::Decision.is_null()).filter(Column::Id.not_in_subquery(active));
    of_inactive.exec(transaction).await?;
    for sql in linked_by_form() {
        changed_rows(transaction, sql).await?;
    }
    // Links that a finished operation did not make.
    let finished = bulk_operations::Entity::find()
        .select_only()
        .column(bulk_operations::Column::SheetId)
        .filter(bulk_operations::Column::SheetId.is_not_null())
        .filter(bulk_operations::Column::FinishedDate.is_not_null());
    let not_made = epg_decisions::Entity::delete_many()
        .filter(epg_decisions::Column::SheetId.in_subquery(finished.into_query()));
    not_made.exec(transaction).await?;
    // Links whose operation was never started: the process ended before.
    let files = sheets::Entity::find().select_only().column(sheets::Column::Id);
    let never_started = epg_decisions::Entity::delete_many()
        .filter(epg_decisions::Column::SheetId.is_not_null())
        .filter(epg_decisions::Column::SheetId.not_in_subquery(files.into_query()));
    never_started.exec(transaction).await.map(drop)
}

/// Deletes matches of channels that were linked by their form.
fn linked_by_form() -> [Sql; 2] {
    [
        Sql::new(concat!(
            "DELETE FROM epg_matches WHERE decision IS NULL AND id IN (SELECT m.id FROM tv_channels m",
            linked!("m"),
            " WHERE g.id IS NOT NULL)"
        )),
        // The decision stays, and applies again once the channel has its link.
        Sql::new(concat!(
            "DELETE FROM epg_matches WHERE decision IN ('LINKED', 'ACCEPTED') AND id IN (SELECT m.id FROM tv_channels m",
            linked!("m"),
            " WHERE g.id IS NOT NULL AND NOT ",
            decided_link!(),
            ")"
        )),
    ]
}

/// Columns for filters of lists: score, guide, codes of the best candidate.
fn best_of(proposals: &[Proposal]) -> (i32, Option<Id>, String, bool) {
    let Some(first) = proposals.first() else { return (0, None, String::new(), false) };
    let codes: Vec<&str> =
        first.for_.iter().chain(&first.against).map(|reason: &MatchReason| reason.code()).collect();
    (first.score.into(), Some(first.of.guide_id), format!(" {} ", codes.join(" ")), first.against.is_empty())
}

/// Row of a channel with a valid decision, if it differs from the stored one. A row without a
/// decision gets the last one, with its explanation, and a missing row is added: otherwise the
/// channel would be compared on each run.
fn row_that_stands(
    target: &MatchTarget,
    stored: Option<&Model>,
    last: Option<&epg_decisions::Model>,
    now: DateTime<Utc>,
) -> Result<Option<ActiveModel>, DbErr> {
    let last = last.filter(|_| stored.is_none_or(|row| row.decision.is_none()));
    let verdict = last.map(|one| one.verdict.clone()).or_else(|| stored?.decision.clone());
    let level = verdict.as_deref().map_or(MatchLevel::None, level_of).code();
    let is_same = |row: &Model| last.is_none() && row.seen_version == target.version && row.level == level;
    if stored.is_some_and(is_same) {
        return Ok(None);
    }
    let mut row = ActiveModel {
        level: Set(level.to_owned()),
        seen_version: Set(target.version),
        ..<ActiveModel as Default>::default()
    };
    if last.is_some() || stored.is_none() {
        row.version = Set(stored.map_or(1, |row| row.version + 1));
        row.decision = Set(verdict);
        row.decided_by = Set(last.and_then(|one| one.decided_by.clone()));
        row.decided_date = Set(last.map(|one| one.decided_date));
    }
    let row = match stored {
        Some(_) => ActiveModel { id: Unchanged(target.channel), ..row },
        None => without_candidates(target.channel, row, now),
    };
    let explanation =
        last.and_then(|one| serde_json::from_str::<Option<Proposal>>(&one.explanation).ok().flatten());
    let Some(explanation) = explanation else { return Ok(Some(row)) };
    with_candidates(row, &[explanation]).map(Some)
}

fn with_candidates(row: ActiveModel, proposals: &[Proposal]) -> Result<ActiveModel, DbErr> {
    let (score, guide_id, reasons, clear) = best_of(proposals);
    Ok(ActiveModel {
        score: Set(score),
        guide_id: Set(guide_id),
        reasons: Set(reasons),
        clear: Set(clear),
        candidates: Set(text_of(&proposals)?),
        ..row
    })
}

/// New row of a match, if it differs from the stored one.
fn row_of(
    target: &MatchTarget,
    found: &FoundMatch,
    stored: Option<&Model>,
    last: Option<&epg_decisions::Model>,
    now: DateTime<Utc>,
) -> Result<Option<ActiveModel>, DbErr> {
    let id = target.channel;
    let FoundMatch::Found { outcome, renamed } = found else {
        return row_that_stands(target, stored, last, now);
    };
    let candidates = text_of(&outcome.proposals)?;
    let (.., clear) = best_of(&outcome.proposals);
    // An undone link is no decision any more; a rejection of all candidates still is.
    let keeps = |code: &str| *renamed || code == LinkVerdict::Refused.code();
    let kept = stored.filter(|row| row.decision.as_deref().is_some_and(keeps));
    let (decision, decided_by, decided_date) = match (kept, last) {
        (Some(row), _) => (row.decision.clone(), row.decided_by.clone(), row.decided_date),
        (None, Some(last)) => (Some(last.verdict.clone()), last.decided_by.clone(), Some(last.decided_date)),
        (None, None) => (None, None, None),
    };
    let level = outcome.level.code();
    let is_same = |row: &&Model| {
        row.level == level && row.candidates == candidates && row.decision == decision && row.clear == clear
    };
    if let Some(same) = stored.filter(is_same) {
        return Ok((same.seen_version != target.version).then(|| ActiveModel {
            id: Unchanged(id),
            seen_version: Set(target.version),
            ..<ActiveModel as Default>::default()
        }));
    }
    let row = ActiveModel {
        id: Set(id),
        version: Set(stored.map_or(1, |row| row.version + 1)),
        level: Set(level.to_owned()),
        seen_version: Set(target.version),
        decision: Set(decision),
        decided_by: Set(decided_by),
        decided_date: Set(decided_date),
        matched_date: Set(now),
        ..<ActiveModel as Default>::default()
    };
    with_candidates(row, &outcome.proposals).map(Some)
}

fn by_channel(rows: Vec<Model>) -> HashMap<Id, Model> {
    rows.into_iter().map(|row| (row.id, row)).collect()
}

/// Data needed for the rows of channels.
struct Known {
    matches: HashMap<Id, Model>,
    /// Last decisions for rows without one, of channels with a valid or renamed link.
    decisions: HashMap<Id, epg_decisions::Model>,
}

impl Known {
    async fn of(
        connection: &impl ConnectionTrait,
        found: &[(MatchTarget, FoundMatch)],
        matches: Vec<Model>,
    ) -> Result<Self, DbErr> {
        let matches = by_channel(matches);
        let is_undecided = |(target, found): &&(MatchTarget, FoundMatch)| {
            let decision = matches.get(&target.channel).and_then(|row| row.decision.as_ref());
            !matches!(found, FoundMatch::Found { renamed: false, .. }) && decision.is_none()
        };
        let undecided: HashMap<Id, &MatchTarget> =
            found.iter().filter(is_undecided).map(|(target, _)| (target.channel, target)).collect();
        if undecided.is_empty() {
            return Ok(Self { matches, decisions: HashMap::new() });
        }
        let made = epg_decisions::Entity::find()
            .filter(epg_decisions::Column::ChannelId.is_in(undecided.keys().copied()))
            .filter(epg_decisions::Column::SheetId.is_null())
            .order_by_asc(epg_decisions::Column::Id);
        // A link that the channel does not have was undone.
        let holds = |one: &epg_decisions::Model| {
            let target = undecided.get(&one.channel_id);
            one.guide_id.is_none()
                || target.is_some_and(|target| (target.guide, &target.epg_id) == (one.guide_id, &one.xml_id))
        };
        let made = made.all(connection).await?.into_iter();
        // The newest decision of a channel wins.
        let decisions = made.filter(holds).map(|one| (one.channel_id, one)).collect();
        Ok(Self { matches, decisions })
    }

    /// The rows that differ from the stored ones, with their channels.
    fn changes<'a>(
        &self,
        found: &'a [(MatchTarget, FoundMatch)],
        now: DateTime<Utc>,
    ) -> Result<Vec<(&'a MatchTarget, ActiveModel)>, DbErr> {
        let mut rows = Vec::new();
        for (target, found) in found {
            let (stored, last) = (self.matches.get(&target.channel), self.decisions.get(&target.channel));
            rows.extend(row_of(target, found, stored, last, now)?.map(|row| (target, row)));
        }
        Ok(rows)
    }
}

impl SeaOrmMatches {
    pub(super) async fn try_write(
        &self,
        claim: &ClaimedMatching,
        found: &[(MatchTarget, FoundMatch)],
        now: DateTime<Utc>,
    ) -> Result<bool, DbErr> {
        for some in found.chunks(ROWS_AT_ONCE) {
            let ids = some.iter().map(|(target, _)| target.channel);
            let find = Entity::find().filter(Column::Id.is_in(ids)).order_by_asc(Column::Id);
            let stored = find.clone().all(&self.0.reader).await?;
            if Known::of(&self.0.reader, some, stored).await?.changes(some, now)?.is_empty() {
                continue;
            }
            let transaction = self.0.begin().await?;
            if !is_ours(&transaction, claim).await? {
                return Ok(false);
            }
            let current = find.lock(LockType::NoKeyUpdate).all(&transaction).await?;
            let current = Known::of(&transaction, some, current).await?;
            let mut added = Vec::new();
            let mut decided = Vec::new();
            for (target, row) in current.changes(some, now)? {
                let known = current.matches.get(&target.channel);
                if known.map_or(0, |row| row.version) != target.match_version {
                    decided.push(target.channel);
                } else if known.is_some() {
                    let update = Entity::update_many().set(row).filter(Column::Id.eq(target.channel));
                    update.exec(&transaction).await?;
                } else {
                    added.push(row);
                }
            }
            if !added.is_empty() {
                Entity::insert_many(added).exec_without_returning(&transaction).await?;
            }
            if !decided.is_empty() {
                // Decisions made since the read were unknown to the comparison: these channels are
                // matched again.
                let again = Entity::update_many().col_expr(Column::SeenVersion, 0.into());
                again.filter(Column::Id.is_in(decided)).exec(&transaction).await?;
            }
            transaction.commit().await?;
        }
        Ok(true)
    }
}
