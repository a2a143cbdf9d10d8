//! Sources of playlists: their references, and credentials in their URLs.

use std::{collections::HashMap, sync::Arc};

use application::{ContentServices, PlaylistService, PlaylistStores};
use domain_catalogue::CategoryType;
use domain_kernel::{Action, Actor, Id, Page, Permission, RoleCode, Subject};
use domain_live::{diff::EntryChange, entry::Entry, run::PlaylistRun};
use mockall::Sequence;
use ports::{
    EntryCandidate, MockContentRepository, MockPlaylistEntryRepository, MockPlaylistRunRepository,
    MockPlaylistSourceRepository, MockReferences, StoreError, StoredEntry,
};
use serde_json::json;

use super::{Files, RUN, SOURCE, claim, entry, run, service, stores};
use crate::support::{
    actor, bytes, calendar, content_services, now, operations, refused, service as content_service, types,
};

const PLAYLIST: Subject = Subject("PLAYLIST");
const READS: &[Permission] = &[Permission::new(PLAYLIST, Action::Read)];
const CHANGES: &[Permission] =
    &[Permission::new(PLAYLIST, Action::Read), Permission::new(PLAYLIST, Action::Update)];

#[tokio::test]
async fn guide_urls_of_a_run_show_credentials_only_to_users_who_may_change_the_source() {
    const GUIDE: &str = "http://h.example/xmltv.php?username=ana&password=clave";
    let shown = async |permissions| {
        let mut runs = MockPlaylistRunRepository::new();
        let found = PlaylistRun { guides: vec![GUIDE.to_owned()], ..run(false) };
        runs.expect_find().return_once(move |_, _| Ok(Some(found)));
        let service = service(runs, MockPlaylistEntryRepository::new(), Files::of(0..0));
        let actor = Actor { permissions, ..actor(RoleCode::Agent) };
        service.run(&actor, SOURCE, RUN).await.unwrap().guides
    };
    assert_eq!(shown(CHANGES).await, [GUIDE]);
    assert_eq!(shown(READS).await, ["http://h.example/xmltv.php?username=***&password=***"]);
}

#[tokio::test]
async fn urls_of_candidates_show_credentials_only_to_users_who_may_change_the_source() {
    const URL: &str = "http://h.example/get.php?username=ana&password=clave";
    let shown = async |permissions| {
        let mut runs = MockPlaylistRunRepository::new();
        runs.expect_find().return_once(|_, _| Ok(Some(run(false))));
        runs.expect_newest_finished().return_once(|_| Ok(Some(run(false))));
        let missing = EntryCandidate {
            id: 1,
            entry: Entry { url: URL.to_owned(), ..entry(1) },
            item: None,
            missing_since: now(),
        };
        let new = StoredEntry {
            id: 2,
            change: EntryChange::New,
            entry: entry(2),
            applied: None,
            item: None,
            stream_of: None,
            sign: None,
            ignored: false,
            missing_since: None,
            candidates: vec![missing],
            duplicate_of: None,
        };
        let mut entries = MockPlaylistEntryRepository::new();
        entries.expect_list().return_once(move |_, query| Ok(Page::of(query, vec![new], 1)));
        let service = service(runs, entries, Files::of(0..0));
        let actor = Actor { permissions, ..actor(RoleCode::Agent) };
        let page = service.changes(&actor, SOURCE, RUN, &[]).await.unwrap();
        page.content[0].stored.candidates[0].entry.url.clone()
    };
    assert_eq!(shown(CHANGES).await, URL);
    assert_eq!(shown(READS).await, "http://h.example/get.php?username=***&password=***");
}

#[tokio::test]
async fn a_category_deleted_while_a_source_is_written_is_an_unknown_reference() {
    let gone_meanwhile = || {
        let mut categories = MockReferences::new();
        let mut order = Sequence::new();
        let found = |ids: &[Id]| Ok(types(ids, CategoryType::TvChannel));
        categories.expect_category_types().times(1).in_sequence(&mut order).returning(found);
        let none = |_: &[Id]| Ok(HashMap::new());
        categories.expect_category_types().times(1).in_sequence(&mut order).returning(none);
        let dangling = || StoreError::Dangling("category 5 is of another type".into());
        let mut sources = MockPlaylistSourceRepository::new();
        sources.expect_find().returning(|_| Ok(Some(claim().source)));
        sources.expect_add().returning(move |_, _, _| Err(dangling()));
        sources.expect_replace().returning(move |_, _, _, _| Err(dangling()));
        let stores = PlaylistStores { sources: Arc::new(sources), ..stores() };
        let tv_channels = Arc::new(content_service(MockContentRepository::new(), categories));
        let contents = ContentServices { tv_channels, ..content_services() };
        let files = Arc::new(Files::of(0..0));
        PlaylistService::new(stores, files, contents, Arc::new(operations()), calendar())
    };
    let expected = ["defaultCategoryId", "categories[0].categoryId"]
        .map(|field| (field.to_owned(), "UNKNOWN_REFERENCE"));
    let groups = json!([{"group": "Cine", "categoryId": 5}]);
    let form = bytes(&json!({"title": "España", "defaultCategoryId": 5, "categories": groups}));
    let admin = actor(RoleCode::Admin);
    assert_eq!(refused(gone_meanwhile().create(&admin, &form, None).await), expected);
    assert_eq!(refused(gone_meanwhile().replace(&admin, SOURCE, &form, None).await), expected);
    assert_eq!(refused(gone_meanwhile().merge(&admin, SOURCE, &form, None).await), expected);
}
