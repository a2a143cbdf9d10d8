//! Changing, showing and hiding.

use domain_catalogue::{Kind, Stored};
use domain_kernel::{Id, Version};
use ports::{Edit, StoreError, Written};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, IntoActiveModel, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, LockType},
};

use super::{
    SeaOrmContents,
    recording::record_of_change,
    rows::{Envelope, model, named, stored, unset},
    table::ContentTable,
};
use crate::{
    audit::record,
    db::{
        error::{db_error, is_serialization_failure, is_unique, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
    },
};

type Changed<T> = Written<Stored<<T as ContentTable>::Content>, Stored<<T as ContentTable>::Content>>;

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn change(
        &self,
        id: Id,
        content: &T::Content,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Changed<T>, StoreError> {
        let row = changed_row::<T>(id, content, &edit)?;
        match tried(is_serialization_failure, || self.write(id, &row, expected, &edit, |_| true)).await {
            Err(error) if is_unique(&error) => match self.conflicting(content).await? {
                Some(other) => Ok(Written::Conflict(other)),
                None => Err(store_error(error)),
            },
            outcome => outcome.map_err(store_error),
        }
    }

    /// The same beside other writes of a transaction.
    pub(crate) async fn change_in(
        transaction: &Transaction,
        id: Id,
        content: &T::Content,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Changed<T>, DbErr> {
        let row = changed_row::<T>(id, content, edit).map_err(db_error)?;
        Self::write_in(transaction, id, &row, expected, edit, |_| true).await
    }

    /// Gives an item another version and leaves its content, beside other writes of a transaction.
    pub(crate) async fn touch_in(
        transaction: &Transaction,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Changed<T>, DbErr> {
        Self::write_in(transaction, id, &touched_row::<T>(edit), expected, edit, |_| true).await
    }

    pub(super) async fn activate(
        &self,
        id: Id,
        active: bool,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Changed<T>, StoreError> {
        let row = activated_row::<T>(active, &edit);
        let differs = |content: &T::Content| domain_catalogue::Content::active(content) != active;
        tried(is_serialization_failure, || self.write(id, &row, expected, &edit, differs))
            .await
            .map_err(store_error)
    }

    /// The same beside other writes of a transaction.
    pub(super) async fn activate_in(
        transaction: &Transaction,
        id: Id,
        active: bool,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Changed<T>, DbErr> {
        let row = activated_row::<T>(active, edit);
        let differs = |content: &T::Content| domain_catalogue::Content::active(content) != active;
        Self::write_in(transaction, id, &row, expected, edit, differs).await
    }

    /// Writes a row over the expected version, and records the change, in one transaction. Where the content needs no
    /// change, it stays as it is.
    async fn write(
        &self,
        id: Id,
        row: &T::ActiveModel,
        expected: Option<Version>,
        edit: &Edit,
        needs_change: impl Fn(&T::Content) -> bool,
    ) -> Result<Changed<T>, DbErr> {
        let transaction = self.database.begin().await?;
        let written = Self::write_in(&transaction, id, row, expected, edit, needs_change).await?;
        if matches!(written, Written::Done(_)) {
            transaction.commit().await?;
        }
        Ok(written)
    }

    async fn write_in(
        transaction: &Transaction,
        id: Id,
        row: &T::ActiveModel,
        expected: Option<Version>,
        edit: &Edit,
        needs_change: impl Fn(&T::Content) -> bool,
    ) -> Result<Changed<T>, DbErr> {
        let Some(current) = Self::locked(transaction, id).await? else { return Ok(Written::Missing) };
        if expected.is_some_and(|version| version != current.version) {
            return Ok(Written::Outdated(current));
        }
        if !needs_change(&current.content) {
            return Ok(Written::Done(current));
        }
        let changed = Self::overwrite(transaction, id, row).await?;
        record(transaction, edit, vec![record_of_change(&current.content, &changed)]).await?;
        Ok(Written::Done(changed))
    }

    /// An item whose row nobody else changes before the transaction ends.
    pub(crate) async fn locked(
        transaction: &Transaction,
        id: Id,
    ) -> Result<Option<Stored<T::Content>>, DbErr> {
        let locked = T::find().filter(named::<T>("id").eq(id)).lock(LockType::NoKeyUpdate);
        locked.one(transaction).await?.as_ref().map(stored::<T>).transpose().map_err(db_error)
    }

    /// Writes content over an item that is locked, which gets another version. Nothing is recorded.
    pub(super) async fn overwrite_with(
        transaction: &Transaction,
        id: Id,
        content: &T::Content,
        edit: &Edit,
    ) -> Result<Stored<T::Content>, DbErr> {
        Self::overwrite(transaction, id, &changed_row::<T>(id, content, edit).map_err(db_error)?).await
    }

    async fn overwrite(
        transaction: &Transaction,
        id: Id,
        row: &T::ActiveModel,
    ) -> Result<Stored<T::Content>, DbErr> {
        let version = named::<T>("version");
        let rows = T::update_many()
            .set(row.clone())
            .col_expr(version, Expr::col(version).add(1))
            .filter(named::<T>("id").eq(id))
            .exec_with_returning(transaction)
            .await?;
        let row = rows.first().ok_or_else(|| DbErr::Custom("a locked row is gone".into()))?;
        stored::<T>(row).map_err(db_error)
    }

    /// How much of which kind refers to an item.
    pub(super) async fn users_of(&self, id: Id) -> Result<Vec<(Kind, u64)>, StoreError> {
        usage_of::<T>(&self.database.writer, id).await.map_err(store_error)
    }
}

/// The columns of an item that is shown or hidden.
fn activated_row<T: ContentTable>(active: bool, edit: &Edit) -> T::ActiveModel {
    let mut row = touched_row::<T>(edit);
    row.set(named::<T>("active"), active.into());
    row
}

/// A row that says who changed it, and when.
fn touched_row<T: ContentTable>(edit: &Edit) -> T::ActiveModel {
    let mut row = <T::ActiveModel as Default>::default();
    row.set(named::<T>("updated_date"), edit.at.into());
    row.set(named::<T>("updated_by"), edit.by.as_ref().map(ToString::to_string).into());
    row
}

/// The row of content that is put in the place of another.
fn changed_row<T: ContentTable>(
    id: Id,
    content: &T::Content,
    edit: &Edit,
) -> Result<T::ActiveModel, StoreError> {
    let envelope = Envelope {
        id,
        version: 0,
        views: 0,
        created: edit.at,
        updated: edit.at,
        updated_by: edit.by.as_ref().map(ToString::to_string),
    };
    let mut row = model::<T>(content, envelope)?.into_active_model().reset_all();
    unset::<T>(&mut row, &["id", "version", "views", "created_date"]);
    unset::<T>(&mut row, T::DATABASE_MANAGED);
    Ok(row)
}

/// How much other content refers to an item, by kind.
pub(super) async fn usage_of<T: ContentTable>(
    connection: &impl ConnectionTrait,
    id: Id,
) -> Result<Vec<(Kind, u64)>, DbErr> {
    let mut users = Vec::new();
    for referrer in T::referrers() {
        let mut sql = Sql::new(referrer.counted);
        sql.bind(id);
        let row = connection.query_one_raw(sql.statement(connection.get_database_backend())).await?;
        let total: i64 = row.map_or(Ok(0), |row| row.try_get("", "total"))?;
        if total > 0 {
            users.push((referrer.kind, total.unsigned_abs()));
        }
    }
    Ok(users)
}
