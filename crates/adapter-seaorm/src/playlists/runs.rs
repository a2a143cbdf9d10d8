//! Runs: begin, claim by one process at a time, end.

mod claiming;
mod ending;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Enumeration, Id, ListQuery, Page};
use domain_live::{
    diff::EntryChange,
    run::{ApplyFault, PlaylistRun, RunCounts, RunState},
    source::PlaylistSource,
};
use ports::{
    AnotherRun, ClaimedRun, EntryWrite, IdempotencyKey, Inserted, KnownEntry, LeftOut, NewRun,
    PlaylistRunRepository, RunEnd, StoreError, UnfinishedRun,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::LockType,
};

use self::claiming::{TO_APPLY, UNFINISHED, first, is_ours, waiting, waiting_run};
use super::{
    ROWS_AT_ONCE, SeaOrmPlaylists,
    entry_rows::{new_entry, see},
    json,
    run_lists::{LineList, RunList},
    run_of, sources, text_of,
};
use crate::{
    db::{
        error::{db_error, is_overtaken, is_unique, store_error},
        retries::tried,
        transaction::Transaction,
    },
    entities::{
        playlist_entries as entries, playlist_run_files as files,
        playlist_runs::{ActiveModel, Column, Entity},
        playlist_sources,
    },
    idempotency::{Earlier, answered, keep_answer},
    list::page,
};

impl SeaOrmPlaylists {
    async fn try_begin(
        &self,
        new: &NewRun,
        once: Option<&IdempotencyKey>,
    ) -> Result<Inserted<PlaylistRun, AnotherRun>, DbErr> {
        let transaction = self.0.begin().await?;
        if let Some(once) = once {
            match answered(&transaction, once).await? {
                None => {}
                Some(Earlier::KeyReused) => return Ok(Inserted::KeyReused),
                Some(Earlier::Replayed(id)) => {
                    let id: Id = id.parse().map_err(|_| DbErr::Custom("a response that is no id".into()))?;
                    let row = Entity::find_by_id(id).one(&transaction).await?;
                    let row = row.ok_or_else(|| DbErr::RecordNotFound("a run".into()))?;
                    return run_of(row).map(Inserted::Replayed).map_err(db_error);
                }
            }
        }
        let (file_name, file) = new.file.clone().unzip();
        let row =
            row_of(new.source, file_name, new.accept_loss, Some(new.created_by.clone()), new.created_date)?;
        let stored = Entity::insert(row).exec_with_returning(&transaction).await?;
        if let Some(content) = file {
            let file = files::ActiveModel { run_id: Set(stored.id), content: Set(content) };
            files::Entity::insert(file).exec_without_returning(&transaction).await?;
        }
        if let Some(once) = once {
            keep_answer(&transaction, once, stored.id.to_string(), new.created_date).await?;
        }
        transaction.commit().await?;
        run_of(stored).map(Inserted::New).map_err(db_error)
    }

