//! Settings and state of the job, in one row.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_kernel::{FieldDiff, Id, Version, difference};
use domain_live::matching::{MatchLevel, Matching, MatchingCounts, MatchingSettings};
use ports::{ClaimedMatching, Edit, StoreError, Written};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryResult, QuerySelect,
    sea_query::{Expr, ExprTrait, Order, Query},
};

use super::{
    CHANNELS_OF_MATCHES, SHOWN, SeaOrmMatches, broken, changed_rows, found, get, is_ours, json, member,
    reading, rows, text_of,
};
use crate::{
    audit::{Record, fields_of, record_one},
    db::{error::store_error, sql::Sql},
    entities::{
        bulk_operations, epg_decisions,
        epg_matching::{ActiveModel, Column, Entity, Model},
        guide_fetches,
    },
};

const RESOURCE: &str = "epg-matching";

fn settings_of(row: &Model) -> Result<MatchingSettings, StoreError> {
    let score = |score: i32| u8::try_from(score).map_err(broken);
    Ok(MatchingSettings {
        auto: score(row.auto_score)?,
        review: score(row.review_score)?,
        lead: score(row.lead_score)?,
        automatic: row.automatic,
    })
}

async fn only_row(connection: &impl ConnectionTrait) -> Result<Model, StoreError> {
    let found = Entity::find().one(connection).await.map_err(store_error)?;
    found.ok_or_else(|| broken("the settings of matching are missing"))
}

pub(super) async fn matching(connection: &impl ConnectionTrait) -> Result<Matching, StoreError> {
    let row = only_row(connection).await?;
    let counted = Sql::new(format!(
        "SELECT x.level, count(*) AS total FROM epg_matches x{CHANNELS_OF_MATCHES}{SHOWN} GROUP BY x.level"
    ));
    let mut levels: BTreeMap<MatchLevel, u64> = BTreeMap::new();
    for row in rows(connection, counted).await? {
        let total = u64::try_from(get::<i64>(&row, "total")?).unwrap_or_default();
        levels.insert(member(&get::<String>(&row, "level")?)?, total);
    }
    Ok(Matching {
        settings: settings_of(&row)?,
        version: row.version,
        updated_by: row.updated_by,
        state: member(&row.state)?,
        requested_by: row.requested_by,
        finished_date: row.finished_date,
        counts: json(&row.counts).unwrap_or_default(),
        levels,
    })
}

fn is_unfinished(state: &str) -> bool {
    !["IDLE", "FAILED"].contains(&state)
}

/// Guides with channels to compare, and their numbers of changes.
async fn guides_now(connection: &impl ConnectionTrait) -> Result<String, StoreError> {
    let query = reading::read_guides()
        .columns(
            [
                guide_fetches::Column::GuideId,
                guide_fetches::Column::ChannelsVersion,
                guide_fetches::Column::Priority,
            ]
            .map(|column| (guide_fetches::Entity, column)),
        )
        .order_by((guide_fetches::Entity, guide_fetches::Column::GuideId), Order::Asc)
        .take();
    let guide = |row: &QueryResult| -> Result<String, StoreError> {
        let (id, version): (i64, i64) = (get(row, "guide_id")?, get(row, "channels_version")?);
        Ok(format!("{id}:{version}:{}", get::<i32>(row, "priority")?))
    };
    let found = connection.query_all(&query).await.map_err(store_error)?;
    let guides: Result<Vec<String>, StoreError> = found.iter().map(guide).collect();
    Ok(guides?.join(" "))
}

/// Makes a run wait for the job; a running one is repeated afterwards.
async fn wait(connection: &impl ConnectionTrait, whole: bool, by: Option<String>) -> Result<u64, DbErr> {
    // A waiting complete run stays complete.
    let stays_whole = Expr::col(Column::Whole).and(Expr::col(Column::State).ne("IDLE"));
    let row =
        ActiveModel { state: Set("WAITING".to_owned()), requested_by: Set(by), ..ActiveModel::default() };
    let update = Entity::update_many().set(row).col_expr(Column::Whole, Expr::val(whole).or(stays_whole));
    Ok(update.exec(connection).await?.rows_affected)
}

/// The end of a run. After a complete one, these guides have been compared.
fn finished(claim: &ClaimedMatching, now: DateTime<Utc>) -> ActiveModel {
    ActiveModel {
        finished_date: Set(Some(now)),
        guides_seen: if claim.whole { Set(claim.guides.clone()) } else { NotSet },
        ..ActiveModel::default()
    }
}

impl SeaOrmMatches {
    pub(super) async fn replace_settings(
        &self,
        settings: MatchingSettings,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<Matching>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        // Locked until the transaction ends.
        let hold = Entity::update_many().col_expr(Column::Version, Expr::col(Column::Version));
        hold.exec(&transaction).await.map_err(store_error)?;
        let before = matching(&transaction).await?;
        if expected.is_some_and(|expected| expected != before.version) {
            return Ok(Written::Outdated(before));
        }
        let by = edit.by.as_ref().map(ToString::to_string);
        let row = ActiveModel {
            auto_score: Set(i32::from(settings.auto)),
            review_score: Set(i32::from(settings.review)),
            lead_score: Set(i32::from(settings.lead)),
            automatic: Set(settings.automatic),
            updated_by: Set(by.clone()),
            ..ActiveModel::default()
        };
        let update =
            Entity::update_many().set(row).col_expr(Column::Version, Expr::col(Column::Version).add(1));
        update.exec(&transaction).await.map_err(store_error)?;
        wait(&transaction, true, by).await.map_err(store_error)?;
        let after = matching(&transaction).await?;
        let record = Record {
            action: AuditAction::Updated,
            resource: RESOURCE,
            item: String::new(),
            title: String::new(),
            version: Some(after.version),
            diff: difference(&fields_of(&before.settings), &fields_of(&after.settings)),
        };
        record_one(&transaction, edit, record).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(Written::Done(after))
    }

