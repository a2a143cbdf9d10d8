//! Errors of the use cases: codes and arguments only. Texts are created by the API.

use chrono::{DateTime, SecondsFormat, Utc};
use domain_catalogue::{Kind, TitleUse};
use domain_credits::Refusal;
use domain_issues::ReportStatus;
use domain_kernel::{AuthError, Code, Denied, Enumeration, Id, OutOfScope, Violation, Violations};
use domain_live::matching::LinkVerdict;
use domain_users::{CallingCode, Refusal as SignInRefusal, SubscriptionStatus, User};
use ports::{FilmFault, HashFault, StoreError, Usage};
use serde_json::{Map, Value, json};

/// A request to the film database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// One title, for this use.
    Title(TitleUse),
    /// A search.
    Search,
}

impl Lookup {
    /// Key prefix of its texts.
    pub fn topic(self) -> String {
        match self {
            Self::Title(to) => format!("lookup.{}", to.code()),
            Self::Search => "lookup.search".to_owned(),
        }
    }
}

/// Reason why a backup was not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BackupRefusal {
    #[error("no folder for backups is set")]
    Off,
    #[error("another backup is unfinished")]
    Unfinished,
}

/// Reason why a bulk operation was not started, undone or cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OperationRefusal {
    /// The number of matching items differs from the confirmed one.
    #[error("{0} items match")]
    CountChanged(i64),
    /// No item is named or changed.
    #[error("there is nothing to do")]
    Nothing,
    #[error("the operation has ended")]
    Ended,
    #[error("the operation has not ended")]
    Unfinished,
    /// It was undone, or is being undone.
    #[error("the operation was undone")]
    Undone,
    #[error("the operation ended too long ago")]
    TooLate,
}

/// Reason why a playlist was not read or applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlaylistRefusal {
    /// The address of the source is that of a live profile of this service.
    #[error("the source has the address of a live profile")]
    OwnPlaylist,
    /// The source has no URL: its list is uploaded.
    #[error("the source has no address")]
    NoAddress,
    #[error("another run is unfinished")]
    AnotherRun,
    /// A later run has finished, or this one has not.
    #[error("another run has the current changes")]
    Superseded,
    #[error("entries are being applied")]
    Applying,
    /// The entry is not new, or is a radio station: it can't become a stream of a channel.
    #[error("the entry is not a new channel")]
    NotNew,
    /// The channel has the URL of this entry from another entry.
    #[error("another entry is that stream")]
    DuplicateStream,
    #[error("the channel has as many streams as it may have")]
    Full,
}

/// Reason why a guide is not fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GuideRefusal {
    #[error("another fetch is unfinished")]
    Unfinished,
}

/// Reason why a link is not probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LinkRefusal {
    /// Probes are disabled on this server.
    #[error("links are not probed")]
    Off,
    /// Its item is inactive, or has no URL.
    #[error("the link is inactive")]
    Inactive,
}

