//! The trash: a deleted item is a row here until it is restored with the same ID, or removed by its
//! age. It is in no other table, so it is not counted anywhere.

use std::collections::{BTreeSet, HashMap};

use async_trait::async_trait;
use domain_audit::AuditAction;
use domain_catalogue::{Content, Kind, Season, Stored, TrashEntry};
use domain_kernel::{Code, Id, ListQuery, Page, Version, Violation, fold, order_key};
use domain_operations::Verdict;
use ports::{
    Edit, Removed, SliceOf, StoreError, TrashFilter, TrashRepository, Usage, Written, in_use, key_in_use,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IdenStatic,
    IntoActiveModel, Iterable, QueryFilter, QueryOrder, QueryResult, QuerySelect, sea_query::LockType,
};

use super::{
    SeaOrmContents,
    changing::usage_of,
    episodes,
    recording::{content_diff, record_about, record_of},
    rows::{Envelope, broken, model, named, stored},
    seasons,
    switching::carry_mark,
    table::{ContentTable, table_name},
};
use crate::{
    Database,
    audit::{record, were_changed_last_by},
    category_types::require_category_types,
    db::{
        error::{is_broken_reference, is_serialization_failure, is_unique, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
    },
    entities::trash::{ActiveModel, Column, Entity, Model},
    list::{AccessPath, ListRequest, ListTable, keys, page, push_range, rows_of_list},
};

/// Rows that one statement inserts.
const ROWS_AT_ONCE: usize = 500;
/// Rows of one natural key among which one is searched for that an undo did not bring back.
const MOST_HOLDERS: u32 = 500;

/// Lists the trash.
#[derive(Debug, Clone)]
pub struct SeaOrmTrash(pub Database);

fn unreadable(error: impl std::fmt::Display) -> DbErr {
    DbErr::Custom(error.to_string())
}

/// A row of the trash. It is deleted at the time of the edit.
fn trash_row<C: Content>(item: &Stored<C>, part_of: Option<Id>, edit: &Edit) -> Result<ActiveModel, DbErr> {
    let title = item.content.name();
    Ok(ActiveModel {
        kind: Set(C::KIND.path().to_owned()),
        item_id: Set(item.id),
        search_text: Set(fold(&title)),
        title_key: Set(order_key(&title)),
        title: Set(title),
        document: Set(serde_json::to_string(item).map_err(unreadable)?),
        deleted_date: Set(edit.at),
        deleted_by: Set(edit.by.as_ref().map(ToString::to_string)),
        part_of: Set(part_of),
        ..<ActiveModel as Default>::default()
    })
}

/// Copies the parts of a show into the trash, with audit entries; the database deletes them with
/// the show.
async fn add_parts<T: ContentTable>(
    transaction: &Transaction,
    show: Id,
    part_of: Id,
    edit: &Edit,
) -> Result<(), DbErr> {
    // A concurrent edit is either included in the trash, or refused: none is lost.
    let of_show = T::find().filter(named::<T>("tv_show_id").eq(show)).order_by_asc(named::<T>("id"));
    let rows = of_show.lock(LockType::Update).all(transaction).await?;
    let items =
        rows.iter().map(|row| stored::<T>(row).map_err(unreadable)).collect::<Result<Vec<_>, DbErr>>()?;
    let row = |item| trash_row(item, Some(part_of), edit);
    let rows = items.iter().map(row).collect::<Result<Vec<_>, DbErr>>()?;
    for some in rows.chunks(ROWS_AT_ONCE) {
        Entity::insert_many(some.iter().cloned()).exec_without_returning(transaction).await?;
    }
    let deleted = items.iter().map(|item| record_of(AuditAction::Deleted, item));
    record(transaction, edit, deleted.collect()).await
}

/// The row of a restored item. Its version is higher than any before; the database's counters count
/// it again.
fn row_of<T: ContentTable>(item: &Stored<T::Content>, edit: &Edit) -> Result<T::ActiveModel, StoreError> {
    let envelope = Envelope {
        id: item.id,
        version: item.version,
        views: item.views,
        created: item.created_date,
        updated: edit.at,
        updated_by: edit.by.as_ref().map(ToString::to_string),
    };
    let mut row = model::<T>(&item.content, envelope)?.into_active_model().reset_all();
    for column in T::Column::iter().filter(|column| T::DATABASE_MANAGED.contains(&column.as_str())) {
        row.set(column, 0_i64.into());
    }
    Ok(row)
}

/// An item of the trash with its version after restoration.
fn next_version<C: Content>(row: &Model) -> Result<Stored<C>, DbErr> {
    let mut item: Stored<C> = serde_json::from_str(&row.document).map_err(unreadable)?;
    item.version += 1;
    Ok(item)
}

/// Restores the parts of a show, with audit entries.
async fn restore_parts<T: ContentTable>(
    transaction: &Transaction,
    part_of: Id,
    edit: &Edit,
) -> Result<(), DbErr> {
    let parts = Entity::find()
        .filter(Column::PartOf.eq(part_of))
        .filter(Column::Kind.eq(T::Content::KIND.path()))
        .order_by_asc(Column::Id)
        .all(transaction)
        .await?;
    let item = |part: &Model| -> Result<Stored<T::Content>, DbErr> {
        let mut item: Stored<T::Content> = next_version(part)?;
        // The content may have been stored by an earlier version with another form of IDs.
        let known = item.content.clone();
        item.content.fill_server_fields(Some(&known), edit.at);
        Ok(item)
    };
    let items = parts.iter().map(item).collect::<Result<Vec<_>, DbErr>>()?;
    let row = |item| row_of::<T>(item, edit).map_err(unreadable);
    let rows = items.iter().map(row).collect::<Result<Vec<_>, DbErr>>()?;
    // SQLite limits the values that a statement binds.
    let at_once = (30_000 / T::Column::iter().count()).max(1);
    for some in rows.chunks(at_once) {
        T::insert_many(some.iter().cloned()).exec_without_returning(transaction).await?;
    }
    let restored = items.iter().map(|item| record_of(AuditAction::Restored, item));
    record(transaction, edit, restored.collect()).await
}

impl<T: ContentTable> SeaOrmContents<T> {
    /// Moves an item without references into the trash, with its parts.
    pub(super) async fn remove(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Removed<Stored<T::Content>, Usage>, StoreError> {
        match tried(is_serialization_failure, || self.try_remove(id, expected, edit)).await {
            // A concurrent transaction has added a reference.
            Err(error) if is_broken_reference(&error) => Ok(Removed::Conflict(self.users_of(id).await?)),
            outcome => outcome.map_err(store_error),
        }
    }

    async fn try_remove(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Removed<Stored<T::Content>, Usage>, DbErr> {
        let transaction = self.database.begin().await?;
        let row = T::find().filter(named::<T>("id").eq(id)).lock(LockType::Update).one(&transaction).await?;
        let Some(row) = row else { return Ok(Removed::Missing) };
        // A transaction that adds a reference waits for the item's row, or is counted here.
        let users = usage_of::<T>(&transaction, id).await?;
        if !users.is_empty() {
            return Ok(Removed::Conflict(users));
        }
        let item = stored::<T>(&row).map_err(unreadable)?;
        if expected.is_some_and(|version| version != item.version) {
            return Ok(Removed::Outdated(item));
        }
        move_to_trash::<T>(&transaction, &item, edit).await?;
        record(&transaction, edit, vec![record_of(AuditAction::Deleted, &item)]).await?;
        transaction.commit().await?;
        Ok(Removed::Done)
    }

    /// An item as stored at its deletion.
    pub(super) async fn trashed_item(&self, id: Id) -> Result<Option<Stored<T::Content>>, StoreError> {
        let row = in_trash::<T>(&[id]).one(&self.database.reader).await.map_err(store_error)?;
        row.map(|row| serde_json::from_str(&row.document).map_err(broken)).transpose()
    }

    pub(super) async fn trashed_items(&self, ids: &[Id]) -> Result<Vec<Stored<T::Content>>, StoreError> {
        let rows = in_trash::<T>(ids).all(&self.database.reader).await.map_err(store_error)?;
        rows.iter().map(|row| serde_json::from_str(&row.document).map_err(broken)).collect()
    }

    /// The IDs of the items of this kind in the list of the trash.
    pub(super) async fn trashed_ids(&self, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError> {
        let filter = TrashFilter { kinds: vec![T::Content::KIND] };
        let rows = keys(&self.database, &TrashList(&filter), "item_id", query, limit).await?;
        rows.iter().map(|row| row.try_get("", "item_id").map_err(store_error)).collect()
    }

    /// Restores an item, changed or unchanged.
    pub(super) async fn restore_item(
        &self,
        id: Id,
        content: T::Content,
        edit: &Edit,
    ) -> Result<Written<Stored<T::Content>, Stored<T::Content>>, StoreError> {
        match tried(is_serialization_failure, || self.try_restore(id, &content, edit)).await {
            Err(error) if is_unique(&error) => match self.conflicting(&content).await? {
                Some(other) => Ok(Written::Conflict(other)),
                None => Err(store_error(error)),
            },
            outcome => outcome.map_err(store_error),
        }
    }

    async fn try_restore(
        &self,
        id: Id,
        content: &T::Content,
        edit: &Edit,
    ) -> Result<Written<Stored<T::Content>, Stored<T::Content>>, DbErr> {
        let transaction = self.database.begin().await?;
        let row = in_trash::<T>(&[id]).lock(LockType::Update).one(&transaction).await?;
        let Some(row) = row else { return Ok(Written::Missing) };
        restore_season_of::<T>(&transaction, content, edit).await?;
        let item = take_out::<T>(&transaction, row, content, edit).await?;
        transaction.commit().await?;
        Ok(Written::Done(item))
    }
}

/// Restores an item whose row in the trash is locked, with its parts and audit entries.
async fn take_out<T: ContentTable>(
    transaction: &Transaction,
    row: Model,
    content: &T::Content,
    edit: &Edit,
) -> Result<Stored<T::Content>, DbErr> {
    let mut item: Stored<T::Content> = next_version(&row)?;
    let before = std::mem::replace(&mut item.content, content.clone());
    let inserted =
        T::insert(row_of::<T>(&item, edit).map_err(unreadable)?).exec_with_returning(transaction).await?;
    require_category_types(transaction, &content.references()).await?;
    if T::Content::KIND == Kind::TvShows {
        restore_parts::<seasons::Entity>(transaction, row.id, edit).await?;
        restore_parts::<episodes::Entity>(transaction, row.id, edit).await?;
    }
    // Deletes its parts, too.
    Entity::delete_by_id(row.id).exec(transaction).await?;
    let item = stored::<T>(&inserted).map_err(unreadable)?;
    carry_mark(transaction, &item).await?;
    let diff = content_diff(&before, &item.content);
    let title = item.content.name();
    let restored = record_about::<T::Content>(AuditAction::Restored, item.id, title, item.version, diff);
    record(transaction, edit, vec![restored]).await?;
    Ok(item)
}

/// If the season of an episode is in the trash, it is restored first. Otherwise the database would
/// create an empty season, and its texts could not be restored any more.
async fn restore_season_of<T: ContentTable>(
    transaction: &Transaction,
    content: &T::Content,
    edit: &Edit,
) -> Result<(), DbErr> {
    if T::Content::KIND != Kind::Episodes {
        return Ok(());
    }
    let json = serde_json::to_value(content).map_err(unreadable)?;
    let number = |field: &str| json[field].as_i64().unwrap_or_default();
    let (show, season) = (number("tvShowId"), number("seasonNumber"));
    let there = seasons::Entity::find()
        .filter(named::<seasons::Entity>("tv_show_id").eq(show))
        .filter(named::<seasons::Entity>("season_number").eq(season));
    if there.one(transaction).await?.is_some() {
        return Ok(());
    }
    let deleted = Entity::find()
        .filter(Column::Kind.eq(Kind::Seasons.path()))
        .filter(Column::PartOf.is_null())
        .filter(Column::Document.contains(format!("\"tvShowId\":{show},")))
        .order_by_desc(Column::Id)
        .lock(LockType::Update)
        .all(transaction)
        .await?;
    for row in deleted {
        let item: Stored<Season> = serde_json::from_str(&row.document).map_err(unreadable)?;
        if item.content.tv_show_id == show && i64::from(item.content.season_number) == season {
            take_out::<seasons::Entity>(transaction, row, &item.content, edit).await?;
            return Ok(());
        }
    }
    Ok(())
}

/// Whether the last change of an item, and of each part of a show, was by this operation. The rows
/// are locked.
async fn was_changed_last_by<T: ContentTable>(
    transaction: &Transaction,
    id: Id,
    operation: Id,
) -> Result<bool, DbErr> {
    let kind = T::Content::KIND;
    if !were_changed_last_by(transaction, operation, kind.path(), &[id]).await? {
        return Ok(false);
    }
    Ok(kind != Kind::TvShows
        || parts_were_changed_last_by::<episodes::Entity>(transaction, id, operation).await?
            && parts_were_changed_last_by::<seasons::Entity>(transaction, id, operation).await?)
}

async fn parts_were_changed_last_by<T: ContentTable>(
    transaction: &Transaction,
    show: Id,
    operation: Id,
) -> Result<bool, DbErr> {
    let find = T::find().select_only().column(named::<T>("id")).filter(named::<T>("tv_show_id").eq(show));
    let parts = find.order_by_asc(named::<T>("id")).lock(LockType::Update);
    let parts: Vec<Id> = parts.into_tuple().all(transaction).await?;
    were_changed_last_by(transaction, operation, T::Content::KIND.path(), &parts).await
}

fn changed_since() -> (Verdict, Option<Violation>) {
    (Verdict::Refused, Some(Violation::new("", Code::ChangedSince)))
}

/// Deletes an item of a slice, if it still has this version and no references; returns the result.
/// An undo does not delete items that were changed since.
pub(super) async fn delete_in_slice<T: ContentTable>(
    transaction: &Transaction,
    id: Id,
    version: Version,
    undoes: Option<Id>,
    edit: &Edit,
) -> Result<(Verdict, Option<Violation>), DbErr> {
    let row = T::find().filter(named::<T>("id").eq(id)).lock(LockType::Update).one(transaction).await?;
    let Some(row) = row else { return Ok((Verdict::Missing, None)) };
    let item = stored::<T>(&row).map_err(unreadable)?;
    if item.version != version {
        return Ok((Verdict::Conflict, None));
    }
    let usage = usage_of::<T>(transaction, id).await?;
    if !usage.is_empty() {
        return Ok((Verdict::Refused, Some(in_use(&usage))));
    }
    if let Some(operation) = undoes
        && !was_changed_last_by::<T>(transaction, id, operation).await?
    {
        return Ok(changed_since());
    }
    move_to_trash::<T>(transaction, &item, edit).await?;
    record(transaction, edit, vec![record_of(AuditAction::Deleted, &item)]).await?;
    Ok((Verdict::Changed, None))
}

/// Items with the natural keys of those to restore in a slice, by key, each with its ID and name.
/// If natural keys are not unique, items restored by the same undo do not count, because they
/// existed beside each other before.
pub(super) async fn holders_of_keys<T: ContentTable>(
    transaction: &Transaction,
    restored: &[(Id, T::Content)],
    slice: SliceOf,
) -> Result<HashMap<String, (Id, String)>, DbErr> {
    if restored.is_empty() {
        return Ok(HashMap::new());
    }
    let keys: BTreeSet<String> = restored.iter().map(|(_, content)| content.natural_key()).collect();
    let table = table_name::<T>();
    let mut sql = Sql::new(format!(
        "SELECT k.column1 AS natural_key, (SELECT min(o.id) FROM \
         (SELECT m.id FROM {table} m WHERE m.natural_key = k.column1 LIMIT {MOST_HOLDERS}) o"
    ));
    if !only_one_is_restored::<T>(slice) {
        sql.push(" WHERE (SELECT a.operation_id FROM audit_entries a WHERE a.resource = ");
        sql.bind(T::Content::KIND.path());
        sql.push(" AND a.item = CAST(o.id AS text) ORDER BY a.id DESC LIMIT 1) IS DISTINCT FROM ");
        sql.bind(slice.operation);
    }
    sql.push(") AS holder FROM (VALUES ");
    for (index, key) in keys.into_iter().enumerate() {
        sql.push(if index > 0 { ", (" } else { "(" }).bind(key).push(")");
    }
    sql.push(") k");
    let rows = transaction.query_all_raw(sql.statement(transaction.get_database_backend())).await?;
    let mut keys = HashMap::new();
    for row in rows {
        if let Some(holder) = row.try_get::<Option<Id>>("", "holder")? {
            keys.insert(holder, row.try_get::<String>("", "natural_key")?);
        }
    }
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let holders = T::find().filter(named::<T>("id").is_in(keys.keys().copied())).all(transaction).await?;
    let mut of_keys = HashMap::new();
    for row in &holders {
        let item = stored::<T>(row).map_err(unreadable)?;
        of_keys.extend(keys.remove(&item.id).map(|key| (key, (item.id, item.content.name()))));
    }
    Ok(of_keys)
}

/// Whether only one of several items with one natural key is restored in a slice.
fn only_one_is_restored<T: ContentTable>(slice: SliceOf) -> bool {
    T::Content::KEY_ONCE || slice.undoes.is_none()
}

/// Restores an item of a slice, if it is in the trash and no other item has its natural key
/// ([`holders_of_keys`]); returns the result. An undo does not restore items that were deleted
/// again since.
pub(super) async fn restore_in_slice<T: ContentTable>(
    transaction: &Transaction,
    id: Id,
    content: &T::Content,
    holders: &mut HashMap<String, (Id, String)>,
    slice: SliceOf,
    edit: &Edit,
) -> Result<(Verdict, Option<Violation>), DbErr> {
    let row = in_trash::<T>(&[id]).lock(LockType::Update).one(transaction).await?;
    let Some(row) = row else { return Ok((Verdict::Missing, None)) };
    if let Some(operation) = slice.undoes
        && !were_changed_last_by(transaction, operation, T::Content::KIND.path(), &[id]).await?
    {
        return Ok(changed_since());
    }
    let key = content.natural_key();
    if let Some((other, name)) = holders.get(&key) {
        return Ok((Verdict::Refused, Some(key_in_use(*other, name))));
    }
    restore_season_of::<T>(transaction, content, edit).await?;
    take_out::<T>(transaction, row, content, edit).await?;
    if only_one_is_restored::<T>(slice) {
        holders.insert(key, (id, content.name()));
    }
    Ok((Verdict::Changed, None))
}

/// Moves an item whose row is locked into the trash.
pub(super) async fn move_to_trash<T: ContentTable>(
    transaction: &Transaction,
    item: &Stored<T::Content>,
    edit: &Edit,
) -> Result<(), DbErr> {
    let added = Entity::insert(trash_row(item, None, edit)?).exec(transaction).await?;
    if T::Content::KIND == Kind::TvShows {
        // Moving an episode locks the episode first, and then its season.
        add_parts::<episodes::Entity>(transaction, item.id, added.last_insert_id, edit).await?;
        add_parts::<seasons::Entity>(transaction, item.id, added.last_insert_id, edit).await?;
    }
    T::delete_many().filter(named::<T>("id").eq(item.id)).exec(transaction).await.map(drop)
}

/// Items that were deleted individually, not as a part of another.
fn in_trash<T: ContentTable>(ids: &[Id]) -> sea_orm::Select<Entity> {
    Entity::find()
        .filter(Column::Kind.eq(T::Content::KIND.path()))
        .filter(Column::ItemId.is_in(ids.iter().copied()))
        .filter(Column::PartOf.is_null())
}

/// The individually deleted items of some kinds, newest first by default.
struct TrashList<'a>(&'a TrashFilter);

/// The columns of an entry; its parts are counted by their index.
const ENTRY: &str = "t.kind, t.item_id, t.title, t.deleted_date, t.deleted_by, \
     (SELECT count(*) FROM trash part WHERE part.part_of = t.id) AS parts";

impl ListTable for TrashList<'_> {
    type Row = TrashEntry;

    const TABLE: &'static str = "trash";
    const ALIAS: &'static str = "t";
    const COLUMNS: &'static str = ENTRY;
    const SORTS: &'static [(&'static str, &'static str)] =
        &[("id", "item_id"), ("title", "title_key"), ("deletedDate", "deleted_date")];
    const DEFAULT_ORDER: (&'static str, bool) = ("t.deleted_date", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = entry;

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE t.part_of IS NULL AND ");
        if self.0.kinds.is_empty() {
            sql.push("FALSE");
        } else {
            sql.push("t.kind IN (").bind_all(self.0.kinds.iter().map(|kind| kind.path())).push(")");
        }
        push_range(sql, request.query, "t.deleted_date");
        if let Some(text) = request.search.text() {
            sql.push(" AND ").push_like("t.search_text", text);
        }
    }
}

fn entry(row: &QueryResult) -> Result<TrashEntry, StoreError> {
    let kind: String = row.try_get("", "kind").map_err(store_error)?;
    let parts: i64 = row.try_get("", "parts").map_err(store_error)?;
    Ok(TrashEntry {
        kind: Kind::from_path(&kind).ok_or_else(|| broken(&kind))?,
        item: row.try_get("", "item_id").map_err(store_error)?,
        title: row.try_get("", "title").map_err(store_error)?,
        deleted_date: row.try_get("", "deleted_date").map_err(store_error)?,
        deleted_by: row.try_get("", "deleted_by").map_err(store_error)?,
        parts: parts.try_into().unwrap_or_default(),
    })
}

rows_of_list!(SeaOrmTrash, 0, TrashFilter, TrashEntry, |store, filter| TrashList(filter));

#[async_trait]
impl TrashRepository for SeaOrmTrash {
    async fn list(
        &self,
        filter: &TrashFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<TrashEntry>>, StoreError> {
        page(&self.0, &TrashList(filter), query).await
    }
}
