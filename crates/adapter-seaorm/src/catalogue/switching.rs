//! Deactivation of channels and stations while none of their links plays. Raw SQL: joins of links,
//! items and marks, with the name of the kind's table. Marks are written through their entity.

use async_trait::async_trait;
use domain_catalogue::{Content, Stored};
use domain_kernel::{Enumeration, Id, Version};
use domain_live::link::LinkOwner;
use ports::{Edit, LinkSwitches, StoreError, SwitchedItem, Written};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, OnConflict, Query},
};

use super::{
    SeaOrmContents, radio_stations::Entity as RadioStations, table::ContentTable,
    tv_channels::Entity as TvChannels,
};
use crate::{
    Database,
    db::{
        error::{is_serialization_failure, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
    },
    entities::{
        link_switches::{ActiveModel, Column, Entity},
        links, trash,
    },
    links::{MAY_PLAY, table_of},
};

/// Deactivates and reactivates channels and stations.
#[derive(Debug, Clone)]
pub struct SeaOrmLinkSwitches(pub Database);

/// Kinds whose items are deactivated.
const OWNERS: [LinkOwner; 2] = [LinkOwner::TvChannels, LinkOwner::RadioStations];

/// `SELECT` of active items whose links are all down, without an end. A requested probe comes
/// first, because a user may have activated the item.
fn dead(owner: LinkOwner) -> Sql {
    let mut sql = Sql::new(format!(
        "SELECT DISTINCT i.id, i.version FROM links l JOIN {} i ON i.id = l.item_id WHERE i.active AND l.active \
         AND l.state = 'DOWN' AND NOT EXISTS (SELECT 1 FROM links o WHERE o.owner = l.owner AND o.item_id = l.item_id \
         AND ({MAY_PLAY} OR (o.active AND o.probe_requested))) AND l.owner = ",
        table_of(owner)
    ));
    sql.bind(owner.code());
    sql
}

/// `SELECT` of items that the service deactivated and no user activated since, with a link that is
/// up, without an end. A recovering link has played once. A trigger maintains the version of the
/// mark while an item is inactive.
fn recovered(owner: LinkOwner) -> Sql {
    let mut sql = Sql::new(format!(
        "SELECT i.id, i.version FROM link_switches w JOIN {} i ON i.id = w.item_id AND i.version = w.version \
         WHERE NOT i.active AND EXISTS (SELECT 1 FROM links l WHERE l.owner = w.owner AND l.item_id = w.item_id \
         AND l.active AND l.state IN ('UP', 'FLAPPING')) AND w.owner = ",
        table_of(owner)
    ));
    sql.bind(owner.code());
    sql
}

impl SeaOrmLinkSwitches {
    async fn items(&self, of: fn(LinkOwner) -> Sql, most: u32) -> Result<Vec<SwitchedItem>, StoreError> {
        let mut items = Vec::new();
        for owner in OWNERS {
            let mut sql = of(owner);
            sql.push(" ORDER BY i.id LIMIT ").bind(i64::from(most));
            let statement = sql.statement(self.0.backend());
            for row in self.0.reader.query_all_raw(statement).await.map_err(store_error)? {
                let column = |name| row.try_get::<i64>("", name).map_err(store_error);
                items.push(SwitchedItem { owner, item: column("id")?, version: column("version")? });
            }
        }
        Ok(items)
    }

    /// Deactivates or reactivates an item that still meets the condition; returns its new version.
    async fn switch(
        transaction: &Transaction,
        of: fn(LinkOwner) -> Sql,
        SwitchedItem { owner, item, version }: SwitchedItem,
        active: bool,
        edit: &Edit,
    ) -> Result<Option<Version>, DbErr> {
        let mut sql = of(owner);
        sql.push(" AND i.id = ").bind(item);
        let statement = sql.statement(transaction.get_database_backend());
        if transaction.query_one_raw(statement).await?.is_none() {
            return Ok(None);
        }
        match owner {
            LinkOwner::TvChannels => activated::<TvChannels>(transaction, item, active, version, edit).await,
            LinkOwner::RadioStations => {
                activated::<RadioStations>(transaction, item, active, version, edit).await
            }
            // Other items do not have such links.
            _ => Ok(None),
        }
    }

    async fn try_switch_off(&self, item: SwitchedItem, edit: &Edit) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        let Some(version) = Self::switch(&transaction, dead, item, false, edit).await? else {
            return Ok(false);
        };
        mark_links(&transaction, item.owner, item.item, true).await?;
        let mark = ActiveModel {
            owner: Set(item.owner.code().to_owned()),
            item_id: Set(item.item),
            version: Set(version),
            since: Set(Some(edit.at)),
        };
        let replaced = OnConflict::columns([Column::Owner, Column::ItemId])
            .update_columns([Column::Version, Column::Since])
            .to_owned();
        Entity::insert(mark).on_conflict(replaced).exec_without_returning(&transaction).await?;
        transaction.commit().await.map(|()| true)
    }

    async fn try_switch_on(&self, item: SwitchedItem, edit: &Edit) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        if Self::switch(&transaction, recovered, item, true, edit).await?.is_none() {
            return Ok(false);
        }
        mark_links(&transaction, item.owner, item.item, false).await?;
        Entity::delete_many().filter(is_of(item.owner, item.item)).exec(&transaction).await?;
        transaction.commit().await.map(|()| true)
    }
}

