//! Views and subscribers, for integrators.

use chrono::TimeDelta;
use domain_catalogue::Kind;
use domain_kernel::RoleCode;
use ports::Clock;
use serde_json::json;

use crate::{
    app::{TestApp, on_both},
    every_kind::{draft, item},
    series::episode,
};

on_both! {
    async fn a_batch_is_counted_once_and_changes_no_other_field(app: &TestApp) {
        let manager = app.manager().await;
        let program = app.program(&["VIEWS_COUNT"]).await;
        let film = manager.create("movies", &manager.film().await).await;
        let one = format!("/api/movies/{}", film["id"]);
        let batch = json!({"views": [
            {"contentType": "MOVIE", "contentId": film["id"], "count": 40},
            {"contentType": "MOVIE", "contentId": film["id"]},
            {"contentType": "MOVIE", "contentId": 999_999, "count": 5},
            {"contentType": "RADIO", "contentId": 1},
        ]});
        let send = async |key: &str, batch: &serde_json::Value| {
            program.post("/api/views").header("idempotency-key", key).json(batch).send().await
        };
        let first = send("one", &batch).await;
        assert_eq!(first.status, 200, "{}", first.text());
        let reported = first.json();
        assert_eq!(reported["counted"], 41);
        let unknown = json!([
            {"contentType": "RADIO", "contentId": 1}, {"contentType": "MOVIE", "contentId": 999_999}
        ]);
        assert_eq!(reported["unknown"], unknown);
        let again = send("one", &batch).await;
        assert_eq!((again.json(), again.header("idempotency-replayed")), (reported, Some("true")));
        let other = send("one", &json!({"views": [{"contentType": "MOVIE", "contentId": film["id"]}]})).await;
        assert_eq!((other.status, other.code()), (409, "IDEMPOTENCY_MISMATCH".to_owned()));
        let now = manager.get(&one).send().await.json();
        assert_eq!(now["views"], 41);
        assert_eq!((&now["version"], &now["updatedDate"]), (&film["version"], &film["updatedDate"]));
        let without = program.post("/api/views").json(&batch).send().await;
        assert_eq!(without.field_codes(), [("Idempotency-Key".to_owned(), "REQUIRED".to_owned())]);
        let nothing = json!({"views": [{"contentType": "MOVIE", "contentId": film["id"], "count": 0}]});
        let mut reported = program.post("/api/views").json(&nothing).send().await.field_codes();
        reported.sort();
        let both = [("Idempotency-Key", "REQUIRED"), ("views[0].count", "TOO_SMALL")];
        assert_eq!(reported, both.map(|(field, code)| (field.to_owned(), code.to_owned())));
    }

    async fn an_episode_counts_for_its_show(app: &TestApp) {
        let manager = app.manager().await;
        let program = app.program(&["VIEWS_COUNT"]).await;
        let show = item(Kind::TvShows, manager.create("tv-shows", &draft(&manager, Kind::TvShows).await).await);
        let list = format!("/api/tv-shows/{}/episodes", show["id"]);
        let mut views = Vec::new();
        for number in 1..=2 {
            let made = manager.post(&list).json(&episode(1, number)).send().await.json();
            views.push(json!({"contentType": "EPISODE", "contentId": made["id"], "count": number}));
        }
        let batch = json!({ "views": views });
        let answer = program.post("/api/views").header("idempotency-key", "a").json(&batch).send().await;
        assert_eq!(answer.json()["counted"], 3);
        assert_eq!(manager.get(&format!("/api/tv-shows/{}", show["id"])).send().await.json()["views"], 3);
        let rows = manager.get(&format!("{list}?_sort=-views")).send().await.json();
        assert_eq!((&rows["content"][0]["views"], &rows["content"][1]["views"]), (&json!(2), &json!(1)));
    }

    async fn a_hundred_thousand_views_add_up_exactly_and_lists_follow(app: &TestApp) {
        let manager = app.manager().await;
        let program = app.program(&["VIEWS_COUNT"]).await;
        let draft = manager.film().await;
        let mut ids = Vec::new();
        for number in 0..25 {
            let mut film = draft.clone();
            film["title"] = json!(format!("Película {number:02}"));
            film["imdbId"] = json!(null);
            film["reference"] = json!(null);
            ids.push(manager.create("movies", &film).await["id"].as_i64().unwrap());
        }
        // Creates seek checkpoints, which counting must invalidate.
        for _ in 0..6 {
            manager.get("/api/movies?_sort=-views&_page=5&_size=2").send().await;
        }
        let mut expected = vec![0_i64; ids.len()];
        for batch in 0..100_usize {
            let views: Vec<_> = (0..1000_usize)
                .map(|index| {
                    let film = (index * index + batch) % ids.len();
                    expected[film] += 1;
                    json!({"contentType": "MOVIE", "contentId": ids[film]})
                })
                .collect();
            let key = format!("batch-{batch}");
            let sent = json!({ "views": views });
            let answer = program.post("/api/views").header("idempotency-key", &key).json(&sent).send().await;
            assert_eq!(answer.json()["counted"], 1000);
        }
        let rows = manager.get("/api/movies?_sort=-views&_size=100").send().await.json();
        let views: Vec<i64> =
            rows["content"].as_array().unwrap().iter().map(|row| row["views"].as_i64().unwrap()).collect();
        expected.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(views, expected);
        assert_eq!(views.iter().sum::<i64>(), 100_000);
        let page = manager.get("/api/movies?_sort=-views&_page=5&_size=2").send().await.json();
        assert_eq!(page["content"][0]["views"], expected[10]);
    }

    async fn visits_are_recorded_in_batches_and_sign_ins_are_counted(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        admin.register("cliente_1", "app").await;
        let program = app.program(&["VISITS_RECORD"]).await;
        let before = admin.count("visits").await;
        let send = async |key: &str, visits: serde_json::Value| {
            let requested = program.post("/api/visits").header("idempotency-key", key);
            requested.json(&json!({ "visits": visits })).send().await
        };
        let batch = json!([
            {"kind": "SIGN_IN", "username": "cliente_1", "address": "203.0.113.7", "device": "Android TV"},
            {"kind": "VISIT", "username": "cliente_1", "content": {"contentType": "MOVIE", "contentId": 1}},
        ]);
        let first = send("a", batch.clone()).await;
        assert_eq!((first.status, first.json()["recorded"].clone()), (200, json!(2)), "{}", first.text());
        let again = send("a", batch.clone()).await;
        assert_eq!((again.json(), again.header("idempotency-replayed")), (first.json(), Some("true")));
        let other = send("a", json!([batch[1]])).await;
        assert_eq!((other.status, other.code()), (409, "IDEMPOTENCY_MISMATCH".to_owned()));
        assert_eq!(admin.count("visits").await, before + 2);
        let one = admin.get("/api/users/cliente_1").send().await.json();
        assert_eq!(one["signIns"], 1);
        let reported = admin.get("/api/visits?username=CLIENTE_1&kind=SIGN_IN").send().await.json();
        assert_eq!((&reported["totalElements"], &reported["content"][0]["device"]), (&json!(1), &json!("Android TV")));

        let bad = send("b", json!([batch[0], {"kind": "STAY", "username": "x"}])).await;
        let fields: Vec<String> = bad.field_codes().into_iter().map(|(field, _)| field).collect();
        assert!(fields.contains(&"visits[1].kind".to_owned()), "{fields:?}");
        assert_eq!(admin.count("visits").await, before + 2, "an invalid batch is not stored");
        let without = program.post("/api/visits").json(&json!({"visits": [batch[1]]})).send().await;
        assert_eq!(without.field_codes(), [("Idempotency-Key".to_owned(), "REQUIRED".to_owned())]);
    }

    async fn repeated_visits_have_the_first_response_although_they_are_too_old_now(app: &TestApp) {
        let program = app.program(&["VISITS_RECORD"]).await;
        let old = app.clock.now() - TimeDelta::days(31) + TimeDelta::minutes(5);
        let visits = json!({"visits": [{"kind": "VISIT", "username": "cliente_1", "occurredAt": old.to_rfc3339()}]});
        let send = async |key: &str| {
            program.post("/api/visits").header("idempotency-key", key).json(&visits).send().await
        };
        let first = send("k").await;
        assert_eq!(first.status, 200, "{}", first.text());
        app.clock.forward(TimeDelta::minutes(10));
        let again = send("k").await;
        assert_eq!((again.status, again.json()), (200, first.json()), "{}", again.text());
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(send("other").await.field_codes()[0].0, "visits[0].occurredAt");
    }

    async fn a_subscriber_may_play_or_has_the_reason_why_not(app: &TestApp) {
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        boss.register("cliente_1", "app").await;
        let sold = boss.post("/api/credits/add").json(&json!({"targetUsername": "cliente_1", "amount": 1}));
        assert_eq!(sold.send().await.status, 201);
        let program = app.program(&["SUBSCRIBERS_READ"]).await;
        let status = async || {
            let answer = program.get("/api/subscribers/CLIENTE_1").send().await.json();
            (answer["mayPlay"].clone(), answer["reason"].clone(), answer["status"].clone())
        };
        assert_eq!(status().await, (json!(true), json!("CURRENT"), json!("ACTIVE")));
        let suspend = json!({"status": "SUSPENDED"});
        boss.patch("/api/users/cliente_1").json(&suspend).send().await;
        assert_eq!(status().await, (json!(false), json!("SUSPENDED"), json!("SUSPENDED")));
        boss.patch("/api/users/cliente_1").json(&json!({"status": "ACTIVE"})).send().await;
        app.clock.forward(TimeDelta::days(31));
        assert_eq!(status().await, (json!(false), json!("EXPIRED"), json!("ACTIVE")));
        for name in ["nobody", "admin", "agent", "%C3%B1"] {
            assert_eq!(program.get(&format!("/api/subscribers/{name}")).send().await.status, 404, "{name}");
        }
    }
}
