//! Decisions: recorded in the transaction that changes the channel.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_kernel::{Enumeration, FieldDiff, Id, Version};
use domain_live::matching::{
    Before, EpgMatch, GuideChannelRef, LinkVerdict, MatchLevel, Proposal, is_called_alike,
};
use ports::{
    ChangedChannel, Edit, ExpectedLink, LastDecision, MatchTarget, NewDecision, StoreError, Written,
};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, LockType, Query},
};
use serde_json::{Map, json};

use super::{ROWS_AT_ONCE, SeaOrmMatches, get, level_of, list, member, reading, rows, text_of};
use crate::{
    audit::{Record, record_one},
    catalogue::{SeaOrmContents, TvChannelsTable},
    db::{
        error::{db_error, is_overtaken, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
    },
    entities::{
        bulk_operations,
        epg_decisions::{ActiveModel, Column, Entity, Model as DecisionRow},
        epg_matches::{
            ActiveModel as MatchModel, Column as MatchColumn, Entity as Matches, Model as StoredMatch,
        },
    },
    guides::linked,
};

const RESOURCE: &str = "epg-matches";

fn decision_row(
    target: &MatchTarget,
    verdict: LinkVerdict,
    of: Option<&Proposal>,
    (by, at): (Option<String>, DateTime<Utc>),
) -> Result<ActiveModel, DbErr> {
    let without_nul = |text: &str| text.replace('\0', "");
    Ok(ActiveModel {
        id: NotSet,
        channel_id: Set(target.channel),
        channel_title: Set(target.title.clone()),
        verdict: Set(verdict.code().to_owned()),
        guide_id: Set(of.map(|one| one.of.guide_id)),
        xml_id: Set(of.map(|one| one.of.xml_id.clone())),
        name: Set(of.map(|one| without_nul(&one.name)).unwrap_or_default()),
        explanation: Set(text_of(&of)?),
        before_guide_id: Set(target.guide),
        before_epg_id: Set(target.epg_id.clone()),
        decided_by: Set(by),
        decided_date: Set(at),
        operation_id: Set(None),
        sheet_id: Set(None),
        sheet_row: Set(None),
        shift_minutes: Set(None),
    })
}

pub(super) async fn last(
    connection: &impl ConnectionTrait,
    channel: Id,
) -> Result<Option<LastDecision>, StoreError> {
    let find = Entity::find()
        .filter(Column::ChannelId.eq(channel))
        .filter(Column::SheetId.is_null())
        .order_by_desc(Column::Id);
    let Some(row) = find.one(connection).await.map_err(store_error)? else { return Ok(None) };
    Ok(Some(LastDecision {
        verdict: member(&row.verdict)?,
        decided_date: row.decided_date,
        of: row.guide_id.zip(row.xml_id).map(|(guide_id, xml_id)| GuideChannelRef { guide_id, xml_id }),
        shift_minutes: row.shift_minutes,
        before: (row.before_guide_id, row.before_epg_id),
    }))
}

/// State of a channel without this decision: the previous decision, if the channel still has its
/// result. Otherwise a channel without a link waits.
async fn holds(
    connection: &impl ConnectionTrait,
    channel: Id,
    stored: Option<&StoredMatch>,
    without: DateTime<Utc>,
) -> Result<(MatchLevel, Option<DecisionRow>), StoreError> {
    let mut sql = Sql::new(concat!(
        "SELECT m.tv_guide_id, m.epg_id, g.id AS guide_channel FROM tv_channels m",
        linked!("m"),
        " WHERE m.id = "
    ));
    sql.bind(channel);
    let Some(row) = rows(connection, sql).await?.pop() else { return Ok((MatchLevel::None, None)) };
    let (guide_id, xml_id): (Option<Id>, Option<String>) = (get(&row, "tv_guide_id")?, get(&row, "epg_id")?);
    let is_linked = get::<Option<Id>>(&row, "guide_channel")?.is_some();
    let otherwise = if is_linked { MatchLevel::None } else { MatchLevel::Review };
    let before = Entity::find()
        .filter(Column::ChannelId.eq(channel))
        .filter(Column::SheetId.is_null())
        .filter(Column::DecidedDate.ne(without))
        .order_by_desc(Column::Id);
    let Some(before) = before.one(connection).await.map_err(store_error)? else {
        return Ok((otherwise, None));
    };
    let of = before.guide_id.zip(before.xml_id.clone());
    let has_link = of.is_some() && of == guide_id.zip(xml_id.clone());
    let verdict: LinkVerdict = member(&before.verdict)?;
    let still = match verdict {
        LinkVerdict::Linked => has_link && is_linked,
        LinkVerdict::Accepted => has_link,
        LinkVerdict::Refused | LinkVerdict::NoGuide => !is_linked,
    };
    if !still {
        return Ok((otherwise, None));
    }
    let mut level = level_of(&before.verdict);
    if verdict == LinkVerdict::Refused {
        // Candidates found after the rejection wait.
        let candidates: Vec<Proposal> =
            stored.map(|row| super::json(&row.candidates)).transpose()?.unwrap_or_default();
        let made = reading::decisions(connection, &[channel]).await?;
        let made = made.iter().map(|(_, decision)| decision);
        let refused = Before::of(made, guide_id, xml_id.as_deref()).refused;
        if candidates.iter().any(|one| !refused.contains(&one.of)) {
            level = MatchLevel::Review;
        }
    } else if let Some((guide_id, xml_id)) = of.filter(|_| has_link) {
        // A link whose ID has another name now returns to review.
        let named = reading::guide_channel(connection, &GuideChannelRef { guide_id, xml_id }).await?;
        if named.is_some_and(|channel| !is_called_alike(&before.name, &channel.names)) {
            level = MatchLevel::Review;
        }
    }
    Ok((level, Some(before)))
}

/// Reason for a rollback.
enum Refused {
    Missing,
    /// The channel has another version than the one read.
    Channel,
}

/// Applies a decision to the channel; returns its new version. If an operation has a pending link
/// of the channel, the version changes in any case, so that this link is a conflict.
async fn change_channel(
    transaction: &Transaction,
    target: &MatchTarget,
    change: Option<&ChangedChannel>,
    edit: &Edit,
) -> Result<Result<Version, Refused>, DbErr> {
    type Channels = SeaOrmContents<TvChannelsTable>;
    let written = match change {
        Some(ChangedChannel { content, version }) => {
            Channels::change_in(transaction, target.channel, content, Some(*version), edit).await?
        }
        None if is_to_be_linked(transaction, target.channel).await? => {
            Channels::touch_in(transaction, target.channel, Some(target.version), edit).await?
        }
        None => match Channels::locked(transaction, target.channel).await? {
            None => Written::Missing,
            Some(stored) if stored.version != target.version => Written::Outdated(stored),
            Some(stored) => Written::Done(stored),
        },
    };
    Ok(match written {
        Written::Done(stored) => Ok(stored.version),
        Written::Missing => Err(Refused::Missing),
        Written::Outdated(_) | Written::Conflict(_) => Err(Refused::Channel),
    })
}

/// Whether an operation has a pending link of the channel, or one that is about to start.
async fn is_to_be_linked(transaction: &Transaction, channel: Id) -> Result<bool, DbErr> {
    let sheet = (bulk_operations::Entity, bulk_operations::Column::SheetId);
    let finished = Query::select()
        .column(bulk_operations::Column::Id)
        .from(bulk_operations::Entity)
        .and_where(Expr::col(sheet).equals((Entity, Column::SheetId)))
        .and_where(bulk_operations::Column::FinishedDate.is_not_null())
        .take();
    let pending = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::SheetId.is_not_null())
        .filter(Expr::exists(finished).not())
        .filter(Column::ChannelId.eq(channel));
    Ok(pending.into_tuple::<Id>().one(transaction).await?.is_some())
}

