//! Entries of playlists, while a run reads their source and an apply imports what was made of them.

use adapter_seaorm::{
    SeaOrmPlaylists,
    catalogue::{SeaOrmContents, TvChannelsTable},
};
use domain_catalogue::{Category, CategoryType, Content, TvChannel};
use domain_kernel::{Id, Kind};
use domain_live::{
    diff::{EntryChange, Sign},
    entry::Entry,
    run::{RunCounts, RunState},
    source::PlaylistSourceDraft,
};
use garde::Validate;
use ports::{
    ClaimedRun, ContentRepository, EntryWrite, Inserted, NewRun, PlaylistEntryRepository,
    PlaylistRunRepository, PlaylistSourceRepository, RunEnd, SliceWritten,
};
use serde_json::json;

use crate::{
    kinds::{KindFixture, add, store},
    sheet_imports::{addition, begin, first_slice},
    support::{TestDb, after, edit, on_both, start},
};

fn entry(name: &str, url: &str) -> Entry {
    serde_json::from_value(json!({"name": name, "url": url})).unwrap()
}

async fn source(playlists: &SeaOrmPlaylists) -> Id {
    let draft: PlaylistSourceDraft =
        serde_json::from_value(json!({"title": "España", "active": true})).unwrap();
    draft.validate().unwrap();
    let added = playlists.add(garde::Unvalidated::new(draft).validate().unwrap(), &edit(start()), None).await;
    let Inserted::New(source) = added.unwrap() else { panic!("it is new") };
    source.id
}

async fn claimed(playlists: &SeaOrmPlaylists, source: Id) -> ClaimedRun {
    let (created_by, created_date) = ("rosa_1".to_owned(), start());
    let run = NewRun { source, file: None, accept_loss: false, created_by, created_date };
    assert!(matches!(playlists.begin(run, None).await.unwrap(), Inserted::New(_)));
    playlists.claim().await.unwrap().unwrap()
}

fn finished() -> RunEnd {
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

on_both! {
    async fn what_a_run_finds_while_its_source_is_applied_does_not_count_as_applied(db: &TestDb) {
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

        // Another run has begun to write when rows are made of both entries.
        let second = claimed(&playlists, source).await;
        let operation = begin(db, Kind::TvChannels, 2).await;
        let sheet = operation.import.as_ref().unwrap().sheet;
        playlists.expect_rows(sheet, vec![(siete.id, 2, siete.entry.clone()), (ocho.id, 3, ocho.entry.clone())]).await.unwrap();
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
}
