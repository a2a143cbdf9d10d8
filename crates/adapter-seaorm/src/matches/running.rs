//! Settings and state of the job, in one row.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_kernel::{FieldDiff, Version, difference};
use domain_live::matching::{MatchLevel, Matching, MatchingCounts, MatchingSettings};
use ports::{ClaimedMatching, Edit, StoreError, Written};
use sea_orm::{ConnectionTrait, DbErr, QueryResult};

use super::{
    CHANNELS_OF_MATCHES, SHOWN, SeaOrmMatches, broken, changed_rows, get, is_ours, json, member, reading,
    rows, text_of,
};
use crate::{
    audit::{Record, fields_of, record_one},
    db::{error::store_error, sql::Sql},
};

const RESOURCE: &str = "epg-matching";

fn settings_of(row: &QueryResult) -> Result<MatchingSettings, StoreError> {
    let score = |column| u8::try_from(get::<i32>(row, column)?).map_err(broken);
    Ok(MatchingSettings {
        auto: score("auto_score")?,
        review: score("review_score")?,
        lead: score("lead_score")?,
        automatic: get(row, "automatic")?,
    })
}

async fn only_row(connection: &impl ConnectionTrait) -> Result<QueryResult, StoreError> {
    let found = rows(connection, Sql::new("SELECT x.* FROM epg_matching x")).await?.pop();
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
        version: get(&row, "version")?,
        updated_by: get(&row, "updated_by")?,
        state: member(&get::<String>(&row, "state")?)?,
        requested_by: get(&row, "requested_by")?,
        finished_date: get(&row, "finished_date")?,
        counts: json(&get::<String>(&row, "counts")?).unwrap_or_default(),
        levels,
    })
}

fn is_unfinished(state: &str) -> bool {
    !["IDLE", "FAILED"].contains(&state)
}

/// Guides with channels to compare, and their numbers of changes.
async fn guides_now(connection: &impl ConnectionTrait) -> Result<String, StoreError> {
    let sql = Sql::new(
        "SELECT t.id, f.channels_version, f.priority FROM tv_guides t JOIN guide_fetches f ON f.guide_id = t.id \
         WHERE t.active AND f.last_good_date IS NOT NULL ORDER BY t.id",
    );
    let guide = |row: &QueryResult| -> Result<String, StoreError> {
        let (id, version): (i64, i64) = (get(row, "id")?, get(row, "channels_version")?);
        Ok(format!("{id}:{version}:{}", get::<i32>(row, "priority")?))
    };
    let guides: Result<Vec<String>, StoreError> = rows(connection, sql).await?.iter().map(guide).collect();
    Ok(guides?.join(" "))
}

