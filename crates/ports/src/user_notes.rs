//! The store of notes on users, and of snoozed customers.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Id, ListQuery, Page, Username};
use domain_users::{NoteKind, Snooze, UserNote};

use crate::{Edit, IdempotencyKey, Inserted, StoreError};

/// A note to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserNoteInsert {
    /// What it is about.
    pub kind: NoteKind,
    /// The text.
    pub text: Option<String>,
    /// The day on which the customer was contacted.
    pub contacted_on: Option<NaiveDate>,
    /// Snoozes the customer until this moment, in the same transaction.
    pub snoozed_until: Option<DateTime<Utc>>,
}

/// Keeps notes on users. Whose they are was decided before; a user who is gone has none.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait UserNoteRepository: Send + Sync {
    /// A page of the notes on a user, newest first.
    async fn list(&self, user: &Username, query: &ListQuery) -> Result<Page<Vec<UserNote>>, StoreError>;

    /// One note on a user.
    async fn find(&self, user: &Username, id: Id) -> Result<Option<UserNote>, StoreError>;

    /// What was answered to a once-only request before, if anything: its days may be over since.
    async fn answered(&self, once: &IdempotencyKey) -> Result<Option<Inserted<UserNote>>, StoreError>;

    /// Adds a note; `None` where the user is gone.
    async fn add(
        &self,
        user: &Username,
        note: &UserNoteInsert,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Option<Inserted<UserNote>>, StoreError>;

    /// Deletes a note, which the audit log keeps.
    async fn delete(&self, user: &Username, note: &UserNote, edit: &Edit) -> Result<(), StoreError>;

    /// The snooze of a customer that has not ended at this time.
    async fn snooze(&self, user: &Username, now: DateTime<Utc>) -> Result<Option<Snooze>, StoreError>;

    /// Snoozes a customer until this moment, or no longer. `false` where the user is gone.
    async fn set_snooze(
        &self,
        user: &Username,
        until: Option<DateTime<Utc>>,
        edit: &Edit,
    ) -> Result<bool, StoreError>;
}
