//! Inserting users, idempotent with a key.

use std::sync::Arc;
use std::sync::OnceLock;

use adapter_seaorm::SeaOrmUsers;
use domain_kernel::RoleCode;
use domain_users::{Scope, UserLanguage, UserStatus};
use futures_util::future::join_all;
use ports::{Inserted, InsertedUser, UserInsert, UserRepository, UsernameTaken};
use sea_orm::DbBackend;
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use super::agents_with_customers;
use crate::{
    fixture::{ROOT, name, new_user, once, snapshot},
    support::{TestDb, after, edit_of, on_both, start},
};

on_both! {
    async fn a_user_is_registered_in_the_subtree_of_the_performer(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let user = fixture.user("leo_app").await;
        assert_eq!(user.registered_by, Some(name("leo_1")));
        assert_eq!((user.credits, user.sale_credits, user.expiration_date), (0, 0, None));
        assert_eq!((user.version, user.created_date, user.updated_date), (1, start(), start()));
        assert_eq!(fixture.user(ROOT).await.registered_by, None);
        let lineages = db.rows("SELECT id, lineage FROM users ORDER BY id").await;
        let lineage = |index: usize| lineages[index].try_get::<String>("", "lineage").unwrap();
        let id = |index: usize| lineages[index].try_get::<i64>("", "id").unwrap();
        assert_eq!(lineage(0), "/");
        assert_eq!(lineage(6), format!("/{}/{}/{}/{}/", id(0), id(1), id(3), id(5)));
    }

    async fn a_name_conflicts_in_every_spelling(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let before = snapshot(db).await;
        for spelling in ["ana_1", "ANA_1", "aNa_1"] {
            let new_user = new_user(spelling, RoleCode::App);
            let outcome = fixture.users.insert(&new_user, &edit_of(ROOT, start()), None).await.unwrap();
            assert_eq!(outcome, Inserted::Conflict(UsernameTaken));
        }
        assert_eq!(snapshot(db).await, before);
    }

    async fn a_repeated_registration_has_the_first_response(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let new = UserInsert { language: Some(UserLanguage::English), ..new_user("New_1", RoleCode::Agent) };
        let insert = |fingerprint: &'static str, minutes| {
            // The password has another salt each time; the first hash is stored with the key.
            let (fixture, new) = (fixture.clone(), UserInsert { password_hash: Some(format!("h{minutes}")), ..new.clone() });
            async move {
                let once = Some(once("ana_1", "k", fingerprint));
                fixture.users.insert(&new, &edit_of("ana_1", after(minutes)), once).await.unwrap()
            }
        };
        let Inserted::New(first) = insert("f", 0).await else { panic!("it is the first") };
        assert_eq!((first.user.language, fixture.user("New_1").await), (new.language, first.user.clone()));
        assert_eq!(insert("f", 1).await, Inserted::Replayed(first.clone()));
        assert_eq!(insert("other", 1).await, Inserted::KeyReused);
        // Independent of later changes.
        fixture.stock("New_1", 5).await;
        fixture.edit("New_1", |change| {
            change.full_name = "Otro".into();
            change.status = UserStatus::Suspended;
            change.expiration_date = Some(after(9));
        })
        .await;
        assert_eq!(insert("f", 2).await, Inserted::Replayed(first));
        assert_eq!(db.number("SELECT count(*) AS number FROM users WHERE username_key = 'new_1'").await, 1);
    }

    async fn a_repeated_registration_has_the_first_response_after_the_user_was_deleted(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let new = new_user("New_1", RoleCode::App);
        let insert = async || fixture.users.insert(&new, &edit_of(ROOT, start()), Some(once(ROOT, "k", "f"))).await;
        let Inserted::New(first) = insert().await.unwrap() else { panic!("it is the first") };
        fixture.users.remove(&Scope::Everyone, &name("New_1"), 1, &edit_of(ROOT, start())).await.unwrap();
        assert_eq!(insert().await.unwrap(), Inserted::Replayed(first));
        assert_eq!(fixture.users.find(&Scope::Everyone, &name("New_1")).await.unwrap(), None);
    }

    async fn of_many_concurrent_registrations_one_succeeds(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let insert = |key: Option<&'static str>, username: String| {
            let fixture = fixture.clone();
            tokio::spawn(async move {
                let once = key.map(|key| once(ROOT, key, "f"));
                fixture.users.insert(&new_user(&username, RoleCode::App), &edit_of(ROOT, start()), once).await.unwrap()
            })
        };
        let keyed = join_all((0..8).map(|_| insert(Some("k"), "same_1".into()))).await;
        let new = keyed.iter().filter(|one| matches!(one, Ok(Inserted::New(_)))).count();
        let again = keyed.iter().filter(|one| matches!(one, Ok(Inserted::Replayed(..)))).count();
        assert_eq!((new, again), (1, 7), "{keyed:?}");
        let bare = join_all((0..8).map(|n| insert(None, if n % 2 == 0 { "same_2" } else { "SAME_2" }.into()))).await;
        let new = bare.iter().filter(|one| matches!(one, Ok(Inserted::New(_)))).count();
        let conflicts = bare.iter().filter(|one| matches!(one, Ok(Inserted::Conflict(UsernameTaken)))).count();
        assert_eq!((new, conflicts), (1, 7), "{bare:?}");
    }

    async fn a_registration_overtaken_by_its_repetition_has_the_first_response(db: &TestDb) {
        // On SQLite the second waits for the first before it reads anything.
        if db.database.backend() == DbBackend::Sqlite {
            return;
        }
        async fn insert(users: &SeaOrmUsers) -> Inserted<InsertedUser, UsernameTaken> {
            let once = Some(once(ROOT, "k", "f"));
            users.insert(&new_user("same_1", RoleCode::App), &edit_of(ROOT, start()), once).await.unwrap()
        }
        let fixture = agents_with_customers(db).await;
        let first = Arc::new(OnceLock::new());
        let seen = first.clone();
        // The first runs completely after the second has looked up the key.
        let watched = db.database.clone().watched(move |statement| {
            if statement.sql.starts_with("SELECT") && statement.sql.contains("idempotency_keys") {
                let now = Handle::current();
                seen.get_or_init(|| block_in_place(|| now.block_on(insert(&fixture.users))));
            }
        });
        let second = insert(&SeaOrmUsers(watched)).await;
        assert!(matches!(first.get(), Some(Inserted::New(_))), "{first:?}");
        assert!(matches!(second, Inserted::Replayed(..)), "{second:?}");
    }
}
