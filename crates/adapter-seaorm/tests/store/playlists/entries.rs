//! Entries of playlists: duplicates, groups, keys, and what a run writes.

use std::collections::BTreeMap;

use adapter_seaorm::SeaOrmPlaylists;
use domain_kernel::{Enumeration, Filter, FilterValue, Id, ListQuery};
use domain_live::{
    diff::{EntryChange, Sign},
    entry::Entry,
    playlist::EntryDuplicateReason::{self, SameGuideId, SameNameAndNumber},
};
use ports::{
    EntryWrite, PlaylistEntryRepository, PlaylistRunRepository, PlaylistSourceRepository, StoredEntry,
};
use sea_orm::QueryResult;
use serde_json::json;

use super::{claimed, entry, finished, listed, page, source, tagged};
use crate::support::{TestDb, after, edit, on_both};

/// Duplicate entries: both names, and the common value.
async fn duplicates(playlists: &SeaOrmPlaylists, source: Id) -> Vec<(String, String, EntryDuplicateReason)> {
    let entries = page(playlists, source, None).await;
    let found = |one: StoredEntry| one.duplicate_of.map(|of| (one.entry.name, of.name, of.reason));
    entries.into_iter().filter_map(found).collect()
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
fn in_every_state(stored: &Entry, seen: &Entry) -> Vec<SeenEntry> {
    let as_seen = serde_json::to_string(seen).unwrap();
    let mut states = Vec::new();
    for change in [EntryChange::New, EntryChange::Unchanged, EntryChange::Changed, EntryChange::Missing] {
        for in_use in [false, true] {
            for applied in [None, Some(as_seen.clone()), Some("{}".to_owned())] {
                states.push(SeenEntry {
                    stored: stored.clone(),
                    seen: seen.clone(),
                    change,
                    in_use,
                    applied,
                });
            }
        }
    }
    states
}

/// Entries with and without keys, found with the same, another or no key, in every state.
fn entries_in_every_state() -> Vec<SeenEntry> {
    let mut all = Vec::new();
    for stored in [[Some("Nacionales;Cine"), Some("siete"), Some("7"), None], [None; 4]] {
        let stored = with_keys("http://h.example/a", stored);
        for group in [Some("Nacionales;Cine"), Some("Nacionales"), Some("Locales;Cine"), None] {
            for guide_id in [Some("siete"), Some("ocho"), None] {
                for number in [Some("7"), Some("8"), None] {
                    let seen = with_keys("http://h.example/b", [group, guide_id, number, Some("true")]);
                    all.extend(in_every_state(&stored, &seen));
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
        let all = entries_in_every_state();
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
}
