//! Adding, changing and removing webhooks.

use chrono::DateTime;
use domain_audit::AuditAction;
use domain_integrations::{Webhook, WebhookDraft};
use domain_kernel::{Enumeration, FieldDiff, Id, Version, difference, fold, order_key};
use ports::{Edit, IdempotencyKey, Inserted, InsertedWebhook, StoreError, WebhookReplayConflict, Written};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QuerySelect,
    QueryTrait,
    sea_query::{Expr, ExprTrait, LockType},
};

use super::{PENDING, SeaOrmWebhooks, find_in};
use crate::{
    audit::{self as recorded, Record, delete_recorded, fields_of, record_one},
    db::{
        error::{is_overtaken, store_error},
        retries::tried,
        transaction::Transaction,
    },
    entities::{
        webhook_deliveries as deliveries,
        webhooks::{ActiveModel, Column, Entity},
    },
    idempotency::{Earlier, answered, keep_answer},
};

/// `,ITEM_CREATED,CREDITS_MOVED,`, the format that the triggers search.
fn events(draft: &WebhookDraft) -> String {
    draft.events.iter().fold(",".to_owned(), |text, event| text + event.code() + ",")
}

fn folded_search_text(draft: &WebhookDraft) -> String {
    [&draft.name, &draft.url.0].map(|text| fold(text)).join("\n")
}

/// The columns of a draft.
fn row(draft: &WebhookDraft) -> ActiveModel {
    ActiveModel {
        name: Set(draft.name.clone()),
        name_key: Set(order_key(&draft.name)),
        url: Set(draft.url.0.clone()),
        search_text: Set(folded_search_text(draft)),
        events: Set(events(draft)),
        active: Set(draft.active),
        ..ActiveModel::default()
    }
}

/// The webhook with this id, if it still has the expected version.
fn is_expected(id: Id, expected: Option<Version>) -> Condition {
    Condition::all().add(Column::Id.eq(id)).add_option(expected.map(|version| Column::Version.eq(version)))
}

/// The audit entry of a webhook, without its secret.
pub(super) fn record_of(action: AuditAction, webhook: &Webhook, diff: FieldDiff) -> Record {
    Record {
        action,
        resource: "webhooks",
        item: webhook.id.to_string(),
        title: webhook.draft.name.clone(),
        version: Some(webhook.version),
        diff,
    }
}

/// Locks a webhook until the transaction ends, so that the audit entry has the previous form.
async fn lock(transaction: &Transaction, id: Id) -> Result<(), StoreError> {
    if transaction.get_database_backend() != DbBackend::Sqlite {
        let row = Entity::find().select_only().column(Column::Id).filter(Column::Id.eq(id));
        let row = row.lock(LockType::NoKeyUpdate).into_query();
        transaction.query_one(&row).await.map_err(store_error)?;
    }
    Ok(())
}

/// Makes pending deliveries due at once with all their attempts, because their failures were those
/// of the previous receiver.
pub(super) async fn begin_anew(transaction: &Transaction, webhook: Id) -> Result<(), DbErr> {
    let due = deliveries::Entity::update_many()
        .set(deliveries::ActiveModel {
            attempts: Set(0),
            next_attempt_at: Set(DateTime::UNIX_EPOCH),
            ..deliveries::ActiveModel::default()
        })
        .filter(deliveries::Column::WebhookId.eq(webhook))
        .filter(Expr::cust(PENDING))
        .filter(deliveries::Column::Attempts.gt(0));
    due.exec(transaction).await?;
    Ok(())
}

/// Outcome of an insert.
type WebhookInserted = Inserted<InsertedWebhook, WebhookReplayConflict>;

impl SeaOrmWebhooks {
    pub(super) async fn insert(
        &self,
        draft: &WebhookDraft,
        secret: &str,
        edit: &Edit,
        once: Option<&IdempotencyKey>,
    ) -> Result<WebhookInserted, StoreError> {
        tried(is_overtaken, || self.try_insert(draft, secret, edit, once))
            .await
            .unwrap_or_else(|error| Err(store_error(error)))
    }

