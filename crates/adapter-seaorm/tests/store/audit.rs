//! The audit log: every change of content adds its entry, in the same transaction, and entries
//! can't be changed.

use adapter_seaorm::{SeaOrmAudit, SeaOrmOperations};
use domain_audit::{AuditAction, AuditEntry};
use domain_catalogue::{Category, CategoryType, Movie};
use domain_kernel::{Id, Kind, ListQuery, Origin, RoleCode, Source, Username, Version};
use domain_operations::{OperationRow, Resource, SLICE, Verdict};
use domain_users::Scope;
use ports::{
    AuditFilter, AuditRepository, ContentRepository, Edit, ImportOutcome, ImportedItem, NewOperation,
    NewPassword, OperationRepository, SliceOf, UserRepository,
};
use serde_json::{Map, json};

use crate::{
    fixture::{ROOT, TestUsers, name},
    kinds::{KindFixture, add, add_category, done, item_write, store},
    support::{TestDb, after, edit, edit_of, on_both, open_session, start, valid},
};

async fn entries(db: &TestDb, filter: AuditFilter) -> Vec<AuditEntry> {
    let query = ListQuery { size: 1000, ..ListQuery::default() };
    let mut found = SeaOrmAudit(db.database.clone()).list(&filter, &query).await.unwrap().content;
    found.reverse();
    found
}

async fn history(db: &TestDb, kind: Kind, id: Id) -> Vec<AuditEntry> {
    let (resource, item) = (Some(kind.path().to_owned()), Some(id.to_string()));
    entries(db, AuditFilter { resource, item, ..AuditFilter::default() }).await
}

fn outline(entries: &[AuditEntry]) -> Vec<(AuditAction, Option<Version>)> {
    entries.iter().map(|entry| (entry.action, entry.version)).collect()
}

/// An operation on one item, with its only slice.
async fn change_in_bulk(db: &TestDb, id: Id, before: Movie, after: Movie, version: Version, edit: Edit) {
    let operation = NewOperation {
        resource: Resource::Content(Kind::Movies),
        change: None,
        undo_of: None,
        import: None,
        dry_run: false,
        created_by: "rosa_1".into(),
        created_date: start(),
        origin: Origin::SERVER,
        items: vec![id.into()],
        items_of_slice: SLICE,
    };
    let operations = SeaOrmOperations(db.database.clone());
    let ports::Inserted::New(operation) = operations.insert(operation, None).await.unwrap() else { panic!() };
    let row = OperationRow {
        position: 0,
        item: id.into(),
        title: "x".into(),
        verdict: Verdict::Changed,
        before: Map::new(),
        after: Map::new(),
        problems: Vec::new(),
        sheet_row: None,
    };
    let slice = SliceOf { operation: operation.id, number: 0, first_position: 0, undoes: None };
    store::<Movie>(db).write_slice(slice, vec![item_write(row, version, before, after)], edit).await.unwrap();
}