/// Marks the links at once, so that a later activation by a user is a change of the links.
async fn mark_links(
    transaction: &Transaction,
    owner: LinkOwner,
    item: Id,
    switched_off: bool,
) -> Result<(), DbErr> {
    let row = links::ActiveModel { switched_off: Set(switched_off), ..links::ActiveModel::default() };
    let update = links::Entity::update_many().set(row).filter(links_of(owner, item));
    update.exec(transaction).await.map(drop)
}

/// The condition of the mark of an item.
fn is_of(owner: LinkOwner, item: Id) -> Expr {
    Column::Owner.eq(owner.code()).and(Column::ItemId.eq(item))
}

/// The condition of the links of an item.
fn links_of(owner: LinkOwner, item: Id) -> Expr {
    links::Column::Owner.eq(owner.code()).and(links::Column::ItemId.eq(item))
}

/// The kind of links of these items, if they can be deactivated.
fn owner_of<C: Content>() -> Option<LinkOwner> {
    OWNERS.into_iter().find(|owner| owner.code() == C::KIND.path())
}

/// Keeps those of these items inactive that the service deactivated and no user activated since.
pub(super) async fn keep_all_off<T: ContentTable>(
    transaction: &Transaction,
    ids: &[Id],
    edit: &Edit,
) -> Result<(), DbErr> {
    let Some(owner) = owner_of::<T::Content>().filter(|_| !ids.is_empty()) else { return Ok(()) };
    let marked: Vec<Id> = Entity::find()
        .select_only()
        .column(Column::ItemId)
        .filter(Column::Owner.eq(owner.code()))
        .filter(Column::ItemId.is_in(ids.iter().copied()))
        .order_by_asc(Column::ItemId)
        .into_tuple()
        .all(transaction)
        .await?;
    for id in marked {
        if keep_off::<T>(transaction, id).await? {
            SeaOrmContents::<T>::touch_in(transaction, id, None, edit).await?;
        }
    }
    Ok(())
}

/// Locks an item and removes its mark; returns whether the service had deactivated it and no user
/// had activated it since.
pub(super) async fn keep_off<T: ContentTable>(transaction: &Transaction, id: Id) -> Result<bool, DbErr> {
    let Some(owner) = owner_of::<T::Content>() else { return Ok(false) };
    let item = SeaOrmContents::<T>::locked(transaction, id).await?;
    let Some(item) = item.filter(|item| !item.content.active()) else { return Ok(false) };
    let delete = Entity::delete_many().filter(is_of(owner, item.id)).filter(Column::Version.eq(item.version));
    if delete.exec(transaction).await?.rows_affected == 0 {
        return Ok(false);
    }
    // Marks the links as inactive at once, so that a later activation by a user is a change of the
    // links.
    let row =
        links::ActiveModel { switched_off: Set(false), active: Set(false), ..links::ActiveModel::default() };
    links::Entity::update_many().set(row).filter(links_of(owner, item.id)).exec(transaction).await?;
    Ok(true)
}

/// Keeps the mark of an item that was deactivated by the service and then deleted: it applies to
/// the next version.
pub(super) async fn carry_mark<C: Content>(
    transaction: &Transaction,
    restored: &Stored<C>,
) -> Result<(), DbErr> {
    let Some(owner) = owner_of::<C>().filter(|_| !restored.content.active()) else { return Ok(()) };
    let update = Entity::update_many()
        .col_expr(Column::Version, restored.version.into())
        .filter(is_of(owner, restored.id))
        .filter(Column::Version.eq(restored.version - 1));
    update.exec(transaction).await.map(drop)
}

async fn activated<T: ContentTable>(
    transaction: &Transaction,
    item: Id,
    active: bool,
    version: Version,
    edit: &Edit,
) -> Result<Option<Version>, DbErr> {
    match SeaOrmContents::<T>::activate_in(transaction, item, active, Some(version), edit).await? {
        Written::Done(written) => Ok(Some(written.version)),
        _ => Ok(None),
    }
}

#[async_trait]
impl LinkSwitches for SeaOrmLinkSwitches {
    async fn dead(&self, most: u32) -> Result<Vec<SwitchedItem>, StoreError> {
        self.items(dead, most).await
    }

    async fn recovered(&self, most: u32) -> Result<Vec<SwitchedItem>, StoreError> {
        self.items(recovered, most).await
    }

    async fn switch_off(&self, item: SwitchedItem, edit: Edit) -> Result<bool, StoreError> {
        tried(is_serialization_failure, || self.try_switch_off(item, &edit)).await.map_err(store_error)
    }

    async fn switch_on(&self, item: SwitchedItem, edit: Edit) -> Result<bool, StoreError> {
        tried(is_serialization_failure, || self.try_switch_on(item, &edit)).await.map_err(store_error)
    }

    async fn forget_changed(&self) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        for owner in OWNERS {
            let table = table_of(owner);
            let switched = Query::select()
                .column((table, "id"))
                .from(table)
                .and_where(Expr::col((table, "id")).equals((Entity, Column::ItemId)))
                .and_where(Expr::col((table, "version")).equals((Entity, Column::Version)))
                .take();
            let in_trash = Query::select()
                .column(trash::Column::Id)
                .from(trash::Entity)
                .and_where(Expr::col((trash::Entity, trash::Column::Kind)).equals((Entity, Column::Owner)))
                .and_where(Expr::col((trash::Entity, trash::Column::ItemId)).equals((Entity, Column::ItemId)))
                .take();
            let delete = Entity::delete_many()
                .filter(Expr::exists(switched).not())
                .filter(Expr::exists(in_trash).not())
                .filter(Column::Owner.eq(owner.code()));
            forgotten += delete.exec(&self.0.writer).await.map_err(store_error)?.rows_affected;
        }
        Ok(forgotten)
    }
}
