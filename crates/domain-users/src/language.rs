//! The language in which a user is written to (docs/spec/renewals.md#messages).

use domain_kernel::enumeration;

enumeration! {
    /// Language in which a user is written to.
    pub enum UserLanguage {
        Spanish = "es" ("Español", "Spanish"),
        English = "en" ("Inglés", "English"),
    }
}
