//! Use cases of users (docs/spec/users.md). Checks are in this order: permission, visibility (404),
//! management (403), rules (422), state (409).

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain_kernel::{
    Action, Actor, Code, DraftReader, Enumeration, Filter, FilterKind, FilterValue, ListQuery, Page,
    Permission, RoleCode, Subject, Username, Version, Violation, Violations,
};
use domain_users::{
    CallingCode, Expiration, ExpirationMeant, ExpiryFilter, NewUser, PasswordReset, Scope, SubscriptionState,
    User, UserEdit, UserStatus, assignable, lacks_credits_to_activate, manages, may_manage, toggled,
};
use ports::{
    Edit, HashPriority, Inserted, InsertedUser, PasswordHasher, RegistrarChange, Removed, SecretSource,
    UserFilter, UserInsert, UserRemovalConflict, UserRepository, UserUpdate, UsernameTaken, Written,
};
use serde_json::Value;

use crate::{
    Calendar, Error, ListShape,
    body::{not_an_object, parse},
    idempotency::idempotency_key,
    listing::{read_dated_query, searched_phone},
    merge::merged,
    user_rules::{
        may_become, may_move, names_other_registrar, refuse_suspended, registrar_change, sent_value, started,
        unchanged, update_refused,
    },
    versions::{require_version, retry_if_outdated},
};

pub(crate) const USER: Subject = Subject("USER");

/// Use cases of users.
pub struct UserService {
    pub(crate) users: Arc<dyn UserRepository>,
    pub(crate) passwords: Arc<dyn PasswordHasher>,
    pub(crate) calendar: Calendar,
    pub(crate) secrets: Arc<dyn SecretSource>,
    country: Option<CallingCode>,
    pub(crate) resets: DraftReader<PasswordReset>,
    new_users: DraftReader<NewUser>,
    pub(crate) edits: DraftReader<UserEdit>,
}

/// The violation of a filter by another user whose value cannot be a username.
fn no_username(filter: &Filter) -> Option<Violation> {
    let names_user = matches!(filter.field.as_str(), "registeredBy" | "beneath");
    match &filter.value {
        FilterValue::Text(name) if names_user && Username::parse(name).is_none() => {
            Some(Violation::new(&filter.field, Code::InvalidFormat))
        }
        _ => None,
    }
}

/// A registered user, and whether the response is a repetition.
#[derive(Debug)]
pub struct UserCreated {
    pub user: User,
    /// Whether the same request was answered before under this idempotency key.
    pub replayed: bool,
}

/// Kind of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EditKind {
    /// The body is the complete form.
    Replace,
    /// The body is merged into the current form (RFC 7396).
    Merge,
}

impl UserService {
    /// List parameters.
    pub fn list_shape() -> ListShape {
        ListShape {
            page_size: 10,
            sorts: vec![
                "id",
                "username",
                "fullName",
                "role",
                "credits",
                "saleCredits",
                "expirationDate",
                "signIns",
                "status",
                "createdDate",
                "updatedDate",
            ],
            filters: &[
                ("startsWith", FilterKind::Text),
                ("expired", FilterKind::Flag),
                ("aboutToExpire", FilterKind::Flag),
                ("roleCode", FilterKind::Code(RoleCode::CODES)),
                ("status", FilterKind::Code(UserStatus::CODES)),
                ("registeredBy", FilterKind::Text),
                ("beneath", FilterKind::Text),
                ("expirationDateFrom", FilterKind::Moment),
                ("expirationDateTo", FilterKind::Moment),
                ("createdDateFrom", FilterKind::Moment),
                ("createdDateTo", FilterKind::Moment),
            ],
        }
    }

    /// `country` is that of phone numbers without one.
    pub fn new(
        users: Arc<dyn UserRepository>,
        passwords: Arc<dyn PasswordHasher>,
        secrets: Arc<dyn SecretSource>,
        calendar: Calendar,
        country: Option<CallingCode>,
    ) -> Self {
        let (resets, new_users, edits) = (DraftReader::new(), DraftReader::new(), DraftReader::new());
        Self { users, passwords, calendar, secrets, country, resets, new_users, edits }
    }

    /// A page of the users whom the actor sees. `pairs` are those of the query string.
    pub async fn list(&self, actor: &Actor, pairs: &[(String, String)]) -> Result<Page<Vec<User>>, Error> {
        let (UserFilter { scope, deadline }, query) = self.read_list(actor, pairs)?;
        Ok(self.users.list(&scope, &query, deadline).await?)
    }

