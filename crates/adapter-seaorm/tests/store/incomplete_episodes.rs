//! Lists of seasons and episodes by missing parts, across shows, with the title of the show.

use adapter_seaorm::catalogue::{ContentTable, EpisodesTable, SeaOrmContents, TableOf, TvShowsTable};
use domain_catalogue::{CategoryType, Content, Episode, Season, TvShow};
use domain_kernel::{Filter, FilterValue, Id, ListQuery};
use ports::ContentRepository;
use serde_json::Value;

use crate::{
    contents::by,
    indexes::plan,
    kinds::{add, add_category},
    support::{TestDb, on_both},
};

type SeasonsTable = TableOf<Season>;

fn store<T: ContentTable>(db: &TestDb) -> SeaOrmContents<T> {
    SeaOrmContents::new(db.database.clone())
}

fn filter(field: &str, value: FilterValue) -> Filter {
    Filter { field: field.into(), value }
}

fn missing(part: &'static str) -> Vec<Filter> {
    vec![filter("missing", FilterValue::Code(part))]
}

async fn rows<T: ContentTable>(db: &TestDb, filters: Vec<Filter>) -> Vec<Value> {
    let page = store::<T>(db).list(&ListQuery { filters, ..ListQuery::default() }).await.unwrap();
    let rows: Vec<Value> = serde_json::from_str(page.content.0.get()).unwrap();
    assert_eq!(page.total_elements, rows.len() as u64);
    rows
}

async fn found<T: ContentTable>(db: &TestDb, filters: Vec<Filter>) -> Vec<Id> {
    let mut ids: Vec<Id> =
        rows::<T>(db, filters).await.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    ids
}

async fn show(db: &TestDb, title: &str, category_id: Id) -> Id {
    let show = TvShow { title: title.into(), category_id, ..TvShow::sample() };
    add(&store::<TvShowsTable>(db), show).await
}

/// Missing parts are found along their index; no table is scanned.
async fn assert_indexed<T: ContentTable>(db: &TestDb, part: &'static str) {
    let query = ListQuery { filters: missing(part), sort: by("title", false), ..ListQuery::default() };
    let table = T::Content::KIND.path();
    let mut plans = Vec::new();
    for statement in store::<T>(db).statements(&query, 3_000) {
        plans.extend(plan(db, &statement, false).await);
    }
    if db.is_sqlite() {
        let index = format!("{table}_without_{}", part.to_lowercase());
        assert!(plans.iter().any(|line| line.contains(&index)), "{}", plans.join("\n"));
    } else {
        let whole = format!("Seq Scan on {table} ");
        assert!(!plans.iter().any(|line| line.contains(&whole)), "{}", plans.join("\n"));
    }
}

