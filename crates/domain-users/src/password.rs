//! Changing one's own password (panel.md section 5).

use domain_kernel::{Code, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::person::password_fault;

/// The old password and the new one.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct PasswordChange {
    /// The password as it is.
    #[garde(length(chars, min = 1))]
    #[schemars(extend("x-verbatim" = true, "writeOnly" = true))]
    pub current_password: String,
    /// At least 8 characters with an upper-case letter, a lower-case letter and a digit; at most 128; another one than
    /// the current.
    #[garde(custom(fit), custom(another_than(&self.current_password)))]
    #[schemars(length(min = 8, max = 128), extend("x-verbatim" = true, "writeOnly" = true))]
    pub new_password: String,
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
    use domain_kernel::{DraftReader, Violations};
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
}