    /// Reads the list parameters, limited to users whom the actor sees.
    pub(crate) fn read_list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(UserFilter, ListQuery), Error> {
        actor.require(Permission::new(USER, Action::Read))?;
        let mut query = read_dated_query(&self.calendar, &Self::list_shape(), pairs)?;
        query.phone_digits = searched_phone(&query, self.country);
        let violations: Vec<Violation> = query.filters.iter().filter_map(no_username).collect();
        if !violations.is_empty() {
            return Err(Violations(violations).into());
        }
        let deadline = self.deadline(&mut query)?;
        Ok((UserFilter { scope: Scope::of(actor), deadline }, query))
    }

    /// Removes the filters that depend on the time from a query.
    fn deadline(&self, query: &mut ListQuery) -> Result<Option<ExpiryFilter>, Violations> {
        let is_set = |field: &str| {
            query.filters.iter().any(|one| one.field == field && one.value == FilterValue::Flag(true))
        };
        let (expired, about) = (is_set("expired"), is_set("aboutToExpire"));
        query.filters.retain(|one| one.field != "expired" && one.field != "aboutToExpire");
        match (expired, about) {
            (true, true) => {
                let violation =
                    Violation::new("aboutToExpire", Code::UnknownValue).with("allowed", vec!["false"]);
                Err(Violations(vec![violation]))
            }
            (true, false) => Ok(Some(self.calendar.expired())),
            (false, true) => Ok(Some(self.calendar.about_to_expire())),
            (false, false) => Ok(None),
        }
    }

    /// A user with all fields.
    pub async fn find(&self, actor: &Actor, username: &str) -> Result<User, Error> {
        actor.require(Permission::new(USER, Action::Read))?;
        self.seen(actor, username).await
    }

    /// Country of phone numbers without one.
    pub fn country(&self) -> Option<CallingCode> {
        self.country
    }

    /// Time for the subscription status.
    pub fn now(&self) -> DateTime<Utc> {
        self.calendar.now()
    }

    pub(crate) fn edit_by(&self, actor: &Actor) -> Edit {
        self.calendar.edit_by(actor)
    }

    /// Roles that the actor may grant.
    pub fn roles(&self, actor: &Actor) -> Result<Vec<RoleCode>, Error> {
        actor.require(Permission::new(USER, Action::Read))?;
        Ok(assignable(actor.role))
    }

    pub(crate) async fn seen(&self, actor: &Actor, username: &str) -> Result<User, Error> {
        let missing = || Error::NoSuchUser(username.to_owned());
        let name = Username::parse(username).ok_or_else(missing)?;
        self.users.find(&Scope::of(actor), &name).await?.ok_or_else(missing)
    }

    /// Registers a user below the actor. A repeated body with the same idempotency key gets the
    /// first response again.
    pub async fn create(&self, actor: &Actor, body: &[u8], key: Option<&str>) -> Result<UserCreated, Error> {
        actor.require(Permission::new(USER, Action::Create))?;
        let json = parse(body)?;
        let may_give = |role| if manages(actor.role, role) { Ok(()) } else { Err(Error::Forbidden) };
        sent_value(&json, "roleCode").map_or(Ok(()), may_give)?;
        let once = idempotency_key(actor, key, "users", &without_password(&json));
        let new = self.new_users.read(json, &())?.into_inner();
        may_give(new.role_code)?;
        if new.status == UserStatus::Suspended && !actor.role.passes_every_check() {
            return Err(Error::Forbidden);
        }
        let username =
            Username::parse(&new.username).ok_or_else(|| Error::NoSuchUser(new.username.clone()))?;
        let new_user = UserInsert {
            username,
            full_name: new.full_name,
            email: new.email,
            phone_number: new.phone_number,
            language: new.language,
            address: new.address,
            comment: new.comment,
            password_hash: Some(self.passwords.hash(&new.password).await?),
            role: new.role_code,
            status: new.status,
            // Admins grant endless subscriptions; an agent's customer starts with the first sale.
            subscription_started: actor.role.passes_every_check(),
        };
        let outcome = self.users.insert(&new_user, &self.edit_by(actor), once).await?;
        match outcome {
            Inserted::New(InsertedUser { user, .. }) => {
                tracing::info!(
                    actor = actor.username.as_str(),
                    user = user.username.as_str(),
                    role = user.role.code(),
                    "user registered"
                );
                Ok(UserCreated { user, replayed: false })
            }
            Inserted::Replayed(InsertedUser { user, password_hash: hash }) => {
                if !self.passwords.verify(&new.password, hash.as_deref(), HashPriority::Staff).await? {
                    return Err(Error::IdempotencyMismatch);
                }
                Ok(UserCreated { user, replayed: true })
            }
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
            Inserted::Conflict(UsernameTaken) => Err(Error::UsernameTaken(new.username)),
        }
    }

