//! Categories must have the type of their content (docs/spec/content.md#categories-of-content).

use std::collections::HashMap;

use domain_catalogue::{CategoryType, Reference};
use domain_kernel::{Enumeration, Id};
use ports::StoreError;
use sea_orm::{
    ConnectionTrait, DbErr,
    sea_query::{Expr, ExprTrait, LockType, Order, Query, SelectStatement},
};

use crate::db::{error::db_error, transaction::Transaction};

fn find(ids: &[Id]) -> SelectStatement {
    Query::select()
        .columns(["id", "type"])
        .from("categories")
        .and_where(Expr::col("id").is_in(ids.iter().copied()))
        .order_by("id", Order::Asc)
        .take()
}

/// The types of the existing ones among these categories.
pub(crate) async fn types_of(
    connection: &impl ConnectionTrait,
    ids: &[Id],
) -> Result<HashMap<Id, CategoryType>, DbErr> {
    let mut types = HashMap::new();
    for row in connection.query_all(&find(ids)).await? {
        let code: String = row.try_get("", "type")?;
        if let Some(of) = CategoryType::from_code(&code) {
            types.insert(row.try_get("", "id")?, of);
        }
    }
    Ok(types)
}

/// Whether a category is one of channels. A category of a playlist may have got another type since,
/// and does not apply then.
pub(crate) async fn is_of_channels(connection: &impl ConnectionTrait, id: Id) -> Result<bool, DbErr> {
    Ok(types_of(connection, &[id]).await?.get(&id) == Some(&CategoryType::TvChannel))
}

/// Fails like a foreign-key violation if content refers to a category of another type. Called after
/// the content is written: its foreign keys lock the categories until the transaction ends, and a
/// change of their type waits for that (`SeaOrmContents::users_in`).
pub(crate) async fn require_category_types(
    transaction: &Transaction,
    references: &[Reference],
) -> Result<(), DbErr> {
    let expected = references.iter().filter_map(|one| Some((one.id, one.category_type?)));
    let expected: Vec<(Id, CategoryType)> = expected.collect();
    if expected.is_empty() {
        return Ok(());
    }
    let mut ids: Vec<Id> = expected.iter().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    let types = types_of(transaction, &ids).await?;
    match expected.iter().find(|(id, wanted)| types.get(id) != Some(wanted)) {
        Some((id, _)) => Err(db_error(StoreError::Dangling(format!("category {id} has another type")))),
        None => Ok(()),
    }
}

/// The same for categories of channels without a foreign key, which are locked here.
pub(crate) async fn hold_channel_categories(transaction: &Transaction, ids: &[Id]) -> Result<(), DbErr> {
    if ids.is_empty() {
        return Ok(());
    }
    transaction.query_all(find(ids).lock(LockType::KeyShare)).await?;
    let reference = |id: &Id| Reference::category("categoryId", *id, CategoryType::TvChannel);
    require_category_types(transaction, &ids.iter().map(reference).collect::<Vec<_>>()).await
}