    async fn try_insert(
        &self,
        draft: &WebhookDraft,
        secret: &str,
        edit: &Edit,
        once: Option<&IdempotencyKey>,
    ) -> Result<Result<WebhookInserted, StoreError>, DbErr> {
        let transaction = self.0.begin().await?;
        if let Some(once) = once {
            match answered(&transaction, once).await? {
                None => {}
                Some(Earlier::KeyReused) => return Ok(Ok(Inserted::KeyReused)),
                Some(Earlier::Replayed(id)) => {
                    let id = id.parse().map_err(|_| DbErr::Custom("a response that is no id".into()))?;
                    return self.replayed(&transaction, id).await;
                }
            }
        }
        let row = ActiveModel {
            version: Set(1),
            secret: Set(secret.to_owned()),
            created_date: Set(edit.at),
            updated_date: Set(edit.at),
            ..row(draft)
        };
        let mut insert = Entity::insert(row).into_query();
        let row = transaction.query_one(insert.returning_col(Column::Id)).await?;
        let id: Id = row.ok_or_else(|| DbErr::Custom("an insert without a row".into()))?.try_get("", "id")?;
        if let Some(once) = once {
            // Only the ID, because the secret must not be stored in another table.
            keep_answer(&transaction, once, id.to_string(), edit.at).await?;
        }
        let added = match find_in(&transaction, id).await {
            Ok(added) => added,
            Err(error) => return Ok(Err(error)),
        };
        if let Some(webhook) = &added {
            let diff = recorded::added(fields_of(&webhook.draft));
            record_one(&transaction, edit, record_of(AuditAction::Created, webhook, diff)).await?;
        }
        transaction.commit().await?;
        let gone = || StoreError::Broken("a webhook is missing in its transaction".into());
        let inserted = |webhook| Inserted::New(InsertedWebhook { webhook, secret: secret.to_owned() });
        Ok(added.map(inserted).ok_or_else(gone))
    }

    async fn replayed(
        &self,
        transaction: &Transaction,
        id: Id,
    ) -> Result<Result<WebhookInserted, StoreError>, DbErr> {
        let Some(row) = Entity::find_by_id(id).one(transaction).await? else {
            return Ok(Ok(Inserted::Conflict(WebhookReplayConflict::Removed(id))));
        };
        let found = find_in(transaction, id).await;
        Ok(found.map(|found| match found {
            Some(webhook) if webhook.version > 1 => Inserted::Conflict(WebhookReplayConflict::Changed),
            Some(webhook) => Inserted::Replayed(InsertedWebhook { webhook, secret: row.secret }),
            None => Inserted::Conflict(WebhookReplayConflict::Removed(id)),
        }))
    }

    pub(super) async fn change(
        &self,
        id: Id,
        draft: &WebhookDraft,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<Webhook>, StoreError> {
        // Failures of the previous URL, or from before a deactivation, do not count.
        let is_other = |before: &Webhook| {
            before.pause.is_none()
                && (before.draft.url != draft.url || (draft.active && !before.draft.active))
        };
        self.update(row(draft), id, expected, AuditAction::Updated, is_other, edit).await
    }

    pub(super) async fn rotate(
        &self,
        id: Id,
        secret: &str,
        edit: &Edit,
    ) -> Result<Written<Webhook>, StoreError> {
        let row = ActiveModel { secret: Set(secret.to_owned()), ..ActiveModel::default() };
        self.update(row, id, None, AuditAction::SecretChanged, |_| false, edit).await
    }

    async fn update(
        &self,
        mut row: ActiveModel,
        id: Id,
        expected: Option<Version>,
        action: AuditAction,
        resets_failures: impl Fn(&Webhook) -> bool,
        edit: &Edit,
    ) -> Result<Written<Webhook>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        lock(&transaction, id).await?;
        let before = find_in(&transaction, id).await?;
        let resets_failures = before.as_ref().is_some_and(resets_failures);
        if resets_failures {
            (row.failures, row.failing_since) = (Set(0), Set(None));
        }
        let update = Entity::update_many()
            .set(ActiveModel { updated_date: Set(edit.at), ..row })
            .col_expr(Column::Version, Expr::col(Column::Version).add(1))
            .filter(is_expected(id, expected));
        let done = update.exec(&transaction).await.map_err(store_error)?;
        if resets_failures && done.rows_affected == 1 {
            begin_anew(&transaction, id).await.map_err(store_error)?;
        }
        let found = find_in(&transaction, id).await?;
        if let (Some(before), Some(after), 1) = (&before, &found, done.rows_affected) {
            let diff = difference(&fields_of(&before.draft), &fields_of(&after.draft));
            record_one(&transaction, edit, record_of(action, after, diff)).await.map_err(store_error)?;
        }
        transaction.commit().await.map_err(store_error)?;
        Ok(match (found, done.rows_affected) {
            (None, _) => Written::Missing,
            (Some(webhook), 1) => Written::Done(webhook),
            (Some(webhook), _) => Written::Outdated(webhook),
        })
    }

    pub(super) async fn erase(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<Webhook>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let Some(webhook) = find_in(&transaction, id).await? else { return Ok(Written::Missing) };
        let delete = Entity::delete_many().filter(is_expected(id, expected));
        let diff = FieldDiff { before: fields_of(&webhook.draft), ..FieldDiff::default() };
        let deleted = record_of(AuditAction::Deleted, &webhook, diff);
        // Its deliveries stay and are removed in batches (`retention`), because a log may have many
        // rows.
        let is_deleted = delete_recorded(transaction, delete, edit, deleted).await?;
        Ok(if is_deleted { Written::Done(webhook) } else { Written::Outdated(webhook) })
    }
}