/// Error of a use case.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request has no session.
    #[error("not signed in")]
    NotAuthenticated,
    /// The user name or the password is wrong.
    #[error("wrong user name or password")]
    InvalidCredentials,
    /// The password is right, but the account is not active.
    #[error("the account is {0:?}")]
    Refused(SignInRefusal),
    /// Too many attempts; the client may retry after this number of seconds.
    #[error("too many attempts, wait {0} s")]
    Throttled(u32),
    /// The actor lacks a permission.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The key lacks a scope.
    #[error(transparent)]
    OutOfScope(#[from] OutOfScope),
    /// The item does not exist.
    #[error("{kind:?} {id} does not exist")]
    Missing { kind: Kind, id: Id },
    /// The body is not JSON.
    #[error("malformed JSON: {0}")]
    Malformed(String),
    /// Rules are broken.
    #[error(transparent)]
    Invalid(#[from] Violations),
    /// A concurrent change was written first.
    #[error("outdated version")]
    Outdated(Box<Value>),
    /// A concurrent change of a user was written first.
    #[error("outdated version")]
    OutdatedUser {
        /// The current user.
        current: Box<User>,
        /// Time for the subscription status.
        now: DateTime<Utc>,
        /// Country of phone numbers without one.
        country: Option<CallingCode>,
    },
    /// Only admins may change a suspended user.
    #[error("the user is suspended")]
    UserSuspended,
    /// Other items refer to it.
    #[error("{0:?} in use: {1:?}")]
    InUse(Kind, Usage),
    /// Another item has the place that this one would take.
    #[error("{kind:?} {id} has its place")]
    Conflicting {
        kind: Kind,
        id: Id,
        /// Display name.
        title: String,
    },
    /// Another item has the natural key of the one to restore; the user decides.
    #[error("{kind:?} {id} has its natural key")]
    KeyInUse {
        kind: Kind,
        id: Id,
        /// Display name.
        title: String,
    },
    /// The idempotency key was used for another request.
    #[error("idempotency key used for another body")]
    IdempotencyMismatch,
    /// The actor may not do this to this target.
    #[error("the actor may not do this")]
    Forbidden,
    /// The playlist URL is unknown or revoked.
    #[error("there is no such playlist")]
    NoSuchPlaylist,
    /// The subscriber of the playlist may not play.
    #[error("the subscription is {0:?}")]
    MayNotPlay(SubscriptionStatus),
    /// The user does not exist, or the actor may not see them.
    #[error("there is no user {0}")]
    NoSuchUser(String),
    /// An entity other than content does not exist: `issue-reports`, `webhooks`, …
    #[error("{what} {id} does not exist")]
    NoSuch {
        /// Its kind as in the path, which is the topic of its text.
        what: &'static str,
        id: Id,
    },
    /// The event has no link with this id.
    #[error("there is no link {0}")]
    NoSuchLink(String),
    /// The user has no such session.
    #[error("there is no such session")]
    NoSuchSession,
    /// The movement does not exist, or the actor may not see it.
    #[error("there is no movement {0}")]
    NoSuchMovement(Id),
    /// The user name is in use, in any case.
    #[error("the user name {0} exists")]
    UsernameTaken(String),
    /// An app user without credits can't be activated.
    #[error("an app user without credits can't be activated")]
    UserWithoutCredits,
    /// The last active superadmin can't be removed or demoted.
    #[error("the last active superadmin can't be removed")]
    LastSuperadmin,
    /// The user can't be deleted: movements or registered users refer to them.
    #[error("{movements} movements and {registered} users refer to the user")]
    UserInUse {
        /// Movements of the user, or by the user.
        movements: u64,
        /// Number of users registered by them.
        registered: u64,
    },
    /// The ledger rejected the operation; no credits moved.
    #[error(transparent)]
    Credits(Refusal),
    /// The report can't change from one status to the other.
    #[error("a report can't go from {from:?} to {to:?}")]
    InvalidTransition {
        /// Current status.
        from: ReportStatus,
        /// Requested status.
        to: ReportStatus,
    },
    /// The film database has no such title.
    #[error("the film database has no such title")]
    NoTitle(Lookup),
    /// The title is of another type.
    #[error("the title is of another type")]
    WrongTitleType(TitleUse),
    /// The film database failed.
    #[error("the film database failed: {1}")]
    Upstream(Lookup, FilmFault),
    /// A backup was not started.
    #[error(transparent)]
    Backup(BackupRefusal),
    /// The webhook is inactive or paused, so nothing is sent.
    #[error("the webhook is inactive or paused")]
    WebhookStopped,
    /// The webhook created by the same request has changed since.
    #[error("the webhook was created by the same request and has changed since")]
    WebhookChanged,
    /// A bulk operation was not started, undone or cancelled.
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
    /// A concurrent decision about the guide of the channel was stored first.
    #[error("the guide of the channel has been decided")]
    GuideDecided {
        /// The user; `None` for an automatic link.
        by: Option<String>,
        /// The decision.
        verdict: LinkVerdict,
        at: DateTime<Utc>,
    },
    /// Passwords can't be hashed now.
    #[error(transparent)]
    Hashing(#[from] HashFault),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A job panicked; the panic was logged.
    #[error("panicked")]
    Panicked,
}

impl Error {
    /// The stable code of the error.
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
                Refusal::ExpirationChanged(_) => Code::ExpirationChanged,
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

    /// Topic of its text, if the code is not enough: `movies`, `lookup.movie`.
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

    /// Arguments of its text.
    pub fn arguments(&self) -> Map<String, Value> {
        let pairs = match self {
            Self::Throttled(seconds) => json!({ "seconds": seconds }),
            Self::MayNotPlay(status) => json!({ "reason": status.code() }),
            Self::Operation(OperationRefusal::CountChanged(count)) => json!({ "count": count }),
            Self::Credits(Refusal::ExpirationChanged(expiration)) => {
                json!({ "expirationDate": expiration.map(domain_kernel::timestamp::text) })
            }
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

    /// Seconds until a retry is useful, if known.
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
