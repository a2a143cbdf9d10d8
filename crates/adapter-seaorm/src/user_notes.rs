//! Notes on users, and snoozed customers. Deletions and snoozes have audit entries; notes have
//! their author and time.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_kernel::{Enumeration, FieldDiff, Id, ListQuery, Page, Username, timestamp};
use domain_users::{Snooze, UserNote};
use ports::{Edit, IdempotencyKey, Inserted, StoreError, UserNoteInsert, UserNoteRepository};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryResult,
    QuerySelect, sea_query::OnConflict,
};
use serde_json::{Map, Value, json};

use crate::{
    Database,
    audit::{NOTE, Record, SNOOZED_UNTIL, record},
    db::{
        error::{db_error, is_overtaken, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
        values::{member, text_of},
    },
    entities::{
        customer_snoozes,
        user_notes::{ActiveModel, Column, Entity, Model},
        users,
    },
    idempotency::{inserted_before, keep_answer},
    list::{AccessPath, ListRequest, ListTable, page},
    users::{performer, record_of, username},
};

/// The store of notes on users.
#[derive(Debug, Clone)]
pub struct SeaOrmUserNotes(pub Database);

fn note(row: Model) -> Result<UserNote, StoreError> {
    Ok(UserNote {
        id: row.id,
        kind: member(&row.kind)?,
        text: row.note,
        contacted_on: row.contacted_on,
        author: username(&row.author)?,
        created_date: row.created_date,
    })
}

fn read(row: &QueryResult) -> Result<UserNote, StoreError> {
    note(Model::from_query_result(row, "").map_err(store_error)?)
}

/// The notes on a user.
struct NoteList<'a>(&'a Username);

