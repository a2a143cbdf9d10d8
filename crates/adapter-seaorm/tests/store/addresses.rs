//! Items are found by the address that they stream from, however long it is.

use adapter_seaorm::contents::ContentTable;
use adapter_seaorm::contents::{MoviesTable, RadioStationsTable, SeaOrmContents, TvChannelsTable};
use domain_catalogue::{CategoryType, Content, Movie, RadioStation, StreamUrl, TvChannel};
use domain_kernel::{Filter, FilterValue, Id, LONGEST_ADDRESS, ListQuery};
use ports::ContentRepository;

use crate::{
    kinds::{KindFixture, add, add_category, store},
    support::{TestDb, on_both},
};

/// An address of the longest length, in characters of three bytes that no compression shortens.
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
    async fn an_address_of_the_longest_length_is_stored_and_found(db: &TestDb) {
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
}
