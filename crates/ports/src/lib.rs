//! Interfaces of the use cases, as traits: stores, clocks, hashers, other services.
//!
//! To add a port: write the trait in a module of its own in terms of the domain (no ORM, no HTTP), document
//! what each method guarantees (a method is one transaction), add `automock`, and implement it in an adapter.
//! Absence is `None`, not an error; [`StoreError`] carries no details of the failure.

mod activity;
mod app_settings;
mod audit;
mod backups;
mod clock;
mod contents;
mod dashboards;
mod edit;
mod entry_streams;
mod error;
mod films;
mod guides;
mod idempotency;
mod issues;
mod item_links;
mod keys;
mod ledger;
mod link_reports;
mod link_switches;
mod links;
mod list_rows;
mod live_profiles;
mod matches;
mod notices;
mod operations;
mod outcome;
mod passwords;
mod playlist_files;
mod playlists;
mod renewals;
mod retention;
mod reversal_requests;
mod saved_views;
mod schedule;
mod secrets;
mod sessions;
mod settings;
mod sheets;
mod statements;
mod streams;
mod user_notes;
mod users;
mod views;
mod visits;
mod webhooks;

pub use activity::ActivityRepository;
pub use app_settings::{AppSettingsRepository, EntryRepository};
pub use audit::{AuditFilter, AuditRepository, NewAuditEntry};
pub use backups::{BackupDates, BackupLog, BackupOutcome};
pub use clock::Clock;
pub use contents::{
    ContentConflict, ContentRepositories, ContentRepository, DuplicateIds, DuplicateRepository, GroupedItems,
    ImportOutcome, ImportedItem, ItemChange, ItemKeys, ItemMerge, ItemWrite, MergeConflict, References, Rows,
    SliceItem, StreamChange, StreamEffect, TrashRepository, Usage, in_use, key_in_use,
};
pub use dashboards::{ContentCounts, Dashboards, ExpiringUser, MonthCounts, UserCounts, UserSales};
pub use edit::Edit;
pub use entry_streams::{ChangedStream, EntryStreamRepository, StreamCheck};
pub use error::StoreError;
pub use films::{FilmDatabase, FilmFault};
pub use guides::{
    ClaimedFetch, GuideFailure, GuideFetchBegun, GuideFetchEnd, GuideFetched, GuideFiles, GuideOrigin,
    GuideParts, GuideRead, GuideSink, GuideStore, ListedGuideChannel, NewGuideFetch, StagedPart,
    UnfinishedFetch,
};
pub use idempotency::IdempotencyKey;
pub use issues::{
    ImportedReport, IssueFilter, IssueItem, IssueRepository, ReportSlice, ReportSliceItem, ReportState,
};
pub use item_links::ItemLinks;
pub use keys::{KeyDay, KeyRepository, KeyToKeep, KeyUse};
pub use ledger::{
    Breach, CreditOrder, CustomerQuote, History, HistoryMovement, Ledger, LedgerFilter, LedgerUser,
    OrderConflict, Posted, Quoted, RenewalsQuoted, ReversalOrder,
};
pub use link_reports::{LinkReports, ReportedLink, ReportedSpan};
pub use link_switches::{LinkSwitches, SwitchedItem};
pub use links::{
    CatalogueLink, ClaimedLink, HostCounts, LinkProber, LinkRepository, ProbeTime, RedundancyCounts,
};
pub use list_rows::{
    DeliveryFilter, LedgerRows, ListRows, OperationFilter, RenewalFilter, ReversalFilter, TrashFilter,
    UserFilter,
};
pub use live_profiles::{
    ChannelPlace, ChannelSelection, GuideFormat, GuideWriter, GuidedChannel, LiveProfileRepository,
    PlaylistWriter, ProfileSecret, ProfileUse, SelectedChannel,
};
pub use matches::{
    ChangedChannel, ChannelAlias, ClaimedMatching, ExpectedLink, FoundMatch, LastDecision, MatchGroup,
    MatchGuide, MatchRepository, MatchTarget, NewDecision, RenamedLink,
};
pub use notices::{NoticeQuery, NoticeRepository};
pub use operations::{
    AlreadyUndone, Moves, NewMoves, NewOperation, OperationRepository, RowFilter, SliceOf, SliceWritten,
};
pub use outcome::{Inserted, Removed, Written};
pub use passwords::{AttemptPermit, HashFault, HashPriority, PasswordHasher};
pub use playlist_files::{FetchedPlaylist, OpenPlaylist, PlaylistFetchFault, PlaylistFiles, PlaylistPacker};
pub use playlists::{
    AnotherRun, ClaimedRun, DuplicateOf, EntryCandidate, EntryCounts, EntryGroup, EntryWrite, KnownEntry,
    LeftOut, NewRun, PlaylistEntryRepository, PlaylistRunRepository, PlaylistSourceRepository, RunEnd,
    StoredEntry, UnfinishedRun,
};
pub use renewals::RenewalRepository;
pub use retention::{Aged, Retention};
pub use reversal_requests::{AlreadyDecided, NewReversalRequest, ReversalRequests};
pub use saved_views::{SavedViewConflict, SavedViewRepository};
pub use schedule::{ScheduleFilter, ScheduleRepository};
pub use secrets::SecretSource;
pub use sessions::{
    NewSession, OpenSession, SESSION_ID_LENGTH, SessionDetails, SessionRepository, session_id,
};
pub use settings::{Setting, SettingRepository};
pub use sheets::{
    DoneRow, ImportedSheet, NewSheet, SheetFault, SheetFiles, SheetLimits, SheetPart, SheetRepository,
    SheetRows, UnreadableSheet,
};
pub use statements::{StatementAccount, StatementRows, Statements, StockSum};
pub use streams::{ReplacedStreams, StoredStream, StoredStreams, StreamRepository};
pub use user_notes::{UserNoteInsert, UserNoteRepository};
pub use users::{
    ImportedUser, InsertedUser, NewPassword, RegistrarChange, SessionKeyChange, UserImportOutcome,
    UserInsert, UserRemovalConflict, UserRepository, UserSheetChange, UserSheetItem, UserSheetSlice,
    UserSheets, UserSlice, UserSliceItem, UserUpdate, UserUpdateConflict, UsernameTaken,
};
pub use views::{ViewCounts, ViewRepository};
pub use visits::{VisitFilter, VisitRepository};
pub use webhooks::{
    DueDelivery, InsertedWebhook, Leases, Noted, Outbox, Outcome, OutgoingMessage, SubscriptionEnds,
    WebhookReplayConflict, WebhookRepository, WebhookSender,
};

