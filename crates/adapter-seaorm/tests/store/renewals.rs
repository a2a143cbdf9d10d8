//! Renewals: customers by end of subscription in a scope, quotes of several, and sales by key.

use adapter_seaorm::{SeaOrmNotices, SeaOrmRenewals};
use chrono::TimeDelta;
use domain_credits::{OperationType, Refusal};
use domain_kernel::{ListQuery, RoleCode, Sort};
use domain_users::{ExpiryFilter, Scope, phone_digits};
use ports::{
    CreditOrder, CustomerQuote, Inserted, Ledger, NoticeQuery, OrderConflict, Quoted, RenewalRepository,
};

use crate::{
    fixture::{ROOT, TestUsers, name, new_user, once, order, snapshot, subtree},
    indexes::plan,
    support::{TestDb, on_both, start},
};

fn within(days: i64) -> ExpiryFilter {
    ExpiryFilter::Within { now: start(), end: start() + TimeDelta::days(days) }
}

const EXPIRED: fn() -> ExpiryFilter = || ExpiryFilter::Expired { now: start() };

/// ana_1 with customers whose subscriptions end on these days from now, and a rival with one.
async fn customers(db: &TestDb) -> TestUsers {
    let users = [
        (ROOT, "ana_1", RoleCode::Agent),
        ("ana_1", "eva_1", RoleCode::Agent),
        (ROOT, "rival_1", RoleCode::Agent),
    ];
    let fixture = TestUsers::with(db, &users).await;
    for (parent, username, days) in [
        ("ana_1", "long_ago", Some(-40)),
        ("eva_1", "yesterday", Some(-1)),
        ("ana_1", "in_two", Some(2)),
        ("eva_1", "in_one", Some(1)),
        ("ana_1", "in_twenty", Some(20)),
        ("ana_1", "never", None),
        ("rival_1", "other", Some(1)),
    ] {
        let user = ports::UserInsert {
            email: format!("{username}@example.com"),
            phone_number: format!("+34 600 000 {:03}", 100 + days.unwrap_or_default()),
            ..new_user(username, RoleCode::App)
        };
        fixture.register(parent, &user).await;
        fixture.expire(username, days.map(|days| start() + TimeDelta::days(days))).await;
    }
    fixture
}

async fn names(db: &TestDb, scope: &Scope, window: ExpiryFilter, query: &ListQuery) -> Vec<String> {
    let page = SeaOrmRenewals(db.database.clone()).list(scope, window, false, query).await.unwrap();
    page.content.iter().map(|renewal| renewal.user.username.to_string()).collect()
}

fn by(field: &str, descending: bool) -> ListQuery {
    ListQuery { size: 100, sort: vec![Sort { field: field.into(), descending }], ..ListQuery::default() }
}

/// A search of the list, with the digits that the use case adds.
fn searching(text: Option<&str>) -> ListQuery {
    let phone_digits = text.and_then(|text| phone_digits(text, None));
    ListQuery { search: text.map(str::to_owned), phone_digits, ..by("expirationDate", false) }
}