    /// Replaces the form of a user. An omitted expiration is kept.
    pub async fn replace(
        &self,
        actor: &Actor,
        username: &str,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<User, Error> {
        self.edit(actor, username, body, expected, EditKind::Replace).await
    }

    /// Merges changes into the form of a user (RFC 7396); the complete result must be valid.
    pub async fn merge(
        &self,
        actor: &Actor,
        username: &str,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<User, Error> {
        self.edit(actor, username, body, expected, EditKind::Merge).await
    }

    async fn edit(
        &self,
        actor: &Actor,
        username: &str,
        body: &[u8],
        expected: Option<Version>,
        kind: EditKind,
    ) -> Result<User, Error> {
        actor.require(Permission::new(USER, Action::Update))?;
        retry_if_outdated(expected, async || {
            let current = self.seen(actor, username).await?;
            let own = actor.username == current.username;
            let manages_it =
                if own { actor.role.passes_every_check() } else { manages(actor.role, current.role) };
            if !manages_it {
                return Err(Error::Forbidden);
            }
            refuse_suspended(actor, &current)?;
            require_version(expected, current.version, || Ok(self.outdated(&current)))?;
            let sent = parse(body)?;
            if !sent.is_object() {
                return Err(not_an_object());
            }
            let keeps_registrar = kind == EditKind::Replace && sent.get("registeredBy").is_none();
            let keeps_expiration = kind == EditKind::Replace && sent.get("expirationDate").is_none();
            let removes_expiration =
                kind == EditKind::Merge && sent.get("expirationDate").is_some_and(Value::is_null);
            let json = match kind {
                EditKind::Replace => sent,
                EditKind::Merge => merged(&current.as_edit(), sent)?,
            };
            self.refuse_early(actor, &current, &json)?;
            if !keeps_registrar && names_other_registrar(&current, &json) && !may_move(actor, &current) {
                return Err(Error::Forbidden);
            }
            let edit = self.edits.read(json, &())?.into_inner();
            let state = edit.subscription.map(|subscription| subscription.state);
            let mut change = self.change_of(&current, edit)?;
            if keeps_expiration {
                change.expiration_date = current.expiration_date;
            }
            if keeps_registrar {
                change.registrar = RegistrarChange::Stays;
            }
            let grants = state == Some(SubscriptionState::NoExpiration)
                || (state.is_none() && removes_expiration && actor.role.passes_every_check());
            change.subscription_started = started(&current, change.expiration_date, state, grants)?;
            self.check_change(actor, &current, &change)?;
            self.write(actor, &current, &change).await
        })
        .await
    }

    /// A role that the actor may not grant is rejected before other violations.
    fn refuse_early(&self, actor: &Actor, current: &User, json: &Value) -> Result<(), Error> {
        let role = sent_value(json, "roleCode").unwrap_or(current.role);
        let status = sent_value(json, "status").unwrap_or(current.status);
        if may_become(actor, current, role, status) { Ok(()) } else { Err(Error::Forbidden) }
    }

    pub(crate) fn change_of(&self, current: &User, edit: UserEdit) -> Result<UserUpdate, Error> {
        let same_name =
            edit.username.as_deref().is_none_or(|name| name.eq_ignore_ascii_case(current.username.as_str()));
        if !same_name {
            return Err(Violations(vec![Violation::new("username", Code::Immutable)]).into());
        }
        let expiration_date =
            edit.expiration_date.as_ref().and_then(Expiration::meant).map(|meant| match meant {
                ExpirationMeant::At(moment) => chrono::SubsecRound::trunc_subsecs(moment, 3),
                ExpirationMeant::EndOf(day) => self.calendar.end_of(day),
            });
        Ok(UserUpdate {
            full_name: edit.full_name,
            email: edit.email,
            phone_number: edit.phone_number,
            language: edit.language,
            address: edit.address,
            comment: edit.comment,
            role: edit.role_code,
            status: edit.status,
            expiration_date,
            subscription_started: current.subscription_started,
            registrar: registrar_change(current, edit.registered_by.as_deref()).map_err(update_refused)?,
        })
    }

    /// Whether the actor may make this change in a bulk operation, by the rules of an edit.
    pub(crate) fn may_update(&self, actor: &Actor, current: &User, change: &UserUpdate) -> Result<(), Error> {
        if !may_manage(actor, &current.username, current.role) {
            return Err(Error::Forbidden);
        }
        refuse_suspended(actor, current)?;
        self.check_change(actor, current, change)
    }

    /// The same for an undo: a customer without credits gets the status that the operation changed.
    pub(crate) fn may_undo(&self, actor: &Actor, current: &User, change: &UserUpdate) -> Result<(), Error> {
        match self.may_update(actor, current, change) {
            Err(Error::UserWithoutCredits) => Ok(()),
            outcome => outcome,
        }
    }

    /// Whether the actor may make this change, and whether it is valid.
    fn check_change(&self, actor: &Actor, current: &User, change: &UserUpdate) -> Result<(), Error> {
        let moves_expiration = change.expiration_date != current.expiration_date
            || change.subscription_started != current.subscription_started;
        let admin = actor.role.passes_every_check();
        let moves = change.registrar != RegistrarChange::Stays;
        if !may_become(actor, current, change.role, change.status)
            || (moves_expiration && !admin)
            || (moves && !may_move(actor, current))
        {
            return Err(Error::Forbidden);
        }
        if lacks_credits_to_activate(change.role, current.status, change.status, current.credits) {
            return Err(Error::UserWithoutCredits);
        }
        Ok(())
    }

    /// The current user, for 412.
    pub(crate) fn outdated(&self, current: &User) -> Error {
        Error::OutdatedUser {
            current: Box::new(current.clone()),
            now: self.calendar.now(),
            country: self.country,
        }
    }

    async fn write(&self, actor: &Actor, current: &User, change: &UserUpdate) -> Result<User, Error> {
        let scope = Scope::of(actor);
        let written = self
            .users
            .update(&scope, &current.username, change, current.version, &self.edit_by(actor))
            .await?;
        match written {
            Written::Done(user) => {
                let (status, role) = (user.status.code(), user.role.code());
                tracing::info!(
                    actor = actor.username.as_str(),
                    user = user.username.as_str(),
                    status,
                    role,
                    "user changed"
                );
                Ok(user)
            }
            Written::Missing => Err(Error::NoSuchUser(current.username.to_string())),
            Written::Outdated(now) => Err(self.outdated(&now)),
            Written::Conflict(conflict) => Err(update_refused(conflict)),
        }
    }

    /// Deactivates active users, and activates others. Not for the actor's own account.
    pub async fn toggle(
        &self,
        actor: &Actor,
        username: &str,
        expected: Option<Version>,
    ) -> Result<User, Error> {
        actor.require(Permission::new(USER, Action::Update))?;
        retry_if_outdated(expected, async || {
            let current = self.seen(actor, username).await?;
            if !may_manage(actor, &current.username, current.role) {
                return Err(Error::Forbidden);
            }
            require_version(expected, current.version, || Ok(self.outdated(&current)))?;
            refuse_suspended(actor, &current)?;
            let change = UserUpdate { status: toggled(current.status), ..unchanged(&current) };
            self.check_change(actor, &current, &change)?;
            self.write(actor, &current, &change).await
        })
        .await
    }

    /// Deletes a user without movements who has registered no others. Not the actor's own account.
    pub async fn delete(
        &self,
        actor: &Actor,
        username: &str,
        expected: Option<Version>,
    ) -> Result<(), Error> {
        actor.require(Permission::new(USER, Action::Delete))?;
        retry_if_outdated(expected, async || {
            let current = self.seen(actor, username).await?;
            if !may_manage(actor, &current.username, current.role) {
                return Err(Error::Forbidden);
            }
            require_version(expected, current.version, || Ok(self.outdated(&current)))?;
            match self
                .users
                .remove(&Scope::of(actor), &current.username, current.version, &self.edit_by(actor))
                .await?
            {
                Removed::Done => {
                    tracing::info!(
                        actor = actor.username.as_str(),
                        user = current.username.as_str(),
                        "user deleted"
                    );
                    Ok(())
                }
                Removed::Missing => Err(Error::NoSuchUser(username.to_owned())),
                Removed::Outdated(now) => Err(self.outdated(&now)),
                Removed::Conflict(UserRemovalConflict::InUse { movements, registered }) => {
                    Err(Error::UserInUse { movements, registered })
                }
                Removed::Conflict(UserRemovalConflict::LastSuperadmin) => Err(Error::LastSuperadmin),
            }
        })
        .await
    }
}

/// Removes the password from the body before its fingerprint, which is unsalted. Another password
/// under the same key is detected by the stored hash.
fn without_password(json: &Value) -> Value {
    let mut json = json.clone();
    if let Some(fields) = json.as_object_mut() {
        fields.remove("password");
    }
    json
}
