//! Notes on users, snoozed customers, activity of users, and the counts of notices, on both
//! databases.

use adapter_seaorm::{SeaOrmIssues, SeaOrmNotices, SeaOrmRenewals, SeaOrmUserNotes, SeaOrmVisits};
use chrono::{DateTime, TimeDelta, Utc};
use domain_audience::{VisitKind, VisitReport};
use domain_issues::{Author, AuthorKind, IssueContentType, NewReport, ReportType};
use domain_kernel::{ListQuery, Origin, RoleCode};
use domain_users::{ExpiryFilter, NoteKind, NoticeCount, NoticeKind, Scope, SeenNotice, Snooze, UserNote};
use ports::{
    Inserted, IssueFilter, IssueRepository, NoticeQuery, NoticeRepository, RenewalRepository, StoreError,
    UserNoteInsert, UserNoteRepository, VisitRepository,
};

use crate::{
    fixture::{ROOT, TestUsers, name, once, subtree},
    support::{TestDb, edit_of, on_both, start},
};

fn at(minutes: i64) -> DateTime<Utc> {
    start() + TimeDelta::minutes(minutes)
}

fn contact(day: &str, text: Option<&str>) -> UserNoteInsert {
    UserNoteInsert {
        kind: NoteKind::Contact,
        text: text.map(str::to_owned),
        contacted_on: Some(day.parse().unwrap()),
        snoozed_until: None,
    }
}

/// ana_1 with a customer whose subscription ends in two days, and one whose has ended; the rival
/// with one.
async fn sellers(db: &TestDb) -> TestUsers {
    let fixture = TestUsers::of(db).await;
    for (parent, username, role, days) in [
        (ROOT, "ana_1", RoleCode::Agent, None),
        (ROOT, "rival_1", RoleCode::Agent, None),
        ("ana_1", "eva_1", RoleCode::Agent, None),
        ("ana_1", "in_two", RoleCode::App, Some(2)),
        ("eva_1", "gone", RoleCode::App, Some(-1)),
        ("rival_1", "other", RoleCode::App, Some(3)),
    ] {
        fixture.add(parent, username, role).await;
        if let Some(days) = days {
            fixture.expire(username, Some(start() + TimeDelta::days(days))).await;
        }
    }
    fixture
}

fn added(outcome: Result<Option<Inserted<UserNote>>, StoreError>) -> UserNote {
    match outcome.unwrap() {
        Some(Inserted::New(note)) => note,
        other => panic!("{other:?}"),
    }
}