on_both! {
    async fn a_window_has_the_customers_of_the_scope_whose_subscription_ends_within_it(db: &TestDb) {
        customers(db).await;
        let (ana, everyone) = (subtree("ana_1"), Scope::Everyone);
        for (scope, window, sort, expected) in [
            (&ana, EXPIRED(), by("expirationDate", true), vec!["yesterday", "long_ago"]),
            (&ana, within(3), by("expirationDate", false), vec!["in_one", "in_two"]),
            (&ana, within(30), by("expirationDate", false), vec!["in_one", "in_two", "in_twenty"]),
            (&ana, within(30), by("expirationDate", true), vec!["in_twenty", "in_two", "in_one"]),
            (&everyone, within(3), by("expirationDate", false), vec!["in_one", "other", "in_two"]),
            (&subtree("eva_1"), within(30), by("expirationDate", false), vec!["in_one"]),
            (&subtree("in_one"), within(30), by("expirationDate", false), vec![]),
            (&Scope::Nobody, within(30), by("expirationDate", false), vec![]),
        ] {
            assert_eq!(names(db, scope, window, &sort).await, expected, "{scope:?} {window:?}");
        }
        let page = ListQuery { page: 1, size: 2, ..by("expirationDate", false) };
        assert_eq!(names(db, &ana, within(30), &page).await, ["in_twenty"]);
    }

    async fn counts_and_searches_agree_with_the_list(db: &TestDb) {
        customers(db).await;
        let renewals = SeaOrmRenewals(db.database.clone());
        let windows = [EXPIRED(), within(1), within(3), within(7), within(30)];
        for scope in [subtree("ana_1"), subtree("eva_1"), subtree("rival_1"), Scope::Everyone, Scope::Nobody] {
            for search in [None, Some("in_"), Some("persona in"), Some("600 000 102"), Some("600-000 102"), Some("YESTERDAY@exam"), Some("tw"), Some("zzz")] {
                let query = searching(search);
                let counts = renewals.count(&scope, &windows, false, &query).await.unwrap();
                for (window, count) in windows.into_iter().zip(counts) {
                    let found = names(db, &scope, window, &query).await;
                    assert_eq!(found.len() as u64, count, "{scope:?} {window:?} {search:?}");
                }
            }
        }
        let counts = async |search| {
            renewals.count(&subtree("ana_1"), &windows, false, &searching(search)).await.unwrap()
        };
        assert_eq!(counts(None).await, [2, 0, 2, 2, 3]);
        for phone in ["600 000 102", "600000102", "(600) 000-102", "+34600000102", "0034 600000102"] {
            assert_eq!(counts(Some(phone)).await, [0, 0, 1, 1, 1], "{phone}");
        }
        assert_eq!(counts(Some("yesterday@example")).await, [1, 0, 0, 0, 0]);
        assert!(renewals.count(&Scope::Everyone, &[], false, &searching(None)).await.unwrap().is_empty());
    }

    async fn a_quote_equals_the_sales_in_its_order(db: &TestDb) {
        let fixture = customers(db).await;
        fixture.stock("ana_1", 5).await;
        let wanted = [("in_one", 3), ("in_two", 4), ("other", 1), ("eva_1", 1), ("ana_1", 1), ("IN_TWENTY", 2), ("nobody", 1)];
        let before = snapshot(db).await;
        let renewals: Vec<_> = wanted.iter().map(|(username, months)| (name(username), *months)).collect();
        let quoted = fixture.ledger.quote_renewals(&name("ana_1"), &renewals, start()).await.unwrap();
        assert_eq!(snapshot(db).await, before, "a quote moves nothing");
        assert_eq!((quoted.stock_before, quoted.stock_after()), (Some(5), Some(0)));
        for ((username, months), quoted) in wanted.iter().zip(quoted.customers) {
            let order = order("ana_1", OperationType::AddCredits, username, *months);
            let end = quoted.expiration;
            match (quoted.quoted, fixture.try_post(&order).await.unwrap()) {
                (Quoted::Quote(quote), Inserted::New(movement)) => {
                    assert_eq!(end, quote.before.expiration, "{username}");
                    assert_eq!(movement.expiration_after, quote.transfer.target.expiration, "{username}");
                }
                (Quoted::Hidden, Inserted::Conflict(OrderConflict::Hidden)) => assert_eq!(end, None, "{username}"),
                (Quoted::Refused(quoted), Inserted::Conflict(OrderConflict::Refused(refused))) => assert_eq!(quoted, refused, "{username}"),
                (quoted, posted) => panic!("{username}: {quoted:?}, and then {posted:?}"),
            }
        }
        assert_eq!(fixture.balances("ana_1").await, (0, 0));
        let by_root = fixture.ledger.quote_renewals(&name(ROOT), &renewals[..2], start()).await.unwrap();
        assert_eq!((by_root.stock_before, by_root.stock_after()), (None, None));
        let by_nobody = fixture.ledger.quote_renewals(&name("nobody"), &renewals[..1], start()).await.unwrap();
        let refused = CustomerQuote { expiration: None, quoted: Quoted::Refused(Refusal::NotActive) };
        assert_eq!(by_nobody.customers, [refused]);
    }

    async fn sales_are_found_by_the_keys_of_their_performer(db: &TestDb) {
        let fixture = customers(db).await;
        fixture.stock("ana_1", 5).await;
        let sell = async |target: &str, key: &str| {
            let order = CreditOrder {
                once: Some(once("ana_1", key, "body")),
                ..order("ana_1", OperationType::AddCredits, target, 2)
            };
            fixture.try_post(&order).await.unwrap()
        };
        sell("in_one", "first").await;
        sell("in_two", "second").await;
        assert!(matches!(sell("in_twenty", "third").await, Inserted::Conflict(OrderConflict::Refused(_))));
        let keys = ["second", "first", "third", "fourth"].map(str::to_owned);
        let found = fixture.ledger.done_under(&name("ana_1"), &keys).await.unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|(key, movement)| (key.as_str(), movement.target_user.username.as_str(), movement.amount))
            .collect();
        assert_eq!(found, [("first", "in_one", 2), ("second", "in_two", 2)]);
        assert!(fixture.ledger.done_under(&name("rival_1"), &keys).await.unwrap().is_empty());
    }

    async fn lists_and_notices_do_not_read_other_customers(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        for username in ["ana_1", "rival_1"] {
            fixture.add(ROOT, username, RoleCode::Agent).await;
        }
        insert_customers(db).await;
        let renewals = SeaOrmRenewals(db.database.clone());
        let notices = SeaOrmNotices(db.database.clone());
        for (scope, index) in [(subtree("ana_1"), "users_by_lineage"), (Scope::Everyone, "users_by_deadline")] {
            let bell = NoticeQuery {
                reader: name("ana_1"),
                scope: scope.clone(),
                expiring: within(7),
                expired: EXPIRED(),
                for_admins: true,
            };
            let mut statements = vec![notices.statement(&bell)];
            for window in [EXPIRED(), within(1), within(7)] {
                for query in [by("expirationDate", false), ListQuery { page: 3, ..by("expirationDate", true) }] {
                    statements.extend(renewals.statements(&scope, window, &query));
                }
            }
            for statement in statements {
                let plan = plan(db, &statement, false).await;
                let whole = format!("{scope:?}\n{}\n{}", statement.sql, plan.join("\n"));
                assert!(plan.iter().any(|line| line.contains(index)), "{whole}");
                let scans = ["SCAN m", "Seq Scan on users"];
                assert!(!plan.iter().any(|line| scans.iter().any(|scan| line.trim_end().ends_with(scan) || line.contains(&format!("{scan} ")))), "{whole}");
            }
            // Matches are found by the search index for any text. For so few customers PostgreSQL
            // may also scan all dates: its estimate of the matches depends on the sample of
            // ANALYZE.
            for search in ["customer_77", "600 000 077"] {
                let query = searching(Some(search));
                for statement in renewals.statements(&Scope::Everyone, within(7), &query) {
                    let plan = plan(db, &statement, false).await.join("\n");
                    assert!(!plan.contains("Seq Scan on users f"), "{}\n{plan}", statement.sql);
                    let sign = if db.is_sqlite() { "VIRTUAL TABLE INDEX" } else { "users_by_" };
                    assert!(plan.contains(sign), "{}\n{plan}", statement.sql);
                }
            }
        }
    }
}

