//! The use cases. Each checks the permission first, then the rules, then calls the store. HTTP,
//! commands and tests call them.
//!
//! Depends on ports, not on adapters; no HTTP, no SQL and no locale may enter. Tests mock the ports
//! and check the order of calls, and their absence: without permission the store is not called.

mod active_runs;
mod activity;
mod app_settings;
mod audit;
mod backups;
mod base_urls;
mod batches;
mod body;
mod calendar;
mod children;
mod completeness;
mod contents;
mod credits;
mod dashboards;
mod deliveries;
mod duplicates;
mod earlier_streams;
mod error;
mod films;
mod generated_sheets;
mod guide_health;
mod guides;
mod idempotency;
mod import;
mod import_credits;
mod import_issues;
mod import_users;
mod issue_groups;
mod issue_list;
mod issues;
mod item_links;
mod job;
mod keys;
mod ledger_lines;
mod link_reports;
mod link_switches;
mod links;
mod list_sheets;
mod listing;
mod live_profiles;
mod matching;
mod merge;
mod notices;
mod operations;
mod panics;
mod password_resets;
mod playlists;
mod public_catalogue;
mod renewals;
mod retention;
mod reversal_requests;
mod saved_views;
mod schedule;
mod sessions;
mod sheet_import_rows;
mod sheet_import_users;
mod sheet_imports;
mod sheets;
mod sign_in;
mod staff;
mod statements;
mod streams;
mod subscribers;
mod trash;
mod usage;
mod user_activity;
mod user_notes;
mod user_rules;
mod users;
mod versions;
mod views;
mod visits;
mod webhooks;

pub use activity::ActivityService;
pub use app_settings::{AppSettingsService, EntryCreated, EntryService};
pub use audit::{AUDIT_READ, AuditService, EarlierVersion};
pub use backups::{BackupService, BackupStatus};
pub use base_urls::BaseUrlService;
pub use calendar::Calendar;
pub use children::{CreatedAll, LinkChange};
pub use completeness::{CompletenessService, KindCompleteness};
pub use contents::{ContentService, ContentServices, Created};
pub use credits::{CreditService, PostedOnce, Verification};
pub use dashboards::{AdminDashboard, AgentDashboard, ContentManagerDashboard, DashboardService};
pub use deliveries::{DeliveryFigures, DeliveryService, Lease, SubscriptionWatch};
pub use duplicates::{
    DuplicateCount, DuplicateGroup, DuplicateItem, DuplicateRow, DuplicateService, MergePreview, MergeRequest,
};
pub use earlier_streams::EarlierStreams;
pub use error::{BackupRefusal, Error, GuideRefusal, LinkRefusal, Lookup, OperationRefusal, PlaylistRefusal};
pub use films::{FilmService, Prefill};
pub use guide_health::{
    ChannelHealth, GuideCoverage, GuideHealth, GuideHealthService, Health, SuspectedShift,
};
pub use guides::{GuideService, GuideUpload, KeptDays, guide_permission};
pub use import::{Change, IdMap, ImportedLine, LineOutcome};
pub use import_credits::{Claim, PendingHistory};
pub use import_users::Passwords;
pub use issue_groups::GroupSeen;
pub use issues::{IssueService, ReportCreated, ReportDetails};
pub use item_links::ItemLinkService;
pub use job::Job;
pub use keys::{KeyMade, KeyService, KeyWithDays};
pub use link_reports::{LinkOfReport, LinkReportService};
pub use link_switches::LinkSwitchService;
pub use links::{CataloguePosition, LinkService, LinkSummary, RequestedLink, link_permission};
pub use list_sheets::{
    ListAccess, ListExport, ListReaders, ListSheetService, ListSources, LiveReaders, SheetList,
    report_heading, user_headings,
};
pub use listing::{ListShape, read_list_query, read_query};
pub use live_profiles::{
    GuidePosition, LiveProfileParts, LiveProfileService, OpenedGuide, OpenedPlaylist, PlaylistPosition,
    PlaylistSlice, ProfileWithSecret, live_profile_permission,
};
pub use matching::{
    AcceptRequest, CandidateRow, Candidates, ComparedGuide, CurrentLink, GuideComparison, LinkRequest,
    MatchNumbers, MatchRow, MatchingService, MatchingStores, ScoreBand, UndoLinkRequest, match_permission,
};
pub use notices::{Notice, NoticeService};
pub use operations::{FailedRows, MovesBegun, OperationBegun, OperationService};
pub use playlists::{
    AddStreamRequest, AddStreamsRequest, AddedStream, ApplyRequest, ChangedItem, EntryRow, GroupRow,
    IgnoreRequest, MergeEntriesRequest, PlaylistService, PlaylistStores, RunBegun, RunRequest, SourceCreated,
    playlist_permission,
};
pub use public_catalogue::ExportChunk;
pub use renewals::{RenewalPreview, RenewalService, RenewalsPreview};
pub use retention::{RetentionPolicy, RetentionService};
pub use reversal_requests::ReversalRequestService;
pub use saved_views::SavedViewService;
pub use schedule::{ChannelSchedule, OnAt, Schedule, ScheduleService, ScheduledProgramme};
pub use sessions::{ListedSession, SessionService};
pub use sheet_imports::{
    Headings, IMPORT_LIMITS, MAX_SHEET_BYTES, SheetImportService, Upload, UploadedColumn, UploadedSheet,
};
pub use sheets::{MAX_SHEET_ROWS, SheetExport, SheetRequest, SheetService};
pub use sign_in::{Credentials, Origin, SignInService, SignedIn};
pub use statements::{ExportedLine, StatementExport, StatementService};
pub use streams::{PlayedStream, StreamService, StreamsOfChannel};
pub use subscribers::Subscriber;
pub use trash::TrashService;
pub use usage::{KindUsage, MoveTarget, Usage};
pub use user_activity::UserActivityService;
pub use user_notes::{NoteAdded, UserNoteService};
pub use users::{UserCreated, UserService};
pub use views::{ViewService, ViewsCounted};
pub use visits::{VisitService, VisitsRecorded};
pub use webhooks::{WebhookService, WebhookWithSecret};
