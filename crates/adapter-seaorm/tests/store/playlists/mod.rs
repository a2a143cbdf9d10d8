//! Playlists in the store: runs, entries and applies. This file has what their tests share: a source,
//! a claimed run, entries, and the list of them.

mod applies;
mod entries;
mod runs;

use adapter_seaorm::SeaOrmPlaylists;
use domain_kernel::{Filter, FilterValue, Id, ListQuery};
use domain_live::{entry::Entry, run::RunState, source::PlaylistSourceDraft};
use garde::Validate;
use ports::{
    ClaimedRun, Inserted, NewRun, PlaylistEntryRepository, PlaylistRunRepository, PlaylistSourceRepository,
    RunEnd, StoredEntry,
};
use serde_json::json;

use crate::support::{edit, start};

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
    RunEnd::empty(RunState::Finished, None)
}