impl ListTable for NoteList<'_> {
    type Row = UserNote;

    const TABLE: &'static str = "user_notes";
    const ALIAS: &'static str = "n";
    const COLUMNS: &'static str = "n.id, n.user_id, n.kind, n.note, n.contacted_on, n.author, n.created_date";
    const DEFAULT_ORDER: (&'static str, bool) = ("n.id", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = read;

    fn push_conditions(&self, sql: &mut Sql, _request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE n.user_id = (SELECT u.id FROM users u WHERE u.username_key = ");
        sql.bind(self.0.key()).push(")");
    }
}

/// The id of a user.
async fn id_of(transaction: &Transaction, user: &Username) -> Result<Option<i64>, DbErr> {
    let found = users::Entity::find().select_only().column(users::Column::Id);
    found.filter(users::Column::UsernameKey.eq(user.key())).into_tuple().one(transaction).await
}

/// The snooze of a user, whether it has ended or not.
fn snooze_of(user: &Username) -> sea_orm::Select<customer_snoozes::Entity> {
    use sea_orm::QueryTrait;
    let id = users::Entity::find()
        .select_only()
        .column(users::Column::Id)
        .filter(users::Column::UsernameKey.eq(user.key()))
        .into_query();
    customer_snoozes::Entity::find().filter(customer_snoozes::Column::UserId.in_subquery(id))
}

impl SeaOrmUserNotes {
    async fn try_add(
        &self,
        user: &Username,
        new: &UserNoteInsert,
        edit: &Edit,
        once: Option<&IdempotencyKey>,
    ) -> Result<Option<Inserted<UserNote>>, DbErr> {
        let transaction = self.0.begin().await?;
        if let Some(once) = once
            && let Some(before) = inserted_before(&transaction, once).await?
        {
            return Ok(Some(before));
        }
        let Some(user_id) = id_of(&transaction, user).await? else { return Ok(None) };
        let author = performer(edit).map_err(db_error)?;
        let row = ActiveModel {
            user_id: Set(user_id),
            kind: Set(new.kind.code().to_owned()),
            note: Set(new.text.clone()),
            contacted_on: Set(new.contacted_on),
            author: Set(author.to_string()),
            created_date: Set(edit.at),
            ..<ActiveModel as Default>::default()
        };
        let stored = note(Entity::insert(row).exec_with_returning(&transaction).await?).map_err(db_error)?;
        if let Some(until) = new.snoozed_until {
            write_snooze(&transaction, (user, user_id), Some(until), edit).await?;
        }
        if let Some(once) = once {
            let answer = text_of(&stored)?;
            keep_answer(&transaction, once, answer, edit.at).await?;
        }
        transaction.commit().await?;
        Ok(Some(Inserted::New(stored)))
    }

    async fn try_delete(&self, user: &Username, note: &UserNote, edit: &Edit) -> Result<(), DbErr> {
        let transaction = self.0.begin().await?;
        let gone = Entity::delete_by_id(note.id).exec(&transaction).await?;
        if gone.rows_affected > 0 {
            let text = json!({NOTE: note.text, "contactedOn": note.contacted_on});
            record(&transaction, edit, vec![change_of(user, fields(text), Map::new())]).await?;
        }
        transaction.commit().await
    }

    async fn try_snooze(
        &self,
        user: &Username,
        until: Option<DateTime<Utc>>,
        edit: &Edit,
    ) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        let Some(user_id) = id_of(&transaction, user).await? else { return Ok(false) };
        write_snooze(&transaction, (user, user_id), until, edit).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// Writes the snooze of a customer, with an audit entry.
async fn write_snooze(
    transaction: &Transaction,
    (user, user_id): (&Username, i64),
    until: Option<DateTime<Utc>>,
    edit: &Edit,
) -> Result<(), DbErr> {
    use customer_snoozes::Column;
    let author = performer(edit).map_err(db_error)?;
    let before = customer_snoozes::Entity::find_by_id(user_id).one(transaction).await?;
    let before = before.map(|row| row.until_date);
    if before == until {
        return Ok(());
    }
    if let Some(until) = until {
        let row = customer_snoozes::ActiveModel {
            user_id: Set(user_id),
            until_date: Set(until),
            author: Set(author.to_string()),
            created_date: Set(edit.at),
        };
        let replaced = OnConflict::column(Column::UserId)
            .update_columns([Column::UntilDate, Column::Author, Column::CreatedDate])
            .to_owned();
        let insert = customer_snoozes::Entity::insert(row).on_conflict(replaced);
        insert.exec_without_returning(transaction).await?;
    } else {
        customer_snoozes::Entity::delete_by_id(user_id).exec(transaction).await?;
    }
    let value = |moment: Option<DateTime<Utc>>| fields(json!({SNOOZED_UNTIL: moment.map(timestamp::text)}));
    record(transaction, edit, vec![change_of(user, value(before), value(until))]).await
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn change_of(user: &Username, before: Map<String, Value>, after: Map<String, Value>) -> Record {
    Record { diff: FieldDiff { before, after }, ..record_of(AuditAction::Updated, user, None) }
}

#[async_trait]
impl UserNoteRepository for SeaOrmUserNotes {
    async fn list(&self, user: &Username, query: &ListQuery) -> Result<Page<Vec<UserNote>>, StoreError> {
        page(&self.0, &NoteList(user), query).await
    }

    async fn find(&self, user: &Username, id: Id) -> Result<Option<UserNote>, StoreError> {
        use sea_orm::QueryTrait;
        let user_id = users::Entity::find()
            .select_only()
            .column(users::Column::Id)
            .filter(users::Column::UsernameKey.eq(user.key()))
            .into_query();
        let found = Entity::find_by_id(id).filter(Column::UserId.in_subquery(user_id));
        found.one(&self.0.reader).await.map_err(store_error)?.map(note).transpose()
    }

    async fn answered(&self, once: &IdempotencyKey) -> Result<Option<Inserted<UserNote>>, StoreError> {
        inserted_before(&self.0.reader, once).await.map_err(store_error)
    }

    async fn add(
        &self,
        user: &Username,
        new: &UserNoteInsert,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Option<Inserted<UserNote>>, StoreError> {
        tried(is_overtaken, || self.try_add(user, new, edit, once.as_ref())).await.map_err(store_error)
    }

    async fn delete(&self, user: &Username, note: &UserNote, edit: &Edit) -> Result<(), StoreError> {
        self.try_delete(user, note, edit).await.map_err(store_error)
    }

    async fn snooze(&self, user: &Username, now: DateTime<Utc>) -> Result<Option<Snooze>, StoreError> {
        let found = snooze_of(user).filter(customer_snoozes::Column::UntilDate.gt(now));
        let row = found.one(&self.0.reader).await.map_err(store_error)?;
        row.map(|row| {
            Ok(Snooze {
                until: row.until_date,
                author: username(&row.author)?,
                created_date: row.created_date,
            })
        })
        .transpose()
    }

    async fn set_snooze(
        &self,
        user: &Username,
        until: Option<DateTime<Utc>>,
        edit: &Edit,
    ) -> Result<bool, StoreError> {
        self.try_snooze(user, until, edit).await.map_err(store_error)
    }
}
