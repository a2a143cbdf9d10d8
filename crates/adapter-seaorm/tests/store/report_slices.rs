//! Slices of bulk changes of viewers' reports in the store.

use std::sync::{Arc, Mutex};

use adapter_seaorm::{SeaOrmIssues, SeaOrmOperations};
use domain_issues::{HistoryAction, Priority, Report, ReportStatus};
use domain_kernel::{Id, Origin};
use domain_operations::{ItemKey, OperationRow, Resource, SLICE, Verdict};
use ports::{
    Inserted, IssueRepository, NewOperation, OperationRepository, ReportSlice, ReportSliceItem, ReportState,
    SliceWritten,
};
use serde_json::Map;

use crate::{
    fixture::name,
    issues::{change, complaint, report, staff, state, store},
    sheet_imports::first_slice,
    support::{TestDb, after, on_both, start},
};

/// An operation on these reports.
async fn begun(db: &TestDb, ids: &[Id]) -> Id {
    let operation = NewOperation {
        resource: Resource::Reports,
        change: None,
        undo_of: None,
        import: None,
        dry_run: false,
        created_by: "eva_1".into(),
        created_date: start(),
        origin: Origin::SERVER,
        items: ids.iter().copied().map(ItemKey::Number).collect(),
        items_of_slice: SLICE,
    };
    match SeaOrmOperations(db.database.clone()).insert(operation, None).await.unwrap() {
        Inserted::New(operation) => operation.id,
        other => panic!("{other:?}"),
    }
}

fn row(report: &Report, position: i64) -> OperationRow {
    OperationRow {
        position,
        item: report.id.into(),
        title: report.title.clone(),
        verdict: Verdict::Changed,
        before: Map::new(),
        after: Map::new(),
        problems: Vec::new(),
        sheet_row: None,
    }
}

on_both! {
    async fn a_slice_of_reports_is_written_together_and_keeps_concurrent_changes(db: &TestDb) {
        let store = store(db);
        let mut reports = Vec::new();
        for number in 0..4 {
            let content = (number > 0).then_some("Dune");
            reports.push(report(&store, &complaint("No carga", content), number).await);
        }
        let ids: Vec<Id> = reports.iter().map(|report| report.id).collect();
        let found = store.find_all(&[ids[3], 9_999, ids[0]]).await.unwrap();
        assert_eq!(found.len(), 2);
        let operation = begun(db, &ids).await;
        // One is changed, and another one removed, between the read and the write.
        let theirs = change(&store, &reports[1], ReportState { priority: Priority::Low, ..state(&reports[1]) }, 5).await;
        store.delete(&reports[2], &staff("ana_1"), after(6)).await.unwrap();
        let item = |report: &Report, position: i64| ReportSliceItem {
            row: row(report, position),
            deletes: None,
            change: Some((report.clone(), ReportState {
                status: ReportStatus::InProgress,
                assigned_to: Some(name("eva_1")),
                notes: (position == 0).then(|| "En ello".into()),
                ..state(report)
            })),
        };
        let slice = ReportSlice {
            slice: first_slice(operation),
            items: reports.iter().zip(0..).map(|(report, position)| item(report, position)).collect(),
        };
        let written = store.write_slice(slice, &staff("eva_1"), after(7)).await.unwrap();
        let SliceWritten::Done(counts) = written else { panic!("{written:?}") };
        assert_eq!((counts.changed, counts.conflicts, counts.missing), (2, 1, 1));
        for (id, note) in [(ids[0], Some("En ello")), (ids[3], None)] {
            let changed = store.find(id).await.unwrap().unwrap();
            assert_eq!((changed.status, changed.version, changed.updated_date), (ReportStatus::InProgress, 2, after(7)));
            assert_eq!((changed.assigned_to, changed.notes.as_deref()), (Some(name("eva_1")), note));
            let history = store.history(id).await.unwrap();
            let last = history.last().unwrap();
            assert_eq!((history.len(), last.by.as_str(), last.date), (2, "eva_1", after(7)));
            assert_eq!((last.status_to, last.priority_to, last.note.as_deref()), (Some(ReportStatus::InProgress), None, note));
            assert_eq!(last.assigned_to.as_deref(), Some("eva_1"));
        }
        assert_eq!(store.find(ids[1]).await.unwrap().unwrap(), theirs);
        assert_eq!(store.find(ids[2]).await.unwrap(), None);
    }

    async fn reports_of_a_slice_are_deleted_together_and_concurrent_changes_are_kept(db: &TestDb) {
        let plain = store(db);
        let mut reports = Vec::new();
        for number in 0..5 {
            reports.push(report(&plain, &complaint("No carga", Some("Dune")), number).await);
        }
        let ids: Vec<Id> = reports.iter().map(|report| report.id).collect();
        let operation = begun(db, &ids).await;
        // One is changed, and another one removed, between the read and the write.
        let theirs = change(&plain, &reports[1], ReportState { priority: Priority::Low, ..state(&reports[1]) }, 5).await;
        plain.delete(&reports[2], &staff("ana_1"), after(6)).await.unwrap();
        let noted = Arc::<Mutex<Vec<String>>>::default();
        let notes = Arc::clone(&noted);
        let watched = SeaOrmIssues(db.database.clone().watched(move |statement| {
            let is_counted = |start: &str| statement.sql.starts_with(start);
            if is_counted("DELETE FROM \"issue_reports\"") || is_counted("INSERT INTO \"issue_history\"") {
                notes.lock().unwrap().push(statement.sql.clone());
            }
        }));
        let item = |report: &Report, position: i64| ReportSliceItem {
            row: row(report, position),
            deletes: Some(report.clone()),
            change: None,
        };
        let slice = ReportSlice {
            slice: first_slice(operation),
            items: reports.iter().zip(0..).map(|(report, position)| item(report, position)).collect(),
        };
        let written = watched.write_slice(slice, &staff("eva_1"), after(7)).await.unwrap();
        let SliceWritten::Done(counts) = written else { panic!("{written:?}") };
        assert_eq!((counts.changed, counts.conflicts, counts.missing), (3, 1, 1));
        let noted = noted.lock().unwrap().clone();
        assert_eq!(noted.len(), 2, "{}", noted.join("\n"));
        assert_eq!(plain.find(ids[1]).await.unwrap().unwrap(), theirs);
        for id in [ids[0], ids[3], ids[4]] {
            assert_eq!(plain.find(id).await.unwrap(), None);
            let history = plain.history(id).await.unwrap();
            let last = history.last().unwrap();
            assert_eq!((history.len(), last.action, last.by.as_str(), last.date), (2, HistoryAction::Deleted, "eva_1", after(7)));
            assert_eq!((last.status_from, last.note.as_deref()), (Some(ReportStatus::Reported), Some("No carga")));
        }
        let recorded = "SELECT count(*) AS number FROM audit_entries WHERE action = 'DELETED' AND resource = 'issue-reports'";
        assert_eq!(db.number(recorded).await, 4, "one of them by another user");
    }
}
