//! Merging two items is one transaction: views, links and reports of both, once.

use adapter_seaorm::{SeaOrmAudit, SeaOrmIssues};
use domain_audit::AuditAction;
use domain_catalogue::{Movie, together};
use domain_issues::{Author, AuthorKind, IssueContentType, NewReport, Report, ReportStatus, ReportType};
use domain_kernel::{Id, ListQuery, Origin};
use ports::{
    AuditFilter, AuditRepository, ContentRepository, Inserted, IssueRepository, ItemMerge, ReportState,
    Written,
};
use serde_json::json;

use crate::{
    duplicates::{Movies, film, movies},
    kinds::{add, done},
    support::{TestDb, after, edit, on_both, valid},
};

/// The merged content, as the use case makes it.
async fn both(movies: &Movies, kept: Id, merged: Id) -> Movie {
    let (kept, merged) =
        (movies.find(kept).await.unwrap().unwrap(), movies.find(merged).await.unwrap().unwrap());
    let json = |movie: &Movie| serde_json::to_value(movie).unwrap();
    serde_json::from_value(together(json(&kept.content), &json(&merged.content))).unwrap()
}

pub async fn report(db: &TestDb, content_type: IssueContentType, id: Id, title: &str) -> Report {
    let new = NewReport {
        title: "No carga".into(),
        description: None,
        content_type,
        content_id: Some(id),
        content: Some(title.into()),
        report_type: ReportType::NotLoading,
        reporter: None,
    };
    let author = Author { name: "ana_1".into(), kind: AuthorKind::Staff, origin: Origin::SERVER };
    match SeaOrmIssues(db.database.clone()).insert(&new, &author, after(0), None).await.unwrap() {
        Inserted::New(report) => report,
        other => panic!("{other:?}"),
    }
}

