//! Likely duplicates are found along indexes.

use adapter_seaorm::{
    SeaOrmDuplicates,
    catalogue::{
        ContentTable, EpisodesTable, MoviesTable, RadioStationsTable, SeaOrmContents, TvChannelsTable,
        TvGuidesTable, TvShowsTable,
    },
};
use domain_catalogue::{
    CategoryType, Content, DuplicateReason, Episode, Kind, Movie, StreamUrl, duplicate_reasons,
};
use domain_kernel::{Filter, FilterValue, Id, ListQuery};
use ports::{ContentRepository, DuplicateIds, DuplicateRepository, GroupedItems, Removed};
use sea_orm::{ConnectionTrait, Statement, TransactionTrait};

use crate::{
    kinds::{KindFixture, add, add_category, add_sample, done, store},
    support::{TestDb, after, edit, on_both, valid},
};

pub type Movies = SeaOrmContents<<Movie as KindFixture>::Table>;

/// A film with these URLs; its other fields depend on the number.
pub fn film(number: usize, category: Id, urls: &[&str]) -> Movie {
    let mut film = Movie::numbered(number, category);
    let link = film.links[0].clone();
    let of = |(index, url): (usize, &&str)| {
        let (id, url) = (Some(format!("{number}-{index}")), StreamUrl((*url).into()));
        domain_catalogue::Link { id, url, ..link.clone() }
    };
    film.links = urls.iter().enumerate().map(of).collect();
    film.imdb_id = None;
    film
}

async fn groups(db: &TestDb, reason: DuplicateReason, query: &ListQuery) -> (Vec<Vec<Id>>, u64) {
    let store = SeaOrmDuplicates(db.database.clone());
    let page = store.groups(Kind::Movies, reason, query, 20).await.unwrap();
    assert_eq!(store.count(Kind::Movies, reason).await.unwrap(), page.total_elements);
    (page.content.into_iter().map(|group| group.ids).collect(), page.total_elements)
}

/// The items of which the filter of duplicates is true, and those of which it is false.
async fn duplicated<T: ContentTable>(db: &TestDb, field: &str) -> (Vec<Id>, Vec<Id>) {
    let store = SeaOrmContents::<T>::new(db.database.clone());
    let listed = async |flag: bool| {
        let filters = vec![Filter { field: field.into(), value: FilterValue::Flag(flag) }];
        let page = store.list(&ListQuery { filters, ..ListQuery::default() }).await.unwrap();
        let rows: Vec<serde_json::Value> = serde_json::from_str(page.content.0.get()).unwrap();
        assert_eq!(rows.len() as u64, page.total_elements);
        let mut ids: Vec<Id> = rows.iter().map(|row| row["id"].as_i64().unwrap()).collect();
        ids.sort_unstable();
        ids
    };
    (listed(true).await, listed(false).await)
}

pub async fn movies(db: &TestDb) -> (Movies, Id) {
    let category = add_category(db, "Una", CategoryType::Movie).await;
    (store::<Movie>(db), category)
}

/// Whatever it knows about the tables: here nothing.
#[tokio::test]
async fn postgres_finds_items_without_duplicates_by_a_hash_table() {
    let Some(db) = TestDb::postgres().await else { return };
    let store = SeaOrmContents::<MoviesTable>::new(db.database.clone());
    let filters = vec![Filter { field: "duplicated".into(), value: FilterValue::Flag(false) }];
    let query = ListQuery { filters, ..ListQuery::default() };
    for total in [100, 1_000_000] {
        for statement in store.statements(&query, total) {
            let steps = statements(&db, &statement).await;
            assert!(steps.contains("hashed SubPlan"), "{}\n{steps}", statement.sql);
        }
    }
    db.remove().await;
}

