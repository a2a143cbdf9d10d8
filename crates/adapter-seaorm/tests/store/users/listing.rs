//! The list of users: scope, orders, filters and search.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Filter, FilterValue, ListQuery, RoleCode, Sort};
use domain_users::{CallingCode, ExpiryFilter, Scope, User, UserStatus, phone_digits};
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
async fn insert_users(db: &TestDb, users: u64) -> TestUsers {
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

async fn names(
    fixture: &TestUsers,
    scope: &Scope,
    query: &ListQuery,
    deadline: Option<ExpiryFilter>,
) -> Vec<String> {
    let page = fixture.users.list(scope, query, deadline).await.unwrap();
    page.content.iter().map(|user| user.username.to_string()).collect()
}

async fn found(fixture: &TestUsers, search: &str) -> BTreeSet<String> {
    let query = ListQuery { search: Some(search.into()), size: 1000, ..ListQuery::default() };
    let page = fixture.users.list(&Scope::Everyone, &query, None).await.unwrap();
    assert_eq!(page.total_elements, page.content.len() as u64, "{search}");
    page.content.iter().map(|user| user.username.to_string()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn by(field: &str, descending: bool) -> ListQuery {
    ListQuery { size: 1000, sort: vec![Sort { field: field.into(), descending }], ..ListQuery::default() }
}

/// A search, with the digits that the use case adds.
fn by_phone(text: &str, country: Option<CallingCode>) -> ListQuery {
    ListQuery { search: Some(text.into()), phone_digits: phone_digits(text, country), ..by("id", false) }
}

fn text_filter(field: &str, text: &str) -> Filter {
    Filter { field: field.into(), value: FilterValue::Text(text.into()) }
}

fn beginning(text: &str) -> Filter {
    text_filter("startsWith", text)
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

    async fn users_are_found_by_a_prefix_of_their_full_name_or_username(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        for (username, full_name) in [
            ("ana_gil", "Gil, Ana"),
            ("susana", "Susana Ruiz"),
            ("xyz", "¿Ána López?"),
            ("anabel", "Zoe"),
            ("z_ana", "Marta"),
            ("ana", "Bel Mora"),
        ] {
            let full_name = full_name.to_owned();
            fixture.register(ROOT, &UserInsert { full_name, ..new_user(username, RoleCode::App) }).await;
        }
        for (text, expected) in [
            ("ana", vec!["ana_gil", "xyz", "anabel", "ana"]),
            ("ANÁ", vec!["ana_gil", "xyz", "anabel", "ana"]),
            ("ana_", vec!["ana_gil"]),
            ("ana l", vec!["xyz"]),
            ("ana b", vec![]),
            ("¿an", vec!["xyz"]),
            ("gil", vec!["ana_gil"]),
            ("%", vec![]),
        ] {
            for search in [None, Some("a")] {
                let query = ListQuery { search: search.map(str::to_owned), ..by("id", false) };
                let query = ListQuery { filters: vec![beginning(text)], ..query };
                let page = fixture.users.list(&Scope::Everyone, &query, None).await.unwrap();
                let found: Vec<_> = page.content.iter().map(|user| user.username.to_string()).collect();
                assert_eq!(found, expected, "{text}");
                assert_eq!(page.total_elements, expected.len() as u64, "{text}");
            }
        }
    }

    async fn a_prefix_search_stays_within_the_scope(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let query = |text: &str| ListQuery { filters: vec![beginning(text)], ..by("id", false) };
        assert_eq!(names(&fixture, &subtree("ana_1"), &query("eva"), None).await, ["eva_1", "eva_app"]);
        assert_eq!(names(&fixture, &subtree("ana_1"), &query("persona"), None).await.len(), 5);
        assert!(names(&fixture, &subtree("ana_1"), &query("rival"), None).await.is_empty());
        assert!(names(&fixture, &Scope::Nobody, &query("eva"), None).await.is_empty());
        let matching = fixture.users.matching_names(&Scope::Everyone, &query("rival_a"), None, 10).await.unwrap();
        assert_eq!(matching, [name("rival_app")]);
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

    async fn a_common_prefix_has_consistent_pages(db: &TestDb) {
        let fixture = insert_users(db, 90).await;
        for text in ["q", "a", "ñ"] {
            let all_users = fixture.users.list(&Scope::Everyone, &by("fullName", false), None).await.unwrap().content;
            let begins = |user: &User| {
                let key = domain_kernel::order_key(&user.full_name);
                key.starts_with(&domain_kernel::order_key(text)) || user.username.key().starts_with(text)
            };
            let expected: Vec<User> = all_users.into_iter().filter(begins).collect();
            for size in [1, 1000] {
                let query = ListQuery { size, filters: vec![beginning(text)], ..by("fullName", false) };
                let page = fixture.users.list(&Scope::Everyone, &query, None).await.unwrap();
                assert_eq!(page.total_elements, expected.len() as u64, "{text}");
                assert_eq!(page.content, expected[..expected.len().min(size as usize)], "{text}");
            }
        }
    }

    async fn users_are_found_by_phone_and_email_too(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        fixture
            .edit("eva_app", |change| {
                change.email = "Compras@Librería.example".into();
                change.phone_number = "+34 612-345-678".into();
            })
            .await;
        let search = |text: &str| by_phone(text, None);
        for text in [
            "compras@libreria", "COMPRAS@LIBRERÍA.EXAMPLE", "612345678", "612-345", "+34 612", "45678",
            "612 345 678", "(612) 345-678", "+34612345678", "0034 612 34 56 78", "34-612.345.678", "6123 45",
        ] {
            assert_eq!(names(&fixture, &Scope::Everyone, &search(text), None).await, ["eva_app"], "{text}");
            assert_eq!(names(&fixture, &subtree("eva_1"), &search(text), None).await, ["eva_app"], "{text}");
            assert!(names(&fixture, &subtree("rival_1"), &search(text), None).await.is_empty(), "{text}");
            // A bulk operation and an export find them, too.
            let matching = fixture.users.matching_names(&Scope::Everyone, &search(text), None, 10).await.unwrap();
            assert_eq!(matching, [name("eva_app")], "{text}");
            let filter = UserFilter { scope: Scope::Everyone, deadline: None };
            let ids = fixture.users.ids(&filter, &search(text), 10).await.unwrap();
            assert_eq!(fixture.users.rows(&filter, &ids).await.unwrap()[0].username, name("eva_app"), "{text}");
        }
        // The same characters in a name are found as typed, and the stored text is unchanged.
        fixture.edit("leo_app", |change| change.full_name = "Local 12-345".into()).await;
        assert_eq!(names(&fixture, &Scope::Everyone, &search("12-345"), None).await, ["eva_app", "leo_app"]);
        assert!(names(&fixture, &Scope::Everyone, &search("612 999 678"), None).await.is_empty());
        let stored = fixture.users.find(&Scope::Everyone, &name("eva_app")).await.unwrap().unwrap();
        assert_eq!((stored.phone_number.as_str(), stored.email.as_str()), ("+34 612-345-678", "Compras@Librería.example"));
    }

    async fn a_national_number_is_found_with_and_without_its_calling_code(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        fixture.edit("eva_app", |change| change.phone_number = "600 111 222".into()).await;
        fixture.edit("leo_app", |change| change.phone_number = "+34 600 111 222".into()).await;
        let spain = CallingCode::parse("34");
        for text in ["600111222", "600 111 222", "+34 600 111 222", "0034600111222", "+34 600-111"] {
            let found = names(&fixture, &Scope::Everyone, &by_phone(text, spain), None).await;
            assert_eq!(found, ["eva_app", "leo_app"], "{text}");
        }
        let elsewhere = by_phone("+351 600 111 222", spain);
        assert!(names(&fixture, &Scope::Everyone, &elsewhere, None).await.is_empty());
        // As typed in a name, too.
        fixture.edit("ana_app", |change| change.full_name = "Ana +34 600 111 222".into()).await;
        let typed = by_phone("+34 600 111 222", spain);
        assert_eq!(names(&fixture, &Scope::Everyone, &typed, None).await, ["ana_app", "eva_app", "leo_app"]);
    }

    async fn a_number_with_its_zero_in_parentheses_is_found_as_it_is_stored(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        fixture.edit("eva_app", |change| change.phone_number = "+44 (0)20 7946 0958".into()).await;
        for country in [None, CallingCode::parse("34"), CallingCode::parse("44")] {
            for text in [
                "+44 (0)20 7946 0958", "+44 (0)20", "(0)20 7946", "0044 (0) 20-7946-0958", "+44(0)2079460958",
                "020 7946 0958", "7946 0958", "+44 20 7946 0958", "0044 20 7946", "442079460958",
            ] {
                let found = names(&fixture, &Scope::Everyone, &by_phone(text, country), None).await;
                assert_eq!(found, ["eva_app"], "{country:?}: {text}");
            }
        }
    }

    async fn numbers_with_a_zero_in_parentheses_that_are_stored_already_are_found_without_it(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        for (username, phone_number) in [
            ("eva_app", "+44 (0)20 7946 0958"), ("leo_app", "0044 ( 0 ) 20 7946"), ("ana_app", "+39 (0)6 6982 1234"),
            ("rival_app", "(0)20 7946 0958"), ("leo_1", "+44 (20) 7946 0958"),
        ] {
            fixture.edit(username, |change| change.phone_number = phone_number.into()).await;
        }
        let searched = async || -> Vec<String> {
            let rows = db.rows("SELECT search_text FROM users ORDER BY id").await;
            rows.iter().map(|row| row.try_get("", "search_text").unwrap()).collect()
        };
        let expected = searched().await;
        // The digits were stored as they are written only.
        for line in ["442079460958", "44207946"] {
            db.run(&format!(
                "UPDATE users SET search_text = replace(search_text, '\n{line}', '') WHERE username_key IN ('eva_app', 'leo_app')"
            ))
            .await;
        }
        assert_eq!(searched().await.iter().zip(&expected).filter(|(now, before)| now != before).count(), 2);
        db.run("DELETE FROM seaql_migrations WHERE version LIKE '%_000160_%'").await;
        db.database.migrate(migrations::migrate).await.unwrap();
        assert_eq!(searched().await, expected);
        let found = names(&fixture, &Scope::Everyone, &by_phone("+44 20 7946", None), None).await;
        assert_eq!(found, ["eva_app", "leo_1", "leo_app"]);
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

    async fn the_search_ignores_accents_and_case_and_has_no_wildcards(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        for (username, full_name) in [
            ("one_1", "Corazón Núñez"),
            ("two_2", "100% seguro"),
            ("three3", "O'Neill \"Neo\""),
            ("four_4", r"back\slash"),
            ("fives", "Zoë"),
        ] {
            let full_name = full_name.to_owned();
            fixture.register(ROOT, &UserInsert { full_name, ..new_user(username, RoleCode::App) }).await;
        }
        for (search, expected) in [
            ("corazon", set(&["one_1"])),
            ("CORAZÓN nu", set(&["one_1"])),
            ("nunez", set(&["one_1"])),
            ("%", set(&["two_2"])),
            ("0%", set(&["two_2"])),
            ("_", set(&["Root_1", "one_1", "two_2", "four_4"])),
            ("_4", set(&["four_4"])),
            ("'", set(&["three3"])),
            ("o'n", set(&["three3"])),
            ("\"", set(&["three3"])),
            ("\"neo\"", set(&["three3"])),
            (r"\", set(&["four_4"])),
            (r"k\s", set(&["four_4"])),
            ("zo", set(&["fives", "one_1"])),
            ("z", set(&["Root_1", "fives", "one_1"])),
            ("zoe", set(&["fives"])),
            ("neo OR two", set(&[])),
            ("two*", set(&[])),
            ("nobody", set(&[])),
            ("superadmin", set(&["Root_1"])),
            ("raiz", set(&["Root_1"])),
        ] {
            assert_eq!(found(&fixture, search).await, expected, "{search}");
        }
        assert_eq!(found(&fixture, "usuario").await.len(), 5, "roles are found by the name users read");
        assert_eq!(found(&fixture, "   ").await.len(), 6, "blank is no search");
        fixture.edit("one_1", |change| change.full_name = "Otro Nombre".into()).await;
        assert_eq!(found(&fixture, "corazon").await, set(&[]));
        assert_eq!(found(&fixture, "otro").await, set(&["one_1"]));
    }
}
