//! Notes on users over the API: contacts, snoozed customers, visibility and deletion.

use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::{Answer, Client},
    users::agents_with_customers,
};

async fn add(client: &Client<'_>, username: &str, note: &Value) -> Answer {
    client.post(&format!("/api/users/{username}/notes")).json(note).send().await
}

async fn notes(client: &Client<'_>, username: &str) -> Vec<String> {
    let answer = client.get(&format!("/api/users/{username}/notes")).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let text = |note: &Value| {
        format!("{} {} {}", note["author"].as_str().unwrap(), note["kind"].as_str().unwrap(), note["text"])
    };
    answer.json()["content"].as_array().unwrap().iter().map(text).collect()
}

async fn windows(client: &Client<'_>, query: &str) -> (Vec<String>, Vec<u64>) {
    let list = client.get(&format!("/api/renewals?window=DAYS_7{query}")).send().await.json();
    let counts = client.get(&format!("/api/renewals/counts?{query}")).send().await.json();
    let name = |row: &Value| row["username"].as_str().unwrap().to_owned();
    (
        list["content"].as_array().unwrap().iter().map(name).collect(),
        counts.as_array().unwrap().iter().map(|one| one["count"].as_u64().unwrap()).collect(),
    )
}

on_both! {
    async fn notes_are_visible_within_the_scope_but_not_to_the_user(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let (ana, eva) = (app.sign_in("ana_1").await, app.sign_in("eva_1").await);
        assert_eq!(add(&eva, "eva_app", &json!({"kind": "NOTE", "text": "Paga en efectivo"})).await.status, 201);
        let contact = json!({"kind": "CONTACT", "contactedOn": "2026-11-19"});
        let contact = add(&ana, "EVA_app", &contact).await;
        assert_eq!(contact.status, 201, "{}", contact.text());
        let contact = contact.json();
        assert_eq!(contact, json!({
            "id": contact["id"], "kind": "CONTACT", "text": null, "contactedOn": "2026-11-19", "author": "ana_1",
            "createdDate": "2026-11-20T10:00:00.000Z", "mayDelete": true,
        }));
        assert_eq!(add(&admin, "eva_1", &json!({"kind": "NOTE", "text": "Vende mucho"})).await.status, 201);

        let shared = ["ana_1 CONTACT null", "eva_1 NOTE \"Paga en efectivo\""];
        for client in [&admin, &ana, &eva] {
            assert_eq!(notes(client, "eva_app").await, shared);
        }
        assert_eq!(notes(&ana, "eva_1").await, ["admin NOTE \"Vende mucho\""]);
        // Users can't read or write notes on themselves, and users outside of the subtree are not
        // found.
        assert_eq!(eva.get("/api/users/eva_1/notes").send().await.status, 403);
        assert_eq!(add(&eva, "eva_1", &json!({"kind": "NOTE", "text": "Yo"})).await.status, 403);
        for (client, name) in [(&eva, "ana_1"), (&ana, "rival_app")] {
            assert_eq!(client.get(&format!("/api/users/{name}/notes")).send().await.status, 404);
            assert_eq!(add(client, name, &json!({"kind": "NOTE", "text": "No"})).await.status, 404);
            assert_eq!(client.put(&format!("/api/users/{name}/snooze")).json(&json!({"until": "2026-12-01"})).send().await.status, 404);
        }
    }

    async fn a_contact_repeated_after_midnight_has_the_first_response(app: &TestApp) {
        agents_with_customers(app).await;
        let ana = app.sign_in("ana_1").await;
        let contact = json!({"kind": "CONTACT", "contactedOn": "2026-11-20", "snoozedUntil": "2026-11-21"});
        let send = async |client: &Client<'_>| {
            client.post("/api/users/eva_app/notes").header("idempotency-key", "k").json(&contact).send().await
        };
        let first = send(&ana).await;
        assert_eq!(first.status, 201, "{}", first.text());
        app.clock.forward(chrono::TimeDelta::hours(15));
        let again = send(&ana).await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")), "{}", again.text());
        assert_eq!(again.json()["id"], first.json()["id"]);
        assert_eq!(add(&ana, "eva_app", &contact).await.code(), "VALIDATION_FAILED", "the day is over");
        assert_eq!(notes(&ana, "eva_app").await.len(), 1);
    }

    async fn users_do_not_get_notes_about_themselves_in_their_history(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let (ana, eva) = (app.sign_in("ana_1").await, app.sign_in("eva_1").await);
        let note = add(&ana, "eva_1", &json!({"kind": "NOTE", "text": "Sospechosa"})).await.json();
        assert_eq!(ana.delete(&format!("/api/users/eva_1/notes/{}", note["id"])).send().await.status, 204);
        assert_eq!(admin.patch("/api/users/eva_1").json(&json!({"fullName": "Eva Dos"})).send().await.status, 200);
        let history = async |client: &Client<'_>| {
            client.get("/api/users/eva_1/history").send().await.json()
        };
        let (own, seen) = (history(&eva).await, history(&ana).await);
        assert!(seen.to_string().contains("Sospechosa"), "{seen}");
        assert!(!own.to_string().contains("Sospechosa"), "{own}");
        assert!(own.to_string().contains("Eva Dos"), "{own}");
        assert_eq!(own["totalElements"], json!(seen["totalElements"].as_u64().unwrap() - 1));
        assert_eq!(own["totalElements"], json!(own["content"].as_array().unwrap().len()));
    }

    async fn the_author_deletes_a_note_within_an_hour_and_its_text_stays_in_the_log(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let ana = app.sign_in("ana_1").await;
        let mut paths = Vec::new();
        for text in ["Mal escrita", "Vieja"] {
            let note = add(&ana, "ana_app", &json!({"kind": "NOTE", "text": text})).await.json();
            paths.push(format!("/api/users/ana_app/notes/{}", note["id"]));
        }
        assert_eq!(admin.delete(&paths[0]).send().await.status, 403, "another author's");
        assert_eq!(admin.delete(&paths[0].replace("ana_app", "rival_app")).send().await.status, 404);
        assert_eq!(ana.delete(&paths[0]).send().await.status, 204);
        assert_eq!(ana.delete(&paths[0]).send().await.status, 404);
        app.clock.forward(chrono::TimeDelta::minutes(61));
        assert_eq!(ana.delete(&paths[1]).send().await.status, 403);
        assert_eq!(notes(&ana, "ana_app").await, ["ana_1 NOTE \"Vieja\""]);
        let log = admin.get("/api/users/ana_app/history").send().await.json();
        assert_eq!(log["content"][0]["before"], json!({"note": "Mal escrita", "contactedOn": null}));
        assert_eq!(log["content"][0]["actor"], json!("ana_1"));
    }

    async fn a_snoozed_customer_is_in_no_window_until_the_day(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        for name in ["ana_app", "eva_app"] {
            let change = json!({"expirationDate": "2026-11-25"});
            assert_eq!(admin.patch(&format!("/api/users/{name}")).json(&change).send().await.status, 200);
        }
        let ana = app.sign_in("ana_1").await;
        let note = json!({"kind": "CONTACT", "text": "Llamará el lunes", "snoozedUntil": "2026-11-23"});
        assert_eq!(add(&ana, "ana_app", &note).await.status, 201);
        assert_eq!(windows(&ana, "").await, (vec!["eva_app".to_owned()], vec![0, 0, 0, 1, 1]));
        assert_eq!(windows(&ana, "&snoozed=true").await, (vec!["ana_app".to_owned()], vec![0, 0, 0, 1, 1]));
        assert_eq!(windows(&ana, "&search=ana").await.1, [0, 0, 0, 0, 0]);
        assert_eq!(windows(&admin, "").await.0, ["eva_app"], "for all callers who may see the customer");
        let row = ana.get("/api/renewals?window=DAYS_7&snoozed=true").send().await.json()["content"][0].clone();
        assert_eq!(row["lastContact"], json!({"contactedOn": "2026-11-20", "author": "ana_1", "text": "Llamará el lunes"}));
        assert_eq!(row["snoozedUntil"], json!("2026-11-23"));
        let file = "/api/spreadsheets/renewals?language=en&columns=username,lastContact,contactedBy,contactNote,snoozedUntil";
        let file = ana.get(&format!("{file}&window=DAYS_7&snoozed=true")).send().await.text();
        let expected = "\"ana_app\",\"2026-11-20\",\"ana_1\",\"Llamará el lunes\",\"2026-11-23\"\r\n";
        assert!(file.ends_with(expected), "{file}");
        let snooze = ana.get("/api/users/ana_app/snooze").send().await.json();
        assert_eq!(snooze, json!({"until": "2026-11-23", "author": "ana_1", "createdDate": "2026-11-20T10:00:00.000Z"}));

        let eva = app.sign_in("eva_1").await;
        let snoozed = eva.put("/api/users/eva_app/snooze").json(&json!({"until": "2026-11-21"})).send().await;
        assert_eq!(snoozed.status, 204, "{}", snoozed.text());
        assert_eq!(windows(&ana, "").await.0, Vec::<String>::new());
        assert_eq!(ana.delete("/api/users/eva_app/snooze").send().await.status, 204);
        assert_eq!(windows(&ana, "").await.0, ["eva_app"]);
        let log = admin.get("/api/users/eva_app/history").send().await.json();
        assert_eq!(log["content"][0]["before"], json!({"snoozedUntil": "2026-11-21T00:00:00.000Z"}));
        assert_eq!(log["content"][0]["after"], json!({"snoozedUntil": null}));

        app.clock.forward(chrono::TimeDelta::days(3));
        let ana = app.sign_in("ana_1").await;
        assert_eq!(windows(&ana, "").await.0, ["ana_app", "eva_app"], "the day has come");
        let row = ana.get("/api/renewals?window=DAYS_7").send().await.json()["content"][0].clone();
        assert_eq!(row["snoozedUntil"], json!(null));
        assert_eq!(ana.get("/api/users/ana_app/snooze").send().await.json()["until"], json!(null));

        for (body, field, code) in [
            (json!({"until": "2026-11-23"}), "until", "PAST_DATE"),
            (json!({"until": "mañana"}), "until", "INVALID_DATE"),
            (json!({}), "until", "REQUIRED"),
        ] {
            let answer = ana.put("/api/users/ana_app/snooze").json(&body).send().await;
            assert_eq!((answer.status, answer.field_codes()), (422, vec![(field.into(), code.into())]), "{body}");
        }
        let agent = ana.put("/api/users/eva_1/snooze").json(&json!({"until": "2026-12-01"})).send().await;
        assert_eq!((agent.status, agent.field_codes()), (422, vec![("until".into(), "WRONG_ROLE".into())]));
    }
}
