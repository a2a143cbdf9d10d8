//! Creates drafts from titles of the external film database (docs/spec/content.md#film-lookup).

use std::fmt;

use chrono::Datelike;
use domain_kernel::Today;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MovieGenre;

/// Id of a title in the film database: `tt` and 1 to 10 digits. Input may omit `tt`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TitleId(String);

impl TitleId {
    /// Parses `tt0133093` and `0133093`; `None` for anything else. Padded to seven digits, because
    /// older lists omit leading zeros.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("tt").unwrap_or(text);
        let fits = (1..=10).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        fits.then(|| Self(format!("tt{:0>7}", digits.trim_start_matches('0'))))
    }
}

impl fmt::Display for TitleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

domain_kernel::enumeration! {
    /// Purpose of a lookup.
    pub enum TitleUse {
        Movie = "movie" ("película", "movie"),
        TvShow = "tv-show" ("serie", "TV show"),
        Episode = "episode" ("episodio", "episode"),
    }
}

/// A title in the film database; unknown values are `None` or empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FilmTitle {
    /// `movie`, `tvSeries`, `tvEpisode`, `videoGame`, …
    pub kind: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Year of release, or of the first episode.
    pub start_year: Option<i32>,
    /// Length in seconds.
    pub runtime_seconds: Option<i64>,
    /// Genres, as the film database names them.
    pub genres: Vec<String>,
    /// Rating out of 10.
    pub rating: Option<f64>,
    /// Plot.
    pub plot: Option<String>,
    /// Cast.
    pub stars: Vec<String>,
    /// URL of the poster.
    pub image: Option<String>,
    /// Creators.
    pub creators: Vec<String>,
    /// Number of seasons of a series.
    pub total_seasons: Option<i32>,
    /// Number of episodes of a series.
    pub total_episodes: Option<i32>,
    /// Season of an episode.
    pub season_number: Option<i32>,
    /// Number of an episode.
    pub episode_number: Option<i32>,
}

/// Form values of a film. Unknown fields are missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoviePrefill {
    /// Known fields, with the names of a movie.
    pub draft: MovieDraftFields,
    /// Genres without an equivalent, shown in a notice.
    pub unmatched_genres: Vec<String>,
}

/// Fields of a movie that the film database can have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MovieDraftFields {
    /// Id in the film database.
    pub imdb_id: String,
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Year of release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// Length in minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_minutes: Option<i32>,
    /// Rating out of 10, with one decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<f64>,
    /// Cast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actors: Option<String>,
    /// Plot, in English as received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub english_synopsis: Option<String>,
    /// Poster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover_image_url: Option<String>,
    /// Genres with an equivalent.
    pub genres: Vec<MovieGenre>,
}

/// A search result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundTitle {
    /// Id in the film database.
    pub imdb_id: String,
    /// Title.
    pub title: String,
    /// Year, as the film database writes it.
    pub year: Option<String>,
    /// URL of the poster.
    pub poster_url: Option<String>,
}

/// The form of a film from a title; `None` if the title is not a film. Invalid values are omitted,
/// because external data is validated like a form.
pub fn prefill_movie(id: &TitleId, title: &FilmTitle, today: Today) -> Option<MoviePrefill> {
    if title.kind.as_deref() != Some("movie") {
        return None;
    }
    let (genres, unmatched) = matched(&title.genres, movie_genre);
    let draft = MovieDraftFields {
        imdb_id: id.to_string(),
        title: title.title.clone().and_then(|text| line(&text, 200)),
        year: title.start_year.filter(|year| (1900..=today.0.year() + 5).contains(year)),
        duration_minutes: title.runtime_seconds.and_then(minutes),
        rating: title.rating.and_then(rating),
        actors: line(&title.stars.join(", "), 2000),
        english_synopsis: title.plot.clone().and_then(|text| line(&text, 10_000)),
        cover_image_url: title.image.clone().filter(|url| is_web_address(url)),
        genres,
    };
    Some(MoviePrefill { draft, unmatched_genres: unmatched })
}

/// Genres with an equivalent, without repetitions, and names of the others.
pub(crate) fn matched<G: PartialEq>(names: &[String], find: fn(&str) -> Option<G>) -> (Vec<G>, Vec<String>) {
    let mut genres = Vec::new();
    let mut unmatched = Vec::new();
    for name in names {
        match find(name) {
            Some(genre) if !genres.contains(&genre) => genres.push(genre),
            Some(_) => {}
            None => unmatched.push(name.clone()),
        }
    }
    (genres, unmatched)
}

/// A rating within its bounds, with one decimal.
pub(crate) fn rating(rating: f64) -> Option<f64> {
    (0.0..=10.0).contains(&rating).then(|| (rating * 10.0).round() / 10.0)
}

/// Minutes, rounded, at least one.
pub(crate) fn minutes(seconds: i64) -> Option<i32> {
    (seconds > 0).then(|| i32::try_from((seconds + 30) / 60).unwrap_or(i32::MAX).max(1))
}

