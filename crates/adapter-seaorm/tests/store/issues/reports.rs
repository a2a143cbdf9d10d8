//! Reports: creation, changes, lists, searches and imports.

use std::sync::{Arc, Mutex};

use adapter_seaorm::{
    SeaOrmIssues,
    catalogue::{EpisodesTable, MoviesTable, SeaOrmContents, TvShowsTable},
};
use domain_catalogue::{CategoryType, Content, Episode, Kind, MediaFields, Movie, TvShow};
use domain_issues::{
    AuthorKind, HistoryAction, IssueContentType, NewReport, Priority, Report, ReportStatus, search_text,
};
use domain_kernel::{Enumeration, ListQuery, RoleCode, Sort, Username, fold, order_key};
use domain_users::UserStatus;
use futures_util::future::join_all;
use ports::{IdempotencyKey, ImportedReport, Inserted, IssueFilter, IssueRepository, ReportState, Written};
use sea_orm::{ConnectionTrait, TransactionTrait};

use super::{
    add_reports, assert_groups_agree, change, complaint, filters, listed, listed_groups, report, staff,
    state, store, whole_list,
};
use crate::{
    fixture::{ROOT, TestUsers, name, new_user},
    kinds::{add, add_category},
    support::{TestDb, after, on_both, start},
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
        && filter.reported_from.is_none_or(|from| report.reported_date >= from)
        && filter.reported_to.is_none_or(|to| report.reported_date < to)
}

on_both! {
    async fn a_report_is_created_changed_and_removed_with_history_entries(db: &TestDb) {
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
        assert_eq!(store.history(first.id).await.unwrap().len(), 4, "the history stays");
        for sql in ["UPDATE issue_history SET actor = 'x'", "DELETE FROM issue_history"] {
            assert!(db.try_run(sql).await.is_err(), "{sql}");
        }
        assert!(listed_groups(&store, &whole_list()).await.is_empty());
    }

    async fn every_filter_in_every_order_agrees_with_the_reports(db: &TestDb) {
        let store = add_reports(db, 90).await;
        let all = listed(&store, &IssueFilter::default(), &whole_list()).await;
        assert_eq!(all.len(), 90);
        for filter in filters() {
            let matching: Vec<Report> = all.iter().filter(|one| fits(one, &filter)).cloned().collect();
            assert_eq!(listed(&store, &filter, &whole_list()).await, matching, "{filter:?}");
            for field in SORTS {
                for descending in [false, true] {
                    let sort = vec![Sort { field: field.into(), descending }];
                    let mut expected = matching.clone();
                    expected.sort_by_key(|one| (key(one, field), one.id));
                    if descending {
                        expected.reverse();
                    }
                    let mut seen = Vec::new();
                    for page in 0..=matching.len() as u64 / 7 {
                        let query = ListQuery { page, size: 7, sort: sort.clone(), ..ListQuery::default() };
                        let found = store.list(&filter, &query).await.unwrap();
                        assert_eq!(found.total_elements, matching.len() as u64);
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
        let store = add_reports(db, 70).await;
        let all = listed(&store, &IssueFilter::default(), &whole_list()).await;
        let seen = |one: &Report| {
            let (content, description) = (one.content.as_deref(), one.description.as_deref());
            fold(&search_text(&one.title, content, description, one.content_type, one.report_type))
        };
        for search in ["corazon", "DUNE", "película", "tv channel", "buffering", "ayer 2", "100%_", "\"and\"", "é", "ñ", "zzz", "no"] {
            for filter in filters() {
                let query = ListQuery { search: Some(search.into()), ..whole_list() };
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

    async fn a_reused_key_has_the_first_response_also_concurrently(db: &TestDb) {
        let once = |fingerprint: &str| {
            Some(IdempotencyKey { username: "key:7".into(), key: "k".into(), fingerprint: fingerprint.into() })
        };
        let insert = |_| {
            let store = store(db);
            let new = complaint("No carga", Some("Dune"));
            tokio::spawn(async move { store.insert(&new, &staff("app"), start(), once("f")).await.unwrap() })
        };
        let outcomes: Vec<Inserted<Report>> = join_all((0..8).map(insert)).await.into_iter().map(Result::unwrap).collect();
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

    async fn an_import_is_stored_once_and_keeps_changes_by_staff(db: &TestDb) {
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
        let all = listed(&store, &IssueFilter::default(), &whole_list()).await;
        assert_eq!((all.len(), all[0].status, all[0].reported_date), (3, ReportStatus::Reported, after(-1)));
        assert_eq!(all[1].notes.as_deref(), Some("Hecho"));
        let entry = &store.history(all[1].id).await.unwrap()[0];
        assert_eq!((entry.by_kind, entry.status_to, entry.date), (AuthorKind::Import, Some(ReportStatus::Resolved), after(-2)));
        change(&store, &all[0], ReportState { status: ReportStatus::Closed, ..state(&all[0]) }, 5).await;
        assert_eq!(store.import(batch(), after(9)).await.unwrap(), [false; 4]);
        let again = listed(&store, &IssueFilter::default(), &whole_list()).await;
        assert_eq!((again.len(), again[0].status), (3, ReportStatus::Closed));
        assert!(store.import(Vec::new(), start()).await.unwrap().is_empty());
    }

    async fn an_import_is_retried_after_a_deadlock(db: &TestDb) {
        // SQLite has one writer.
        if db.is_sqlite() {
            return;
        }
        let store = store(db);
        for title in ["Alien", "Dune"] {
            report(&store, &complaint("No carga", Some(title)), 0).await;
        }
        for attempt in 0.. {
            // Another transaction has locked the second item, and locks the first as soon as the
            // import has locked it and waits for the second.
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
            db.until_a_lock_is_awaited().await;
            let both = other.execute_unprepared("SELECT id FROM issue_items WHERE title = 'Alien' FOR UPDATE").await;
            if both.is_ok() {
                // The import was aborted.
                other.commit().await.unwrap();
                assert_eq!(import.await.unwrap().unwrap(), [true, true]);
                assert_groups_agree(&store).await;
                break;
            }
            drop(other);
            import.await.unwrap().unwrap();
        }
    }

    async fn items_are_found_by_id_and_by_a_unique_title(db: &TestDb) {
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
        add_reports(db, 40).await;
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