async fn locked(transaction: &Transaction, channel: Id) -> Result<Option<StoredMatch>, DbErr> {
    Matches::find().filter(MatchColumn::Id.eq(channel)).lock(LockType::NoKeyUpdate).one(transaction).await
}

/// Whether the channel's current link comes from its form and is newer than its match or decision.
async fn was_linked_since(
    connection: &impl ConnectionTrait,
    row: &StoredMatch,
    target: &MatchTarget,
) -> Result<bool, StoreError> {
    Ok(match row.decision.as_deref() {
        // An undo leaves a channel with a link without a level, to be matched again.
        None => row.seen_version != 0 || row.level != MatchLevel::None.code(),
        Some(verdict) if level_of(verdict) == MatchLevel::None => row.seen_version != target.version,
        Some(_) => !reading::has_decided_link(connection, target.channel).await?,
    })
}

/// The current match of an existing channel. A link by its form since counts as no match: the next
/// run deletes it.
pub(super) async fn current(
    connection: &impl ConnectionTrait,
    channel: Id,
) -> Result<Option<(EpgMatch, MatchTarget)>, StoreError> {
    let Some((found, target)) = list::find_stored(connection, channel).await? else { return Ok(None) };
    if !found.is_linked {
        return Ok(Some((found, target)));
    }
    let stored = Matches::find_by_id(channel).one(connection).await.map_err(store_error)?;
    let is_by_form = match &stored {
        Some(row) => was_linked_since(connection, row, &target).await?,
        None => false,
    };
    if !is_by_form {
        return Ok(Some((found, target)));
    }
    let none = EpgMatch {
        version: 0,
        level: MatchLevel::None,
        candidates: Vec::new(),
        decision: None,
        decided_by: None,
        decided_date: None,
        ..found
    };
    Ok(Some((none, MatchTarget { match_version: 0, ..target })))
}

