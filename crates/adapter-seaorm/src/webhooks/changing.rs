//! Adding, changing and removing webhooks.

use chrono::{DateTime, Utc};
use domain_integrations::{Webhook, WebhookDraft};
use domain_kernel::{Enumeration, Id, Version, fold, order_key};
use ports::{IdempotencyKey, StoreError, WebhookAdded, Written};
use sea_orm::{ConnectionTrait, DbErr};

use super::{SeaOrmWebhooks, find_in};
use crate::db::{
    error::{is_overtaken, store_error},
    retries::tried,
    sql::Sql,
    transaction::Transaction,
};

/// `,ITEM_CREATED,CREDITS_MOVED,`, as the triggers look for them.
fn events(draft: &WebhookDraft) -> String {
    draft.events.iter().fold(",".to_owned(), |text, event| text + event.code() + ",")
}

fn folded_search_text(draft: &WebhookDraft) -> String {
    [&draft.name, &draft.url.0].map(|text| fold(text)).join("\n")
}

/// What a key stands for.
enum Before {
    Never,
    Other,
    Webhook(Id),
}

impl SeaOrmWebhooks {
    pub(super) async fn insert(
        &self,
        draft: &WebhookDraft,
        secret: &str,
        now: DateTime<Utc>,
        once: Option<&IdempotencyKey>,
    ) -> Result<WebhookAdded, StoreError> {
        tried(is_overtaken, || self.try_insert(draft, secret, now, once))
            .await
            .unwrap_or_else(|error| Err(store_error(error)))
    }

    async fn try_insert(
        &self,
        draft: &WebhookDraft,
        secret: &str,
        now: DateTime<Utc>,
        once: Option<&IdempotencyKey>,
    ) -> Result<Result<WebhookAdded, StoreError>, DbErr> {
        let backend = self.0.backend();
        let transaction = self.0.begin().await?;
        match self.done_before(&transaction, once).await? {
            Before::Never => {}
            Before::Other => return Ok(Ok(WebhookAdded::KeyReused)),
            Before::Webhook(id) => return self.again(&transaction, id).await,
        }
        let mut sql = Sql::new(
            "INSERT INTO webhooks (version, name, name_key, url, search_text, secret, events, active, created_date, \
             updated_date) VALUES (1, ",
        );
        sql.bind(draft.name.as_str()).push(", ").bind(order_key(&draft.name)).push(", ");
        sql.bind(draft.url.0.as_str()).push(", ").bind(folded_search_text(draft)).push(", ").bind(secret);
        sql.push(", ").bind(events(draft)).push(", ").bind(draft.active).push(", ").bind(now).push(", ");
        sql.bind(now).push(") RETURNING id");
        let row = transaction.query_one_raw(sql.statement(backend)).await?;
        let id: Id = row.ok_or_else(|| DbErr::Custom("an insert without a row".into()))?.try_get("", "id")?;
        if let Some(once) = once {
            let mut keep = Sql::new(
                "INSERT INTO idempotency_keys (username_key, idempotency_key, fingerprint, answer, created_date) VALUES (",
            );
            keep.bind(once.username.as_str()).push(", ").bind(once.key.as_str()).push(", ");
            // The id alone: a secret has no business in a second table.
            keep.bind(once.fingerprint.as_str()).push(", ").bind(id.to_string()).push(", ").bind(now);
            keep.push(")");
            transaction.execute_raw(keep.statement(backend)).await?;
        }
        let added = match find_in(&transaction, id).await {
            Ok(added) => added,
            Err(error) => return Ok(Err(error)),
        };
        transaction.commit().await?;
        let gone = || StoreError::Broken("a webhook is gone in its own transaction".into());
        Ok(added.map(WebhookAdded::New).ok_or_else(gone))
    }

