//! Responses of the film database. Any field may be missing.

use chrono::NaiveDate;
use domain_catalogue::{FilmEpisode, FilmTitle, FoundTitle};
use ports::FilmFault;
use serde::Deserialize;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Title {
    r#type: Option<String>,
    primary_title: Option<String>,
    start_year: Option<i32>,
    runtime_seconds: Option<i64>,
    genres: Option<Vec<String>>,
    rating: Option<Rating>,
    plot: Option<String>,
    stars: Option<Vec<Person>>,
    primary_image: Option<Image>,
    creators: Option<Vec<Person>>,
    total_seasons: Option<i32>,
    total_episodes: Option<i32>,
    season_number: Option<i32>,
    episode_number: Option<i32>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Rating {
    aggregate_rating: Option<f64>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Person {
    display_name: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Image {
    url: Option<String>,
}

impl Title {
    /// Fails for a title without a type or a name.
    pub(crate) fn into_domain(self) -> Result<FilmTitle, FilmFault> {
        if self.r#type.is_none() && self.primary_title.is_none() {
            return Err(FilmFault::Unreadable);
        }
        Ok(FilmTitle {
            kind: self.r#type,
            title: self.primary_title,
            start_year: self.start_year,
            runtime_seconds: self.runtime_seconds,
            genres: self.genres.unwrap_or_default(),
            rating: self.rating.and_then(|rating| rating.aggregate_rating),
            plot: self.plot,
            stars: names(self.stars),
            image: self.primary_image.and_then(|image| image.url),
            creators: names(self.creators),
            total_seasons: self.total_seasons,
            total_episodes: self.total_episodes,
            season_number: self.season_number,
            episode_number: self.episode_number,
        })
    }
}

fn names(people: Option<Vec<Person>>) -> Vec<String> {
    people.unwrap_or_default().into_iter().filter_map(|person| person.display_name).collect()
}

/// The episodes of a season.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Episodes {
    #[serde(default)]
    episodes: Vec<ListedEpisode>,
    pub(crate) next_page_token: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ListedEpisode {
    id: Option<String>,
    title: Option<String>,
    episode_number: Option<i32>,
    runtime_seconds: Option<i64>,
    plot: Option<String>,
    rating: Option<Rating>,
    primary_image: Option<Image>,
    release_date: Option<ReleaseDate>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ReleaseDate {
    year: Option<i32>,
    month: Option<u32>,
    day: Option<u32>,
}

impl Episodes {
    pub(crate) fn into_domain(self) -> Vec<FilmEpisode> {
        let date = |date: ReleaseDate| NaiveDate::from_ymd_opt(date.year?, date.month?, date.day?);
        self.episodes
            .into_iter()
            .map(|episode| FilmEpisode {
                id: episode.id,
                title: episode.title,
                number: episode.episode_number,
                air_date: episode.release_date.and_then(date),
                runtime_seconds: episode.runtime_seconds,
                rating: episode.rating.and_then(|rating| rating.aggregate_rating),
                plot: episode.plot,
                image: episode.primary_image.and_then(|image| image.url),
            })
            .collect()
    }
}

/// A search: `Response` is "False" where there are no or too many results.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Found {
    #[serde(default)]
    response: String,
    #[serde(default)]
    search: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Entry {
    title: Option<String>,
    year: Option<String>,
    #[serde(rename = "imdbID")]
    imdb_id: Option<String>,
    poster: Option<String>,
}

impl Found {
    pub(crate) fn into_domain(self) -> Vec<FoundTitle> {
        if self.response != "True" {
            return Vec::new();
        }
        let known = |text: Option<String>| text.filter(|text| !text.is_empty() && text != "N/A");
        self.search
            .into_iter()
            .filter_map(|entry| {
                Some(FoundTitle {
                    imdb_id: known(entry.imdb_id)?,
                    title: known(entry.title)?,
                    year: known(entry.year),
                    poster_url: known(entry.poster),
                })
            })
            .collect()
    }
}
