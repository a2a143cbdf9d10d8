//! Slices of users: each change is based on the ones before, is written once, and never overwrites
//! a concurrent edit.

use adapter_seaorm::SeaOrmOperations;
use domain_kernel::{Code, Origin, RoleCode, Violation};
use domain_operations::{BulkOperation, ItemKey, OperationRow, Resource, SLICE, Verdict};
use domain_users::{Scope, UserStatus};
use ports::{
    Inserted, NewOperation, OperationRepository, RegistrarChange, SliceOf, SliceWritten, UserRepository,
    UserSlice, UserSliceItem, UserUpdate,
};
use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::json;

use super::agents_with_customers;
use crate::{
    fixture::{ROOT, TestUsers, change, name, snapshot},
    support::{TestDb, edit_of, on_both, start},
};

async fn begin(db: &TestDb, items: &[&str], dry_run: bool) -> BulkOperation {
    let operation = NewOperation {
        resource: Resource::Users,
        change: None,
        undo_of: None,
        import: None,
        dry_run,
        created_by: ROOT.into(),
        created_date: start(),
        origin: Origin::SERVER,
        items: items.iter().map(|item| ItemKey::Name((*item).into())).collect(),
        items_of_slice: SLICE,
    };
    match SeaOrmOperations(db.database.clone()).insert(operation, None).await.unwrap() {
        Inserted::New(operation) => operation,
        other => panic!("{other:?}"),
    }
}

/// The slice of these users in their current state, with this update of each.
async fn slice(
    fixture: &TestUsers,
    operation: &BulkOperation,
    items: &[&str],
    update: impl Fn(&mut UserUpdate),
) -> UserSlice {
    let mut rows = Vec::new();
    for (position, item) in (0..).zip(items) {
        let user = fixture.user(item).await;
        let mut update_of = change(&user);
        update(&mut update_of);
        let field = |value: &str| json!({"registeredBy": value}).as_object().cloned().unwrap();
        let row = OperationRow {
            position,
            item: ItemKey::Name((*item).into()),
            title: user.full_name,
            verdict: Verdict::Changed,
            before: field("before"),
            after: field("RIVAL_1"),
            problems: Vec::new(),
            sheet_row: None,
        };
        rows.push(UserSliceItem { row, update: Some((user.version, update_of)) });
    }
    let of = SliceOf { operation: operation.id, number: 0, first_position: 0, undoes: None };
    UserSlice { slice: of, items: rows, dry_run: operation.dry_run }
}

async fn written(fixture: &TestUsers, slice: UserSlice) -> SliceWritten {
    fixture.users.write_slice(&Scope::Everyone, slice, &edit_of(ROOT, start())).await.unwrap()
}

async fn verdicts(db: &TestDb, operation: &BulkOperation) -> Vec<(String, Verdict, Vec<Violation>)> {
    let rows = SeaOrmOperations(db.database.clone())
        .rows(operation, ports::RowFilter::default(), 0, 100)
        .await
        .unwrap();
    rows.into_iter().map(|row| (row.item.to_string(), row.verdict, row.problems)).collect()
}

