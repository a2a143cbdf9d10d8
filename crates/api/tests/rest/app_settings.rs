//! The settings of the app and their lists over the API: responses, changes, and refusals with
//! their messages.

use domain_kernel::RoleCode;
use domain_settings::{BackgroundImage, Entry};
use serde_json::{Value, json};

use crate::app::{TestApp, on_both};

fn settings() -> Value {
    json!({
        "itemsPerPage": 25, "monthlyCreditsPrice": 9.99, "annualCreditsPrice": 99.9,
        "allowedPeriods": {"months": true, "years": true}, "maxTransactionsPerAgent": 20,
    })
}

fn image(title: &str) -> Value {
    let mut image = serde_json::to_value(BackgroundImage::sample()).unwrap();
    image["title"] = json!(title);
    image
}

on_both! {
    async fn settings_have_the_defaults_of_the_specification(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let answer = admin.get("/api/app-settings").send().await;
        assert_eq!((answer.status, answer.header("etag")), (200, Some("\"1\"")));
        let found = answer.json();
        let expected = json!({
            "itemsPerPage": 50, "monthlyCreditsPrice": 0.0, "annualCreditsPrice": 0.0,
            "allowedPeriods": {"months": true, "years": false}, "maxTransactionsPerAgent": 12, "version": 1,
            "updatedDate": found["updatedDate"],
        });
        assert_eq!(found, expected);
    }

    async fn settings_are_replaced_exactly_with_their_version(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let answer = admin.put("/api/app-settings").header("if-match", "\"1\"").json(&settings()).send().await;
        assert_eq!((answer.status, answer.header("etag")), (200, Some("\"2\"")), "{}", answer.text());
        let found = admin.get("/api/app-settings").send().await.json();
        assert_eq!((&found["monthlyCreditsPrice"], &found["annualCreditsPrice"]), (&json!(9.99), &json!(99.9)));
        assert_eq!((&found["version"], &found["updatedDate"]), (&json!(2), &json!("2026-11-20T10:00:00.000Z")));
        // A response can be sent back.
        assert_eq!(admin.put("/api/app-settings").header("if-match", "\"2\"").json(&found).send().await.status, 200);
        let late = admin.put("/api/app-settings").header("if-match", "\"1\"").json(&settings()).send().await;
        assert_eq!((late.status, late.code().as_str(), &late.json()["current"]["version"]), (412, "VERSION_CONFLICT", &json!(3)));
        // Without a version the change succeeds.
        assert_eq!(admin.put("/api/app-settings").json(&settings()).send().await.status, 200);
    }

    async fn violations_of_settings_are_reported_in_both_languages(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let mut broken = settings();
        broken["monthlyCreditsPrice"] = json!(9.999);
        broken["itemsPerPage"] = json!(0);
        for (language, price, page) in [
            ("es", "El precio admite como máximo 2 decimales", "Debe ser al menos 1"),
            ("en", "A price has at most 2 decimals", "It must be at least 1"),
        ] {
            let answer = admin.put("/api/app-settings").header("accept-language", language).json(&broken).send().await;
            let mut reported = answer.field_messages();
            reported.sort();
            let expected = [("itemsPerPage", page), ("monthlyCreditsPrice", price)];
            assert_eq!(reported, expected.map(|(field, text)| (field.to_owned(), text.to_owned())));
        }
        let mut without = settings();
        without.as_object_mut().unwrap().remove("annualCreditsPrice");
        let answer = admin.put("/api/app-settings").json(&without).send().await;
        assert_eq!(answer.field_codes(), [("annualCreditsPrice".to_owned(), "REQUIRED".to_owned())]);
        assert_eq!(admin.get("/api/app-settings").send().await.json()["version"], 1);
    }

    async fn a_background_image_is_added_read_changed_and_removed(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let mut draft = image("Dune");
        draft["classification"] = json!("PG-13");
        let answer = admin.post("/api/background-images").json(&draft).send().await;
        assert_eq!((answer.status, answer.header("etag")), (201, Some("\"1\"")), "{}", answer.text());
        let stored = answer.json();
        let one = format!("/api/background-images/{}", stored["id"]);
        assert_eq!(answer.header("location"), Some(one.as_str()));
        let expected = json!({
            "id": stored["id"], "version": 1, "type": "proximamente", "title": "Dune", "year": 2024, "genre": "Ciencia ficción",
            "duration": 166, "classification": "PG_13", "isKidsMode": false,
            "imageUrl": "https://images.example.com/dune/wide.jpg",
            "createdDate": "2026-11-20T10:00:00.000Z", "updatedDate": "2026-11-20T10:00:00.000Z",
        });
        assert_eq!(stored, expected);
        assert_eq!(admin.get(&one).send().await.json(), expected);
        let merged = admin.patch(&one).header("if-match", "\"1\"").json(&json!({"genre": null, "isKidsMode": true})).send().await;
        assert_eq!((merged.status, &merged.json()["genre"], &merged.json()["isKidsMode"]), (200, &json!(null), &json!(true)));
        let late = admin.put(&one).header("if-match", "\"1\"").json(&image("Tarde")).send().await;
        assert_eq!((late.status, &late.json()["current"]["title"]), (412, &json!("Dune")));
        let replaced = admin.put(&one).header("if-match", "\"2\"").json(&image("Dune 2")).send().await;
        assert_eq!((replaced.status, &replaced.json()["version"]), (200, &json!(3)));
        assert_eq!(admin.delete(&one).header("if-match", "\"1\"").send().await.status, 412);
        assert_eq!(admin.delete(&one).header("if-match", "\"3\"").send().await.status, 204);
        for (language, text) in [("es", "La imagen de fondo no fue encontrada"), ("en", "There is no such background image")] {
            let gone = admin.get(&one).header("accept-language", language).send().await;
            assert_eq!((gone.status, &gone.json()["message"]), (404, &json!(text)));
        }
    }

    async fn lists_are_paged_searched_ordered_and_filtered(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        for (title, kind, year) in [("Ñandú", "documental", 2020), ("Árbol", "serie", 2022), ("Zorro", "serie", 2021)] {
            let mut draft = image(title);
            draft["type"] = json!(kind);
            draft["year"] = json!(year);
            admin.create("background-images", &draft).await;
        }
        let titles = async |query: &str| {
            let page = admin.get(&format!("/api/background-images?{query}")).send().await.json();
            page["content"].as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(titles("").await, ["Ñandú", "Árbol", "Zorro"]);
        assert_eq!(titles("_sort=-year").await, ["Árbol", "Zorro", "Ñandú"]);
        assert_eq!(titles("_sort=title&_size=2").await, ["Árbol", "Ñandú"]);
        assert_eq!(titles("type=serie&_page=1&_size=1").await, ["Zorro"]);
        assert_eq!(titles("search=nandu").await, ["Ñandú"]);
        assert_eq!(titles("isKidsMode=true").await, Vec::<String>::new());
        let page = admin.get("/api/background-images?_size=2").send().await.json();
        assert_eq!((&page["totalElements"], &page["totalPages"]), (&json!(3), &json!(2)));
        let refused = admin.get("/api/background-images?colour=red&_sort=genre").send().await;
        assert_eq!(refused.field_codes().len(), 2);
    }

    async fn an_alert_message_has_1_to_150_characters(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let stored = admin.create("alert-messages", &json!({"message": format!("  {} ", "ñ".repeat(150))})).await;
        assert_eq!(stored["message"].as_str().unwrap().chars().count(), 150);
        for (language, blank, long) in [
            ("es", "Escribe el mensaje", "No puede superar los 150 caracteres"),
            ("en", "Write the message", "It can't have more than 150 characters"),
        ] {
            let send = async |message: Value| {
                let answer = admin.post("/api/alert-messages").header("accept-language", language);
                answer.json(&json!({ "message": message })).send().await.field_messages()
            };
            assert_eq!(send(json!(" \n ")).await, [("message".to_owned(), blank.to_owned())]);
            assert_eq!(send(json!("ñ".repeat(151))).await, [("message".to_owned(), long.to_owned())]);
        }
        assert_eq!(admin.count("alert-messages").await, 1);
        let one = format!("/api/alert-messages/{}", stored["id"]);
        assert_eq!(admin.patch(&one).json(&json!({"message": "Corta"})).send().await.json()["message"], "Corta");
        assert_eq!(admin.delete(&one).send().await.status, 204);
    }

    async fn a_create_with_a_key_is_idempotent(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let send = async |message: &str| {
            let requested = admin.post("/api/alert-messages").header("idempotency-key", "one");
            requested.json(&json!({ "message": message })).send().await
        };
        let (first, again) = (send("Hola").await, send("Hola").await);
        assert_eq!((first.status, again.status, again.header("idempotency-replayed")), (201, 201, Some("true")));
        assert_eq!(first.json(), again.json());
        let other = send("Adiós").await;
        assert_eq!((other.status, other.code().as_str()), (409, "IDEMPOTENCY_MISMATCH"));
        assert_eq!(admin.count("alert-messages").await, 1);
    }
}
