//! The errors of the use cases. Codes and arguments only: words are made of
//! them at the edge.

use chrono::{DateTime, SecondsFormat, Utc};
use domain_catalogue::{Kind, TitleUse};
use domain_credits::Refusal;
use domain_issues::ReportStatus;
use domain_kernel::{AuthError, Code, Denied, Enumeration, Id, OutOfScope, Violation, Violations};
use domain_live::matching::LinkVerdict;
use domain_users::{Refusal as SignInRefusal, SubscriptionStatus, User};
use ports::{FilmFault, HashFault, StoreError, Usage};
use serde_json::{Map, Value, json};

/// The kind of request to the film database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// One title, for this use.
    Title(TitleUse),
    /// A search.
    Search,
}

impl Lookup {
    /// The first part of the keys of its texts.
    pub fn topic(self) -> String {
        match self {
            Self::Title(to) => format!("lookup.{}", to.code()),
            Self::Search => "lookup.search".to_owned(),
        }
    }
}

/// Why no backup was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BackupRefusal {
    /// No folder for backups is set.
    #[error("no folder for backups is set")]
    Off,
    /// Another one is unfinished.
    #[error("another backup is unfinished")]
    Unfinished,
}

/// Why a bulk operation was not begun, undone or cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OperationRefusal {
    /// So many items match, and another number was confirmed.
    #[error("{0} items match")]
    CountChanged(i64),
    /// It is about no item, or changed none.
    #[error("there is nothing to do")]
    Nothing,
    /// It has ended.
    #[error("the operation has ended")]
    Ended,
    /// It has not ended.
    #[error("the operation has not ended")]
    Unfinished,
    /// It was undone, or is being undone.
    #[error("the operation was undone")]
    Undone,
    /// It ended too long ago.
    #[error("the operation ended too long ago")]
    TooLate,
}

/// Why a playlist was not read or applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlaylistRefusal {
    /// The address of the source is that of a live profile of this service.
    #[error("the source has the address of a live profile")]
    OwnPlaylist,
    /// The source has no address: its list is uploaded.
    #[error("the source has no address")]
    NoAddress,
    /// Another run of the source is unfinished.
    #[error("another run is unfinished")]
    AnotherRun,
    /// A later run has been finished, or this one has not.
    #[error("another run has the findings")]
    Superseded,
    /// Entries of the source are being applied.
    #[error("entries are being applied")]
    Applying,
    /// The entry is not new, or a radio station: it can't become a stream of a channel.
    #[error("the entry is not a new channel")]
    NotNew,
    /// The channel has the address of the entry from another one.
    #[error("another entry is that stream")]
    DuplicateStream,
    /// The channel has as many streams as it may have.
    #[error("the channel has as many streams as it may have")]
    Full,
}

/// Why a guide is not fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GuideRefusal {
    /// Another fetch of it is unfinished.
    #[error("another fetch is unfinished")]
    Unfinished,
}

/// Why a link is not probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LinkRefusal {
    /// This server probes none.
    #[error("links are not probed")]
    Off,
    /// Its item is inactive, or has no address.
    #[error("the link is inactive")]
    Inactive,
}

