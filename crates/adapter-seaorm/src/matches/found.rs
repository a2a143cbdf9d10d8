//! What a run found, written where it differs.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id};
use domain_live::matching::{LinkVerdict, MatchLevel, MatchReason, Proposal};
use ports::{ClaimedMatching, FoundMatch, MatchTarget};
use sea_orm::{
    ActiveValue::{Set, Unchanged},
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::LockType,
};

use super::{ROWS_AT_ONCE, SeaOrmMatches, is_ours, text_of};
use crate::{
    db::sql::Sql,
    entities::epg_matches::{ActiveModel, Column, Entity, Model},
    guides::linked,
};

/// What was found for channels that are gone, and for those that somebody linked by their form; links that were not made.
pub(super) fn forgotten() -> [Sql; 4] {
    [
        Sql::new(
            "DELETE FROM epg_matches WHERE decision IS NULL AND id NOT IN (SELECT m.id FROM tv_channels m WHERE m.active)",
        ),
        Sql::new(concat!(
            "DELETE FROM epg_matches WHERE decision IS NULL AND id IN (SELECT m.id FROM tv_channels m",
            linked!("m"),
            " WHERE g.id IS NOT NULL)"
        )),
        // Links that an operation did not make, which has ended.
        Sql::new(
            "DELETE FROM epg_decisions WHERE sheet_id IN (SELECT o.sheet_id FROM bulk_operations o \
             WHERE o.sheet_id IS NOT NULL AND o.finished_date IS NOT NULL)",
        ),
        // Links whose operation was never begun: the process ended before.
        Sql::new(
            "DELETE FROM epg_decisions WHERE sheet_id IS NOT NULL AND sheet_id NOT IN (SELECT s.id FROM sheets s)",
        ),
    ]
}

/// The columns that lists are filtered by: score, guide, codes of the best candidate.
fn best_of(proposals: &[Proposal]) -> (i32, Option<Id>, String, bool) {
    let Some(first) = proposals.first() else { return (0, None, String::new(), false) };
    let codes: Vec<&str> =
        first.for_.iter().chain(&first.against).map(|reason: &MatchReason| reason.code()).collect();
    (first.score.into(), Some(first.of.guide_id), format!(" {} ", codes.join(" ")), first.against.is_empty())
}

/// A row as it is to be, where it differs from what is stored.
fn row_of(
    target: &MatchTarget,
    found: &FoundMatch,
    stored: Option<&Model>,
    now: DateTime<Utc>,
) -> Result<Option<ActiveModel>, DbErr> {
    let id = target.channel;
    let (outcome, renamed) = match (found, stored) {
        (FoundMatch::Found { outcome, renamed }, _) => (outcome, *renamed),
        (FoundMatch::Stands, None) => return Ok(None),
        (FoundMatch::Stands, Some(stored)) => {
            let decided = |verdict: LinkVerdict| stored.decision.as_deref() == Some(verdict.code());
            let is_linked = decided(LinkVerdict::Linked) || decided(LinkVerdict::Accepted);
            let level = if is_linked { MatchLevel::Auto } else { MatchLevel::None };
            let is_same = stored.seen_version == target.version && stored.level == level.code();
            return Ok((!is_same).then(|| ActiveModel {
                id: Unchanged(id),
                level: Set(level.code().to_owned()),
                seen_version: Set(target.version),
                ..<ActiveModel as Default>::default()
            }));
        }
    };
    let candidates = text_of(&outcome.proposals)?;
    let (score, guide_id, reasons, clear) = best_of(&outcome.proposals);
    // A link that somebody took back is decided no more; that none of those fits still is.
    let keeps = |code: &str| renamed || code == LinkVerdict::Refused.code();
    let decision = stored.and_then(|row| row.decision.clone()).filter(|code| keeps(code));
    let is_decided = decision.is_some();
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
    let kept = stored.filter(|_| is_decided);
    Ok(Some(ActiveModel {
        id: Set(id),
        version: Set(stored.map_or(1, |row| row.version + 1)),
        level: Set(level.to_owned()),
        score: Set(score),
        guide_id: Set(guide_id),
        reasons: Set(reasons),
        clear: Set(clear),
        candidates: Set(candidates),
        seen_version: Set(target.version),
        decision: Set(decision),
        decided_by: Set(kept.and_then(|row| row.decided_by.clone())),
        decided_date: Set(kept.and_then(|row| row.decided_date)),
        matched_date: Set(now),
    }))
}

fn by_channel(rows: Vec<Model>) -> HashMap<Id, Model> {
    rows.into_iter().map(|row| (row.id, row)).collect()
}

/// The rows that differ from what is stored, with their channels.
fn changes_of<'a>(
    found: &'a [(MatchTarget, FoundMatch)],
    stored: &HashMap<Id, Model>,
    now: DateTime<Utc>,
) -> Result<Vec<(&'a MatchTarget, ActiveModel)>, DbErr> {
    let mut rows = Vec::new();
    for (target, found) in found {
        rows.extend(row_of(target, found, stored.get(&target.channel), now)?.map(|row| (target, row)));
    }
    Ok(rows)
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
            let stored = by_channel(find.clone().all(&self.0.reader).await?);
            if changes_of(some, &stored, now)?.is_empty() {
                continue;
            }
            let transaction = self.0.begin().await?;
            if !is_ours(&transaction, claim).await? {
                return Ok(false);
            }
            let current = by_channel(find.lock(LockType::NoKeyUpdate).all(&transaction).await?);
            let mut added = Vec::new();
            let mut decided = Vec::new();
            for (target, row) in changes_of(some, &current, now)? {
                let known = current.get(&target.channel);
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
                // Somebody decided since they were read, which the comparison did not know: they are matched anew.
                let again = Entity::update_many().col_expr(Column::SeenVersion, 0.into());
                again.filter(Column::Id.is_in(decided)).exec(&transaction).await?;
            }
            transaction.commit().await?;
        }
        Ok(true)
    }
}
