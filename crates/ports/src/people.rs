//! The store of users as staff keep them.
//!
//! Every method asks for the [`Scope`] of whoever acts: whom the actor may not see does not exist here.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{ListQuery, Page, RoleCode, Username, Version};
use domain_users::{ExpiryFilter, Person, Scope, UserStatus};

use crate::{IdempotencyKey, StoreError};

/// Somebody to be registered, checked, with a hash in the place of the password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// Their public id.
    pub username: Username,
    /// The name people read.
    pub full_name: String,
    /// Their e-mail address.
    pub email: String,
    /// Their phone number.
    pub phone_number: String,
    /// Where they live.
    pub address: Option<String>,
    /// For staff.
    pub comment: Option<String>,
    /// PHC text; `None` where they can't sign in yet.
    pub password_hash: Option<String>,
    /// In which role.
    pub role: RoleCode,
    /// Whether they may use the service.
    pub status: UserStatus,
    /// Whether a subscription starts with the registration instead of the first sale.
    pub subscription_started: bool,
}

/// What registering led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registered {
    /// They are registered.
    New(Person),
    /// They were before, under the same key: the first answer, and the hash of the password that came with it, where
    /// one is known.
    Replayed(Person, Option<String>),
    /// The key was used before for something else.
    KeyReused,
    /// Somebody has that name, in some spelling.
    UsernameTaken,
}

/// What is to be changed of somebody, checked. Balances are not among it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonChange {
    /// The name people read.
    pub full_name: String,
    /// Their e-mail address.
    pub email: String,
    /// Their phone number.
    pub phone_number: String,
    /// Where they live.
    pub address: Option<String>,
    /// For staff.
    pub comment: Option<String>,
    /// In which role. Another one ends their sessions.
    pub role: RoleCode,
    /// Whether they may use the service. Anything but active ends their sessions.
    pub status: UserStatus,
    /// When the subscription ends. Another one is written down between the movements of their credits.
    pub expiration_date: Option<DateTime<Utc>>,
    /// Whether the subscription has started. A start by hand is written down like another expiration.
    pub subscription_started: bool,
}

/// What a change led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonWritten {
    /// As they are now.
    Done(Person),
    /// There is nobody of that name in the scope.
    Missing,
    /// Somebody else wrote in between: as they are now.
    Outdated(Person),
    /// It would leave no active superadmin.
    LastSuperadmin,
}

/// What a removal led to.
#[expect(clippy::large_enum_variant, reason = "one is made for a removal")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonRemoved {
    /// They are gone, with their sessions.
    Done,
    /// There is nobody of that name in the scope.
    Missing,
    /// Somebody else wrote in between: as they are now.
    Outdated(Person),
    /// The ledger knows them, or they registered others: they stay.
    InUse {
        /// Movements they have or made.
        movements: u64,
        /// People they registered.
        registered: u64,
    },
    /// It would leave no active superadmin.
    LastSuperadmin,
}

/// Somebody of an import: with what only a server may set otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedPerson {
    /// Their form, checked.
    pub registration: Registration,
    /// Who registered them, where that is known.
    pub registrar: Option<Username>,
    /// When the subscription ends.
    pub expiration_date: Option<DateTime<Utc>>,
    /// How often they signed in.
    pub sign_ins: i64,
    /// When they were registered where they come from.
    pub created_date: Option<DateTime<Utc>>,
}

/// What became of somebody of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonImported {
    /// They were not there.
    Created,
    /// They were there, and their form differed. Password, role, status, expiration and balances stay.
    Updated,
    /// They were there, just so.
    Unchanged,
    /// Whoever registered them is not there.
    NoRegistrar,
}

/// Keeps people.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait PeopleRepository: Send + Sync {
    /// A page of the list. An agent's own row is not in it. Filters are `roleCode` and `status`.
    async fn list(
        &self,
        scope: &Scope,
        query: &ListQuery,
        deadline: Option<ExpiryFilter>,
    ) -> Result<Page<Vec<Person>>, StoreError>;

    /// Somebody, or the agent themselves.
    async fn find(&self, scope: &Scope, username: &Username) -> Result<Option<Person>, StoreError>;

    /// Registers somebody beneath `registrar`, once for a once-only request.
    async fn register(
        &self,
        registration: &Registration,
        registrar: &Username,
        now: DateTime<Utc>,
        once: Option<IdempotencyKey>,
    ) -> Result<Registered, StoreError>;

    /// Changes somebody who still has the expected version. Ends their sessions where role or status ask for it, in
    /// the same transaction.
    async fn change(
        &self,
        scope: &Scope,
        username: &Username,
        change: &PersonChange,
        expected: Version,
        performer: &Username,
        now: DateTime<Utc>,
    ) -> Result<PersonWritten, StoreError>;

    /// Sets the password (PHC text) of somebody who still has the expected version, records who did it and when, and ends
    /// all their sessions, in one transaction.
    async fn set_password(
        &self,
        scope: &Scope,
        username: &Username,
        password_hash: &str,
        expected: Version,
        performer: &Username,
        now: DateTime<Utc>,
    ) -> Result<PersonWritten, StoreError>;

    /// Stores a batch, recognised by user name. Balances come with the ledger's import.
    async fn import(
        &self,
        batch: Vec<ImportedPerson>,
        now: DateTime<Utc>,
    ) -> Result<Vec<PersonImported>, StoreError>;

    /// Removes somebody whom nothing remembers.
    async fn remove(
        &self,
        scope: &Scope,
        username: &Username,
        expected: Version,
    ) -> Result<PersonRemoved, StoreError>;
}
