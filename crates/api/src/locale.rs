//! Texts by code, in both languages. Placeholders such as `{min}` are replaced by arguments.

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use domain_issues::ReportStatus;
use domain_kernel::{Code, Enumeration, Kind, Locale, Violation};
use serde_json::{Map, Value};

type Texts = HashMap<String, String>;

/// Bytes of an MB in texts.
const MB: u64 = 1024 * 1024;

static SPANISH: LazyLock<Texts> = LazyLock::new(|| read(include_str!("../locales/es.json")));
static ENGLISH: LazyLock<Texts> = LazyLock::new(|| read(include_str!("../locales/en.json")));

fn read(json: &str) -> Texts {
    serde_json::from_str(json).expect("the locales are embedded and tested")
}

/// The texts of a language.
pub fn texts(locale: Locale) -> &'static Texts {
    match locale {
        Locale::Spanish => &SPANISH,
        Locale::English => &ENGLISH,
    }
}

/// The label of a field of a kind of content: that of the panel, which `scripts/generate` copies.
pub(crate) fn field_label(locale: Locale, kind: Kind, field: &str) -> &str {
    static SPANISH: LazyLock<FieldLabels> =
        LazyLock::new(|| read_fields(include_str!("../locales/fields.es.gen.json")));
    static ENGLISH: LazyLock<FieldLabels> =
        LazyLock::new(|| read_fields(include_str!("../locales/fields.en.gen.json")));
    let labels: &'static FieldLabels = match locale {
        Locale::Spanish => &SPANISH,
        Locale::English => &ENGLISH,
    };
    labels.get(kind.path()).and_then(|fields| fields.get(field)).map_or(field, String::as_str)
}

/// Labels of fields, by kind and field.
type FieldLabels = BTreeMap<String, BTreeMap<String, String>>;

fn read_fields(json: &str) -> FieldLabels {
    serde_json::from_str(json).expect("the labels are embedded and tested")
}

/// The text for a code: that of the topic (`movies.NOT_FOUND`), else the general one.
pub fn text(locale: Locale, topic: Option<&str>, code: Code, arguments: &Map<String, Value>) -> String {
    let texts = texts(locale);
    let special = topic.and_then(|topic| texts.get(&format!("{topic}.{}", code.as_str())));
    let template = special.or_else(|| texts.get(code.as_str())).map_or(code.as_str(), String::as_str);
    if matches!(code, Code::PayloadTooLarge | Code::UnpackedTooLarge) {
        return fill(template, &with_size_in_words(arguments));
    }
    fill(template, arguments)
}

/// The arguments with the limit in MB if it is a whole number of them, else in bytes. Spanish and
/// English use the same unit names.
fn with_size_in_words(arguments: &Map<String, Value>) -> Map<String, Value> {
    let mut arguments = arguments.clone();
    if let Some(bytes) = arguments.get("max").and_then(Value::as_u64) {
        let is_in_mb = bytes > 0 && bytes.is_multiple_of(MB);
        let size = if is_in_mb { format!("{} MB", bytes / MB) } else { format!("{bytes} bytes") };
        arguments.insert("max".into(), size.into());
    }
    arguments
}

/// The text for a violation: that of the field (`year.TOO_SMALL`), else the general one.
pub fn violation_text(locale: Locale, violation: &Violation) -> String {
    let field = violation.field.rsplit('.').next().unwrap_or_default();
    let field = field.split('[').next().unwrap_or_default();
    if violation.code == Code::InUse {
        let uses = Map::from_iter([("uses".to_owned(), counts_text(locale, &violation.arguments).into())]);
        return text(locale, Some(field), violation.code, &uses);
    }
    if violation.code == Code::Duplicate && violation.arguments.contains_key("title") {
        return text(locale, Some("trash.keyInUse"), Code::Conflict, &violation.arguments);
    }
    if violation.code == Code::TooMany && violation.arguments.contains_key("title") {
        return text(locale, Some("merge.links"), Code::Conflict, &violation.arguments);
    }
    if violation.code == Code::InvalidTransition {
        let mut arguments = violation.arguments.clone();
        name_statuses(locale, &mut arguments);
        return text(locale, Some(field), violation.code, &arguments);
    }
    text(locale, Some(field), violation.code, &violation.arguments)
}

/// Replaces the codes of the statuses of a transition by their names.
pub fn name_statuses(locale: Locale, arguments: &mut Map<String, Value>) {
    for state in ["from", "to"] {
        let status = arguments.get(state).and_then(Value::as_str).and_then(ReportStatus::from_code);
        if let Some(status) = status {
            arguments.insert(state.into(), status.labels().in_language(locale).into());
        }
    }
}

