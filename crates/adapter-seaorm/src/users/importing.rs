//! Imports of users, in batches of one transaction each.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_kernel::{Enumeration, Id, Origin, RoleCode, Source, Username, difference, order_key};
use domain_users::{User, manages};
use ports::{Edit, History, ImportedUser, StoreError, UserImportOutcome, UserInsert};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryResult, QueryTrait,
    sea_query::{Expr, ExprTrait, Query},
};
use serde_json::{Map, Value, json};

use super::{
    SeaOrmUsers,
    failure::Failure,
    lineage::{LineageUse, hold_lineages},
    recording::{record_of, record_of_new},
    username,
    writing::{as_registered, folded_search_text},
};
use crate::{
    audit::{Record, record, record_import},
    db::{
        error::{db_error, store_error},
        transaction::Transaction,
        values::member,
    },
    entities::{
        expiration_edits,
        users::{ActiveModel, Column, Entity},
    },
    imported_movements,
};

/// Rows per insert: below the limit of bound values of both databases.
const ROWS: usize = 500;

/// An existing user, as far as an import needs it.
struct Known {
    id: Id,
    username: Username,
    lineage: String,
    role: RoleCode,
    form: Form,
}

/// The fields of an existing user that an import updates.
type Form = [Option<String>; 6];

/// The names of these fields.
const FORM: [&str; 6] = ["fullName", "email", "phoneNumber", "language", "address", "comment"];

/// The form of an imported user. Files of other systems have no language: without one, that of `known`
/// is kept.
fn form_of(new: &UserInsert, known: &Form) -> Form {
    let [_, _, _, language, _, _] = known;
    [
        Some(new.full_name.clone()),
        Some(new.email.clone()),
        Some(new.phone_number.clone()),
        new.language.map(|language| language.code().to_owned()).or_else(|| language.clone()),
        new.address.clone(),
        new.comment.clone(),
    ]
}

/// The result of adding a user in a transaction.
pub(crate) enum AddedUser {
    /// Added with this ID.
    Added(Id),
    /// The name is in use.
    NameInUse,
    /// The registering user does not exist.
    UnknownRegistrar,
    /// Users of this role can't have the registering user.
    RegistrarRole,
}

impl SeaOrmUsers {
    /// Adds a user in this transaction, which has locked the lineages, with an audit entry.
    pub(crate) async fn add_in(
        &self,
        transaction: &Transaction,
        new: &ImportedUser,
        edit: &Edit,
    ) -> Result<AddedUser, Failure> {
        let key = new.user.username.key();
        let registrar = new.registrar.as_ref().map(domain_kernel::Username::key);
        let keys = [Some(key.clone()), registrar.clone()].into_iter().flatten().collect();
        let known = self.known(transaction, keys).await?;
        if known.contains_key(&key) {
            return Ok(AddedUser::NameInUse);
        }
        let registrar = match registrar.map(|registrar| known.get(&registrar)) {
            Some(None) => return Ok(AddedUser::UnknownRegistrar),
            Some(Some(registrar)) if !manages(registrar.role, new.user.role) => {
                return Ok(AddedUser::RegistrarRole);
            }
            registrar => registrar.flatten(),
        };
        self.insert(transaction, &[(new, registrar)], edit.at).await?;
        record(transaction, edit, vec![record_of_new(&added_user(new, registrar, edit.at))]).await?;
        Ok(AddedUser::Added(self.id_of(transaction, &new.user.username).await?))
    }

    /// The ID of an existing user.
    pub(crate) async fn id_of(
        &self,
        transaction: &Transaction,
        username: &domain_kernel::Username,
    ) -> Result<Id, Failure> {
        let known = self.known(transaction, vec![username.key()]).await?;
        let gone = || StoreError::Broken(format!("the user {username} is missing"));
        Ok(known.get(&username.key()).ok_or_else(gone)?.id)
    }

