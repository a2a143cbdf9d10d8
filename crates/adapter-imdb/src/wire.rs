//! Answers of the film database, as they come. Any field may be missing.

use domain_catalogue::{FilmTitle, FoundTitle};
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
    /// A title without a type and without a name is no title.
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
            stars: self.stars.unwrap_or_default().into_iter().filter_map(|star| star.display_name).collect(),
            image: self.primary_image.and_then(|image| image.url),
        })
    }
}

/// A search: `Response` says "False" where there is nothing, or too much.
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
