//! Webhooks over the API: form, secret, log, tests and retries.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{METRICS_TOKEN, TestApp, on_both},
    client::{Client, category},
};

fn hook() -> Value {
    json!({"name": "Avisos", "url": "https://example.com/hook", "events": ["ITEM_CREATED", "ITEM_REMOVED"]})
}

async fn log(client: &Client<'_>, hook: &Value, query: &str) -> Vec<Value> {
    let answer = client.get(&format!("/api/webhooks/{}/deliveries{query}", hook["id"])).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["content"].as_array().unwrap().clone()
}

on_both! {
    async fn a_webhook_is_created_read_changed_and_deleted(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let answer = admin.post("/api/webhooks").json(&hook()).send().await;
        assert_eq!((answer.status, answer.header("etag")), (201, Some("\"1\"")), "{}", answer.text());
        let made = answer.json();
        let one = format!("/api/webhooks/{}", made["id"]);
        assert_eq!(answer.header("location"), Some(one.as_str()));
        assert!(made["secret"].as_str().unwrap().starts_with("whsec_"));
        assert_eq!((&made["active"], &made["lastDelivery"], &made["pending"]), (&json!(true), &json!(null), &json!(0)));

        let read = admin.get(&one).send().await;
        assert_eq!(read.header("etag"), Some("\"1\""));
        assert_eq!(read.json().get("secret"), None, "only the first response has it");
        let page = admin.get("/api/webhooks?_sort=name&search=EXAMPLE").send().await.json();
        assert_eq!(page["totalElements"], 1);
        assert_eq!(page["content"][0], read.json());

        // A response can be sent back.
        let mut form = read.json();
        form["name"] = json!("Otros avisos");
        let changed = admin.put(&one).header("if-match", "\"1\"").json(&form).send().await;
        assert_eq!((changed.status, changed.header("etag")), (200, Some("\"2\"")), "{}", changed.text());
        let late = admin.put(&one).header("if-match", "\"1\"").json(&form).send().await;
        assert_eq!((late.status, late.code().as_str()), (412, "VERSION_CONFLICT"));
        assert_eq!(late.json()["current"], changed.json());
        let off = admin.patch(&one).json(&json!({"active": false})).send().await.json();
        assert_eq!((&off["active"], &off["name"], &off["version"]), (&json!(false), &json!("Otros avisos"), &json!(3)));

        let rotated = admin.post(&format!("{one}/rotate-secret")).send().await;
        assert_eq!((rotated.status, rotated.header("etag")), (200, Some("\"4\"")));
        assert_ne!(rotated.json()["secret"], made["secret"]);

        assert_eq!(admin.delete(&one).header("if-match", "\"3\"").send().await.status, 412);
        assert_eq!(admin.delete(&one).header("if-match", "\"4\"").send().await.status, 204);
        for requested in [
            admin.get(&one),
            admin.put(&one).json(&hook()),
            admin.patch(&one).json(&json!({})),
            admin.delete(&one),
            admin.post(&format!("{one}/rotate-secret")),
            admin.post(&format!("{one}/test")),
            admin.get(&format!("{one}/deliveries")),
            admin.get(&format!("{one}/deliveries/1")),
            admin.post(&format!("{one}/deliveries/1/resend")),
            admin.post(&format!("{one}/deliveries/x/resend")),
        ] {
            assert_eq!(requested.send().await.status, 404);
        }
        let missing = admin.get(&one).header("accept-language", "en").send().await.json();
        assert_eq!(missing["message"], "The webhook was not found");
    }

    async fn a_webhook_with_a_key_is_created_once(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let make = async |body: Value| {
            admin.post("/api/webhooks").header("idempotency-key", "k-1").json(&body).send().await
        };
        let first = make(hook()).await;
        let again = make(hook()).await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")));
        assert_eq!(again.json(), first.json(), "with its secret, for a client that lost the response");
        let mut other = hook();
        other["name"] = json!("Otro");
        assert_eq!(make(other).await.code(), "IDEMPOTENCY_MISMATCH");
        assert_eq!(admin.count("webhooks").await, 1);
        let rotate = format!("/api/webhooks/{}/rotate-secret", first.json()["id"]);
        let secret = admin.post(&rotate).send().await.json()["secret"].clone();
        let changed = make(hook()).await;
        assert_eq!((changed.status, changed.code()), (409, "CONFLICT".to_owned()));
        assert!(!changed.text().contains(secret.as_str().unwrap()), "the secret of another request is not shown");
        assert!(changed.json()["message"].as_str().unwrap().contains("secreto"), "{}", changed.text());
    }

    #[smoke]
    async fn events_are_logged_delivered_and_retried(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let good = admin.create("webhooks", &hook()).await;
        let mut broken = hook();
        broken["url"] = json!("https://broken.example.com/");
        let broken = admin.create("webhooks", &broken).await;
        let item = admin.create("categories", &category()).await;
        let entity = format!("categories/{}", item["id"]);
        let waits = log(&admin, &good, "").await;
        assert_eq!(waits.len(), 1);
        assert_eq!((&waits[0]["status"], &waits[0]["attempts"]), (&json!("PENDING"), &json!(0)));
        assert_eq!((&waits[0]["eventType"], &waits[0]["entity"]), (&json!("ITEM_CREATED"), &json!(entity)));
        let data = json!({"resource": "categories", "id": item["id"], "version": 1, "active": true});
        assert_eq!(waits[0]["data"], data);

        app.deliver().await;
        let reported = &log(&admin, &good, "").await[0];
        assert_eq!((&reported["status"], &reported["statusCode"], &reported["fault"]), (&json!("DELIVERED"), &json!(204), &json!(null)));
        assert_eq!((&reported["deliveredAt"], &reported["durationMs"]), (&json!("2026-11-20T10:00:00.000Z"), &json!(0)));
        let failed = &log(&admin, &broken, "?status=PENDING").await[0];
        assert_eq!((&failed["statusCode"], &failed["fault"]), (&json!(500), &json!("REFUSED")));
        assert_eq!(failed["nextAttemptAt"], "2026-11-20T10:00:05.000Z");
        let listed = admin.get("/api/webhooks?_sort=-id").send().await.json();
        assert_eq!(listed["content"][0]["lastDelivery"]["fault"], "REFUSED");
        assert_eq!((&listed["content"][0]["pending"], &listed["content"][1]["pending"]), (&json!(1), &json!(0)));

        let again = admin.post(&format!("/api/webhooks/{}/deliveries/{}/resend", good["id"], reported["id"])).send().await;
        assert_eq!(again.status, 202, "{}", again.text());
        let again = again.json();
        assert_eq!((&again["messageId"], &again["resendOf"]), (&reported["messageId"], &reported["id"]));
        assert_eq!(log(&admin, &good, "").await.len(), 2);
        let path = format!("/api/webhooks/{}/deliveries/{}", good["id"], again["id"]);
        assert_eq!(admin.get(&path).send().await.json(), again);
        let elsewhere = format!("/api/webhooks/{}/deliveries/{}", broken["id"], again["id"]);
        assert_eq!(admin.get(&elsewhere).send().await.status, 404);

        let test = admin.post(&format!("/api/webhooks/{}/test", broken["id"])).send().await;
        assert_eq!(test.status, 202);
        app.deliver().await;
        let tests = log(&admin, &broken, "?eventType=TEST").await;
        assert_eq!((&tests[0]["id"], &tests[0]["status"]), (&test.json()["id"], &json!("FAILED")), "tried once");

        // A retry of an inactive webhook would stay pending unnoticed; tests are sent.
        let mut inactive = hook();
        inactive["url"] = json!("https://broken.example.com/");
        inactive["active"] = json!(false);
        admin.put(&format!("/api/webhooks/{}", broken["id"])).json(&inactive).send().await;
        let resend = async |delivery: &Value| {
            admin.post(&format!("/api/webhooks/{}/deliveries/{}/resend", broken["id"], delivery["id"])).send().await
        };
        let refused = resend(failed).await;
        assert_eq!((refused.status, refused.code().as_str()), (409, "CONFLICT"), "{}", refused.text());
        assert!(refused.json()["message"].as_str().unwrap().contains("inactivo"), "{}", refused.text());
        assert_eq!(resend(&tests[0]).await.status, 202);

        let metrics = Client::with_key(app, METRICS_TOKEN).get("/metrics").send().await.text();
        for line in [
            "cartelera_webhook_deliveries_total{outcome=\"delivered\"} 2",
            "cartelera_webhook_deliveries_total{outcome=\"retried\"} 1",
            "cartelera_webhook_deliveries_total{outcome=\"failed\"} 1",
            "cartelera_webhook_deliveries_pending 2",
        ] {
            assert!(metrics.contains(line), "{line} is not in {metrics}");
        }
    }
}

