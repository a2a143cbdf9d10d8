//! Transactions whose statements fail, and statements that are not answered.

use std::time::Duration;

use adapter_seaorm::{SeaOrmLeases, SeaOrmLiveProfiles, SeaOrmOperations, SeaOrmUserNotes};
use chrono::TimeDelta;
use domain_catalogue::{CategoryType, Movie};
use domain_kernel::{DraftReader, RoleCode};
use domain_live::profile::LiveProfileDraft;
use domain_users::NoteKind;
use ports::{
    ContentRepository, Edit, Leases, LiveProfileRepository, NewMoves, OperationRepository, ProfileSecret,
    StoreError, UserNoteInsert, UserNoteRepository,
};
use sea_orm::{ConnAcquireErr, ConnectionTrait, DbErr};
use serde_json::json;

use crate::{
    fixture::{ROOT, TestUsers, name},
    kinds::{KindFixture, add_category, store},
    support::{TestDb, edit, on_both, start, valid},
};

on_both! {
    async fn a_transaction_with_a_failed_statement_is_never_committed(db: &TestDb) {
        db.run("CREATE TABLE t (n integer UNIQUE)").await;
        let rows = "SELECT count(*) AS number FROM t";
        let transaction = db.database.begin().await.unwrap();
        transaction.execute_unprepared("INSERT INTO t VALUES (1)").await.unwrap();
        assert!(transaction.execute_unprepared("INSERT INTO t VALUES (1)").await.is_err());
        // PostgreSQL refuses every statement after a failed one.
        let later = transaction.execute_unprepared("INSERT INTO t VALUES (2)").await;
        assert_eq!(later.is_ok(), db.is_sqlite(), "{later:?}");
        assert!(transaction.commit().await.is_err());
        assert_eq!(db.number(rows).await, 0);
        let transaction = db.database.begin().await.unwrap();
        transaction.execute_unprepared("INSERT INTO t VALUES (3)").await.unwrap();
        transaction.commit().await.unwrap();
        assert_eq!(db.number(rows).await, 1);
    }

    async fn a_statement_that_is_not_answered_in_time_is_reported_as_unavailable(db: &TestDb) {
        // SQLite's transaction locks all tables against writes.
        let other = db.other_node().await;
        let locking = other.begin().await.unwrap();
        if !db.is_sqlite() {
            locking.execute_unprepared("LOCK TABLE leases").await.unwrap();
        }
        let leases = SeaOrmLeases(db.database.clone().with_deadline(Duration::from_millis(1)));
        let taken = leases.take("job", "node", TimeDelta::minutes(1)).await;
        // Neither database has refused it.
        let late = DbErr::ConnectionAcquire(ConnAcquireErr::Timeout).to_string();
        assert!(matches!(&taken, Err(StoreError::Unavailable(text)) if *text == late), "{taken:?}");
    }

    async fn a_failure_inside_a_transaction_keeps_its_kind(db: &TestDb) {
        TestUsers::of(db).await.add(ROOT, "ana_1", RoleCode::App).await;
        let notes = SeaOrmUserNotes(db.database.clone());
        let note = UserNoteInsert {
            kind: NoteKind::Note, text: Some("Llama por la tarde".into()), contacted_on: None, snoozed_until: None,
        };
        let by_nobody = Edit { by: None, ..edit(start()) };
        let broken = notes.add(&name("ana_1"), &note, &by_nobody, None).await;
        assert!(matches!(broken, Err(StoreError::Broken(_))), "{broken:?}");

        let of_music = add_category(db, "Ópera", CategoryType::Music).await;
        let film = valid(Movie::numbered(1, of_music));
        let dangling = store::<Movie>(db).insert(film, edit(start()), None).await;
        assert!(matches!(dangling, Err(StoreError::Dangling(_))), "{dangling:?}");

        // A trigger of SQLite can't fail like a full disk.
        if db.is_sqlite() {
            return;
        }
        let category = add_category(db, "Vieja", CategoryType::TvChannel).await;
        let draft = json!({"name": "Salón", "username": "ana_1", "categories": [category]});
        let draft = DraftReader::<LiveProfileDraft>::new().read(draft, &()).unwrap();
        let secret = ProfileSecret { hash: "hash".into(), hint: "pl_a".into() };
        SeaOrmLiveProfiles(db.database.clone()).add(draft, &secret, &edit(start())).await.unwrap();
        db.run(
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END $$; \
             CREATE TRIGGER failing BEFORE UPDATE ON live_profiles FOR EACH ROW EXECUTE FUNCTION fail()",
        )
        .await;
        let other = add_category(db, "Nueva", CategoryType::TvChannel).await;
        let moves = NewMoves { category: Some((category, other)), operations: Vec::new(), edit: edit(start()) };
        let unavailable = SeaOrmOperations(db.database.clone()).insert_moves(moves, None).await;
        assert!(matches!(unavailable, Err(StoreError::Unavailable(_))), "{unavailable:?}");
    }
}
