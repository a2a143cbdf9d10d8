//! The list of users: scope, orders and filters.

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Filter, FilterValue, ListQuery, RoleCode, Sort};
use domain_users::{ExpiryFilter, Scope, User, UserStatus};
use ports::{ListRows, RegistrarChange, UserFilter, UserInsert, UserRepository};

use super::agents_with_customers;
use crate::{
    fixture::{ROOT, TestUsers, name, new_user, subtree},
    support::{Rng, TestDb, after, on_both, start},
};

const SORTS: [&str; 11] = [
    "id",
    "username",
    "fullName",
    "role",
    "credits",
    "saleCredits",
    "expirationDate",
    "signIns",
    "status",
    "createdDate",
    "updatedDate",
];

/// So many users of all roles, registered by the root.
pub async fn insert_users(db: &TestDb, users: u64) -> TestUsers {
    let fixture = TestUsers::of(db).await;
    let mut rng = Rng(7);
    let first = ["Ana", "Álvaro", "Zoe", "Ñuño", "ana", "Eva", "Óscar", "_x_", "100% %", "Bo"];
    for number in 0..users {
        let role = RoleCode::ALL[usize::try_from(rng.roll(5)).unwrap()];
        let status = UserStatus::ALL[usize::try_from(rng.roll(3)).unwrap()];
        let full_name = format!("{} {}", first[usize::try_from(rng.roll(10)).unwrap()], rng.roll(4));
        let username =
            format!("{}_{number}", ["p", "Q", "Z"][usize::try_from(rng.roll(3)).unwrap()].repeat(3));
        let user = UserInsert { full_name, status, ..new_user(&username, role) };
        fixture.register(ROOT, &user).await;
        if rng.roll(3) > 0 {
            let date = after(i64::try_from(rng.roll(40)).unwrap() * 60 * 24 - 10 * 60 * 24);
            fixture.expire(&username, Some(date)).await;
        }
        let amount = i64::try_from(rng.roll(3)).unwrap();
        if amount > 0 && role == RoleCode::Agent {
            fixture.stock(&username, amount).await;
        }
    }
    fixture
}

pub async fn names(
    fixture: &TestUsers,
    scope: &Scope,
    query: &ListQuery,
    deadline: Option<ExpiryFilter>,
) -> Vec<String> {
    let page = fixture.users.list(scope, query, deadline).await.unwrap();
    page.content.iter().map(|user| user.username.to_string()).collect()
}

pub fn by(field: &str, descending: bool) -> ListQuery {
    ListQuery { size: 1000, sort: vec![Sort { field: field.into(), descending }], ..ListQuery::default() }
}

pub fn text_filter(field: &str, text: &str) -> Filter {
    Filter { field: field.into(), value: FilterValue::Text(text.into()) }
}

/// The sort key of a user as text.
fn key(user: &User, field: &str) -> String {
    let moment = |date: DateTime<Utc>| date.to_rfc3339_opts(chrono::SecondsFormat::Micros, true);
    match field {
        "username" => user.username.key(),
        "fullName" => domain_kernel::order_key(&user.full_name),
        "role" => user.role.code().into(),
        "credits" => format!("{:020}", user.credits),
        "saleCredits" => format!("{:020}", user.sale_credits),
        "expirationDate" => user.expiration_date.map_or_else(|| "~".into(), moment),
        "signIns" => format!("{:020}", user.sign_ins),
        "status" => user.status.code().into(),
        "createdDate" => moment(user.created_date),
        "updatedDate" => moment(user.updated_date),
        _ => String::new(),
    }
}