    async fn done_before(
        &self,
        transaction: &Transaction,
        once: Option<&IdempotencyKey>,
    ) -> Result<Before, DbErr> {
        let Some(once) = once else { return Ok(Before::Never) };
        let mut known = Sql::new("SELECT fingerprint, answer FROM idempotency_keys WHERE username_key = ");
        known.bind(once.username.as_str()).push(" AND idempotency_key = ").bind(once.key.as_str());
        let row = transaction.query_one_raw(known.statement(self.0.backend())).await?;
        let Some(row) = row else { return Ok(Before::Never) };
        if row.try_get::<String>("", "fingerprint")? != once.fingerprint {
            return Ok(Before::Other);
        }
        let answer: String = row.try_get("", "answer")?;
        let id = answer.parse().map_err(|_| DbErr::Custom("an answer that is no id".into()))?;
        Ok(Before::Webhook(id))
    }

    async fn again(
        &self,
        transaction: &Transaction,
        id: Id,
    ) -> Result<Result<WebhookAdded, StoreError>, DbErr> {
        let mut sql = Sql::new("SELECT secret FROM webhooks WHERE id = ");
        sql.bind(id);
        let Some(row) = transaction.query_one_raw(sql.statement(self.0.backend())).await? else {
            return Ok(Ok(WebhookAdded::Gone(id)));
        };
        let secret: String = row.try_get("", "secret")?;
        let found = find_in(transaction, id).await;
        Ok(found.map(|found| match found {
            Some(webhook) => WebhookAdded::Replayed(webhook, secret),
            None => WebhookAdded::Gone(id),
        }))
    }

    pub(super) async fn change(
        &self,
        id: Id,
        draft: &WebhookDraft,
        expected: Option<Version>,
        now: DateTime<Utc>,
    ) -> Result<Written<Webhook>, StoreError> {
        let mut sql = Sql::new("UPDATE webhooks SET name = ");
        sql.bind(draft.name.as_str()).push(", name_key = ").bind(order_key(&draft.name)).push(", url = ");
        sql.bind(draft.url.0.as_str()).push(", search_text = ").bind(folded_search_text(draft));
        sql.push(", events = ").bind(events(draft)).push(", active = ").bind(draft.active);
        self.update(sql, id, expected, now).await
    }

    pub(super) async fn rotate(
        &self,
        id: Id,
        secret: &str,
        now: DateTime<Utc>,
    ) -> Result<Written<Webhook>, StoreError> {
        let mut sql = Sql::new("UPDATE webhooks SET secret = ");
        sql.bind(secret);
        self.update(sql, id, None, now).await
    }

    /// Finishes an update that has said what it sets.
    async fn update(
        &self,
        mut sql: Sql,
        id: Id,
        expected: Option<Version>,
        now: DateTime<Utc>,
    ) -> Result<Written<Webhook>, StoreError> {
        sql.push(", version = version + 1, updated_date = ").bind(now).push(" WHERE id = ").bind(id);
        if let Some(expected) = expected {
            sql.push(" AND version = ").bind(expected);
        }
        let transaction = self.0.begin().await.map_err(store_error)?;
        let done = transaction.execute_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        let found = find_in(&transaction, id).await?;
        transaction.commit().await.map_err(store_error)?;
        Ok(match (found, done.rows_affected()) {
            (None, _) => Written::Missing,
            (Some(webhook), 1) => Written::Done(webhook),
            (Some(webhook), _) => Written::Outdated(webhook),
        })
    }

    pub(super) async fn erase(
        &self,
        id: Id,
        expected: Option<Version>,
    ) -> Result<Written<Webhook>, StoreError> {
        let backend = self.0.backend();
        let transaction = self.0.begin().await.map_err(store_error)?;
        let Some(webhook) = find_in(&transaction, id).await? else { return Ok(Written::Missing) };
        let mut sql = Sql::new("DELETE FROM webhooks WHERE id = ");
        sql.bind(id);
        if let Some(expected) = expected {
            sql.push(" AND version = ").bind(expected);
        }
        let done = transaction.execute_raw(sql.statement(backend)).await.map_err(store_error)?;
        if done.rows_affected() == 0 {
            return Ok(Written::Outdated(webhook));
        }
        // What others write at this moment for a webhook that is going stays behind, and is swept.
        let mut sql = Sql::new("DELETE FROM webhook_deliveries WHERE webhook_id = ");
        sql.bind(id);
        transaction.execute_raw(sql.statement(backend)).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(Written::Done(webhook))
    }
}
