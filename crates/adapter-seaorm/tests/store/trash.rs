//! The trash: deleted items are not counted, and are restored unchanged.

use adapter_seaorm::{
    SeaOrmAudit, SeaOrmLinkSwitches, SeaOrmLinks, SeaOrmMatches, SeaOrmRetention, SeaOrmTrash,
    catalogue::{EpisodesTable, RadioStationsTable, SeaOrmContents, TableOf, TvShowsTable},
};
use chrono::TimeDelta;
use domain_audit::AuditAction;
use domain_catalogue::{CategoryType, Concert, Content, Episode, Movie, Season, TvShow};
use domain_kernel::{Filter, FilterValue, Id, Kind, ListQuery, Origin, Sort};
use domain_live::matching::MatchingCounts;
use ports::{
    Aged, AuditFilter, AuditRepository, ContentRepository, LinkRepository, LinkSwitches, MatchRepository,
    Removed, Retention, TrashFilter, TrashRepository, Written,
};
use sea_orm::{ConnectionTrait, QueryResult, TransactionTrait};
use serde_json::json;

use crate::{
    kinds::{KindFixture, add, add_category, add_sample, done, store},
    links,
    support::{TestDb, after, edit, for_categories_and_movies, on_both, start, valid},
};

fn of(kinds: &[Kind]) -> TrashFilter {
    TrashFilter { kinds: kinds.to_vec() }
}

async fn listed(db: &TestDb) -> Vec<(Kind, Id, u64)> {
    let trash = SeaOrmTrash(db.database.clone());
    let page = trash.list(&of(Kind::ALL), &ListQuery::default()).await.unwrap();
    assert_eq!(page.total_elements, page.content.len() as u64);
    page.content.iter().map(|entry| (entry.kind, entry.item, entry.parts)).collect()
}

for_categories_and_movies! {
    async fn deleted_items_are_not_counted_and_are_restored_unchanged<C>(db: &TestDb) {
        let category = C::categories(db).await[0];
        let store = store::<C>(db);
        let id = add(&store, C::numbered(1, category).shown(true)).await;
        let total = store.list(&ListQuery::default()).await.unwrap().total_elements;
        let before = store.find(id).await.unwrap().unwrap();
        assert_eq!(store.delete(id, Some(1), edit(after(1))).await.unwrap(), Removed::Done);
        assert_eq!(store.find(id).await.unwrap(), None);
        assert_eq!(store.list(&ListQuery::default()).await.unwrap().total_elements, total - 1);
        assert_eq!(store.delete(id, None, edit(after(2))).await.unwrap(), Removed::Missing);
        assert_eq!(listed(db).await, [(C::KIND, id, 0)]);
        assert_eq!(store.trashed(id).await.unwrap(), Some(before.clone()));
        assert_eq!(store.trashed_all(&[id, id + 1]).await.unwrap(), std::slice::from_ref(&before));
        let restored = done(store.restore(id, valid(before.content.clone()), edit(after(3))).await.unwrap());
        // A new version, so that a save from an earlier one is refused.
        assert_eq!((restored.id, restored.version, restored.created_date), (id, 2, before.created_date));
        assert_eq!((restored.updated_date, &restored.content, restored.views), (after(3), &before.content, before.views));
        assert_eq!(store.find(id).await.unwrap(), Some(restored));
        assert_eq!(store.list(&ListQuery::default()).await.unwrap().total_elements, total);
        assert_eq!(listed(db).await, []);
        assert_eq!(store.restore(id, valid(before.content), edit(after(4))).await.unwrap(), Written::Missing);
        let actions = db.rows(&format!(
            "SELECT action FROM audit_entries WHERE resource = '{}' AND item = '{id}' ORDER BY id", C::KIND.path()
        )).await;
        let actions: Vec<String> = actions.iter().map(|row| row.try_get("", "action").unwrap()).collect();
        let codes = [AuditAction::Created, AuditAction::Deleted, AuditAction::Restored].map(domain_kernel::Enumeration::code);
        assert_eq!(actions, codes);
    }
}

