//! The trash: deleted items are not counted, and are restored unchanged. Those of shows with their
//! parts: trashed_shows.rs.

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
use serde_json::json;

use crate::{
    kinds::{KindFixture, add, add_category, add_sample, done, store},
    links,
    support::{TestDb, after, edit, for_categories_and_movies, on_both, start, valid},
};

fn of(kinds: &[Kind]) -> TrashFilter {
    TrashFilter { kinds: kinds.to_vec() }
}

pub(crate) async fn listed(db: &TestDb) -> Vec<(Kind, Id, u64)> {
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

pub(crate) fn episode_of(show: Id, number: i32) -> Episode {
    Episode { tv_show_id: show, season_number: 1, episode_number: number, imdb_id: None, ..Episode::sample() }
}

/// A show without seasons and episodes, and the stores of it and of its parts.
pub(crate) struct SeriesFixture {
    pub(crate) shows: SeaOrmContents<TvShowsTable>,
    pub(crate) seasons: SeaOrmContents<TableOf<Season>>,
    pub(crate) episodes: SeaOrmContents<EpisodesTable>,
    pub(crate) show: TvShow,
    pub(crate) id: Id,
}

impl SeriesFixture {
    pub(crate) async fn of(db: &TestDb) -> Self {
        let category_id = add_category(db, "Series", CategoryType::TvShow).await;
        let shows = SeaOrmContents::<TvShowsTable>::new(db.database.clone());
        let show = TvShow { category_id, ..TvShow::sample() };
        let id = add(&shows, show.clone()).await;
        let seasons = SeaOrmContents::new(db.database.clone());
        let episodes = SeaOrmContents::new(db.database.clone());
        Self { shows, seasons, episodes, show, id }
    }
}

on_both! {
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