/// The texts of several violations in one line.
pub fn violations_text(locale: Locale, violations: &[Violation]) -> String {
    let one = |violation: &Violation| {
        let text = violation_text(locale, violation);
        if violation.field.is_empty() { text } else { format!("{}: {text}", violation.field) }
    };
    violations.iter().take(5).map(one).collect::<Vec<_>>().join(" · ")
}

/// "3 movies, 1 series": counts by kind as text.
pub fn counts_text(locale: Locale, counts: &Map<String, Value>) -> String {
    let texts = texts(locale);
    let part = |(kind, count): (&String, &Value)| {
        let form = if count == 1 { "one" } else { "other" };
        let noun = texts.get(&format!("kinds.{kind}.{form}")).cloned().unwrap_or_else(|| kind.clone());
        format!("{count} {noun}")
    };
    counts.iter().map(part).collect::<Vec<_>>().join(", ")
}

fn fill(template: &str, arguments: &Map<String, Value>) -> String {
    arguments.iter().fold(template.to_owned(), |text, (name, value)| {
        let words = match value {
            Value::String(word) => word.clone(),
            Value::Array(words) => words
                .iter()
                .map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned))
                .collect::<Vec<_>>()
                .join(", "),
            other => other.to_string(),
        };
        text.replace(&format!("{{{name}}}"), &words)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn holes(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect()
    }

    #[test]
    fn every_code_has_a_text_in_both_languages() {
        for code in Code::ALL {
            for locale in [Locale::Spanish, Locale::English] {
                assert!(texts(locale).contains_key(code.as_str()), "{} in {}", code.as_str(), locale.code());
            }
        }
    }

    #[test]
    fn both_languages_have_the_same_keys_and_holes() {
        let (es, en) = (texts(Locale::Spanish), texts(Locale::English));
        assert_eq!(es.keys().collect::<BTreeSet<_>>(), en.keys().collect::<BTreeSet<_>>());
        for (key, text) in es {
            assert_eq!(holes(text), holes(&en[key]), "{key}");
        }
    }

    #[test]
    fn no_text_is_left_over() {
        let codes: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        for key in texts(Locale::Spanish).keys() {
            let last = key.rsplit('.').next().unwrap();
            assert!(
                codes.contains(last) || ["one", "other", "welcome", "created", "updated"].contains(&last),
                "{key}"
            );
        }
    }

    #[test]
    fn the_messages_of_the_specification_are_word_for_word() {
        let say = |field: &str, code, name: &str, value: i64| {
            violation_text(Locale::Spanish, &Violation::new(field, code).with(name, value))
        };
        assert_eq!(say("year", Code::TooSmall, "min", 1900), "Año debe ser al menos 1900");
        assert_eq!(say("year", Code::TooLarge, "max", 2100), "Año no puede exceder 2100");
        assert_eq!(say("categoryId", Code::Required, "", 0), "Categoría es requerida");
    }

    #[test]
    fn a_natural_key_that_is_in_use_names_the_item_that_has_it() {
        let violation = Violation::new("", Code::Duplicate).with("id", 9).with("title", "Metrópolis");
        let expected = "Ya hay otro igual en el catálogo: «Metrópolis» (ID 9)";
        assert_eq!(violation_text(Locale::Spanish, &violation), expected);
    }

    #[test]
    fn links_that_two_episodes_have_too_many_of_together_name_the_episode() {
        let violation = Violation::new("links", Code::TooMany).with("max", 200).with("id", 9);
        let violation = violation.with("title", "Breaking Bad S1E2: Pilot");
        let expected = "El episodio «Breaking Bad S1E2: Pilot» (ID 9) tendría más de 200 enlaces";
        assert_eq!(violation_text(Locale::Spanish, &violation), expected);
    }

    #[test]
    fn sizes_are_in_mb_where_they_are_whole_ones() {
        let say = |locale, code, max: u64| {
            text(locale, None, code, &Map::from_iter([("max".to_owned(), Value::from(max))]))
        };
        assert_eq!(say(Locale::Spanish, Code::PayloadTooLarge, 16 * MB), "El contenido supera 16 MB.");
        assert_eq!(
            say(Locale::English, Code::PayloadTooLarge, 4096),
            "The content is larger than 4096 bytes."
        );
        assert_eq!(
            say(Locale::English, Code::UnpackedTooLarge, 256 * MB),
            "The file unpacks to more than 256 MB"
        );
    }
}