async fn statements(db: &TestDb, statement: &Statement) -> String {
    let (explain, column) =
        if db.is_sqlite() { ("EXPLAIN QUERY PLAN", "detail") } else { ("EXPLAIN", "QUERY PLAN") };
    let values = statement.values.clone().map(|values| values.0).unwrap_or_default();
    let requested =
        Statement::from_sql_and_values(db.database.backend(), format!("{explain} {}", statement.sql), values);
    let transaction = db.database.connection().begin().await.unwrap();
    if !db.is_sqlite() {
        // A few rows are fastest to scan and sort; a million are not.
        for way in ["seqscan", "bitmapscan", "sort", "hashagg"] {
            transaction.execute_unprepared(&format!("SET LOCAL enable_{way} = off")).await.unwrap();
        }
    }
    let rows = transaction.query_all_raw(requested).await.unwrap();
    let lines: Vec<String> = rows.iter().map(|row| row.try_get("", column).unwrap()).collect();
    lines.join("\n")
}

on_both! {
    async fn items_with_a_common_id_title_and_year_or_url_are_a_group(db: &TestDb) {
        let (movies, category) = movies(db).await;
        let mut ids = Vec::new();
        for (number, (title, imdb, urls)) in [
            ("El niño", Some("tt0000001"), ["https://a.example/1", "https://a.example/2"]),
            ("EL NINO", Some("tt0000002"), ["https://a.example/3", "https://a.example/1"]),
            ("Otra", Some("tt0000001"), ["https://a.example/4", "https://a.example/5"]),
            ("Una más", None, ["https://a.example/4", "https://a.example/6"]),
            ("Y otra", None, ["https://a.example/4", "https://a.example/7"]),
        ].into_iter().enumerate() {
            let mut film = film(number, category, &urls).named(title);
            film.imdb_id = imdb.map(str::to_owned);
            ids.push(add(&movies, film).await);
        }
        let all = ListQuery::default();
        assert_eq!(groups(db, DuplicateReason::ImdbId, &all).await, (vec![vec![ids[0], ids[2]]], 1));
        assert_eq!(groups(db, DuplicateReason::TitleAndYear, &all).await, (vec![vec![ids[0], ids[1]]], 1));
        // The URLs of all links are compared: the second link of one film is the first of another.
        let (mut found, total) = groups(db, DuplicateReason::Address, &all).await;
        found.sort_unstable();
        assert_eq!((found, total), (vec![vec![ids[0], ids[1]], vec![ids[2], ids[3], ids[4]]], 2));
        let few = SeaOrmDuplicates(db.database.clone());
        let page = few.groups(Kind::Movies, DuplicateReason::Address, &all, 2).await.unwrap();
        let value = Some("https://a.example/4".to_owned());
        let expected = DuplicateIds { value, year: None, ids: vec![ids[2], ids[3]], total: 3 };
        assert!(page.content.contains(&expected), "{:?}", page.content);
        let same_id = few.groups(Kind::Movies, DuplicateReason::ImdbId, &all, 2).await.unwrap().content;
        assert_eq!((same_id[0].value.as_deref(), same_id[0].year), (Some("tt0000001"), None));
        let same_title = few.groups(Kind::Movies, DuplicateReason::TitleAndYear, &all, 2).await.unwrap().content;
        let year = movies.find(ids[0]).await.unwrap().unwrap().content.year;
        assert_eq!((same_title[0].value.as_deref(), same_title[0].year), (Some("el nino"), Some(year)));
        let other = few.groups(Kind::Concerts, DuplicateReason::Address, &all, 2).await.unwrap();
        assert_eq!((other.content, other.total_elements), (vec![], 0));
    }

    async fn channels_and_stations_with_a_common_stream_and_shows_with_a_common_id_are_groups(db: &TestDb) {
        let duplicates = SeaOrmDuplicates(db.database.clone());
        let values = async |kind: Kind| {
            let page = duplicates.groups(kind, DuplicateReason::Address, &ListQuery::default(), 20).await.unwrap();
            let mut values: Vec<Option<String>> = page.content.into_iter().map(|group| group.value).collect();
            values.sort_unstable();
            values
        };
        let url = |address: &str| Some(address.to_owned());
        let found = async |kind: Kind, reason: DuplicateReason| {
            let page = duplicates.groups(kind, reason, &ListQuery::default(), 20).await.unwrap();
            let mut groups: Vec<Vec<Id>> = page.content.into_iter().map(|group| group.ids).collect();
            groups.sort_unstable();
            groups
        };
        assert_eq!(add_category(db, "Una", CategoryType::TvChannel).await, 1);
        assert_eq!(add_sample::<TvGuidesTable>(db).await, 1);
        let mut ids = Vec::new();
        for number in 0..3 {
            let id = add_sample::<TvChannelsTable>(db).await;
            db.run(&format!("UPDATE tv_channels SET url = 'https://a.example/{number}' WHERE id = {id}")).await;
            ids.push(id);
        }
        assert_eq!(found(Kind::TvChannels, DuplicateReason::Address).await, Vec::<Vec<Id>>::new());
        // The second has the first one's URL as a further stream, and one of its own streams twice.
        let (first, second, third) = (ids[0], ids[1], ids[2]);
        db.run(&format!("INSERT INTO channel_stream_lists (channel_id, failover, next_number) VALUES ({second}, 'MANUAL', 4)")).await;
        for (number, url) in ["https://a.example/1", "https://a.example/0", "https://b.example/1", "https://b.example/1"].iter().enumerate() {
            db.run(&format!(
                "INSERT INTO channel_streams (channel_id, number, position, url_type, url, headers, origin) \
                 VALUES ({second}, {number}, {number}, 'EXTERNAL', '{url}', '[]', 'TYPED')"
            )).await;
        }
        assert_eq!(found(Kind::TvChannels, DuplicateReason::Address).await, [[first, second]]);
        db.run(&format!("UPDATE channel_streams SET url = 'https://a.example/2' WHERE channel_id = {second} AND number = 1")).await;
        assert_eq!(found(Kind::TvChannels, DuplicateReason::Address).await, [[second, third]]);
        db.run(&format!("UPDATE tv_channels SET url = 'https://b.example/1' WHERE id = {first}")).await;
        db.run(&format!("DELETE FROM channel_streams WHERE channel_id = {second} AND number = 2")).await;
        // Another stream of the second still has it.
        assert_eq!(found(Kind::TvChannels, DuplicateReason::Address).await, [[first, second], [second, third]]);
        assert_eq!(values(Kind::TvChannels).await, [url("https://a.example/2"), url("https://b.example/1")]);
        // Items in the trash are not compared; their streams stay, and are restored with them.
        let channels = SeaOrmContents::<TvChannelsTable>::new(db.database.clone());
        assert_eq!(channels.delete(second, None, edit(after(1))).await.unwrap(), Removed::Done);
        assert_eq!(found(Kind::TvChannels, DuplicateReason::Address).await, Vec::<Vec<Id>>::new());
        let trashed = channels.trashed(second).await.unwrap().unwrap();
        done(channels.restore(second, valid(trashed.content), edit(after(2))).await.unwrap());
        assert_eq!(found(Kind::TvChannels, DuplicateReason::Address).await, [[first, second], [second, third]]);

        let mut ids = Vec::new();
        for number in 0..3 {
            let id = add_sample::<RadioStationsTable>(db).await;
            let url = format!("https://radio.example/{}", number / 2);
            db.run(&format!("UPDATE radio_stations SET stream_url = '{url}' WHERE id = {id}")).await;
            ids.push(id);
        }
        assert_eq!(found(Kind::RadioStations, DuplicateReason::Address).await, [[ids[0], ids[1]]]);
        db.run(&format!("UPDATE radio_stations SET stream_url = 'https://radio.example/1' WHERE id = {}", ids[1])).await;
        assert_eq!(found(Kind::RadioStations, DuplicateReason::Address).await, [[ids[1], ids[2]]]);
        assert_eq!(values(Kind::RadioStations).await, [url("https://radio.example/1")]);

        let shows = [add_sample::<TvShowsTable>(db).await, add_sample::<TvShowsTable>(db).await];
        db.run("UPDATE tv_shows SET imdb_id = 'tt0000001'").await;
        assert_eq!(found(Kind::TvShows, DuplicateReason::ImdbId).await, [shows]);
        assert_eq!(found(Kind::TvShows, DuplicateReason::TitleAndYear).await, [shows]);
    }

    async fn lists_are_filtered_by_whether_items_are_in_a_group(db: &TestDb) {
        let (movies, category) = movies(db).await;
        let mut ids = Vec::new();
        for (number, (title, imdb, urls)) in [
            ("El niño", None, ["https://a.example/1", "https://a.example/2"]),
            ("EL NINO", None, ["https://a.example/3", "https://a.example/4"]),
            ("Otra", Some("tt0000001"), ["https://a.example/5", "https://a.example/6"]),
            ("Una más", Some("tt0000001"), ["https://a.example/7", "https://a.example/8"]),
            ("Una sola", Some("tt0000002"), ["https://a.example/9", "https://a.example/9"]),
            ("Y otra", None, ["https://a.example/10", "https://a.example/11"]),
            ("La última", None, ["https://a.example/12", "https://a.example/10"]),
        ].into_iter().enumerate() {
            let mut film = film(number, category, &urls).named(title);
            film.imdb_id = imdb.map(str::to_owned);
            ids.push(add(&movies, film).await);
        }
        let expected = (vec![ids[0], ids[1], ids[2], ids[3], ids[5], ids[6]], vec![ids[4]]);
        assert_eq!(duplicated::<MoviesTable>(db, "duplicated").await, expected);

        assert_eq!(add_sample::<TvGuidesTable>(db).await, 1);
        let (mut stations, mut channels) = (Vec::new(), Vec::new());
        for number in 0..3 {
            let (station, channel) = (add_sample::<RadioStationsTable>(db).await, add_sample::<TvChannelsTable>(db).await);
            db.run(&format!("UPDATE radio_stations SET stream_url = 'https://r.example/{}' WHERE id = {station}", number / 2)).await;
            db.run(&format!("UPDATE tv_channels SET url = 'https://c.example/{}' WHERE id = {channel}", number / 2)).await;
            stations.push(station);
            channels.push(channel);
        }
        let third = stations.pop().unwrap();
        assert_eq!(duplicated::<RadioStationsTable>(db, "duplicated").await, (stations, vec![third]));
        // Of channels `duplicated` is about their numbers, which are equal here.
        let all = channels.clone();
        let third = channels.pop().unwrap();
        assert_eq!(duplicated::<TvChannelsTable>(db, "sameAddress").await, (channels, vec![third]));
        assert_eq!(duplicated::<TvChannelsTable>(db, "duplicated").await, (all, vec![]));
        let show = add_sample::<TvShowsTable>(db).await;
        assert_eq!(duplicated::<TvShowsTable>(db, "duplicated").await, (vec![], vec![show]));
    }

    async fn episodes_are_compared_by_their_ids_and_urls_of_any_show(db: &TestDb) {
        assert_eq!(add_category(db, "Series", CategoryType::TvShow).await, 1);
        let shows = [add_sample::<TvShowsTable>(db).await, add_sample::<TvShowsTable>(db).await];
        let episodes = SeaOrmContents::<EpisodesTable>::new(db.database.clone());
        let mut ids = Vec::new();
        for (number, (show, imdb, url)) in [
            (shows[0], Some("tt0000001"), "https://a.example/1"),
            (shows[1], Some("tt0000001"), "https://a.example/2"),
            (shows[0], None, "https://a.example/3"),
            (shows[0], None, "https://a.example/2"),
        ].into_iter().enumerate() {
            let number = i32::try_from(number).unwrap() + 1;
            let mut episode = Episode { tv_show_id: show, episode_number: number, ..Episode::sample() };
            episode.imdb_id = imdb.map(str::to_owned);
            episode.links.truncate(1);
            episode.links[0].url = StreamUrl(url.into());
            ids.push(add(&episodes, episode).await);
        }
        let duplicates = SeaOrmDuplicates(db.database.clone());
        let found = async |reason: DuplicateReason| {
            let page = duplicates.groups(Kind::Episodes, reason, &ListQuery::default(), 20).await.unwrap();
            page.content.into_iter().map(|group| group.ids).collect::<Vec<_>>()
        };
        assert_eq!(found(DuplicateReason::ImdbId).await, [[ids[0], ids[1]]]);
        assert_eq!(found(DuplicateReason::Address).await, [[ids[1], ids[3]]]);
        let page = duplicates.groups(Kind::Episodes, DuplicateReason::Address, &ListQuery::default(), 20).await.unwrap();
        assert_eq!(page.content[0].value.as_deref(), Some("https://a.example/2"));
        let expected = (vec![ids[0], ids[1], ids[3]], vec![ids[2]]);
        assert_eq!(duplicated::<EpisodesTable>(db, "duplicated").await, expected);
        db.run(&format!("DELETE FROM episodes WHERE id = {}", ids[1])).await;
        assert_eq!(duplicated::<EpisodesTable>(db, "duplicated").await.0, Vec::<Id>::new());
    }

    async fn a_former_url_is_not_compared(db: &TestDb) {
        let (movies, category) = movies(db).await;
        let first = add(&movies, film(1, category, &["https://a.example/1", "https://a.example/2"])).await;
        let second = add(&movies, film(2, category, &["https://a.example/2", "https://a.example/3"])).await;
        let all = ListQuery::default();
        assert_eq!(groups(db, DuplicateReason::Address, &all).await, (vec![vec![first, second]], 1));
        let fewer = film(2, category, &["https://a.example/3"]);
        done(movies.replace(second, valid(fewer), None, edit(after(1))).await.unwrap());
        assert_eq!(groups(db, DuplicateReason::Address, &all).await, (vec![], 0));
        // Items with several common URLs are one group.
        let again = film(2, category, &["https://a.example/2", "https://a.example/1"]);
        done(movies.replace(second, valid(again), None, edit(after(2))).await.unwrap());
        assert_eq!(groups(db, DuplicateReason::Address, &all).await, (vec![vec![first, second]], 1));
    }

    async fn of_four_items_and_more_the_items_decide_whether_two_addresses_are_one_group(db: &TestDb) {
        let (movies, category) = movies(db).await;
        let (a, b, c) = ("https://a.example/a", "https://a.example/b", "https://a.example/c");
        let mut ids = Vec::new();
        // The ids that share `a` and those that share `b` have the same lowest, highest, sum and number.
        for (number, urls) in [&[a, b, c][..], &[a, c], &[b], &[b], &[a, c], &[a, b, c]].into_iter().enumerate() {
            ids.push(add(&movies, film(number, category, urls)).await);
        }
        let of = |places: [usize; 4]| places.map(|place| ids[place]).to_vec();
        let (mut found, total) = groups(db, DuplicateReason::Address, &ListQuery::default()).await;
        found.sort_unstable();
        // Those that share `c` are those that share `a`.
        assert_eq!((found, total), (vec![of([0, 1, 4, 5]), of([0, 2, 3, 5])], 2));
    }

    async fn ids_stored_without_leading_zeros_get_them(db: &TestDb) {
        let (movies, category) = movies(db).await;
        let stored = [
            ("tt420238", "tt0420238"), ("tt1", "tt0000001"), ("tt0420238", "tt0420238"), ("tt00420238", "tt0420238"),
            ("tt10872600", "tt10872600"), ("tt1234567890", "tt1234567890"),
        ];
        let mut ids = Vec::new();
        for (number, (before, _)) in stored.into_iter().enumerate() {
            let film = Movie { imdb_id: Some(before.into()), ..film(number, category, &["https://a.example/1"]) };
            ids.push(add(&movies, film).await);
        }
        ids.push(add(&movies, film(9, category, &["https://a.example/1"])).await);
        db.run("DELETE FROM seaql_migrations WHERE version LIKE '%_000104_%'").await;
        db.database.migrate(migrations::migrate).await.unwrap();
        let expected = stored.into_iter().map(|(_, after)| Some(after.to_owned())).chain([None]);
        for (id, expected) in ids.into_iter().zip(expected) {
            let film = movies.find(id).await.unwrap().unwrap();
            assert_eq!((film.content.imdb_id, film.version), (expected, 1));
        }
    }

    async fn each_group_is_on_one_page(db: &TestDb) {
        let (movies, category) = movies(db).await;
        let mut pairs = Vec::new();
        for number in 0..7 {
            let name = format!("Película {number}");
            let mut pair = Vec::new();
            for copy in 0..2 {
                let url = format!("https://a.example/{number}/{copy}");
                pair.push(add(&movies, film(0, category, &[&url]).named(&name)).await);
            }
            pairs.push(pair);
        }
        let mut found = Vec::new();
        for page in 0..4 {
            let query = ListQuery { page, size: 2, ..ListQuery::default() };
            let (groups, total) = groups(db, DuplicateReason::TitleAndYear, &query).await;
            assert_eq!(total, 7);
            found.extend(groups);
        }
        assert_eq!(found, pairs);
        let query = ListQuery { page: 4, size: 2, ..ListQuery::default() };
        assert_eq!(groups(db, DuplicateReason::TitleAndYear, &query).await, (vec![], 7));
    }

    async fn a_file_has_all_items_of_all_groups(db: &TestDb) {
        let (movies, category) = movies(db).await;
        let mut ids = Vec::new();
        for (number, (title, urls)) in [
            ("Una", ["https://a.example/1", "https://a.example/2"]),
            ("Otra", ["https://a.example/3", "https://a.example/2"]),
            ("UNA", ["https://a.example/1", "https://a.example/4"]),
            ("otra", ["https://a.example/5", "https://a.example/6"]),
            ("Otrá", ["https://a.example/7", "https://a.example/8"]),
        ].into_iter().enumerate() {
            let film = Movie { year: 1927, ..film(number, category, &urls).named(title) };
            ids.push(add(&movies, film).await);
        }
        let store = SeaOrmDuplicates(db.database.clone());
        let grouped = async |reason: DuplicateReason, most: u64| store.grouped(Kind::Movies, reason, most).await.unwrap();
        let titles = grouped(DuplicateReason::TitleAndYear, 100).await;
        let expected = [(1, ids[1]), (1, ids[3]), (1, ids[4]), (2, ids[0]), (2, ids[2])];
        assert_eq!((titles.items, titles.compared), (expected.to_vec(), vec![]));
        assert_eq!(grouped(DuplicateReason::TitleAndYear, 4).await.items, expected[..4]);
        assert_eq!(grouped(DuplicateReason::ImdbId, 100).await, GroupedItems::default());

        let addresses = grouped(DuplicateReason::Address, 100).await;
        let first = |group: u32| addresses.items.iter().find(|(of, _)| *of == group).unwrap().1;
        let compared: Vec<(Id, &str)> =
            (1_u32..).zip(&addresses.compared).map(|(group, compared)| (first(group), compared.as_str())).collect();
        let mut found = Vec::new();
        for (group, url) in (1_u32..).zip(store.addresses(Kind::Movies, &compared).await.unwrap()) {
            let of_group = addresses.items.iter().filter(|(of, _)| *of == group).map(|(_, id)| *id);
            found.push((url.unwrap(), of_group.collect::<Vec<Id>>()));
        }
        found.sort_unstable();
        let url = |number: usize| format!("https://a.example/{number}");
        assert_eq!(found, [(url(1), vec![ids[0], ids[2]]), (url(2), vec![ids[0], ids[1]])]);
    }

    async fn groups_are_found_along_an_index_of_every_kind_that_is_compared(db: &TestDb) {
        let store = SeaOrmDuplicates(db.database.clone());
        let query = ListQuery { size: 20, page: 3, ..ListQuery::default() };
        for kind in Kind::ALL {
            for reason in duplicate_reasons(*kind) {
                for statement in store.statements(*kind, *reason, &query) {
                    let plan = statements(db, &statement).await;
                    let sign = match (db.is_sqlite(), reason) {
                        (false, _) => "Index Only Scan",
                        (true, DuplicateReason::Address) => "SEARCH m USING PRIMARY KEY (kind=?)",
                        (true, _) => " m USING COVERING INDEX",
                    };
                    assert!(plan.contains(sign), "{}\n{plan}", statement.sql);
                    let grouped = plan.split("k USING").next().unwrap_or(&plan);
                    // The few groups of URLs that were found along the index are compared once
                    // more.
                    let further = usize::from(db.is_sqlite() && *reason == DuplicateReason::Address);
                    assert_eq!(grouped.matches("FOR GROUP BY").count(), further, "{}\n{plan}", statement.sql);
                    assert!(!plan.contains("Seq Scan") && !plan.contains("\nSCAN m\n"), "{}\n{plan}", statement.sql);
                }
            }
        }
    }
}
