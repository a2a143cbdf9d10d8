//! What staff set for the streaming app (docs/spec/settings.md): its settings, background
//! images and alert messages, with their defaults and bounds; the messages that remind customers of the end of their
//! subscription; and saved views of the lists of the panel.
//!
//! How they are kept and who may change them does not belong here.

mod alert_message;
mod app_settings;
mod background_image;
mod backup;
mod entry;
mod renewal_message;
mod saved_view;

pub use alert_message::AlertMessage;
pub use app_settings::{AllowedPeriods, AppSettings, StoredAppSettings};
pub use background_image::{BackgroundClassification, BackgroundImage, BackgroundType};
pub use backup::{Backup, BackupOrigin, BackupSchedule, BackupState};
pub use entry::{Entry, SETTINGS, StoredEntry};
pub use renewal_message::{RenewalMessage, VARIABLES};
pub use saved_view::{MOST_SAVED_VIEWS, SavedView, StoredSavedView};
