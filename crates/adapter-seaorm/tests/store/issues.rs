//! Viewers' reports in the store: lists, counts and groups agree with the reports; every change is written down once.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use adapter_seaorm::{
    SeaOrmDashboards, SeaOrmIssues,
    catalogue::{EpisodesTable, MoviesTable, SeaOrmContents, TvShowsTable},
};
use domain_catalogue::{CategoryType, Content, Episode, Kind, MediaFields, Movie, TvShow};
use domain_issues::{
    Author, AuthorKind, GroupChange, HistoryAction, IssueContentType, IssueGroup, NewReport, Priority,
    Report, ReportStatus, ReportType, search_text,
};
use domain_kernel::{Enumeration, Id, ListQuery, RoleCode, Sort, Username, fold, order_key};
use domain_users::UserStatus;
use futures_util::future::join_all;
use ports::{
    Dashboards, IdempotencyKey, ImportedReport, Inserted, IssueFilter, IssueRepository, ReportState, Written,
};
use sea_orm::{ConnectionTrait, TransactionTrait};

use crate::{
    fixture::{ROOT, TestUsers, name, new_user},
    kinds::{add, add_category},
    support::{Rng, TestDb, after, on_both, start},
};

const SORTS: [&str; 9] = [
    "id",
    "reportedDate",
    "title",
    "contentType",
    "reportType",
    "status",
    "priority",
    "assignedTo",
    "updatedDate",
];

pub(crate) fn store(db: &TestDb) -> SeaOrmIssues {
    SeaOrmIssues(db.database.clone())
}

pub(crate) fn staff(name: &str) -> Author {
    Author { name: name.into(), kind: AuthorKind::Staff }
}

pub(crate) fn complaint(title: &str, content: Option<&str>) -> NewReport {
    NewReport {
        title: title.into(),
        description: None,
        content_type: IssueContentType::Movie,
        content_id: None,
        content: content.map(str::to_owned),
        report_type: ReportType::NotLoading,
        reporter: None,
    }
}

