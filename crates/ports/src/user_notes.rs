//! The store of notes on users, and of snoozed customers.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Id, ListQuery, Page, Username};
use domain_users::{NoteKind, Snooze, UserNote};

use crate::{Edit, IdempotencyKey, Inserted, StoreError};

/// A note to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserNoteInsert {
    pub kind: NoteKind,
    pub text: Option<String>,
    /// Day of the contact with the customer.
    pub contacted_on: Option<NaiveDate>,
    /// Snoozes the customer until this time, in the same transaction.
    pub snoozed_until: Option<DateTime<Utc>>,
}

/// Stores notes on users. The caller has checked the scope; a deleted user has no notes.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait UserNoteRepository: Send + Sync {
    /// A page of the notes on a user, newest first.
    async fn list(&self, user: &Username, query: &ListQuery) -> Result<Page<Vec<UserNote>>, StoreError>;

    /// One note on a user.
    async fn find(&self, user: &Username, id: Id) -> Result<Option<UserNote>, StoreError>;

    /// Response stored under this key, if any.
    async fn answered(&self, once: &IdempotencyKey) -> Result<Option<Inserted<UserNote>>, StoreError>;

    /// Adds a note; `None` where the user was deleted.
    async fn add(
        &self,
        user: &Username,
        note: &UserNoteInsert,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Option<Inserted<UserNote>>, StoreError>;

    /// Deletes a note, which stays in the audit log.
    async fn delete(&self, user: &Username, note: &UserNote, edit: &Edit) -> Result<(), StoreError>;

    /// Snooze of a customer that has not ended at this time.
    async fn snooze(&self, user: &Username, now: DateTime<Utc>) -> Result<Option<Snooze>, StoreError>;

    /// Sets or clears the snooze of a customer. `false` where the user was deleted.
    async fn set_snooze(
        &self,
        user: &Username,
        until: Option<DateTime<Utc>>,
        edit: &Edit,
    ) -> Result<bool, StoreError>;
}
