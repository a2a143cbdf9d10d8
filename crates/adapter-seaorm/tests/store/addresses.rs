//! Items are found by the URL of their streams, at any length.

use adapter_seaorm::catalogue::ContentTable;
use adapter_seaorm::catalogue::{
    EpisodesTable, MoviesTable, RadioStationsTable, SeaOrmContents, TvChannelsTable, TvShowsTable,
};
use domain_catalogue::{
    CategoryType, Content, Episode, Link, Movie, RadioStation, StreamUrl, TvChannel, TvShow,
};
use domain_kernel::{Filter, FilterValue, Id, LONGEST_ADDRESS, ListQuery};
use ports::ContentRepository;

use crate::{
    kinds::{KindFixture, add, add_category, store},
    support::{TestDb, on_both},
};

/// A URL of the maximum length, of three-byte characters that can't be compressed.
fn longest(seed: u32) -> String {
    let mut state = seed;
    let mut url = String::from("https://cdn.example.com/");
    while url.chars().count() < LONGEST_ADDRESS {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        url.push(char::from_u32(0x4E00 + (state >> 12) % 0x5000).unwrap());
    }
    url
}

async fn found<T: ContentTable>(db: &TestDb, field: &str, url: &str) -> Vec<Id> {
    let filters = vec![Filter { field: field.into(), value: FilterValue::Text(url.into()) }];
    let store = SeaOrmContents::<T>::new(db.database.clone());
    let page = store.list(&ListQuery { filters, ..ListQuery::default() }).await.unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_str(page.content.0.get()).unwrap();
    rows.iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

on_both! {
    async fn a_url_of_the_maximum_length_is_stored_and_found(db: &TestDb) {
        let category = add_category(db, "Cine", CategoryType::Movie).await;
        let live = add_category(db, "Noticias", CategoryType::TvChannel).await;
        let (mut movies, mut channels, mut stations) = (Vec::new(), Vec::new(), Vec::new());
        for seed in [1, 2] {
            let url = longest(seed);
            let mut movie = Movie::numbered(1, category);
            movie.links[0].url = StreamUrl(url.clone());
            movies.push(add(&store::<Movie>(db), movie).await);
            let channel = TvChannel { url: url.clone(), categories: vec![live], tv_guide_id: None, ..TvChannel::sample() };
            channels.push(add(&SeaOrmContents::<TvChannelsTable>::new(db.database.clone()), channel).await);
            let station = RadioStation { stream_url: StreamUrl(url), ..RadioStation::sample() };
            stations.push(add(&SeaOrmContents::<RadioStationsTable>::new(db.database.clone()), station).await);
        }
        assert_eq!(found::<MoviesTable>(db, "linkUrl", &longest(2)).await, [movies[1]]);
        assert_eq!(found::<TvChannelsTable>(db, "url", &longest(2)).await, [channels[1]]);
        assert_eq!(found::<RadioStationsTable>(db, "streamUrl", &longest(1)).await, [stations[0]]);
    }
    async fn an_episode_is_found_by_each_of_its_first_three_links(db: &TestDb) {
        let category_id = add_category(db, "Series", CategoryType::TvShow).await;
        let tv_show_id = add(&SeaOrmContents::<TvShowsTable>::new(db.database.clone()), TvShow { category_id, ..TvShow::sample() }).await;
        let url = |number: i32| format!("https://cdn.example.com/{number}.m3u8");
        let mut ids = Vec::new();
        for number in [1, 5] {
            let mut episode = Episode { tv_show_id, episode_number: number, ..Episode::sample() };
            let link = episode.links.remove(0);
            let linked = |index| Link { id: Some(format!("link-{index}")), url: StreamUrl(url(index)), ..link.clone() };
            episode.links = (number..number + 4).map(linked).collect();
            ids.push(add(&SeaOrmContents::<EpisodesTable>::new(db.database.clone()), episode).await);
        }
        for index in 0..3 {
            assert_eq!(found::<EpisodesTable>(db, "linkUrl", &url(5 + index)).await, [ids[1]]);
        }
        assert_eq!(found::<EpisodesTable>(db, "linkUrl", &url(8)).await, [] as [Id; 0]);
    }
}