on_both! {
    async fn a_note_repeated_with_its_key_is_stored_once(db: &TestDb) {
        sellers(db).await;
        let notes = SeaOrmUserNotes(db.database.clone());
        let customer = name("in_two");
        let add = async |body: &str| {
            let once = Some(once("ana_1", "key", body));
            notes.add(&customer, &contact("2026-11-18", None), &edit_of("ana_1", at(1)), once).await
        };
        let first = added(add("body").await);
        assert_eq!(add("body").await.unwrap(), Some(Inserted::Replayed(first.clone())));
        assert_eq!(add("another body").await.unwrap(), Some(Inserted::KeyReused));
        notes.delete(&customer, &first, &edit_of("ana_1", at(3))).await.unwrap();
        assert_eq!(add("body").await.unwrap(), Some(Inserted::Replayed(first)), "also once it is deleted");
        assert_eq!(notes.list(&customer, &ListQuery::default()).await.unwrap().total_elements, 0);
    }

    async fn notes_are_listed_newest_first_and_the_last_contact_is_by_its_day(db: &TestDb) {
        sellers(db).await;
        let notes = SeaOrmUserNotes(db.database.clone());
        let customer = name("IN_two");
        let older = added(notes.add(&customer, &contact("2026-11-18", Some("Llamar")), &edit_of("ana_1", at(1)), None).await);
        let newer = added(notes.add(&customer, &contact("2026-11-10", None), &edit_of("Root_1", at(2)), None).await);
        assert_eq!((older.contacted_on.unwrap().to_string().as_str(), older.author.as_str()), ("2026-11-18", "ana_1"));
        let listed = notes.list(&customer, &ListQuery::default()).await.unwrap();
        assert_eq!(listed.content, [newer.clone(), older.clone()]);
        assert_eq!(notes.list(&name("other"), &ListQuery::default()).await.unwrap().total_elements, 0);
        assert_eq!(notes.find(&name("other"), older.id).await.unwrap(), None, "another user's");
        assert_eq!(notes.add(&name("nobody"), &contact("2026-11-18", None), &edit_of("ana_1", at(1)), None).await.unwrap(), None);

        let within = ExpiryFilter::Within { now: start(), end: start() + TimeDelta::days(7) };
        let renewals = SeaOrmRenewals(db.database.clone());
        let last = async || {
            let page = renewals.list(&subtree("ana_1"), within, false, &ListQuery::default()).await.unwrap();
            page.content[0].last_contact.clone().map(|contact| (contact.author.to_string(), contact.text))
        };
        assert_eq!(last().await, Some(("ana_1".into(), Some("Llamar".into()))));
        notes.delete(&customer, &older, &edit_of("ana_1", at(3))).await.unwrap();
        assert_eq!(last().await, Some(("Root_1".into(), None)));
        notes.delete(&customer, &newer, &edit_of("ana_1", at(3))).await.unwrap();
        assert_eq!(last().await, None);
    }

    async fn a_snooze_is_replaced_ends_by_itself_and_is_removed(db: &TestDb) {
        sellers(db).await;
        let (notes, renewals) = (SeaOrmUserNotes(db.database.clone()), SeaOrmRenewals(db.database.clone()));
        let customer = name("in_two");
        let shown = async |minutes: i64, snoozed: bool| {
            let within = ExpiryFilter::Within { now: at(minutes), end: start() + TimeDelta::days(7) };
            let page = renewals.list(&subtree("ana_1"), within, snoozed, &ListQuery::default()).await.unwrap();
            let counts = renewals.count(&subtree("ana_1"), &[within], snoozed, &ListQuery::default()).await.unwrap();
            assert_eq!(counts, [page.total_elements]);
            page.total_elements
        };
        let with_snooze = UserNoteInsert { snoozed_until: Some(at(10)), ..contact("2026-11-20", None) };
        added(notes.add(&customer, &with_snooze, &edit_of("ana_1", at(0)), None).await);
        assert_eq!((shown(1, false).await, shown(1, true).await), (0, 1));
        assert_eq!((shown(10, false).await, shown(10, true).await), (1, 0), "until then, not longer");
        assert!(notes.set_snooze(&customer, Some(at(20)), &edit_of("eva_1", at(1))).await.unwrap());
        let snooze = notes.snooze(&customer, at(1)).await.unwrap();
        assert_eq!(snooze, Some(Snooze { until: at(20), author: name("eva_1"), created_date: at(1) }));
        assert_eq!(notes.snooze(&customer, at(20)).await.unwrap(), None);
        assert_eq!(shown(10, false).await, 0);
        assert!(notes.set_snooze(&customer, None, &edit_of("ana_1", at(2))).await.unwrap());
        assert_eq!((shown(2, false).await, notes.snooze(&customer, at(2)).await.unwrap()), (1, None));
        assert!(!notes.set_snooze(&name("nobody"), Some(at(20)), &edit_of("ana_1", at(2))).await.unwrap());
    }

    async fn notices_are_counted_within_the_scope_and_their_seen_state_is_stored(db: &TestDb) {
        let fixture = sellers(db).await;
        fixture.stock("ana_1", 11).await;
        fixture.stock("rival_1", 12).await;
        let notices = SeaOrmNotices(db.database.clone());
        let counts = async |reader: &str, scope: Scope, for_admins: bool| {
            let query = NoticeQuery {
                reader: name(reader),
                scope,
                expiring: ExpiryFilter::Within { now: start(), end: start() + TimeDelta::days(7) },
                expired: ExpiryFilter::Expired { now: start() },
                for_admins,
            };
            notices.counts(&query).await.unwrap()
        };
        let count = |kind, count, days: Option<i64>| NoticeCount { kind, count, newest: days.map(|days| start() + TimeDelta::days(days)) };
        use NoticeKind::{AgentsLowStock, Expired, Expiring, OwnLowStock};
        assert_eq!(counts("ana_1", subtree("ana_1"), false).await, [
            count(OwnLowStock, 11, None), count(AgentsLowStock, 1, None), count(Expiring, 1, Some(2)), count(Expired, 1, Some(-1)),
        ]);
        assert_eq!(counts("rival_1", subtree("rival_1"), false).await, [count(Expiring, 1, Some(3))]);
        assert_eq!(counts(ROOT, Scope::Everyone, true).await, [
            count(AgentsLowStock, 2, None), count(Expiring, 2, Some(3)), count(Expired, 1, Some(-1)),
        ]);

        let seen = |count, minutes| SeenNotice { kind: Expired, count, newest: Some(at(0)), seen_date: at(minutes) };
        assert_eq!(notices.seen(&name("ana_1")).await.unwrap(), []);
        notices.set_seen(&name("ana_1"), &[seen(1, 1)]).await.unwrap();
        notices.set_seen(&name("ANA_1"), &[seen(2, 2)]).await.unwrap();
        assert_eq!(notices.seen(&name("ana_1")).await.unwrap(), [seen(2, 2)]);
        assert_eq!(notices.seen(&name("eva_1")).await.unwrap(), []);
        // Another tab stores an older seen state.
        let older = SeenNotice { newest: Some(at(-12)), ..seen(1, 3) };
        notices.set_seen(&name("ana_1"), &[older]).await.unwrap();
        assert_eq!(notices.seen(&name("ana_1")).await.unwrap(), [seen(2, 2)]);
        let later = SeenNotice { newest: Some(at(5)), ..seen(1, 4) };
        notices.set_seen(&name("ana_1"), &[later]).await.unwrap();
        assert_eq!(notices.seen(&name("ana_1")).await.unwrap(), [later]);
    }

    async fn devices_and_reports_are_those_of_one_user(db: &TestDb) {
        sellers(db).await;
        let visits = SeaOrmVisits(db.database.clone());
        let visit = |username: &str, device: Option<&str>, minutes: i64| VisitReport {
            kind: VisitKind::Visit,
            username: username.into(),
            occurred_at: Some(at(minutes)),
            address: None,
            device: device.map(str::to_owned),
            content: None,
        };
        let some = [
            visit("in_two", Some("Android TV"), -10), visit("IN_TWO", Some("Android TV"), -5), visit("in_two", Some("iPhone"), -7),
            visit("in_two", None, -1), visit("other", Some("Roku"), -1),
        ];
        visits.record(&some, "TV", start(), &once("program", "v", "body")).await.unwrap();
        let devices = visits.devices("In_Two", at(-8), 5).await.unwrap();
        let devices: Vec<_> = devices.iter().map(|one| (one.device.as_str(), one.visits, one.last_seen)).collect();
        assert_eq!(devices, [("Android TV", 1, at(-5)), ("iPhone", 1, at(-7))]);
        assert_eq!(visits.devices("in_two", at(-60), 1).await.unwrap()[0].visits, 2);

        let issues = SeaOrmIssues(db.database.clone());
        for (reporter, title) in [(Some("In_Two"), "Se corta"), (Some("other"), "No carga"), (None, "Nadie")] {
            let report = NewReport {
                title: title.into(),
                description: None,
                content_type: IssueContentType::Movie,
                content_id: None,
                content: Some("Película".into()),
                report_type: ReportType::Audio,
                reporter: reporter.map(str::to_owned),
            };
            issues.insert(&report, &Author { name: "TV".into(), kind: AuthorKind::Key, origin: Origin::SERVER }, start(), None).await.unwrap();
        }
        let of = |from| IssueFilter { reporter: Some(("in_TWO".into(), from)), ..IssueFilter::default() };
        let page = issues.list(&of(start()), &ListQuery::default()).await.unwrap();
        assert_eq!((page.total_elements, page.content[0].title.as_str()), (1, "Se corta"));
        let later = issues.list(&of(at(1)), &ListQuery::default()).await.unwrap();
        assert_eq!((later.total_elements, later.content), (0, vec![]));
    }
}