fn episode_of(show: Id, number: i32) -> Episode {
    Episode { tv_show_id: show, season_number: 1, episode_number: number, imdb_id: None, ..Episode::sample() }
}

/// A show without seasons and episodes, and the stores of it and of its parts.
struct SeriesFixture {
    shows: SeaOrmContents<TvShowsTable>,
    seasons: SeaOrmContents<TableOf<Season>>,
    episodes: SeaOrmContents<EpisodesTable>,
    show: TvShow,
    id: Id,
}

impl SeriesFixture {
    async fn of(db: &TestDb) -> Self {
        let category_id = add_category(db, "Series", CategoryType::TvShow).await;
        let shows = SeaOrmContents::<TvShowsTable>::new(db.database.clone());
        let show = TvShow { category_id, ..TvShow::sample() };
        let id = add(&shows, show.clone()).await;
        let seasons = SeaOrmContents::new(db.database.clone());
        let episodes = SeaOrmContents::new(db.database.clone());
        Self { shows, seasons, episodes, show, id }
    }
}

/// Earlier versions lost the season of an episode that was written during its deletion.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn episodes_of_an_earlier_version_get_their_missing_seasons_on_postgres() {
    let Some(db) = TestDb::postgres().await else { return };
    let SeriesFixture { shows, seasons, episodes, show, id } = SeriesFixture::of(&db).await;
    let gone = add(&shows, show).await;
    let texts = Season { tv_show_id: id, season_number: 1, ..Season::sample() };
    let season = add(&seasons, texts.clone()).await;
    add(&seasons, Season { season_number: 3, ..texts.clone() }).await;
    for episode in [
        episode_of(id, 1),
        episode_of(id, 2),
        Episode { season_number: 2, ..episode_of(id, 1) },
        episode_of(gone, 1),
    ] {
        add(&episodes, episode).await;
    }
    // Without triggers, as in a copy that was restored without them: a season is missing, all
    // counts are wrong, and an episode has no show. The function of that version maintains nothing.
    db.run(&format!(
        "SET session_replication_role = replica; \
         DELETE FROM seasons WHERE season_number = 2 OR tv_show_id = {gone}; DELETE FROM tv_shows WHERE id = {gone}; \
         UPDATE seasons SET episode_count = 7; RESET session_replication_role; \
         CREATE OR REPLACE FUNCTION episodes_keep_seasons() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; \
         DELETE FROM seaql_migrations WHERE version LIKE '%_000108_%'"
    ))
    .await;
    db.database.migrate(migrations::migrate).await.unwrap();
    let counts = async || -> Vec<(i32, i64)> {
        let rows = db.rows("SELECT season_number, episode_count FROM seasons ORDER BY season_number").await;
        let number = |row: &QueryResult| row.try_get("", "season_number").unwrap();
        rows.iter().map(|row| (number(row), row.try_get("", "episode_count").unwrap())).collect()
    };
    assert_eq!(counts().await, [(1, 2), (2, 1), (3, 0)]);
    let kept = seasons.find(season).await.unwrap().unwrap().content;
    assert_eq!(kept, Season { episode_count: 2, ..texts });
    let total = "SELECT count(*) AS number FROM episodes";
    assert_eq!(db.number(total).await, 4, "no episode is lost, not even the one without a show");
    add(&episodes, Episode { season_number: 4, ..episode_of(id, 1) }).await;
    assert_eq!(counts().await, [(1, 2), (2, 1), (3, 0), (4, 1)]);
    db.remove().await;
}

