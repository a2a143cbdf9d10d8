//! The store of users: the list and the forms of staff, and what signing in needs.
//!
//! Methods that act for staff need the [`Scope`] of the actor: users outside it do not exist there.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Code, Enumeration, ListQuery, Page, RoleCode, Username, Version, Violation};
use domain_operations::OperationRow;
use domain_users::{ExpiryFilter, Scope, User, UserCredentials, UserStatus};

use crate::{Edit, IdempotencyKey, Inserted, Removed, SliceOf, SliceWritten, StoreError, Written};

/// A new user, checked, with a hash in the place of the password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserInsert {
    /// The public id.
    pub username: Username,
    /// The full name.
    pub full_name: String,
    /// The e-mail address.
    pub email: String,
    /// The phone number.
    pub phone_number: String,
    /// The postal address.
    pub address: Option<String>,
    /// For staff.
    pub comment: Option<String>,
    /// PHC text; `None` where they can't sign in yet.
    pub password_hash: Option<String>,
    /// The role.
    pub role: RoleCode,
    /// Whether they may use the service.
    pub status: UserStatus,
    /// Whether the subscription starts now instead of with the first sale.
    pub subscription_started: bool,
}

/// An inserted user, and the hash of the password that was sent with the insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsertedUser {
    /// The user as inserted.
    pub user: User,
    /// PHC text, where one is known.
    pub password_hash: Option<String>,
}

/// Conflict of an insert: the user name exists, in some spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsernameTaken;

/// An update of a user, checked. Balances are not part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserUpdate {
    /// The full name.
    pub full_name: String,
    /// The e-mail address.
    pub email: String,
    /// The phone number.
    pub phone_number: String,
    /// The postal address.
    pub address: Option<String>,
    /// For staff.
    pub comment: Option<String>,
    /// The role. Another one ends their sessions.
    pub role: RoleCode,
    /// Whether they may use the service. Anything but active ends their sessions.
    pub status: UserStatus,
    /// When the subscription ends. A change is recorded between the movements of their credits.
    pub expiration_date: Option<DateTime<Utc>>,
    /// Whether the subscription has started. A start by hand is recorded like another expiration.
    pub subscription_started: bool,
    /// Beneath whom they are.
    pub registrar: RegistrarChange,
}

/// Whether an update moves a user, and with them everybody beneath them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RegistrarChange {
    /// They stay where they are.
    #[default]
    Stays,
    /// They move beneath this user; `None` for nobody.
    Becomes(Option<Username>),
}

/// Conflicts of an update, decided under its locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserUpdateConflict {
    /// No active superadmin would be left.
    LastSuperadmin,
    /// The user beneath whom they were to move does not exist.
    UnknownRegistrar,
    /// The role of that user has nobody of theirs beneath it.
    RegistrarRole,
    /// That user is they themselves, or beneath them.
    OwnSubtree,
}

impl UserUpdateConflict {
    /// The same as a violation of a field.
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
    /// Which slice it is.
    pub slice: SliceOf,
    /// Its users, in their order.
    pub items: Vec<UserSliceItem>,
    /// Whether nothing is changed: the updates are carried out as far as their conflicts, and rolled back.
    pub dry_run: bool,
}

/// A user of a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct UserSliceItem {
    /// What is recorded.
    pub row: OperationRow,
    /// The version that was read, and its update; `None` where nothing changes.
    pub update: Option<(Version, UserUpdate)>,
}

/// A slice of users that come in with a spreadsheet.
#[derive(Debug, Clone, PartialEq)]
pub struct UserSheetSlice {
    /// Which slice it is.
    pub slice: SliceOf,
    /// Its rows, in their order.
    pub items: Vec<UserSheetItem>,
    /// Whether nothing is changed: all is carried out as far as its conflicts, and rolled back.
    pub dry_run: bool,
}

/// A row of such a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct UserSheetItem {
    /// What is recorded.
    pub row: OperationRow,
    /// What it does; `None` where nothing changes.
    pub change: Option<UserSheetChange>,
    /// Whether a row of an earlier slice adds the one who registered them: in a dry run that one is not there.
    pub registrar_comes: bool,
}

/// What a row of a spreadsheet does to a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserSheetChange {
    /// Adds one.
    Add(Box<ImportedUser>),
    /// Updates one who still has the version that was read.
    Update(Version, Box<UserUpdate>),
}

/// Stores users that come in with a spreadsheet.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait UserSheets: Send + Sync {
    /// Adds and updates the users of a slice, books what the new ones have and records the rows of all, in one transaction.
    /// In a dry run the rows alone.
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
    /// The ledger or other users refer to them.
    InUse {
        /// Movements they have or made.
        movements: u64,
        /// Users they registered.
        registered: u64,
    },
    /// No active superadmin would be left.
    LastSuperadmin,
}

