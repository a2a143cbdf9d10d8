//! Groups of reports on the same item: their contents, and changes of whole groups.

use std::collections::BTreeMap;

use adapter_seaorm::SeaOrmDashboards;
use domain_issues::{GroupChange, IssueContentType, NewReport, Priority, ReportStatus};
use domain_kernel::{Enumeration, ListQuery};
use futures_util::future::join_all;
use ports::{Dashboards, IssueFilter, IssueRepository, ReportState, Written};
use sea_orm::{ConnectionTrait, TransactionTrait};

use super::{
    add_reports, assert_groups_agree, change, complaint, listed, listed_groups, report, staff, state, store,
    whole_list,
};
use crate::{
    fixture::name,
    support::{TestDb, after, on_both},
};

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

    async fn a_whole_group_is_changed_together_and_equal_values_stay(db: &TestDb) {
        let store = store(db);
        let mut reports = Vec::new();
        for minute in 0..5 {
            reports.push(report(&store, &complaint("No carga", Some("Dune")), minute).await);
        }
        let group = reports[0].group_id.unwrap();
        let mine = ReportState { status: ReportStatus::InProgress, assigned_to: Some(name("bea_2")), ..state(&reports[1]) };
        change(&store, &reports[1], mine, 10).await;
        change(&store, &reports[4], ReportState { status: ReportStatus::Closed, ..state(&reports[4]) }, 10).await;
        let begin = GroupChange {
            status: Some(ReportStatus::InProgress),
            stand_in: Some(name("Eva_1")),
            ..GroupChange::default()
        };
        assert_eq!(store.change_group(group, &begin, &staff("Eva_1"), after(11)).await.unwrap(), Some(3));
        assert_eq!(store.change_group(group, &begin, &staff("Eva_1"), after(12)).await.unwrap(), Some(0));
        let assigned = async || {
            let all = listed(&store, &IssueFilter { group: Some(group), ..IssueFilter::default() }, &whole_list()).await;
            all.iter().map(|one| one.assigned_to.as_ref().map(ToString::to_string)).collect::<Vec<_>>()
        };
        let eva = || Some("Eva_1".to_owned());
        assert_eq!(assigned().await, [eva(), Some("bea_2".into()), eva(), eva(), None]);
        let hand_over = GroupChange { assigned_to: Some(Some(name("bea_2"))), priority: Some(Priority::High), ..begin.clone() };
        assert_eq!(store.change_group(group, &hand_over, &staff("Eva_1"), after(13)).await.unwrap(), Some(4));
        let unassigned = GroupChange { status: None, assigned_to: Some(None), ..begin };
        assert_eq!(store.change_group(group, &unassigned, &staff("Eva_1"), after(14)).await.unwrap(), Some(4));
        assert_eq!(assigned().await, [eva(), eva(), eva(), eva(), None], "a report in progress has an assignee");
        let resolve = GroupChange {
            status: Some(ReportStatus::Resolved),
            notes: Some(Some("Enlace nuevo".into())),
            ..GroupChange::default()
        };
        assert_eq!(store.change_group(group, &resolve, &staff("Eva_1"), after(15)).await.unwrap(), Some(4));
        assert_eq!(store.change_group(group, &resolve, &staff("Eva_1"), after(16)).await.unwrap(), Some(0), "none is open");
        assert_eq!(store.change_group(99, &resolve, &staff("Eva_1"), after(16)).await.unwrap(), None);
        assert!(store.has_group(group).await.unwrap() && !store.has_group(99).await.unwrap());
        assert!(listed_groups(&store, &whole_list()).await.is_empty());
        let one = store.find(reports[1].id).await.unwrap().unwrap();
        assert_eq!((one.version, one.updated_date, one.notes.as_deref()), (5, after(15), Some("Enlace nuevo")));
        let history = store.history(one.id).await.unwrap();
        let reported: Vec<_> = history.iter().map(|one| (one.status_to, one.priority_to, one.assigned_to.as_deref(), one.note.as_deref())).collect();
        assert_eq!(reported, [
            (Some(ReportStatus::Reported), None, None, None),
            (Some(ReportStatus::InProgress), None, Some("bea_2"), None),
            (None, Some(Priority::High), None, None),
            (None, None, Some("Eva_1"), None),
            (Some(ReportStatus::Resolved), None, None, Some("Enlace nuevo")),
        ]);
    }

    async fn concurrent_reports_and_changes_of_groups_lose_nothing(db: &TestDb) {
        let store = store(db);
        let first = report(&store, &complaint("No carga", Some("Dune")), 0).await;
        let group = first.group_id.unwrap();
        let work = |number: i64| {
            let store = self::store(db);
            let first = first.clone();
            tokio::spawn(async move {
                match number % 3 {
                    0 => drop(report(&store, &complaint("Sin audio", Some("dune")), number).await),
                    1 => {
                        let priority = Some(Priority::ALL[usize::try_from(number).unwrap() / 3 % 4]);
                        let change = GroupChange { priority, ..GroupChange::default() };
                        store.change_group(group, &change, &staff("Eva_1"), after(number)).await.unwrap();
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
        // A concurrent change of the whole group has started.
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
