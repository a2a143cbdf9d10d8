//! Visits: recorded once, counted by day in any time zone, listed, searched and exported.

use adapter_seaorm::{SeaOrmRetention, SeaOrmUsers, SeaOrmVisits};
use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use domain_audience::{VisitKind, VisitReport, Watched, WatchedType};
use domain_kernel::{ListQuery, RoleCode, Sort, Username};
use domain_users::{UserCredentials, UserStatus};
use futures_util::future::join_all;
use ports::{
    Aged, IdempotencyKey, Inserted, ListRows, Retention, UserRepository, VisitFilter, VisitRepository,
};
use sea_orm::{ConnectionTrait, Statement};

use crate::support::{Rng, TestDb, after, on_both, open_session, start};

fn store(db: &TestDb) -> SeaOrmVisits {
    SeaOrmVisits(db.database.clone())
}

fn once(key: &str, fingerprint: &str) -> IdempotencyKey {
    IdempotencyKey { username: "key:1".into(), key: key.into(), fingerprint: fingerprint.into() }
}

fn visit(username: &str, kind: VisitKind, at: DateTime<Utc>) -> VisitReport {
    VisitReport {
        occurred_at: Some(at),
        kind,
        username: username.into(),
        address: None,
        device: None,
        content: None,
    }
}

async fn record(db: &TestDb, key: &str, visits: &[VisitReport]) {
    let added = store(db).record(visits, "TV app", start(), &once(key, "f")).await.unwrap();
    assert_eq!(added, Inserted::New(visits.len() as u64));
}

/// A viewer and a member of the staff.
async fn two_users(db: &TestDb) {
    let users = SeaOrmUsers(db.database.clone());
    let user = UserCredentials {
        username: Username::parse("Jefa").unwrap(),
        full_name: "Julia Jefa".into(),
        role: RoleCode::Superadmin,
        status: UserStatus::Active,
        password_hash: None,
    };
    assert!(users.insert_first(&user, start()).await.unwrap());
    db.run(
        "INSERT INTO users (username, username_key, full_name, role, status, created_date, updated_date) VALUES \
         ('Ana_1', 'ana_1', 'Ana Núñez', 'app', 'ACTIVE', '2026-11-20T09:00:00.000+00:00', '2026-11-20T09:00:00.000+00:00')",
    )
    .await;
}

async fn names(db: &TestDb, filter: VisitFilter, query: ListQuery) -> Vec<String> {
    let page = store(db).list(&filter, &query).await.unwrap();
    page.content.into_iter().map(|visit| visit.username).collect()
}

/// Visits at all times of some days, unordered.
async fn many(db: &TestDb, count: u64) {
    let mut rng = Rng(7);
    let visits: Vec<VisitReport> = (0..count)
        .map(|number| VisitReport {
            device: Some(["Firefox", "Android TV", "iPhone"][usize::try_from(rng.roll(3)).unwrap()].into()),
            ..visit(
                &format!("user_{}", rng.roll(20)),
                if number % 4 == 0 { VisitKind::SignIn } else { VisitKind::Visit },
                start() - TimeDelta::minutes(i64::try_from(rng.roll(14_400)).unwrap()),
            )
        })
        .collect();
    for (number, part) in visits.chunks(1000).enumerate() {
        record(db, &format!("many {number}"), part).await;
    }
}

async fn plan(db: &TestDb, statement: &Statement) -> Vec<String> {
    let mut explained = statement.clone();
    let (word, column) =
        if db.is_sqlite() { ("EXPLAIN QUERY PLAN", "detail") } else { ("EXPLAIN", "QUERY PLAN") };
    explained.sql = format!("{word} {}", statement.sql);
    let rows = db.database.connection().query_all_raw(explained).await.unwrap();
    rows.iter().map(|row| row.try_get("", column).unwrap()).collect()
}

