//! Saved views of lists. A user has few, so all are read at once.

use std::collections::HashSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_kernel::{Actor, Enumeration, FieldDiff, Id, difference, fold};
use domain_settings::{MOST_SAVED_VIEWS, SavedView, StoredSavedView};
use ports::{Edit, SavedViewConflict, SavedViewRepository, StoreError, Written};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, JoinType, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect, RelationTrait,
    sea_query::{Expr, LockType, OnConflict, Query, SelectStatement},
};
use serde_json::{Map, Value, json};

use crate::{
    Database,
    audit::{Record, fields_of, record_one},
    db::{
        error::{is_broken_reference, is_unique, store_error},
        transaction::Transaction,
        values::{broken, member},
    },
    entities::{
        default_views,
        saved_views::{ActiveModel, Column, Entity, Model, Relation},
        users,
    },
    users::username,
};

/// The store of saved views.
#[derive(Debug, Clone)]
pub struct SeaOrmSavedViews(pub Database);

/// The columns of a view.
#[derive(FromQueryResult)]
struct Row {
    id: i64,
    owner: String,
    list: String,
    name: String,
    query: String,
    hidden_columns: Option<Value>,
    shared_with: Option<String>,
    created_date: DateTime<Utc>,
    updated_date: DateTime<Utc>,
}

impl Row {
    fn stored(self, defaults: &HashSet<Id>) -> Result<StoredSavedView, StoreError> {
        let hidden_columns = self.hidden_columns.map(serde_json::from_value).transpose().map_err(broken)?;
        let shared_with = self.shared_with.as_deref().map(member).transpose()?;
        Ok(StoredSavedView {
            id: self.id,
            owner: username(&self.owner)?,
            is_default: defaults.contains(&self.id),
            created_date: self.created_date,
            updated_date: self.updated_date,
            view: SavedView {
                list: self.list,
                name: self.name,
                query: self.query,
                hidden_columns,
                shared_with,
            },
        })
    }
}

/// The ID of the user with this name.
fn id_of(actor: &Actor) -> SelectStatement {
    Query::select()
        .column(users::Column::Id)
        .from(users::Entity)
        .and_where(users::Column::UsernameKey.eq(actor.username.key()))
        .take()
}

fn own(actor: &Actor) -> Condition {
    Condition::all().add(Column::OwnerId.in_subquery(id_of(actor)))
}

impl SeaOrmSavedViews {
    async fn read(&self, actor: &Actor, condition: Condition) -> Result<Vec<StoredSavedView>, StoreError> {
        // Admins may delete views shared with any role.
        let shared = if actor.role.passes_every_check() {
            Column::SharedWith.is_not_null()
        } else {
            Column::SharedWith.eq(actor.role.code())
        };
        let rows = Entity::find()
            .select_only()
            .columns([
                Column::Id,
                Column::List,
                Column::Name,
                Column::Query,
                Column::HiddenColumns,
                Column::SharedWith,
                Column::CreatedDate,
                Column::UpdatedDate,
            ])
            .column_as(users::Column::Username, "owner")
            .join(JoinType::InnerJoin, Relation::Owner.def())
            .filter(condition)
            .filter(Condition::any().add(Column::OwnerId.in_subquery(id_of(actor))).add(shared))
            .order_by_asc(Column::List)
            .order_by_asc(Column::NameKey)
            .order_by_asc(Column::Id)
            .into_model::<Row>()
            .all(&self.0.reader)
            .await
            .map_err(store_error)?;
        let defaults = default_views::Entity::find()
            .filter(default_views::Column::UserId.in_subquery(id_of(actor)))
            .all(&self.0.reader)
            .await
            .map_err(store_error)?;
        let defaults = defaults.into_iter().map(|row| row.view_id).collect();
        rows.into_iter().map(|row| row.stored(&defaults)).collect()
    }

    async fn insert(
        &self,
        transaction: &Transaction,
        actor: &Actor,
        mut row: ActiveModel,
        now: DateTime<Utc>,
    ) -> Result<Result<Option<Id>, SavedViewConflict>, DbErr> {
        let owner = users::Entity::find().filter(users::Column::UsernameKey.eq(actor.username.key()));
        // Locked: another request of the user counts this view, too.
        let owner = owner.select_only().column(users::Column::Id).lock(LockType::NoKeyUpdate);
        let owner: Option<i64> = owner.into_tuple().one(transaction).await?;
        // The user was deleted meanwhile.
        let Some(owner) = owner else { return Ok(Ok(None)) };
        let count = Entity::find().filter(Column::OwnerId.eq(owner)).count(transaction).await?;
        if count >= MOST_SAVED_VIEWS {
            return Ok(Err(SavedViewConflict::TooMany));
        }
        row.owner_id = Set(owner);
        row.created_date = Set(now);
        Ok(Ok(Some(Entity::insert(row).exec(transaction).await?.last_insert_id)))
    }

