//! Bringing users in, in batches of one transaction each.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id, RoleCode, order_key};
use ports::{ImportedUser, StoreError, UserImportOutcome, UserInsert};
use sea_orm::{ConnectionTrait, DbErr, QueryResult};

use super::{SeaOrmUsers, role, writing::folded_search_text};
use crate::db::{
    error::{db_error, store_error},
    sql::Sql,
    transaction::Transaction,
};

/// Rows of one insert: well within the values that a statement may bind on both databases.
const ROWS: usize = 500;

/// What an import knows of somebody who is there.
struct Known {
    id: Id,
    lineage: String,
    role: RoleCode,
    form: [Option<String>; 5],
}

fn form_of(new: &UserInsert) -> [Option<String>; 5] {
    [
        Some(new.full_name.clone()),
        Some(new.email.clone()),
        Some(new.phone_number.clone()),
        new.address.clone(),
        new.comment.clone(),
    ]
}

impl SeaOrmUsers {
    pub(super) async fn import_batch(
        &self,
        batch: Vec<ImportedUser>,
        now: DateTime<Utc>,
    ) -> Result<Vec<UserImportOutcome>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let outcomes = self.take_batch(&transaction, &batch, now).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(outcomes)
    }

    async fn take_batch(
        &self,
        transaction: &Transaction,
        batch: &[ImportedUser],
        now: DateTime<Utc>,
    ) -> Result<Vec<UserImportOutcome>, DbErr> {
        let names = batch.iter().flat_map(|one| {
            [Some(one.user.username.key()), one.registrar.as_ref().map(domain_kernel::Username::key)]
        });
        let known = self.known(transaction, names.flatten().collect()).await?;
        let mut outcomes = Vec::with_capacity(batch.len());
        let mut added = Vec::new();
        for user in batch {
            let outcome = match (known.get(&user.user.username.key()), &user.registrar) {
                (Some(known), _) if known.form == form_of(&user.user) => UserImportOutcome::Unchanged,
                (Some(known), _) => {
                    self.refresh(transaction, &user.user, known.role, now).await?;
                    UserImportOutcome::Updated
                }
                (None, Some(registrar)) if !known.contains_key(&registrar.key()) => {
                    UserImportOutcome::MissingRegistrar
                }
                (None, registrar) => {
                    added.push((user, registrar.as_ref().and_then(|registrar| known.get(&registrar.key()))));
                    UserImportOutcome::Created
                }
            };
            outcomes.push(outcome);
        }
        for rows in added.chunks(ROWS) {
            self.insert(transaction, rows, now).await?;
        }
        Ok(outcomes)
    }

    async fn known(
        &self,
        transaction: &Transaction,
        mut keys: Vec<String>,
    ) -> Result<HashMap<String, Known>, DbErr> {
        keys.sort_unstable();
        keys.dedup();
        let mut known = HashMap::with_capacity(keys.len());
        for keys in keys.chunks(ROWS) {
            let mut sql = Sql::new(
                "SELECT username_key, id, lineage, role, full_name, email, phone_number, address, comment FROM users \
                 WHERE username_key IN (",
            );
            sql.bind_all(keys.iter().map(String::as_str)).push(")");
            for row in transaction.query_all_raw(sql.statement(self.0.backend())).await? {
                let text = |column: &str| row.try_get::<Option<String>>("", column);
                let key: String = row.try_get("", "username_key")?;
                let form = [
                    text("full_name")?,
                    text("email")?,
                    text("phone_number")?,
                    text("address")?,
                    text("comment")?,
                ];
                let found = Known {
                    id: row.try_get("", "id")?,
                    lineage: row.try_get("", "lineage")?,
                    role: role(&row.try_get::<String>("", "role")?).map_err(db_error)?,
                    form,
                };
                known.insert(key, found);
            }
        }
        Ok(known)
    }

    async fn refresh(
        &self,
        transaction: &Transaction,
        new: &UserInsert,
        role: RoleCode,
        now: DateTime<Utc>,
    ) -> Result<(), DbErr> {
        let mut sql = Sql::new("UPDATE users SET full_name = ");
        sql.bind(new.full_name.as_str()).push(", full_name_key = ").bind(order_key(&new.full_name));
        sql.push(", email = ")
            .bind(new.email.as_str())
            .push(", phone_number = ")
            .bind(new.phone_number.as_str());
        sql.push(", address = ").bind(new.address.clone()).push(", comment = ").bind(new.comment.clone());
        // The role stays as it is, and with it its words.
        sql.push(", search_text = ").bind(folded_search_text(
            &new.username,
            &new.full_name,
            role,
            (&new.email, &new.phone_number),
        ));
        sql.push(", updated_date = ").bind(now).push(", version = version + 1 WHERE username_key = ");
        sql.bind(new.username.key());
        transaction.execute_raw(sql.statement(self.0.backend())).await.map(drop)
    }

    async fn insert(
        &self,
        transaction: &Transaction,
        rows: &[(&ImportedUser, Option<&Known>)],
        now: DateTime<Utc>,
    ) -> Result<(), DbErr> {
        let backend = self.0.backend();
        let mut sql = Sql::new(
            "INSERT INTO users (username, username_key, full_name, full_name_key, email, phone_number, address, comment, \
             role, status, password_hash, search_text, registered_by_id, lineage, expiration_date, subscription_started, sign_ins, created_date, \
             updated_date) VALUES ",
        );
        for (index, (user, registrar)) in rows.iter().enumerate() {
            let new = &user.user;
            sql.push(if index == 0 { "(" } else { ", (" });
            sql.bind(new.username.as_str()).push(", ").bind(new.username.key()).push(", ");
            sql.bind(new.full_name.as_str()).push(", ").bind(order_key(&new.full_name)).push(", ");
            sql.bind(new.email.as_str()).push(", ").bind(new.phone_number.as_str()).push(", ");
            sql.bind(new.address.clone()).push(", ").bind(new.comment.clone()).push(", ");
            sql.bind(new.role.code()).push(", ").bind(new.status.code()).push(", ");
            sql.bind(new.password_hash.clone()).push(", ");
            sql.bind(folded_search_text(
                &new.username,
                &new.full_name,
                new.role,
                (&new.email, &new.phone_number),
            ))
            .push(", ");
            sql.bind(registrar.map(|registrar| registrar.id)).push(", ");
            sql.bind(
                registrar
                    .map_or("/".to_owned(), |registrar| format!("{}{}/", registrar.lineage, registrar.id)),
            );
            sql.push(", ").bind(user.expiration_date).push(", ");
            // As when an agent registers them: no expiration then means that nothing has been sold yet.
            let of_agent = registrar.is_some_and(|registrar| registrar.role == RoleCode::Agent);
            sql.bind(new.subscription_started && (!of_agent || user.expiration_date.is_some()));
            sql.push(", ").bind(user.sign_ins).push(", ");
            sql.bind(user.created_date.unwrap_or(now)).push(", ").bind(now).push(")");
        }
        sql.push(" RETURNING id, expiration_date");
        let added = transaction.query_all_raw(sql.statement(backend)).await?;
        self.write_down_expirations(transaction, &added, now).await
    }

    /// An expiration that was brought along is an edit by nobody, before the first movement.
    async fn write_down_expirations(
        &self,
        transaction: &Transaction,
        added: &[QueryResult],
        now: DateTime<Utc>,
    ) -> Result<(), DbErr> {
        let mut sql = Sql::new(
            "INSERT INTO expiration_edits (user_id, app_seq, expiration_before, expiration_after, performer_id, edit_date) VALUES ",
        );
        let mut some = false;
        for row in added {
            let Some(date) = row.try_get::<Option<DateTime<Utc>>>("", "expiration_date")? else { continue };
            sql.push(if some { ", (" } else { "(" });
            sql.bind(row.try_get::<Id>("", "id")?).push(", 0, NULL, ").bind(date).push(", NULL, ");
            sql.bind(now).push(")");
            some = true;
        }
        if some {
            transaction.execute_raw(sql.statement(self.0.backend())).await?;
        }
        Ok(())
    }
}
