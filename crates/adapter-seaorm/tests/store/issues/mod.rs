//! Viewers' reports in the store: lists, counts and groups equal the reports; every change has one
//! history entry.

mod groups;
mod reports;

use std::collections::BTreeMap;

use adapter_seaorm::SeaOrmIssues;
use domain_issues::{
    Author, AuthorKind, IssueContentType, IssueGroup, NewReport, Priority, Report, ReportStatus, ReportType,
};
use domain_kernel::{Enumeration, Id, ListQuery, Origin, Sort, Source};
use ports::{Inserted, IssueFilter, IssueRepository, ReportState, Written};

use crate::{
    fixture::name,
    support::{Rng, TestDb, after},
};

pub(crate) fn store(db: &TestDb) -> SeaOrmIssues {
    SeaOrmIssues(db.database.clone())
}

pub(crate) fn staff(name: &str) -> Author {
    Author { name: name.into(), kind: AuthorKind::Staff, origin: Origin::of(Source::Request) }
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

/// So many reports of all types, in every state.
async fn add_reports(db: &TestDb, reports: i64) -> SeaOrmIssues {
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

fn whole_list() -> ListQuery {
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
        IssueFilter { reported_from: Some(after(30)), ..open.clone() },
        IssueFilter {
            reported_from: Some(after(20)),
            reported_to: Some(after(60)),
            ..IssueFilter::default()
        },
        IssueFilter { reported_to: Some(after(0)), ..IssueFilter::default() },
        open,
    ]
}

/// The expected groups of the reports.
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

async fn listed_groups(store: &SeaOrmIssues, query: &ListQuery) -> Vec<IssueGroup> {
    store.groups(None, query).await.unwrap().content
}

async fn assert_groups_agree(store: &SeaOrmIssues) {
    let reports = listed(store, &IssueFilter::default(), &whole_list()).await;
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
        ListQuery { sort: vec![Sort { field: "lastDate".into(), descending: false }], ..whole_list() };
    assert!(listed_groups(store, &by_date).await.is_sorted_by_key(|one| (one.last_date, one.id)));
}
