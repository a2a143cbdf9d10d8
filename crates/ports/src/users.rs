//! The store of users: list and forms for staff, and credentials for sign-in.
//!
//! Methods that act for staff need the [`Scope`] of the actor; users outside it count as missing.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Code, Enumeration, ListQuery, Page, RoleCode, Username, Version, Violation};
use domain_operations::OperationRow;
use domain_users::{ExpiryFilter, Scope, User, UserCredentials, UserLanguage, UserStatus};

use crate::{Edit, IdempotencyKey, Inserted, Removed, SliceOf, SliceWritten, StoreError, Written};

/// A new, validated user, with a hash instead of the password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserInsert {
    pub username: Username,
    pub full_name: String,
    pub email: String,
    pub phone_number: String,
    /// Language in which the user is written to.
    pub language: Option<UserLanguage>,
    /// Postal address.
    pub address: Option<String>,
    /// Visible to staff only.
    pub comment: Option<String>,
    /// PHC string; `None` if the user can't sign in yet.
    pub password_hash: Option<String>,
    pub role: RoleCode,
    pub status: UserStatus,
    /// Whether the subscription starts now instead of with the first sale.
    pub subscription_started: bool,
}

/// An inserted user, with the hash of the password that was sent with the insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsertedUser {
    pub user: User,
    /// PHC string, if known.
    pub password_hash: Option<String>,
}

/// Conflict of an insert: the user name exists, in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsernameTaken;

/// A validated update of a user, without balances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserUpdate {
    pub full_name: String,
    pub email: String,
    pub phone_number: String,
    /// Language in which the user is written to.
    pub language: Option<UserLanguage>,
    /// Postal address.
    pub address: Option<String>,
    /// Visible to staff only.
    pub comment: Option<String>,
    /// Another role ends the user's sessions.
    pub role: RoleCode,
    /// Any status but active ends the user's sessions.
    pub status: UserStatus,
    /// End of the subscription. A change is recorded between the movements of the user's credits.
    pub expiration_date: Option<DateTime<Utc>>,
    /// Whether the subscription has started. A manual start is recorded like another expiration.
    pub subscription_started: bool,
    pub registrar: RegistrarChange,
}

/// Change of a user's registrar, which moves the subtree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RegistrarChange {
    /// The registrar is kept.
    #[default]
    Stays,
    /// The new registrar; `None` for no registrar.
    Becomes(Option<Username>),
}

/// Conflicts of an update, checked under its locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserUpdateConflict {
    /// No active superadmin would be left.
    LastSuperadmin,
    /// The new registrar does not exist.
    UnknownRegistrar,
    /// The role of the new registrar can't have users in its subtree.
    RegistrarRole,
    /// The new registrar is the user or in the user's subtree.
    OwnSubtree,
}

impl UserUpdateConflict {
    /// Violation of the field.
    pub fn violation(self) -> Violation {
        let registrar = |code| Violation::new("registeredBy", code);
        match self {
            Self::LastSuperadmin => Violation::new("status", Code::Conflict),
            Self::UnknownRegistrar => registrar(Code::UnknownReference),
            Self::RegistrarRole => registrar(Code::WrongRole).with("expected", RoleCode::Agent.code()),
            Self::OwnSubtree => registrar(Code::OwnSubtree),
        }
    }
}

/// A slice of a bulk operation on users.
#[derive(Debug, Clone, PartialEq)]
pub struct UserSlice {
    pub slice: SliceOf,
    /// In order.
    pub items: Vec<UserSliceItem>,
    /// Whether the updates are rolled back after checking conflicts.
    pub dry_run: bool,
}

/// A user of a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct UserSliceItem {
    pub row: OperationRow,
    /// Version that was read, and its update; `None` where nothing changes.
    pub update: Option<(Version, UserUpdate)>,
}

/// A slice of users imported from a spreadsheet.
#[derive(Debug, Clone, PartialEq)]
pub struct UserSheetSlice {
    pub slice: SliceOf,
    /// In order.
    pub items: Vec<UserSheetItem>,
    /// Whether the changes are rolled back after checking conflicts.
    pub dry_run: bool,
}

/// A row of such a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct UserSheetItem {
    pub row: OperationRow,
    pub change: Option<UserSheetChange>,
    /// Whether a row of an earlier slice adds the registrar, who does not exist in a dry run.
    pub registrar_comes: bool,
}

/// Change of a user by a spreadsheet row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserSheetChange {
    /// Inserts a user.
    Add(Box<ImportedUser>),
    /// Updates a user who still has the version that was read.
    Update(Version, Box<UserUpdate>),
}

/// Stores users imported from a spreadsheet.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait UserSheets: Send + Sync {
    /// Inserts and updates the users of a slice, posts the balances of new ones and records the rows, in one
    /// transaction. A dry run writes the rows only.
    async fn write_slice(
        &self,
        scope: &Scope,
        slice: UserSheetSlice,
        edit: &Edit,
    ) -> Result<SliceWritten, StoreError>;
}

/// Conflicts of a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserRemovalConflict {
    /// The ledger or other users refer to the user.
    InUse {
        /// Movements that the user owns or performed.
        movements: u64,
        /// Users that the user registered.
        registered: u64,
    },
    /// No active superadmin would be left.
    LastSuperadmin,
}