on_both! {
    async fn every_way_to_change_an_item_adds_an_entry_with_the_values_before_and_after(db: &TestDb) {
        let categories = [add_category(db, "Una", CategoryType::Movie).await, add_category(db, "Otra", CategoryType::Movie).await];
        let movies = store::<Movie>(db);
        let movie = |number: usize, category: Id| Movie::numbered(number, category).shown(true);
        let id = add(&movies, movie(1, categories[0])).await;
        // Another value is recorded; an unchanged one is not.
        done(movies.replace(id, valid(movie(2, categories[0])), Some(1), edit(after(1))).await.unwrap());
        done(movies.set_active(id, false, None, edit(after(2))).await.unwrap());
        done(movies.set_active(id, false, None, edit(after(3))).await.unwrap());
        // An outdated version adds no entry.
        movies.replace(id, valid(movie(3, categories[0])), Some(1), edit(after(4))).await.unwrap();
        // Another category.
        let mut moved = movies.find(id).await.unwrap().unwrap().content;
        moved.category_id = categories[1];
        done(movies.replace(id, valid(moved), None, edit(after(5))).await.unwrap());
        // A slice of a bulk operation.
        let now = movies.find(id).await.unwrap().unwrap();
        let origin = Origin { operation: Some(7), ..Origin::of(Source::BulkOperation) };
        let bulk = Edit { origin, ..edit(after(6)) };
        change_in_bulk(db, id, now.content.clone(), now.content.clone().shown(true), now.version, bulk).await;
        // An import.
        let mut known = movies.find(id).await.unwrap().unwrap().content;
        known.media.spanish_synopsis = Some("Chile".into());
        let batch = vec![ImportedItem { content: valid(known), views: 0, created_date: None, updated_date: None }];
        movies.import(batch, after(7)).await.unwrap();
        let found = history(db, Kind::Movies, id).await;
        use AuditAction::{Created, Updated};
        assert_eq!(outline(&found), [
            (Created, Some(1)), (Updated, Some(2)), (Updated, Some(3)), (Updated, Some(4)), (Updated, Some(5)), (Updated, Some(6)),
        ]);
        let [created, replaced, hidden, moved, in_bulk, imported] = &found[..] else { panic!("{found:?}") };
        assert_eq!((created.actor.clone(), created.occurred_at), (Username::parse("rosa_1"), start()));
        assert_eq!(replaced.diff.before["title"], movie(1, 0).title);
        assert_eq!(replaced.diff.after["title"], movie(2, 0).title);
        assert_eq!(replaced.title, movie(2, 0).title);
        assert_eq!((&hidden.diff.before, &hidden.diff.after), (json!({"active": true}).as_object().unwrap(), json!({"active": false}).as_object().unwrap()));
        assert_eq!((&moved.diff.before["categoryId"], &moved.diff.after["categoryId"]), (&json!(categories[0]), &json!(categories[1])));
        assert_eq!((moved.diff.after.len(), in_bulk.origin, in_bulk.occurred_at), (1, origin, after(6)));
        assert_eq!(in_bulk.diff.after, *json!({"active": true}).as_object().unwrap());
        assert_eq!((imported.origin.source, &imported.actor, &imported.diff.after["spanishSynopsis"]), (Source::Import, &None, &json!("Chile")));
    }

    async fn imported_items_have_a_first_entry(db: &TestDb) {
        let category = add_category(db, "Una", CategoryType::Movie).await;
        let movies = store::<Movie>(db);
        // More than one insert, one item twice in the file, with dates of their own.
        let item = |number: usize| ImportedItem {
            content: valid(Movie::numbered(number, category)),
            views: 3,
            created_date: Some(after(-100)),
            updated_date: None,
        };
        let batch: Vec<_> = (0..120).chain([7]).map(item).collect();
        let outcomes = movies.import(batch.clone(), after(1)).await.unwrap();
        movies.import(batch, after(2)).await.unwrap();
        let created = entries(db, AuditFilter { action: Some(AuditAction::Created), resource: Some("movies".into()), ..AuditFilter::default() }).await;
        assert_eq!(created.len(), 120, "each once, and a second run adds nothing");
        let ImportOutcome::Created(id) = outcomes[119] else { panic!("{outcomes:?}") };
        let found = history(db, Kind::Movies, id).await;
        assert_eq!(outline(&found), [(AuditAction::Created, Some(1))]);
        let first = &found[0];
        assert_eq!((first.title.clone(), first.occurred_at), (Movie::numbered(119, category).title, after(1)));
        assert_eq!((first.origin.source, &first.actor), (Source::Import, &None));
        // A failing batch adds no entry.
        assert!(movies.import(vec![item(200), ImportedItem { content: valid(Movie::numbered(201, category + 99)), ..item(0) }], after(3)).await.is_err());
        assert_eq!(entries(db, AuditFilter { from: Some(after(3)), ..AuditFilter::default() }).await, []);
    }

    async fn entries_are_filtered_by_user_action_and_time(db: &TestDb) {
        let movies = store::<Movie>(db);
        let category = add_category(db, "Una", CategoryType::Movie).await;
        let id = add(&movies, Movie::numbered(1, category).shown(true)).await;
        let by_ana = Edit { by: Username::parse("Ana"), ..edit(after(60)) };
        movies.set_active(id, false, None, by_ana).await.unwrap();
        let filter = AuditFilter::default;
        let count = async |filter: AuditFilter| entries(db, filter).await.len();
        assert_eq!(count(filter()).await, 3);
        assert_eq!(count(AuditFilter { actor: Username::parse("ANA"), ..filter() }).await, 1);
        assert_eq!(count(AuditFilter { resource: Some("categories".into()), ..filter() }).await, 1);
        assert_eq!(count(AuditFilter { action: Some(AuditAction::Created), ..filter() }).await, 2);
        assert_eq!(count(AuditFilter { from: Some(after(60)), ..filter() }).await, 1);
        assert_eq!(count(AuditFilter { to: Some(after(60)), ..filter() }).await, 2);
        let audit = SeaOrmAudit(db.database.clone());
        let newest = audit.changes_after("movies", &id.to_string(), 1, 10).await.unwrap();
        assert_eq!(outline(&newest), [(AuditAction::Updated, Some(2))]);
        assert_eq!(newest[0].actor, Username::parse("Ana"));
    }

    async fn entries_can_not_be_changed(db: &TestDb) {
        add_category(db, "Una", CategoryType::Movie).await;
        assert!(db.try_run("UPDATE audit_entries SET actor = 'x'").await.is_err());
        assert_eq!(entries(db, AuditFilter::default()).await[0].actor, Username::parse("rosa_1"));
    }

    async fn a_refused_change_adds_no_entry(db: &TestDb) {
        let used = add_category(db, "Usada", CategoryType::Movie).await;
        add(&store::<Movie>(db), Movie::numbered(1, used)).await;
        let before = entries(db, AuditFilter::default()).await.len();
        let outcome = store::<Category>(db).delete(used, None, edit(after(1))).await.unwrap();
        assert!(matches!(outcome, ports::Removed::Conflict(_)), "{outcome:?}");
        assert_eq!(entries(db, AuditFilter::default()).await.len(), before);
        assert_eq!(db.number("SELECT count(*) AS number FROM trash").await, 0);
    }
}