pub(crate) async fn report(store: &SeaOrmIssues, new: &NewReport, minutes: i64) -> Report {
    match store.insert(new, &staff("ana_1"), after(minutes), None).await.unwrap() {
        Inserted::New(report) => report,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn state(report: &Report) -> ReportState {
    ReportState {
        status: report.status,
        priority: report.priority,
        assigned_to: report.assigned_to.clone(),
        notes: report.notes.clone(),
    }
}

pub(crate) async fn change(store: &SeaOrmIssues, from: &Report, to: ReportState, minutes: i64) -> Report {
    match store.change(from, &to, &staff("Eva_1"), after(minutes)).await.unwrap() {
        Written::Done(report) => report,
        other => panic!("{other:?}"),
    }
}

/// As many reports of all sorts, in every state.
async fn heap(db: &TestDb, reports: i64) -> SeaOrmIssues {
    let store = store(db);
    let mut rng = Rng(11);
    let titles = ["No carga", "Sin audio", "¿Se corta?", "100%_raw", "Ñandú \"AND\"", "no carga"];
    let contents = [None, Some("Dune"), Some("dune"), Some("Corazón salvaje"), Some("AMÉLIE")];
    for number in 0..reports {
        let mut pick = |of: usize| usize::try_from(rng.roll(of as u64)).unwrap();
        let new = NewReport {
            description: (pick(3) > 0).then(|| format!("Desde ayer {}", pick(4))),
            content_type: IssueContentType::ALL[pick(7)],
            report_type: ReportType::ALL[pick(7)],
            ..complaint(titles[pick(6)], contents[pick(5)])
        };
        let (status, priority) = (ReportStatus::ALL[pick(5)], Priority::ALL[pick(4)]);
        let assigned = [None, Some("Ana_1"), Some("bea_2")][pick(3)];
        let added = report(&store, &new, i64::try_from(pick(90)).unwrap()).await;
        let to = ReportState { status, priority, assigned_to: assigned.map(name), notes: None };
        if to != state(&added) {
            change(&store, &added, to, 100 + number).await;
        }
    }
    store
}

fn everything() -> ListQuery {
    ListQuery {
        size: 1000,
        sort: vec![Sort { field: "id".into(), descending: false }],
        ..ListQuery::default()
    }
}

async fn listed(store: &SeaOrmIssues, filter: &IssueFilter, query: &ListQuery) -> Vec<Report> {
    let page = store.list(filter, query).await.unwrap();
    if query.size == 1000 {
        assert_eq!(page.total_elements, page.content.len() as u64, "{filter:?} {query:?}");
    }
    page.content
}

fn key(report: &Report, field: &str) -> String {
    match field {
        "reportedDate" => report.reported_date.to_rfc3339(),
        "updatedDate" => report.updated_date.to_rfc3339(),
        "title" => order_key(&report.title),
        "contentType" => report.content_type.code().into(),
        "reportType" => report.report_type.code().into(),
        "status" => report.status.code().into(),
        "priority" => (report.priority as usize).to_string(),
        "assignedTo" => report.assigned_to.as_ref().map(Username::key).unwrap_or_default(),
        _ => String::new(),
    }
}

fn fits(report: &Report, filter: &IssueFilter) -> bool {
    (filter.statuses.is_empty() || filter.statuses.contains(&report.status))
        && filter.content_type.is_none_or(|one| one == report.content_type)
        && filter.report_type.is_none_or(|one| one == report.report_type)
        && filter.priority.is_none_or(|one| one == report.priority)
        && filter.assigned_to.as_ref().is_none_or(|one| *one == report.assigned_to)
        && filter.group.is_none_or(|one| Some(one) == report.group_id)
}

fn filters() -> Vec<IssueFilter> {
    use ReportStatus::{InProgress, Rejected, Reported};
    let open = IssueFilter { statuses: vec![Reported, InProgress], ..IssueFilter::default() };
    vec![
        IssueFilter::default(),
        IssueFilter { statuses: vec![Rejected], ..IssueFilter::default() },
        IssueFilter { content_type: Some(IssueContentType::Tv), ..open.clone() },
        IssueFilter { report_type: Some(ReportType::Audio), ..IssueFilter::default() },
        IssueFilter { priority: Some(Priority::Critical), ..open.clone() },
        IssueFilter { assigned_to: Some(None), ..open.clone() },
        IssueFilter { assigned_to: Some(Some(name("ANA_1"))), ..IssueFilter::default() },
        IssueFilter { group: Some(1), ..IssueFilter::default() },
        IssueFilter { group: Some(2), ..open.clone() },
        IssueFilter { group: Some(99), ..IssueFilter::default() },
        open,
    ]
}

/// The groups as the reports make them.
fn expected_groups(reports: &[Report]) -> BTreeMap<Id, (u64, u64, Priority)> {
    let mut groups: BTreeMap<Id, (u64, u64, Priority)> = BTreeMap::new();
    for report in reports.iter().filter(|report| report.status.is_open()) {
        let Some(group) = report.group_id else { continue };
        let entry = groups.entry(group).or_insert((0, 0, report.priority));
        entry.0 += 1;
        entry.1 += u64::from(report.status == ReportStatus::InProgress);
        entry.2 = entry.2.max(report.priority);
    }
    groups
}

async fn groups(store: &SeaOrmIssues, query: &ListQuery) -> Vec<IssueGroup> {
    store.groups(None, query).await.unwrap().content
}

async fn assert_groups_agree(store: &SeaOrmIssues) {
    let reports = listed(store, &IssueFilter::default(), &everything()).await;
    let expected = expected_groups(&reports);
    let page = store.groups(None, &ListQuery { size: 1000, ..ListQuery::default() }).await.unwrap();
    assert_eq!(page.total_elements, expected.len() as u64);
    let found: BTreeMap<_, _> =
        page.content.iter().map(|one| (one.id, (one.reports, one.in_progress, one.priority))).collect();
    assert_eq!(found, expected);
    assert!(page.content.is_sorted_by_key(|one| std::cmp::Reverse((one.reports, one.id))));
    let of = |group: &IssueGroup| {
        let id = group.id;
        reports.iter().filter(move |one| one.group_id == Some(id) && one.status.is_open())
    };
    for group in &page.content {
        assert_eq!(Some(group.first_date), of(group).map(|one| one.reported_date).min());
        assert_eq!(Some(group.last_date), of(group).map(|one| one.reported_date).max());
        assert!(of(group).all(|one| group.report_types.contains(&one.report_type)));
    }
    let by_date =
        ListQuery { sort: vec![Sort { field: "lastDate".into(), descending: false }], ..everything() };
    assert!(groups(store, &by_date).await.is_sorted_by_key(|one| (one.last_date, one.id)));
}

on_both! {
    async fn a_report_comes_in_is_changed_and_removed_and_all_of_it_is_written_down(db: &TestDb) {
        let store = store(db);
        let new = NewReport {
            description: Some("Desde ayer\n😡".into()),
            reporter: Some("abonado 7".into()),
            ..complaint("No carga", Some("Dune"))
        };
        let first = report(&store, &new, 0).await;
        assert_eq!((first.status, first.priority, first.version), (ReportStatus::Reported, Priority::Medium, 1));
        assert_eq!((first.reported_date, first.assigned_to.clone(), first.notes.clone()), (start(), None, None));
        assert_eq!(store.find(first.id).await.unwrap(), Some(first.clone()));
        let to = ReportState {
            status: ReportStatus::InProgress,
            priority: Priority::High,
            assigned_to: Some(name("Eva_1")),
            notes: Some("Se mira".into()),
        };
        let second = change(&store, &first, to.clone(), 5).await;
        assert_eq!((second.version, second.updated_date, state(&second)), (2, after(5), to.clone()));
        let outdated = store.change(&first, &to, &staff("Eva_1"), after(6)).await.unwrap();
        assert_eq!(outdated, Written::Outdated(second.clone()));
        let third = change(&store, &second, ReportState { notes: None, assigned_to: None, ..to }, 7).await;
        let reported: Vec<_> = store
            .history(first.id)
            .await
            .unwrap()
            .into_iter()
            .map(|one| (one.action, one.by, one.date, one.status_to, one.priority_to, one.assigned_from, one.assigned_to, one.note))
            .collect();
        let eva = Some("Eva_1".to_owned());
        assert_eq!(reported, [
            (HistoryAction::Reported, "ana_1".into(), start(), Some(ReportStatus::Reported), None, None, None, None),
            (HistoryAction::Changed, "Eva_1".into(), after(5), Some(ReportStatus::InProgress), Some(Priority::High), None, eva.clone(), Some("Se mira".into())),
            (HistoryAction::Changed, "Eva_1".into(), after(7), None, None, eva, None, Some(String::new())),
        ]);
        assert_eq!(store.delete(&second, &staff("Eva_1"), after(8)).await.unwrap(), Written::Outdated(third.clone()));
        assert!(matches!(store.delete(&third, &staff("Eva_1"), after(8)).await.unwrap(), Written::Done(_)));
        assert_eq!(store.delete(&third, &staff("Eva_1"), after(9)).await.unwrap(), Written::Missing);
        assert_eq!(store.find(first.id).await.unwrap(), None);
        assert_eq!(store.history(first.id).await.unwrap().len(), 4, "what was done stays known");
        for sql in ["UPDATE issue_history SET actor = 'x'", "DELETE FROM issue_history"] {
            assert!(db.try_run(sql).await.is_err(), "{sql}");
        }
        assert!(groups(&store, &everything()).await.is_empty());
    }

    async fn every_filter_in_every_order_agrees_with_the_reports(db: &TestDb) {
        let store = heap(db, 90).await;
        let all = listed(&store, &IssueFilter::default(), &everything()).await;
        assert_eq!(all.len(), 90);
        for filter in filters() {
            let fitting: Vec<Report> = all.iter().filter(|one| fits(one, &filter)).cloned().collect();
            assert_eq!(listed(&store, &filter, &everything()).await, fitting, "{filter:?}");
            for field in SORTS {
                for descending in [false, true] {
                    let sort = vec![Sort { field: field.into(), descending }];
                    let mut expected = fitting.clone();
                    expected.sort_by_key(|one| (key(one, field), one.id));
                    if descending {
                        expected.reverse();
                    }
                    let mut seen = Vec::new();
                    for page in 0..=fitting.len() as u64 / 7 {
                        let query = ListQuery { page, size: 7, sort: sort.clone(), ..ListQuery::default() };
                        let found = store.list(&filter, &query).await.unwrap();
                        assert_eq!(found.total_elements, fitting.len() as u64);
                        seen.extend(found.content);
                    }
                    assert_eq!(seen, expected, "{filter:?} {field} {descending}");
                }
            }
        }
        let newest = store.list(&IssueFilter::default(), &ListQuery::default()).await.unwrap().content;
        assert!(newest.is_sorted_by_key(|one| std::cmp::Reverse((one.reported_date, one.id))), "newest first");
    }

    async fn a_search_finds_titles_contents_descriptions_and_types_in_both_languages(db: &TestDb) {
        let store = heap(db, 70).await;
        let all = listed(&store, &IssueFilter::default(), &everything()).await;
        let seen = |one: &Report| {
            let (content, description) = (one.content.as_deref(), one.description.as_deref());
            fold(&search_text(&one.title, content, description, one.content_type, one.report_type))
        };
        for search in ["corazon", "DUNE", "película", "tv channel", "buffering", "ayer 2", "100%_", "\"and\"", "é", "ñ", "zzz", "no"] {
            for filter in filters() {
                let query = ListQuery { search: Some(search.into()), ..everything() };
                let expected: Vec<Report> = all
                    .iter()
                    .filter(|one| fits(one, &filter) && seen(one).contains(&fold(search)))
                    .cloned()
                    .collect();
                assert_eq!(listed(&store, &filter, &query).await, expected, "{search} {filter:?}");
                let few = ListQuery { size: 3, sort: vec![Sort { field: "reportedDate".into(), descending: true }], ..query };
                let mut expected = expected;
                expected.sort_by_key(|one| std::cmp::Reverse((one.reported_date, one.id)));
                let page = store.list(&filter, &few).await.unwrap();
                assert_eq!(page.content, expected[..expected.len().min(3)], "{search} {filter:?}");
            }
        }
    }

    async fn counts_and_groups_are_kept_through_every_change(db: &TestDb) {
        let store = heap(db, 60).await;
        assert_groups_agree(&store).await;
        let all = listed(&store, &IssueFilter::default(), &everything()).await;
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
        let left = listed(&store, &IssueFilter::default(), &everything()).await;
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
        let search = |text: &str| ListQuery { search: Some(text.into()), ..everything() };
        let found = groups(&store, &search("CORAZON")).await;
        assert_eq!((found.len(), found[0].reports, found[0].title.as_str()), (1, 4, "corazon  SALVAJE"), "one item, in any spelling");
        assert_eq!(groups(&store, &search("pelicula")).await.len(), 3);
        assert_eq!(groups(&store, &search("tv channel")).await.len(), 1);
        assert_eq!(groups(&store, &search("un")).await.len(), 2);
        let of_tv = store.groups(Some(IssueContentType::Tv), &ListQuery::default()).await.unwrap();
        assert_eq!((of_tv.total_elements, of_tv.content[0].content_type), (1, IssueContentType::Tv));
        assert_eq!(groups(&store, &everything()).await.len(), 4, "nobody knows what the last one is about");
    }

    async fn a_whole_group_is_changed_together_and_what_was_so_already_stays(db: &TestDb) {
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
            let all = listed(&store, &IssueFilter { group: Some(group), ..IssueFilter::default() }, &everything()).await;
            all.iter().map(|one| one.assigned_to.as_ref().map(ToString::to_string)).collect::<Vec<_>>()
        };
        let eva = || Some("Eva_1".to_owned());
        assert_eq!(assigned().await, [eva(), Some("bea_2".into()), eva(), eva(), None]);
        let hand_over = GroupChange { assigned_to: Some(Some(name("bea_2"))), priority: Some(Priority::High), ..begin.clone() };
        assert_eq!(store.change_group(group, &hand_over, &staff("Eva_1"), after(13)).await.unwrap(), Some(4));
        let nobody = GroupChange { status: None, assigned_to: Some(None), ..begin };
        assert_eq!(store.change_group(group, &nobody, &staff("Eva_1"), after(14)).await.unwrap(), Some(4));
        assert_eq!(assigned().await, [eva(), eva(), eva(), eva(), None], "what is in progress has somebody");
        let resolve = GroupChange {
            status: Some(ReportStatus::Resolved),
            notes: Some(Some("Enlace nuevo".into())),
            ..GroupChange::default()
        };
        assert_eq!(store.change_group(group, &resolve, &staff("Eva_1"), after(15)).await.unwrap(), Some(4));
        assert_eq!(store.change_group(group, &resolve, &staff("Eva_1"), after(16)).await.unwrap(), Some(0), "none is open");
        assert_eq!(store.change_group(99, &resolve, &staff("Eva_1"), after(16)).await.unwrap(), None);
        assert!(store.has_group(group).await.unwrap() && !store.has_group(99).await.unwrap());
        assert!(groups(&store, &everything()).await.is_empty());
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

    async fn of_a_key_used_again_the_first_answer_stands_also_at_the_same_moment(db: &TestDb) {
        let once = |fingerprint: &str| {
            Some(IdempotencyKey { username: "key:7".into(), key: "k".into(), fingerprint: fingerprint.into() })
        };
        let ask = |_| {
            let store = store(db);
            let new = complaint("No carga", Some("Dune"));
            tokio::spawn(async move { store.insert(&new, &staff("app"), start(), once("f")).await.unwrap() })
        };
        let outcomes: Vec<Inserted<Report>> = join_all((0..8).map(ask)).await.into_iter().map(Result::unwrap).collect();
        let new = outcomes.iter().filter(|one| matches!(one, Inserted::New(_))).count();
        let again = outcomes.iter().filter(|one| matches!(one, Inserted::Replayed(_))).count();
        assert_eq!((new, again), (1, 7), "{outcomes:?}");
        let store = store(db);
        let first = store.find(1).await.unwrap().unwrap();
        change(&store, &first, ReportState { status: ReportStatus::Closed, ..state(&first) }, 3).await;
        let new = complaint("No carga", Some("Dune"));
        assert_eq!(store.insert(&new, &staff("app"), after(4), once("f")).await.unwrap(), Inserted::Replayed(first));
        assert_eq!(store.insert(&new, &staff("app"), after(4), once("g")).await.unwrap(), Inserted::KeyReused);
    }

    async fn reports_groups_and_changes_at_the_same_moment_lose_nothing(db: &TestDb) {
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
        for one in listed(&store, &IssueFilter::default(), &everything()).await {
            let history = store.history(one.id).await.unwrap();
            assert_eq!(i64::try_from(history.len()).unwrap(), one.version, "{history:?}");
        }
    }

    async fn whoever_changes_a_report_queues_for_its_item_before_holding_anything(db: &TestDb) {
        // SQLite has one writer.
        if db.is_sqlite() {
            return;
        }
        let store = store(db);
        let first = report(&store, &complaint("No carga", Some("Dune")), 0).await;
        // Somebody changes the whole group, and has only begun.
        let group = db.database.connection().begin().await.unwrap();
        group.execute_unprepared("SELECT id FROM issue_items FOR UPDATE").await.unwrap();
        let change = {
            let (store, first) = (self::store(db), first.clone());
            let to = ReportState { status: ReportStatus::Resolved, ..state(&first) };
            tokio::spawn(async move { store.change(&first, &to, &staff("Eva_1"), after(1)).await.unwrap() })
        };
        db.until_someone_waits().await;
        let held = "SELECT id FROM issue_reports FOR UPDATE NOWAIT";
        group.execute_unprepared(held).await.expect("a change that waits holds no report");
        group.commit().await.unwrap();
        assert!(matches!(change.await.unwrap(), Written::Done(_)));
    }

    async fn an_import_is_taken_once_and_leaves_what_staff_did(db: &TestDb) {
        let store = store(db);
        let past = |number: i64, status, content: Option<&str>| ImportedReport {
            report: complaint(&format!("Reporte {number}"), content),
            state: ReportState {
                status,
                priority: Priority::High,
                assigned_to: Some(name("Ana_1")),
                notes: Some("Hecho".into()),
            },
            reported_date: after(-number),
            natural_key: format!("key {number}"),
        };
        let batch = || vec![
            past(1, ReportStatus::Reported, Some("Dune")),
            past(2, ReportStatus::Resolved, Some("Dune")),
            past(1, ReportStatus::Closed, Some("Dune")),
            past(3, ReportStatus::InProgress, None),
        ];
        assert_eq!(store.import(batch(), start()).await.unwrap(), [true, true, false, true]);
        assert_groups_agree(&store).await;
        let all = listed(&store, &IssueFilter::default(), &everything()).await;
        assert_eq!((all.len(), all[0].status, all[0].reported_date), (3, ReportStatus::Reported, after(-1)));
        assert_eq!(all[1].notes.as_deref(), Some("Hecho"));
        let entry = &store.history(all[1].id).await.unwrap()[0];
        assert_eq!((entry.by_kind, entry.status_to, entry.date), (AuthorKind::Import, Some(ReportStatus::Resolved), after(-2)));
        change(&store, &all[0], ReportState { status: ReportStatus::Closed, ..state(&all[0]) }, 5).await;
        assert_eq!(store.import(batch(), after(9)).await.unwrap(), [false; 4]);
        let again = listed(&store, &IssueFilter::default(), &everything()).await;
        assert_eq!((again.len(), again[0].status), (3, ReportStatus::Closed));
        assert!(store.import(Vec::new(), start()).await.unwrap().is_empty());
    }

    async fn an_import_that_stands_in_somebodys_way_begins_again(db: &TestDb) {
        // SQLite has one writer.
        if db.is_sqlite() {
            return;
        }
        let store = store(db);
        for title in ["Alien", "Dune"] {
            report(&store, &complaint("No carga", Some(title)), 0).await;
        }
        for attempt in 0.. {
            // Somebody has the second item, and wants the first as soon as the import has it and waits for the second.
            let other = db.database.connection().begin().await.unwrap();
            other.execute_unprepared("SELECT id FROM issue_items WHERE title = 'Dune' FOR UPDATE").await.unwrap();
            let import = {
                let store = self::store(db);
                let past = ["Alien", "Dune"].map(|title| ImportedReport {
                    report: complaint("No se oye", Some(title)),
                    state: ReportState { status: ReportStatus::Reported, priority: Priority::High, assigned_to: None, notes: None },
                    reported_date: after(1),
                    natural_key: format!("{title} {attempt}"),
                });
                tokio::spawn(async move { store.import(past.into(), after(2)).await })
            };
            db.until_someone_waits().await;
            let both = other.execute_unprepared("SELECT id FROM issue_items WHERE title = 'Alien' FOR UPDATE").await;
            if both.is_ok() {
                // It is the import that was given up.
                other.commit().await.unwrap();
                assert_eq!(import.await.unwrap().unwrap(), [true, true]);
                assert_groups_agree(&store).await;
                break;
            }
            drop(other);
            import.await.unwrap().unwrap();
        }
    }

    async fn items_are_found_by_id_and_by_the_title_that_only_one_has(db: &TestDb) {
        let store = store(db);
        let films = SeaOrmContents::<MoviesTable>::new(db.database.clone());
        let category_id = add_category(db, "Cine", CategoryType::Movie).await;
        let film = |title: &str, year| Movie { title: title.into(), year, imdb_id: None, media: MediaFields { reference: None, ..Movie::sample().media }, category_id, ..Movie::sample() };
        let dune = add(&films, film("Dune", 2021)).await;
        add(&films, film("Vértigo", 1958)).await;
        add(&films, film("vertigo", 1960)).await;
        let shows = SeaOrmContents::<TvShowsTable>::new(db.database.clone());
        let category_id = add_category(db, "Series", CategoryType::TvShow).await;
        let show = add(&shows, TvShow { title: "Los Pérez".into(), category_id, ..TvShow::sample() }).await;
        let episodes = SeaOrmContents::<EpisodesTable>::new(db.database.clone());
        let episode = Episode { title: "Piloto".into(), tv_show_id: show, season_number: 2, episode_number: 3, ..Episode::sample() };
        let pilot = add(&episodes, episode).await;
        use IssueContentType::{Episode as Part, Movie as Film, Trailer, Tv};
        let wanted = [(Film, dune), (Trailer, dune), (Part, pilot), (Film, 999), (Tv, dune)];
        let mut found = store.items(&wanted).await.unwrap();
        found.sort_by_key(|item| item.content_type);
        let reported: Vec<_> = found.iter().map(|item| (item.content_type, item.kind, item.id, item.title.as_str(), item.show)).collect();
        assert_eq!(reported, [
            (Film, Kind::Movies, dune, "Dune", None),
            (Part, Kind::Episodes, pilot, "Los Pérez S2E3: Piloto", Some(show)),
            (Trailer, Kind::Movies, dune, "Dune", None),
        ]);
        assert!(store.items(&[]).await.unwrap().is_empty());
        let titles = [(Film, "DUNE"), (Film, "Vértigo"), (Trailer, "dune"), (Part, "Los Perez S2E3: otro título"), (Part, "Los Pérez S9E9"), (Film, "Nada")];
        let titles = titles.map(|(of, title)| (of, title.to_owned()));
        assert_eq!(store.ids_by_title(&titles).await.unwrap(), [Some(dune), None, Some(dune), Some(pilot), None, None]);
    }

    async fn active_staff_of_these_roles_are_listed_by_name(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        for (username, role, status) in [
            ("zoe_1", RoleCode::ContentManager, UserStatus::Active),
            ("ana_1", RoleCode::Admin, UserStatus::Active),
            ("bea_1", RoleCode::Admin, UserStatus::Suspended),
            ("eva_1", RoleCode::Agent, UserStatus::Active),
        ] {
            fixture.register(ROOT, &ports::UserInsert { status, ..new_user(username, role) }).await;
        }
        let roles = [RoleCode::Admin, RoleCode::ContentManager];
        let names: Vec<String> = store(db).staff(&roles).await.unwrap().iter().map(|one| one.username.to_string()).collect();
        assert_eq!(names, ["ana_1", "zoe_1"]);
    }

    async fn a_page_costs_two_statements_and_one_of_groups_three(db: &TestDb) {
        heap(db, 40).await;
        let noted = Arc::<Mutex<Vec<String>>>::default();
        let notes = Arc::clone(&noted);
        let watched =
            db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.sql.clone()));
        let store = SeaOrmIssues(watched);
        for search in [None, Some("corazon"), Some("a")] {
            for filter in filters() {
                for page in [0, 3, 99] {
                    let query = ListQuery { page, search: search.map(str::to_owned), ..ListQuery::default() };
                    noted.lock().unwrap().clear();
                    store.list(&filter, &query).await.unwrap();
                    let reported = noted.lock().unwrap().clone();
                    assert!(reported.len() <= 2, "{filter:?} costs\n{}", reported.join("\n"));
                    noted.lock().unwrap().clear();
                    store.groups(None, &query).await.unwrap();
                    assert!(noted.lock().unwrap().len() <= 3);
                }
            }
        }
    }
}
