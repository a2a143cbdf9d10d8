//! The log of backups.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_kernel::{Enumeration, FieldDiff, Id};
use domain_settings::{Backup, BackupOrigin, BackupState};
use ports::{BackupDates, BackupLog, BackupOutcome, Edit, StoreError};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, Query, SelectStatement},
};

use crate::{
    Database,
    audit::{Record, record_one},
    db::{
        error::{is_unique, store_error},
        values::member,
    },
    entities::backups::{ActiveModel, Column, Entity, Model},
};

/// The store of the log of backups.
#[derive(Debug, Clone)]
pub struct SeaOrmBackups(pub Database);

/// Maximum number of stored entries, besides good backups with a file, whose entry is needed to
/// remove the file.
const REMEMBERED: i64 = 1000;

/// The date of the newest entry, or of the newest one with this condition.
fn newest_date(condition: Option<Expr>) -> SelectStatement {
    Query::select().expr(Column::CreatedDate.max()).from(Entity).and_where_option(condition).take()
}

fn backup(row: Model) -> Result<Backup, StoreError> {
    let state = member(&row.state)?;
    Ok(Backup {
        id: row.id,
        origin: member(&row.origin)?,
        requested_by: row.requested_by,
        state,
        file_name: row.file_name.filter(|_| state == BackupState::Good),
        created_date: row.created_date,
        finished_date: row.finished_date,
        duration_ms: row.duration_ms,
        size: row.size,
        detail: row.detail,
    })
}

#[async_trait]
impl BackupLog for SeaOrmBackups {
    async fn newest(&self, limit: u64) -> Result<Vec<Backup>, StoreError> {
        let limit = limit.min(i64::MAX.unsigned_abs());
        let rows = Entity::find().order_by_desc(Column::Id).limit(limit).all(&self.0.reader).await;
        rows.map_err(store_error)?.into_iter().map(backup).collect()
    }

    async fn dates(&self) -> Result<BackupDates, StoreError> {
        let is_good = Column::State.eq(BackupState::Good.code());
        // Both dates in one statement, so that they are of one state of the log.
        let query = Query::select()
            .expr_as(newest_date(Some(is_good)), "last_good")
            .expr_as(newest_date(None), "last_attempt")
            .take();
        let row = self.0.reader.query_one(&query).await.map_err(store_error)?;
        let Some(row) = row else { return Ok(BackupDates::default()) };
        Ok(BackupDates {
            last_good: row.try_get("", "last_good").map_err(store_error)?,
            last_attempt: row.try_get("", "last_attempt").map_err(store_error)?,
        })
    }

    async fn files(&self) -> Result<Vec<(String, bool)>, StoreError> {
        let files = Entity::find()
            .select_only()
            .columns([Column::FileName, Column::State])
            .filter(Column::FinishedDate.is_not_null())
            .filter(Column::FileName.is_not_null())
            .order_by_desc(Column::Id)
            .into_tuple::<(String, String)>();
        let files = files.all(&self.0.reader).await.map_err(store_error)?;
        Ok(files.into_iter().map(|(file, state)| (file, state == BackupState::Good.code())).collect())
    }

    async fn add(&self, origin: BackupOrigin, edit: &Edit) -> Result<Option<Backup>, StoreError> {
        let row = ActiveModel {
            origin: Set(origin.code().to_owned()),
            requested_by: Set(edit.by.as_ref().map(ToString::to_string)),
            state: Set(BackupState::Waiting.code().to_owned()),
            created_date: Set(edit.at),
            ..ActiveModel::default()
        };
        let transaction = self.0.begin().await.map_err(store_error)?;
        match Entity::insert(row).exec_with_returning(&transaction).await {
            Ok(row) => {
                let added = backup(row)?;
                if edit.by.is_some() {
                    let requested = Record {
                        action: AuditAction::Requested,
                        resource: "backups",
                        item: added.id.to_string(),
                        title: String::new(),
                        version: None,
                        diff: FieldDiff::default(),
                    };
                    record_one(&transaction, edit, requested).await.map_err(store_error)?;
                }
                transaction.commit().await.map_err(store_error)?;
                Ok(Some(added))
            }
            // A unique index refuses a second unfinished backup.
            Err(error) if is_unique(&error) => Ok(None),
            Err(error) => Err(store_error(error)),
        }
    }

    async fn unfinished(&self) -> Result<Option<Backup>, StoreError> {
        let row = Entity::find().filter(Column::FinishedDate.is_null()).one(&self.0.reader).await;
        row.map_err(store_error)?.map(backup).transpose()
    }

    async fn begin(&self, id: Id, file_name: &str) -> Result<(), StoreError> {
        let row = ActiveModel {
            state: Set(BackupState::Running.code().to_owned()),
            file_name: Set(Some(file_name.to_owned())),
            ..ActiveModel::default()
        };
        let update =
            Entity::update_many().set(row).filter(Column::FinishedDate.is_null()).filter(Column::Id.eq(id));
        update.exec(&self.0.writer).await.map(drop).map_err(store_error)
    }

    async fn forget_file(&self, file_name: &str) -> Result<(), StoreError> {
        let row = ActiveModel { file_name: Set(None), ..ActiveModel::default() };
        let update = Entity::update_many().set(row).filter(Column::FileName.eq(file_name));
        update.exec(&self.0.writer).await.map(drop).map_err(store_error)
    }

    async fn finish(&self, id: Id, outcome: &BackupOutcome, now: DateTime<Utc>) -> Result<(), StoreError> {
        let finished = ActiveModel { finished_date: Set(Some(now)), ..ActiveModel::default() };
        let row = match outcome {
            BackupOutcome::Good { file_name, size, duration_ms } => ActiveModel {
                state: Set(BackupState::Good.code().to_owned()),
                file_name: Set(Some(file_name.clone())),
                size: Set(Some(*size)),
                duration_ms: Set(Some(*duration_ms)),
                ..finished
            },
            BackupOutcome::Failed { detail, duration_ms } => ActiveModel {
                state: Set(BackupState::Failed.code().to_owned()),
                detail: Set(Some(detail.clone())),
                duration_ms: Set(*duration_ms),
                ..finished
            },
        };
        let update = Entity::update_many().set(row).filter(Column::Id.eq(id));
        update.exec(&self.0.writer).await.map_err(store_error)?;
        let old = Entity::delete_many()
            .filter(Column::FinishedDate.is_not_null())
            .filter(
                Condition::any()
                    .add(Column::FileName.is_null())
                    .add(Column::State.eq(BackupState::Failed.code())),
            )
            .filter(Column::Id.lte(id - REMEMBERED));
        old.exec(&self.0.writer).await.map(drop).map_err(store_error)
    }
}
