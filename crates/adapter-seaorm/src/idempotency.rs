//! What takes effect once only: the memory of idempotency keys and of what was answered under them.

use chrono::{DateTime, Utc};
use ports::IdempotencyKey;
use sea_orm::{ConnectionTrait, DbErr};

use crate::db::{sql::Sql, transaction::Transaction};

/// What a key was used for before.
pub(crate) enum Earlier {
    /// The same: its answer.
    Replayed(String),
    /// Something else.
    KeyReused,
}

/// What is remembered of a key.
pub(crate) async fn answered(
    connection: &impl ConnectionTrait,
    once: &IdempotencyKey,
) -> Result<Option<Earlier>, DbErr> {
    let mut known = Sql::new("SELECT fingerprint, answer FROM idempotency_keys WHERE username_key = ");
    known.bind(once.username.as_str()).push(" AND idempotency_key = ").bind(once.key.as_str());
    let row = connection.query_one_raw(known.statement(connection.get_database_backend())).await?;
    let Some(row) = row else { return Ok(None) };
    let fingerprint: String = row.try_get("", "fingerprint")?;
    if fingerprint != once.fingerprint {
        return Ok(Some(Earlier::KeyReused));
    }
    Ok(Some(Earlier::Replayed(row.try_get("", "answer")?)))
}

/// Remembers an answer, in the transaction that makes it true.
pub(crate) async fn keep_answer(
    transaction: &Transaction,
    once: &IdempotencyKey,
    answer: String,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let mut keep = Sql::new(
        "INSERT INTO idempotency_keys (username_key, idempotency_key, fingerprint, answer, created_date) VALUES (",
    );
    keep.bind(once.username.as_str()).push(", ").bind(once.key.as_str()).push(", ");
    keep.bind(once.fingerprint.as_str()).push(", ").bind(answer).push(", ").bind(now).push(")");
    transaction.execute_raw(keep.statement(transaction.get_database_backend())).await.map(drop)
}