on_both! {
    async fn a_show_is_deleted_and_restored_with_its_seasons_and_episodes(db: &TestDb) {
        let SeriesFixture { shows, seasons, episodes, show, id } = SeriesFixture::of(db).await;
        let season = add(&seasons, Season { tv_show_id: id, ..Season::sample() }).await;
        let mut all = Vec::new();
        // More than one insert.
        for number in 1..=3 {
            all.push(add(&episodes, episode_of(id, number)).await);
        }
        let other = add(&shows, show.clone()).await;
        let kept = add(&episodes, episode_of(other, 1)).await;
        let first = episodes.find(all[0]).await.unwrap().unwrap();
        assert_eq!(shows.delete(id, None, edit(after(1))).await.unwrap(), Removed::Done);
        assert_eq!(listed(db).await, [(Kind::TvShows, id, 4)]);
        assert_eq!((episodes.find(all[0]).await.unwrap(), seasons.find(season).await.unwrap()), (None, None));
        // Parts that were deleted with a show are not restored without it.
        assert_eq!(episodes.trashed(all[0]).await.unwrap(), None);
        assert!(episodes.find(kept).await.unwrap().is_some());
        done(shows.restore(id, valid(show), edit(after(2))).await.unwrap());
        let back = episodes.find(all[0]).await.unwrap().unwrap();
        assert_eq!((&back.content, back.version), (&first.content, 2));
        // Each part has audit entries too, because earlier versions of it are restored from them.
        let recorded = "SELECT count(*) AS number FROM audit_entries WHERE version IN (1, 2) AND action = ";
        for action in ["'DELETED'", "'RESTORED'"] {
            assert_eq!(db.number(&format!("{recorded}{action}")).await, 5, "{action}");
        }
        // The season counts its episodes once, so that it can be deleted after them.
        assert_eq!(seasons.find(season).await.unwrap().unwrap().content.episode_count, 3);
        for id in all {
            assert_eq!(episodes.delete(id, None, edit(after(3))).await.unwrap(), Removed::Done);
        }
        assert_eq!(seasons.delete(season, None, edit(after(3))).await.unwrap(), Removed::Done);
        assert_eq!(db.number("SELECT count(*) AS number FROM episodes").await, 1);
        assert_eq!(db.number("SELECT count(*) AS number FROM trash").await, 4);
    }

    async fn an_episode_deleted_with_its_show_by_an_earlier_version_is_restored_with_the_current_form_of_ids(db: &TestDb) {
        let SeriesFixture { shows, episodes, show, id, .. } = SeriesFixture::of(db).await;
        let episode = add(&episodes, Episode { imdb_id: Some("tt0420238".into()), ..episode_of(id, 1) }).await;
        let before = episodes.find(episode).await.unwrap().unwrap();
        assert_eq!(shows.delete(id, None, edit(after(1))).await.unwrap(), Removed::Done);
        db.run("UPDATE trash SET document = replace(document, 'tt0420238', 'tt420238')").await;
        done(shows.restore(id, valid(show), edit(after(2))).await.unwrap());
        assert_eq!(episodes.find(episode).await.unwrap().unwrap().content, before.content);
    }

    async fn restoring_an_episode_restores_its_season(db: &TestDb) {
        let SeriesFixture { seasons, episodes, id, .. } = SeriesFixture::of(db).await;
        let content = Season { tv_show_id: id, season_number: 1, ..Season::sample() };
        let season = add(&seasons, content.clone()).await;
        let other = add(&seasons, Season { season_number: 2, ..content.clone() }).await;
        let episode = add(&episodes, episode_of(id, 1)).await;
        for (minute, one) in [(1, other), (3, season)] {
            if one == season {
                assert_eq!(episodes.delete(episode, None, edit(after(2))).await.unwrap(), Removed::Done);
            }
            assert_eq!(seasons.delete(one, None, edit(after(minute))).await.unwrap(), Removed::Done);
        }
        done(episodes.restore(episode, valid(episode_of(id, 1)), edit(after(4))).await.unwrap());
        let back = seasons.find(season).await.unwrap().expect("its season is there");
        assert_eq!((back.content, back.version), (Season { episode_count: 1, ..content }, 2));
        assert_eq!(seasons.find(other).await.unwrap(), None);
        assert_eq!(db.number("SELECT count(*) AS number FROM seasons").await, 1);
        assert_eq!(db.number("SELECT episode_count AS number FROM seasons").await, 1);
    }

    async fn a_concurrent_edit_of_a_part_is_not_lost_when_its_show_is_deleted(db: &TestDb) {
        let SeriesFixture { shows, episodes, show, id, .. } = SeriesFixture::of(db).await;
        let episode = add(&episodes, episode_of(id, 1)).await;
        let elsewhere = db.other_node().await;
        let editing = elsewhere.connection().begin().await.unwrap();
        let edit_it = "UPDATE episodes SET title = 'Corregido', version = version + 1";
        editing.execute_unprepared(edit_it).await.unwrap();
        let deleting = {
            let shows = SeaOrmContents::<TvShowsTable>::new(db.database.clone());
            tokio::spawn(async move { shows.delete(id, None, edit(after(1))).await })
        };
        db.until_a_lock_is_awaited().await;
        editing.commit().await.unwrap();
        assert_eq!(deleting.await.unwrap().unwrap(), Removed::Done);
        done(shows.restore(id, valid(show), edit(after(2))).await.unwrap());
        let back = episodes.find(episode).await.unwrap().unwrap();
        assert_eq!((back.content.title.as_str(), back.version), ("Corregido", 3));
    }

    async fn a_season_that_gets_an_episode_meanwhile_is_not_deleted(db: &TestDb) {
        let SeriesFixture { seasons, episodes, id, .. } = SeriesFixture::of(db).await;
        let season = add(&seasons, Season { tv_show_id: id, ..Season::sample() }).await;
        add(&episodes, Episode { season_number: 2, ..episode_of(id, 1) }).await;
        let elsewhere = db.other_node().await;
        let moving = elsewhere.connection().begin().await.unwrap();
        moving.execute_unprepared("UPDATE episodes SET season_number = 1").await.unwrap();
        let deleting = tokio::spawn(async move { seasons.delete(season, None, edit(after(1))).await });
        db.until_a_lock_is_awaited().await;
        moving.commit().await.unwrap();
        assert_eq!(deleting.await.unwrap().unwrap(), Removed::Conflict(vec![(Kind::Episodes.path(), 1)]));
    }

    async fn an_episode_whose_season_is_deleted_meanwhile_has_a_season(db: &TestDb) {
        let SeriesFixture { seasons, episodes, id, .. } = SeriesFixture::of(db).await;
        add(&seasons, Season { tv_show_id: id, season_number: 1, ..Season::sample() }).await;
        let elsewhere = db.other_node().await;
        let deleting = elsewhere.connection().begin().await.unwrap();
        let hold = if db.is_sqlite() { "UPDATE seasons SET active = active" } else { "SELECT id FROM seasons FOR UPDATE" };
        deleting.execute_unprepared(hold).await.unwrap();
        let adding = tokio::spawn(async move { add(&episodes, episode_of(id, 1)).await });
        db.until_a_lock_is_awaited().await;
        deleting.execute_unprepared("DELETE FROM seasons").await.unwrap();
        deleting.commit().await.unwrap();
        adding.await.unwrap();
        let counted = "SELECT count(*) AS number FROM seasons WHERE season_number = 1 AND episode_count = 1";
        assert_eq!(db.number(counted).await, 1);
    }

    async fn an_old_show_is_removed_together_with_its_parts(db: &TestDb) {
        let category = add_category(db, "Series", CategoryType::TvShow).await;
        let shows = SeaOrmContents::<TvShowsTable>::new(db.database.clone());
        let episodes = SeaOrmContents::<EpisodesTable>::new(db.database.clone());
        let mut show = TvShow::sample();
        show.category_id = category;
        let id = add(&shows, show).await;
        for number in 1..=3 {
            add(&episodes, episode_of(id, number)).await;
        }
        shows.delete(id, None, edit(after(1))).await.unwrap();
        // A batch of one row removes the show and no single episode of it.
        let retention = SeaOrmRetention(db.database.clone());
        assert_eq!(retention.remove(Aged::Trash, after(1), after(1), 1).await.unwrap(), 5);
        assert_eq!(db.number("SELECT count(*) AS number FROM trash").await, 0);
    }

    async fn shows_that_expire_together_are_removed_in_batches_of_their_rows(db: &TestDb) {
        let category = add_category(db, "Series", CategoryType::TvShow).await;
        let shows = SeaOrmContents::<TvShowsTable>::new(db.database.clone());
        let episodes = SeaOrmContents::<EpisodesTable>::new(db.database.clone());
        for minute in 1..=3 {
            let id = add(&shows, TvShow { category_id: category, ..TvShow::sample() }).await;
            for number in 1..=3 {
                add(&episodes, episode_of(id, number)).await;
            }
            shows.delete(id, None, edit(after(minute))).await.unwrap();
        }
        // Each is five rows: the show, a season and three episodes.
        let retention = SeaOrmRetention(db.database.clone());
        let remove = async || retention.remove(Aged::Trash, after(3), after(3), 6).await.unwrap();
        assert_eq!(remove().await, 10, "whole items, until there are six rows");
        assert_eq!(listed(db).await.len(), 1);
        let purged = "SELECT count(*) AS number FROM audit_entries WHERE action = 'PURGED'";
        assert_eq!(db.number(purged).await, 10);
        assert_eq!((remove().await, remove().await), (5, 0));
        assert_eq!(db.number(purged).await, 15);
    }

    async fn the_audit_log_has_the_last_values_of_items_removed_from_the_trash(db: &TestDb) {
        let category = add_category(db, "Cine", CategoryType::Movie).await;
        let movies = store::<Movie>(db);
        let film = add(&movies, Movie::numbered(1, category)).await;
        let kept = add(&movies, Movie::numbered(2, category)).await;
        let series = SeriesFixture::of(db).await;
        for number in 1..=60 {
            add(&series.episodes, episode_of(series.id, number)).await;
        }
        movies.delete(film, None, edit(after(1))).await.unwrap();
        series.shows.delete(series.id, None, edit(after(1))).await.unwrap();
        movies.delete(kept, None, edit(after(3))).await.unwrap();
        let retention = SeaOrmRetention(db.database.clone());
        let now = after(2) + TimeDelta::days(31);
        assert_eq!(retention.remove(Aged::Trash, after(2), now, 100).await.unwrap(), 63);
        let filter = AuditFilter { action: Some(AuditAction::Purged), ..AuditFilter::default() };
        let query = ListQuery { size: 100, ..ListQuery::default() };
        let entries = SeaOrmAudit(db.database.clone()).list(&filter, &query).await.unwrap().content;
        let of_kind = |kind: Kind| entries.iter().filter(|entry| entry.resource == kind.path()).collect::<Vec<_>>();
        assert_eq!([Kind::TvShows, Kind::Seasons, Kind::Episodes].map(|kind| of_kind(kind).len()), [1, 1, 60]);
        let [of_film] = of_kind(Kind::Movies)[..] else { panic!("{entries:?}") };
        let content = Movie::numbered(1, category);
        assert_eq!((of_film.item.as_str(), &of_film.title), (film.to_string().as_str(), &content.title));
        assert_eq!((of_film.version, of_film.actor.as_ref(), of_film.origin), (None, None, Origin::SERVER));
        assert_eq!(of_film.occurred_at, now, "when the job removed it");
        let values = &of_film.diff.before;
        assert_eq!((&values["title"], &values["categoryId"]), (&json!(content.title), &json!(category)));
        assert!(!values.contains_key("id") && !values.contains_key("views"), "{values:?}");
        assert!(of_film.diff.after.is_empty());
        // A second run finds nothing.
        assert_eq!(retention.remove(Aged::Trash, after(2), now, 100).await.unwrap(), 0);
        assert_eq!(listed(db).await, [(Kind::Movies, kept, 0)]);
    }

    async fn items_removed_from_the_trash_leave_no_rows(db: &TestDb) {
        assert_eq!(add_category(db, "Noticias", CategoryType::TvChannel).await, 1);
        let category = add_category(db, "Cine", CategoryType::Movie).await;
        let (movies, channels) = (store::<Movie>(db), links::channels(db));
        let film = add(&movies, Movie::numbered(1, category)).await;
        let channel = add(&channels, links::channel("Uno", "https://a.example/1.m3u8")).await;
        let station = add_sample::<RadioStationsTable>(db).await;
        let series = SeriesFixture::of(db).await;
        add(&series.episodes, episode_of(series.id, 1)).await;
        let probes = SeaOrmLinks(db.database.clone());
        assert_eq!(links::take_over(&probes, None, after(0)).await, 1);
        for sql in [
            format!("INSERT INTO channel_stream_lists (channel_id, failover, next_number) VALUES ({channel}, 'MANUAL', 2)"),
            format!(
                "INSERT INTO channel_streams (channel_id, number, position, url_type, url, headers, origin) \
                 VALUES ({channel}, 1, 1, 'EXTERNAL', 'https://b.example/1.m3u8', '[]', 'TYPED')"
            ),
            format!(
                "INSERT INTO channel_stream_versions (channel_id, replaced_by, position, failover, url_type, url, headers, replaced_at) \
                 VALUES ({channel}, 1, 1, 'MANUAL', 'EXTERNAL', 'https://c.example/1.m3u8', '[]', '2026-01-01T00:00:00Z')"
            ),
            format!("INSERT INTO link_switches (owner, item_id, version) VALUES ('tv-channels', {channel}, 1)"),
            format!(
                "INSERT INTO epg_matches (id, version, level, score, reasons, clear, candidates, seen_version, decision, matched_date) \
                 VALUES ({channel}, 1, 'REVIEW', 50, '', FALSE, '[]', 1, 'REFUSED', '2026-01-01T00:00:00Z')"
            ),
            "INSERT INTO link_changes (link_id, occurred_at, from_state, state, outcome) \
             SELECT id, since, 'UNKNOWN', 'UP', 'OK' FROM links".to_owned(),
            "INSERT INTO link_days (link_id, day, good, failed) SELECT id, '2026-01-01', 1, 0 FROM links".to_owned(),
        ] {
            db.run(&sql).await;
        }
        let tables = [
            "movies", "tv_channels", "radio_stations", "tv_shows", "seasons", "episodes", "trash", "item_addresses",
            "tv_channel_categories", "channel_stream_lists", "channel_streams", "channel_stream_versions", "links",
            "link_changes", "link_days", "link_switches", "epg_matches",
        ];
        let rows = async || {
            let mut all = Vec::new();
            for table in tables {
                all.push((table, db.number(&format!("SELECT count(*) AS number FROM {table}")).await));
            }
            all
        };
        let before = rows().await;
        let empty: Vec<&str> = before.iter().filter(|(_, number)| *number == 0).map(|(table, _)| *table).collect();
        assert_eq!(empty, ["trash"], "each table has a row to lose");

        // What jobs do every hour, and after each comparison of channels with guides.
        let matches = SeaOrmMatches(db.database.clone());
        let sweep = async |minute: i64| {
            probes.remove_orphans(links::CHANNELS, 100).await.unwrap();
            SeaOrmLinkSwitches(db.database.clone()).forget_changed().await.unwrap();
            matches.request(&edit(after(minute))).await.unwrap();
            let claim = matches.claim().await.unwrap().unwrap();
            let counts = MatchingCounts::default();
            assert!(matches.end_comparison(&claim, counts, after(minute)).await.unwrap());
            matches.end(&claim).await.unwrap();
        };
        movies.delete(film, None, edit(after(1))).await.unwrap();
        channels.delete(channel, None, edit(after(1))).await.unwrap();
        let stations = SeaOrmContents::<RadioStationsTable>::new(db.database.clone());
        stations.delete(station, None, edit(after(1))).await.unwrap();
        series.shows.delete(series.id, None, edit(after(1))).await.unwrap();
        sweep(2).await;
        for table in ["channel_streams", "link_switches", "epg_matches"] {
            let number = db.number(&format!("SELECT count(*) AS number FROM {table}")).await;
            assert_eq!(number, 1, "{table}: the channel may come back");
        }
        let retention = SeaOrmRetention(db.database.clone());
        assert_eq!(retention.remove(Aged::Trash, after(3), after(3), 100).await.unwrap(), 6);
        sweep(4).await;
        assert_eq!(rows().await, tables.map(|table| (table, 0)));
    }

    async fn the_addresses_of_a_dropped_kind_are_removed(db: &TestDb) {
        let category = add_category(db, "Cine", CategoryType::Movie).await;
        add(&store::<Movie>(db), Movie::numbered(1, category)).await;
        let music = add_category(db, "Conciertos", CategoryType::Music).await;
        let concert = Concert { category_id: music, ..Concert::sample() };
        add(&SeaOrmContents::<TableOf<Concert>>::new(db.database.clone()), concert).await;
        let of = async |kind: &str| {
            db.number(&format!("SELECT count(*) AS number FROM item_addresses WHERE kind = '{kind}'")).await
        };
        let films = of("movies").await;
        assert!(films > 0 && of("concerts").await > 0);
        let kind = migrations::content::Content { table: "concerts", sorts: &[], facets: &[] };
        migrations::drop_kind(db.database.connection(), &kind).await.unwrap();
        assert_eq!((of("concerts").await, of("movies").await), (0, films));
    }

    async fn a_natural_key_that_is_in_use_keeps_an_item_in_the_trash(db: &TestDb) {
        let SeriesFixture { episodes, id: show, .. } = SeriesFixture::of(db).await;
        let id = add(&episodes, episode_of(show, 1)).await;
        episodes.delete(id, None, edit(after(1))).await.unwrap();
        let other = add(&episodes, episode_of(show, 1)).await;
        let outcome = episodes.restore(id, valid(episode_of(show, 1)), edit(after(2))).await.unwrap();
        let Written::Conflict(found) = outcome else { panic!("{outcome:?}") };
        assert_eq!(found.id, other);
        assert_eq!(listed(db).await, [(Kind::Episodes, id, 0)]);
        // Another number is free.
        done(episodes.restore(id, valid(episode_of(show, 2)), edit(after(3))).await.unwrap());
        assert_eq!(listed(db).await, []);
    }

    async fn of_two_concurrent_restorations_and_of_two_deletions_one_succeeds(db: &TestDb) {
        let category = add_category(db, "Una", CategoryType::Movie).await;
        let movies = store::<Movie>(db);
        let movie = Movie::numbered(1, category);
        let id = add(&movies, movie.clone()).await;
        for round in 0..10 {
            let removed = futures_util::future::join_all((0..4).map(|_| movies.delete(id, None, edit(after(round))))).await;
            let count = removed.into_iter().filter(|outcome| matches!(outcome, Ok(Removed::Done))).count();
            assert_eq!(count, 1);
            let restored = futures_util::future::join_all((0..4).map(|_| movies.restore(id, valid(movie.clone()), edit(after(round))))).await;
            let count = restored.into_iter().filter(|outcome| matches!(outcome, Ok(Written::Done(_)))).count();
            assert_eq!(count, 1);
        }
        assert_eq!(movies.find(id).await.unwrap().unwrap().version, 11);
    }

    async fn the_trash_is_ordered_from_the_first_letter_or_digit_of_titles_on_also_those_from_before(db: &TestDb) {
        let category = add_category(db, "Una", CategoryType::Movie).await;
        let movies = store::<Movie>(db);
        let ordered = ["100%", "a z", "ab", "(Ábaco)", "El niño", "Ñandú", "¿Y dónde está?", "zeta", "東京物語"];
        for (number, name) in ordered.into_iter().rev().enumerate() {
            let id = add(&movies, Movie::numbered(number, category).named(name)).await;
            movies.delete(id, None, edit(after(1))).await.unwrap();
        }
        let trash = SeaOrmTrash(db.database.clone());
        let titles = async |descending: bool| {
            let sort = vec![Sort { field: "title".into(), descending }];
            let query = ListQuery { size: 100, sort, ..ListQuery::default() };
            let found = trash.list(&of(&[Kind::Movies]), &query).await.unwrap().content;
            found.into_iter().map(|entry| entry.title).collect::<Vec<_>>()
        };
        let mut reversed = ordered;
        reversed.reverse();
        assert_eq!(titles(false).await, ordered);
        assert_eq!(titles(true).await, reversed);
        db.run("ALTER TABLE trash DROP COLUMN title_key").await;
        db.run("DELETE FROM seaql_migrations WHERE version LIKE '%_000110_%'").await;
        db.database.migrate(migrations::migrate).await.unwrap();
        assert_eq!(titles(false).await, ordered);
    }

    async fn the_trash_is_searched_by_kind_and_title_and_emptied_by_age(db: &TestDb) {
        let category = add_category(db, "Una", CategoryType::Movie).await;
        let movies = store::<Movie>(db);
        for (number, name) in ["Corazón salvaje", "El niño", "Otra"].into_iter().enumerate() {
            let id = add(&movies, Movie::numbered(number, category).named(name)).await;
            movies.delete(id, None, edit(after(i64::try_from(number).unwrap()))).await.unwrap();
        }
        let trash = SeaOrmTrash(db.database.clone());
        let query = ListQuery { search: Some("CORAZON".into()), ..ListQuery::default() };
        let found = trash.list(&of(&[Kind::Movies]), &query).await.unwrap().content;
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].title.as_str(), found[0].deleted_by.as_deref()), ("Corazón salvaje", Some("rosa_1")));
        for none in [&[Kind::Categories][..], &[]] {
            assert_eq!(trash.list(&of(none), &ListQuery::default()).await.unwrap().content, []);
        }
        let newest = trash.list(&of(Kind::ALL), &ListQuery::default()).await.unwrap().content;
        assert_eq!(newest[0].title, "Otra");
        let of_range = |bounds: &[(&str, i64)]| {
            let bound = |(field, minute): &(&str, i64)| Filter {
                field: (*field).into(),
                value: FilterValue::Moment(after(*minute)),
            };
            ListQuery { filters: bounds.iter().map(bound).collect(), ..ListQuery::default() }
        };
        for (bounds, titles) in [
            (&[("deletedDateFrom", 1)][..], &["Otra", "El niño"][..]),
            (&[("deletedDateTo", 1)][..], &["Corazón salvaje"][..]),
            (&[("deletedDateFrom", 1), ("deletedDateTo", 2)][..], &["El niño"][..]),
            (&[("deletedDateFrom", 3)][..], &[][..]),
        ] {
            let page = trash.list(&of(Kind::ALL), &of_range(bounds)).await.unwrap();
            let found: Vec<&str> = page.content.iter().map(|entry| entry.title.as_str()).collect();
            assert_eq!((found.as_slice(), page.total_elements), (titles, titles.len() as u64), "{bounds:?}");
            assert_eq!(movies.matching_trashed(&of_range(bounds), 10).await.unwrap().len(), titles.len());
        }
        let retention = SeaOrmRetention(db.database.clone());
        assert_eq!(retention.remove(Aged::Trash, after(1), after(1), 500).await.unwrap(), 2);
        assert_eq!(listed(db).await.len(), 1);
        let entries = db.number("SELECT count(*) AS number FROM audit_entries").await;
        assert_eq!(retention.remove(Aged::AuditEntries, start(), start(), 2).await.unwrap(), 2, "in batches");
        assert_eq!(db.number("SELECT count(*) AS number FROM audit_entries").await, entries - 2);
    }
}
