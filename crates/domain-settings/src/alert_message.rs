//! Alert messages: notices that the streaming app shows its viewers (docs/spec/settings.md#alert-messages).

use domain_kernel::{FilterKind, Today};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Entry;

/// An alert message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct AlertMessage {
    /// Text for viewers: 1 to 150 characters.
    #[garde(length(chars, min = 1, max = 150))]
    #[schemars(extend("x-severalLines" = true))]
    pub message: String,
}

impl Entry for AlertMessage {
    const PATH: &'static str = "alert-messages";
    const NAME: &'static str = "AlertMessage";
    const SORTS: &'static [&'static str] = &["message"];
    const FILTERS: &'static [(&'static str, FilterKind)] = &[];

    fn search_text(&self) -> String {
        self.message.clone()
    }

    fn sample() -> Self {
        Self { message: "Esta noche, de 2 a 4, habrá cortes por mantenimiento.".into() }
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use domain_kernel::{DraftReader, Violations};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_not_blank_and_has_at_most_150_characters() {
        let reader = DraftReader::<AlertMessage>::new();
        let today = Today(NaiveDate::from_ymd_opt(2026, 11, 20).unwrap());
        let code = |message: serde_json::Value| match reader.read(json!({ "message": message }), &today) {
            Ok(_) => "ok",
            Err(Violations(found)) => found[0].code.as_str(),
        };
        for (message, expected) in [
            (json!("x"), "ok"),
            (json!("ñ".repeat(150)), "ok"),
            (json!(format!("  {}  ", "ñ".repeat(150))), "ok"),
            (json!("dos\nlíneas"), "ok"),
            (json!("ñ".repeat(151)), "TOO_LONG"),
            (json!(""), "REQUIRED"),
            (json!(" \n\t "), "REQUIRED"),
            (json!(null), "REQUIRED"),
            (json!(7), "WRONG_TYPE"),
            (json!("a\u{202e}b"), "CONTROL_CHARACTERS"),
        ] {
            assert_eq!(code(message.clone()), expected, "{message}");
        }
    }
}