on_both! {
    async fn an_episode_is_found_by_its_missing_parts_in_any_show(db: &TestDb) {
        let category = add_category(db, "Series", CategoryType::TvShow).await;
        let (one, other) = (show(db, "Dark", category).await, show(db, "Élite", category).await);
        let episodes = store::<EpisodesTable>(db);
        let sample = |tv_show_id: Id, episode_number: i32| Episode { tv_show_id, episode_number, ..Episode::sample() };
        add(&episodes, sample(one, 1)).await;
        let mut off = sample(one, 2);
        off.links[0].active = false;
        let without_links = add(&episodes, off).await;
        let without_english = add(&episodes, Episode { english_synopsis: None, ..sample(other, 1) }).await;
        let bare =
            Episode { spanish_synopsis: None, english_synopsis: None, cover_image_url: None, ..sample(other, 2) };
        let bare = add(&episodes, bare).await;

        assert_eq!(found::<EpisodesTable>(db, missing("LINKS")).await, [without_links]);
        assert_eq!(found::<EpisodesTable>(db, missing("ENGLISH_SYNOPSIS")).await, [without_english, bare]);
        assert_eq!(found::<EpisodesTable>(db, missing("SPANISH_SYNOPSIS")).await, [bare]);
        assert_eq!(found::<EpisodesTable>(db, missing("COVER")).await, [bare]);
        let of_one = [missing("ENGLISH_SYNOPSIS"), vec![filter("tvShowId", FilterValue::Reference(one))]].concat();
        assert_eq!(found::<EpisodesTable>(db, of_one).await, [] as [Id; 0]);
        let named = rows::<EpisodesTable>(db, missing("COVER")).await;
        assert_eq!(named[0]["tvShowTitle"], "Élite");
        for part in ["COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS", "LINKS"] {
            assert_indexed::<EpisodesTable>(db, part).await;
        }
    }

    async fn the_episodes_of_a_season_are_a_list(db: &TestDb) {
        let category = add_category(db, "Series", CategoryType::TvShow).await;
        let (one, other) = (show(db, "Dark", category).await, show(db, "Élite", category).await);
        let mut ids = Vec::new();
        for (tv_show_id, season_number) in [(one, 1), (one, 2), (other, 2)] {
            let episode = Episode { tv_show_id, season_number, ..Episode::sample() };
            ids.push(add(&store::<EpisodesTable>(db), episode).await);
        }
        let second = || filter("seasonNumber", FilterValue::Number(2));
        assert_eq!(found::<EpisodesTable>(db, vec![second()]).await, ids[1..]);
        let of_one = vec![filter("tvShowId", FilterValue::Reference(one)), second()];
        assert_eq!(found::<EpisodesTable>(db, of_one).await, [ids[1]]);
    }

    async fn the_episodes_of_a_show_are_found_by_their_title_or_number_alone(db: &TestDb) {
        let category = add_category(db, "Series", CategoryType::TvShow).await;
        let (one, other) = (show(db, "Dark", category).await, show(db, "Élite", category).await);
        let mut ids = Vec::new();
        for (tv_show_id, season_number, episode_number, title) in [
            (one, 1, 4, "¿El Camión?"),
            (one, 1, 14, "100 % _Éxito_"),
            (one, 4, 1, "Se acabó s4"),
            (one, 4, 2, "Camiones"),
            (other, 1, 4, "El camión"),
        ] {
            let episode =
                Episode { tv_show_id, season_number, episode_number, title: title.into(), ..Episode::sample() };
            ids.push(add(&store::<EpisodesTable>(db), episode).await);
        }
        for (text, expected) in [
            ("camion", vec![ids[0], ids[3]]),
            ("¿EL camión?", vec![ids[0]]),
            // Seasons do not count: neither the number of one, nor «S1E4».
            ("4", vec![ids[0], ids[1], ids[2]]),
            ("s1e4", vec![]),
            ("s4", vec![ids[2]]),
            ("acabo s4", vec![ids[2]]),
            ("? s1", vec![]),
            ("0 % _", vec![ids[1]]),
            (" ", vec![ids[0], ids[1], ids[2], ids[3]]),
        ] {
            let filters = vec![
                filter("tvShowId", FilterValue::Reference(one)),
                filter("titleOrNumber", FilterValue::Text(text.into())),
            ];
            assert_eq!(found::<EpisodesTable>(db, filters.clone()).await, expected, "{text}");
            let query = ListQuery { filters, ..ListQuery::default() };
            let mut matching = store::<EpisodesTable>(db).matching_ids(&query, 10).await.unwrap();
            matching.sort_unstable();
            assert_eq!(matching, expected, "{text}");
        }
    }

    async fn a_season_is_found_by_its_missing_parts_and_by_a_prefix_of_its_title(db: &TestDb) {
        let category = add_category(db, "Series", CategoryType::TvShow).await;
        let tv_show_id = show(db, "Dark", category).await;
        let seasons = store::<SeasonsTable>(db);
        let sample = |season_number: i32| Season { tv_show_id, season_number, ..Season::sample() };
        let whole = add(&seasons, Season { title: Some("¿El final?".into()), ..sample(1) }).await;
        let bare = Season {
            title: None,
            spanish_synopsis: None,
            english_synopsis: None,
            cover_image_url: None,
            ..sample(2)
        };
        let bare = add(&seasons, bare).await;
        for part in ["COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS"] {
            assert_eq!(found::<SeasonsTable>(db, missing(part)).await, [bare], "{part}");
            assert_indexed::<SeasonsTable>(db, part).await;
        }
        let begins = vec![filter("startsWith", FilterValue::Text("el fin".into()))];
        assert_eq!(found::<SeasonsTable>(db, begins).await, [whole]);
        assert_eq!(rows::<SeasonsTable>(db, missing("COVER")).await[0]["tvShowTitle"], "Dark");
    }
}
