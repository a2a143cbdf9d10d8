//! Applies of playlists: imports of channels and stations from entries, beside runs of the source.

use std::sync::{Arc, Mutex};

use adapter_seaorm::{
    SeaOrmOperations, SeaOrmPlaylists, SeaOrmSheets,
    catalogue::{SeaOrmContents, TvChannelsTable},
};
use domain_catalogue::{Category, CategoryType, Content, TvChannel};
use domain_kernel::{Id, Kind, ListQuery};
use domain_live::diff::{EntryChange, Sign};
use ports::{
    ContentRepository, EntryWrite, OperationFilter, OperationRepository, PlaylistEntryRepository,
    PlaylistRunRepository, SheetRepository, SliceWritten,
};
use sea_orm::Statement;

use super::{claimed, entry, finished, listed, source, tagged};
use crate::{
    indexes::plan,
    kinds::{KindFixture, add, store},
    sheet_imports::{addition, begin, first_slice, import_of},
    support::{TestDb, after, edit, on_both},
};

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