on_both! {
    async fn an_agent_sees_only_its_subtree_at_any_depth(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        for (agent, users) in [
            ("ana_1", vec!["ana_app", "eva_1", "eva_app", "leo_1", "leo_app"]),
            ("eva_1", vec!["eva_app", "leo_1", "leo_app"]),
            ("leo_1", vec!["leo_app"]),
            ("rival_1", vec!["rival_app"]),
            ("RIVAL_1", vec!["rival_app"]),
            ("nobody", vec![]),
        ] {
            let scope = subtree(agent);
            assert_eq!(names(&fixture, &scope, &by("id", false), None).await, users, "{agent}");
            let total = fixture.users.list(&scope, &ListQuery::default(), None).await.unwrap().total_elements;
            assert_eq!(total, users.len() as u64);
            for other in ["Root_1", "ana_1", "ana_app", "eva_1", "eva_app", "leo_1", "leo_app", "rival_1", "rival_app"] {
                let sees = users.contains(&other) || agent.eq_ignore_ascii_case(other);
                assert_eq!(fixture.users.find(&scope, &name(other)).await.unwrap().is_some(), sees, "{agent} {other}");
            }
        }
        assert_eq!(names(&fixture, &Scope::Everyone, &by("id", false), None).await.len(), 9);
        assert!(names(&fixture, &Scope::Nobody, &by("id", false), None).await.is_empty());
        assert_eq!(fixture.users.find(&Scope::Nobody, &name("ana_1")).await.unwrap(), None);
    }

    async fn filters_and_searches_stay_within_the_scope(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let scope = subtree("ana_1");
        let filtered = |field: &str, code: &'static str| ListQuery {
            filters: vec![Filter { field: field.into(), value: FilterValue::Code(code) }],
            ..by("id", false)
        };
        assert_eq!(names(&fixture, &scope, &filtered("roleCode", "agent"), None).await, ["eva_1", "leo_1"]);
        assert!(names(&fixture, &scope, &filtered("roleCode", "admin"), None).await.is_empty());
        assert_eq!(names(&fixture, &scope, &filtered("status", "ACTIVE"), None).await.len(), 5);
        let search = |text: &str| ListQuery { search: Some(text.into()), ..by("id", false) };
        assert_eq!(names(&fixture, &scope, &search("app"), None).await, ["ana_app", "eva_app", "leo_app"]);
        assert!(names(&fixture, &scope, &search("rival"), None).await.is_empty());
        assert!(names(&fixture, &scope, &search("iv"), None).await.is_empty());
    }

    async fn users_are_filtered_by_their_registrar_or_any_user_above(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        for (field, username, expected) in [
            ("registeredBy", "ana_1", vec!["ana_app", "eva_1"]),
            ("registeredBy", "ANA_1", vec!["ana_app", "eva_1"]),
            ("registeredBy", "leo_1", vec!["leo_app"]),
            ("registeredBy", "leo_app", vec![]),
            ("registeredBy", "nobody", vec![]),
            ("beneath", "ana_1", vec!["ana_app", "eva_1", "eva_app", "leo_1", "leo_app"]),
            ("beneath", "Eva_1", vec!["eva_app", "leo_1", "leo_app"]),
            ("beneath", "nobody", vec![]),
        ] {
            let query = ListQuery { filters: vec![text_filter(field, username)], ..by("id", false) };
            let page = fixture.users.list(&Scope::Everyone, &query, None).await.unwrap();
            let found: Vec<_> = page.content.iter().map(|user| user.username.to_string()).collect();
            assert_eq!(found, expected, "{field} {username}");
            assert_eq!(page.total_elements, expected.len() as u64, "{field} {username}");
            // A bulk operation and an export find them, too.
            let matching = fixture.users.matching_names(&Scope::Everyone, &query, None, 10).await.unwrap();
            assert_eq!(matching, expected.iter().map(|one| name(one)).collect::<Vec<_>>(), "{field} {username}");
            let filter = UserFilter { scope: Scope::Everyone, deadline: None };
            let ids = fixture.users.ids(&filter, &query, 10).await.unwrap();
            assert_eq!(fixture.users.rows(&filter, &ids).await.unwrap(), page.content, "{field} {username}");
            // Nothing outside of the scope of an agent, with any filter.
            assert!(names(&fixture, &subtree("rival_1"), &query, None).await.is_empty(), "{field} {username}");
        }
        let within = |field: &str| ListQuery { filters: vec![text_filter(field, "ana_1")], ..by("id", false) };
        assert_eq!(names(&fixture, &subtree("eva_1"), &within("beneath"), None).await, ["eva_app", "leo_1", "leo_app"]);
        assert!(names(&fixture, &subtree("eva_1"), &within("registeredBy"), None).await.is_empty());
        // A customer who is moved is found where they are now.
        fixture.edit("rival_app", |change| change.registrar = RegistrarChange::Becomes(Some(name("leo_1")))).await;
        assert_eq!(names(&fixture, &Scope::Everyone, &within("beneath"), None).await.len(), 6);
    }

    async fn users_are_filtered_by_ranges_of_time(db: &TestDb) {
        let fixture = insert_users(db, 60).await;
        let all_users = fixture.users.list(&Scope::Everyone, &by("id", false), None).await.unwrap().content;
        for (field, moment) in [
            ("expirationDate", start()),
            ("expirationDate", after(60 * 24 * 10)),
            ("createdDate", start()),
            ("createdDate", after(1)),
        ] {
            let value = |user: &User| match field {
                "createdDate" => Some(user.created_date),
                _ => user.expiration_date.filter(|_| user.role == RoleCode::App),
            };
            for (bound, is_end) in [("From", false), ("To", true)] {
                let expected: Vec<User> = all_users
                    .iter()
                    .filter(|user| value(user).is_some_and(|value| (value < moment) == is_end))
                    .cloned()
                    .collect();
                let filter = Filter { field: format!("{field}{bound}"), value: FilterValue::Moment(moment) };
                for size in [1000, 3] {
                    let query = ListQuery { size, filters: vec![filter.clone()], ..by("id", false) };
                    let page = fixture.users.list(&Scope::Everyone, &query, None).await.unwrap();
                    assert_eq!(page.total_elements, expected.len() as u64, "{field}{bound} {moment}");
                    assert_eq!(page.content, expected[..expected.len().min(size as usize)], "{field}{bound} {moment}");
                }
            }
        }
    }

    async fn every_order_works_both_ways_and_users_without_expiration_are_last(db: &TestDb) {
        let fixture = insert_users(db, 60).await;
        let all_users = fixture.users.list(&Scope::Everyone, &by("id", false), None).await.unwrap().content;
        assert_eq!(all_users.len(), 61);
        let place = |user: &User| all_users.iter().position(|one| one == user).unwrap();
        for field in SORTS {
            let mut expected = all_users.clone();
            expected.sort_by_key(|user| (key(user, field), place(user)));
            let up = fixture.users.list(&Scope::Everyone, &by(field, false), None).await.unwrap().content;
            let down = fixture.users.list(&Scope::Everyone, &by(field, true), None).await.unwrap().content;
            assert_eq!(up, expected, "{field}");
            expected.reverse();
            assert_eq!(down, expected, "{field} descending");
        }
        let up = fixture.users.list(&Scope::Everyone, &by("expirationDate", false), None).await.unwrap().content;
        let never = up.iter().position(|user| user.expiration_date.is_none()).unwrap();
        assert!(never > 10 && up[never..].iter().all(|user| user.expiration_date.is_none()));
    }

    async fn usernames_are_ordered_byte_by_byte(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        for username in ["ANAZ", "ana_b", "ana1b", "anab", "ana_1", "ana1"] {
            fixture.register(ROOT, &new_user(username, RoleCode::App)).await;
        }
        let ordered = ["ana1", "ana1b", "ana_1", "ana_b", "anab", "ANAZ", ROOT];
        let reversed: Vec<&str> = ordered.iter().rev().copied().collect();
        assert_eq!(names(&fixture, &Scope::Everyone, &by("username", false), None).await, ordered);
        assert_eq!(names(&fixture, &Scope::Everyone, &by("username", true), None).await, reversed);
        for (page, expected) in (0..).zip(ordered) {
            let query = ListQuery { page, size: 1, ..by("username", false) };
            assert_eq!(names(&fixture, &Scope::Everyone, &query, None).await, [expected], "page {page}");
        }
        if !db.is_sqlite() {
            // Earlier versions had the order of the database's language.
            db.run(
                "DROP INDEX users_by_username_key; ALTER TABLE users ALTER COLUMN username_key TYPE text COLLATE \"default\"; \
                 DELETE FROM seaql_migrations WHERE version LIKE '%_000113_%'",
            )
            .await;
            db.database.migrate(migrations::migrate).await.unwrap();
            assert_eq!(names(&fixture, &Scope::Everyone, &by("username", false), None).await, ordered);
        }
    }

    async fn pages_have_every_user_once(db: &TestDb) {
        let fixture = insert_users(db, 43).await;
        for field in ["role", "expirationDate", "fullName"] {
            for descending in [false, true] {
                let whole = by(field, descending);
                let expected = names(&fixture, &Scope::Everyone, &whole, None).await;
                let mut seen = Vec::new();
                for page in 0..8 {
                    let query = ListQuery { page, size: 7, ..whole.clone() };
                    let page = fixture.users.list(&Scope::Everyone, &query, None).await.unwrap();
                    assert_eq!((page.total_elements, page.total_pages), (44, 7));
                    seen.extend(page.content.iter().map(|user| user.username.to_string()));
                }
                assert_eq!(seen, expected, "{field}");
            }
        }
    }

    async fn filters_and_totals_agree_with_the_users(db: &TestDb) {
        let fixture = insert_users(db, 50).await;
        let all_users = fixture.users.list(&Scope::Everyone, &by("id", false), None).await.unwrap().content;
        for role in RoleCode::ALL {
            for status in UserStatus::ALL {
                let filters = vec![
                    Filter { field: "roleCode".into(), value: FilterValue::Code(role.code()) },
                    Filter { field: "status".into(), value: FilterValue::Code(status.code()) },
                ];
                let query = ListQuery { filters, ..by("id", false) };
                let page = fixture.users.list(&Scope::Everyone, &query, None).await.unwrap();
                let expected: Vec<User> =
                    all_users.iter().filter(|one| one.role == *role && one.status == *status).cloned().collect();
                assert_eq!((page.total_elements, &page.content), (expected.len() as u64, &expected));
            }
        }
    }

    async fn deadlines_select_the_matching_users(db: &TestDb) {
        let fixture = insert_users(db, 60).await;
        let all_users = fixture.users.list(&Scope::Everyone, &by("id", false), None).await.unwrap().content;
        let app = all_users.iter().find(|one| one.role == RoleCode::App).unwrap().username.to_string();
        let month_end = "2026-12-01T00:00:00Z".parse().unwrap();
        let deadlines =
            [ExpiryFilter::Expired { now: start() }, ExpiryFilter::AboutToExpire { now: start(), month_end }];
        // The exact times at the boundaries of the rules.
        let edges = [start(), start() - chrono::TimeDelta::milliseconds(1), month_end, month_end - chrono::TimeDelta::milliseconds(1)];
        for edge in [None].into_iter().chain(edges.map(Some)) {
            fixture.expire(&app, edge).await;
            let all_users = fixture.users.list(&Scope::Everyone, &by("id", false), None).await.unwrap().content;
            for deadline in deadlines {
                let expected: Vec<User> =
                    all_users.iter().filter(|one| deadline.holds(one.role, one.expiration_date)).cloned().collect();
                for size in [1000, 3] {
                    let query = ListQuery { size, ..by("id", false) };
                    let page = fixture.users.list(&Scope::Everyone, &query, Some(deadline)).await.unwrap();
                    assert_eq!(page.total_elements, expected.len() as u64, "{deadline:?} {edge:?}");
                    assert_eq!(page.content, expected[..expected.len().min(size as usize)]);
                }
                assert!(names(&fixture, &subtree(&app), &by("id", false), Some(deadline)).await.is_empty());
            }
        }
    }
}