on_both! {
    async fn of_two_superadmins_removed_in_one_slice_one_stays(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        fixture.add(ROOT, "boss_1", RoleCode::Superadmin).await;
        let operation = begin(db, &["boss_1", ROOT], false).await;
        let slice = slice(&fixture, &operation, &["boss_1", ROOT], |update| update.status = UserStatus::Inactive).await;
        let SliceWritten::Done(counts) = written(&fixture, slice).await else { panic!() };
        assert_eq!((counts.changed, counts.refused), (1, 1));
        let last = vec![Violation::new("status", Code::Conflict)];
        assert_eq!(
            verdicts(db, &operation).await,
            [("boss_1".into(), Verdict::Changed, vec![]), (ROOT.into(), Verdict::Refused, last)]
        );
        assert_eq!(fixture.user(ROOT).await.status, UserStatus::Active);
    }

    async fn a_slice_that_ends_a_superadmin_locks_the_users_before_it_first(db: &TestDb) {
        // SQLite has one writer.
        if db.is_sqlite() {
            return;
        }
        let fixture = agents_with_customers(db).await;
        let elsewhere = db.other_node().await;
        // Another superadmin who is not in the slice, and an agent who is.
        for (earlier, last) in [(ROOT, "boss_1"), ("ana_1", "boss_2")] {
            fixture.add(ROOT, last, RoleCode::Superadmin).await;
            let items = [last, "ana_1"];
            let operation = begin(db, &items, false).await;
            let slice = slice(&fixture, &operation, &items, |update| update.status = UserStatus::Suspended).await;
            let changing = elsewhere.connection().begin().await.unwrap();
            let hold = format!("UPDATE users SET sign_ins = sign_ins WHERE username_key = '{}'", earlier.to_lowercase());
            changing.execute_unprepared(&hold).await.unwrap();
            let writing = {
                let fixture = fixture.clone();
                tokio::spawn(async move { written(&fixture, slice).await })
            };
            db.until_a_lock_is_awaited().await;
            let later = format!("SELECT id FROM users WHERE username_key = '{last}' FOR UPDATE NOWAIT");
            changing.execute_unprepared(&later).await.expect("a waiting slice locks no later user");
            changing.commit().await.unwrap();
            let SliceWritten::Done(counts) = writing.await.unwrap() else { panic!() };
            assert_eq!((counts.changed, counts.refused), (2, 0), "{last}");
        }
    }

    async fn a_slice_of_moves_is_written_once_and_keeps_concurrent_edits(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let items = ["ana_app", "eva_1", "leo_app", "rival_1"];
        let operation = begin(db, &items, false).await;
        let to_rival = |update: &mut UserUpdate| update.registrar = RegistrarChange::Becomes(Some(name("RIVAL_1")));
        let slice = slice(&fixture, &operation, &items, to_rival).await;
        // The third is edited between the read and the write.
        fixture.edit("leo_app", |update| update.full_name = "Otro".into()).await;
        let SliceWritten::Done(counts) = written(&fixture, slice.clone()).await else { panic!() };
        assert_eq!((counts.changed, counts.conflicts, counts.refused), (2, 1, 1));
        let found: Vec<Verdict> = verdicts(db, &operation).await.into_iter().map(|(_, verdict, _)| verdict).collect();
        assert_eq!(found, [Verdict::Changed, Verdict::Changed, Verdict::Conflict, Verdict::Refused]);
        let rows = SeaOrmOperations(db.database.clone()).rows(&operation, ports::RowFilter::default(), 0, 1).await.unwrap();
        assert_eq!(rows[0].after, json!({"registeredBy": "rival_1"}).as_object().cloned().unwrap(), "in its stored spelling");
        assert_eq!(fixture.user("eva_1").await.registered_by, Some(name("rival_1")));
        assert_eq!(fixture.user("leo_app").await.registered_by, Some(name("leo_1")));
        let audited = "SELECT count(*) AS number FROM audit_entries WHERE action = 'UPDATED'";
        assert_eq!(db.number(audited).await, 3, "one by a user and two of the slice");
        let before = snapshot(db).await;
        assert_eq!(written(&fixture, slice).await, SliceWritten::Overtaken);
        assert_eq!(snapshot(db).await, before);
        assert_eq!(fixture.verified().await, []);
    }

    async fn a_dry_run_reports_the_result_of_each_and_changes_no_user(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        fixture.add(ROOT, "boss_1", RoleCode::Superadmin).await;
        let before = snapshot(db).await;
        for (items, update) in [
            (["boss_1", ROOT], &(|update: &mut UserUpdate| update.status = UserStatus::Suspended) as &dyn Fn(&mut UserUpdate)),
            (["eva_1", "rival_1"], &|update: &mut UserUpdate| {
                update.registrar = RegistrarChange::Becomes(Some(name("rival_1")));
            }),
        ] {
            let operation = begin(db, &items, true).await;
            let slice = slice(&fixture, &operation, &items, update).await;
            let SliceWritten::Done(counts) = written(&fixture, slice).await else { panic!() };
            assert_eq!((counts.changed, counts.refused), (1, 1), "{items:?}");
        }
        assert_eq!(snapshot(db).await, before);
        assert_eq!(db.number("SELECT count(*) AS number FROM audit_entries WHERE action = 'UPDATED'").await, 0);
        assert_eq!(db.number("SELECT count(*) AS number FROM lineage_changes").await, 0);
    }

    async fn the_names_are_those_of_the_list_within_the_scope(db: &TestDb) {
        let fixture = agents_with_customers(db).await;
        let names = async |scope: &Scope, search: Option<&str>, limit| {
            let query = domain_kernel::ListQuery { search: search.map(Into::into), ..domain_kernel::ListQuery::default() };
            let names = fixture.users.matching_names(scope, &query, None, limit).await.unwrap();
            names.into_iter().map(|name| name.to_string()).collect::<Vec<_>>()
        };
        let ana = crate::fixture::subtree("ana_1");
        assert_eq!(names(&ana, None, 100).await, ["ana_app", "eva_1", "eva_app", "leo_1", "leo_app"]);
        assert_eq!(names(&ana, Some("_app"), 100).await, ["ana_app", "eva_app", "leo_app"]);
        assert_eq!(names(&Scope::Everyone, Some("rival"), 100).await, ["rival_1", "rival_app"]);
        assert_eq!(names(&Scope::Everyone, None, 2).await, [ROOT, "ana_1"]);
    }
}