/// The stored match of a channel, for a response; `None` for a deleted channel.
async fn stored_match(connection: &impl ConnectionTrait, channel: Id) -> Result<Option<EpgMatch>, DbErr> {
    let found = list::find_stored(connection, channel).await.map_err(db_error)?;
    Ok(found.map(|(found, _)| found))
}

fn record_of(
    action: AuditAction,
    target: &MatchTarget,
    verdict: LinkVerdict,
    of: Option<&GuideChannelRef>,
    shift_minutes: Option<i32>,
) -> Record {
    let mut fields = Map::new();
    fields.insert("verdict".to_owned(), json!(verdict.code()));
    if verdict == LinkVerdict::Accepted {
        fields.insert("shiftMinutes".to_owned(), json!(shift_minutes));
    }
    if let Some(of) = of {
        fields.insert("guideId".to_owned(), json!(of.guide_id));
        fields.insert("xmlId".to_owned(), json!(of.xml_id));
    }
    let diff = if action == AuditAction::Undone {
        FieldDiff { before: fields, ..FieldDiff::default() }
    } else {
        FieldDiff { after: fields, ..FieldDiff::default() }
    };
    let (item, title) = (target.channel.to_string(), target.title.clone());
    Record { action, resource: RESOURCE, item, title, version: None, diff }
}

