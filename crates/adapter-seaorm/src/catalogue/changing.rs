//! Changing, showing, hiding and removing.

use domain_catalogue::{Kind, Stored};
use domain_kernel::{Id, Version};
use ports::{Edit, Removed, StoreError, Written};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, IntoActiveModel, QueryFilter,
    sea_query::{Expr, ExprTrait},
};

use super::{
    SeaOrmContents,
    rows::{Envelope, model, named, stored, unset},
    table::ContentTable,
};
use crate::db::{
    error::{is_broken_reference, is_serialization_failure, is_unique, store_error},
    retries::tried,
    sql::Sql,
};

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn change(
        &self,
        id: Id,
        content: &T::Content,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Written<Stored<T::Content>, Stored<T::Content>>, StoreError> {
        let envelope =
            Envelope { id, version: 0, views: 0, created: edit.at, updated: edit.at, updated_by: edit.by };
        let mut row = model::<T>(content, envelope)?.into_active_model().reset_all();
        unset::<T>(&mut row, &["id", "version", "views", "created_date"]);
        unset::<T>(&mut row, T::KEPT);
        match self.write(id, row, expected, None).await {
            Err(error) if is_unique(&error) => match self.conflicting(content).await? {
                Some(other) => Ok(Written::Conflict(other)),
                None => Err(store_error(error)),
            },
            outcome => outcome.map_err(store_error)?,
        }
    }

    pub(super) async fn activate(
        &self,
        id: Id,
        active: bool,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Written<Stored<T::Content>, Stored<T::Content>>, StoreError> {
        let mut row = <T::ActiveModel as Default>::default();
        row.set(named::<T>("active"), active.into());
        row.set(named::<T>("updated_date"), edit.at.into());
        row.set(named::<T>("updated_by"), edit.by.into());
        let differs = named::<T>("active").ne(active);
        match self.write(id, row, expected, Some(differs)).await.map_err(store_error)?? {
            // Nothing to change: it is active, or not, already.
            Written::Outdated(current) if expected.is_none_or(|version| version == current.version) => {
                Ok(Written::Done(current))
            }
            other => Ok(other),
        }
    }

    async fn write(
        &self,
        id: Id,
        row: T::ActiveModel,
        expected: Option<Version>,
        condition: Option<Expr>,
    ) -> Result<Result<Written<Stored<T::Content>, Stored<T::Content>>, StoreError>, DbErr> {
        let version = named::<T>("version");
        let mut update = T::update_many()
            .set(row)
            .col_expr(version, Expr::col(version).add(1))
            .filter(named::<T>("id").eq(id));
        if let Some(expected) = expected {
            update = update.filter(version.eq(expected));
        }
        if let Some(condition) = condition {
            update = update.filter(condition);
        }
        let writer = &self.database.writer;
        let rows = tried(is_serialization_failure, || update.clone().exec_with_returning(writer)).await?;
        Ok(if let Some(row) = rows.first() {
            stored::<T>(row).map(Written::Done)
        } else {
            let found = self.read(&self.database.writer, id).await;
            found.map(|found| found.map_or(Written::Missing, Written::Outdated))
        })
    }

    pub(super) async fn remove(
        &self,
        id: Id,
        expected: Option<Version>,
    ) -> Result<Removed<Stored<T::Content>, Vec<(Kind, u64)>>, StoreError> {
        let users = self.users_of(id).await?;
        if !users.is_empty() {
            return Ok(Removed::Conflict(users));
        }
        let mut delete = T::delete_many().filter(named::<T>("id").eq(id));
        if let Some(expected) = expected {
            delete = delete.filter(named::<T>("version").eq(expected));
        }
        match delete.exec(&self.database.writer).await {
            Ok(done) if done.rows_affected == 1 => Ok(Removed::Done),
            Ok(_) => {
                Ok(self.read(&self.database.writer, id).await?.map_or(Removed::Missing, Removed::Outdated))
            }
            // Somebody began to use it a moment ago.
            Err(error) if is_broken_reference(&error) => Ok(Removed::Conflict(self.users_of(id).await?)),
            Err(error) => Err(store_error(error)),
        }
    }

    /// How much of which kind refers to an item.
    pub(super) async fn users_of(&self, id: Id) -> Result<Vec<(Kind, u64)>, StoreError> {
        let mut users = Vec::new();
        for referrer in T::referrers() {
            let mut sql = Sql::new(referrer.counted);
            sql.bind(id);
            let row = self.database.writer.query_one_raw(sql.statement(self.database.backend())).await;
            let total: i64 = match row.map_err(store_error)? {
                Some(row) => row.try_get("", "total").map_err(store_error)?,
                None => 0,
            };
            if total > 0 {
                users.push((referrer.kind, total.unsigned_abs()));
            }
        }
        Ok(users)
    }
}