#[actix_web::test]
async fn all_violations_of_a_form_are_reported_in_both_languages() {
    let app = TestApp::new().await;
    let admin = app.sign_in_as(RoleCode::Admin).await;
    let bad = json!({"name": "x", "url": "https://ana:clave@example.com/", "events": [], "colour": 1});
    let answer = admin.post("/api/webhooks").json(&bad).send().await;
    let mut reported = answer.field_messages();
    reported.sort();
    let spanish = [
        ("colour", "Este campo no existe"),
        ("events", "Elige al menos un evento"),
        ("name", "Debe tener al menos 2 caracteres"),
        ("url", "La URL no puede contener usuario ni contraseña"),
    ];
    assert_eq!(
        reported.iter().map(|(field, text)| (field.as_str(), text.as_str())).collect::<Vec<_>>(),
        spanish
    );
    let english = admin.post("/api/webhooks").header("accept-language", "en").json(&bad).send().await;
    assert!(english.field_messages().contains(&("events".into(), "Choose at least one event".into())));
    for (path, code) in
        [("/api/webhooks?_sort=url", "UNKNOWN_SORT_FIELD"), ("/api/webhooks?active=true", "UNKNOWN_FILTER")]
    {
        assert_eq!(admin.get(path).send().await.field_codes()[0].1, code);
    }
    let made = admin.create("webhooks", &hook()).await;
    let answer = admin.get(&format!("/api/webhooks/{}/deliveries?status=LOST", made["id"])).send().await;
    assert_eq!(answer.field_codes(), [("status".to_owned(), "UNKNOWN_VALUE".to_owned())]);
}
