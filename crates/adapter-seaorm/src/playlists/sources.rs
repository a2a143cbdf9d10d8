//! Sources: list, add, change and delete.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::TimeDelta;
use domain_audit::AuditAction;
use domain_kernel::{
    Enumeration, FieldDiff, Id, ListQuery, Page, Version, WebUrl, difference, fold, order_key,
};
use domain_live::{
    run::PlaylistRun,
    source::{PlaylistSource, PlaylistSourceDraft},
};
use garde::Valid;
use ports::{Edit, IdempotencyKey, Inserted, PlaylistSourceRepository, StoreError, Written};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, PaginatorTrait,
    QueryFilter, QueryOrder, QueryResult, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, LockType},
};

use super::{SeaOrmPlaylists, broken, json, member, run_of, text_of};
use crate::{
    audit::{self as recorded, Record, delete_recorded, fields_of, record_one},
    category_types::hold_channel_categories,
    db::{
        error::{db_error, is_overtaken, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
    },
    entities::{
        playlist_runs,
        playlist_sources::{ActiveModel, Column, Entity, Model},
    },
    idempotency::{Earlier, answered, keep_answer},
    list::{AccessPath, ListRequest, ListTable, page, rows_of_list},
};

const COLUMNS: &str = "s.id, s.version, s.title, s.title_key, s.search_text, s.url, s.refresh_hours, s.automatic, \
     s.default_category_id, s.categories, s.first_number, s.radio_country, s.radio_genre, s.active, s.updated_by, \
     s.created_date, s.updated_date, s.next_refresh_date, s.etag";

pub(super) fn source_of(row: Model, last_run: Option<PlaylistRun>) -> Result<PlaylistSource, StoreError> {
    Ok(PlaylistSource {
        id: row.id,
        version: row.version,
        draft: PlaylistSourceDraft {
            title: row.title,
            url: row.url.map(WebUrl),
            refresh_hours: row.refresh_hours.and_then(|hours| u16::try_from(hours).ok()),
            automatic: member(&row.automatic)?,
            default_category_id: row.default_category_id,
            categories: json(&row.categories)?,
            first_number: row.first_number,
            radio_country: row.radio_country,
            radio_genre: row.radio_genre,
            active: row.active,
        },
        updated_by: row.updated_by,
        created_date: row.created_date,
        updated_date: row.updated_date,
        next_refresh_date: row.next_refresh_date,
        last_run,
    })
}

/// The columns set by a draft. The next refresh is counted from the change.
fn row(draft: &PlaylistSourceDraft, edit: &Edit) -> Result<ActiveModel, DbErr> {
    let masked = draft.masked();
    let address = masked.url.map(|url| url.0).unwrap_or_default();
    let hours = draft.refresh_hours.filter(|_| draft.active);
    Ok(ActiveModel {
        title: Set(draft.title.clone()),
        title_key: Set(order_key(&draft.title)),
        search_text: Set([&draft.title, &address].map(|text| fold(text)).join("\n")),
        url: Set(draft.url.as_ref().map(|url| url.0.clone())),
        refresh_hours: Set(draft.refresh_hours.map(i32::from)),
        automatic: Set(draft.automatic.code().to_owned()),
        default_category_id: Set(draft.default_category_id),
        categories: Set(text_of(&draft.categories)?),
        first_number: Set(draft.first_number),
        radio_country: Set(draft.radio_country.clone()),
        radio_genre: Set(draft.radio_genre.clone()),
        active: Set(draft.active),
        next_refresh_date: Set(hours.map(|hours| edit.at + TimeDelta::hours(hours.into()))),
        ..changed_by(edit)
    })
}

fn changed_by(edit: &Edit) -> ActiveModel {
    ActiveModel {
        updated_by: Set(edit.by.as_ref().map(ToString::to_string).unwrap_or_default()),
        updated_date: Set(edit.at),
        ..ActiveModel::default()
    }
}

/// Audit record of a source: its draft, without credentials.
pub(super) fn record_of(action: AuditAction, source: &PlaylistSource, diff: FieldDiff) -> Record {
    Record {
        action,
        resource: "playlist-sources",
        item: source.id.to_string(),
        title: source.draft.title.clone(),
        version: Some(source.version),
        diff,
    }
}

/// The newest run of each source.
async fn newest_runs(
    connection: &impl ConnectionTrait,
    sources: &[Id],
) -> Result<HashMap<Id, PlaylistRun>, StoreError> {
    if sources.is_empty() {
        return Ok(HashMap::new());
    }
    let newest = playlist_runs::Entity::find()
        .select_only()
        .column_as(playlist_runs::Column::Id.max(), "id")
        .filter(playlist_runs::Column::SourceId.is_in(sources.iter().copied()))
        .group_by(playlist_runs::Column::SourceId);
    let runs = playlist_runs::Entity::find()
        .filter(playlist_runs::Column::Id.in_subquery(newest.into_query()))
        .all(connection)
        .await
        .map_err(store_error)?;
    runs.into_iter().map(|row| run_of(row).map(|run| (run.source, run))).collect()
}

/// One source, read on this connection.
pub(super) async fn find_in(
    connection: &impl ConnectionTrait,
    id: Id,
) -> Result<Option<PlaylistSource>, StoreError> {
    let Some(row) = Entity::find_by_id(id).one(connection).await.map_err(store_error)? else {
        return Ok(None);
    };
    let last_run = newest_runs(connection, &[id]).await?.remove(&id);
    source_of(row, last_run).map(Some)
}

/// Number of sources that use a category. Its ID is in JSON written by `text_of`.
pub(crate) async fn count_of_category(connection: &impl ConnectionTrait, id: Id) -> Result<u64, DbErr> {
    let by_group = Column::Categories.contains(format!("\"categoryId\":{id}}}"));
    let names_it = Condition::any().add(Column::DefaultCategoryId.eq(id)).add(by_group);
    Entity::find().filter(names_it).count(connection).await
}

/// Replaces one category by another in all sources; returns their number.
pub(crate) async fn exchange_category(
    transaction: &Transaction,
    from: Id,
    to: Id,
    edit: &Edit,
) -> Result<u64, DbErr> {
    let mut changed_sources = 0;
    let rows = Entity::find().order_by_asc(Column::Id).lock(LockType::NoKeyUpdate).all(transaction).await?;
    for row in rows {
        let before = source_of(row, None).map_err(db_error)?;
        let mut after = before.clone();
        if !after.draft.exchange_category(from, to) {
            continue;
        }
        after.version += 1;
        let changed = ActiveModel {
            version: Set(after.version),
            default_category_id: Set(after.draft.default_category_id),
            categories: Set(text_of(&after.draft.categories)?),
            ..changed_by(edit)
        };
        Entity::update_many().set(changed).filter(Column::Id.eq(before.id)).exec(transaction).await?;
        let diff = difference(&fields_of(&before.draft.masked()), &fields_of(&after.draft.masked()));
        record_one(transaction, edit, record_of(AuditAction::Updated, &after, diff)).await?;
        changed_sources += 1;
    }
    if changed_sources > 0 {
        hold_channel_categories(transaction, &[to]).await?;
    }
    Ok(changed_sources)
}

struct SourceList;

rows_of_list!(SeaOrmPlaylists, 0, (), PlaylistSource, |store, _filter| SourceList, |rows| store
    .with_newest_runs(rows)
    .await);

impl ListTable for SourceList {
    type Row = PlaylistSource;

    const TABLE: &'static str = "playlist_sources";
    const ALIAS: &'static str = "s";
    const COLUMNS: &'static str = COLUMNS;
    const SORTS: &'static [(&'static str, &'static str)] = &[("title", "title_key")];
    const DEFAULT_ORDER: (&'static str, bool) = ("s.id", false);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> =
        |row| source_of(Model::from_query_result(row, "").map_err(store_error)?, None);

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        if let Some(text) = request.search.text() {
            sql.push(" WHERE ").push_like("s.search_text", text);
        }
    }
}

fn is_expected(id: Id, expected: Option<Version>) -> Condition {
    Condition::all().add(Column::Id.eq(id)).add_option(expected.map(|version| Column::Version.eq(version)))
}

impl SeaOrmPlaylists {
    async fn with_newest_runs(
        &self,
        mut sources: Vec<PlaylistSource>,
    ) -> Result<Vec<PlaylistSource>, StoreError> {
        let ids: Vec<Id> = sources.iter().map(|source| source.id).collect();
        let mut runs = newest_runs(&self.0.reader, &ids).await?;
        for source in &mut sources {
            source.last_run = runs.remove(&source.id);
        }
        Ok(sources)
    }

    async fn try_add(
        &self,
        draft: &PlaylistSourceDraft,
        edit: &Edit,
        once: Option<&IdempotencyKey>,
    ) -> Result<Result<Inserted<PlaylistSource>, StoreError>, DbErr> {
        let transaction = self.0.begin().await?;
        if let Some(once) = once {
            match answered(&transaction, once).await? {
                None => {}
                Some(Earlier::KeyReused) => return Ok(Ok(Inserted::KeyReused)),
                Some(Earlier::Replayed(id)) => {
                    let id = id.parse().map_err(|_| DbErr::Custom("a response that is no id".into()))?;
                    let found = find_in(&transaction, id).await;
                    let gone = || broken("the source of this request is missing");
                    return Ok(found.and_then(|found| found.ok_or_else(gone)).map(Inserted::Replayed));
                }
            }
        }
        let row = ActiveModel { version: Set(1), created_date: Set(edit.at), ..row(draft, edit)? };
        let stored = Entity::insert(row).exec_with_returning(&transaction).await?;
        hold_channel_categories(&transaction, &draft.category_ids()).await?;
        if let Some(once) = once {
            keep_answer(&transaction, once, stored.id.to_string(), edit.at).await?;
        }
        let source = match source_of(stored, None) {
            Ok(source) => source,
            Err(error) => return Ok(Err(error)),
        };
        let diff = recorded::added(fields_of(&source.draft.masked()));
        record_one(&transaction, edit, record_of(AuditAction::Created, &source, diff)).await?;
        transaction.commit().await?;
        Ok(Ok(Inserted::New(source)))
    }
}

#[async_trait]
impl PlaylistSourceRepository for SeaOrmPlaylists {
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<PlaylistSource>>, StoreError> {
        let mut found = page(&self.0, &SourceList, query).await?;
        found.content = self.with_newest_runs(found.content).await?;
        Ok(found)
    }

    async fn find(&self, id: Id) -> Result<Option<PlaylistSource>, StoreError> {
        find_in(&self.0.reader, id).await
    }

    async fn add(
        &self,
        draft: Valid<PlaylistSourceDraft>,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<PlaylistSource>, StoreError> {
        let draft = draft.into_inner();
        tried(is_overtaken, || self.try_add(&draft, edit, once.as_ref()))
            .await
            .unwrap_or_else(|error| Err(store_error(error)))
    }

    async fn replace(
        &self,
        id: Id,
        draft: Valid<PlaylistSourceDraft>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<PlaylistSource>, StoreError> {
        let draft = draft.into_inner();
        let transaction = self.0.begin().await.map_err(store_error)?;
        let Some(before) = find_in(&transaction, id).await? else { return Ok(Written::Missing) };
        let mut row = row(&draft, edit).map_err(store_error)?;
        if before.draft.url != draft.url {
            row.etag = Set(None);
        }
        // The time of the next refresh stays if interval and activity are unchanged.
        if (before.draft.refresh_hours, before.draft.active) == (draft.refresh_hours, draft.active) {
            row.next_refresh_date = Set(before.next_refresh_date);
        }
        let update = Entity::update_many()
            .set(row)
            .col_expr(Column::Version, Expr::col(Column::Version).add(1))
            .filter(is_expected(id, Some(expected.unwrap_or(before.version))));
        let done = update.exec(&transaction).await.map_err(store_error)?;
        let after = find_in(&transaction, id).await?;
        let Some(after) = after else { return Ok(Written::Missing) };
        if done.rows_affected == 0 {
            return Ok(Written::Outdated(after));
        }
        hold_channel_categories(&transaction, &draft.category_ids()).await.map_err(store_error)?;
        let diff = difference(&fields_of(&before.draft.masked()), &fields_of(&after.draft.masked()));
        let record = record_of(AuditAction::Updated, &after, diff);
        record_one(&transaction, edit, record).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(Written::Done(after))
    }

    async fn remove(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<PlaylistSource>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let Some(source) = find_in(&transaction, id).await? else { return Ok(Written::Missing) };
        let delete = Entity::delete_many().filter(is_expected(id, expected));
        let diff = FieldDiff { before: fields_of(&source.draft.masked()), ..FieldDiff::default() };
        let deleted = record_of(AuditAction::Deleted, &source, diff);
        let is_deleted = delete_recorded(transaction, delete, edit, deleted).await?;
        Ok(if is_deleted { Written::Done(source) } else { Written::Outdated(source) })
    }
}
