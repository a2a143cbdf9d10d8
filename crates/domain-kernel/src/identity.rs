//! What things and users are known by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number by which content, reports and movements are known. Positive, made by the database.
pub type Id = i64;

/// How often an entity has been written; what `ETag` and `If-Match` carry. Starts at 1.
pub type Version = i64;

/// A user's public id: 3 to 50 ASCII letters, digits and underscores. Keeps the spelling
/// it was registered with; two that differ in case only are the same user.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Username(String);

impl Username {
    /// Reads a user name; `None` where it could not be one. Look-alikes of ASCII letters are not letters here.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = (3..=50).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        fits.then(|| Self(text.to_owned()))
    }

    /// As it was registered.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What two spellings of the same name have in common.
    pub fn key(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl PartialEq for Username {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for Username {}

impl std::fmt::Display for Username {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_username_is_three_to_fifty_ascii_word_characters() {
        for good in ["abc", "root_admin", "A1_", &"x".repeat(50)] {
            assert!(Username::parse(good).is_some(), "{good}");
        }
        for bad in ["", "ab", "with space", "ñandu", "аdmin", "a\0bc", "a-b", "abc\n", &"x".repeat(51)] {
            assert!(Username::parse(bad).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn spelling_in_another_case_is_the_same_user() {
        assert_eq!(Username::parse("Ana_1"), Username::parse("aNA_1"));
        assert_eq!(Username::parse("Ana_1").unwrap().key(), "ana_1");
    }
}
