//! Idempotency keys with their responses.

use chrono::{DateTime, Utc};
use ports::{IdempotencyKey, Inserted};
use sea_orm::{ActiveValue::Set, ConnectionTrait, DbErr, EntityTrait};
use serde::de::DeserializeOwned;

use crate::{
    db::transaction::Transaction,
    entities::idempotency_keys::{ActiveModel, Entity},
};

/// The earlier use of a key.
pub(crate) enum Earlier {
    /// The same request: its response.
    Replayed(String),
    /// Another request.
    KeyReused,
}

/// The earlier use of a key, if there is one.
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

/// The earlier use of a key for an insert.
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

/// Stores a response in the transaction of its change.
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