/// Makes a run wait for the job; a running one is repeated afterwards.
async fn wait(connection: &impl ConnectionTrait, whole: bool, by: Option<String>) -> Result<u64, DbErr> {
    let mut sql = Sql::new("UPDATE epg_matching SET state = 'WAITING', whole = ");
    // A waiting complete run stays complete.
    sql.bind(whole).push(" OR (whole AND state <> 'IDLE'), requested_by = ").bind(by);
    changed_rows(connection, sql).await
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
        let hold = Sql::new("UPDATE epg_matching SET version = version");
        changed_rows(&transaction, hold).await.map_err(store_error)?;
        let before = matching(&transaction).await?;
        if expected.is_some_and(|expected| expected != before.version) {
            return Ok(Written::Outdated(before));
        }
        let by = edit.by.as_ref().map(ToString::to_string);
        let mut sql = Sql::new("UPDATE epg_matching SET version = version + 1, auto_score = ");
        sql.bind(i32::from(settings.auto)).push(", review_score = ").bind(i32::from(settings.review));
        sql.push(", lead_score = ").bind(i32::from(settings.lead)).push(", automatic = ");
        sql.bind(settings.automatic).push(", updated_by = ").bind(by.clone());
        changed_rows(&transaction, sql).await.map_err(store_error)?;
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
        let state = get::<String>(&row, "state")?;
        if is_unfinished(&state) {
            return Ok(false);
        }
        let whole = get::<String>(&row, "guides_seen")? != guides_now(&self.0.reader).await?;
        if !whole {
            // A repetition would fail again.
            if state == "FAILED" {
                return Ok(false);
            }
            let mut sql = Sql::new("SELECT m.id");
            reading::push_without_link(&mut sql, false);
            sql.push(" LIMIT ").bind(1_i64);
            if rows(&self.0.scanner, sql).await?.is_empty() {
                return Ok(false);
            }
        }
        let mut sql = Sql::new("UPDATE epg_matching SET state = 'WAITING', requested_by = NULL, whole = ");
        sql.bind(whole).push(" WHERE state = ").bind(state);
        Ok(changed_rows(&self.0.writer, sql).await.map_err(store_error)? == 1)
    }

    pub(super) async fn take_unfinished(&self) -> Result<Option<ClaimedMatching>, StoreError> {
        // An idle node writes nothing.
        if !is_unfinished(&get::<String>(&only_row(&self.0.reader).await?, "state")?) {
            return Ok(None);
        }
        // Channels being linked are matched afterwards.
        let linking = Sql::new(
            "SELECT count(*) AS total FROM bulk_operations o WHERE o.finished_date IS NULL AND o.sheet_id IS NOT NULL \
             AND EXISTS (SELECT 1 FROM epg_decisions d WHERE d.sheet_id = o.sheet_id)",
        );
        if linking.total(&self.0.reader).await? > 0 {
            return Ok(None);
        }
        let transaction = self.0.begin().await.map_err(store_error)?;
        let claim = Sql::new(
            "UPDATE epg_matching SET state = CASE WHEN state = 'LINKING' THEN state ELSE 'RUNNING' END, \
             attempt = attempt + 1 WHERE state NOT IN ('IDLE', 'FAILED')",
        );
        if changed_rows(&transaction, claim).await.map_err(store_error)? == 0 {
            return Ok(None);
        }
        let row = only_row(&transaction).await?;
        let guides = guides_now(&transaction).await?;
        transaction.commit().await.map_err(store_error)?;
        let requested: Option<String> = get(&row, "requested_by")?;
        Ok(Some(ClaimedMatching {
            settings: settings_of(&row)?,
            by: requested.or(get(&row, "updated_by")?),
            whole: get(&row, "whole")?,
            guides,
            attempt: get(&row, "attempt")?,
            compared: get::<String>(&row, "state")? == "LINKING",
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
        for sql in super::found::forgotten() {
            changed_rows(&transaction, sql).await?;
        }
        changed_rows(&transaction, reading::reviews_ended()).await?;
        let mut sql = Sql::new("UPDATE epg_matching SET finished_date = ");
        sql.bind(now).push(", counts = ").bind(text_of(&counts)?);
        if claim.whole {
            sql.push(", guides_seen = ").bind(claim.guides.clone());
        }
        // A request made meanwhile stays pending.
        sql.push(", state = CASE WHEN state = 'RUNNING' THEN 'LINKING' ELSE state END");
        changed_rows(&transaction, sql).await?;
        transaction.commit().await?;
        Ok(true)
    }

    pub(super) async fn try_end(&self, claim: &ClaimedMatching) -> Result<(), DbErr> {
        let mut sql =
            Sql::new("UPDATE epg_matching SET state = 'IDLE' WHERE state = 'LINKING' AND attempt = ");
        sql.bind(claim.attempt);
        changed_rows(&self.0.writer, sql).await.map(drop)
    }

    pub(super) async fn try_fail(&self, claim: &ClaimedMatching, now: DateTime<Utc>) -> Result<(), DbErr> {
        let mut sql = Sql::new("UPDATE epg_matching SET state = 'FAILED', finished_date = ");
        sql.bind(now);
        if claim.whole {
            sql.push(", guides_seen = ").bind(claim.guides.clone());
        }
        // A request made meanwhile stays pending.
        sql.push(" WHERE state IN ('RUNNING', 'LINKING') AND attempt = ").bind(claim.attempt);
        changed_rows(&self.0.writer, sql).await.map(drop)
    }
}
