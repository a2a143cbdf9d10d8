//! Actions of admins and agents other than changes of content: each adds its entry, without
//! secrets.

use std::sync::{Arc, Mutex};

use adapter_seaorm::{
    SeaOrmAppSettings, SeaOrmAudit, SeaOrmBackups, SeaOrmEntries, SeaOrmIssues, SeaOrmKeys, SeaOrmOperations,
    SeaOrmSavedViews, SeaOrmSessions, SeaOrmSettings,
};
use domain_audit::AuditAction::{
    self, Approved, Begun, Cancelled, Created, CreditsMoved, Declined, Deleted, Imported, Requested, Revoked,
    RoleChanged, SecretChanged, SessionsEnded, SignInRefused, Undone, Updated,
};
use domain_audit::AuditEntry;
use domain_credits::OperationType::AddCredits;
use domain_integrations::{EventType, NewKey, WebhookDraft};
use domain_issues::{Author, AuthorKind, Priority, Report};
use domain_kernel::{Actor, Id, KeyScope, Kind, ListQuery, Origin, RoleCode, Source, Username, checked};
use domain_operations::{BulkOperation, OperationRow, OperationState, Resource, SLICE, Verdict};
use domain_settings::{AlertMessage, AppSettings, BackupOrigin, SavedView};
use domain_users::permissions_of;
use ports::{
    AppSettingsRepository, AuditFilter, AuditRepository, BackupLog, Edit, EntryRepository, ImportedUser,
    Inserted, IssueRepository, KeyRepository, KeyToKeep, Ledger, NewAuditEntry, NewOperation,
    NewReversalRequest, OperationRepository, ReportSlice, ReportSliceItem, ReportState, ReversalOrder,
    ReversalRequests, SavedViewRepository, SessionRepository, Setting, SettingRepository, WebhookRepository,
    Written,
};
use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::{Map, json};

use crate::{
    fixture::{ROOT, TestUsers, name, new_user, reversal},
    hooks::{hook, hooks, valid_draft},
    issues::{change, complaint, report, staff, state, store},
    sheet_imports::first_slice,
    support::{TestDb, after, edit_of, on_both, open_session, start, valid},
};

async fn entries(db: &TestDb, resource: &str) -> Vec<AuditEntry> {
    let query = ListQuery { size: 1000, ..ListQuery::default() };
    let filter = AuditFilter { resource: Some(resource.into()), ..AuditFilter::default() };
    let mut found = SeaOrmAudit(db.database.clone()).list(&filter, &query).await.unwrap().content;
    found.reverse();
    found
}

async fn actions(db: &TestDb, resource: &str) -> Vec<AuditAction> {
    entries(db, resource).await.iter().map(|entry| entry.action).collect()
}

fn by_root(minutes: i64) -> Edit {
    edit_of(ROOT, after(minutes))
}

/// The actor of [`ROOT`].
pub fn admin() -> Actor {
    let role = RoleCode::Superadmin;
    Actor {
        username: name(ROOT),
        role,
        permissions: permissions_of(role),
        origin: Origin::of(Source::Request),
    }
}

/// No entry has a text that the tests mark as secret.
async fn no_entry_has_a_secret(db: &TestDb) {
    let texts = db
        .rows(
            "SELECT title || item || coalesce(before, '') || coalesce(after, '') AS text FROM audit_entries",
        )
        .await;
    let texts: Vec<String> = texts.iter().map(|row| row.try_get("", "text").unwrap()).collect();
    assert!(!texts.is_empty() && texts.iter().all(|text| !text.contains("secret")), "{texts:?}");
}

fn operation(undo_of: Option<Id>, dry_run: bool) -> NewOperation {
    NewOperation {
        resource: Resource::Content(Kind::Movies),
        change: None,
        undo_of,
        import: None,
        dry_run,
        created_by: ROOT.into(),
        created_date: start(),
        origin: Origin::of(Source::Request),
        items: vec![1.into()],
        items_of_slice: SLICE,
    }
}

