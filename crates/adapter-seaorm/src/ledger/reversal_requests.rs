//! Requests for reversals of sales. A reversal approves the pending request for its operation in
//! its transaction.

use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_credits::{Refusal, RequestedReversal, ReversalStatus, Reversed, requestable};
use domain_kernel::{Enumeration, Id, ListQuery, Page};
use domain_users::Scope;
use ports::{
    AlreadyDecided, Edit, Inserted, NewReversalRequest, OrderConflict, ReversalFilter, ReversalRequests,
    StoreError, Written,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryResult, QueryTrait,
};
use serde_json::json;

use super::{
    SeaOrmLedger,
    users::{LedgerUserRow, optional_user_ref, user_ref},
};
use crate::{
    audit::{Record, added, fields_of, record_one},
    db::{
        error::{db_error, is_overtaken, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
        values::member,
    },
    entities::{
        reversal_requests::{ActiveModel, Column, Entity},
        users,
    },
    idempotency::{Earlier, answered, keep_answer},
    list::{AccessPath, ListRequest, ListTable, page, rows_of_list},
    users::push_scope,
};

/// The columns of a request `r`, with its operation `o`, the customer's entry `e`, and the users.
const COLUMNS: &str = "r.id, r.status, r.reason, r.note, r.requested_date, r.decided_date, e.id AS movement_id, \
     r.operation_id, o.operation_date, o.amount, q.username AS requester, q.full_name AS requester_name, \
     t.username AS target, t.full_name AS target_name, d.username AS decider, d.full_name AS decider_name";
const JOINS: &str = " JOIN operations o ON o.id = r.operation_id \
     JOIN entries e ON e.operation_id = r.operation_id AND e.leg = 0 JOIN users t ON t.id = e.user_id \
     JOIN users q ON q.id = r.requester_id LEFT JOIN users d ON d.id = r.decided_by_id";

fn request(row: &QueryResult) -> Result<RequestedReversal, StoreError> {
    let text = |column: &str| row.try_get::<String>("", column).map_err(store_error);
    let optional = |column: &str| row.try_get::<Option<String>>("", column).map_err(store_error);
    let number = |column: &str| row.try_get::<i64>("", column).map_err(store_error);
    Ok(RequestedReversal {
        id: number("id")?,
        status: member(&text("status")?)?,
        requested_by: user_ref(row, "requester", "requester_name")?,
        requested_date: row.try_get("", "requested_date").map_err(store_error)?,
        reason: optional("reason")?,
        movement_id: number("movement_id")?,
        operation_id: number("operation_id")?,
        operation_date: row.try_get("", "operation_date").map_err(store_error)?,
        target_user: user_ref(row, "target", "target_name")?,
        amount: number("amount")?,
        decided_by: optional_user_ref(row, "decider", "decider_name")?,
        decided_date: row.try_get("", "decided_date").map_err(store_error)?,
        note: optional("note")?,
    })
}

/// The list of requests.
struct RequestList<'a>(&'a ReversalFilter);

rows_of_list!(SeaOrmLedger, database, ReversalFilter, RequestedReversal, |store, filter| RequestList(filter));

impl ListTable for RequestList<'_> {
    type Row = RequestedReversal;

    const TABLE: &'static str = "reversal_requests";
    const ALIAS: &'static str = "r";
    const COLUMNS: &'static str = COLUMNS;
    const JOINS: &'static str = JOINS;
    const SORTS: &'static [(&'static str, &'static str)] = &[("requestedDate", "requested_date")];
    const DEFAULT_ORDER: (&'static str, bool) = ("r.id", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = request;

    fn push_conditions(&self, sql: &mut Sql, _request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE 1 = 1");
        let ReversalFilter { scope, status } = self.0;
        if let Some(status) = status {
            sql.push(" AND r.status = ").bind(status.code());
        }
        if *scope != Scope::Everyone {
            sql.push(" AND r.requester_id IN (SELECT m.id FROM users m WHERE ");
            push_scope(sql, scope);
            if let Scope::SubtreeOf(agent) = scope {
                sql.push(" OR m.username_key = ").bind(agent.key());
            }
            sql.push(")");
        }
    }
}

/// The request with this ID.
fn one(id: Id) -> Sql {
    let mut sql = Sql::new(format!("SELECT {COLUMNS} FROM reversal_requests r{JOINS} WHERE r.id = "));
    sql.bind(id);
    sql
}

