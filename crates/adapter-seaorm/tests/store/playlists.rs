//! Entries of playlists during a run of their source and an import of their channels.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use adapter_seaorm::{
    SeaOrmOperations, SeaOrmPlaylists, SeaOrmSheets,
    catalogue::{SeaOrmContents, TvChannelsTable},
};
use domain_catalogue::{Category, CategoryType, Content, TvChannel};
use domain_kernel::{Enumeration, Filter, FilterValue, Id, Kind, ListQuery};
use domain_live::{
    diff::{EntryChange, Sign},
    entry::Entry,
    playlist::EntryDuplicateReason::{self, SameGuideId, SameNameAndNumber},
    run::{RunCounts, RunFault, RunState},
    source::PlaylistSourceDraft,
};
use garde::Validate;
use ports::{
    ClaimedRun, ContentRepository, EntryWrite, Inserted, NewRun, OperationFilter, OperationRepository,
    PlaylistEntryRepository, PlaylistRunRepository, PlaylistSourceRepository, RunEnd, SheetRepository,
    SliceWritten, StoredEntry,
};
use sea_orm::{QueryResult, Statement};
use serde_json::json;

use crate::{
    indexes::plan,
    kinds::{KindFixture, add, store},
    sheet_imports::{addition, begin, first_slice, import_of},
    support::{TestDb, after, edit, on_both, start},
};

pub(crate) fn entry(name: &str, url: &str) -> Entry {
    serde_json::from_value(json!({"name": name, "url": url})).unwrap()
}

fn tagged(name: &str, tags: &[(&str, &str)]) -> Entry {
    let url = format!("http://h.example/{name}");
    serde_json::from_value(json!({"name": name, "url": url, "tags": tags})).unwrap()
}

async fn page(playlists: &SeaOrmPlaylists, source: Id, duplicate: Option<bool>) -> Vec<StoredEntry> {
    let filter = |flag| Filter { field: "duplicate".to_owned(), value: FilterValue::Flag(flag) };
    let query = ListQuery { filters: duplicate.map(filter).into_iter().collect(), ..ListQuery::default() };
    PlaylistEntryRepository::list(playlists, source, &query).await.unwrap().content
}

/// Duplicate entries: both names, and the common value.
async fn duplicates(playlists: &SeaOrmPlaylists, source: Id) -> Vec<(String, String, EntryDuplicateReason)> {
    let entries = page(playlists, source, None).await;
    let found = |one: StoredEntry| one.duplicate_of.map(|of| (one.entry.name, of.name, of.reason));
    entries.into_iter().filter_map(found).collect()
}

async fn listed(playlists: &SeaOrmPlaylists, source: Id, duplicate: Option<bool>) -> Vec<String> {
    page(playlists, source, duplicate).await.into_iter().map(|one| one.entry.name).collect()
}

pub(crate) async fn source(playlists: &SeaOrmPlaylists) -> Id {
    let draft: PlaylistSourceDraft =
        serde_json::from_value(json!({"title": "España", "active": true})).unwrap();
    draft.validate().unwrap();
    let added = playlists.add(garde::Unvalidated::new(draft).validate().unwrap(), &edit(start()), None).await;
    let Inserted::New(source) = added.unwrap() else { panic!("it is new") };
    source.id
}

/// The oldest unfinished run.
async fn next_claim(playlists: &SeaOrmPlaylists) -> Option<ClaimedRun> {
    let first = playlists.unfinished().await.unwrap().into_iter().next()?;
    playlists.claim(first.run).await.unwrap()
}

pub(crate) async fn claimed(playlists: &SeaOrmPlaylists, source: Id) -> ClaimedRun {
    let (created_by, created_date) = ("rosa_1".to_owned(), start());
    let run = NewRun { source, file: None, accept_loss: false, created_by, created_date };
    assert!(matches!(playlists.begin(run, None).await.unwrap(), Inserted::New(_)));
    next_claim(playlists).await.unwrap()
}

pub(crate) fn finished() -> RunEnd {
    RunEnd {
        state: RunState::Finished,
        fault: None,
        status_code: None,
        limit: None,
        counts: RunCounts::default(),
        guides: Vec::new(),
        left_out: Vec::new(),
        etag: None,
    }
}

/// A stored entry, and the entry that a run finds.
#[derive(Debug)]
struct SeenEntry {
    stored: Entry,
    seen: Entry,
    change: EntryChange,
    in_use: bool,
    applied: Option<String>,
}

