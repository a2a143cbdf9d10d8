//! Imports of older history: posted against the issuer, marked as imported, in batches of one
//! transaction each.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_credits::Verdict;
use domain_kernel::Id;
use ports::{History, LedgerUser, StoreError};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::SeaOrmLedger;
use crate::{
    audit::record_import,
    db::{error::store_error, values::member},
    entities::users,
    imported_movements,
};

/// Users per query: below the limit of bound values of both databases.
const ROWS: usize = 1000;

impl SeaOrmLedger {
    pub(super) async fn named(
        &self,
        usernames: &[String],
    ) -> Result<HashMap<String, LedgerUser>, StoreError> {
        let mut found = HashMap::with_capacity(usernames.len());
        for names in usernames.chunks(ROWS) {
            let rows = users::Entity::find()
                .select_only()
                .columns([users::Column::UsernameKey, users::Column::Id, users::Column::Role])
                .filter(users::Column::UsernameKey.is_in(names.iter().map(|name| name.to_ascii_lowercase())))
                .into_tuple::<(String, Id, String)>()
                .all(&self.database.reader)
                .await;
            for (key, id, code) in rows.map_err(store_error)? {
                found.insert(key, LedgerUser { id, role: member(&code)? });
            }
        }
        Ok(found)
    }

    pub(super) async fn balances_of(&self, ids: &[Id]) -> Result<HashMap<Id, (i64, i64)>, StoreError> {
        let mut found = HashMap::with_capacity(ids.len());
        for ids in ids.chunks(ROWS) {
            let rows = users::Entity::find()
                .select_only()
                .columns([users::Column::Id, users::Column::Credits, users::Column::SaleCredits])
                .filter(users::Column::Id.is_in(ids.iter().copied()))
                .into_tuple::<(Id, i64, i64)>()
                .all(&self.database.reader)
                .await;
            found.extend(rows.map_err(store_error)?.into_iter().map(|(id, app, sale)| (id, (app, sale))));
        }
        Ok(found)
    }

    pub(super) async fn book(
        &self,
        histories: &[History],
        now: DateTime<Utc>,
    ) -> Result<Vec<Vec<Verdict>>, StoreError> {
        let transaction = self.database.begin().await.map_err(store_error)?;
        let verdicts = imported_movements::book(&transaction, histories).await.map_err(store_error)?;
        let booked = verdicts.iter().flatten().filter(|verdict| **verdict == Verdict::Booked).count();
        record_import(&transaction, "credits", &[("booked", booked)], now).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(verdicts)
    }
}