async fn begin(db: &TestDb, new: NewOperation) -> BulkOperation {
    match SeaOrmOperations(db.database.clone()).insert(new, None).await.unwrap() {
        Inserted::New(operation) => operation,
        other => panic!("{other:?}"),
    }
}

on_both! {
    async fn keys_and_webhooks_are_recorded_without_their_secrets(db: &TestDb) {
        TestUsers::of(db).await;
        let keys = SeaOrmKeys(db.database.clone());
        let requested = NewKey {
            name: "App".into(),
            scopes: vec![KeyScope::CatalogueRead],
            expires_date: None,
            calls_per_minute: 60,
        };
        let new = KeyToKeep { requested, hash: "secret hash".into(), hint: "secret hint".into() };
        let id = keys.insert(&new, &by_root(0)).await.unwrap().id;
        keys.keep(id, &by_root(1)).await.unwrap();
        keys.revoke(id, &by_root(2)).await.unwrap();
        // Without a change there is no entry.
        keys.revoke(id, &by_root(3)).await.unwrap();
        keys.keep(id, &by_root(4)).await.unwrap();
        assert_eq!(keys.revoke(id + 1, &by_root(5)).await.unwrap(), None);
        let found = entries(db, "integrator-keys").await;
        assert_eq!(found.iter().map(|entry| entry.action).collect::<Vec<_>>(), [Created, Updated, Revoked]);
        assert_eq!((found[0].title.as_str(), &found[0].actor), ("App", &Username::parse(ROOT)));
        assert_eq!(found[0].diff.after["scopes"], json!([KeyScope::CatalogueRead]));
        assert_eq!(found[1].diff.after["keptBy"], json!(ROOT));

        let store = hooks(db);
        let made = hook(db, "Avisos", &[EventType::ItemChanged]).await;
        let off = WebhookDraft { active: false, ..made.draft.clone() };
        store.replace(made.id, valid_draft(off), Some(1), &by_root(1)).await.unwrap();
        store.replace(made.id, valid_draft(made.draft.clone()), Some(1), &by_root(2)).await.unwrap();
        store.change_secret(made.id, "whsec_secret", &by_root(3)).await.unwrap();
        store.resume(made.id, &by_root(4)).await.unwrap();
        db.run("UPDATE webhooks SET paused_date = '2026-11-20T10:00:00+00:00'").await;
        store.resume(made.id, &by_root(5)).await.unwrap();
        store.remove(made.id, None, &by_root(6)).await.unwrap();
        let found = entries(db, "webhooks").await;
        let outline: Vec<_> = found.iter().map(|entry| (entry.action, entry.occurred_at)).collect();
        assert_eq!(outline, [
            (Created, start()), (Updated, after(1)), (SecretChanged, after(3)), (Updated, after(5)), (Deleted, after(6)),
        ]);
        assert_eq!(found[1].diff.after, *json!({"active": false}).as_object().unwrap());
        assert_eq!(found[3].diff.after, *json!({"paused": false}).as_object().unwrap());
        no_entry_has_a_secret(db).await;
    }

    async fn settings_are_recorded_with_their_values_before_and_after(db: &TestDb) {
        let settings = SeaOrmAppSettings(db.database.clone());
        let other = AppSettings { items_per_page: 33, ..AppSettings::default() };
        settings.replace(checked(other, &()).unwrap(), Some(1), &by_root(1)).await.unwrap();
        settings.replace(checked(AppSettings::default(), &()).unwrap(), Some(1), &by_root(2)).await.unwrap();
        let found = entries(db, "app-settings").await;
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((&found[0].diff.after["itemsPerPage"], found[0].diff.after.len()), (&json!(33), 1));

        let messages = SeaOrmEntries::<AlertMessage>::new(db.database.clone());
        let message = |text: &str| valid(AlertMessage { message: text.into() });
        let Inserted::New(added) = messages.insert(message("Hola"), &by_root(1), None).await.unwrap() else { panic!() };
        messages.replace(added.id, message("Adiós"), Some(1), &by_root(2)).await.unwrap();
        messages.replace(added.id, message("Tarde"), Some(1), &by_root(3)).await.unwrap();
        messages.delete(added.id, Some(1), &by_root(4)).await.unwrap();
        messages.delete(added.id, Some(2), &by_root(5)).await.unwrap();
        let found = entries(db, "alert-messages").await;
        assert_eq!(found.iter().map(|entry| entry.action).collect::<Vec<_>>(), [Created, Updated, Deleted]);
        assert_eq!((&found[1].diff.before["message"], &found[1].diff.after["message"]), (&json!("Hola"), &json!("Adiós")));
        assert_eq!((found[2].title.as_str(), &found[2].diff.before["message"]), ("Adiós", &json!("Adiós")));

        let values = SeaOrmSettings(db.database.clone());
        let channels = Setting { name: "channelsBaseUrl", resource: "channels-base-url" };
        for text in ["https://a.example", "https://a.example", "https://b.example"] {
            values.set(channels, text, &by_root(1)).await.unwrap();
        }
        values.clear(channels, &by_root(2)).await.unwrap();
        values.clear(channels, &by_root(3)).await.unwrap();
        let found = entries(db, "channels-base-url").await;
        let after: Vec<_> = found.iter().map(|entry| entry.diff.after["channelsBaseUrl"].clone()).collect();
        assert_eq!(after, [json!("https://a.example"), json!("https://b.example"), json!(null)]);
    }

    async fn a_first_value_is_recorded_as_the_one_before_a_concurrent_one(db: &TestDb) {
        let elsewhere = db.other_node().await;
        let adding = elsewhere.connection().begin().await.unwrap();
        let first = "INSERT INTO settings (name, value) VALUES ('channelsBaseUrl', 'https://a.example')";
        adding.execute_unprepared(first).await.unwrap();
        let values = SeaOrmSettings(db.database.clone());
        let setting = tokio::spawn(async move {
            let channels = Setting { name: "channelsBaseUrl", resource: "channels-base-url" };
            values.set(channels, "https://b.example", &by_root(1)).await
        });
        db.until_a_lock_is_awaited().await;
        adding.commit().await.unwrap();
        setting.await.unwrap().unwrap();
        let found = entries(db, "channels-base-url").await;
        let [entry] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(entry.diff.before["channelsBaseUrl"], json!("https://a.example"));
        assert_eq!(entry.diff.after["channelsBaseUrl"], json!("https://b.example"));
    }

    async fn views_are_recorded_where_they_are_shared(db: &TestDb) {
        TestUsers::of(db).await;
        let views = SeaOrmSavedViews(db.database.clone());
        let view = |shared_with| SavedView {
            list: "users".into(),
            name: "Vista".into(),
            query: String::new(),
            hidden_columns: None,
            shared_with,
        };
        let save = async |id, shared_with, minutes| {
            match views.save(&admin(), id, &view(shared_with), after(minutes)).await.unwrap() {
                Written::Done(stored) => stored,
                other => panic!("{other:?}"),
            }
        };
        let own = save(None, None, 0).await;
        save(Some(own.id), None, 1).await;
        assert_eq!(actions(db, "saved-views").await, []);
        let shared = save(Some(own.id), Some(RoleCode::Agent), 2).await;
        save(Some(own.id), Some(RoleCode::Admin), 3).await;
        views.delete(&admin(), &shared, after(4)).await.unwrap();
        let private = save(None, None, 5).await;
        views.delete(&admin(), &private, after(6)).await.unwrap();
        let found = entries(db, "saved-views").await;
        assert_eq!(found.iter().map(|entry| entry.action).collect::<Vec<_>>(), [Created, Updated, Deleted]);
        assert_eq!(found[1].diff.after, *json!({"sharedWith": RoleCode::Admin}).as_object().unwrap());
    }

    async fn roles_sessions_and_refused_sign_ins_are_recorded(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        fixture.add(ROOT, "Ana_1", RoleCode::ContentManager).await;
        fixture.edit("ana_1", |change| change.role = RoleCode::App).await;
        let found = entries(db, "users").await;
        let changed = found.last().unwrap();
        assert_eq!((changed.action, &changed.diff.after["roleCode"]), (RoleChanged, &json!(RoleCode::App)));
        assert_eq!(found.iter().find(|entry| entry.item == "ana_1").unwrap().diff.after["roleCode"], json!(RoleCode::ContentManager));

        let sessions = SeaOrmSessions::new(db.database.clone());
        open_session(db, "key one", "ana_1").await;
        open_session(db, "key two", "ana_1").await;
        sessions.end_one(&name("Ana_1"), "no such id", &by_root(1)).await.unwrap();
        sessions.end_all(&name("Ana_1"), None, &by_root(2)).await.unwrap();
        sessions.end_all(&name("Ana_1"), None, &by_root(3)).await.unwrap();
        let refused = NewAuditEntry {
            action: SignInRefused,
            resource: "sessions",
            item: "ana_1".into(),
            title: "Ana_1".into(),
            after: Map::from_iter([("reason".to_owned(), json!("WRONG_PASSWORD"))]),
        };
        let without_user = Edit { by: None, at: after(4), origin: Origin::of(Source::Request) };
        SeaOrmAudit(db.database.clone()).add(refused, without_user).await.unwrap();
        let found = entries(db, "sessions").await;
        let of_ana: Vec<_> = found.iter().map(|entry| (entry.action, entry.item.as_str())).collect();
        assert_eq!(of_ana[2..], [(SessionsEnded, "ana_1"), (SignInRefused, "ana_1")]);
        assert_eq!((&found[2].actor, &found[2].diff.after["sessions"]), (&Username::parse(ROOT), &json!(2)));
    }

    async fn credits_and_requests_for_reversals_are_recorded(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        fixture.add(ROOT, "agent_1", RoleCode::Agent).await;
        fixture.add("agent_1", "ana_1", RoleCode::App).await;
        fixture.stock("agent_1", 9).await;
        let before = entries(db, "credits").await.len();
        let sales = [fixture.post("agent_1", AddCredits, "ana_1", 2).await, fixture.post("agent_1", AddCredits, "ana_1", 3).await];
        let found = entries(db, "credits").await;
        let sale = found.last().unwrap();
        assert_eq!((found.len() - before, sale.action, sale.item.as_str()), (2, CreditsMoved, "ana_1"));
        assert_eq!(sale.actor, Username::parse("agent_1"));
        assert_eq!((&sale.diff.after["amount"], &sale.diff.after["movementId"]), (&json!(3), &json!(sales[1].id)));

        let mut requests = Vec::new();
        for sale in &sales {
            let (requester, movement) = (name("agent_1"), sale.id);
            let requested = NewReversalRequest { requester, movement, reason: None, origin: Origin::of(Source::Request), once: None };
            let Inserted::New(request) = fixture.ledger.request(&requested, after(1)).await.unwrap() else { panic!() };
            requests.push(request.id);
        }
        fixture.ledger.decline(requests[0], Some("no"), &by_root(2)).await.unwrap();
        let order = ReversalOrder { request: Some(requests[1]), ..reversal(ROOT, sales[1].id) };
        fixture.ledger.reverse(&order, after(3)).await.unwrap();
        // Refused: an operation is reversed only once, and nothing is recorded.
        fixture.ledger.reverse(&order, after(4)).await.unwrap();
        let found = entries(db, "reversal-requests").await;
        assert_eq!(found.iter().map(|entry| entry.action).collect::<Vec<_>>(), [Requested, Requested, Declined, Approved]);
        assert_eq!((&found[2].diff.after["note"], found[3].item.as_str()), (&json!("no"), requests[1].to_string().as_str()));
        assert_eq!(entries(db, "credits").await.len(), before + 3);
        let ledger = db.number("SELECT count(*) AS number FROM operations").await;
        assert_eq!(i64::try_from(before + 3).unwrap(), ledger, "an entry for each operation of the ledger");
    }

    async fn bulk_operations_backups_and_imports_are_recorded(db: &TestDb) {
        TestUsers::of(db).await;
        let operations = SeaOrmOperations(db.database.clone());
        let preview = begin(db, operation(None, true)).await;
        operations.end(preview.id, OperationState::Cancelled, None, &by_root(1)).await.unwrap();
        let begun = begin(db, operation(None, false)).await;
        operations.end(begun.id, OperationState::Cancelled, None, &by_root(1)).await.unwrap();
        operations.end(begun.id, OperationState::Cancelled, None, &by_root(2)).await.unwrap();
        let undo = begin(db, operation(Some(begun.id), false)).await;
        let job = Edit { by: None, at: after(3), origin: Origin::SERVER };
        operations.end(undo.id, OperationState::Failed, None, &job).await.unwrap();
        let found = entries(db, "operations").await;
        assert_eq!(found.iter().map(|entry| entry.action).collect::<Vec<_>>(), [Begun, Cancelled, Undone]);
        assert_eq!(found[2].diff.after["undoOf"], json!(begun.id));

        let log = SeaOrmBackups(db.database.clone());
        log.add(BackupOrigin::Manual, &by_root(1)).await.unwrap();
        log.add(BackupOrigin::Manual, &by_root(2)).await.unwrap();
        assert_eq!(actions(db, "backups").await, [Requested]);

        SeaOrmIssues(db.database.clone()).import(Vec::new(), after(1)).await.unwrap();
        assert_eq!(actions(db, "issue-reports").await, []);
        let fixture = TestUsers::of(db).await;
        let batch = || vec![ImportedUser {
            user: new_user("eva_1", RoleCode::App),
            registrar: None,
            expiration_date: None,
            sign_ins: 0,
            created_date: None,
            credits: 4,
            sale_credits: 0,
        }];
        ports::UserRepository::import(&fixture.users, batch(), after(2)).await.unwrap();
        ports::UserRepository::import(&fixture.users, batch(), after(3)).await.unwrap();
        let found = entries(db, "users").await;
        let imported: Vec<_> = found.iter().filter(|entry| entry.action == Imported).collect();
        assert_eq!(imported.len(), 1, "an import that changes nothing adds nothing");
        assert_eq!((imported[0].origin.source, &imported[0].diff.after["created"]), (Source::Import, &json!(1)));
        let booked = entries(db, "credits").await;
        assert_eq!(booked.len(), 1, "one opening balance, once");
        assert_eq!((booked[0].action, &booked[0].diff.after["booked"]), (Imported, &json!(1)));
    }

    async fn changes_and_deletions_of_reports_are_recorded_with_their_values(db: &TestDb) {
        let store = store(db);
        let mut reports = Vec::new();
        for minute in 0..3 {
            reports.push(report(&store, &complaint("No carga", Some("Dune")), minute).await);
        }
        assert_eq!(actions(db, "issue-reports").await, [], "a report has its own history");
        let to = ReportState {
            priority: Priority::High,
            assigned_to: Some(name("Eva_1")),
            notes: Some("Se mira".into()),
            ..state(&reports[0])
        };
        let changed = change(&store, &reports[0], to.clone(), 4).await;
        // A change of an outdated report is none.
        store.change(&reports[0], &to, &staff("Eva_1"), after(5)).await.unwrap();
        store.delete(&reports[0], &staff("Eva_1"), after(5)).await.unwrap();
        store.delete(&changed, &staff("Eva_1"), after(6)).await.unwrap();
        change(&store, &reports[1], ReportState { priority: Priority::Low, ..state(&reports[1]) }, 7).await;

        let found = entries(db, "issue-reports").await;
        let ids: Vec<String> = reports.iter().map(|report| report.id.to_string()).collect();
        let seen: Vec<_> =
            found.iter().map(|entry| (entry.action, entry.item.clone(), entry.version, entry.occurred_at)).collect();
        assert_eq!(seen, [
            (Updated, ids[0].clone(), Some(2), after(4)),
            (Deleted, ids[0].clone(), Some(2), after(6)),
            (Updated, ids[1].clone(), Some(2), after(7)),
        ]);
        assert!(found.iter().all(|entry| entry.actor == Username::parse("Eva_1") && entry.title == "No carga"));
        assert!(found.iter().all(|entry| entry.origin.source == Source::Request));
        let before = json!({"priority": "MEDIUM", "assignedTo": null, "notes": null});
        let after = json!({"priority": "HIGH", "assignedTo": "Eva_1", "notes": "Se mira"});
        assert_eq!((json!(found[0].diff.before), json!(found[0].diff.after)), (before, after));
        assert_eq!(json!(found[1].diff.before), json!({
            "contentType": "MOVIE",
            "content": "Dune",
            "reportType": "NOT_LOADING",
            "status": "REPORTADO",
            "priority": "HIGH",
            "assignedTo": "Eva_1",
            "notes": "Se mira",
        }));
        assert_eq!(json!(found[2].diff.before), json!({"priority": "MEDIUM"}));
        assert_eq!(json!(found[2].diff.after), json!({"priority": "LOW"}));
    }

    async fn a_slice_of_reports_is_recorded_in_one_statement_and_a_report_of_the_server_without_a_user(db: &TestDb) {
        let store = store(db);
        let mut changes = Vec::new();
        for minute in 0..3 {
            let report = report(&store, &complaint("No carga", None), minute).await;
            changes.push((report.clone(), ReportState { priority: Priority::Low, ..state(&report) }));
        }
        let author = Author { name: "links".into(), kind: AuthorKind::Server, origin: Origin::SERVER };
        let (last, to) = changes.pop().unwrap();
        store.change(&last, &to, &author, after(4)).await.unwrap();
        let items = changes.iter().map(|(report, _)| report.id.into()).collect();
        let new = NewOperation { resource: Resource::Reports, items, ..operation(None, false) };
        let begun = begin(db, new).await;
        let row = |report: &Report, position| OperationRow {
            position,
            item: report.id.into(),
            title: report.title.clone(),
            verdict: Verdict::Changed,
            before: Map::new(),
            after: Map::new(),
            problems: Vec::new(),
            sheet_row: None,
        };
        let items = changes.iter().zip(0..).map(|(change, position)| ReportSliceItem {
            row: row(&change.0, position),
            change: Some(change.clone()),
            deletes: None,
        });
        let slice = ReportSlice { slice: first_slice(begun.id), items: items.collect() };
        let origin = Origin { operation: Some(begun.id), ..Origin::of(Source::BulkOperation) };
        let noted = Arc::<Mutex<Vec<String>>>::default();
        let notes = Arc::clone(&noted);
        let watched =
            db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.sql.clone()));
        SeaOrmIssues(watched).write_slice(slice, &Author { origin, ..staff("Eva_1") }, after(5)).await.unwrap();
        let statements = noted.lock().unwrap().clone();
        assert_eq!(statements.iter().filter(|sql| sql.contains("audit_entries")).count(), 1, "{statements:?}");
        let found = entries(db, "issue-reports").await;
        let seen: Vec<_> = found.iter().map(|entry| (entry.actor.clone(), entry.origin)).collect();
        let by_eva = (Username::parse("Eva_1"), origin);
        assert_eq!(seen, [(None, Origin::SERVER), by_eva.clone(), by_eva]);
    }
}
