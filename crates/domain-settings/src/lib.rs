//! Configuration of the streaming app (docs/spec/settings.md): settings, background images and alert
//! messages, with their defaults and limits; the messages that remind customers of the expiration of their
//! subscription; and saved views of the lists of the panel.
//!
//! Storage and permissions do not belong here.

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