    pub(super) async fn import_batch(
        &self,
        batch: Vec<ImportedUser>,
        now: DateTime<Utc>,
    ) -> Result<Vec<UserImportOutcome>, StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        hold_lineages(&transaction, LineageUse::Extend).await.map_err(store_error)?;
        let (outcomes, booked) = self.take_batch(&transaction, &batch, now).await.map_err(store_error)?;
        let count = |of: UserImportOutcome| outcomes.iter().filter(|outcome| **outcome == of).count();
        let counts =
            [("created", count(UserImportOutcome::Created)), ("updated", count(UserImportOutcome::Updated))];
        record_import(&transaction, "users", &counts, now).await.map_err(store_error)?;
        record_import(&transaction, "credits", &[("booked", booked)], now).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(outcomes)
    }

    /// Adds new users and updates existing ones; returns the outcomes, and the number of opened
    /// accounts.
    async fn take_batch(
        &self,
        transaction: &Transaction,
        batch: &[ImportedUser],
        now: DateTime<Utc>,
    ) -> Result<(Vec<UserImportOutcome>, usize), DbErr> {
        let names = batch.iter().flat_map(|one| {
            [Some(one.user.username.key()), one.registrar.as_ref().map(domain_kernel::Username::key)]
        });
        let known = self.known(transaction, names.flatten().collect()).await?;
        let edit = Edit { by: None, at: now, origin: Origin::of(Source::Import) };
        let mut outcomes = Vec::with_capacity(batch.len());
        let mut added = Vec::new();
        for user in batch {
            let outcome = match (known.get(&user.user.username.key()), &user.registrar) {
                (Some(known), _) if known.form == form_of(&user.user, &known.form) => {
                    UserImportOutcome::Unchanged
                }
                (Some(known), _) => {
                    self.refresh(transaction, &user.user, known, &edit).await?;
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
        let mut openings = Vec::new();
        for rows in added.chunks(ROWS) {
            let ids = self.insert(transaction, rows, now).await?;
            for (user, _) in rows {
                openings.extend(openings_of(user, &ids, now)?);
            }
            let new = rows.iter().map(|(user, registrar)| record_of_new(&added_user(user, *registrar, now)));
            record(transaction, &edit, new.collect()).await?;
        }
        // In the same transaction, so that no user exists without its balances if the import stops
        // later.
        imported_movements::book(transaction, &openings).await?;
        Ok((outcomes, openings.len()))
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
            let rows = Entity::find().filter(Column::UsernameKey.is_in(keys)).all(transaction).await?;
            for row in rows {
                let form = [
                    Some(row.full_name),
                    Some(row.email),
                    Some(row.phone_number),
                    row.language,
                    row.address,
                    row.comment,
                ];
                let role = member(&row.role).map_err(db_error)?;
                let username = username(&row.username).map_err(db_error)?;
                known.insert(
                    row.username_key,
                    Known { id: row.id, username, lineage: row.lineage, role, form },
                );
            }
        }
        Ok(known)
    }

    async fn refresh(
        &self,
        transaction: &Transaction,
        new: &UserInsert,
        known: &Known,
        edit: &Edit,
    ) -> Result<(), DbErr> {
        // The role stays, and so does its name in the search text.
        let contact = (new.email.as_str(), new.phone_number.as_str());
        let search_text = folded_search_text(&new.username, &new.full_name, known.role, contact);
        let form = form_of(new, &known.form);
        let [_, _, _, language, _, _] = form.clone();
        let row = ActiveModel {
            full_name: Set(new.full_name.clone()),
            full_name_key: Set(order_key(&new.full_name)),
            email: Set(new.email.clone()),
            phone_number: Set(new.phone_number.clone()),
            language: Set(language),
            address: Set(new.address.clone()),
            comment: Set(new.comment.clone()),
            search_text: Set(search_text),
            updated_date: Set(edit.at),
            ..ActiveModel::default()
        };
        let update = Entity::update_many()
            .set(row)
            .col_expr(Column::Version, Expr::col(Column::Version).add(1))
            .filter(Column::UsernameKey.eq(new.username.key()));
        let changed = update.exec_with_returning(transaction).await?;
        let version = changed.first().map(|row| row.version);
        let diff = difference(&fields_of_form(&known.form), &fields_of_form(&form));
        let change = Record { diff, ..record_of(AuditAction::Updated, &known.username, version) };
        record(transaction, edit, vec![change]).await
    }

    /// Inserts users; returns their IDs by key.
    async fn insert(
        &self,
        transaction: &Transaction,
        rows: &[(&ImportedUser, Option<&Known>)],
        now: DateTime<Utc>,
    ) -> Result<HashMap<String, Id>, DbErr> {
        let rows = rows.iter().map(|(user, registrar)| new_row(user, *registrar, now));
        let mut insert = Entity::insert_many(rows).into_query();
        insert.returning(Query::returning().columns([
            Column::Id,
            Column::UsernameKey,
            Column::ExpirationDate,
        ]));
        let added = transaction.query_all(&insert).await?;
        self.record_expirations(transaction, &added, now).await?;
        let mut ids = HashMap::with_capacity(added.len());
        for row in &added {
            ids.insert(row.try_get("", "username_key")?, row.try_get("", "id")?);
        }
        Ok(ids)
    }

    /// An imported expiration is an edit without a user, before the first movement.
    async fn record_expirations(
        &self,
        transaction: &Transaction,
        added: &[QueryResult],
        now: DateTime<Utc>,
    ) -> Result<(), DbErr> {
        let mut edits = Vec::new();
        for row in added {
            let Some(date) = row.try_get::<Option<DateTime<Utc>>>("", "expiration_date")? else { continue };
            edits.push(expiration_edits::ActiveModel {
                user_id: Set(row.try_get("", "id")?),
                app_seq: Set(0),
                expiration_before: Set(None),
                expiration_after: Set(Some(date)),
                performer_id: Set(None),
                edit_date: Set(now),
                ..Default::default()
            });
        }
        if !edits.is_empty() {
            expiration_edits::Entity::insert_many(edits).exec_without_returning(transaction).await?;
        }
        Ok(())
    }
}

/// The opening balances of a new user.
fn openings_of(
    user: &ImportedUser,
    ids: &HashMap<String, Id>,
    now: DateTime<Utc>,
) -> Result<Vec<History>, DbErr> {
    let id = *ids
        .get(&user.user.username.key())
        .ok_or_else(|| DbErr::Custom("a user is missing in its transaction".into()))?;
    let balances = [(false, user.credits), (true, user.sale_credits)];
    Ok(balances
        .into_iter()
        .filter(|(_, balance)| *balance > 0)
        .map(|(for_sale, balance)| History::opening(id, for_sale, balance, id, now))
        .collect())
}

fn fields_of_form(form: &Form) -> Map<String, Value> {
    FORM.iter().zip(form).map(|(name, value)| ((*name).to_owned(), json!(value))).collect()
}

/// A new user.
fn added_user(user: &ImportedUser, registrar: Option<&Known>, now: DateTime<Utc>) -> User {
    User {
        expiration_date: user.expiration_date,
        subscription_started: has_started(user, registrar),
        ..as_registered(&user.user, registrar.map(|known| &known.username), now)
    }
}

/// As for a registration by an agent: no expiration then means that nothing has been sold yet.
fn has_started(user: &ImportedUser, registrar: Option<&Known>) -> bool {
    let of_agent = registrar.is_some_and(|registrar| registrar.role == RoleCode::Agent);
    user.user.subscription_started && (!of_agent || user.expiration_date.is_some())
}

fn new_row(user: &ImportedUser, registrar: Option<&Known>, now: DateTime<Utc>) -> ActiveModel {
    let new = &user.user;
    let lineage = registrar
        .map_or_else(|| "/".to_owned(), |registrar| format!("{}{}/", registrar.lineage, registrar.id));
    let contact = (new.email.as_str(), new.phone_number.as_str());
    ActiveModel {
        username: Set(new.username.to_string()),
        username_key: Set(new.username.key()),
        full_name: Set(new.full_name.clone()),
        full_name_key: Set(order_key(&new.full_name)),
        email: Set(new.email.clone()),
        phone_number: Set(new.phone_number.clone()),
        language: Set(new.language.map(|language| language.code().to_owned())),
        address: Set(new.address.clone()),
        comment: Set(new.comment.clone()),
        role: Set(new.role.code().to_owned()),
        status: Set(new.status.code().to_owned()),
        password_hash: Set(new.password_hash.clone()),
        search_text: Set(folded_search_text(&new.username, &new.full_name, new.role, contact)),
        registered_by_id: Set(registrar.map(|registrar| registrar.id)),
        lineage: Set(lineage),
        expiration_date: Set(user.expiration_date),
        subscription_started: Set(has_started(user, registrar)),
        sign_ins: Set(user.sign_ins),
        created_date: Set(user.created_date.unwrap_or(now)),
        updated_date: Set(now),
        ..ActiveModel::default()
    }
}