impl SeenEntry {
    /// The expected change of the entry after the run.
    fn expected_change(&self) -> EntryChange {
        match &self.applied {
            _ if !self.in_use => EntryChange::New,
            Some(applied) if *applied == serde_json::to_string(&self.seen).unwrap() => EntryChange::Unchanged,
            _ => EntryChange::Changed,
        }
    }

    /// The state as a row of `VALUES`.
    fn row(&self, id: Id) -> String {
        let applied = self.applied.as_ref().map_or_else(|| "NULL".to_owned(), |text| format!("'{text}'"));
        format!("({id}, '{}', {}, {applied})", self.change.code(), self.in_use)
    }
}

/// An entry with these groups (`;` between them), guide ID and number; a radio station if set.
fn with_keys(url: &str, [group, guide_id, number, radio]: [Option<&str>; 4]) -> Entry {
    let tags = [("tvg-id", guide_id), ("tvg-chno", number), ("radio", radio)];
    let tags: Vec<(&str, &str)> = tags.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let groups: Vec<&str> = group.into_iter().flat_map(|groups| groups.split(';')).collect();
    serde_json::from_value(json!({"name": "Siete", "url": url, "groups": groups, "tags": tags})).unwrap()
}

/// Entries with these keys and found keys: one for each of 24 states.
fn ways_to_stand(stored: &Entry, seen: &Entry) -> Vec<SeenEntry> {
    let as_seen = serde_json::to_string(seen).unwrap();
    let mut ways = Vec::new();
    for change in [EntryChange::New, EntryChange::Unchanged, EntryChange::Changed, EntryChange::Missing] {
        for in_use in [false, true] {
            for applied in [None, Some(as_seen.clone()), Some("{}".to_owned())] {
                ways.push(SeenEntry { stored: stored.clone(), seen: seen.clone(), change, in_use, applied });
            }
        }
    }
    ways
}

/// Entries with and without keys, found with the same, another or no key, in every state.
fn seen_in_every_way() -> Vec<SeenEntry> {
    let mut all = Vec::new();
    for stored in [[Some("Nacionales;Cine"), Some("siete"), Some("7"), None], [None; 4]] {
        let stored = with_keys("http://h.example/a", stored);
        for group in [Some("Nacionales;Cine"), Some("Nacionales"), Some("Locales;Cine"), None] {
            for guide_id in [Some("siete"), Some("ocho"), None] {
                for number in [Some("7"), Some("8"), None] {
                    let seen = with_keys("http://h.example/b", [group, guide_id, number, Some("true")]);
                    all.extend(ways_to_stand(&stored, &seen));
                }
            }
        }
    }
    all
}

/// All columns of all entries, as texts, in the order of their ids.
async fn all_columns(db: &TestDb) -> Vec<BTreeMap<String, Option<String>>> {
    let names = db.rows("SELECT * FROM playlist_entries LIMIT 1").await[0].column_names();
    let texts: Vec<String> = names.iter().map(|name| format!("CAST({name} AS text) AS {name}")).collect();
    let find = format!("SELECT {} FROM playlist_entries ORDER BY playlist_entries.id", texts.join(", "));
    let columns = |row: &QueryResult| {
        names.iter().map(|name| (name.clone(), row.try_get::<Option<String>>("", name).unwrap())).collect()
    };
    db.rows(&find).await.iter().map(columns).collect()
}

