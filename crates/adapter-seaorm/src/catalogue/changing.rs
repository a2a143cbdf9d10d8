//! Changes of items, and of whether they are shown.

use domain_catalogue::{Content, Kind, Stored};
use domain_kernel::{Id, Version};
use ports::{ContentConflict, Edit, StoreError, Usage, Written};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect,
    sea_query::{Expr, ExprTrait, LockType},
};

use super::{
    SeaOrmContents,
    recording::record_of_change,
    rows::{Envelope, model, named, stored, unset},
    switching,
    table::ContentTable,
};
use crate::{
    audit::record,
    category_types::{is_of_channels, require_category_types},
    db::{
        error::{db_error, is_serialization_failure, is_unique, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
    },
    playlists,
};

type Changed<T> =
    Written<Stored<<T as ContentTable>::Content>, ContentConflict<<T as ContentTable>::Content>>;

/// The effect of a write on an item.
enum Effect {
    /// The item already has the values.
    Nothing,
    /// The item changes.
    Change,
    /// These fields change, which must not change while other items refer to this one.
    ChangeOfFixed(Vec<&'static str>),
}

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn change(
        &self,
        id: Id,
        content: &T::Content,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Changed<T>, StoreError> {
        let row = changed_row::<T>(id, content, &edit)?;
        let effect = |current: &T::Content| effect_of(current, content);
        match tried(is_serialization_failure, || self.write(id, &row, expected, &edit, effect)).await {
            Err(error) if is_unique(&error) => match self.conflicting(content).await? {
                Some(other) => Ok(Written::Conflict(ContentConflict::Duplicate(Box::new(other)))),
                None => Err(store_error(error)),
            },
            outcome => outcome.map_err(store_error),
        }
    }

    /// As part of a transaction with other writes.
    pub(crate) async fn change_in(
        transaction: &Transaction,
        id: Id,
        content: &T::Content,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Changed<T>, DbErr> {
        let row = changed_row::<T>(id, content, edit).map_err(db_error)?;
        let effect = |current: &T::Content| effect_of(current, content);
        Self::write_in(transaction, id, &row, expected, edit, effect).await
    }

    /// Increments the version of an item without changing its content, as part of a transaction.
    pub(crate) async fn touch_in(
        transaction: &Transaction,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Changed<T>, DbErr> {
        Self::write_in(transaction, id, &touched_row::<T>(edit), expected, edit, |_| Ok(Effect::Change)).await
    }

    pub(super) async fn activate(
        &self,
        id: Id,
        active: bool,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Changed<T>, StoreError> {
        tried(is_serialization_failure, || self.try_activate(id, active, expected, &edit))
            .await
            .map_err(store_error)
    }

    /// A user who deactivates an item that the service has deactivated prevents its automatic
    /// activation.
    async fn try_activate(
        &self,
        id: Id,
        active: bool,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Changed<T>, DbErr> {
        let transaction = self.database.begin().await?;
        let written = if !active && switching::keep_off::<T>(&transaction, id).await? {
            Self::touch_in(&transaction, id, expected, edit).await?
        } else {
            Self::activate_in(&transaction, id, active, expected, edit).await?
        };
        if matches!(written, Written::Done(_)) {
            transaction.commit().await?;
        }
        Ok(written)
    }

    /// As part of a transaction with other writes.
    pub(super) async fn activate_in(
        transaction: &Transaction,
        id: Id,
        active: bool,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Changed<T>, DbErr> {
        let row = activated_row::<T>(active, edit);
        let effect = |current: &T::Content| Ok(effect_of_active(current, active));
        Self::write_in(transaction, id, &row, expected, edit, effect).await
    }

    /// Writes a row with the expected version, and records the change, in one transaction. Without
    /// a change of content nothing is written.
    async fn write(
        &self,
        id: Id,
        row: &T::ActiveModel,
        expected: Option<Version>,
        edit: &Edit,
        effect: impl Fn(&T::Content) -> Result<Effect, DbErr>,
    ) -> Result<Changed<T>, DbErr> {
        let transaction = self.database.begin().await?;
        let written = Self::write_in(&transaction, id, row, expected, edit, effect).await?;
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
        effect: impl Fn(&T::Content) -> Result<Effect, DbErr>,
    ) -> Result<Changed<T>, DbErr> {
        let Some(current) = Self::locked(transaction, id).await? else { return Ok(Written::Missing) };
        if expected.is_some_and(|version| version != current.version) {
            return Ok(Written::Outdated(current));
        }
        match effect(&current.content)? {
            Effect::Nothing => return Ok(Written::Done(current)),
            Effect::Change => {}
            Effect::ChangeOfFixed(fields) => {
                let count = Self::users_in(transaction, id).await?;
                if count > 0 {
                    return Ok(Written::Conflict(ContentConflict::Used { fields, count }));
                }
            }
        }
        let changed = overwrite_row::<T>(transaction, id, row.clone(), 0).await?;
        let references = changed.content.references();
        if references != current.content.references() {
            require_category_types(transaction, &references).await?;
        }
        record(transaction, edit, vec![record_of_change(&current.content, &changed)]).await?;
        Ok(Written::Done(changed))
    }

    /// An item whose row is locked until the transaction ends.
    pub(crate) async fn locked(
        transaction: &Transaction,
        id: Id,
    ) -> Result<Option<Stored<T::Content>>, DbErr> {
        let locked = T::find().filter(named::<T>("id").eq(id)).lock(LockType::NoKeyUpdate);
        locked.one(transaction).await?.as_ref().map(stored::<T>).transpose().map_err(db_error)
    }

    /// The existing ones of these items. Their rows are locked, in the order of their IDs, until the transaction
    /// ends.
    pub(super) async fn locked_all(
        transaction: &Transaction,
        ids: &[Id],
        lock: LockType,
    ) -> Result<Vec<Stored<T::Content>>, DbErr> {
        let id = named::<T>("id");
        let find = T::find().filter(id.is_in(ids.iter().copied())).order_by_asc(id);
        let rows = find.lock(lock).all(transaction).await?;
        rows.iter().map(stored::<T>).collect::<Result<_, _>>().map_err(db_error)
    }

    /// Number of references to an item. A transaction that adds one waits until this transaction
    /// ends, or is counted.
    pub(super) async fn users_in(transaction: &Transaction, id: Id) -> Result<u64, DbErr> {
        let column = named::<T>("id");
        let hold = T::find().select_only().column(column).filter(column.eq(id)).lock(LockType::Update);
        hold.into_tuple::<Id>().one(transaction).await?;
        Ok(usage_of::<T>(transaction, id).await?.iter().map(|(_, count)| count).sum())
    }

    /// References to an item by kind.
    pub(super) async fn users_of(&self, id: Id) -> Result<Usage, StoreError> {
        usage_of::<T>(&self.database.writer, id).await.map_err(store_error)
    }
}

/// Writes content over a locked row, which gets another version, and adds these views to its own.
/// Adds no audit entry.
pub(super) async fn overwrite<T: ContentTable>(
    transaction: &Transaction,
    id: Id,
    content: &T::Content,
    views: i64,
    edit: &Edit,
) -> Result<Stored<T::Content>, DbErr> {
    let row = changed_row::<T>(id, content, edit).map_err(db_error)?;
    overwrite_row::<T>(transaction, id, row, views).await
}

async fn overwrite_row<T: ContentTable>(
    transaction: &Transaction,
    id: Id,
    row: T::ActiveModel,
    views: i64,
) -> Result<Stored<T::Content>, DbErr> {
    let (version, viewed) = (named::<T>("version"), named::<T>("views"));
    let mut update = T::update_many().set(row).col_expr(version, Expr::col(version).add(1));
    if views != 0 {
        update = update.col_expr(viewed, Expr::col(viewed).add(views));
    }
    let rows = update.filter(named::<T>("id").eq(id)).exec_with_returning(transaction).await?;
    let row = rows.first().ok_or_else(|| DbErr::Custom("a locked row is missing".into()))?;
    stored::<T>(row).map_err(db_error)
}

/// Increments the versions of locked items without changing their content. Adds no audit entries.
pub(super) async fn touch_all<T: ContentTable>(
    transaction: &Transaction,
    ids: &[Id],
    edit: &Edit,
) -> Result<(), DbErr> {
    let version = named::<T>("version");
    let update = T::update_many().set(touched_row::<T>(edit)).col_expr(version, Expr::col(version).add(1));
    update.filter(named::<T>("id").is_in(ids.iter().copied())).exec(transaction).await.map(drop)
}

/// The effect of replacing content by other content.
fn effect_of<C: Content>(current: &C, next: &C) -> Result<Effect, DbErr> {
    if C::FIXED_WHILE_USED.is_empty() {
        return Ok(Effect::Change);
    }
    let json = |content: &C| serde_json::to_value(content).map_err(|error| DbErr::Custom(error.to_string()));
    let (current, next) = (json(current)?, json(next)?);
    let fields = C::FIXED_WHILE_USED.iter().copied().filter(|field| current[field] != next[field]);
    let fields: Vec<&str> = fields.collect();
    Ok(if fields.is_empty() { Effect::Change } else { Effect::ChangeOfFixed(fields) })
}

fn effect_of_active<C: Content>(current: &C, active: bool) -> Effect {
    if current.active() == active { Effect::Nothing } else { Effect::Change }
}

/// The columns of an item that is shown or hidden.
fn activated_row<T: ContentTable>(active: bool, edit: &Edit) -> T::ActiveModel {
    let mut row = touched_row::<T>(edit);
    row.set(named::<T>("active"), active.into());
    row
}

/// A row with the user and time of a change.
fn touched_row<T: ContentTable>(edit: &Edit) -> T::ActiveModel {
    let mut row = <T::ActiveModel as Default>::default();
    row.set(named::<T>("updated_date"), edit.at.into());
    row.set(named::<T>("updated_by"), edit.by.as_ref().map(ToString::to_string).into());
    row
}

/// The row of content that replaces other content.
pub(super) fn changed_row<T: ContentTable>(
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

/// References to an item by kind.
pub(super) async fn usage_of<T: ContentTable>(
    connection: &impl ConnectionTrait,
    id: Id,
) -> Result<Usage, DbErr> {
    let mut users = Vec::new();
    for referrer in T::referrers() {
        let mut sql = Sql::new(referrer.counted);
        sql.bind(id);
        let row = connection.query_one_raw(sql.statement(connection.get_database_backend())).await?;
        let total: i64 = row.map_or(Ok(0), |row| row.try_get("", "total"))?;
        if total > 0 {
            users.push((referrer.kind.path(), total.unsigned_abs()));
        }
    }
    if T::Content::KIND == Kind::Categories && is_of_channels(connection, id).await? {
        let sources = playlists::count_of_category(connection, id).await?;
        if sources > 0 {
            users.push(("playlist-sources", sources));
        }
    }
    Ok(users)
}