/// A user of an import, with what only a server may set otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedUser {
    /// Their form, checked.
    pub user: UserInsert,
    /// Who registered them, where that is known.
    pub registrar: Option<Username>,
    /// When the subscription ends.
    pub expiration_date: Option<DateTime<Utc>>,
    /// How often they signed in.
    pub sign_ins: i64,
    /// When they were registered where they come from.
    pub created_date: Option<DateTime<Utc>>,
    /// App credits with which their account is opened: booked against the issuer by the transaction that adds them.
    pub credits: i64,
    /// The same of an agent's stock.
    pub sale_credits: i64,
}

/// The outcome for one user of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserImportOutcome {
    /// Inserted.
    Created,
    /// Existed with another form. Password, role, status, expiration and balances stay.
    Updated,
    /// Existed with the same form.
    Unchanged,
    /// The user who registered them does not exist.
    MissingRegistrar,
}

/// The new key of a session that outlives a new password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionKeyChange {
    /// The hash of its key so far.
    pub from: String,
    /// The hash of its key from now on.
    pub to: String,
}

/// A new password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPassword {
    /// Its PHC text.
    pub hash: String,
    /// The PHC text that was checked before: another one now refuses the change. `None` sets it in any case.
    pub checked: Option<String>,
    /// The session that stays, under another key; all others end.
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

    /// The names of those whom the list shows, in the order of their registration; at most so many.
    async fn matching_names(
        &self,
        scope: &Scope,
        query: &ListQuery,
        deadline: Option<ExpiryFilter>,
        limit: u64,
    ) -> Result<Vec<Username>, StoreError>;

    /// Does a slice of a bulk operation: every user who still has the version that was read is updated as by
    /// [`UserRepository::update`], and the rows of all are recorded, in one transaction. In a dry run the rows alone.
    async fn write_slice(
        &self,
        scope: &Scope,
        slice: UserSlice,
        edit: &Edit,
    ) -> Result<SliceWritten, StoreError>;

    /// A user of the scope, or the agent themselves.
    async fn find(&self, scope: &Scope, username: &Username) -> Result<Option<User>, StoreError>;

    /// What signing in needs of the user with this name, in any spelling of its case.
    async fn find_credentials(&self, username: &Username) -> Result<Option<UserCredentials>, StoreError>;

    /// Inserts a user beneath whoever makes the edit; once for one idempotency key.
    async fn insert(
        &self,
        user: &UserInsert,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<InsertedUser, UsernameTaken>, StoreError>;

    /// Inserts the first superadmin, whose password is the default one until it is changed. `false` where an active
    /// superadmin with a password exists, or the name is in use; two nodes that start together insert one.
    async fn insert_first(&self, user: &UserCredentials, now: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Whether there is an active superadmin with a password.
    async fn has_superadmin(&self) -> Result<bool, StoreError>;

    /// Whether an active user still has the password they were created with on first start.
    async fn has_default_password(&self) -> Result<bool, StoreError>;

    /// Updates a user who still has the expected version. Ends their sessions where role or status require it, and moves
    /// everybody beneath them along with them, in the same transaction.
    async fn update(
        &self,
        scope: &Scope,
        username: &Username,
        update: &UserUpdate,
        expected: Version,
        edit: &Edit,
    ) -> Result<Written<User, UserUpdateConflict>, StoreError>;

    /// Sets the password (PHC text) of a user who still has the expected version, records who did it and when, and ends
    /// all their sessions, in one transaction.
    async fn reset_password(
        &self,
        scope: &Scope,
        username: &Username,
        password_hash: &str,
        expected: Version,
        edit: &Edit,
    ) -> Result<Written<User, UserUpdateConflict>, StoreError>;

    /// Sets a user's own password, clears the mark of the default one and ends their sessions but the one that stays,
    /// in one transaction. `false`, and nothing is written, where there is no such user, their password is not the one
    /// that was checked any more, or the session that was to stay has ended.
    async fn change_password(
        &self,
        username: &Username,
        password: &NewPassword,
        edit: &Edit,
    ) -> Result<bool, StoreError>;

    /// Puts another hash of the same password in the place of this one. Where the user has another one, nothing is written.
    async fn rehash(&self, username: &Username, from: &str, to: &str) -> Result<bool, StoreError>;

    /// Stores a batch, identified by user name, and books what new users have, in one transaction. Who is there keeps the
    /// balances that the ledger says.
    async fn import(
        &self,
        batch: Vec<ImportedUser>,
        now: DateTime<Utc>,
    ) -> Result<Vec<UserImportOutcome>, StoreError>;

    /// Removes a user to whom nothing refers.
    async fn remove(
        &self,
        scope: &Scope,
        username: &Username,
        expected: Version,
        edit: &Edit,
    ) -> Result<Removed<User, UserRemovalConflict>, StoreError>;
}
