//! Imports of users from spreadsheets: a slice adds and changes users and posts balances, or
//! nothing; the invariants of the ledger hold.

use adapter_seaorm::{SeaOrmOperations, SeaOrmSheets, SeaOrmUserSheets};
use domain_kernel::{Cell, Code, Id, Locale, Origin, RoleCode, SheetRow};
use domain_operations::{
    BulkOperation, ItemKey, OperationRow, Resource, SLICE, SheetImport, SheetRowOf, Verdict,
};
use domain_users::Scope;
use ports::{
    ImportedUser, Inserted, NewOperation, NewSheet, OperationRepository, RegistrarChange, SheetRepository,
    SliceOf, SliceWritten, UserSheetChange, UserSheetItem, UserSheetSlice, UserSheets,
};
use serde_json::Map;

use crate::{
    fixture::{ROOT, TestUsers, change, name, new_user, snapshot},
    support::{TestDb, after, edit_of, on_both, start},
};

async fn begin(db: &TestDb, rows: i64) -> (BulkOperation, Id) {
    let sheets = SeaOrmSheets(db.database.clone());
    let sheet = NewSheet {
        resource: Resource::Users,
        file_name: "clientes.csv".into(),
        locale: Locale::Spanish,
        headings: vec!["Usuario".into()],
        created_by: ROOT.into(),
        created_date: start(),
    };
    let id = sheets.begin(sheet).await.unwrap();
    let row = |number: i64| SheetRow { number, cells: vec![Cell::Integer(number)] };
    sheets.add_slices(id, 0, vec![(1..=rows).map(row).collect()]).await.unwrap();
    sheets.finish(id, rows).await.unwrap();
    let columns = vec![Some("username".into())];
    let operation = NewOperation {
        resource: Resource::Users,
        change: None,
        undo_of: None,
        import: Some(SheetImport {
            sheet: id,
            file_name: "clientes.csv".into(),
            columns,
            defaults: Vec::new(),
            rows,
        }),
        dry_run: false,
        created_by: ROOT.into(),
        created_date: start(),
        origin: Origin::SERVER,
        items: Vec::new(),
        items_of_slice: SLICE,
    };
    match SeaOrmOperations(db.database.clone()).insert(operation, None).await.unwrap() {
        Inserted::New(operation) => (operation, id),
        other => panic!("{other:?}"),
    }
}

fn row(position: i64, item: &str, verdict: Verdict) -> OperationRow {
    OperationRow {
        position,
        item: ItemKey::Name(item.into()),
        title: item.into(),
        verdict,
        before: Map::new(),
        after: Map::new(),
        problems: Vec::new(),
        sheet_row: Some(SheetRowOf { number: position + 2, key: Some(item.to_lowercase()), imdb_id: None }),
    }
}

fn addition(position: i64, item: &str, role: RoleCode, registrar: &str, credits: i64) -> UserSheetItem {
    let is_app = role == RoleCode::App;
    let (credits, sale_credits) = if is_app { (credits, 0) } else { (0, credits) };
    let new = ImportedUser {
        user: new_user(item, role),
        registrar: Some(name(registrar)),
        expiration_date: is_app.then(|| after(100_000)),
        sign_ins: 0,
        created_date: None,
        credits,
        sale_credits,
    };
    UserSheetItem {
        row: row(position, item, Verdict::Created),
        change: Some(UserSheetChange::Add(Box::new(new))),
        registrar_comes: false,
    }
}

fn slice(operation: &BulkOperation, items: Vec<UserSheetItem>, dry_run: bool) -> UserSheetSlice {
    UserSheetSlice {
        slice: SliceOf { operation: operation.id, number: 0, first_position: 0, undoes: None },
        items,
        dry_run,
    }
}

async fn rows(db: &TestDb, operation: &BulkOperation) -> Vec<(Verdict, Option<Code>)> {
    let rows = SeaOrmOperations(db.database.clone())
        .rows(operation, ports::RowFilter::default(), 0, 100)
        .await
        .unwrap();
    rows.into_iter().map(|row| (row.verdict, row.problems.first().map(|problem| problem.code))).collect()
}

