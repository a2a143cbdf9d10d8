//! Groups of reports on the same item.

use std::collections::BTreeMap;

use adapter_seaorm::SeaOrmDashboards;
use domain_issues::{IssueContentType, NewReport, Priority, ReportStatus};
use domain_kernel::{Enumeration, ListQuery};
use futures_util::future::join_all;
use ports::{Dashboards, IssueFilter, IssueRepository, ReportState, Written};
use sea_orm::{ConnectionTrait, TransactionTrait};

use super::{
    add_reports, assert_groups_agree, change, complaint, listed, listed_groups, report, staff, state, store,
    whole_list,
};
use crate::support::{TestDb, after, on_both};

on_both! {
    async fn counts_and_groups_are_correct_after_every_change(db: &TestDb) {
        let store = add_reports(db, 60).await;
        assert_groups_agree(&store).await;
        let all = listed(&store, &IssueFilter::default(), &whole_list()).await;
        for (number, one) in all.iter().enumerate() {
            match number % 4 {
                0 => drop(store.delete(one, &staff("Eva_1"), after(900)).await.unwrap()),
                1 => {
                    let status = if one.status.is_open() { ReportStatus::Closed } else { ReportStatus::Reported };
                    change(&store, one, ReportState { status, ..state(one) }, 901).await;
                }
                _ => {}
            }
        }
        assert_groups_agree(&store).await;
        let left = listed(&store, &IssueFilter::default(), &whole_list()).await;
        let mut counts: BTreeMap<ReportStatus, u64> = BTreeMap::new();
        for one in &left {
            *counts.entry(one.status).or_default() += 1;
        }
        let kept: BTreeMap<_, _> = store.counts().await.unwrap().into_iter().filter(|(_, n)| *n > 0).collect();
        assert_eq!(kept, counts);
        let unresolved = SeaOrmDashboards(db.database.clone()).unresolved_issues().await.unwrap();
        for kind in IssueContentType::ALL {
            let open = left.iter().filter(|one| one.content_type == *kind && one.status.is_open()).count() as u64;
            let kept = unresolved.iter().find(|(code, _)| code == kind.code()).map_or(0, |(_, count)| *count);
            assert_eq!(kept, open, "{kind:?}");
        }
    }

    async fn groups_are_found_by_their_items_names_and_types(db: &TestDb) {
        let store = store(db);
        for (title, times) in [("Corazón salvaje", 3), ("corazon  SALVAJE", 1), ("Dune", 2), ("!", 1)] {
            for minute in 0..times {
                report(&store, &complaint("No carga", Some(title)), minute).await;
            }
        }
        report(&store, &complaint("No carga", None), 9).await;
        let tv = NewReport { content_type: IssueContentType::Tv, ..complaint("No carga", Some("Dune")) };
        report(&store, &tv, 9).await;
        let search = |text: &str| ListQuery { search: Some(text.into()), ..whole_list() };
        let found = listed_groups(&store, &search("CORAZON")).await;
        assert_eq!((found.len(), found[0].reports, found[0].title.as_str()), (1, 4, "corazon  SALVAJE"), "one item, in any spelling");
        assert_eq!(listed_groups(&store, &search("pelicula")).await.len(), 3);
        assert_eq!(listed_groups(&store, &search("tv channel")).await.len(), 1);
        assert_eq!(listed_groups(&store, &search("un")).await.len(), 2);
        let of_tv = store.groups(Some(IssueContentType::Tv), &ListQuery::default()).await.unwrap();
        assert_eq!((of_tv.total_elements, of_tv.content[0].content_type), (1, IssueContentType::Tv));
        assert_eq!(listed_groups(&store, &whole_list()).await.len(), 4, "the item of the last one is unknown");
    }

    async fn concurrent_reports_and_changes_lose_nothing(db: &TestDb) {
        let store = store(db);
        let first = report(&store, &complaint("No carga", Some("Dune")), 0).await;
        let work = |number: i64| {
            let store = self::store(db);
            let first = first.clone();
            tokio::spawn(async move {
                match number % 3 {
                    0 => drop(report(&store, &complaint("Sin audio", Some("dune")), number).await),
                    1 => {
                        let priority = Priority::ALL[usize::try_from(number).unwrap() / 3 % 4];
                        let now = store.find(first.id).await.unwrap().unwrap();
                        let to = ReportState { priority, ..state(&now) };
                        store.change(&now, &to, &staff("Eva_1"), after(number)).await.unwrap();
                    }
                    _ => {
                        let to = ReportState { status: ReportStatus::Resolved, ..state(&first) };
                        store.change(&first, &to, &staff("Eva_1"), after(number)).await.unwrap();
                    }
                }
            })
        };
        for done in join_all((0..30).map(work)).await {
            done.unwrap();
        }
        assert_groups_agree(&store).await;
        for one in listed(&store, &IssueFilter::default(), &whole_list()).await {
            let history = store.history(one.id).await.unwrap();
            assert_eq!(i64::try_from(history.len()).unwrap(), one.version, "{history:?}");
        }
    }

    async fn a_change_of_a_report_locks_its_item_first(db: &TestDb) {
        // SQLite has one writer.
        if db.is_sqlite() {
            return;
        }
        let store = store(db);
        let first = report(&store, &complaint("No carga", Some("Dune")), 0).await;
        // A concurrent slice of an operation has started.
        let group = db.database.connection().begin().await.unwrap();
        group.execute_unprepared("SELECT id FROM issue_items FOR UPDATE").await.unwrap();
        let change = {
            let (store, first) = (self::store(db), first.clone());
            let to = ReportState { status: ReportStatus::Resolved, ..state(&first) };
            tokio::spawn(async move { store.change(&first, &to, &staff("Eva_1"), after(1)).await.unwrap() })
        };
        db.until_a_lock_is_awaited().await;
        let held = "SELECT id FROM issue_reports FOR UPDATE NOWAIT";
        group.execute_unprepared(held).await.expect("a waiting change locks no report");
        group.commit().await.unwrap();
        assert!(matches!(change.await.unwrap(), Written::Done(_)));
    }
}