    /// Records the due run of a source, unless another one is unfinished; sets the time of the next
    /// one either way.
    async fn schedule_one(&self, source: playlist_sources::Model, now: DateTime<Utc>) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        let hours = i64::from(source.refresh_hours.unwrap_or(24));
        let next = playlist_sources::ActiveModel {
            next_refresh_date: Set(Some(now + TimeDelta::hours(hours))),
            ..<playlist_sources::ActiveModel as Default>::default()
        };
        let column = playlist_sources::Column::NextRefreshDate;
        let moved = playlist_sources::Entity::update_many()
            .set(next)
            .filter(playlist_sources::Column::Id.eq(source.id))
            .filter(column.lte(now))
            .exec(&transaction)
            .await?;
        let unfinished = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::SourceId.eq(source.id))
            .filter(Column::FinishedDate.is_null())
            .into_tuple::<Id>()
            .one(&transaction)
            .await?;
        let begins = moved.rows_affected > 0 && unfinished.is_none();
        if begins {
            let mut row = row_of(source.id, None, false, None, now)?;
            row.scheduled = Set(true);
            Entity::insert(row).exec_without_returning(&transaction).await?;
        }
        transaction.commit().await?;
        Ok(begins)
    }

    async fn try_write(
        &self,
        claim: &ClaimedRun,
        slice: &[EntryWrite],
        now: DateTime<Utc>,
    ) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        if !is_ours(&transaction, claim).await? {
            return Ok(false);
        }
        let mut added = Vec::new();
        let mut seen = Vec::new();
        let mut missed = Vec::new();
        for write in slice {
            match write {
                EntryWrite::Add(entry, candidates) => {
                    added.push(new_entry(claim.source.id, entry, candidates)?);
                }
                EntryWrite::See(id, entry, sign) => seen.push((*id, entry, *sign)),
                EntryWrite::Miss(id) => missed.push(*id),
            }
        }
        for some in added.chunks(ROWS_AT_ONCE) {
            entries::Entity::insert_many(some.iter().cloned()).exec_without_returning(&transaction).await?;
        }
        for some in seen.chunks(ROWS_AT_ONCE) {
            see(&transaction, some).await?;
        }
        for some in missed.chunks(ROWS_AT_ONCE) {
            let missing = entries::ActiveModel {
                change: Set(EntryChange::Missing.code().to_owned()),
                missing_since: Set(Some(now)),
                ..entries::ActiveModel::default()
            };
            let update = entries::Entity::update_many()
                .set(missing)
                .filter(entries::Column::MissingSince.is_null())
                .filter(entries::Column::Id.is_in(some.iter().copied()));
            update.exec(&transaction).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    async fn try_keep_list(&self, claim: &ClaimedRun, list: &[u8]) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        if !is_ours(&transaction, claim).await? {
            return Ok(false);
        }
        let file = files::ActiveModel { run_id: Set(claim.run.id), content: Set(list.to_vec()) };
        files::Entity::insert(file).exec_without_returning(&transaction).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

#[async_trait]
impl PlaylistRunRepository for SeaOrmPlaylists {
    async fn begin(
        &self,
        run: NewRun,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<PlaylistRun, AnotherRun>, StoreError> {
        match tried(is_overtaken, || self.try_begin(&run, once.as_ref())).await {
            Err(error) if is_unique(&error) => Ok(Inserted::Conflict(AnotherRun)),
            outcome => outcome.map_err(store_error),
        }
    }

    async fn list(&self, source: Id, query: &ListQuery) -> Result<Page<Vec<PlaylistRun>>, StoreError> {
        page(&self.0, &RunList(source), query).await
    }

    async fn find(&self, source: Id, id: Id) -> Result<Option<PlaylistRun>, StoreError> {
        let find = Entity::find_by_id(id).filter(Column::SourceId.eq(source));
        find.one(&self.0.reader).await.map_err(store_error)?.map(run_of).transpose()
    }

    async fn source_of(&self, run: Id) -> Result<Option<Id>, StoreError> {
        let found = Entity::find_by_id(run).one(&self.0.reader).await.map_err(store_error)?;
        Ok(found.map(|run| run.source_id))
    }

    async fn newest_finished(&self, source: Id) -> Result<Option<PlaylistRun>, StoreError> {
        let find = Entity::find()
            .filter(Column::SourceId.eq(source))
            .filter(Column::State.eq(RunState::Finished.code()))
            .order_by_desc(Column::Id);
        find.one(&self.0.reader).await.map_err(store_error)?.map(run_of).transpose()
    }

    async fn left_out(&self, run: Id, query: &ListQuery) -> Result<Page<Vec<LeftOut>>, StoreError> {
        page(&self.0, &LineList(run), query).await
    }

    async fn schedule(&self, now: DateTime<Utc>) -> Result<u64, StoreError> {
        let due = playlist_sources::Entity::find()
            .filter(playlist_sources::Column::NextRefreshDate.lte(now))
            .all(&self.0.reader)
            .await
            .map_err(store_error)?;
        let mut begun = 0;
        for source in due {
            begun += u64::from(self.schedule_one(source, now).await.map_err(store_error)?);
        }
        Ok(begun)
    }

    async fn unfinished(&self) -> Result<Vec<UnfinishedRun>, StoreError> {
        let mut sql = waiting(UNFINISHED);
        sql.push(" ORDER BY r.id");
        let rows = self.0.reader.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        rows.iter().map(|row| waiting_run(row).map_err(store_error)).collect()
    }

    async fn claim(&self, id: Id) -> Result<Option<ClaimedRun>, StoreError> {
        if !tried(is_overtaken, || self.try_claim(id)).await.map_err(store_error)? {
            return Ok(None);
        }
        let row = Entity::find_by_id(id).one(&self.0.writer).await.map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let find = playlist_sources::Entity::find_by_id(row.source_id);
        let source = find.one(&self.0.writer).await.map_err(store_error)?;
        let Some(source) = source else { return Ok(None) };
        let file = files::Entity::find_by_id(id).one(&self.0.writer).await.map_err(store_error)?;
        Ok(Some(ClaimedRun {
            attempt: row.attempt,
            run: run_of(row)?,
            etag: source.etag.clone(),
            source: sources::source_of(source, None)?,
            file: file.map(|file| file.content),
        }))
    }

    async fn known(&self, source: Id, after: Id, limit: u64) -> Result<Vec<KnownEntry>, StoreError> {
        use entries::Column as Entry;
        let rows: Vec<(Id, String, Option<DateTime<Utc>>, bool)> = entries::Entity::find()
            .select_only()
            .columns([Entry::Id, Entry::Content, Entry::MissingSince, Entry::InUse])
            .filter(Entry::SourceId.eq(source))
            .filter(Entry::Id.gt(after))
            .order_by_asc(Entry::Id)
            .limit(limit)
            .into_tuple()
            .all(&self.0.scanner)
            .await
            .map_err(store_error)?;
        let known = |(id, content, missing_since, in_use): (Id, String, Option<DateTime<Utc>>, bool)| {
            Ok(KnownEntry { id, entry: json(&content)?, missing: missing_since.is_some(), in_use })
        };
        rows.into_iter().map(known).collect()
    }

    async fn write(
        &self,
        claim: &ClaimedRun,
        slice: Vec<EntryWrite>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        tried(is_overtaken, || self.try_write(claim, &slice, now)).await.map_err(store_error)
    }

    async fn end(&self, claim: &ClaimedRun, end: RunEnd, now: DateTime<Utc>) -> Result<bool, StoreError> {
        tried(is_overtaken, || self.try_end(claim, &end, now)).await.map_err(store_error)
    }

    async fn keep_list(&self, claim: &ClaimedRun, list: &[u8]) -> Result<bool, StoreError> {
        tried(is_overtaken, || self.try_keep_list(claim, list)).await.map_err(store_error)
    }

    async fn waiting_for_apply(&self) -> Result<Option<(PlaylistRun, PlaylistSource)>, StoreError> {
        let found = first(&self.0.reader, waiting(TO_APPLY)).await.map_err(store_error)?;
        let Some(waits) = found else { return Ok(None) };
        let run = Entity::find_by_id(waits.run).one(&self.0.writer).await.map_err(store_error)?;
        let source = sources::find_in(&self.0.writer, waits.source).await?;
        Ok(run.map(run_of).transpose()?.zip(source))
    }

    async fn end_apply(&self, run: Id, fault: Option<ApplyFault>) -> Result<(), StoreError> {
        let ended = ActiveModel {
            waits_for_apply: Set(false),
            apply_fault: Set(fault.map(|fault| fault.code().to_owned())),
            ..<ActiveModel as Default>::default()
        };
        let update = Entity::update_many().set(ended).filter(Column::Id.eq(run));
        let update = update.filter(Column::WaitsForApply.eq(true));
        update.exec(&self.0.writer).await.map(drop).map_err(store_error)
    }
}

fn row_of(
    source: Id,
    file_name: Option<String>,
    accept_loss: bool,
    created_by: Option<String>,
    created_date: DateTime<Utc>,
) -> Result<ActiveModel, DbErr> {
    Ok(ActiveModel {
        source_id: Set(source),
        state: Set(RunState::Waiting.code().to_owned()),
        scheduled: Set(false),
        file_name: Set(file_name),
        accept_loss: Set(accept_loss),
        attempt: Set(0),
        created_by: Set(created_by),
        created_date: Set(created_date),
        counts: Set(text_of(&RunCounts::default())?),
        guides: Set("[]".to_owned()),
        operations: Set("[]".to_owned()),
        waits_for_apply: Set(false),
        ..<ActiveModel as Default>::default()
    })
}

/// Adds operations to those that applied the changes of a run.
pub(crate) async fn note_operations(
    transaction: &Transaction,
    run: Id,
    operations: &[Id],
) -> Result<(), DbErr> {
    let row = Entity::find_by_id(run).lock(LockType::Update).one(transaction).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound(format!("run {run}")))?;
    let mut noted: Vec<Id> = json(&row.operations).map_err(|error| DbErr::Type(error.to_string()))?;
    noted.extend(operations);
    let operations = Set(text_of(&noted)?);
    let change = ActiveModel { operations, ..<ActiveModel as Default>::default() };
    let update = Entity::update_many().set(change).filter(Column::Id.eq(run));
    update.exec(transaction).await.map(drop)
}