on_both! {
    async fn actions_on_a_user_are_recorded_without_passwords(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        fixture.add(ROOT, "Ana_1", RoleCode::App).await;
        fixture.edit("ana_1", |change| change.full_name = "Ana Otra".into()).await;
        let users = &fixture.users;
        let by_root = |minutes| edit_of(ROOT, after(minutes));
        users.reset_password(&Scope::Everyone, &name("ana_1"), "secret hash", 2, &by_root(2)).await.unwrap();
        let own = NewPassword { hash: "own secret".into(), checked: None, keep_session: None };
        users.change_password(&name("ana_1"), &own, &edit_of("Ana_1", after(3))).await.unwrap();
        open_session(db, "key", "ana_1").await;
        users.remove(&Scope::Everyone, &name("ana_1"), 4, &by_root(5)).await.unwrap();
        let found = entries(db, AuditFilter::default()).await;
        let of_ana = found.iter().filter(|entry| entry.item == "ana_1");
        let outline: Vec<_> =
            of_ana.map(|entry| (entry.resource.as_str(), entry.action, entry.actor.as_ref().map(Username::as_str))).collect();
        use AuditAction::{Created, Deleted, PasswordChanged, SignedIn, Updated};
        assert_eq!(outline, [
            ("users", Created, Some(ROOT)),
            ("users", Updated, Some(ROOT)),
            ("users", PasswordChanged, Some(ROOT)),
            ("users", PasswordChanged, Some("Ana_1")),
            ("sessions", SignedIn, Some("Ana_1")),
            ("users", Deleted, Some(ROOT)),
        ]);
        let created = found.iter().find(|entry| entry.item == "ana_1").unwrap();
        assert!(created.diff.before.is_empty(), "{created:?}");
        for (field, value) in [("roleCode", json!("app")), ("status", json!("ACTIVE")), ("registeredBy", json!(ROOT))] {
            assert_eq!(created.diff.after[field], value, "{field}");
        }
        assert!(["fullName", "email", "phoneNumber"].iter().all(|field| created.diff.after.contains_key(*field)), "{created:?}");
        let changed = found.iter().find(|entry| entry.action == Updated).unwrap();
        assert_eq!(changed.diff.after, *json!({"fullName": "Ana Otra"}).as_object().unwrap());
        assert_eq!(changed.title, "Ana_1");
        let texts = db.rows("SELECT coalesce(before, '') || coalesce(after, '') AS text FROM audit_entries").await;
        let texts: Vec<String> = texts.iter().map(|row| row.try_get("", "text").unwrap()).collect();
        assert!(texts.iter().all(|text| !text.contains("secret")), "{texts:?}");
    }
}