impl SeaOrmLedger {
    async fn request_in(
        &self,
        transaction: &Transaction,
        id: Id,
    ) -> Result<Option<RequestedReversal>, DbErr> {
        let rows = self.rows(transaction, one(id)).await?;
        rows.first().map(request).transpose().map_err(db_error)
    }

    async fn try_request(
        &self,
        new: &NewReversalRequest,
        now: DateTime<Utc>,
    ) -> Result<Inserted<RequestedReversal, OrderConflict>, DbErr> {
        let transaction = self.begin().await?;
        let Some(original) = self.original(&transaction, new.movement).await? else {
            return Ok(Inserted::Conflict(OrderConflict::Hidden));
        };
        // The same lock on the customer as in a reversal.
        let requester_key = new.requester.key();
        let users =
            self.locked_users(&transaction, &[requester_key.clone(), original.target.clone()]).await?;
        let named = |key: &str| users.iter().find(|row| row.username.eq_ignore_ascii_case(key));
        let Some(requester) = named(&requester_key) else {
            return Ok(Inserted::Conflict(OrderConflict::Refused(Refusal::NotActive)));
        };
        if let Some(once) = &new.once {
            match answered(&transaction, once).await? {
                None => {}
                Some(Earlier::KeyReused) => return Ok(Inserted::KeyReused),
                Some(Earlier::Replayed(id)) => {
                    let id = id.parse().map_err(|_| DbErr::Custom("a response that is no id".into()))?;
                    let stored = self.request_in(&transaction, id).await?;
                    let stored = stored.ok_or_else(|| DbErr::RecordNotFound("a request".into()))?;
                    return Ok(Inserted::Replayed(stored));
                }
            }
        }
        let Some(target) = named(&original.target).filter(|target| requester.sees(target)) else {
            return Ok(Inserted::Conflict(OrderConflict::Hidden));
        };
        let reversed = Reversed {
            is_reversed: self.is_reversed(&transaction, original.id).await?,
            is_own: original.own_of == Some(requester.id),
            ..original.reversed
        };
        if let Err(refusal) = requestable(&reversed, &requester.summary(), requester.manages(target)) {
            return Ok(Inserted::Conflict(OrderConflict::Refused(refusal)));
        }
        if self.has_pending(&transaction, original.id).await? {
            return Ok(Inserted::Conflict(OrderConflict::Refused(Refusal::AlreadyRequested)));
        }
        let id = self.insert_request(&transaction, new, original.id, requester, now).await?;
        let stored = self.request_in(&transaction, id).await?;
        let stored = stored.ok_or_else(|| DbErr::Custom("a request is missing in its transaction".into()))?;
        let edit = Edit { by: Some(new.requester.clone()), at: now, origin: new.origin };
        let requested = record_of(AuditAction::Requested, &stored);
        record_one(&transaction, &edit, requested).await?;
        if let Some(once) = &new.once {
            keep_answer(&transaction, once, id.to_string(), now).await?;
        }
        self.commit(transaction).await?;
        Ok(Inserted::New(stored))
    }

    async fn has_pending(&self, transaction: &Transaction, operation: Id) -> Result<bool, DbErr> {
        let pending = Entity::find()
            .filter(Column::OperationId.eq(operation))
            .filter(Column::Status.eq(ReversalStatus::Pending.code()));
        Ok(!self.query(transaction, &pending.into_query()).await?.is_empty())
    }

    async fn insert_request(
        &self,
        transaction: &Transaction,
        new: &NewReversalRequest,
        operation: Id,
        requester: &LedgerUserRow,
        now: DateTime<Utc>,
    ) -> Result<Id, DbErr> {
        let row = ActiveModel {
            operation_id: Set(operation),
            requester_id: Set(requester.id),
            reason: Set(new.reason.clone()),
            status: Set(ReversalStatus::Pending.code().to_owned()),
            requested_date: Set(now),
            ..<ActiveModel as Default>::default()
        };
        let mut insert = Entity::insert(row).into_query();
        let rows = self.query(transaction, insert.returning_col(Column::Id)).await?;
        rows.first().ok_or_else(|| DbErr::Custom("an insert without a row".into()))?.try_get("", "id")
    }