on_both! {
    async fn a_batch_is_recorded_with_the_names_of_registered_users(db: &TestDb) {
        two_users(db).await;
        let watched = Watched { content_type: WatchedType::Movie, content_id: Some(7), title: Some("Amélie".into()) };
        let visits = [
            VisitReport {
                occurred_at: None, address: Some("2001:db8::7".into()), device: Some("ñ".repeat(301)),
                content: Some(watched.clone()), ..visit("ANA_1", VisitKind::Visit, start())
            },
            visit("nadie", VisitKind::SignIn, after(-90)),
        ];
        record(db, "a", &visits).await;
        let page = store(db).list(&VisitFilter::default(), &ListQuery::default()).await.unwrap();
        assert_eq!(page.total_elements, 2);
        let [first, second] = &page.content[..] else { panic!("two") };
        assert_eq!((first.username.as_str(), first.full_name.as_deref(), first.registered), ("ANA_1", Some("Ana Núñez"), true));
        assert_eq!((first.occurred_at, first.kind, first.source.as_deref()), (start(), VisitKind::Visit, Some("TV app")));
        assert_eq!((first.address.as_deref(), &first.content), (Some("2001:db8::7"), &Some(watched)));
        assert_eq!(first.device.as_ref().unwrap().chars().count(), 300);
        assert_eq!((second.username.as_str(), second.full_name.as_deref(), second.registered), ("nadie", None, false));
        assert_eq!((&second.content, second.occurred_at), (&None, after(-90)));
    }

    async fn reported_sign_ins_are_counted_for_viewers_and_not_for_staff(db: &TestDb) {
        two_users(db).await;
        let visits = [
            visit("ana_1", VisitKind::SignIn, start()), visit("Ana_1", VisitKind::SignIn, start()),
            visit("ana_1", VisitKind::Visit, start()), visit("jefa", VisitKind::SignIn, start()),
        ];
        record(db, "a", &visits).await;
        let count = async |name: &str| db.number(&format!("SELECT sign_ins AS number FROM users WHERE username_key = '{name}'")).await;
        assert_eq!((count("ana_1").await, count("jefa").await), (2, 0));
        open_session(db, "key", "Jefa").await;
        assert_eq!(count("jefa").await, 1);
        let page = store(db).list(&VisitFilter::default(), &ListQuery::default()).await.unwrap();
        let newest = &page.content[0];
        assert_eq!((newest.kind, newest.username.as_str(), newest.registered, &newest.source), (VisitKind::SignIn, "Jefa", true, &None));
        assert_eq!((newest.address.as_deref(), newest.device.as_deref()), (Some("192.0.2.1"), Some("Firefox")));
    }

    async fn a_repeated_batch_has_the_first_response_and_another_is_refused(db: &TestDb) {
        two_users(db).await;
        let visits = vec![visit("ana_1", VisitKind::SignIn, start()); 3];
        let send = |_| {
            let (store, visits) = (store(db), visits.clone());
            tokio::spawn(async move { store.record(&visits, "TV app", start(), &once("k", "f")).await.unwrap() })
        };
        let mut answers: Vec<Inserted<u64>> = join_all((0..8).map(send)).await.into_iter().map(Result::unwrap).collect();
        answers.sort_by_key(|answer| *answer != Inserted::New(3));
        assert_eq!(answers[0], Inserted::New(3));
        assert!(answers[1..].iter().all(|answer| *answer == Inserted::Replayed(3)), "{answers:?}");
        assert_eq!(store(db).record(&visits[..1], "TV app", start(), &once("k", "g")).await.unwrap(), Inserted::KeyReused);
        assert_eq!(db.number("SELECT count(*) AS number FROM visits").await, 3);
        assert_eq!(db.number("SELECT sign_ins AS number FROM users WHERE role = 'app'").await, 3);
        assert_eq!(db.number("SELECT CAST(sum(total) AS bigint) AS number FROM visits_counts").await, 3);
    }

    async fn concurrent_batches_do_not_deadlock(db: &TestDb) {
        two_users(db).await;
        let send = |number: i64| {
            let store = store(db);
            let visits: Vec<VisitReport> = (0..50).map(|minute| {
                let minute = if number % 2 == 0 { minute } else { 49 - minute };
                visit(if minute % 2 == 0 { "ana_1" } else { "otra" }, VisitKind::SignIn, after(-20 * minute))
            }).collect();
            tokio::spawn(async move { store.record(&visits, "TV app", start(), &once(&format!("k{number}"), "f")).await })
        };
        for answer in join_all((0..12).map(send)).await {
            assert_eq!(answer.unwrap().unwrap(), Inserted::New(50));
        }
        assert_eq!(db.number("SELECT CAST(sum(total) AS bigint) AS number FROM visits_counts").await, 600);
        assert_eq!(db.number("SELECT sign_ins AS number FROM users WHERE role = 'app'").await, 300);
    }

    async fn the_list_is_newest_first_and_filtered_by_user_kind_and_time(db: &TestDb) {
        record(db, "a", &[
            visit("ana", VisitKind::Visit, after(1)), visit("eva", VisitKind::SignIn, after(3)),
            visit("Ana", VisitKind::SignIn, after(2)), visit("ana", VisitKind::Visit, after(4)),
        ]).await;
        let all = VisitFilter::default;
        let newest = ListQuery::default;
        assert_eq!(names(db, all(), newest()).await, ["ana", "eva", "Ana", "ana"]);
        let oldest = ListQuery { sort: vec![Sort { field: "occurredAt".into(), descending: false }], ..newest() };
        assert_eq!(names(db, all(), oldest).await, ["ana", "Ana", "eva", "ana"]);
        let by_id = ListQuery { sort: vec![Sort { field: "id".into(), descending: false }], ..newest() };
        assert_eq!(names(db, all(), by_id).await, ["ana", "eva", "Ana", "ana"]);
        assert_eq!(names(db, VisitFilter { username: Some("ANA".into()), ..all() }, newest()).await, ["ana", "Ana", "ana"]);
        assert_eq!(names(db, VisitFilter { kind: Some(VisitKind::SignIn), ..all() }, newest()).await, ["eva", "Ana"]);
        let between = VisitFilter { from: Some(after(2)), to: Some(after(4)), ..all() };
        assert_eq!(names(db, between, newest()).await, ["eva", "Ana"]);
        // Bounds at a quarter of an hour are counted by the counter table.
        let quarter: DateTime<Utc> = "2026-11-20T10:00:00Z".parse().unwrap();
        for (filter, total) in [
            (VisitFilter { from: Some(quarter), ..all() }, 4),
            (VisitFilter { to: Some(quarter), ..all() }, 0),
            (VisitFilter { from: Some(quarter), to: Some(quarter + TimeDelta::minutes(15)), kind: Some(VisitKind::Visit), ..all() }, 2),
        ] {
            assert_eq!(store(db).list(&filter, &newest()).await.unwrap().total_elements, total, "{filter:?}");
        }
    }

    async fn a_search_finds_the_texts_of_the_list(db: &TestDb) {
        two_users(db).await;
        let content = |title: &str| Some(Watched { content_type: WatchedType::Movie, content_id: None, title: Some(title.into()) });
        record(db, "a", &[
            visit("ana_1", VisitKind::Visit, after(1)),
            VisitReport { device: Some("Samsung 100%_TV".into()), ..visit("eva", VisitKind::Visit, after(2)) },
            VisitReport { content: content("Corazón"), ..visit("leo", VisitKind::SignIn, after(3)) },
        ]).await;
        let all = VisitFilter::default;
        for (text, found) in [
            ("nunez", vec!["ana_1"]), ("SAMSUNG", vec!["eva"]), ("0%_t", vec!["eva"]), ("corazon", vec!["leo"]), ("leo", vec!["leo"]),
            ("ev", vec!["eva"]), ("%", vec!["eva"]), ("xyz", vec![]), ("\"leo\" OR", vec![]),
        ] {
            let query = ListQuery { search: Some(text.into()), ..ListQuery::default() };
            assert_eq!(names(db, all(), query.clone()).await, found, "{text}");
            assert_eq!(store(db).list(&all(), &query).await.unwrap().total_elements, found.len() as u64, "{text}");
            let ids = store(db).ids(&all(), &query, 10).await.unwrap();
            assert_eq!(ids.len(), found.len(), "{text}");
            if !ids.is_empty() {
                let written = store(db).rows(&all(), &ids).await.unwrap();
                assert_eq!(written.into_iter().map(|visit| visit.username).collect::<Vec<_>>(), found, "{text}");
            }
            let signed_in = VisitFilter { kind: Some(VisitKind::SignIn), ..all() };
            let only: Vec<&str> = found.into_iter().filter(|name| *name == "leo").collect();
            assert_eq!(names(db, signed_in, query).await, only, "{text}, sign-ins");
        }
    }

    async fn pages_of_a_long_list_don_t_overlap_and_a_file_has_every_visit_once(db: &TestDb) {
        many(db, 2500).await;
        let all = VisitFilter::default();
        for (filter, search) in [
            (all.clone(), None), (VisitFilter { kind: Some(VisitKind::SignIn), ..all.clone() }, None),
            (all.clone(), Some("android".to_owned())), (VisitFilter { username: Some("user_3".into()), ..all }, None),
        ] {
            let query = |page| ListQuery { page, size: 300, search: search.clone(), ..ListQuery::default() };
            let ids = store(db).ids(&filter, &query(0), 10_000).await.unwrap();
            let mut written = Vec::new();
            for some in ids.chunks(400) {
                written.extend(store(db).rows(&filter, some).await.unwrap());
            }
            assert!(written.windows(2).all(|two| (two[0].occurred_at, two[0].id) > (two[1].occurred_at, two[1].id)));
            let total = store(db).list(&filter, &query(0)).await.unwrap().total_elements;
            assert_eq!(written.len() as u64, total, "{filter:?} {search:?}");
            let mut paged = Vec::new();
            for page in 0..total.div_ceil(300) {
                paged.extend(store(db).list(&filter, &query(page)).await.unwrap().content);
            }
            assert_eq!(paged, written, "{filter:?} {search:?}");
        }
    }

    async fn days_are_those_of_the_services_time_zone_by_counts_and_by_rows(db: &TestDb) {
        many(db, 2000).await;
        // A zone of five hours and three quarters, as Nepal's.
        let first: NaiveDate = "2026-11-09".parse().unwrap();
        let begin = |day: NaiveDate| day.and_time(chrono::NaiveTime::MIN).and_utc() - TimeDelta::minutes(345);
        let days: Vec<_> = (0..13).map(|n| first + Days::new(n)).map(|day| (day, begin(day))).collect();
        let end = begin(first + Days::new(13));
        let counted = store(db).per_day(None, None, &days, end).await.unwrap();
        assert_eq!(counted.len(), 13);
        for (number, day) in counted.iter().enumerate() {
            let (from, to) = (days[number].1, days.get(number + 1).map_or(end, |next| next.1));
            let of = async |kind| {
                let filter = VisitFilter { kind: Some(kind), from: Some(from), to: Some(to), ..VisitFilter::default() };
                store(db).list(&filter, &ListQuery::default()).await.unwrap().total_elements
            };
            assert_eq!((day.sign_ins, day.visits), (of(VisitKind::SignIn).await, of(VisitKind::Visit).await), "{}", day.day);
        }
        let sum = |days: &[domain_audience::DayOfVisits]| days.iter().map(|day| day.sign_ins + day.visits).sum::<u64>();
        assert_eq!(sum(&counted), 2000);
        assert!(counted.iter().any(|day| day.sign_ins + day.visits == 0), "days without any are among them");
        let mut of_users = 0;
        for number in 0..20 {
            let name = format!("USER_{number}");
            let days = store(db).per_day(Some(name), None, &days, end).await.unwrap();
            of_users += sum(&days);
        }
        assert_eq!(of_users, 2000);
        let sign_ins = store(db).per_day(None, Some(VisitKind::SignIn), &days, end).await.unwrap();
        assert_eq!((sum(&sign_ins), sign_ins.iter().map(|day| day.visits).sum::<u64>()), (500, 0));
    }

    async fn days_of_the_usual_length_are_counted_together_and_a_change_of_clocks_alone(db: &TestDb) {
        // Madrid, where 25 October 2026 has 25 hours.
        let moment = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let begins = ["2026-10-22T22:00:00Z", "2026-10-23T22:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"];
        let begins = begins.map(moment);
        let first: NaiveDate = "2026-10-23".parse().unwrap();
        let days: Vec<_> = begins.iter().zip(0..).map(|(begin, n)| (first + Days::new(n), *begin)).collect();
        let end = moment("2026-10-26T23:00:00Z");
        let quarter = |moment: DateTime<Utc>| moment.timestamp() / 900;
        let statement = store(db).count_by_day(None, None, &days, end);
        let counts: Vec<&str> = statement.sql.split(" UNION ALL ").collect();
        let expected = [(0, 96, begins[0], begins[2]), (2, 100, begins[2], begins[3]), (3, 96, begins[3], end)];
        assert_eq!(counts.len(), expected.len(), "{}", statement.sql);
        for (count, (place, length, from, to)) in counts.iter().zip(expected) {
            let (from, to) = (quarter(from), quarter(to));
            assert!(count.starts_with(&format!("SELECT {place} + (c.quarter - {from}) / {length} AS place,")), "{count}");
            assert!(count.contains(&format!(" WHERE c.quarter >= {from} AND c.quarter < {to} GROUP BY")), "{count}");
        }
        // The first second of each day, and the last one.
        let last = begins[1..].iter().copied().chain([end]).map(|next| next - TimeDelta::seconds(1));
        let visits: Vec<_> = begins.into_iter().chain(last).map(|at| visit("ana", VisitKind::Visit, at)).collect();
        record(db, "a", &visits).await;
        for username in [None, Some("ana")] {
            let counted = store(db).per_day(username.map(str::to_owned), None, &days, end).await.unwrap();
            assert_eq!(counted.iter().map(|day| day.visits).collect::<Vec<_>>(), [2; 4], "{username:?}");
        }
    }

    async fn a_moment_before_1970_is_in_a_quarter_too(db: &TestDb) {
        let moment = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let day = ("1969-12-31".parse::<NaiveDate>().unwrap(), moment("1969-12-31T00:00:00Z"));
        for (end, quarter) in [("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1)] {
            let statement = store(db).count_by_day(None, None, &[day], moment(end));
            let quarters = format!(" WHERE c.quarter >= -96 AND c.quarter < {quarter} ");
            assert!(statement.sql.contains(&quarters), "{}", statement.sql);
        }
    }

    async fn counts_are_decremented_by_removals(db: &TestDb) {
        many(db, 100).await;
        db.run("DELETE FROM visits WHERE kind = 'SIGN_IN'").await;
        let page = store(db).list(&VisitFilter::default(), &ListQuery::default()).await.unwrap();
        assert_eq!(page.total_elements, 75);
        let found = ListQuery { search: Some("user_".into()), ..ListQuery::default() };
        assert_eq!(store(db).list(&VisitFilter::default(), &found).await.unwrap().total_elements, 75);
    }

    async fn old_visits_are_removed_in_batches_and_counts_of_days_stay_correct(db: &TestDb) {
        many(db, 2000).await;
        let before = start() - TimeDelta::days(4) + TimeDelta::minutes(7);
        let older = "SELECT count(*) AS number FROM visits WHERE occurred_at <= ";
        let text = if db.is_sqlite() {
            before.to_rfc3339_opts(chrono::SecondsFormat::Millis, false)
        } else {
            before.to_rfc3339()
        };
        let older = db.number(&format!("{older}'{text}'")).await;
        assert!(older > 1000, "{older}");
        let retention = SeaOrmRetention(db.database.clone());
        let mut removed = Vec::new();
        while removed.last() != Some(&0) {
            removed.push(retention.remove(Aged::Visits, before, before, 500).await.unwrap());
        }
        assert!(removed.iter().all(|batch| *batch <= 500), "{removed:?}");
        assert_eq!(i64::try_from(removed.iter().sum::<u64>()).unwrap(), older);
        // The counters equal the visits of every quarter, and there are no counters without visits.
        let quarter = if db.is_sqlite() {
            "CAST(strftime('%s', occurred_at) AS integer) / 900"
        } else {
            "CAST(floor(extract(epoch FROM occurred_at) / 900) AS bigint)"
        };
        let counted = format!("SELECT {quarter} AS quarter, kind, count(*) AS total FROM visits GROUP BY 1, 2");
        let differing = format!(
            "SELECT count(*) AS number FROM (SELECT * FROM ({counted}) a EXCEPT SELECT quarter, kind, CAST(sum(total) AS bigint) FROM visits_counts GROUP BY 1, 2) d"
        );
        assert_eq!(db.number(&differing).await, 0);
        assert_eq!(
            db.number("SELECT count(*) AS number FROM (SELECT DISTINCT quarter, kind FROM visits_counts) c").await,
            db.number(&format!("SELECT count(*) AS number FROM ({counted}) c")).await
        );
        let page = store(db).list(&VisitFilter::default(), &ListQuery::default()).await.unwrap();
        assert_eq!(page.total_elements, 2000 - u64::try_from(older).unwrap());
        let found = ListQuery { search: Some("user_".into()), ..ListQuery::default() };
        let found = store(db).list(&VisitFilter::default(), &found).await.unwrap().total_elements;
        assert_eq!(found, page.total_elements, "removed visits are not found");
    }

    async fn lists_and_days_read_indexes(db: &TestDb) {
        many(db, 6000).await;
        db.fill("ANALYZE").await;
        let all = VisitFilter::default();
        let user = VisitFilter { username: Some("user_3".into()), ..all.clone() };
        let far = ListQuery { page: 200, ..ListQuery::default() };
        for (filter, query, index) in [
            (&all, ListQuery::default(), "visits_by_date"), (&all, far, "visits_by_date"),
            (&user, ListQuery::default(), "visits_by_user"),
        ] {
            let statements = store(db).statements(filter, &query);
            for statement in &statements[1..] {
                let steps = plan(db, statement).await.join("\n");
                assert!(steps.contains(index), "{} {filter:?}\n{steps}", statement.sql);
                assert!(!db.is_sqlite() || steps.contains("SCAN page"), "its rows are looked up\n{steps}");
            }
        }
        let days: Vec<_> = (0..10).map(|n| "2026-11-10".parse::<NaiveDate>().unwrap() + Days::new(n))
            .map(|day| (day, day.and_time(chrono::NaiveTime::MIN).and_utc())).collect();
        let count = |name| store(db).count_by_day(name, None, &days, start());
        let (of_all, one) = (plan(db, &count(None)).await.join("\n"), plan(db, &count(Some("user_3"))).await.join("\n"));
        assert!(db.is_sqlite() || of_all.contains("visits_counts"), "{of_all}");
        assert!(!of_all.contains("visits_by"), "no visit is read: {of_all}");
        assert!(one.contains("visits_by_user"), "{one}");
        if db.is_sqlite() {
            assert!(of_all.contains("SEARCH c USING PRIMARY KEY") && one.contains("COVERING INDEX"), "{of_all}\n{one}");
        }
    }
}
