//! Rules of the form and of the list.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use super::{agents_with_customers, patch};
use crate::{
    app::TestApp,
    client::{Client, RequestBuilder, new_user},
};

/// The form with another value of a field, or without the field.
fn with(field: &str, value: &Value) -> Value {
    let mut form = new_user("nuevo_1", "app");
    if *value == json!("left out") {
        form.as_object_mut().unwrap().remove(field);
    } else {
        form[field] = value.clone();
    }
    form
}

#[actix_web::test]
async fn every_rule_of_the_form_is_checked_and_reported() {
    let app = TestApp::new().await;
    let admin = app.sign_in_as(RoleCode::Admin).await;
    admin.register("viejo_1", "app").await;
    let long = |length: usize| json!("x".repeat(length));
    for (field, value, code, spanish) in [
        ("username", json!("ab"), "TOO_SHORT", ""),
        ("username", long(51), "TOO_LONG", ""),
        ("username", json!("con espacio"), "INVALID_FORMAT", "Solo letras, números y guiones bajos"),
        ("username", json!("ñandú"), "INVALID_FORMAT", "Solo letras, números y guiones bajos"),
        ("username", json!("left out"), "REQUIRED", ""),
        ("fullName", json!("x"), "TOO_SHORT", ""),
        ("fullName", long(101), "TOO_LONG", ""),
        ("fullName", json!("left out"), "REQUIRED", ""),
        ("email", json!("nadie"), "INVALID_FORMAT", "Introduce un correo electrónico válido"),
        ("email", json!("left out"), "REQUIRED", ""),
        ("phoneNumber", json!("1234567"), "TOO_SHORT", ""),
        ("phoneNumber", json!("123456789012345678901"), "TOO_LONG", ""),
        (
            "phoneNumber",
            json!("seis cero cero"),
            "INVALID_FORMAT",
            "Solo números, espacios, guiones y paréntesis, con un + opcional al principio",
        ),
        ("phoneNumber", json!("left out"), "REQUIRED", ""),
        ("language", json!("fr"), "UNKNOWN_VALUE", ""),
        ("address", long(256), "TOO_LONG", ""),
        ("comment", long(1001), "TOO_LONG", ""),
        ("roleCode", json!("boss"), "UNKNOWN_VALUE", ""),
        ("roleCode", json!("left out"), "REQUIRED", ""),
        ("status", json!("DORMANT"), "UNKNOWN_VALUE", ""),
        ("fullName", json!(7), "WRONG_TYPE", ""),
        ("fullName", json!("a\u{0}b"), "CONTROL_CHARACTERS", ""),
        ("apodo", json!("x"), "UNKNOWN_FIELD", ""),
    ] {
        for language in ["es", "en"] {
            let send = async |requested: RequestBuilder<'_>, body: &Value| {
                requested.header("accept-language", language).json(body).send().await
            };
            let created = send(admin.post("/api/users"), &with(field, &value)).await;
            assert_eq!(created.field_codes(), [(field.to_owned(), code.to_owned())], "{field} {value}");
            let reported = created.field_messages()[0].1.clone();
            assert!(reported.chars().count() > 5 && !reported.contains(['{', '}']), "{reported}");
            if language == "es" && !spanish.is_empty() {
                assert_eq!(reported, spanish);
            }
            // The same for an edit, if it has the field.
            if field != "username" {
                let mut edit = with(field, &value);
                edit.as_object_mut().unwrap().remove("password");
                edit.as_object_mut().unwrap().remove("username");
                if edit.get("status").is_none() {
                    edit["status"] = json!("ACTIVE");
                }
                let edited = send(admin.put("/api/users/viejo_1"), &edit).await;
                assert_eq!(edited.field_codes(), [(field.to_owned(), code.to_owned())], "{field} {value}");
            }
        }
    }
    let all =
        admin.post("/api/users").json(&json!({"username": "a", "password": "1", "extra": 1})).send().await;
    let fields: Vec<String> = all.field_codes().into_iter().map(|(field, _)| field).collect();
    for field in ["username", "fullName", "email", "phoneNumber", "password", "roleCode", "extra"] {
        assert!(fields.iter().any(|one| one == field), "{field} is missing of {fields:?}");
    }
    assert_eq!(admin.get("/api/users/nuevo_1").send().await.status, 404);
}