    pub(super) async fn try_request(&self, edit: &Edit) -> Result<(), DbErr> {
        let transaction = self.0.begin().await?;
        wait(&transaction, true, edit.by.as_ref().map(ToString::to_string)).await?;
        let record = Record {
            action: AuditAction::Requested,
            resource: RESOURCE,
            item: String::new(),
            title: String::new(),
            version: None,
            diff: FieldDiff::default(),
        };
        record_one(&transaction, edit, record).await?;
        transaction.commit().await
    }

    pub(super) async fn begin_due(&self) -> Result<bool, StoreError> {
        let row = only_row(&self.0.reader).await?;
        if is_unfinished(&row.state) {
            return Ok(false);
        }
        let whole = row.guides_seen != guides_now(&self.0.reader).await?;
        if !whole {
            // A repetition would fail again.
            if row.state == "FAILED" {
                return Ok(false);
            }
            let mut sql = Sql::new("SELECT m.id");
            reading::push_without_link(&mut sql, false);
            sql.push(" LIMIT ").bind(1_i64);
            if rows(&self.0.scanner, sql).await?.is_empty() {
                return Ok(false);
            }
        }
        let waiting = ActiveModel {
            state: Set("WAITING".to_owned()),
            requested_by: Set(None),
            whole: Set(whole),
            ..ActiveModel::default()
        };
        let update = Entity::update_many().set(waiting).filter(Column::State.eq(row.state));
        Ok(update.exec(&self.0.writer).await.map_err(store_error)?.rows_affected == 1)
    }

    /// Whether an unfinished operation has links to make.
    async fn is_linking(&self) -> Result<bool, DbErr> {
        let sheet = (bulk_operations::Entity, bulk_operations::Column::SheetId);
        let links = Query::select()
            .column(epg_decisions::Column::Id)
            .from(epg_decisions::Entity)
            .and_where(Expr::col((epg_decisions::Entity, epg_decisions::Column::SheetId)).equals(sheet))
            .take();
        let linking = bulk_operations::Entity::find()
            .select_only()
            .column(bulk_operations::Column::Id)
            .filter(bulk_operations::Column::FinishedDate.is_null())
            .filter(bulk_operations::Column::SheetId.is_not_null())
            .filter(Expr::exists(links));
        Ok(linking.into_tuple::<Id>().one(&self.0.reader).await?.is_some())
    }

    pub(super) async fn take_unfinished(&self) -> Result<Option<ClaimedMatching>, StoreError> {
        // An idle node writes nothing.
        if !is_unfinished(&only_row(&self.0.reader).await?.state) {
            return Ok(None);
        }
        // Channels being linked are matched afterwards.
        if self.is_linking().await.map_err(store_error)? {
            return Ok(None);
        }
        let transaction = self.0.begin().await.map_err(store_error)?;
        let state = Expr::col(Column::State);
        let claimed = Expr::case(state.clone().eq("LINKING"), state).finally("RUNNING");
        let claim = Entity::update_many()
            .col_expr(Column::State, claimed.into())
            .col_expr(Column::Attempt, Expr::col(Column::Attempt).add(1))
            .filter(Column::State.is_not_in(["IDLE", "FAILED"]));
        if claim.exec(&transaction).await.map_err(store_error)?.rows_affected == 0 {
            return Ok(None);
        }
        let row = only_row(&transaction).await?;
        let guides = guides_now(&transaction).await?;
        transaction.commit().await.map_err(store_error)?;
        Ok(Some(ClaimedMatching {
            settings: settings_of(&row)?,
            by: row.requested_by.or(row.updated_by),
            whole: row.whole,
            guides,
            attempt: row.attempt,
            compared: row.state == "LINKING",
        }))
    }

    pub(super) async fn try_end_comparison(
        &self,
        claim: &ClaimedMatching,
        counts: MatchingCounts,
        now: DateTime<Utc>,
    ) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        if !is_ours(&transaction, claim).await? {
            return Ok(false);
        }
        found::forget(&transaction).await?;
        changed_rows(&transaction, reading::reviews_ended()).await?;
        let row = ActiveModel { counts: Set(text_of(&counts)?), ..finished(claim, now) };
        // A request made meanwhile stays pending.
        let state = Expr::col(Column::State);
        let linking = Expr::case(state.clone().eq("RUNNING"), "LINKING").finally(state);
        let update = Entity::update_many().set(row).col_expr(Column::State, linking.into());
        update.exec(&transaction).await?;
        transaction.commit().await?;
        Ok(true)
    }

    pub(super) async fn try_end(&self, claim: &ClaimedMatching) -> Result<(), DbErr> {
        let update = Entity::update_many()
            .col_expr(Column::State, "IDLE".into())
            .filter(Column::State.eq("LINKING"))
            .filter(Column::Attempt.eq(claim.attempt));
        update.exec(&self.0.writer).await.map(drop)
    }

    pub(super) async fn try_fail(&self, claim: &ClaimedMatching, now: DateTime<Utc>) -> Result<(), DbErr> {
        let row = ActiveModel { state: Set("FAILED".to_owned()), ..finished(claim, now) };
        // A request made meanwhile stays pending.
        let update = Entity::update_many()
            .set(row)
            .filter(Column::State.is_in(["RUNNING", "LINKING"]))
            .filter(Column::Attempt.eq(claim.attempt));
        update.exec(&self.0.writer).await.map(drop)
    }
}