on_both! {
    async fn changes_found_by_a_run_during_an_import_do_not_count_as_applied(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let channels = SeaOrmContents::<TvChannelsTable>::new(db.database.clone());
        let category = Category { category_type: CategoryType::TvChannel, ..Category::numbered(0, 0) };
        let category = add(&store::<Category>(db), category).await;
        let source = source(&playlists).await;
        let names = ["Siete", "Ocho"];
        let first = claimed(&playlists, source).await;
        let added = names.map(|name| EntryWrite::Add(entry(name, "http://h.example/a"), Vec::new()));
        assert!(playlists.write(&first, added.into(), after(1)).await.unwrap());
        assert!(playlists.end(&first, finished(), after(1)).await.unwrap());
        let known = playlists.known(source, 0, 10).await.unwrap();
        let [siete, ocho] = &known[..] else { panic!("{known:?}") };

        // Another run has started to write when rows are made of both entries.
        let second = claimed(&playlists, source).await;
        let operation = begin(db, Kind::TvChannels, 2).await;
        let sheet = operation.import.as_ref().unwrap().sheet;
        let rows = vec![(siete.id, 2, siete.entry.clone()), (ocho.id, 3, ocho.entry.clone())];
        assert!(playlists.expect_rows(source, sheet, rows.clone()).await.unwrap());
        // Another import of the same entries is refused while the operation is unfinished.
        let other = import_of(db, Kind::TvChannels, 2).await.import.unwrap().sheet;
        assert!(!playlists.expect_rows(source, other, rows).await.unwrap());
        let moved = entry("Siete", "http://h.example/b");
        let seen = EntryWrite::See(siete.id, moved.clone(), Sign::GuideIdAndName);
        assert!(playlists.write(&second, vec![seen], after(2)).await.unwrap());
        let channel = |(position, number)| {
            let categories = vec![category];
            addition(position, TvChannel { channel_number: number, tv_guide_id: None, categories, ..TvChannel::sample() })
        };
        let rows = [(0, 7), (1, 8)].map(channel).into();
        let written = channels.write_slice(first_slice(operation.id), rows, edit(after(3))).await.unwrap();
        assert!(matches!(written, SliceWritten::Done(counts) if counts.created == 2), "{written:?}");

        let entries = playlists.find_all(source, &[siete.id, ocho.id]).await.unwrap();
        assert_eq!((entries[0].change, entries[0].item.is_some()), (EntryChange::Changed, true));
        assert_eq!((entries[0].applied.as_ref(), &entries[0].entry), (Some(&siete.entry), &moved));
        assert_eq!((entries[1].change, entries[1].item.is_some()), (EntryChange::Unchanged, true));
    }

    async fn channels_and_stations_that_a_run_found_begin_to_be_applied_together_or_not_at_all(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let operations = SeaOrmOperations(db.database.clone());
        let source = source(&playlists).await;
        let run = claimed(&playlists, source).await;
        let added = ["Siete", "Ocho", "Onda"].map(|name| EntryWrite::Add(entry(name, "http://h.example/a"), Vec::new()));
        assert!(playlists.write(&run, added.into(), after(1)).await.unwrap());
        assert!(playlists.end(&run, finished(), after(1)).await.unwrap());
        let known = playlists.known(source, 0, 10).await.unwrap();
        let both = [import_of(db, Kind::TvChannels, 2).await, import_of(db, Kind::RadioStations, 1).await];
        let expect = async |both: &[ports::NewOperation], entries: &[usize]| {
            for (row, entry) in (2..).zip(entries) {
                // The third is of the second file.
                let sheet = both[usize::from(*entry == 2)].import.as_ref().unwrap().sheet;
                let rows = vec![(known[*entry].id, row, known[*entry].entry.clone())];
                assert!(playlists.expect_rows(source, sheet, rows).await.unwrap());
            }
        };
        expect(&both, &[0, 1, 2]).await;
        // A concurrent import of one of them starts first.
        let others = [import_of(db, Kind::TvChannels, 1).await];
        expect(&others, &[1]).await;
        assert_eq!(operations.insert_of_run(run.run.id, both.to_vec(), 3).await.unwrap(), None);
        expect(&both, &[0, 1, 2]).await;
        assert_eq!(operations.insert_of_run(run.run.id, others.to_vec(), 1).await.unwrap(), None);
        let begun = operations.insert_of_run(run.run.id, both.to_vec(), 3).await.unwrap().unwrap();
        let ids: Vec<Id> = begun.iter().map(|operation| operation.id).collect();
        assert_eq!(begun.iter().map(|operation| operation.total).collect::<Vec<_>>(), [2, 1]);
        let noted = playlists.newest_finished(source).await.unwrap().unwrap();
        assert_eq!(noted.operations, ids);

        let gone = run.run.id + 1;
        assert!(operations.insert_of_run(gone, both.to_vec(), 3).await.is_err());
        let all = operations.list(&OperationFilter { created_by: None }, &ListQuery::default()).await.unwrap();
        assert_eq!(all.total_elements, 2);
    }

    async fn a_failed_scheduled_run_is_followed_by_another_within_an_hour(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let added = async |hours: u16| {
            let draft = json!({"title": "España", "url": "https://h.example/l.m3u", "refreshHours": hours, "active": true});
            let draft: PlaylistSourceDraft = serde_json::from_value(draft).unwrap();
            let draft = garde::Unvalidated::new(draft).validate().unwrap();
            let Inserted::New(source) = playlists.add(draft, &edit(start()), None).await.unwrap() else { panic!("it is new") };
            source.id
        };
        let next = async |source: Id| {
            let found = PlaylistSourceRepository::find(&playlists, source).await.unwrap().unwrap();
            found.next_refresh_date.unwrap()
        };
        let failed = || RunEnd { state: RunState::Failed, fault: Some(RunFault::Empty), ..finished() };
        let (day, hour) = (24 * 60, 60);
        let daily = added(24).await;
        let mut due = day;
        for (end, minutes) in [
            (failed(), hour),
            (RunEnd { state: RunState::Stopped, fault: Some(RunFault::TooManyMissing), ..finished() }, day),
            (finished(), day),
            (failed(), hour),
        ] {
            assert_eq!(playlists.schedule(after(due)).await.unwrap(), 1);
            let run = next_claim(&playlists).await.unwrap();
            let state = end.state;
            assert!(playlists.end(&run, end, after(due)).await.unwrap());
            if state == RunState::Finished {
                playlists.end_apply(run.run.id, None).await.unwrap();
            }
            due += minutes;
            assert_eq!(next(daily).await, after(due), "{state:?}");
        }
        // A failed run begun by a user changes no time, and an interval of an hour stays.
        let by_hand = claimed(&playlists, daily).await;
        assert!(playlists.end(&by_hand, failed(), start()).await.unwrap());
        assert_eq!(next(daily).await, after(due));
        let hourly = added(1).await;
        assert_eq!(playlists.schedule(after(hour)).await.unwrap(), 1);
        let run = next_claim(&playlists).await.unwrap();
        assert_eq!(run.run.source, hourly);
        assert!(playlists.end(&run, failed(), after(hour + 5)).await.unwrap());
        assert_eq!(next(hourly).await, after(2 * hour));
    }

    async fn unfinished_runs_have_the_address_that_they_fetch_until_the_list_is_kept(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let draft = json!({"title": "España", "url": "https://h.example/l.m3u", "active": true});
        let draft: PlaylistSourceDraft = serde_json::from_value(draft).unwrap();
        let draft = garde::Unvalidated::new(draft).validate().unwrap();
        let Inserted::New(fetched) = playlists.add(draft, &edit(start()), None).await.unwrap() else { panic!("it is new") };
        let uploaded = source(&playlists).await;
        let first = claimed(&playlists, fetched.id).await;
        let file = Some(("l.m3u".to_owned(), vec![1]));
        let (created_by, created_date) = ("rosa_1".to_owned(), start());
        let run = NewRun { source: uploaded, file, accept_loss: false, created_by, created_date };
        let Inserted::New(second) = playlists.begin(run, None).await.unwrap() else { panic!("it is new") };
        let unfinished = async || {
            let runs = playlists.unfinished().await.unwrap();
            runs.into_iter().map(|one| (one.run, one.source, one.url)).collect::<Vec<_>>()
        };
        let address = Some("https://h.example/l.m3u".to_owned());
        let of_file = (second.id, uploaded, None);
        assert_eq!(unfinished().await, [(first.run.id, fetched.id, address), of_file.clone()]);
        assert!(playlists.keep_list(&first, &[1]).await.unwrap());
        assert_eq!(unfinished().await, [(first.run.id, fetched.id, None), of_file.clone()]);
        assert!(playlists.end(&first, finished(), after(1)).await.unwrap());
        assert_eq!((unfinished().await, playlists.claim(first.run.id).await.unwrap()), (vec![of_file], None));
    }

    async fn a_run_waits_until_the_one_before_is_applied(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let draft = json!({"title": "España", "url": "https://h.example/l.m3u", "refreshHours": 24, "active": true});
        let draft: PlaylistSourceDraft = serde_json::from_value(draft).unwrap();
        let draft = garde::Unvalidated::new(draft).validate().unwrap();
        let Inserted::New(source) = playlists.add(draft, &edit(start()), None).await.unwrap() else { panic!("it is new") };
        assert_eq!(playlists.schedule(after(24 * 60)).await.unwrap(), 1);
        let first = next_claim(&playlists).await.unwrap();
        assert!(playlists.end(&first, finished(), after(24 * 60)).await.unwrap());
        let (created_by, created_date) = ("rosa_1".to_owned(), start());
        let run = NewRun { source: source.id, file: None, accept_loss: false, created_by, created_date };
        let Inserted::New(second) = playlists.begin(run, None).await.unwrap() else { panic!("it is new") };
        let to_apply = async || playlists.waiting_for_apply().await.unwrap().map(|(run, _)| run.id);

        assert!(playlists.unfinished().await.unwrap().is_empty());
        assert_eq!(playlists.claim(second.id).await.unwrap(), None);
        assert_eq!(to_apply().await, Some(first.run.id));
        // An apply of a user is not that of the source.
        let operations = SeaOrmOperations(db.database.clone());
        assert!(operations.insert_of_run(first.run.id, Vec::new(), 0).await.unwrap().is_some());
        assert_eq!(to_apply().await, Some(first.run.id));
        playlists.end_apply(first.run.id, None).await.unwrap();
        assert_eq!(next_claim(&playlists).await.map(|claim| claim.run.id), Some(second.id));

        // The second run was claimed by an earlier version before the first one was applied.
        db.run(&format!("UPDATE playlist_runs SET waits_for_apply = TRUE WHERE id = {}", first.run.id)).await;
        assert_eq!(to_apply().await, None);
        assert_eq!(next_claim(&playlists).await.map(|claim| claim.run.id), Some(second.id));
    }

    async fn the_newest_successful_run_stays_after_any_number_of_failed_ones(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let source = source(&playlists).await;
        let run = async |end: RunEnd| {
            let run = claimed(&playlists, source).await;
            assert!(playlists.end(&run, end, after(1)).await.unwrap());
            run.run.id
        };
        let older = run(finished()).await;
        let good = run(finished()).await;
        for _ in 0..52 {
            run(RunEnd { state: RunState::Failed, fault: Some(RunFault::Empty), ..finished() }).await;
        }
        assert_eq!(playlists.newest_finished(source).await.unwrap().map(|run| run.id), Some(good));
        assert_eq!(PlaylistRunRepository::find(&playlists, source, older).await.unwrap(), None);
    }

    async fn an_entry_is_a_duplicate_of_the_first_one_with_its_name_and_number_or_guide_id(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let source = source(&playlists).await;
        let first = claimed(&playlists, source).await;
        let long = "x".repeat(5_000);
        let entries = [
            tagged("Siete", &[("tvg-id", "siete"), ("tvg-chno", "7")]),
            tagged("SIETE", &[("tvg-chno", "07")]),
            tagged("Siete HD", &[("tvg-id", "siete"), ("tvg-chno", "8")]),
            tagged("Ocho", &[("tvg-chno", "7")]),
            // Longer than an index entry.
            Entry { groups: vec![long.clone()], ..tagged("Nueve", &[("tvg-id", &long)]) },
            tagged("Diez", &[("tvg-id", &long)]),
        ];
        let added = entries.map(|entry| EntryWrite::Add(entry, Vec::new()));
        assert!(playlists.write(&first, added.into(), after(1)).await.unwrap());
        assert!(playlists.end(&first, finished(), after(1)).await.unwrap());
        let repeats = |name: &str, of: &str, reason| (name.to_owned(), of.to_owned(), reason);
        let found = [repeats("SIETE", "Siete", SameNameAndNumber), repeats("Siete HD", "Siete", SameGuideId)];
        assert_eq!(duplicates(&playlists, source).await, found);
        assert_eq!(listed(&playlists, source, Some(true)).await, ["SIETE", "Siete HD"]);
        assert_eq!(listed(&playlists, source, Some(false)).await, ["Siete", "Ocho", "Nueve", "Diez"]);

        // The first one is missing, and another one has a new name.
        let second = claimed(&playlists, source).await;
        let known = playlists.known(source, 0, 10).await.unwrap();
        let renamed = tagged("Ocho", &[("tvg-chno", "8"), ("tvg-id", "siete")]);
        let writes = vec![EntryWrite::Miss(known[0].id), EntryWrite::See(known[3].id, renamed, Sign::Address)];
        assert!(playlists.write(&second, writes, after(2)).await.unwrap());
        assert_eq!(duplicates(&playlists, source).await, [repeats("Ocho", "Siete HD", SameGuideId)]);
        // A missing entry is not a duplicate.
        assert!(playlists.write(&second, vec![EntryWrite::Miss(known[3].id)], after(3)).await.unwrap());
        assert_eq!(duplicates(&playlists, source).await, []);
        assert_eq!(listed(&playlists, source, Some(true)).await, [""; 0]);
    }

    async fn entries_of_an_earlier_version_get_the_keys_that_a_run_writes(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let source = source(&playlists).await;
        let run = claimed(&playlists, source).await;
        let long = "x".repeat(501);
        let mut entries = vec![
            tagged("Siete Ñ", &[("tvg-id", "Siete.es"), ("tvg-chno", "07")]),
            tagged("Ocho", &[("tvg-chno", "ocho")]),
            tagged("Nueve", &[("tvg-chno", "+9")]),
            tagged("Diez", &[("tvg-chno", "4000000000"), ("tvg-id", &long)]),
            entry("Once", "http://h.example/a"),
        ];
        // More than one batch.
        entries.extend((0..2_000).map(|number| {
            let number = number.to_string();
            tagged(&format!("Canal {number}"), &[("tvg-chno", number.as_str())])
        }));
        let added = entries.into_iter().map(|entry| EntryWrite::Add(entry, Vec::new())).collect();
        assert!(playlists.write(&run, added, after(1)).await.unwrap());
        let keys = async || -> Vec<[Option<String>; 2]> {
            let rows = db.rows("SELECT guide_id, name_and_number FROM playlist_entries ORDER BY id").await;
            rows.iter().map(|row| ["guide_id", "name_and_number"].map(|name| row.try_get("", name).unwrap())).collect()
        };
        let mut expected = keys().await;
        assert_eq!(expected[0], [Some("Siete.es".to_owned()), Some("7 siete n".to_owned())]);
        assert!(expected[1..5].iter().flatten().all(Option::is_none), "{:?}", &expected[1..5]);
        assert_eq!(expected[2_004], [None, Some("1999 canal 1999".to_owned())]);
        // Invalid entries get no keys, and do not stop the migration.
        for (number, content) in ["no JSON", "[]", r#"{"tags": [["tvg-chno"], 7]}"#].into_iter().enumerate() {
            db.run(&format!("UPDATE playlist_entries SET content = '{content}' WHERE search_text = 'canal {number}'")).await;
            expected[5 + number] = [None, None];
        }
        let indexes = "DROP INDEX playlist_entries_by_guide_id; DROP INDEX playlist_entries_by_name_and_number";
        db.run(&format!(
            "{indexes}; ALTER TABLE playlist_entries DROP COLUMN guide_id; \
             ALTER TABLE playlist_entries DROP COLUMN name_and_number; \
             DELETE FROM seaql_migrations WHERE version LIKE '%_000096_%'"
        ))
        .await;
        db.database.migrate(migrations::migrate).await.unwrap();
        assert_eq!(keys().await, expected);
        db.run(indexes).await;
    }

    async fn entries_are_found_and_counted_by_each_of_their_groups(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let (source, other) = (source(&playlists).await, source(&playlists).await);
        let run = claimed(&playlists, source).await;
        let grouped = |name: &str, groups: &str| {
            let url = format!("http://h.example/{name}");
            Entry { name: name.to_owned(), ..with_keys(&url, [Some(groups), None, None, None]) }
        };
        let entries = [
            grouped("Siete", "Nacionales;Cine;\"Niños\", \\[1]"),
            grouped("Ocho", "Cine"),
            grouped("Nueve", "Locales;Cine clásico"),
            entry("Diez", "http://h.example/10"),
        ];
        let added = entries.iter().map(|entry| EntryWrite::Add(entry.clone(), Vec::new())).collect();
        assert!(playlists.write(&run, added, after(1)).await.unwrap());
        let counted = async || -> Vec<(String, i64, i64)> {
            let groups = playlists.groups(source).await.unwrap();
            let mut groups: Vec<_> = groups.into_iter().map(|one| (one.group, one.entries, one.new)).collect();
            groups.sort();
            groups
        };
        let of = |group: &str, entries, new| (group.to_owned(), entries, new);
        let expected = [
            of("", 1, 1),
            of("\"Niños\", \\[1]", 1, 1),
            of("Cine", 2, 2),
            of("Cine clásico", 1, 1),
            of("Locales", 1, 1),
            of("Nacionales", 1, 1),
        ];
        assert_eq!(counted().await, expected);
        assert_eq!(playlists.groups(other).await.unwrap(), []);
        let found = async |group: &str| -> Vec<String> {
            let filters = vec![Filter { field: "group".to_owned(), value: FilterValue::Text(group.to_owned()) }];
            let query = ListQuery { filters, ..ListQuery::default() };
            let page = PlaylistEntryRepository::list(&playlists, source, &query).await.unwrap();
            let ids = playlists.matching(source, &query, 10).await.unwrap();
            assert_eq!(ids, page.content.iter().map(|one| one.id).collect::<Vec<_>>(), "{group}");
            assert_eq!(PlaylistEntryRepository::list(&playlists, other, &query).await.unwrap().content, []);
            page.content.into_iter().map(|one| one.entry.name).collect()
        };
        for (group, names) in [
            ("Cine", &["Siete", "Ocho"][..]),
            ("Nacionales", &["Siete"][..]),
            ("\"Niños\", \\[1]", &["Siete"][..]),
            ("Cine clásico", &["Nueve"][..]),
            ("cine", &[""; 0][..]),
            ("Nacionales;Cine", &[""; 0][..]),
            ("", &["Diez"][..]),
        ] {
            assert_eq!(found(group).await, names, "{group}");
        }

        // Another run finds other groups, and one entry is merged into another.
        let known = playlists.known(source, 0, 10).await.unwrap();
        let seen = [(0, "Nacionales"), (1, "Cine;Locales")];
        let seen = seen.map(|(at, groups)| {
            EntryWrite::See(known[at].id, grouped(&known[at].entry.name, groups), Sign::Address)
        });
        assert!(playlists.write(&run, seen.into(), after(2)).await.unwrap());
        assert_eq!(found("Cine").await, ["Ocho"]);
        assert_eq!(found("Locales").await, ["Ocho", "Nueve"]);
        assert!(playlists.write(&run, vec![EntryWrite::Miss(known[3].id)], after(3)).await.unwrap());
        let stored = PlaylistSourceRepository::find(&playlists, source).await.unwrap().unwrap();
        assert!(playlists.merge(&stored, known[1].id, known[3].id, &edit(after(4))).await.unwrap());
        assert_eq!(found("Locales").await, ["Nueve", "Ocho"]);
    }

    async fn entries_of_an_earlier_version_get_their_further_groups(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let source = source(&playlists).await;
        let run = claimed(&playlists, source).await;
        let groups = ["Cine;Series", "Cine", "Ñ;\"Niños\";\\"].into_iter().map(Some).chain([None]);
        let entries = groups.map(|groups| with_keys("http://h.example/a", [groups, None, None, None]));
        let added = entries.map(|entry| EntryWrite::Add(entry, Vec::new())).collect();
        assert!(playlists.write(&run, added, after(1)).await.unwrap());
        let further = async || -> Vec<Option<String>> {
            let rows = db.rows("SELECT further_groups FROM playlist_entries ORDER BY id").await;
            rows.iter().map(|row| row.try_get("", "further_groups").unwrap()).collect()
        };
        let expected = further().await;
        assert_eq!(expected[0].as_deref(), Some(r#"["Series"]"#));
        assert_eq!(expected.iter().filter(|groups| groups.is_some()).count(), 2);
        let searched = async || -> Vec<String> {
            let rows = db.rows("SELECT search_text FROM playlist_entries ORDER BY id").await;
            rows.iter().map(|row| row.try_get("", "search_text").unwrap()).collect()
        };
        let with_all_groups = searched().await;
        assert!(with_all_groups[2].ends_with("\nn\n\"ninos\"\n\\"), "{with_all_groups:?}");
        // They were searched for their first group only.
        for group in ["series", "\"ninos\"\n\\"] {
            let cut = format!("UPDATE playlist_entries SET search_text = replace(search_text, '\n{group}', '')");
            db.run(&cut).await;
        }
        assert_ne!(searched().await, with_all_groups);
        db.run(
            "DROP INDEX playlist_entries_with_groups; ALTER TABLE playlist_entries DROP COLUMN further_groups; \
             DELETE FROM seaql_migrations WHERE version LIKE '%_000145_%' OR version LIKE '%_000154_%'",
        )
        .await;
        db.database.migrate(migrations::migrate).await.unwrap();
        assert_eq!(further().await, expected);
        assert_eq!(searched().await, with_all_groups);
        // The migration creates the index again.
        db.run("DROP INDEX playlist_entries_with_groups").await;
    }

    async fn an_entry_found_again_is_written_like_a_new_one_and_compared_with_the_applied_one(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let source = source(&playlists).await;
        let run = claimed(&playlists, source).await;
        let all = seen_in_every_way();
        // All entries with unchanged or no keys; and all together in one slice.
        for at_once in [24, all.len()] {
            db.run("DELETE FROM playlist_entries").await;
            // New entries with the same content follow the found ones.
            let new = all.iter().map(|one| &one.stored).chain(all.iter().map(|one| &one.seen));
            let new = new.map(|entry| EntryWrite::Add(entry.clone(), Vec::new())).collect();
            assert!(playlists.write(&run, new, after(1)).await.unwrap());
            let known = playlists.known(source, 0, 10_000).await.unwrap();
            assert_eq!(known.len(), 2 * all.len());
            let rows: Vec<String> = all.iter().zip(&known).map(|(one, known)| one.row(known.id)).collect();
            db.run(&format!(
                "UPDATE playlist_entries SET change = v.column2, in_use = v.column3, applied = v.column4, \
                 ignored = (v.column1 % 2 = 0), missing_since = CASE v.column2 WHEN 'MISSING' THEN CURRENT_TIMESTAMP END \
                 FROM (VALUES {}) AS v WHERE id = v.column1",
                rows.join(", ")
            ))
            .await;
            let before = all_columns(db).await;
            let see = all.iter().zip(&known).map(|(one, known)| EntryWrite::See(known.id, one.seen.clone(), Sign::Address));
            let see: Vec<EntryWrite> = see.collect();
            for slice in see.chunks(at_once) {
                assert!(playlists.write(&run, slice.to_vec(), after(2)).await.unwrap());
            }
            let found = all_columns(db).await;
            let (seen, new) = before.split_at(all.len());
            assert_eq!(found[all.len()..], *new, "entries that were not found stay");
            for (index, one) in all.iter().enumerate() {
                let mut expected = seen[index].clone();
                let keys = ["group_name", "further_groups", "guide_id", "name_and_number"];
                for column in ["content", "radio", "search_text"].into_iter().chain(keys) {
                    expected.insert(column.to_owned(), new[index][column].clone());
                }
                expected.insert("sign".to_owned(), Some("ADDRESS".to_owned()));
                expected.insert("missing_since".to_owned(), None);
                expected.insert("change".to_owned(), Some(one.expected_change().code().to_owned()));
                assert_eq!(found[index], expected, "{one:?}");
            }
        }
    }

    async fn no_statement_compares_a_slice_with_all_entries_or_all_rows(db: &TestDb) {
        let noted = Arc::<Mutex<Vec<Statement>>>::default();
        let notes = Arc::clone(&noted);
        let watched = db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.clone()));
        let playlists = SeaOrmPlaylists(watched.clone());
        let category = Category { category_type: CategoryType::TvChannel, ..Category::numbered(0, 0) };
        let category = add(&store::<Category>(db), category).await;
        let source = source(&playlists).await;
        let run = claimed(&playlists, source).await;
        let all = (0..100).map(|at| EntryWrite::Add(entry(&at.to_string(), "http://h.example/a"), Vec::new()));
        assert!(playlists.write(&run, all.collect(), after(1)).await.unwrap());
        let known = playlists.known(source, 0, 2).await.unwrap();
        let operation = begin(db, Kind::TvChannels, 2).await;
        let sheet = operation.import.as_ref().unwrap().sheet;
        let rows = known.iter().zip(2..).map(|(one, row)| (one.id, row, one.entry.clone()));
        assert!(playlists.expect_rows(source, sheet, rows.collect()).await.unwrap());
        let channel = |(position, channel_number)| {
            let categories = vec![category];
            addition(position, TvChannel { channel_number, tv_guide_id: None, categories, ..TvChannel::sample() })
        };
        noted.lock().unwrap().clear();
        // One has the same keys.
        let seen = [entry("0", "http://h.example/b"), tagged("1", &[("tvg-id", "uno")])];
        let seen = known.iter().zip(seen).map(|(one, entry)| EntryWrite::See(one.id, entry, Sign::Address));
        assert!(playlists.write(&run, seen.collect(), after(2)).await.unwrap());
        let channels = SeaOrmContents::<TvChannelsTable>::new(watched.clone());
        let rows = [(0, 7), (1, 8)].map(channel).into();
        let written = channels.write_slice(first_slice(operation.id), rows, edit(after(3))).await.unwrap();
        assert!(matches!(written, SliceWritten::Done(counts) if counts.created == 2), "{written:?}");
        assert_eq!(SeaOrmSheets(watched).added_items(operation.id, &[1, 2]).await.unwrap().len(), 2);
        assert_eq!(listed(&playlists, source, Some(true)).await.len(), 0);

        let noted = noted.lock().unwrap().clone();
        let of_entries = |statement: &&Statement| {
            ["playlist_entries", "bulk_operation_rows"].iter().any(|table| statement.sql.contains(table))
                && !statement.sql.starts_with("INSERT")
        };
        let looked_at: Vec<&Statement> = noted.iter().filter(of_entries).collect();
        assert!(looked_at.len() >= 5, "{}", looked_at.len());
        for statement in looked_at {
            let plan = plan(db, statement, false).await;
            // A slice's own values are scanned.
            let scans = |line: &String| {
                let tables = ["playlist_entries", "bulk_operation_rows"];
                let is_scan = |table: &&str| {
                    if db.is_sqlite() { line.contains(&format!("SCAN {table}")) } else { line.contains(&format!("Seq Scan on {table} ")) }
                };
                tables.iter().any(is_scan) || line == "SCAN e" || line == "SCAN d"
            };
            assert!(!plan.iter().any(scans), "{}\n{}", statement.sql, plan.join("\n"));
        }
    }
}
