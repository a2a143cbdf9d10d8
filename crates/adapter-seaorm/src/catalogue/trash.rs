//! The trash: a deleted item is a row here until it is restored with the same ID, or removed by its
//! age. It is in no other table, so it is not counted anywhere.

mod listing;
mod slices;

use domain_audit::AuditAction;
use domain_catalogue::{Content, Kind, Season, Stored};
use domain_kernel::{Id, ListQuery, Version, fold, order_key};
use ports::{Edit, Removed, StoreError, TrashFilter, Usage, Written};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, IdenStatic, IntoActiveModel,
    Iterable, QueryFilter, QueryOrder, QuerySelect, sea_query::LockType,
};

pub use self::listing::SeaOrmTrash;
use self::listing::TrashList;
pub(super) use self::slices::{delete_in_slice, holders_of_keys, restore_in_slice};
use super::{
    SeaOrmContents,
    changing::usage_of,
    episodes,
    recording::{content_diff, record_about, record_of},
    rows::{Envelope, broken, model, named, stored},
    seasons,
    switching::carry_mark,
    table::ContentTable,
};
use crate::{
    audit::record,
    category_types::require_category_types,
    db::{
        error::{is_broken_reference, is_serialization_failure, is_unique, store_error},
        retries::tried,
        transaction::Transaction,
    },
    entities::trash::{ActiveModel, Column, Entity, Model},
    list::keys,
};

/// Rows that one statement inserts.
const ROWS_AT_ONCE: usize = 500;

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
