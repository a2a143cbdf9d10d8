//! Saved views of concurrent requests.

use adapter_seaorm::SeaOrmSavedViews;
use domain_kernel::{Actor, RoleCode};
use domain_settings::{MOST_SAVED_VIEWS, SavedView};
use ports::{SavedViewConflict, SavedViewRepository, Written};
use sea_orm::{ConnectionTrait, TransactionTrait};

use crate::{
    audited::admin,
    fixture::{ROOT, TestUsers, name},
    support::{TestDb, after, on_both},
};

fn view(name: &str) -> SavedView {
    SavedView {
        list: "users".into(),
        name: name.into(),
        query: String::new(),
        hidden_columns: None,
        shared_with: None,
    }
}

on_both! {
    async fn two_requests_do_not_exceed_the_number_of_views(db: &TestDb) {
        TestUsers::of(db).await;
        let views = SeaOrmSavedViews(db.database.clone());
        let saved = views.save(&admin(), None, &view("1"), after(0)).await.unwrap();
        assert!(matches!(saved, Written::Done(_)), "{saved:?}");
        // Copies with these numbers.
        let copies = |first: u64, last: u64| {
            format!(
                "WITH RECURSIVE numbers(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM numbers WHERE n < {last}) \
                 INSERT INTO saved_views (owner_id, list, name, name_key, query, created_date, updated_date) \
                 SELECT owner_id, list, 'v' || n, 'v' || n, query, created_date, updated_date \
                 FROM saved_views, numbers WHERE name = '1'"
            )
        };
        db.run(&copies(2, MOST_SAVED_VIEWS - 1)).await;
        // As while another server saves the last one that is allowed: it has locked the user.
        let elsewhere = db.other_node().await;
        let saving = elsewhere.connection().begin().await.unwrap();
        saving.execute_unprepared("UPDATE users SET version = version").await.unwrap();
        saving.execute_unprepared(&copies(MOST_SAVED_VIEWS, MOST_SAVED_VIEWS)).await.unwrap();
        let another = {
            let views = views.clone();
            tokio::spawn(async move { views.save(&admin(), None, &view("otra"), after(1)).await })
        };
        db.until_a_lock_is_awaited().await;
        saving.commit().await.unwrap();
        assert_eq!(another.await.unwrap().unwrap(), Written::Conflict(SavedViewConflict::TooMany));
        let stored = db.number("SELECT count(*) AS number FROM saved_views").await;
        assert_eq!(u64::try_from(stored), Ok(MOST_SAVED_VIEWS));
    }

    async fn a_user_who_was_deleted_meanwhile_saves_no_view(db: &TestDb) {
        TestUsers::of(db).await;
        let gone = Actor { username: name("gone_1"), ..admin() };
        let views = SeaOrmSavedViews(db.database.clone());
        assert_eq!(views.save(&gone, None, &view("1"), after(0)).await.unwrap(), Written::Missing);
        assert_eq!(db.number("SELECT count(*) AS number FROM saved_views").await, 0);
    }

    async fn no_view_becomes_the_default_of_a_user_who_is_deleted_meanwhile_nor_one_that_is(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        let views = SeaOrmSavedViews(db.database.clone());
        let shared = SavedView { shared_with: Some(RoleCode::Agent), ..view("1") };
        for deleted in ["users WHERE username_key = 'ana_1'", "saved_views"] {
            fixture.add(ROOT, "ana_1", RoleCode::Agent).await;
            let ana = Actor { username: name("ana_1"), role: RoleCode::Agent, ..admin() };
            let Written::Done(stored) = views.save(&admin(), None, &shared, after(0)).await.unwrap() else {
                panic!("the view is saved")
            };
            let elsewhere = db.other_node().await;
            let deleting = elsewhere.connection().begin().await.unwrap();
            deleting.execute_unprepared(&format!("DELETE FROM {deleted}")).await.unwrap();
            let setting = {
                let views = views.clone();
                tokio::spawn(async move { views.set_default(&ana, &stored, true).await })
            };
            db.until_a_lock_is_awaited().await;
            deleting.commit().await.unwrap();
            assert!(!setting.await.unwrap().unwrap(), "{deleted}");
            assert_eq!(db.number("SELECT count(*) AS number FROM default_views").await, 0);
            db.run("DELETE FROM saved_views").await;
        }
    }
}
