//! Forms of users with their violations.

use domain_kernel::{DraftReader, Violations};
use serde_json::{Value, json};

use super::*;

fn form() -> Value {
    json!({
        "username": "ana_1", "fullName": "Ana Núñez", "email": "ana@example.com", "phoneNumber": "+34 (91) 123-45",
        "password": "1234", "roleCode": "app",
    })
}

fn broken(changes: Value) -> Vec<(String, &'static str)> {
    let mut form = form();
    for (name, value) in changes.as_object().unwrap() {
        form[name] = value.clone();
    }
    match DraftReader::<NewUser>::new().read(form, &()) {
        Ok(_) => Vec::new(),
        Err(Violations(all)) => all.into_iter().map(|one| (one.field, one.code.as_str())).collect(),
    }
}

#[test]
fn every_field_keeps_its_bounds_on_both_sides() {
    let long = |length: usize| "x".repeat(length);
    for (field, good, bad) in [
        (
            "username",
            vec!["abc".into(), long(50)],
            vec![
                ("ab".into(), "TOO_SHORT"),
                (long(51), "TOO_LONG"),
                ("ñandu".into(), "INVALID_FORMAT"),
                ("a b c".into(), "INVALID_FORMAT"),
            ],
        ),
        (
            "fullName",
            vec!["Bo".into(), "ñ".repeat(100)],
            vec![("B".into(), "TOO_SHORT"), (long(101), "TOO_LONG")],
        ),
        (
            "email",
            vec!["a@b.co".into(), "a.b+c@sub.example.org".into()],
            vec![
                ("a".into(), "INVALID_FORMAT"),
                ("a@".into(), "INVALID_FORMAT"),
                ("a b@c.d".into(), "INVALID_FORMAT"),
            ],
        ),
        (
            "phoneNumber",
            vec!["12345678".into(), "+34 600 000 000".into(), "(91) 123-45-67".into()],
            vec![
                ("1234567".into(), "TOO_SHORT"),
                ("1".repeat(21), "TOO_LONG"),
                ("6oo 000 000".into(), "INVALID_FORMAT"),
                ("--------".into(), "INVALID_FORMAT"),
                ("34+600000000".into(), "INVALID_FORMAT"),
            ],
        ),
        ("address", vec![String::new(), long(255)], vec![(long(256), "TOO_LONG")]),
        ("comment", vec!["a\nb".into(), long(1000)], vec![(long(1001), "TOO_LONG")]),
        (
            "password",
            vec!["1234".into(), " ñ1 ".into(), long(128)],
            vec![("123".into(), "TOO_SHORT"), (long(129), "TOO_LONG")],
        ),
    ] {
        for text in good {
            assert_eq!(broken(json!({field: text})), [], "{field} {text}");
        }
        for (text, code) in bad {
            assert_eq!(broken(json!({field: text})), [(field.to_owned(), code)], "{field} {text}");
        }
    }
}

#[test]
fn an_unknown_role_is_reported() {
    assert!(broken(json!({"roleCode": "boss"})).contains(&("roleCode".to_owned(), "UNKNOWN_VALUE")));
}

#[test]
fn staff_need_better_passwords_than_subscribers() {
    for (role, password, fault) in [
        (RoleCode::App, "1234", None),
        (RoleCode::Agent, "Abcdef1", Some((Code::TooShort, 8))),
        (RoleCode::Agent, "abcdefg1", Some((Code::WeakPassword, 8))),
        (RoleCode::Admin, "ABCDEFG1", Some((Code::WeakPassword, 8))),
        (RoleCode::ContentManager, "Abcdefgh", Some((Code::WeakPassword, 8))),
        (RoleCode::Superadmin, "Abcdefg1", None),
    ] {
        assert_eq!(password_fault(password, role), fault, "{role:?} {password}");
    }
    assert_eq!(broken(json!({"roleCode": "agent"})), [("password".to_owned(), "TOO_SHORT")]);
}

#[test]
fn an_expiration_is_a_moment_or_a_day() {
    let meant = |text: &str| Expiration(text.into()).meant();
    assert_eq!(meant("2027-01-31"), Some(ExpirationMeant::EndOf("2027-01-31".parse().unwrap())));
    assert_eq!(
        meant("2027-01-31T10:00:00+02:00"),
        Some(ExpirationMeant::At("2027-01-31T08:00:00Z".parse().unwrap()))
    );
    for bad in ["", "soon", "2027-02-30", "2027-1-31", "31/01/2027", "2027-01-31T10:00:00"] {
        assert_eq!(meant(bad), None, "{bad}");
    }
}

#[test]
fn what_was_read_can_be_sent_back_and_a_typo_is_reported() {
    let reader = DraftReader::<UserEdit>::new();
    let read = json!({
        "username": "ana_1", "fullName": "Ana", "email": "ana@example.com", "phoneNumber": "12345678", "address": null,
        "comment": null, "role": {"code": "app", "name": "Usuario"}, "roleCode": "app", "credits": 3, "saleCredits": 0,
        "expirationDate": null, "signIns": 0, "status": "ACTIVE", "registeredBy": null, "version": 4,
        "createdDate": "2026-01-01T00:00:00Z", "updatedDate": "2026-01-01T00:00:00Z",
    });
    assert!(reader.read(read.clone(), &()).is_ok());
    let mut typo = read;
    typo["creditz"] = json!(9);
    let Violations(all) = reader.read(typo, &()).unwrap_err();
    assert_eq!((all[0].field.as_str(), all[0].code), ("creditz", Code::UnknownField));
}

#[test]
fn an_earlier_version_restores_the_form_except_for_the_end_of_the_subscription() {
    let read = json!({
        "fullName": "Ana", "email": "ana@example.com", "phoneNumber": "12345678", "roleCode": "app", "status": "ACTIVE",
    });
    let form = DraftReader::<UserEdit>::new().read(read, &()).unwrap().into_inner();
    let form = serde_json::to_value(form).unwrap();
    let mut others: Vec<&str> = form.as_object().unwrap().keys().map(String::as_str).collect();
    for field in RESTORABLE_FIELDS {
        assert!(others.contains(&field), "{field}");
        others.retain(|other| *other != field);
    }
    others.sort_unstable();
    assert_eq!(others, ["expirationDate"]);
}

#[test]
fn only_inactive_subscribers_without_credits_may_not_be_activated() {
    use UserStatus::{Active, Inactive, Suspended};
    assert!(lacks_credits_to_activate(RoleCode::App, Inactive, Active, 0));
    assert!(!lacks_credits_to_activate(RoleCode::App, Inactive, Active, 1));
    assert!(!lacks_credits_to_activate(RoleCode::App, Suspended, Active, 0));
    assert!(!lacks_credits_to_activate(RoleCode::App, Inactive, Suspended, 0));
    assert!(!lacks_credits_to_activate(RoleCode::Agent, Inactive, Active, 0));
    assert_eq!([Active, Inactive, Suspended].map(toggled), [Inactive, Active, Active]);
}