on_both! {
    async fn a_merged_item_has_the_views_links_and_reports_of_both(db: &TestDb) {
        let (movies, category) = movies(db).await;
        let mut first = film(3, category, &["https://a.example/1", "https://a.example/2"]);
        (first.rating, first.imdb_id) = (None, None);
        let mut second = film(4, category, &["https://a.example/2", "https://a.example/3"]);
        (second.rating, second.imdb_id) = (Some(8.1), Some("tt0000009".into()));
        let (kept, merged) = (add(&movies, first).await, add(&movies, second).await);
        db.run(&format!("UPDATE movies SET views = 30 WHERE id = {kept}")).await;
        db.run(&format!("UPDATE movies SET views = 12 WHERE id = {merged}")).await;
        let moved = report(db, IssueContentType::Movie, merged, "Segunda").await;
        let trailer = report(db, IssueContentType::Trailer, merged, "Segunda").await;
        let there = report(db, IssueContentType::Movie, kept, "Primera").await;
        let other = report(db, IssueContentType::Concert, merged, "Un concierto").await;
        let before = movies.find(kept).await.unwrap().unwrap();
        let old = movies.find(merged).await.unwrap().unwrap();

        let content = both(&movies, kept, merged).await;
        let merge = ItemMerge { kept: (kept, 1), merged: (merged, 1) };
        let item = done(movies.merge(merge, valid(content), edit(after(5))).await.unwrap());
        assert_eq!((item.id, item.version, item.views, item.created_date), (kept, 2, 42, before.created_date));
        assert_eq!((item.content.rating, item.content.imdb_id.as_deref()), (Some(8.1), Some("tt0000009")));
        let urls: Vec<&str> = item.content.links.iter().map(|link| link.url.0.as_str()).collect();
        assert_eq!(urls, ["https://a.example/1", "https://a.example/2", "https://a.example/3"]);
        assert_eq!(movies.find(kept).await.unwrap().unwrap(), item);
        assert_eq!(movies.find(merged).await.unwrap(), None);

        // Reports of its kind are moved to the kept item and its group, with history entries.
        let issues = SeaOrmIssues(db.database.clone());
        let group = issues.find(there.id).await.unwrap().unwrap().group_id;
        let now = issues.find(moved.id).await.unwrap().unwrap();
        assert_eq!((now.content_id, now.group_id, now.version), (Some(kept), group, 2));
        assert_eq!(issues.find(trailer.id).await.unwrap().unwrap().content_id, Some(kept));
        assert_eq!(issues.find(other.id).await.unwrap().unwrap(), other);
        let open = format!("SELECT open AS number FROM issue_items WHERE item_key = 'MOVIE/{kept}'");
        assert_eq!(db.number(&open).await, 2);
        assert_eq!(db.number(&format!("SELECT open AS number FROM issue_items WHERE item_key = 'MOVIE/{merged}'")).await, 0);
        assert_eq!(db.number(&format!("SELECT count(*) AS number FROM issue_history WHERE note LIKE '%→%' AND report_id = {}", moved.id)).await, 1);
        // A change based on the earlier report is refused.
        let state = ReportState { status: ReportStatus::Resolved, priority: moved.priority, assigned_to: None, notes: None };
        let author = Author { name: "ana_1".into(), kind: AuthorKind::Staff, origin: Origin::SERVER };
        let outcome = issues.change(&moved, &state, &author, after(6)).await.unwrap();
        assert!(matches!(outcome, Written::Outdated(_)), "{outcome:?}");

        // The other item can be restored from the trash unchanged; its views stay with the kept
        // one.
        let trashed = movies.trashed(merged).await.unwrap().unwrap();
        assert_eq!((&trashed.content, trashed.version, trashed.views), (&old.content, 1, 0));
        let restored = done(movies.restore(merged, valid(trashed.content), edit(after(7))).await.unwrap());
        assert_eq!((&restored.content, restored.views), (&old.content, 0));

        let audit = SeaOrmAudit(db.database.clone());
        let of = |id: Id| AuditFilter { resource: Some("movies".into()), item: Some(id.to_string()), ..AuditFilter::default() };
        let entries = audit.list(&of(kept), &ListQuery::default()).await.unwrap().content;
        assert_eq!((entries[0].action, entries[0].version), (AuditAction::Merged, Some(2)));
        assert_eq!(entries[0].diff.before["rating"], json!(null));
        assert_eq!(entries[0].diff.after["rating"], json!(8.1));
        assert!(entries[0].diff.after["mergedItem"].as_str().unwrap().ends_with(&format!("({merged})")));
        let entries = audit.list(&of(merged), &ListQuery::default()).await.unwrap().content;
        let actions: Vec<AuditAction> = entries.iter().map(|entry| entry.action).collect();
        assert_eq!(actions, [AuditAction::Restored, AuditAction::Deleted, AuditAction::Created]);
        assert!(entries[1].diff.after["mergedInto"].as_str().unwrap().ends_with(&format!("({kept})")));
        // An earlier version is computed by undoing the changes since.
        let changes = audit.changes_after("movies", &kept.to_string(), 1, 10).await.unwrap();
        let mut fields = serde_json::to_value(&item.content).unwrap();
        fields.as_object_mut().unwrap().extend(changes[0].diff.before.clone());
        assert_eq!(serde_json::from_value::<Movie>(fields).unwrap(), before.content);
    }

    async fn outdated_versions_and_deleted_items_are_not_merged(db: &TestDb) {
        let (movies, category) = movies(db).await;
        let kept = add(&movies, film(1, category, &["https://a.example/1"])).await;
        let merged = add(&movies, film(2, category, &["https://a.example/2"])).await;
        let content = both(&movies, kept, merged).await;
        done(movies.set_active(merged, true, None, edit(after(1))).await.unwrap());
        done(movies.set_active(merged, false, None, edit(after(2))).await.unwrap());
        let version = movies.find(merged).await.unwrap().unwrap().version;
        let state = (movies.find(kept).await.unwrap(), movies.find(merged).await.unwrap());
        for (kept_version, merged_version, outdated) in [(1, version - 1, merged), (2, version, kept)] {
            let merge = ItemMerge { kept: (kept, kept_version), merged: (merged, merged_version) };
            match movies.merge(merge, valid(content.clone()), edit(after(3))).await.unwrap() {
                Written::Outdated(current) => assert_eq!(current.id, outdated),
                other => panic!("{other:?}"),
            }
        }
        for merge in [
            ItemMerge { kept: (kept, 1), merged: (99, 1) },
            ItemMerge { kept: (99, 1), merged: (merged, version) },
        ] {
            assert_eq!(movies.merge(merge, valid(content.clone()), edit(after(3))).await.unwrap(), Written::Missing);
        }
        assert_eq!((movies.find(kept).await.unwrap(), movies.find(merged).await.unwrap()), state);
        assert_eq!(db.number("SELECT count(*) AS number FROM trash").await, 0);
    }

    async fn of_concurrent_merges_of_two_items_one_succeeds(db: &TestDb) {
        let (movies, category) = movies(db).await;
        for round in 0..5 {
            let a = add(&movies, film(1, category, &["https://a.example/1"])).await;
            let b = add(&movies, film(2, category, &["https://a.example/2"])).await;
            let (forth, back) = (both(&movies, a, b).await, both(&movies, b, a).await);
            let attempt = |kept, merged, content: &Movie| {
                let merge = ItemMerge { kept: (kept, 1), merged: (merged, 1) };
                movies.merge(merge, valid(content.clone()), edit(after(round)))
            };
            let outcomes = futures_util::future::join_all([
                attempt(a, b, &forth), attempt(b, a, &back), attempt(a, b, &forth), attempt(b, a, &back),
            ]).await;
            let merged = outcomes.iter().filter(|outcome| matches!(outcome, Ok(Written::Done(_)))).count();
            assert_eq!(merged, 1, "{outcomes:?}");
            let left = format!("SELECT count(*) AS number FROM movies WHERE id IN ({a}, {b})");
            assert_eq!(db.number(&left).await, 1);
        }
    }

    async fn a_failed_merge_changes_neither_item(db: &TestDb) {
        let (movies, category) = movies(db).await;
        let kept = add(&movies, film(1, category, &["https://a.example/1"])).await;
        let merged = add(&movies, film(2, category, &["https://a.example/2"])).await;
        report(db, IssueContentType::Movie, merged, "Segunda").await;
        let content = both(&movies, kept, merged).await;
        // The audit log is written last.
        let hidden = "ALTER TABLE audit_entries RENAME TO audit_entries_hidden";
        db.run(hidden).await;
        let merge = ItemMerge { kept: (kept, 1), merged: (merged, 1) };
        assert!(movies.merge(merge, valid(content.clone()), edit(after(1))).await.is_err());
        db.run("ALTER TABLE audit_entries_hidden RENAME TO audit_entries").await;
        assert_eq!(movies.find(kept).await.unwrap().unwrap().version, 1);
        assert_eq!(movies.find(merged).await.unwrap().unwrap().version, 1);
        assert_eq!(db.number("SELECT count(*) AS number FROM trash").await, 0);
        assert_eq!(db.number("SELECT count(*) AS number FROM issue_history WHERE note LIKE '%→%'").await, 0);
        done(movies.merge(merge, valid(content), edit(after(2))).await.unwrap());
    }
}