/// Why a use case failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody is signed in.
    #[error("not signed in")]
    NotAuthenticated,
    /// User name and password don't belong together.
    #[error("wrong user name or password")]
    InvalidCredentials,
    /// The password is right, the account is not active.
    #[error("the account is {0:?}")]
    Refused(SignInRefusal),
    /// Too many attempts; try again after so many seconds.
    #[error("too many attempts, wait {0} s")]
    Throttled(u32),
    /// The actor lacks a permission.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The key lacks a scope.
    #[error(transparent)]
    OutOfScope(#[from] OutOfScope),
    /// There is no such item.
    #[error("{kind:?} {id} does not exist")]
    Missing {
        /// Of this kind.
        kind: Kind,
        /// With this id.
        id: Id,
    },
    /// The body is not JSON.
    #[error("malformed JSON: {0}")]
    Malformed(String),
    /// Rules are broken.
    #[error(transparent)]
    Invalid(#[from] Violations),
    /// Somebody else wrote in between.
    #[error("outdated version")]
    Outdated(Box<Value>),
    /// Somebody else wrote in between: the user as they are now.
    #[error("outdated version")]
    OutdatedUser {
        /// As they are now.
        current: Box<User>,
        /// The time that their subscription is judged by.
        now: DateTime<Utc>,
    },
    /// Only admins act on a suspended user.
    #[error("the user is suspended")]
    UserSuspended,
    /// Others refer to it.
    #[error("{0:?} in use: {1:?}")]
    InUse(Kind, Usage),
    /// Another item stands in the place that this one was to take.
    #[error("{kind:?} {id} stands in its place")]
    Conflicting {
        /// Of this kind.
        kind: Kind,
        /// With this id.
        id: Id,
        /// As users know it.
        title: String,
    },
    /// Another item has the natural key of one that is to be restored, which is for the user to decide.
    #[error("{kind:?} {id} has its natural key")]
    KeyInUse {
        /// Of this kind.
        kind: Kind,
        /// With this id.
        id: Id,
        /// As users know it.
        title: String,
    },
    /// The idempotency key was used for something else.
    #[error("idempotency key used for another body")]
    IdempotencyMismatch,
    /// The actor may not do this to this one.
    #[error("the actor may not")]
    Forbidden,
    /// The address of a playlist is unknown, or was revoked.
    #[error("there is no such playlist")]
    NoSuchPlaylist,
    /// The subscriber whom a playlist is for may not play.
    #[error("the subscription is {0:?}")]
    MayNotPlay(SubscriptionStatus),
    /// There is no such user, or none that the actor may see.
    #[error("there is no user {0}")]
    NoSuchUser(String),
    /// There is no such thing, of those that have an id and no kind of their own: `issue-reports`, `webhooks`, …
    #[error("{what} {id} does not exist")]
    NoSuch {
        /// What it is, as its path says: the topic of its text.
        what: &'static str,
        /// With this id.
        id: Id,
    },
    /// The event has no such link.
    #[error("there is no link {0}")]
    NoSuchLink(String),
    /// The user has no such session.
    #[error("there is no such session")]
    NoSuchSession,
    /// There is no such movement, or none that the actor may see.
    #[error("there is no movement {0}")]
    NoSuchMovement(Id),
    /// Somebody has that user name, in some spelling.
    #[error("the user name {0} exists")]
    UsernameTaken(String),
    /// An app user without credits can't be activated.
    #[error("without credits nobody is activated")]
    UserWithoutCredits,
    /// Without this one nobody would be left who may do everything.
    #[error("the last active superadmin stays")]
    LastSuperadmin,
    /// The ledger knows them, or they registered others: they stay.
    #[error("{movements} movements and {registered} users refer to the user")]
    UserInUse {
        /// Movements they have or made.
        movements: u64,
        /// Users they registered.
        registered: u64,
    },
    /// The ledger refused; nothing moved.
    #[error(transparent)]
    Credits(Refusal),
    /// From its state the report can't go there.
    #[error("a report can't go from {from:?} to {to:?}")]
    InvalidTransition {
        /// Where it stands.
        from: ReportStatus,
        /// Where it was to go.
        to: ReportStatus,
    },
    /// The film database has no such title, or found none.
    #[error("the film database has none")]
    NoTitle(Lookup),
    /// The title is of another type.
    #[error("the title is of another type")]
    WrongTitleType(TitleUse),
    /// The film database failed.
    #[error("the film database failed: {1}")]
    Upstream(Lookup, FilmFault),
    /// No backup was begun.
    #[error(transparent)]
    Backup(BackupRefusal),
    /// Nothing is sent to a webhook that is inactive or paused.
    #[error("the webhook is inactive or paused")]
    WebhookStopped,
    /// The same request made a webhook before, which was changed since.
    #[error("the webhook was made before and changed since")]
    WebhookChanged,
    /// A bulk operation was not begun, undone or cancelled.
    #[error(transparent)]
    Operation(OperationRefusal),
    /// A playlist was not read or applied.
    #[error(transparent)]
    Playlist(PlaylistRefusal),
    /// A guide is not fetched.
    #[error(transparent)]
    Guide(GuideRefusal),
    /// A link is not probed.
    #[error(transparent)]
    Link(LinkRefusal),
    /// Somebody else decided about the guide of the channel.
    #[error("the guide of the channel has been decided")]
    GuideDecided {
        /// Who; `None` where it was linked without asking.
        by: Option<String>,
        /// What.
        verdict: LinkVerdict,
        /// When.
        at: DateTime<Utc>,
    },
    /// Passwords can't be hashed right now.
    #[error(transparent)]
    Hashing(#[from] HashFault),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A job panicked; what it panicked with has been logged.
    #[error("panicked")]
    Panicked,
}

impl Error {
    /// The stable name of what went wrong.
    pub fn code(&self) -> Code {
        match self {
            Self::NotAuthenticated => Code::NotAuthenticated,
            Self::InvalidCredentials => Code::InvalidCredentials,
            Self::Refused(refusal) => refusal.code(),
            Self::Throttled(_) => Code::TooManyRequests,
            Self::Denied(_) | Self::OutOfScope(_) => Code::Forbidden,
            Self::Missing { .. }
            | Self::NoSuch { .. }
            | Self::NoTitle(_)
            | Self::NoSuchUser(_)
            | Self::NoSuchLink(_)
            | Self::NoSuchSession
            | Self::NoSuchPlaylist
            | Self::NoSuchMovement(_) => Code::NotFound,
            Self::MayNotPlay(_) => Code::MayNotPlay,
            Self::Forbidden => Code::Forbidden,
            Self::UserSuspended => Code::UserSuspended,
            Self::Operation(OperationRefusal::CountChanged(_)) => Code::CountChanged,
            Self::UsernameTaken(_)
            | Self::LastSuperadmin
            | Self::Backup(_)
            | Self::WebhookStopped
            | Self::WebhookChanged
            | Self::Operation(_)
            | Self::Playlist(_)
            | Self::Guide(_)
            | Self::Link(_)
            | Self::GuideDecided { .. } => Code::Conflict,
            Self::UserWithoutCredits => Code::UserWithoutCredits,
            Self::InvalidTransition { .. } => Code::InvalidTransition,
            Self::UserInUse { .. } => Code::InUse,
            Self::Credits(refusal) => match refusal {
                Refusal::NotActive => Code::NotAuthenticated,
                Refusal::Forbidden => Code::Forbidden,
                Refusal::WrongRole(_) | Refusal::Amount(_) => Code::ValidationFailed,
                Refusal::InsufficientCredits(_) => Code::InsufficientCredits,
                Refusal::InsufficientSaleCredits(_) => Code::InsufficientSaleCredits,
                Refusal::ReversalTooLate => Code::ReversalTooLate,
                Refusal::MovedSince => Code::MovedSince,
                Refusal::OutOfReach
                | Refusal::AlreadyReversed
                | Refusal::IsReversal
                | Refusal::AlreadyRequested
                | Refusal::AlreadyDecided => Code::Conflict,
            },
            Self::Malformed(_) => Code::Malformed,
            Self::Invalid(_) => Code::ValidationFailed,
            Self::Outdated(_) | Self::OutdatedUser { .. } => Code::VersionConflict,
            Self::InUse(..) => Code::InUse,
            Self::Conflicting { .. } | Self::KeyInUse { .. } => Code::Conflict,
            Self::IdempotencyMismatch => Code::IdempotencyMismatch,
            Self::WrongTitleType(_) => Code::WrongTitleType,
            Self::Upstream(..) => Code::UpstreamFailed,
            Self::Hashing(HashFault::Busy) | Self::Store(StoreError::Unavailable(_)) => Code::Unavailable,
            Self::Store(StoreError::Dangling(_)) => Code::Conflict,
            Self::Hashing(HashFault::Broken(_)) | Self::Store(StoreError::Broken(_)) | Self::Panicked => {
                Code::Internal
            }
        }
    }

    /// What its text is about, where the code alone does not say: `movies`, `lookup.movie`.
    pub fn topic(&self) -> Option<String> {
        match self {
            Self::Missing { kind, .. } | Self::InUse(kind, _) | Self::Conflicting { kind, .. } => {
                Some(kind.path().to_owned())
            }
            Self::KeyInUse { .. } => Some("trash.keyInUse".to_owned()),
            Self::NoSuchUser(_) | Self::UsernameTaken(_) | Self::UserInUse { .. } => Some("users".to_owned()),
            Self::LastSuperadmin => Some("users.lastSuperadmin".to_owned()),
            Self::NoSuchLink(_) => Some("links".to_owned()),
            Self::NoSuchSession => Some("sessions".to_owned()),
            Self::NoSuchPlaylist => Some("live".to_owned()),
            Self::NoSuchMovement(_) => Some("credits".to_owned()),
            Self::NoSuch { what, .. } => Some((*what).to_owned()),
            Self::Credits(Refusal::OutOfReach) => Some("credits.outOfReach".to_owned()),
            Self::Credits(Refusal::AlreadyReversed) => Some("credits.reversed".to_owned()),
            Self::Credits(Refusal::IsReversal) => Some("credits.reversal".to_owned()),
            Self::Credits(Refusal::AlreadyRequested) => Some("credits.requested".to_owned()),
            Self::Credits(Refusal::AlreadyDecided) => Some("credits.decided".to_owned()),
            Self::Backup(BackupRefusal::Off) => Some("backups.off".to_owned()),
            Self::Backup(BackupRefusal::Unfinished) => Some("backups.unfinished".to_owned()),
            Self::WebhookStopped => Some("webhooks.stopped".to_owned()),
            Self::WebhookChanged => Some("webhooks.changed".to_owned()),
            Self::Operation(refusal) => {
                let why = match refusal {
                    OperationRefusal::CountChanged(_) => return None,
                    OperationRefusal::Nothing => "nothing",
                    OperationRefusal::Ended => "ended",
                    OperationRefusal::Unfinished => "unfinished",
                    OperationRefusal::Undone => "undone",
                    OperationRefusal::TooLate => "tooLate",
                };
                Some(format!("operations.{why}"))
            }
            Self::Playlist(refusal) => {
                let why = match refusal {
                    PlaylistRefusal::OwnPlaylist => "ownPlaylist",
                    PlaylistRefusal::NoAddress => "noAddress",
                    PlaylistRefusal::AnotherRun => "running",
                    PlaylistRefusal::Superseded => "superseded",
                    PlaylistRefusal::Applying => "applying",
                    PlaylistRefusal::NotNew => "notNew",
                    PlaylistRefusal::DuplicateStream => "duplicateStream",
                    PlaylistRefusal::Full => "full",
                };
                Some(format!("playlist-sources.{why}"))
            }
            Self::Guide(GuideRefusal::Unfinished) => Some("tv-guides.running".to_owned()),
            Self::Link(LinkRefusal::Off) => Some("links.off".to_owned()),
            Self::Link(LinkRefusal::Inactive) => Some("links.inactive".to_owned()),
            Self::GuideDecided { by: Some(_), .. } => Some("epg-matches.decided".to_owned()),
            Self::GuideDecided { by: None, .. } => Some("epg-matches.linked".to_owned()),
            Self::OutOfScope(_) => Some("key".to_owned()),
            Self::NoTitle(lookup) => Some(lookup.topic()),
            Self::WrongTitleType(to) => Some(Lookup::Title(*to).topic()),
            Self::Upstream(lookup, fault) => Some(match fault {
                FilmFault::Status { .. } => lookup.topic(),
                FilmFault::TimedOut => format!("{}.timeout", lookup.topic()),
                FilmFault::Unreachable => format!("{}.unreachable", lookup.topic()),
                FilmFault::Unreadable => format!("{}.unreadable", lookup.topic()),
            }),
            _ => None,
        }
    }

    /// What its text needs.
    pub fn arguments(&self) -> Map<String, Value> {
        let pairs = match self {
            Self::Throttled(seconds) => json!({ "seconds": seconds }),
            Self::MayNotPlay(status) => json!({ "reason": status.code() }),
            Self::Operation(OperationRefusal::CountChanged(count)) => json!({ "count": count }),
            Self::GuideDecided { by, verdict, at } => json!({
                "by": by, "verdict": verdict.code(), "date": at.to_rfc3339_opts(SecondsFormat::Millis, true),
            }),
            Self::Denied(Denied(permission)) => json!({ "permission": permission.to_string() }),
            Self::OutOfScope(OutOfScope(scope)) => json!({ "scope": scope.code() }),
            Self::Missing { id, .. } | Self::NoSuch { id, .. } | Self::NoSuchMovement(id) => {
                json!({ "id": id })
            }
            Self::NoSuchLink(id) => json!({ "id": id }),
            Self::NoSuchUser(username) | Self::UsernameTaken(username) => json!({ "username": username }),
            Self::UserInUse { movements, registered } => {
                let counts = [("credits", *movements), ("users", *registered)];
                counts.into_iter().filter(|(_, n)| *n > 0).map(|(of, n)| (of.to_owned(), json!(n))).collect()
            }
            Self::Credits(
                Refusal::InsufficientCredits(balance) | Refusal::InsufficientSaleCredits(balance),
            ) => {
                json!({ "balance": balance })
            }
            Self::Conflicting { id, title, .. } | Self::KeyInUse { id, title, .. } => {
                json!({ "id": id, "title": title })
            }
            Self::InvalidTransition { from, to } => json!({ "from": from, "to": to }),
            Self::InUse(_, counts) => {
                counts.iter().map(|(path, count)| ((*path).to_owned(), json!(count))).collect()
            }
            Self::Upstream(_, FilmFault::Status { status, .. }) => json!({ "status": status }),
            _ => Value::Null,
        };
        if let Value::Object(map) = pairs { map } else { Map::new() }
    }

    /// Seconds after which trying again makes sense, where that is known.
    pub fn retry_after(&self) -> Option<u32> {
        match self {
            Self::Throttled(seconds) => Some(*seconds),
            Self::Upstream(_, FilmFault::Status { retry_after, .. }) => *retry_after,
            Self::Hashing(HashFault::Busy) | Self::Store(StoreError::Unavailable(_)) => Some(1),
            _ => None,
        }
    }
}

impl From<Refusal> for Error {
    /// A violation at a field.
    fn from(refusal: Refusal) -> Self {
        let violation = match refusal {
            Refusal::WrongRole(role) => {
                Violation::new("targetUsername", Code::WrongRole).with("expected", role.code())
            }
            Refusal::Amount(max) => Violation::new("amount", Code::TooLarge).with("max", max),
            other => return Self::Credits(other),
        };
        Self::Invalid(Violations(vec![violation]))
    }
}

impl From<AuthError> for Error {
    fn from(barred: AuthError) -> Self {
        match barred {
            AuthError::User(denied) => denied.into(),
            AuthError::Key(out_of_scope) => out_of_scope.into(),
        }
    }
}