on_both! {
    async fn users_are_imported_with_registering_users_and_balances(db: &TestDb) {
        let users = TestUsers::of(db).await;
        users.add(ROOT, "ana_1", RoleCode::App).await;
        let store = SeaOrmUserSheets::new(db.database.clone());
        let (operation, _) = begin(db, 6).await;
        let current = users.user("ana_1").await;
        let mut update = change(&current);
        update.registrar = RegistrarChange::Becomes(Some(name("agent_1")));
        let items = vec![
            addition(0, "agent_1", RoleCode::Agent, ROOT, 40),
            addition(1, "cliente_1", RoleCode::App, "AGENT_1", 3),
            UserSheetItem {
                row: row(2, "ana_1", Verdict::Changed),
                change: Some(UserSheetChange::Update(current.version, Box::new(update))),
                registrar_comes: false,
            },
            addition(3, "Ana_1", RoleCode::App, ROOT, 9),
            addition(4, "cliente_2", RoleCode::App, "nadie", 1),
            addition(5, "cliente_3", RoleCode::App, "cliente_1", 1),
        ];
        let edit = edit_of(ROOT, start());
        let written = store.write_slice(&Scope::Everyone, slice(&operation, items.clone(), false), &edit).await.unwrap();
        assert!(matches!(written, SliceWritten::Done(_)), "{written:?}");
        assert_eq!((users.balances("agent_1").await, users.balances("cliente_1").await), ((0, 40), (3, 0)));
        let customer = users.user("cliente_1").await;
        assert_eq!((customer.registered_by, customer.expiration_date), (Some(name("agent_1")), Some(after(100_000))));
        assert_eq!(users.user("ana_1").await.registered_by, Some(name("agent_1")));
        assert_eq!(users.verified().await, []);
        let verdicts = rows(db, &operation).await;
        assert_eq!(verdicts, [
            (Verdict::Created, None), (Verdict::Created, None), (Verdict::Changed, None), (Verdict::Conflict, None),
            (Verdict::Refused, Some(Code::UnknownReference)), (Verdict::Refused, Some(Code::WrongRole)),
        ]);
        for (resource, count) in [("credits", 2), ("users", 5)] {
            let entries = format!("SELECT count(*) AS number FROM audit_entries WHERE resource = '{resource}'");
            assert_eq!(db.number(&entries).await, count, "{resource}");
        }
        // The slice is written once; another file adds and posts nothing twice.
        let before = snapshot(db).await;
        let written = store.write_slice(&Scope::Everyone, slice(&operation, items.clone(), false), &edit).await.unwrap();
        assert_eq!(written, SliceWritten::Overtaken);
        assert_eq!(snapshot(db).await, before);
        let (operation, _) = begin(db, 2).await;
        store.write_slice(&Scope::Everyone, slice(&operation, items[..2].to_vec(), false), &edit).await.unwrap();
        assert_eq!(snapshot(db).await, before);
        assert_eq!(rows(db, &operation).await, [(Verdict::Conflict, None), (Verdict::Conflict, None)]);
        // Afterwards credits are sold as usual.
        users.post("agent_1", domain_credits::OperationType::AddCredits, "cliente_1", 2).await;
        assert_eq!((users.balances("agent_1").await, users.balances("cliente_1").await), ((0, 38), (5, 0)));
        assert_eq!(users.verified().await, []);
    }

    async fn a_dry_run_writes_only_its_rows(db: &TestDb) {
        let users = TestUsers::of(db).await;
        let current = users.add(ROOT, "ana_1", RoleCode::App).await;
        let store = SeaOrmUserSheets::new(db.database.clone());
        let (operation, _) = begin(db, 4).await;
        let before = snapshot(db).await;
        let later = addition(2, "cliente_2", RoleCode::App, "agent_0", 1);
        let mut update = change(&current);
        update.registrar = RegistrarChange::Becomes(Some(name("agent_0")));
        let moved = UserSheetItem {
            row: row(3, "ana_1", Verdict::Changed),
            change: Some(UserSheetChange::Update(current.version, Box::new(update))),
            registrar_comes: true,
        };
        let items = vec![
            addition(0, "agent_1", RoleCode::Agent, ROOT, 40),
            addition(1, "cliente_1", RoleCode::App, "agent_1", 3),
            UserSheetItem { registrar_comes: true, ..later },
            moved,
        ];
        let edit = edit_of(ROOT, start());
        store.write_slice(&Scope::Everyone, slice(&operation, items, true), &edit).await.unwrap();
        assert_eq!(snapshot(db).await, before);
        let verdicts = rows(db, &operation).await;
        assert_eq!(verdicts[..3], [(Verdict::Created, None); 3]);
        assert_eq!(verdicts[3], (Verdict::Changed, None));
    }

    async fn an_import_has_its_own_order_and_results_keep_the_order_of_the_file(db: &TestDb) {
        let operations = SeaOrmOperations(db.database.clone());
        let (operation, sheet) = begin(db, 3).await;
        let (other, _) = begin(db, 3).await;
        let places = |places: &[Id]| -> Vec<ItemKey> { places.iter().copied().map(ItemKey::Number).collect() };
        assert_eq!(operations.slice(operation.id, 0).await.unwrap(), None);
        operations.arrange(operation.id, places(&[2, 0, 1]), 2).await.unwrap();
        // A second process that starts the same import.
        operations.arrange(operation.id, places(&[0, 1, 2]), 2).await.unwrap();
        assert_eq!(operations.slice(operation.id, 0).await.unwrap(), Some(places(&[2, 0])));
        assert_eq!(operations.slice(operation.id, 1).await.unwrap(), Some(places(&[1])));
        assert_eq!(operations.slice(operation.id, 2).await.unwrap(), None);
        assert_eq!(operations.slice(other.id, 0).await.unwrap(), None);
        let row = |number: i64| SheetRow { number, cells: vec![Cell::Integer(number)] };
        assert_eq!(SeaOrmSheets(db.database.clone()).rows(sheet, 0).await.unwrap(), [1, 2, 3].map(row));
    }
}
