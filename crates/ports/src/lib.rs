//! What the use cases ask of the world, as traits: stores, clocks, hashers, other services.
//!
//! To add a port: write the trait in a module of its own in the words of the domain (no ORM, no HTTP), document
//! what each method promises (a method is a transaction: it happens or it does not), put `automock` on it, and
//! implement it in an adapter. Absence is `None`, not an error; [`StoreError`] says that storing failed, never how.

mod clock;
mod contents;
mod dashboards;
mod error;
mod films;
mod ledger;
mod passwords;
mod people;
mod sessions;
mod settings;
mod users;
mod webhooks;

pub use clock::Clock;
pub use contents::{
    ContentRepository, ImportOutcome, ImportedItem, Inserted, InsertedAll, OnceOnly, References, Removed,
    Rows, Written,
};
pub use dashboards::{ContentCounts, Dashboards, Expiring, MonthCounts, PeopleCounts, Seller};
pub use error::StoreError;
pub use films::{FilmDatabase, FilmFault};
pub use ledger::{
    Breach, CreditOrder, History, HistoryMovement, Holder, Ledger, Posted, Quoted, ReversalOrder,
};
pub use passwords::{HashFault, PasswordHasher};
pub use people::{
    ImportedPerson, PeopleRepository, PersonChange, PersonImported, PersonRemoved, PersonWritten, Registered,
    Registration,
};
pub use sessions::{OpenSession, SessionRepository, SessionState};
pub use settings::SettingRepository;
pub use users::UserRepository;
pub use webhooks::{
    DueDelivery, Leases, Outbox, Outcome, OutgoingMessage, SubscriptionEnds, WebhookAdded, WebhookRepository,
    WebhookSender, WebhookWritten,
};

#[cfg(feature = "mocks")]
pub use self::{
    clock::MockClock, contents::MockContentRepository, contents::MockReferences, dashboards::MockDashboards,
    films::MockFilmDatabase, ledger::MockLedger, passwords::MockPasswordHasher, people::MockPeopleRepository,
    sessions::MockSessionRepository, settings::MockSettingRepository, users::MockUserRepository,
    webhooks::MockLeases, webhooks::MockOutbox, webhooks::MockSubscriptionEnds,
    webhooks::MockWebhookRepository, webhooks::MockWebhookSender,
};