    /// Approves the pending request for an operation, or only this request if it is pending;
    /// returns the number of approved requests.
    pub(super) async fn approve_pending(
        &self,
        transaction: &Transaction,
        operation: Id,
        only: Option<Id>,
        by: &LedgerUserRow,
        note: Option<&str>,
        edit: &Edit,
    ) -> Result<u64, DbErr> {
        let pending = Entity::find()
            .filter(Column::OperationId.eq(operation))
            .filter(Column::Status.eq(ReversalStatus::Pending.code()))
            .apply_if(only, |pending, id| pending.filter(Column::Id.eq(id)));
        let pending = self.query(transaction, &pending.into_query()).await?;
        let Some(row) = pending.first() else { return Ok(0) };
        let id: Id = row.try_get("", "id")?;
        let update = Entity::update_many()
            .set(decided(ReversalStatus::Approved, Some(by.id), note, edit.at))
            .filter(Column::Id.eq(id))
            .filter(Column::Status.eq(ReversalStatus::Pending.code()));
        let approved = self.execute(transaction, &update.into_query()).await?;
        if approved == 1
            && let Some(request) = self.request_in(transaction, id).await?
        {
            record_one(transaction, edit, record_of(AuditAction::Approved, &request)).await?;
        }
        Ok(approved)
    }
}

/// The audit entry of a request.
fn record_of(action: AuditAction, request: &RequestedReversal) -> Record {
    let diff = added(fields_of(&json!({
        "movementId": request.movement_id,
        "requestedBy": request.requested_by.username,
        "targetUsername": request.target_user.username,
        "amount": request.amount,
        "reason": request.reason,
        "note": request.note,
    })));
    let title = request.target_user.username.to_string();
    Record { action, resource: "reversal-requests", item: request.id.to_string(), title, version: None, diff }
}

fn decided(status: ReversalStatus, by: Option<Id>, note: Option<&str>, now: DateTime<Utc>) -> ActiveModel {
    ActiveModel {
        status: Set(status.code().to_owned()),
        decided_by_id: Set(by),
        note: Set(note.map(str::to_owned)),
        decided_date: Set(Some(now)),
        ..<ActiveModel as Default>::default()
    }
}

impl SeaOrmLedger {
    async fn try_decline(
        &self,
        id: Id,
        note: Option<&str>,
        edit: &Edit,
    ) -> Result<Written<RequestedReversal, AlreadyDecided>, DbErr> {
        let transaction = self.begin().await?;
        let by = edit.by.as_ref().ok_or_else(|| DbErr::Custom("requests are declined by users".into()))?;
        let decider = users::Entity::find().filter(users::Column::UsernameKey.eq(by.key()));
        let decider = decider.one(&transaction).await?.map(|user| user.id);
        let update = Entity::update_many()
            .set(decided(ReversalStatus::Declined, decider, note, edit.at))
            .filter(Column::Id.eq(id))
            .filter(Column::Status.eq(ReversalStatus::Pending.code()));
        let changed = self.execute(&transaction, &update.into_query()).await?;
        let Some(request) = self.request_in(&transaction, id).await? else { return Ok(Written::Missing) };
        if changed == 0 {
            return Ok(Written::Conflict(AlreadyDecided));
        }
        record_one(&transaction, edit, record_of(AuditAction::Declined, &request)).await?;
        self.commit(transaction).await?;
        Ok(Written::Done(request))
    }
}

#[async_trait::async_trait]
impl ReversalRequests for SeaOrmLedger {
    async fn request(
        &self,
        request: &NewReversalRequest,
        now: DateTime<Utc>,
    ) -> Result<Inserted<RequestedReversal, OrderConflict>, StoreError> {
        tried(is_overtaken, || self.try_request(request, now)).await.map_err(store_error)
    }

    async fn list(
        &self,
        filter: &ReversalFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<RequestedReversal>>, StoreError> {
        page(&self.database, &RequestList(filter), query).await
    }

    async fn find_request(&self, id: Id) -> Result<Option<RequestedReversal>, StoreError> {
        let statement = one(id).statement(self.database.backend());
        let row = self.database.reader.query_one_raw(statement).await.map_err(store_error)?;
        row.as_ref().map(request).transpose()
    }

    async fn decline<'a>(
        &self,
        id: Id,
        note: Option<&'a str>,
        edit: &Edit,
    ) -> Result<Written<RequestedReversal, AlreadyDecided>, StoreError> {
        tried(is_overtaken, || self.try_decline(id, note, edit)).await.map_err(store_error)
    }
}
