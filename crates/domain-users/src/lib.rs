//! Staff and subscribers, the permissions of each role, and the rules of signing in.
//!
//! Rules only: no hashing and no I/O. Other domains may not be named.

mod credentials;
mod language;
mod note;
mod notice;
mod password;
mod phone;
mod rank;
mod renewal;
mod roles;
mod session;
mod subscription;
mod throttle;
mod user;

pub use credentials::{Refusal, UserCredentials, UserStatus, admits};
pub use language::UserLanguage;
pub use note::{LastContact, NOTE_DELETABLE, NewNote, NewSnooze, NoteKind, Snooze, UserNote};
pub use notice::{NoticeCount, NoticeKind, SeenNotice, SeenNotices, ShownNotice};
pub use password::{PasswordChange, PasswordReset, generate_password, is_acceptable_hash, keeps_password};
pub use phone::{CallingCode, InternationalNumber, international_number, phone_digits};
pub use rank::{Scope, assignable, manages, may_manage, may_reset_password, rank};
pub use renewal::{Renewal, RenewalWindow};
pub use roles::permissions_of;
pub use session::{LAST_USE_PRECISION, SESSION_IDLE, SESSION_MAX, session_end};
pub use subscription::{ExpiryFilter, Subscription, SubscriptionState, SubscriptionStatus};
pub use throttle::{ThrottlePolicy, Throttles, network_of};
pub use user::{
    Expiration, ExpirationMeant, LONGEST_PASSWORD, NewUser, RESTORABLE_FIELDS, User, UserEdit,
    lacks_credits_to_activate, password_fault, search_text, toggled,
};
