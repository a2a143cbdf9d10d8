//! Webhooks: administration, due deliveries and their results, and leases of jobs.

use adapter_seaorm::{SeaOrmLeases, SeaOrmRetention};
use chrono::TimeDelta;
use domain_integrations::{
    Attempt, Delivery, DeliveryFault, DeliveryStatus, EventType, EventType::ItemChanged, Verdict, Webhook,
    WebhookDraft,
};
use domain_kernel::{Filter, FilterValue, Id, ListQuery, Sort};
use futures_util::future::join_all;
use ports::{Aged, Inserted, Leases, Outbox, Retention, WebhookReplayConflict, WebhookRepository, Written};

use crate::{
    fixture::once,
    hooks::{count, draft, due, hook, hooks, noted, valid_draft},
    support::{TestDb, after, edit, on_both, start},
};

/// Deliveries about these entities, in this order.
async fn happens(db: &TestDb, webhook: Id, entities: &[&str]) {
    for entity in entities {
        db.run(&format!(
            "INSERT INTO webhook_deliveries (webhook_id, event_type, entity, data, occurred_at, status, attempts, \
             next_attempt_at) VALUES ({webhook}, 'ITEM_CHANGED', '{entity}', '{{}}', '2026-11-20T10:00:00+00:00', \
             'PENDING', 0, '1970-01-01T00:00:00+00:00')"
        ))
        .await;
    }
}

fn old(db: &TestDb) -> SeaOrmRetention {
    SeaOrmRetention(db.database.clone())
}

async fn turns(db: &TestDb, webhook: Id, minutes: i64) -> Vec<String> {
    due(db, webhook, minutes).await.into_iter().map(|delivery| delivery.entity).collect()
}

fn done(written: Written<Webhook>) -> Webhook {
    match written {
        Written::Done(webhook) => webhook,
        other => panic!("{other:?}"),
    }
}