#[cfg(feature = "mocks")]
pub use self::{
    app_settings::MockAppSettingsRepository, app_settings::MockEntryRepository, audit::MockAuditRepository,
    backups::MockBackupLog, clock::MockClock, contents::MockContentRepository, contents::MockReferences,
    dashboards::MockDashboards, entry_streams::MockEntryStreamRepository, films::MockFilmDatabase,
    guides::MockGuideStore, issues::MockIssueRepository, item_links::MockItemLinks, keys::MockKeyRepository,
    ledger::MockLedger, link_switches::MockLinkSwitches, links::MockLinkProber, links::MockLinkRepository,
    live_profiles::MockLiveProfileRepository, matches::MockMatchRepository, notices::MockNoticeRepository,
    operations::MockOperationRepository, passwords::MockPasswordHasher,
    playlists::MockPlaylistEntryRepository, playlists::MockPlaylistRunRepository,
    playlists::MockPlaylistSourceRepository, renewals::MockRenewalRepository, retention::MockRetention,
    reversal_requests::MockReversalRequests, saved_views::MockSavedViewRepository,
    schedule::MockScheduleRepository, secrets::MockSecretSource, sessions::MockSessionRepository,
    settings::MockSettingRepository, sheets::MockSheetRepository, statements::MockStatements,
    streams::MockStreamRepository, user_notes::MockUserNoteRepository, users::MockUserRepository,
    users::MockUserSheets, views::MockViewRepository, visits::MockVisitRepository, webhooks::MockLeases,
    webhooks::MockOutbox, webhooks::MockSubscriptionEnds, webhooks::MockWebhookRepository,
    webhooks::MockWebhookSender,
};
