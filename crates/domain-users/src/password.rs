//! Change of one's own password (docs/spec/access.md#change-of-the-own-password), and reset of another
//! user's.

use domain_kernel::{Code, RoleCode, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::user::{check_password, password_fault};

/// Current and new password.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct PasswordChange {
    /// Current password.
    #[garde(length(chars, min = 1))]
    #[schemars(extend("x-verbatim" = true, "writeOnly" = true))]
    pub current_password: String,
    /// New password: at least 8 characters with an upper-case letter, a lower-case letter and a digit; at
    /// most 128; different from the current one.
    #[garde(custom(fit), custom(another_than(&self.current_password)))]
    #[schemars(length(min = 8, max = 128), extend("x-verbatim" = true, "writeOnly" = true))]
    pub new_password: String,
}

/// Whether a password is kept over a change of role (docs/spec/access.md#passwords). The password of an app
/// user may be short and known to an agent, so it is not valid for another role.
pub const fn keeps_password(before: RoleCode, after: RoleCode) -> bool {
    !matches!(before, RoleCode::App) || matches!(after, RoleCode::App)
}

/// A new password for another user. The rules are those of that user's role.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(RoleCode))]
pub struct PasswordReset {
    /// At least 4 characters for app users; for staff at least 8 with an upper-case letter, a lower-case
    /// letter and a digit. At most 128. Generated if omitted.
    #[garde(inner(custom(check_password)))]
    #[schemars(length(min = 4, max = 128), extend("x-verbatim" = true, "writeOnly" = true))]
    pub password: Option<String>,
}

/// A password that satisfies the rules of a role, from random bytes: eight digits for app users, who type it
/// with a remote control; for staff four groups of an upper-case letter, two lower-case letters and a digit
/// (66 bits), without ambiguous characters.
pub fn generate_password(role: RoleCode, random: [u8; 32]) -> String {
    const DIGITS: &str = "0123456789";
    const LOWER: &str = "abcdefghjkmnpqrstuvwxyz";
    const GROUP: [&str; 4] = ["ABCDEFGHJKLMNPQRSTUVWXYZ", LOWER, LOWER, "23456789"];
    // Two bytes for each character: the modulo bias is less than one in a thousand.
    let drawn = |place: usize, set: &'static str| {
        let number = u16::from_be_bytes([random[2 * place], random[2 * place + 1]]);
        set.as_bytes().get(usize::from(number) % set.len()).copied().map_or('0', char::from)
    };
    if role == RoleCode::App {
        return (0..8).map(|place| drawn(place, DIGITS)).collect();
    }
    let group = |start: usize| -> String { (0..4).map(|place| drawn(start + place, GROUP[place])).collect() };
    [0, 4, 8, 12].map(group).join("-")
}

/// Maximum cost of an imported hash: our own cost (OWASP: 19 MiB, 2 passes, 1 lane). A larger one would make
/// every sign-in of the user slow.
const LARGEST_COSTS: [(&str, u32); 3] = [("m", 19_456), ("t", 2), ("p", 1)];

/// Whether an imported password hash is argon2id (PHC string) within our own costs.
pub fn is_acceptable_hash(phc: &str) -> bool {
    let parts: Vec<&str> = phc.split('$').collect();
    let ["", "argon2id", "v=19", costs, salt, hash] = parts.as_slice() else { return false };
    let costs: Vec<(&str, Option<u32>)> = costs
        .split(',')
        .filter_map(|cost| cost.split_once('='))
        .map(|(name, value)| (name, value.parse().ok()))
        .collect();
    let within = costs.len() == LARGEST_COSTS.len()
        && costs.iter().zip(LARGEST_COSTS).all(|((name, value), (expected, largest))| {
            *name == expected && value.is_some_and(|value| (1..=largest).contains(&value))
        });
    let is_base64 = |text: &str, length: std::ops::RangeInclusive<usize>| {
        length.contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
    };
    within && is_base64(salt, 11..=64) && is_base64(hash, 22..=86)
}

fn fit<T>(password: &str, _: &T) -> garde::Result {
    match password_fault(password, domain_kernel::RoleCode::Agent) {
        None => Ok(()),
        Some(_) if password.is_empty() => Err(fault(Code::Required, &[])),
        Some((Code::TooLong, max)) => Err(fault(Code::TooLong, &[("max", &max)])),
        Some(_) => Err(fault(Code::WeakPassword, &[("min", &8)])),
    }
}