    /// Writes a view, with an audit entry if it is or was shared.
    async fn write(
        &self,
        actor: &Actor,
        id: Option<Id>,
        (view, row): (&SavedView, ActiveModel),
        now: DateTime<Utc>,
    ) -> Result<Result<Option<Id>, SavedViewConflict>, DbErr> {
        let transaction = self.0.begin().await?;
        let mut before = Map::new();
        let id = match id {
            None => match self.insert(&transaction, actor, row, now).await? {
                Ok(Some(id)) => id,
                other => return Ok(other),
            },
            Some(id) => {
                let found = Entity::find_by_id(id).filter(own(actor)).lock(LockType::Update);
                let Some(found) = found.one(&transaction).await? else { return Ok(Ok(None)) };
                if found.shared_with.is_some() {
                    before = shared_fields(&found);
                }
                Entity::update_many().set(row).filter(Column::Id.eq(id)).exec(&transaction).await?;
                id
            }
        };
        if view.shared_with.is_some() || !before.is_empty() {
            let action = if before.is_empty() { AuditAction::Created } else { AuditAction::Updated };
            let found = Entity::find_by_id(id).one(&transaction).await?;
            let after = found.map_or_else(Map::new, |found| shared_fields(&found));
            let diff = difference(&before, &after);
            record_one(&transaction, &edit_by(actor, now), record_of(action, id, view, diff)).await?;
        }
        transaction.commit().await?;
        Ok(Ok(Some(id)))
    }

    async fn remove(&self, actor: &Actor, view: &StoredSavedView, now: DateTime<Utc>) -> Result<(), DbErr> {
        let transaction = self.0.begin().await?;
        let found = Entity::find_by_id(view.id).lock(LockType::Update).one(&transaction).await?;
        Entity::delete_by_id(view.id).exec(&transaction).await?;
        if let Some(found) = found.filter(|found| found.shared_with.is_some()) {
            let diff = FieldDiff { before: shared_fields(&found), ..FieldDiff::default() };
            let deleted = record_of(AuditAction::Deleted, view.id, &view.view, diff);
            record_one(&transaction, &edit_by(actor, now), deleted).await?;
        }
        transaction.commit().await
    }
}

fn edit_by(actor: &Actor, at: DateTime<Utc>) -> Edit {
    Edit { by: Some(actor.username.clone()), at, origin: actor.origin }
}

/// The audit fields of a shared view.
fn shared_fields(row: &Model) -> Map<String, Value> {
    fields_of(&json!({
        "list": row.list,
        "name": row.name,
        "query": row.query,
        "hiddenColumns": row.hidden_columns,
        "sharedWith": row.shared_with,
    }))
}

fn record_of(action: AuditAction, id: Id, view: &SavedView, diff: FieldDiff) -> Record {
    let (item, title) = (id.to_string(), view.name.clone());
    Record { action, resource: "saved-views", item, title, version: None, diff }
}

#[async_trait]
impl SavedViewRepository for SeaOrmSavedViews {
    async fn list(&self, actor: &Actor) -> Result<Vec<StoredSavedView>, StoreError> {
        self.read(actor, Condition::all()).await
    }

    async fn find(&self, actor: &Actor, id: Id) -> Result<Option<StoredSavedView>, StoreError> {
        Ok(self.read(actor, Column::Id.eq(id).into()).await?.pop())
    }

    async fn save(
        &self,
        actor: &Actor,
        id: Option<Id>,
        view: &SavedView,
        now: DateTime<Utc>,
    ) -> Result<Written<StoredSavedView, SavedViewConflict>, StoreError> {
        let row = ActiveModel {
            list: Set(view.list.clone()),
            name: Set(view.name.clone()),
            name_key: Set(fold(&view.name)),
            query: Set(view.query.clone()),
            hidden_columns: Set(view.hidden_columns.as_ref().map(|columns| columns.as_slice().into())),
            shared_with: Set(view.shared_with.map(|role| role.code().to_owned())),
            updated_date: Set(now),
            ..ActiveModel::default()
        };
        let id = match self.write(actor, id, (view, row), now).await {
            Ok(Ok(Some(id))) => id,
            Ok(Ok(None)) => return Ok(Written::Missing),
            Ok(Err(conflict)) => return Ok(Written::Conflict(conflict)),
            Err(error) if is_unique(&error) => {
                return Ok(Written::Conflict(SavedViewConflict::NameTaken));
            }
            Err(error) => return Err(store_error(error)),
        };
        Ok(self.find(actor, id).await?.map_or(Written::Missing, Written::Done))
    }

    async fn delete(
        &self,
        actor: &Actor,
        view: &StoredSavedView,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.remove(actor, view, now).await.map_err(store_error)
    }

    async fn set_default(
        &self,
        actor: &Actor,
        view: &StoredSavedView,
        is_default: bool,
    ) -> Result<bool, StoreError> {
        use default_views::Column;
        if !is_default {
            return default_views::Entity::delete_many()
                .filter(Column::ViewId.eq(view.id))
                .filter(Column::UserId.in_subquery(id_of(actor)))
                .exec(&self.0.writer)
                .await
                .map(|_| true)
                .map_err(store_error);
        }
        let values = Query::select()
            .column(users::Column::Id)
            .expr(Expr::val(view.view.list.as_str()))
            .expr(Expr::val(view.id))
            .from(users::Entity)
            .and_where(users::Column::UsernameKey.eq(actor.username.key()))
            .take();
        let mut insert = Query::insert();
        insert
            .into_table(default_views::Entity)
            .columns([Column::UserId, Column::List, Column::ViewId])
            .on_conflict(
                OnConflict::columns([Column::UserId, Column::List]).update_column(Column::ViewId).to_owned(),
            );
        let insert = insert.select_from(values).map_err(|error| StoreError::Broken(error.to_string()))?;
        match self.0.writer.execute(insert).await {
            Ok(done) => Ok(done.rows_affected() > 0),
            // The view was deleted meanwhile, or the user: PostgreSQL has read the user, whose deletion commits
            // before the row is added.
            Err(error) if is_broken_reference(&error) => Ok(false),
            Err(error) => Err(store_error(error)),
        }
    }
}
