//! Saved views of lists. A user has few: they are read whole.

use std::collections::HashSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Actor, Enumeration, Id, RoleCode, fold};
use domain_settings::{MOST_SAVED_VIEWS, SavedView, StoredSavedView};
use ports::{SavedViewConflict, SavedViewRepository, StoreError, Written};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, JoinType, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect, RelationTrait,
    sea_query::{Expr, OnConflict, Query, SelectStatement},
};
use serde_json::Value;

use crate::{
    Database,
    db::error::{is_unique, store_error},
    entities::{
        default_views,
        saved_views::{ActiveModel, Column, Entity, Relation},
        users,
    },
    users::username,
};

/// Keeps saved views.
#[derive(Debug, Clone)]
pub struct SeaOrmSavedViews(pub Database);

/// What is read of a view.
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
        let broken = |what: &str| StoreError::Broken(format!("a saved view with {what}"));
        let hidden = self.hidden_columns.map(serde_json::from_value).transpose();
        let shared_with = match self.shared_with {
            Some(code) => Some(RoleCode::from_code(&code).ok_or_else(|| broken("an unknown role"))?),
            None => None,
        };
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
                hidden_columns: hidden.map_err(|_| broken("columns that can't be read"))?,
                shared_with,
            },
        })
    }
}

/// The id of the user of this name.
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
            .filter(
                Condition::any()
                    .add(Column::OwnerId.in_subquery(id_of(actor)))
                    .add(Column::SharedWith.eq(actor.role.code())),
            )
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
        actor: &Actor,
        mut row: ActiveModel,
        now: DateTime<Utc>,
    ) -> Result<Result<Id, SavedViewConflict>, DbErr> {
        let transaction = self.0.begin().await?;
        let owner = users::Entity::find().filter(users::Column::UsernameKey.eq(actor.username.key()));
        let owner: Option<i64> =
            owner.select_only().column(users::Column::Id).into_tuple().one(&transaction).await?;
        let owner = owner.ok_or_else(|| DbErr::RecordNotFound("the user who saves a view".into()))?;
        let count = Entity::find().filter(Column::OwnerId.eq(owner)).count(&transaction).await?;
        if count >= MOST_SAVED_VIEWS {
            return Ok(Err(SavedViewConflict::TooMany));
        }
        row.owner_id = Set(owner);
        row.created_date = Set(now);
        let id = Entity::insert(row).exec(&transaction).await?.last_insert_id;
        transaction.commit().await?;
        Ok(Ok(id))
    }
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
        let written = match id {
            None => self.insert(actor, row, now).await,
            Some(id) => {
                let update = Entity::update_many().set(row).filter(Column::Id.eq(id)).filter(own(actor));
                match update.exec(&self.0.writer).await {
                    Ok(result) if result.rows_affected == 0 => return Ok(Written::Missing),
                    Ok(_) => Ok(Ok(id)),
                    Err(error) => Err(error),
                }
            }
        };
        let id = match written {
            Ok(Ok(id)) => id,
            Ok(Err(conflict)) => return Ok(Written::Conflict(conflict)),
            Err(error) if is_unique(&error) => {
                return Ok(Written::Conflict(SavedViewConflict::NameTaken));
            }
            Err(error) => return Err(store_error(error)),
        };
        Ok(self.find(actor, id).await?.map_or(Written::Missing, Written::Done))
    }

    async fn delete(&self, id: Id) -> Result<(), StoreError> {
        Entity::delete_by_id(id).exec(&self.0.writer).await.map(drop).map_err(store_error)
    }

    async fn set_default(
        &self,
        actor: &Actor,
        view: &StoredSavedView,
        is_default: bool,
    ) -> Result<(), StoreError> {
        use default_views::Column;
        if !is_default {
            return default_views::Entity::delete_many()
                .filter(Column::ViewId.eq(view.id))
                .filter(Column::UserId.in_subquery(id_of(actor)))
                .exec(&self.0.writer)
                .await
                .map(drop)
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
        self.0.writer.execute(insert).await.map(drop).map_err(store_error)
    }
}