pub(crate) fn line(text: &str, longest: usize) -> Option<String> {
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !domain_kernel::holds_forbidden_characters(&c.to_string(), true))
        .take(longest)
        .collect();
    let clean = clean.trim();
    (!clean.is_empty()).then(|| clean.to_owned())
}

pub(crate) fn is_web_address(url: &str) -> bool {
    domain_kernel::checked(crate::WebUrl(url.to_owned()), &()).is_ok()
}

fn movie_genre(name: &str) -> Option<MovieGenre> {
    use MovieGenre as G;
    Some(match name {
        "Action" => G::Action,
        "Adventure" => G::Adventure,
        "Animation" => G::Animation,
        "Biography" => G::Biography,
        "Comedy" => G::Comedy,
        "Crime" => G::Crime,
        "Documentary" => G::Documentary,
        "Drama" => G::Drama,
        "Family" => G::Family,
        "Fantasy" => G::Fantasy,
        "History" => G::History,
        "Horror" => G::Horror,
        "Music" | "Musical" => G::Musical,
        "Mystery" => G::Mystery,
        "Romance" => G::Romance,
        "Sci-Fi" | "Science Fiction" => G::SciFi,
        "Thriller" => G::Thriller,
        "TV Movie" => G::TvMovie,
        "War" => G::War,
        "Western" => G::Western,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;

    fn today() -> Today {
        Today(NaiveDate::from_ymd_opt(2026, 11, 20).unwrap())
    }

    fn matrix() -> FilmTitle {
        FilmTitle {
            kind: Some("movie".into()),
            title: Some("The Matrix".into()),
            start_year: Some(1999),
            runtime_seconds: Some(8160),
            genres: vec!["Action".into(), "Sci-Fi".into()],
            rating: Some(8.7),
            plot: Some("A programmer\nwakes up.".into()),
            stars: vec!["Keanu Reeves".into(), "Carrie-Anne Moss".into()],
            image: Some("https://images.example.com/m.jpg".into()),
            ..FilmTitle::default()
        }
    }

    #[test]
    fn title_ids_are_read_with_and_without_tt() {
        for (text, id) in [
            ("tt0133093", "tt0133093"),
            ("0133093", "tt0133093"),
            ("133093", "tt0133093"),
            ("tt000133093", "tt0133093"),
            ("tt10872600", "tt10872600"),
            ("tt0", "tt0000000"),
        ] {
            assert_eq!(TitleId::parse(text).unwrap().to_string(), id);
        }
        for bad in ["", "tt", "ttabc", "tt12345678901", "../titles/1", "tt0133093?x=1", "tt٠١٢٣"] {
            assert_eq!(TitleId::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_film_fills_the_form_of_a_film() {
        let id = TitleId::parse("tt0133093").unwrap();
        let MoviePrefill { draft, unmatched_genres } = prefill_movie(&id, &matrix(), today()).unwrap();
        assert_eq!(draft.title.as_deref(), Some("The Matrix"));
        assert_eq!((draft.year, draft.duration_minutes, draft.rating), (Some(1999), Some(136), Some(8.7)));
        assert_eq!(draft.genres, vec![MovieGenre::Action, MovieGenre::SciFi]);
        assert_eq!(draft.actors.as_deref(), Some("Keanu Reeves, Carrie-Anne Moss"));
        assert!(unmatched_genres.is_empty());
    }

    #[test]
    fn music_becomes_musical_once_and_unknown_genres_are_reported() {
        let id = TitleId::parse("1").unwrap();
        let genres = ["Music", "Musical", "Film-Noir"].map(String::from).to_vec();
        let filled = prefill_movie(&id, &FilmTitle { genres, ..matrix() }, today()).unwrap();
        assert_eq!(filled.draft.genres, vec![MovieGenre::Musical]);
        assert_eq!(filled.unmatched_genres, vec!["Film-Noir".to_owned()]);
    }

    #[test]
    fn only_films_fill_the_form_of_a_film() {
        let id = TitleId::parse("1").unwrap();
        for kind in [None, Some("tvSeries"), Some("tvMovie"), Some("videoGame"), Some("short"), Some("Movie")]
        {
            let title = FilmTitle { kind: kind.map(Into::into), ..matrix() };
            assert_eq!(prefill_movie(&id, &title, today()), None, "{kind:?}");
        }
    }

    #[test]
    fn invalid_and_unknown_values_are_omitted() {
        let id = TitleId::parse("1").unwrap();
        let strange = FilmTitle {
            kind: Some("movie".into()),
            start_year: Some(1894),
            runtime_seconds: Some(0),
            rating: Some(11.0),
            image: Some("javascript:alert(1)".into()),
            title: Some(" \u{0} ".into()),
            ..FilmTitle::default()
        };
        let draft = prefill_movie(&id, &strange, today()).unwrap().draft;
        assert_eq!((draft.title, draft.year, draft.duration_minutes), (None, None, None));
        assert_eq!((draft.rating, draft.cover_image_url, draft.actors), (None, None, None));
    }
}