impl SeaOrmMatches {
    pub(super) async fn add_expected(
        &self,
        sheet: Id,
        links: &[ExpectedLink],
        now: DateTime<Utc>,
    ) -> Result<bool, DbErr> {
        // A concurrent decision about one of the channels either precedes this transaction and is
        // visible here, or follows it and sees these rows.
        let transaction = self.0.begin().await?;
        for some in links.chunks(ROWS_AT_ONCE) {
            let matches = Matches::find()
                .filter(MatchColumn::Id.is_in(some.iter().map(|link| link.target.channel)))
                .order_by_asc(MatchColumn::Id)
                .lock(LockType::NoKeyUpdate)
                .all(&transaction)
                .await?;
            let versions: HashMap<Id, Version> = matches.iter().map(|row| (row.id, row.version)).collect();
            let is_decided =
                |link: &ExpectedLink| versions.get(&link.target.channel) != Some(&link.target.match_version);
            if some.iter().any(is_decided) {
                Entity::delete_many().filter(Column::SheetId.eq(sheet)).exec(&transaction).await?;
                transaction.commit().await?;
                return Ok(false);
            }
            let mut rows = Vec::with_capacity(some.len());
            for link in some {
                let mut row =
                    decision_row(&link.target, link.verdict, Some(&link.proposal), (link.by.clone(), now))?;
                row.sheet_id = Set(Some(sheet));
                row.sheet_row = Set(Some(link.row));
                rows.push(row);
            }
            Entity::insert_many(rows).exec_without_returning(&transaction).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    pub(super) async fn record_decision(
        &self,
        decision: &NewDecision,
        edit: &Edit,
    ) -> Result<Written<EpgMatch, EpgMatch>, StoreError> {
        tried(is_overtaken, || self.try_decide(decision, edit)).await.map_err(store_error)
    }

    async fn try_decide(
        &self,
        decision: &NewDecision,
        edit: &Edit,
    ) -> Result<Written<EpgMatch, EpgMatch>, DbErr> {
        let target = &decision.target;
        let transaction = self.0.begin().await?;
        let stored = locked(&transaction, target.channel).await?;
        let version = stored.as_ref().map_or(0, |row| row.version);
        if let Some(expected) = decision.expected {
            // A match that was deleted since, as the channel has a link, has version 0.
            let current = current(&transaction, target.channel).await.map_err(db_error)?;
            let Some((current, _)) = current else { return Ok(Written::Missing) };
            if expected != current.version {
                return Ok(Written::Conflict(current));
            }
        }
        let seen = match change_channel(&transaction, target, decision.change.as_ref(), edit).await? {
            Ok(seen) => seen,
            Err(Refused::Missing) => return Ok(Written::Missing),
            Err(Refused::Channel) => {
                let current = stored_match(&transaction, target.channel).await?;
                return Ok(current.map_or(Written::Missing, Written::Outdated));
            }
        };
        let by = edit.by.as_ref().map(ToString::to_string);
        let whose = || (by.clone(), edit.at);
        let mut rows = Vec::new();
        for of in &decision.of {
            let mut row = decision_row(target, decision.verdict, Some(of), whose())?;
            row.shift_minutes = Set(decision.shift_minutes);
            rows.push(row);
        }
        if rows.is_empty() {
            rows.push(decision_row(target, decision.verdict, None, whose())?);
        }
        Entity::insert_many(rows).exec_without_returning(&transaction).await?;
        let verdict = decision.verdict.code();
        let row = MatchModel {
            version: Set(version + 1),
            level: Set(level_of(verdict).code().to_owned()),
            seen_version: Set(seen),
            decision: Set(Some(verdict.to_owned())),
            decided_by: Set(by),
            decided_date: Set(Some(edit.at)),
            ..<MatchModel as Default>::default()
        };
        put(&transaction, target.channel, row, stored.is_some(), edit.at).await?;
        let of = decision.of.first().map(|one| &one.of);
        let record = record_of(AuditAction::Updated, target, decision.verdict, of, decision.shift_minutes);
        record_one(&transaction, edit, record).await?;
        let written = stored_match(&transaction, target.channel).await?;
        transaction.commit().await?;
        Ok(written.map_or(Written::Missing, Written::Done))
    }

    pub(super) async fn undo_decision(
        &self,
        target: &MatchTarget,
        last: &LastDecision,
        expected: Option<Version>,
        change: Option<&ChangedChannel>,
        edit: &Edit,
    ) -> Result<Written<EpgMatch, EpgMatch>, StoreError> {
        tried(is_overtaken, || self.try_undo(target, last, expected, change, edit)).await.map_err(store_error)
    }

    async fn try_undo(
        &self,
        target: &MatchTarget,
        last: &LastDecision,
        expected: Option<Version>,
        change: Option<&ChangedChannel>,
        edit: &Edit,
    ) -> Result<Written<EpgMatch, EpgMatch>, DbErr> {
        let transaction = self.0.begin().await?;
        let stored = locked(&transaction, target.channel).await?;
        let version = stored.as_ref().map_or(0, |row| row.version);
        let newest = self::last(&transaction, target.channel).await.map_err(db_error)?;
        let is_another = newest.as_ref().map(|one| one.decided_date) != Some(last.decided_date);
        if is_another || expected.is_some_and(|expected| expected != version) {
            let current = stored_match(&transaction, target.channel).await?;
            return Ok(current.map_or(Written::Missing, Written::Conflict));
        }
        match change_channel(&transaction, target, change, edit).await? {
            Ok(_) => {}
            Err(Refused::Missing) => return Ok(Written::Missing),
            Err(Refused::Channel) => {
                let current = stored_match(&transaction, target.channel).await?;
                return Ok(current.map_or(Written::Missing, Written::Outdated));
            }
        }
        if last.verdict != LinkVerdict::Linked {
            Entity::delete_many()
                .filter(Column::ChannelId.eq(target.channel))
                .filter(Column::SheetId.is_null())
                .filter(Column::DecidedDate.eq(last.decided_date))
                .exec(&transaction)
                .await?;
        }
        let (level, before) = holds(&transaction, target.channel, stored.as_ref(), last.decided_date)
            .await
            .map_err(db_error)?;
        let row = MatchModel {
            version: Set(version + 1),
            level: Set(level.code().to_owned()),
            // To be matched again.
            seen_version: Set(0),
            decision: Set(before.as_ref().map(|one| one.verdict.clone())),
            decided_by: Set(before.as_ref().and_then(|one| one.decided_by.clone())),
            decided_date: Set(before.map(|one| one.decided_date)),
            ..<MatchModel as Default>::default()
        };
        put(&transaction, target.channel, row, stored.is_some(), edit.at).await?;
        let of = last.of.as_ref();
        let record = record_of(AuditAction::Undone, target, last.verdict, of, last.shift_minutes);
        record_one(&transaction, edit, record).await?;
        let written = stored_match(&transaction, target.channel).await?;
        transaction.commit().await?;
        Ok(written.map_or(Written::Missing, Written::Done))
    }
}

/// Writes the decision to the match, or to a new row.
async fn put(
    transaction: &Transaction,
    channel: Id,
    row: MatchModel,
    is_known: bool,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    if is_known {
        return Matches::update_many()
            .set(row)
            .filter(MatchColumn::Id.eq(channel))
            .exec(transaction)
            .await
            .map(drop);
    }
    let row = without_candidates(channel, row, now);
    Matches::insert_many([row]).exec_without_returning(transaction).await.map(drop)
}

/// Row of a channel without candidates.
pub(super) fn without_candidates(channel: Id, row: MatchModel, now: DateTime<Utc>) -> MatchModel {
    MatchModel {
        id: Set(channel),
        score: Set(0),
        guide_id: Set(None),
        reasons: Set(String::new()),
        clear: Set(false),
        candidates: Set("[]".to_owned()),
        matched_date: Set(now),
        ..row
    }
}
