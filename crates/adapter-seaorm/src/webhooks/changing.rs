//! Adding, changing and removing webhooks.

use chrono::{DateTime, Utc};
use domain_integrations::{Webhook, WebhookDraft};
use domain_kernel::{Enumeration, Id, Version, fold, order_key};
use ports::{IdempotencyKey, StoreError, WebhookAdded, Written};
use sea_orm::{ConnectionTrait, DbErr};

use super::{SeaOrmWebhooks, find_in};
use crate::{
    db::{
        error::{is_overtaken, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
    },
    idempotency::{Earlier, answered, keep_answer},
};

/// `,ITEM_CREATED,CREDITS_MOVED,`, as the triggers look for them.
fn events(draft: &WebhookDraft) -> String {
    draft.events.iter().fold(",".to_owned(), |text, event| text + event.code() + ",")
}

fn folded_search_text(draft: &WebhookDraft) -> String {
    [&draft.name, &draft.url.0].map(|text| fold(text)).join("\n")
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
        if let Some(once) = once {
            match answered(&transaction, once).await? {
                None => {}
                Some(Earlier::KeyReused) => return Ok(Ok(WebhookAdded::KeyReused)),
                Some(Earlier::Replayed(id)) => {
                    let id = id.parse().map_err(|_| DbErr::Custom("an answer that is no id".into()))?;
                    return self.replayed(&transaction, id).await;
                }
            }
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
            // The id alone: a secret has no business in a second table.
            keep_answer(&transaction, once, id.to_string(), now).await?;
        }
        let added = match find_in(&transaction, id).await {
            Ok(added) => added,
            Err(error) => return Ok(Err(error)),
        };
        transaction.commit().await?;
        let gone = || StoreError::Broken("a webhook is gone in its own transaction".into());
        Ok(added.map(WebhookAdded::New).ok_or_else(gone))
    }

    async fn replayed(
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