/// An imported user, with fields that only the server sets otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedUser {
    pub user: UserInsert,
    pub registrar: Option<Username>,
    /// End of the subscription.
    pub expiration_date: Option<DateTime<Utc>>,
    /// Number of sign-ins.
    pub sign_ins: i64,
    /// Registration date in the source system.
    pub created_date: Option<DateTime<Utc>>,
    /// Opening balance of app credits, posted against the issuer by the inserting transaction.
    pub credits: i64,
    /// Opening balance of an agent's stock.
    pub sale_credits: i64,
}

/// Outcome for one imported user. Not [`crate::Inserted`]: an import inserts or updates by the user name, and
/// reports which of them, instead of using an idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserImportOutcome {
    /// Inserted.
    Created,
    /// Existed with another form. Password, role, status, expiration and balances are kept.
    Updated,
    /// Existed with the same form.
    Unchanged,
    /// The registrar does not exist.
    MissingRegistrar,
}

/// New key of a session that is kept over a password change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionKeyChange {
    /// Hash of the current key.
    pub from: String,
    /// Hash of the new key.
    pub to: String,
}

/// A new password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPassword {
    /// PHC string.
    pub hash: String,
    /// PHC string that was checked before: another current one rejects the change. `None` skips the check.
    pub checked: Option<String>,
    /// Session to keep, under another key; all others end.
    pub keep_session: Option<SessionKeyChange>,
}

/// Stores users.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait UserRepository: Send + Sync {
    /// A page of the list. An agent's own row is not in it. Filters are `roleCode` and `status`.
    async fn list(
        &self,
        scope: &Scope,
        query: &ListQuery,
        deadline: Option<ExpiryFilter>,
    ) -> Result<Page<Vec<User>>, StoreError>;

    /// Names of the users of the list, by registration, limited.
    async fn matching_names(
        &self,
        scope: &Scope,
        query: &ListQuery,
        deadline: Option<ExpiryFilter>,
        limit: u64,
    ) -> Result<Vec<Username>, StoreError>;

    /// Updates the users of a slice as by [`UserRepository::update`] where they still have the version that
    /// was read, and records the rows of all, in one transaction. A dry run writes the rows only.
    async fn write_slice(
        &self,
        scope: &Scope,
        slice: UserSlice,
        edit: &Edit,
    ) -> Result<SliceWritten, StoreError>;

    /// A user of the scope, or the actor.
    async fn find(&self, scope: &Scope, username: &Username) -> Result<Option<User>, StoreError>;

    /// Credentials of the user with this name, in any case.
    async fn find_credentials(&self, username: &Username) -> Result<Option<UserCredentials>, StoreError>;

    /// Inserts a user with the author of the edit as registrar; idempotent under a key.
    async fn insert(
        &self,
        user: &UserInsert,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<InsertedUser, UsernameTaken>, StoreError>;

    /// Inserts the first superadmin, whose password is the default one until it is changed. `false` where an
    /// active superadmin with a password exists, or the name is in use; two nodes that start together insert
    /// one.
    async fn insert_first(&self, user: &UserCredentials, now: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Whether an active superadmin with a password exists.
    async fn has_superadmin(&self) -> Result<bool, StoreError>;

    /// Whether an active user still has the password they were created with on first start.
    async fn has_default_password(&self) -> Result<bool, StoreError>;

    /// Updates a user who still has the expected version. Ends the sessions where role or status require it,
    /// and moves the subtree along, in the same transaction.
    async fn update(
        &self,
        scope: &Scope,
        username: &Username,
        update: &UserUpdate,
        expected: Version,
        edit: &Edit,
    ) -> Result<Written<User, UserUpdateConflict>, StoreError>;

    /// Sets the password (PHC string) of a user who still has the expected version, audits it, and ends all
    /// sessions of the user, in one transaction.
    async fn reset_password(
        &self,
        scope: &Scope,
        username: &Username,
        password_hash: &str,
        expected: Version,
        edit: &Edit,
    ) -> Result<Written<User, UserUpdateConflict>, StoreError>;

    /// Sets a user's own password, clears the mark of the default one and ends the sessions but the kept one,
    /// in one transaction. `false`, without a change, where the user does not exist, the password is no
    /// longer the one that was checked, or the session to keep has ended.
    async fn change_password(
        &self,
        username: &Username,
        password: &NewPassword,
        edit: &Edit,
    ) -> Result<bool, StoreError>;

    /// Replaces the hash of the same password. Nothing is written where the user has another hash.
    async fn rehash(&self, username: &Username, from: &str, to: &str) -> Result<bool, StoreError>;

    /// Imports a batch, identified by user name, and posts the balances of new users, in one transaction.
    /// Existing users keep their balances.
    async fn import(
        &self,
        batch: Vec<ImportedUser>,
        now: DateTime<Utc>,
    ) -> Result<Vec<UserImportOutcome>, StoreError>;

    /// Removes a user without references.
    async fn remove(
        &self,
        scope: &Scope,
        username: &Username,
        expected: Version,
        edit: &Edit,
    ) -> Result<Removed<User, UserRemovalConflict>, StoreError>;
}