#[actix_web::test]
async fn lists_of_users_accept_only_their_filters() {
    let app = TestApp::new().await;
    let admin = agents_with_customers(&app).await;
    patch(&admin, "ana_app", &json!({"expirationDate": "2026-11-20T09:59:59.000Z"})).await;
    patch(&admin, "eva_app", &json!({"expirationDate": "2026-11-30"})).await;
    patch(&admin, "rival_app", &json!({"expirationDate": "2026-12-01"})).await;
    let names = async |client: &Client<'_>, query: &str| {
        let json = client.get(&format!("/api/users?_sort=username&_size=100&{query}")).send().await.json();
        let rows = json["content"].as_array().unwrap_or_else(|| panic!("{query}: {json}"));
        assert_eq!(json["totalElements"], rows.len());
        rows.iter().map(|row| row["username"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&admin, "expired=true").await, ["ana_app"]);
    assert_eq!(names(&admin, "aboutToExpire=true").await, ["eva_app"]);
    assert_eq!(names(&admin, "startsWith=EVA_").await, ["eva_1", "eva_app"]);
    assert_eq!(names(&admin, "startsWith=eva&roleCode=app").await, ["eva_app"]);
    assert_eq!(names(&admin, "expired=false&roleCode=agent").await, ["agent", "ana_1", "eva_1", "rival_1"]);
    assert_eq!(names(&admin, "registeredBy=ANA_1").await, ["ana_app", "eva_1"]);
    assert_eq!(names(&admin, "beneath=ana_1").await, ["ana_app", "eva_1", "eva_app"]);
    assert_eq!(names(&admin, "beneath=ana_1&roleCode=app&search=eva").await, ["eva_app"]);
    patch(&admin, "ana_app", &json!({"phoneNumber": "611 222 333"})).await;
    for typed in ["611222333", "%2B34%20611%20222%20333", "0034611222333"] {
        assert_eq!(names(&admin, &format!("search={typed}")).await, ["ana_app"], "{typed}");
    }
    assert_eq!(names(&admin, "expirationDateTo=2026-11-20").await, ["ana_app"]);
    assert_eq!(names(&admin, "expirationDateFrom=2026-11-21&expirationDateTo=2026-11-30").await, ["eva_app"]);
    assert_eq!(names(&admin, "createdDateFrom=2026-11-21").await, Vec::<String>::new());
    assert!(names(&admin, "createdDateTo=2026-11-20").await.contains(&"rival_app".to_owned()));
    let eva = app.sign_in("eva_1").await;
    for query in ["beneath=ana_1", "registeredBy=eva_1"] {
        assert_eq!(names(&eva, query).await, ["eva_app"], "{query}");
    }
    for query in ["beneath=rival_1", "registeredBy=ana_1", "registeredBy=nobody_1"] {
        assert!(names(&eva, query).await.is_empty(), "{query}");
    }
    assert_eq!(
        (names(&eva, "expired=true").await, names(&eva, "aboutToExpire=true").await),
        (vec![], vec!["eva_app".to_owned()])
    );
    assert!(names(&eva, "startsWith=ana").await.is_empty());
    assert_eq!(names(&eva, "_sort=-expirationDate,+fullName").await, ["eva_app"]);
    for (query, field) in [
        ("expired=true&aboutToExpire=true", "aboutToExpire"),
        ("expired=si", "expired"),
        ("roleCode=boss", "roleCode"),
        ("registeredBy=no%20name", "registeredBy"),
        ("beneath=x", "beneath"),
        ("expirationDateFrom=soon", "expirationDateFrom"),
        ("_sort=password", "_sort"),
        ("passwordHash=x", "passwordHash"),
    ] {
        let answer = admin.get(&format!("/api/users?{query}")).send().await;
        assert_eq!(answer.field_codes()[0].0, field, "{query}");
    }
}