/// 20,000 customers of the rival and 500 of ana, whose subscriptions end within two hundred days
/// before or after now.
async fn insert_customers(db: &TestDb) {
    let date = if db.is_sqlite() {
        "strftime('%Y-%m-%dT%H:%M:%f+00:00', '2026-11-20 10:00:00', (i % 400 - 200) || ' days')"
    } else {
        "TIMESTAMPTZ '2026-11-20 10:00:00+00' + (i % 400 - 200) * INTERVAL '1 day'"
    };
    let now = "'2026-11-20T10:00:00.000+00:00'";
    for (agent, from, to) in [("rival_1", 1, 20_000), ("ana_1", 20_001, 20_500)] {
        db.fill(&format!(
            "WITH RECURSIVE n(i) AS (SELECT {from} UNION ALL SELECT i + 1 FROM n WHERE i < {to}) \
             INSERT INTO users (username, username_key, full_name, full_name_key, search_text, email, phone_number, role, \
             status, expiration_date, subscription_started, lineage, registered_by_id, created_date, updated_date) \
             SELECT 'customer_' || i, 'customer_' || i, 'Customer ' || i, 'customer ' || i, \
             'customer_' || i || ' 600000' || i, 'c@example.com', '600000' || i, 'app', 'ACTIVE', {date}, true, \
             a.lineage || a.id || '/', a.id, {now}, {now} FROM n, users a WHERE a.username_key = '{agent}'"
        ))
        .await;
    }
    db.fill("ANALYZE").await;
}