fn another_than<T>(current: &str) -> impl FnOnce(&String, &T) -> garde::Result {
    move |password, _| {
        let same = !password.is_empty() && password == current;
        if same { Err(fault(Code::SamePassword, &[])) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use domain_kernel::{DraftReader, Enumeration, Violations};
    use serde_json::json;

    use super::*;

    #[test]
    fn the_new_password_keeps_the_rules_and_differs() {
        let codes = |current: &str, new: &str| match DraftReader::<PasswordChange>::new()
            .read(json!({"currentPassword": current, "newPassword": new}), &())
        {
            Ok(_) => Vec::new(),
            Err(Violations(all)) => all.into_iter().map(|one| (one.field, one.code)).collect(),
        };
        let new = |code| vec![("newPassword".to_owned(), code)];
        assert_eq!(codes("Anterior 1", "Siguiente 2"), []);
        assert_eq!(codes("Anterior 1", "Anterior 1"), new(Code::SamePassword));
        for weak in ["Corta 1", "sin mayuscula 1", "SIN MINUSCULA 1", "Sin cifra"] {
            assert_eq!(codes("Anterior 1", weak), new(Code::WeakPassword), "{weak}");
        }
        assert_eq!(codes("Anterior 1", &format!("Aa1{}", "x".repeat(126))), new(Code::TooLong));
        assert_eq!(codes("Anterior 1", ""), new(Code::Required));
        assert_eq!(codes("", "Siguiente 2"), [("currentPassword".to_owned(), Code::Required)]);
    }

    #[test]
    fn a_password_for_another_user_keeps_the_rules_of_their_role() {
        let broken = |role: RoleCode, json: serde_json::Value| match DraftReader::<PasswordReset>::new()
            .read(json, &role)
        {
            Ok(_) => Vec::new(),
            Err(Violations(all)) => all.into_iter().map(|one| (one.field, one.code)).collect(),
        };
        let password = |code| vec![("password".to_owned(), code)];
        for role in RoleCode::ALL {
            assert_eq!(broken(*role, json!({})), []);
            assert_eq!(broken(*role, json!({"password": null})), []);
            assert_eq!(broken(*role, json!({"password": "Abcdefg1"})), []);
            assert_eq!(broken(*role, json!({"password": ""})), password(Code::Required));
            assert_eq!(
                broken(*role, json!({"password": format!("Aa1{}", "x".repeat(126))})),
                password(Code::TooLong)
            );
            assert_eq!(broken(*role, json!({"password": 1234})), password(Code::WrongType));
        }
        assert_eq!(broken(RoleCode::App, json!({"password": "1234"})), []);
        assert_eq!(broken(RoleCode::Agent, json!({"password": "1234"})), password(Code::TooShort));
        assert_eq!(broken(RoleCode::Admin, json!({"password": "abcdefgh"})), password(Code::WeakPassword));
    }

    #[test]
    fn generated_passwords_keep_the_rules_and_have_nothing_that_looks_alike() {
        // Bytes that are all equal, and bytes that are all different.
        let mut all: Vec<[u8; 32]> = (0..=255).map(|byte| [byte; 32]).collect();
        let mut different = [0; 32];
        different.iter_mut().zip((0_u8..).step_by(7)).for_each(|(byte, value)| *byte = value);
        all.extend((0..=255_u8).map(|start| different.map(|byte| byte.wrapping_add(start))));
        for random in all {
            for role in RoleCode::ALL {
                let password = generate_password(*role, random);
                assert_eq!(password_fault(&password, *role), None, "{role:?} {password}");
                if *role == RoleCode::App {
                    assert!(
                        password.len() == 8 && password.bytes().all(|byte| byte.is_ascii_digit()),
                        "{password}"
                    );
                } else {
                    assert!(
                        password.len() == 19 && !password.contains(['0', 'O', 'o', '1', 'l', 'I', 'i']),
                        "{password}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_character_of_a_generated_password_is_drawn_by_itself() {
        let base = [7_u8; 32];
        for (role, bytes) in [(RoleCode::App, 16), (RoleCode::Agent, 32)] {
            // The second byte of each character is its remainder.
            for place in (1..bytes).step_by(2) {
                let mut other = base;
                other[place] += 1;
                assert_ne!(generate_password(role, base), generate_password(role, other), "{role:?} {place}");
            }
        }
    }

    #[test]
    fn a_hash_from_elsewhere_costs_no_more_than_our_own() {
        let salt = "c29tZXNhbHRzb21lc2FsdA";
        let hash = "A".repeat(43);
        let of = |start: &str| is_acceptable_hash(&format!("{start}${salt}${hash}"));
        assert!(of("$argon2id$v=19$m=19456,t=2,p=1"));
        assert!(of("$argon2id$v=19$m=64,t=1,p=1"));
        for other in [
            "$argon2id$v=19$m=19457,t=2,p=1",
            "$argon2id$v=19$m=4194304,t=2,p=1",
            "$argon2id$v=19$m=19456,t=3,p=1",
            "$argon2id$v=19$m=19456,t=2,p=2",
            "$argon2id$v=19$m=19456,t=2",
            "$argon2id$v=19$m=19456,t=2,p=1,keyid=x",
            "$argon2id$v=19$m=-1,t=2,p=1",
            "$argon2id$v=16$m=19456,t=2,p=1",
            "$argon2i$v=19$m=19456,t=2,p=1",
            "$2b$12",
        ] {
            assert!(!of(other), "{other}");
        }
        assert!(!is_acceptable_hash(""));
        assert!(!is_acceptable_hash("$argon2id$v=19$m=19456,t=2,p=1$short$x"));
    }
}
