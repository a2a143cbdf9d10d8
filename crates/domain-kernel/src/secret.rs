//! Secrets that are shown once and stored as a hash: a prefix and random characters.

/// Number of random characters: 32 bytes in base64.
const LENGTH: usize = 43;

/// Prefix of secrets of one purpose, so that a leaked one can be identified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretFormat(pub &'static str);

impl SecretFormat {
    /// Text of a secret made of random characters, and its hint.
    pub fn text_of(self, random: &str) -> (String, String) {
        let text = format!("{}{random}", self.0);
        let hint = text.chars().take(self.0.len() + 5).collect();
        (text, hint)
    }

    /// Whether a text has the format of a secret; others are not looked up.
    pub fn reads(self, text: &str) -> bool {
        text.strip_prefix(self.0).is_some_and(|rest| {
            rest.len() == LENGTH
                && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_the_form_of_a_secret_is_looked_up() {
        let format = SecretFormat("ck_");
        let (text, hint) = format.text_of(&"aB3-_".repeat(9)[..43]);
        assert!(format.reads(&text));
        assert!(!SecretFormat("pl_").reads(&text), "a secret of another purpose");
        assert_eq!(hint, "ck_aB3-_");
        for bad in ["", "ck_", &text[1..], &format!("{text}x"), &text.replace('B', "ñ"), "Bearer x"] {
            assert!(!format.reads(bad), "{bad}");
        }
    }
}
