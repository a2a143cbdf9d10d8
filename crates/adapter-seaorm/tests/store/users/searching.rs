//! Searches in the list of users: names, beginnings of names, phone numbers and e-mail addresses.

use std::collections::BTreeSet;

use domain_kernel::{Filter, ListQuery, RoleCode};
use domain_users::{CallingCode, Scope, User, phone_digits};
use ports::{ListRows, UserFilter, UserInsert, UserRepository};

use super::{
    agents_with_customers,
    listing::{by, insert_users, names, text_filter},
};
use crate::{
    fixture::{ROOT, TestUsers, name, new_user, subtree},
    support::{TestDb, on_both},
};

async fn found(fixture: &TestUsers, search: &str) -> BTreeSet<String> {
    let query = ListQuery { search: Some(search.into()), size: 1000, ..ListQuery::default() };
    let page = fixture.users.list(&Scope::Everyone, &query, None).await.unwrap();
    assert_eq!(page.total_elements, page.content.len() as u64, "{search}");
    page.content.iter().map(|user| user.username.to_string()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A search, with the digits that the use case adds.
fn by_phone(text: &str, country: Option<CallingCode>) -> ListQuery {
    ListQuery { search: Some(text.into()), phone_digits: phone_digits(text, country), ..by("id", false) }
}

fn beginning(text: &str) -> Filter {
    text_filter("startsWith", text)
}

on_both! {
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
