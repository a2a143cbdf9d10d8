//! Operations that begin together, with what changes at once: all of it is stored, or nothing.

use domain_kernel::Id;
use domain_operations::BulkOperation;
use ports::{Edit, IdempotencyKey, Inserted, Moves, NewMoves, NewOperation};
use sea_orm::{ConnectionTrait, DbErr};
use serde::{Deserialize, Serialize};

use super::{
    SeaOrmOperations,
    inserting::{insert, stored},
};
use crate::{
    category_types::is_of_channels,
    db::transaction::Transaction,
    idempotency::{Earlier, answered, keep_answer},
    live_profiles,
    playlists::{self, are_expected, note_operations},
};

/// Stored response of an idempotency key.
#[derive(Serialize, Deserialize)]
struct MovesAnswer {
    operations: Vec<Id>,
    sources: u64,
    profiles: u64,
}

impl SeaOrmOperations {
    pub(super) async fn try_insert_of_run(
        &self,
        run: Id,
        new: &[NewOperation],
        entries: u64,
    ) -> Result<Option<Vec<BulkOperation>>, DbErr> {
        let transaction = self.0.begin().await?;
        let sheets: Vec<Id> = new.iter().filter_map(|new| Some(new.import.as_ref()?.sheet)).collect();
        if !are_expected(&transaction, run, &sheets, entries).await? {
            return Ok(None);
        }
        let begun = insert_all(&transaction, new).await?;
        note_operations(&transaction, run, &ids_of(&begun)).await?;
        transaction.commit().await?;
        Ok(Some(begun))
    }

    pub(super) async fn try_insert_moves(
        &self,
        new: &NewMoves,
        once: Option<&IdempotencyKey>,
    ) -> Result<Inserted<Moves>, DbErr> {
        let transaction = self.0.begin().await?;
        if let Some(once) = once
            && let Some(earlier) = earlier_moves(&transaction, once).await?
        {
            return Ok(earlier);
        }
        let (sources, profiles) = match new.category {
            Some((from, to)) => exchange_category(&transaction, from, to, &new.edit).await?,
            None => (0, 0),
        };
        let operations = insert_all(&transaction, &new.operations).await?;
        if let Some(once) = once {
            let answer = MovesAnswer { operations: ids_of(&operations), sources, profiles };
            let answer = serde_json::to_string(&answer).map_err(|error| DbErr::Type(error.to_string()))?;
            keep_answer(&transaction, once, answer, new.edit.at).await?;
        }
        transaction.commit().await?;
        Ok(Inserted::New(Moves { operations, sources, profiles }))
    }
}

/// The moves of an earlier request with the same key, if any.
pub(super) async fn earlier_moves(
    connection: &impl ConnectionTrait,
    once: &IdempotencyKey,
) -> Result<Option<Inserted<Moves>>, DbErr> {
    let answer = match answered(connection, once).await? {
        Some(Earlier::Replayed(answer)) => answer,
        Some(Earlier::KeyReused) => return Ok(Some(Inserted::KeyReused)),
        None => return Ok(None),
    };
    let MovesAnswer { operations: ids, sources, profiles } =
        serde_json::from_str(&answer).map_err(|error| DbErr::Type(error.to_string()))?;
    let mut operations = Vec::with_capacity(ids.len());
    for id in ids {
        operations.push(stored(connection, id).await?);
    }
    Ok(Some(Inserted::Replayed(Moves { operations, sources, profiles })))
}

async fn insert_all(transaction: &Transaction, new: &[NewOperation]) -> Result<Vec<BulkOperation>, DbErr> {
    let mut begun = Vec::with_capacity(new.len());
    for operation in new {
        begun.push(insert(transaction, operation).await?);
    }
    Ok(begun)
}

fn ids_of(operations: &[BulkOperation]) -> Vec<Id> {
    operations.iter().map(|operation| operation.id).collect()
}

/// Returns the number of changed playlist sources and live profiles.
async fn exchange_category(
    transaction: &Transaction,
    from: Id,
    to: Id,
    edit: &Edit,
) -> Result<(u64, u64), DbErr> {
    if !is_of_channels(transaction, from).await? {
        return Ok((0, 0));
    }
    let sources = playlists::exchange_category(transaction, from, to, edit).await?;
    let profiles = live_profiles::exchange_category(transaction, from, to, edit).await?;
    Ok((sources, profiles))
}