on_both! {
    async fn a_webhook_is_created_found_changed_and_removed(db: &TestDb) {
        let hooks = hooks(db);
        let made = hook(db, "Avisos", &[ItemChanged, EventType::IssueOpened]).await;
        assert_eq!((made.version, made.pending, made.last_delivery), (1, 0, None));
        assert_eq!(hooks.find(made.id).await.unwrap().as_ref(), Some(&made));
        let other = WebhookDraft { active: false, ..draft("Ñandú", &[EventType::CreditsMoved]) };
        let changed = hooks.replace(made.id, valid_draft(other.clone()), Some(1), &edit(after(1))).await.unwrap();
        let changed = done(changed);
        assert_eq!((changed.version, &changed.draft, changed.updated_date), (2, &other, after(1)));
        let late = hooks.replace(made.id, valid_draft(made.draft), Some(1), &edit(after(2))).await.unwrap();
        assert_eq!(late, Written::Outdated(changed.clone()));
        assert_eq!(done(hooks.change_secret(made.id, "whsec_bmV3", &edit(after(3))).await.unwrap()).version, 3);
        assert!(matches!(hooks.remove(made.id, Some(2), &edit(after(4))).await.unwrap(), Written::Outdated(_)));
        happens(db, made.id, &["movies/1"]).await;
        done(hooks.remove(made.id, Some(3), &edit(after(4))).await.unwrap());
        assert_eq!(hooks.remove(made.id, None, &edit(after(4))).await.unwrap(), Written::Missing);
        assert_eq!(hooks.find(made.id).await.unwrap(), None);
        assert_eq!(old(db).remove(Aged::Deliveries, after(5), after(5), 500).await.unwrap(), 1);
        assert_eq!(count(db).await, 0, "its log is removed in batches");
    }

    async fn one_key_creates_one_webhook(db: &TestDb) {
        let store = hooks(db);
        let add = async |secret: &str, fingerprint: &str| {
            let draft = valid_draft(draft("Uno", &[ItemChanged]));
            store.add(draft, secret, &edit(start()), Some(once("root_1", "k", fingerprint))).await.unwrap()
        };
        let all = join_all((0..8).map(|number| {
            let store = store.clone();
            async move {
                let draft = valid_draft(draft("Uno", &[ItemChanged]));
                let once = once("root_1", "k", "f");
                store.add(draft, &format!("whsec_{number}"), &edit(start()), Some(once)).await.unwrap()
            }
        }))
        .await;
        let new: Vec<_> = all.iter().filter(|added| matches!(added, Inserted::New(_))).collect();
        assert_eq!(new.len(), 1);
        let Inserted::New(inserted) = new[0] else { unreachable!() };
        let Inserted::Replayed(again) = add("whsec_other", "f").await else { panic!("not again") };
        assert_eq!(&again, inserted, "with its secret");
        assert_eq!(add("whsec_other", "g").await, Inserted::KeyReused);
        let first = &inserted.webhook;
        done(store.change_secret(first.id, "whsec_rotated", &edit(start())).await.unwrap());
        assert_eq!(add("whsec_other", "f").await, Inserted::Conflict(WebhookReplayConflict::Changed), "the secret of the rotation is not shown again");
        store.remove(first.id, None, &edit(start())).await.unwrap();
        assert_eq!(add("whsec_other", "f").await, Inserted::Conflict(WebhookReplayConflict::Removed(first.id)));
    }

    async fn lists_are_ordered_searched_and_report_the_last_delivery(db: &TestDb) {
        for name in ["Ventas", "ártico", "Zulú"] {
            hook(db, name, &[ItemChanged]).await;
        }
        let names = async |query: ListQuery| {
            let page = hooks(db).list(&query).await.unwrap();
            let names: Vec<_> = page.content.iter().map(|webhook| webhook.draft.name.clone()).collect();
            (page.total_elements, names.join(" "))
        };
        let by = |field: &str, descending| ListQuery {
            sort: vec![Sort { field: field.into(), descending }],
            ..ListQuery::default()
        };
        assert_eq!(names(ListQuery::default()).await, (3, "Ventas ártico Zulú".into()));
        assert_eq!(names(by("name", false)).await, (3, "ártico Ventas Zulú".into()));
        assert_eq!(names(by("name", true)).await, (3, "Zulú Ventas ártico".into()));
        assert_eq!(names(ListQuery { size: 2, page: 1, ..by("name", false) }).await, (3, "Zulú".into()));
        for (text, found) in [("ARTICO", 1), ("example.com", 3), ("com/zul", 1), ("%", 0), ("_", 0)] {
            let query = ListQuery { search: Some(text.into()), ..ListQuery::default() };
            assert_eq!(names(query).await.0, found, "{text}");
        }
        let id = hooks(db).list(&by("name", true)).await.unwrap().content[0].id;
        happens(db, id, &["movies/1", "movies/2"]).await;
        let first = due(db, id, 0).await.remove(0);
        noted(db, &first, Verdict::Retry(after(9)), 3).await;
        let listed = hooks(db).list(&by("name", true)).await.unwrap().content.remove(0);
        assert_eq!(listed.pending, 2);
        let last = listed.last_delivery.unwrap();
        assert_eq!((last.status, last.status_code, last.at), (DeliveryStatus::Pending, Some(500), after(3)));
        assert_eq!(last.fault, Some(DeliveryFault::Refused));
        // The newer one is delivered, then the older one is retried.
        let second = due(db, id, 4).await.remove(0);
        noted(db, &second, Verdict::Delivered, 4).await;
        let again = due(db, id, 9).await.remove(0);
        assert_eq!(again.id, first.id);
        noted(db, &again, Verdict::Retry(after(30)), 9).await;
        let last = hooks(db).find(id).await.unwrap().unwrap().last_delivery.unwrap();
        assert_eq!((last.status, last.at), (DeliveryStatus::Pending, after(9)), "the one that was tried last");
    }

    async fn the_oldest_delivery_of_each_entity_is_first_and_the_others_wait(db: &TestDb) {
        let webhook = hook(db, "Uno", &[ItemChanged]).await.id;
        let other = hook(db, "Otro", &[ItemChanged]).await.id;
        happens(db, webhook, &["movies/1", "movies/2", "movies/1", "movies/1", "movies/2"]).await;
        happens(db, other, &["movies/1"]).await;
        let first = due(db, webhook, 0).await;
        let entities: Vec<_> = first.iter().map(|delivery| delivery.entity.as_str()).collect();
        assert_eq!(entities, ["movies/1", "movies/2"]);
        // One fails and waits, the other succeeds: deliveries after the failed one wait, the others
        // continue.
        assert!(noted(db, &first[0], Verdict::Retry(after(10)), 1).await);
        assert!(noted(db, &first[1], Verdict::Delivered, 1).await);
        assert_eq!(turns(db, webhook, 1).await, ["movies/2"]);
        assert_eq!(turns(db, other, 1).await, ["movies/1"], "other webhooks are not affected");
        assert_eq!(turns(db, webhook, 10).await, ["movies/2", "movies/1"]);
        // Later deliveries do not overtake one that fails finally.
        let again = due(db, webhook, 10).await.remove(1);
        assert_eq!((again.id, again.attempts), (first[0].id, 1));
        assert!(noted(db, &again, Verdict::GivenUp, 11).await);
        let next = due(db, webhook, 11).await;
        let next = next.iter().find(|delivery| delivery.entity == "movies/1").unwrap();
        assert!(next.id > first[0].id);
        assert_eq!(hooks(db).waiting(after(11)).await.unwrap(), [webhook, other]);
        assert_eq!(hooks(db).pending().await.unwrap(), 4);
    }

    async fn an_attempt_is_recorded_once(db: &TestDb) {
        let webhook = hook(db, "Uno", &[ItemChanged]).await.id;
        happens(db, webhook, &["movies/1"]).await;
        let delivery = due(db, webhook, 0).await.remove(0);
        assert!(noted(db, &delivery, Verdict::Retry(after(1)), 0).await);
        assert!(!noted(db, &delivery, Verdict::GivenUp, 0).await, "it was already written");
        let delivery = due(db, webhook, 1).await.remove(0);
        assert_eq!((delivery.attempts, delivery.status_code, delivery.next_attempt_at), (1, Some(500), Some(after(1))));
        assert!(noted(db, &delivery, Verdict::Delivered, 2).await);
        assert!(!noted(db, &delivery, Verdict::Delivered, 2).await);
        let ended = hooks(db).delivery(webhook, delivery.id).await.unwrap().unwrap();
        assert_eq!((ended.status, ended.attempts, ended.fault), (DeliveryStatus::Delivered, 2, None));
        assert_eq!((ended.delivered_at, ended.next_attempt_at), (Some(after(2)), None));
        assert_eq!(turns(db, webhook, 99).await, [""; 0]);
    }

    async fn an_inactive_webhook_is_sent_tests_only(db: &TestDb) {
        let webhook = hook(db, "Uno", &[ItemChanged]).await;
        happens(db, webhook.id, &["movies/1"]).await;
        let off = WebhookDraft { active: false, ..webhook.draft.clone() };
        hooks(db).replace(webhook.id, valid_draft(off), None, &edit(start())).await.unwrap();
        assert_eq!(hooks(db).waiting(start()).await.unwrap(), [0; 0]);
        let test = hooks(db).add_test(webhook.id, start()).await.unwrap().unwrap();
        assert_eq!((test.event_type, test.entity), (EventType::Test, format!("webhooks/{}", webhook.id)));
        assert_eq!(hooks(db).waiting(start()).await.unwrap(), [webhook.id]);
        let due_now = hooks(db).due(webhook.id, start(), 9).await.unwrap();
        assert_eq!(due_now.len(), 1);
        assert_eq!((due_now[0].delivery.id, due_now[0].secret.as_str()), (test.id, "whsec_c2VjcmV0"));
        assert_eq!(hooks(db).add_test(999, start()).await.unwrap(), None);
        hooks(db).replace(webhook.id, valid_draft(webhook.draft), None, &edit(start())).await.unwrap();
        assert_eq!(turns(db, webhook.id, 0).await.len(), 2, "pending deliveries continue");
    }

    async fn a_retry_repeats_ended_deliveries_and_makes_pending_ones_due(db: &TestDb) {
        let webhook = hook(db, "Uno", &[ItemChanged]).await.id;
        let other = hook(db, "Otro", &[ItemChanged]).await.id;
        happens(db, webhook, &["movies/1", "movies/2"]).await;
        let first = due(db, webhook, 0).await;
        noted(db, &first[0], Verdict::GivenUp, 0).await;
        noted(db, &first[1], Verdict::Retry(after(60)), 0).await;
        assert_eq!(turns(db, webhook, 1).await, [""; 0]);
        let repeated = hooks(db).resend(webhook, first[0].id, after(1)).await.unwrap().unwrap();
        assert_eq!((repeated.resend_of, &repeated.message), (Some(first[0].id), &first[0].message));
        assert_eq!((repeated.status, repeated.attempts), (DeliveryStatus::Pending, 0));
        let hurried = hooks(db).resend(webhook, first[1].id, after(1)).await.unwrap().unwrap();
        assert_eq!((hurried.id, hurried.next_attempt_at), (first[1].id, None));
        assert_eq!(hurried.attempts, 0, "it has all its attempts again");
        assert_eq!(turns(db, webhook, 1).await.len(), 2);
        noted(db, &repeated, Verdict::Delivered, 1).await;
        // A retry is requested during an attempt.
        let sent = due(db, webhook, 1).await.remove(0);
        assert!(noted(db, &sent, Verdict::Retry(after(60)), 1).await);
        let under_way = due(db, webhook, 60).await.remove(0);
        hooks(db).resend(webhook, under_way.id, after(61)).await.unwrap();
        assert!(!noted(db, &under_way, Verdict::Retry(after(90)), 61).await, "its attempts start again");
        assert!(noted(db, &under_way, Verdict::Delivered, 61).await, "a delivered one is not sent again");
        let third = hooks(db).resend(webhook, repeated.id, after(2)).await.unwrap().unwrap();
        assert_eq!(third.message, first[0].message, "each repetition has the same message");
        assert_eq!(hooks(db).resend(other, first[0].id, after(2)).await.unwrap(), None);
        assert_eq!(hooks(db).resend(webhook, 999, after(2)).await.unwrap(), None);
    }

    async fn the_log_is_paged_filtered_and_searched(db: &TestDb) {
        let webhook = hook(db, "Uno", &[ItemChanged]).await.id;
        let entities: Vec<String> = (1..=25).map(|number| format!("movies/{number}")).collect();
        happens(db, webhook, &entities.iter().map(String::as_str).collect::<Vec<_>>()).await;
        hooks(db).add_test(webhook, start()).await.unwrap();
        let all = due(db, webhook, 0).await;
        noted(db, &all[3], Verdict::GivenUp, 0).await;
        let log = async |query: ListQuery| {
            let page = hooks(db).log(webhook, &query).await.unwrap();
            let ids: Vec<Id> = page.content.iter().map(|delivery| delivery.id).collect();
            (page.total_elements, ids)
        };
        let newest = ListQuery { sort: vec![Sort { field: "id".into(), descending: true }], ..ListQuery::default() };
        let expected: Vec<Id> = all.iter().rev().map(|delivery| delivery.id).collect();
        let (total, first) = log(newest.clone()).await;
        assert_eq!((total, first.as_slice()), (26, &expected[..10]));
        assert_eq!(log(ListQuery { page: 2, ..newest.clone() }).await.1, expected[20..]);
        assert_eq!(log(ListQuery { page: 9, ..newest.clone() }).await, (26, vec![]));
        let only = |field: &str, code| ListQuery {
            filters: vec![Filter { field: field.into(), value: FilterValue::Code(code) }],
            ..newest.clone()
        };
        assert_eq!(log(only("status", "FAILED")).await, (1, vec![all[3].id]));
        assert_eq!(log(only("eventType", "TEST")).await.0, 1);
        for (text, found) in [("movies/2", 7), ("MOVIES/25", 1), ("%", 0)] {
            let query = ListQuery { search: Some(text.into()), ..newest.clone() };
            assert_eq!(log(query).await.0, found, "{text}");
        }
        assert_eq!(hooks(db).delivery(webhook + 1, all[0].id).await.unwrap(), None);
    }

    async fn a_receiver_that_fails_for_nearly_a_day_pauses_its_webhook_and_nothing_is_lost(db: &TestDb) {
        let webhook = hook(db, "Uno", &[ItemChanged]).await.id;
        let other = hook(db, "Otro", &[ItemChanged]).await.id;
        happens(db, webhook, &["movies/1", "movies/1", "movies/2"]).await;
        happens(db, other, &["movies/1"]).await;
        let paused = async || hooks(db).find(webhook).await.unwrap().unwrap().pause;
        // Like real attempts: a delivery that would fail finally stays pending, because the webhook
        // is paused then.
        let (mut made, mut now) = (0, 0);
        loop {
            let delivery = due(db, webhook, now).await.remove(0);
            made += 1;
            let failed = Attempt { status_code: Some(500), fault: Some(DeliveryFault::Refused) };
            let verdict = domain_integrations::verdict_of(ItemChanged, made, failed, after(now));
            noted(db, &delivery, verdict, now).await;
            match verdict {
                Verdict::Retry(next) => now = (next - start()).num_minutes() + 1,
                _ => break,
            }
            assert_eq!(paused().await, None, "after {made} attempts");
        }
        let pause = paused().await.unwrap();
        assert_eq!((pause.failures, pause.failing_since, pause.paused_date), (10, start(), after(now)));
        assert_eq!((pause.fault, pause.status_code), (Some(DeliveryFault::Refused), Some(500)));
        let pending = format!("SELECT count(*) AS number FROM webhook_deliveries WHERE status = 'PENDING' AND webhook_id = {webhook}");
        assert_eq!(db.number(&pending).await, 3, "no delivery fails finally");
        // Nothing is sent, other webhooks are not affected, and new deliveries stay pending, too.
        assert_eq!(turns(db, webhook, now + 100_000).await, [""; 0]);
        assert_eq!(hooks(db).waiting(after(now)).await.unwrap(), [other]);
        let test = hooks(db).add_test(webhook, after(now)).await.unwrap().unwrap();
        assert_eq!(due(db, webhook, now).await, std::slice::from_ref(&test), "tests reach it");
        noted(db, &test, Verdict::Delivered, now).await;
        assert!(paused().await.is_some(), "a test resumes nothing");
        happens(db, webhook, &["movies/3"]).await;
        let resumed = done(hooks(db).resume(webhook, &edit(start())).await.unwrap());
        assert_eq!((resumed.pause, resumed.version), (None, 1));
        let waiting = due(db, webhook, now).await;
        let entities: Vec<_> = waiting.iter().map(|one| (one.entity.as_str(), one.attempts)).collect();
        assert_eq!(entities, [("movies/1", 0), ("movies/2", 0), ("movies/3", 0)], "as if it had not been tried");
        // One more failure is the first of a new count.
        noted(db, &waiting[0], Verdict::Retry(after(now + 1)), now).await;
        assert_eq!(paused().await, None);
        assert_eq!(hooks(db).resume(webhook + 99, &edit(start())).await.unwrap(), Written::Missing);
    }

    async fn a_changed_url_and_a_reactivation_reset_the_count_of_failures(db: &TestDb) {
        let webhook = hook(db, "Uno", &[ItemChanged]).await;
        let entities: Vec<String> = (0..33).map(|number| format!("movies/{number}")).collect();
        let entities: Vec<&str> = entities.iter().map(String::as_str).collect();
        happens(db, webhook.id, &entities).await;
        let all = due(db, webhook.id, 0).await;
        let day = 24 * 60;
        let fails = async |deliveries: &[Delivery], minutes: i64| {
            for delivery in deliveries {
                noted(db, delivery, Verdict::Retry(after(9 * day)), minutes).await;
            }
            hooks(db).find(webhook.id).await.unwrap().unwrap().pause.is_some()
        };
        let change = async |change: &dyn Fn(&mut WebhookDraft)| {
            let mut draft = hooks(db).find(webhook.id).await.unwrap().unwrap().draft;
            change(&mut draft);
            done(hooks(db).replace(webhook.id, valid_draft(draft), None, &edit(after(1))).await.unwrap());
        };
        assert!(!fails(&all[..10], 0).await);
        change(&|draft| draft.url.0 = "https://other.example/hook".into()).await;
        assert!(!fails(&all[10..20], day).await);
        change(&|draft| draft.active = false).await;
        change(&|draft| draft.active = true).await;
        assert!(!fails(&all[20..31], 2 * day).await);
        change(&|draft| draft.name = "Otro".into()).await;
        assert!(fails(&all[31..32], 3 * day).await, "another name is the same receiver");
    }

    async fn pending_deliveries_start_again_with_another_url_and_after_a_reactivation(db: &TestDb) {
        let failed = Attempt { status_code: Some(500), fault: Some(DeliveryFault::Refused) };
        for (name, is_moved) in [("Uno", true), ("Dos", false)] {
            let webhook = hook(db, name, &[ItemChanged]).await;
            happens(db, webhook.id, &["movies/1", "movies/1"]).await;
            let mut now = 0;
            for made in 1..=9 {
                let delivery = due(db, webhook.id, now).await.remove(0);
                let verdict = domain_integrations::verdict_of(ItemChanged, made, failed, after(now));
                let Verdict::Retry(next) = verdict else { panic!("no retry after {made} attempts") };
                assert!(noted(db, &delivery, verdict, now).await);
                now = (next - start()).num_minutes() + 1;
            }
            let changed = now - 60;
            let replace = async |draft: WebhookDraft| {
                hooks(db).replace(webhook.id, valid_draft(draft), None, &edit(after(changed))).await.unwrap();
            };
            replace(WebhookDraft { name: format!("{name} bis"), ..webhook.draft.clone() }).await;
            assert_eq!(turns(db, webhook.id, changed).await, [""; 0], "another name is the same receiver");
            if is_moved {
                let url = domain_integrations::WebhookUrl("https://other.example/hook".into());
                let moved = WebhookDraft { url, ..webhook.draft.clone() };
                let late = valid_draft(moved.clone());
                let late = hooks(db).replace(webhook.id, late, Some(1), &edit(after(changed))).await.unwrap();
                assert!(matches!(late, Written::Outdated(_)));
                assert_eq!(turns(db, webhook.id, changed).await, [""; 0], "what is refused changes nothing");
                replace(moved).await;
            } else {
                replace(WebhookDraft { active: false, ..webhook.draft.clone() }).await;
                replace(webhook.draft.clone()).await;
            }
            let waiting = due(db, webhook.id, changed).await;
            assert_eq!(waiting.iter().map(|one| one.attempts).collect::<Vec<_>>(), [0], "{name}: due at once");
            // It does not fail finally at the time of its former last attempt.
            let verdict = domain_integrations::verdict_of(ItemChanged, waiting[0].attempts + 1, failed, after(now));
            assert!(noted(db, &waiting[0], verdict, now).await);
            let delivery = hooks(db).delivery(webhook.id, waiting[0].id).await.unwrap().unwrap();
            assert_eq!((delivery.status, delivery.attempts), (DeliveryStatus::Pending, 1), "{name}");
        }
    }

    async fn a_success_ends_the_count_of_failures(db: &TestDb) {
        let webhook = hook(db, "Uno", &[ItemChanged]).await.id;
        let entities: Vec<String> = (0..30).map(|number| format!("movies/{number}")).collect();
        let entities: Vec<&str> = entities.iter().map(String::as_str).collect();
        happens(db, webhook, &entities).await;
        let day = 24 * 60;
        for (number, delivery) in due(db, webhook, 0).await.iter().enumerate() {
            let verdict = if number == 15 { Verdict::Delivered } else { Verdict::Retry(after(9 * day)) };
            let minutes = if number < 25 { i64::try_from(number).unwrap() } else { day };
            noted(db, delivery, verdict, minutes).await;
            let pause = hooks(db).find(webhook).await.unwrap().unwrap().pause;
            assert_eq!(pause.map(|pause| (pause.failures, pause.failing_since)), (number >= 25).then(|| {
                (u32::try_from(number).unwrap() - 15, after(16))
            }), "{number}");
        }
    }

    async fn pending_deliveries_of_a_paused_webhook_are_kept_as_long_as_others(db: &TestDb) {
        let webhook = hook(db, "Uno", &[ItemChanged]).await.id;
        let other = hook(db, "Otro", &[ItemChanged]).await.id;
        happens(db, webhook, &["movies/1", "movies/2"]).await;
        happens(db, other, &["movies/1"]).await;
        db.run(&format!("UPDATE webhooks SET paused_date = '2026-11-20T11:00:00.000+00:00' WHERE id = {webhook}")).await;
        assert_eq!(old(db).remove(Aged::Deliveries, after(59), after(59), 500).await.unwrap(), 0, "the pause is younger");
        db.run(&format!("UPDATE webhooks SET paused_date = '2026-11-20T09:00:00.000+00:00' WHERE id = {webhook}")).await;
        assert_eq!(old(db).remove(Aged::Deliveries, after(-1), after(-1), 500).await.unwrap(), 0, "the events are younger");
        assert_eq!(old(db).remove(Aged::Deliveries, after(1), after(1), 1).await.unwrap(), 1);
        assert_eq!(old(db).remove(Aged::Deliveries, after(1), after(1), 500).await.unwrap(), 1);
        assert_eq!(count(db).await, 1, "pending deliveries of others stay");
    }

    async fn old_deliveries_and_those_of_deleted_webhooks_are_removed(db: &TestDb) {
        let webhook = hook(db, "Uno", &[ItemChanged]).await.id;
        happens(db, webhook, &["movies/1", "movies/2", "movies/3", "movies/4"]).await;
        happens(db, webhook + 1, &["movies/9"]).await;
        let all = due(db, webhook, 0).await;
        noted(db, &all[0], Verdict::Delivered, 1).await;
        noted(db, &all[1], Verdict::GivenUp, 2).await;
        noted(db, &all[2], Verdict::Delivered, 9).await;
        assert_eq!(old(db).remove(Aged::Deliveries, after(5), after(5), 1).await.unwrap(), 2, "in batches");
        assert_eq!(old(db).remove(Aged::Deliveries, after(5), after(5), 9).await.unwrap(), 1);
        assert_eq!(old(db).remove(Aged::Deliveries, after(5), after(5), 9).await.unwrap(), 0);
        let left: Vec<_> = db.rows("SELECT entity FROM webhook_deliveries ORDER BY id").await;
        let left: Vec<String> = left.iter().map(|row| row.try_get("", "entity").unwrap()).collect();
        assert_eq!(left, ["movies/3", "movies/4"]);
    }

    async fn a_lease_is_held_until_it_expires_or_is_released(db: &TestDb) {
        let one = SeaOrmLeases(db.database.clone());
        let two = SeaOrmLeases(db.other_node().await);
        let take = async |leases: &SeaOrmLeases, holder: &str| {
            leases.take("job", holder, TimeDelta::minutes(10)).await.unwrap()
        };
        // The database's clock is used, so time passes by moving the end.
        let run_out = async || {
            let end = if db.is_sqlite() {
                "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')"
            } else {
                "clock_timestamp()"
            };
            db.run(&format!("UPDATE leases SET until = {end}")).await;
        };
        assert!(take(&one, "one").await);
        assert!(!take(&two, "two").await);
        assert!(take(&one, "one").await, "its own is renewed");
        assert!(!take(&two, "two").await);
        run_out().await;
        assert!(take(&two, "two").await, "it has run out");
        assert!(!take(&one, "one").await);
        one.release("job", "one").await.unwrap();
        assert!(!take(&one, "one").await, "another's can't be released");
        two.release("job", "two").await.unwrap();
        assert!(take(&one, "one").await);
        assert!(one.take("other job", "two", TimeDelta::minutes(1)).await.unwrap());
        let lasts = if db.is_sqlite() {
            "SELECT CAST(round((julianday(until) - julianday('now')) * 1440) AS integer) AS number FROM leases WHERE name = 'job'"
        } else {
            "SELECT CAST(round(extract(epoch FROM until - clock_timestamp()) / 60) AS bigint) AS number FROM leases WHERE name = 'job'"
        };
        assert_eq!(db.number(lasts).await, 10);
    }

    async fn of_many_concurrent_acquisitions_of_a_lease_one_succeeds(db: &TestDb) {
        let nodes = [SeaOrmLeases(db.database.clone()), SeaOrmLeases(db.other_node().await)];
        for round in 0..10 {
            let takes = (0..8).map(|number| {
                let node = nodes[number % 2].clone();
                let (job, holder) = (format!("job {round}"), format!("node {number}"));
                tokio::spawn(async move { node.take(&job, &holder, TimeDelta::minutes(1)).await.unwrap() })
            });
            let held = join_all(takes).await.into_iter().filter(|held| *held.as_ref().unwrap()).count();
            assert_eq!(held, 1, "round {round}");
        }
    }
}
