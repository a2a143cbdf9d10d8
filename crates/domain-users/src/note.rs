//! Notes of staff on a user, contacts with a customer, and the date until which renewals omit the customer
//! (docs/spec/users.md#notes, docs/spec/renewals.md#snooze).

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain_kernel::{Code, Id, Today, Username, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time in which the author of a note can delete it.
pub const NOTE_DELETABLE: TimeDelta = TimeDelta::minutes(60);
/// Maximum age of a contact and maximum length of a snooze, in days.
const LONGEST: i64 = 366;

enumeration! {
    /// Type of a note.
    pub enum NoteKind {
        /// Any text.
        Note = "NOTE" ("Nota", "Note"),
        /// The customer was contacted.
        Contact = "CONTACT" ("Contactado", "Contacted"),
    }
}

/// A note to add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct NewNote {
    /// Type of the note.
    #[garde(skip)]
    pub kind: NoteKind,
    /// Text of the note. Optional for a contact.
    #[garde(custom(text_of(self.kind)), inner(length(chars, max = 1000)))]
    #[schemars(length(max = 1000), extend("x-severalLines" = true))]
    #[serde(default)]
    pub text: Option<String>,
    /// Day of the contact; today if omitted. Null for notes of the other type.
    #[garde(custom(contact_day))]
    #[serde(default)]
    pub contacted_on: Option<NaiveDate>,
    /// Day until which the customer is snoozed along with the note.
    #[garde(custom(snooze_day))]
    #[serde(default)]
    pub snoozed_until: Option<NaiveDate>,
}

/// Snooze of a customer in the renewals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct NewSnooze {
    /// First day on which the customer is listed again.
    #[garde(custom(required_snooze_day))]
    pub until: NaiveDate,
}

/// A stored note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserNote {
    pub id: Id,
    pub kind: NoteKind,
    pub text: Option<String>,
    /// Day of the contact with the customer.
    pub contacted_on: Option<NaiveDate>,
    pub author: Username,
    pub created_date: DateTime<Utc>,
}

impl UserNote {
    /// Whether this user can still delete it.
    pub fn may_be_deleted_by(&self, username: &Username, now: DateTime<Utc>) -> bool {
        self.author == *username && now - self.created_date <= NOTE_DELETABLE
    }
}

/// The last contact with a customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastContact {
    /// Day of the contact.
    pub contacted_on: NaiveDate,
    /// Author of the note.
    pub author: Username,
    /// Text of the note.
    pub text: Option<String>,
}

/// A snooze of a customer in the renewals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snooze {
    /// End of the snooze.
    pub until: DateTime<Utc>,
    pub author: Username,
    pub created_date: DateTime<Utc>,
}

fn text_of(kind: NoteKind) -> impl FnOnce(&Option<String>, &Today) -> garde::Result {
    move |text, _| match (kind, text) {
        (NoteKind::Note, None) => Err(fault(Code::Required, &[])),
        _ => Ok(()),
    }
}

fn contact_day(day: &Option<NaiveDate>, Today(today): &Today) -> garde::Result {
    let Some(day) = day else { return Ok(()) };
    if day > today {
        return Err(fault(Code::TooLarge, &[("max", &today)]));
    }
    let oldest = *today - TimeDelta::days(LONGEST);
    if *day < oldest { Err(fault(Code::TooSmall, &[("min", &oldest)])) } else { Ok(()) }
}

fn snooze_day(day: &Option<NaiveDate>, today: &Today) -> garde::Result {
    day.as_ref().map_or(Ok(()), |day| required_snooze_day(day, today))
}

fn required_snooze_day(day: &NaiveDate, Today(today): &Today) -> garde::Result {
    if day <= today {
        return Err(fault(Code::PastDate, &[]));
    }
    let latest = *today + TimeDelta::days(LONGEST);
    if *day > latest { Err(fault(Code::TooLarge, &[("max", &latest)])) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use domain_kernel::{DraftReader, Violations};
    use serde_json::{Value, json};

    use super::*;

    fn today() -> Today {
        Today("2026-11-20".parse().unwrap())
    }

    #[test]
    fn the_text_of_a_note_is_bounded() {
        let reader = DraftReader::<NewNote>::new();
        let long = "a".repeat(1001);
        for (note, expected) in [
            (json!({"kind": "NOTE", "text": "Paga en efectivo"}), None),
            (json!({"kind": "NOTE"}), Some(("text", "REQUIRED"))),
            (json!({"kind": "NOTE", "text": "  "}), Some(("text", "REQUIRED"))),
            (json!({"kind": "NOTE", "text": long}), Some(("text", "TOO_LONG"))),
            (json!({"kind": "CALL"}), Some(("kind", "UNKNOWN_VALUE"))),
            (json!({"kind": "CONTACT"}), None),
            (json!({"kind": "CONTACT", "contactedOn": "2026-11-20", "snoozedUntil": "2026-11-21"}), None),
            (json!({"kind": "CONTACT", "contactedOn": "2026-11-21"}), Some(("contactedOn", "TOO_LARGE"))),
            (json!({"kind": "CONTACT", "contactedOn": "2025-11-18"}), Some(("contactedOn", "TOO_SMALL"))),
            (json!({"kind": "CONTACT", "snoozedUntil": "2026-11-20"}), Some(("snoozedUntil", "PAST_DATE"))),
            (json!({"kind": "CONTACT", "snoozedUntil": "2027-11-22"}), Some(("snoozedUntil", "TOO_LARGE"))),
        ] {
            let found = match reader.read(note.clone(), &today()) {
                Ok(_) => None,
                Err(Violations(found)) => Some((found[0].field.clone(), found[0].code.as_str())),
            };
            assert_eq!(found, expected.map(|(field, code)| (field.to_owned(), code)), "{note}");
        }
        let snooze = DraftReader::<NewSnooze>::new();
        let fits = |until: Value| snooze.read(json!({"until": until}), &today()).is_ok();
        assert!(fits(json!("2026-11-21")) && fits(json!("2027-11-21")));
        assert!(!fits(json!("2026-11-20")) && !fits(json!("2027-11-22")) && !fits(json!(null)));
    }

    #[test]
    fn the_author_may_delete_a_note_for_an_hour() {
        let name = |text| Username::parse(text).unwrap();
        let created_date = "2026-11-20T10:00:00Z".parse().unwrap();
        let (kind, author) = (NoteKind::Note, name("ana_1"));
        let note = UserNote { id: 1, kind, text: None, contacted_on: None, author, created_date };
        let at = |minutes| created_date + TimeDelta::minutes(minutes);
        assert!(note.may_be_deleted_by(&name("ANA_1"), at(60)));
        assert!(!note.may_be_deleted_by(&name("ana_1"), at(61)));
        assert!(!note.may_be_deleted_by(&name("eva_1"), at(1)));
    }
}
