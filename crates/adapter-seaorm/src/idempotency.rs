//! Idempotency keys, and what was answered under them.

use chrono::{DateTime, Utc};
use ports::{IdempotencyKey, Inserted};
use sea_orm::{ActiveValue::Set, ConnectionTrait, DbErr, EntityTrait};
use serde::de::DeserializeOwned;

use crate::{
    db::transaction::Transaction,
    entities::idempotency_keys::{ActiveModel, Entity},
};

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
    let key = (once.username.clone(), once.key.clone());
    let row = Entity::find_by_id(key).one(connection).await?;
    Ok(row.map(|row| {
        if row.fingerprint == once.fingerprint { Earlier::Replayed(row.answer) } else { Earlier::KeyReused }
    }))
}

/// The same of a key under which one thing is inserted.
pub(crate) async fn inserted_before<T: DeserializeOwned, C>(
    connection: &impl ConnectionTrait,
    once: &IdempotencyKey,
) -> Result<Option<Inserted<T, C>>, DbErr> {
    Ok(match answered(connection, once).await? {
        None => None,
        Some(Earlier::KeyReused) => Some(Inserted::KeyReused),
        Some(Earlier::Replayed(answer)) => {
            let first = serde_json::from_str(&answer).map_err(|error| DbErr::Custom(error.to_string()))?;
            Some(Inserted::Replayed(first))
        }
    })
}

/// Remembers an answer, in the transaction that makes it true.
pub(crate) async fn keep_answer(
    transaction: &Transaction,
    once: &IdempotencyKey,
    answer: String,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let row = ActiveModel {
        username_key: Set(once.username.clone()),
        idempotency_key: Set(once.key.clone()),
        fingerprint: Set(once.fingerprint.clone()),
        answer: Set(answer),
        password_hash: Set(None),
        created_date: Set(now),
    };
    Entity::insert(row).exec_without_returning(transaction).await.map(drop)
}
