//! Slices of bulk changes of viewers' reports in the store.

use adapter_seaorm::SeaOrmOperations;
use domain_issues::{Priority, Report, ReportStatus};
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
        let operation = SeaOrmOperations(db.database.clone()).insert(operation, None).await.unwrap();
        let Inserted::New(operation) = operation else { panic!("{operation:?}") };
        // One is changed, and another one removed, between the read and the write.
        let theirs = change(&store, &reports[1], ReportState { priority: Priority::Low, ..state(&reports[1]) }, 5).await;
        store.delete(&reports[2], &staff("ana_1"), after(6)).await.unwrap();
        let item = |report: &Report, position: i64| ReportSliceItem {
            row: OperationRow {
                position,
                item: report.id.into(),
                title: report.title.clone(),
                verdict: Verdict::Changed,
                before: Map::new(),
                after: Map::new(),
                problems: Vec::new(),
                sheet_row: None,
            },
            deletes: None,
            change: Some((report.clone(), ReportState {
                status: ReportStatus::InProgress,
                assigned_to: Some(name("eva_1")),
                notes: (position == 0).then(|| "En ello".into()),
                ..state(report)
            })),
        };
        let slice = ReportSlice {
            slice: first_slice(operation.id),
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
}
