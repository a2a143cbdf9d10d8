//! Messages that remind customers of the expiration of their subscription (docs/spec/renewals.md#messages):
//! templates by admins, filled in by the panel for each customer.

use domain_kernel::{Code, FilterKind, Today, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Entry;

/// Variables of a text, in braces: the customer's name and user name, the day of expiration, alone and with
/// «vence el» or «venció el» (“ends on”, “ended on”) before it, and months.
pub const VARIABLES: [&str; 5] = ["name", "username", "end", "expires", "months"];

/// A message to customers, in both languages. `{name}`, `{username}`, `{end}`, `{expires}` and `{months}` are
/// replaced by the values of the customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct RenewalMessage {
    /// Name of the message for sellers.
    #[garde(length(chars, min = 1, max = 60))]
    pub name: String,
    /// Text in Spanish.
    #[garde(length(chars, min = 1, max = 1000), custom(known_variables))]
    #[schemars(extend("x-severalLines" = true))]
    pub spanish: String,
    /// Text in English.
    #[garde(length(chars, min = 1, max = 1000), custom(known_variables))]
    #[schemars(extend("x-severalLines" = true))]
    pub english: String,
}

/// Unknown variables, which would be sent to the customer unreplaced.
fn known_variables<T>(text: &str, _: &T) -> garde::Result {
    let in_braces = text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    if in_braces.into_iter().all(|name| VARIABLES.contains(&name)) {
        return Ok(());
    }
    let allowed: Vec<String> = VARIABLES.iter().map(|name| format!("{{{name}}}")).collect();
    Err(fault(Code::UnknownValue, &[("allowed", &allowed.join(", "))]))
}

impl Entry for RenewalMessage {
    const PATH: &'static str = "renewal-messages";
    const NAME: &'static str = "RenewalMessage";
    const SORTS: &'static [&'static str] = &["name"];
    const FILTERS: &'static [(&'static str, FilterKind)] = &[];

    fn search_text(&self) -> String {
        format!("{}\n{}\n{}", self.name, self.spanish, self.english)
    }

    fn sample() -> Self {
        Self {
            name: "Aviso de vencimiento".into(),
            spanish: "Hola, {name}: tu suscripción ({username}) {expires}.".into(),
            english: "Hello, {name}: your subscription ({username}) {expires}.".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use domain_kernel::{DraftReader, Violations};
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_have_known_variables_only() {
        let reader = DraftReader::<RenewalMessage>::new();
        let today = Today(NaiveDate::from_ymd_opt(2026, 11, 20).unwrap());
        for (spanish, expected) in [
            ("Hola, {name}: {username} vence el {end}, {months}.", None),
            ("Tu suscripción {expires}.", None),
            ("Sin variables, con } y { sueltas", None),
            ("Dos\nlíneas", None),
            ("Hola, {nombre}", Some("UNKNOWN_VALUE")),
            ("Hola, { name }", Some("UNKNOWN_VALUE")),
            ("{name} {}", Some("UNKNOWN_VALUE")),
            ("", Some("REQUIRED")),
        ] {
            let body = json!({"name": "Aviso", "spanish": spanish, "english": "Hello"});
            let code = match reader.read(body, &today) {
                Ok(_) => None,
                Err(Violations(found)) => Some((found[0].field.clone(), found[0].code.as_str())),
            };
            assert_eq!(code, expected.map(|code| ("spanish".to_owned(), code)), "{spanish}");
        }
    }
}
