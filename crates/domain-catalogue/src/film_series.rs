//! Creates drafts from series and episodes of the film database (docs/spec/content.md#film-lookup).

use chrono::{Datelike, NaiveDate};
use domain_kernel::Today;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    FilmTitle, ShowGenre, TitleId,
    film::{is_web_address, line, matched, minutes, rating},
};

/// Form values of a TV show. Unknown fields are missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShowPrefill {
    /// Known fields, with the names of a TV show.
    pub draft: ShowDraftFields,
    /// Genres without an equivalent, shown in a notice.
    pub unmatched_genres: Vec<String>,
}

/// Fields of a TV show that the film database can have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShowDraftFields {
    /// Id in the film database.
    pub imdb_id: String,
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Year of the first episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// Number of seasons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_seasons: Option<i32>,
    /// Number of episodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_episodes: Option<i32>,
    /// Rating out of 10, with one decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<f64>,
    /// Cast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actors: Option<String>,
    /// Creators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creators: Option<String>,
    /// Plot, in English as received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub english_synopsis: Option<String>,
    /// Poster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover_image_url: Option<String>,
    /// Genres with an equivalent.
    pub genres: Vec<ShowGenre>,
}

/// Form values of an episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EpisodePrefill {
    /// Known fields, with the names of an episode.
    pub draft: EpisodeDraftFields,
    /// Always empty: episodes have no genres.
    pub unmatched_genres: Vec<String>,
}

/// Fields of an episode that the film database can have.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EpisodeDraftFields {
    /// Id in the film database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imdb_id: Option<String>,
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Season.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub season_number: Option<i32>,
    /// Number in the season.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episode_number: Option<i32>,
    /// Day of the first broadcast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub air_date: Option<NaiveDate>,
    /// Length in minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_minutes: Option<i32>,
    /// Rating out of 10, with one decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<f64>,
    /// Plot, in English as received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub english_synopsis: Option<String>,
    /// Image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover_image_url: Option<String>,
}

/// The episodes of a season.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeasonPreview {
    /// Number of the season.
    pub season: i32,
    /// Its episodes, by number; those without a number are omitted.
    pub episodes: Vec<EpisodeDraftFields>,
}

/// An episode in a list of the film database; unknown values are `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FilmEpisode {
    /// Id in the film database.
    pub id: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Number.
    pub number: Option<i32>,
    /// Day of the first broadcast.
    pub air_date: Option<NaiveDate>,
    /// Length in seconds.
    pub runtime_seconds: Option<i64>,
    /// Rating out of 10.
    pub rating: Option<f64>,
    /// Plot.
    pub plot: Option<String>,
    /// URL of its image.
    pub image: Option<String>,
}

/// The form of a TV show from a title; `None` if the title is not a series.
pub fn prefill_show(id: &TitleId, title: &FilmTitle, today: Today) -> Option<ShowPrefill> {
    if !matches!(title.kind.as_deref(), Some("series" | "tvMiniSeries" | "tvSeries")) {
        return None;
    }
    let (genres, unmatched_genres) = matched(&title.genres, show_genre);
    let draft = ShowDraftFields {
        imdb_id: id.to_string(),
        title: title.title.as_deref().and_then(|text| line(text, 200)),
        year: title.start_year.filter(|year| (1900..=today.0.year() + 5).contains(year)),
        total_seasons: title.total_seasons.filter(|total| *total >= 0),
        total_episodes: title.total_episodes.filter(|total| *total >= 0),
        rating: title.rating.and_then(rating),
        actors: line(&title.stars.join(", "), 2000),
        creators: line(&title.creators.join(", "), 2000),
        english_synopsis: title.plot.as_deref().and_then(|text| line(text, 10_000)),
        cover_image_url: title.image.clone().filter(|url| is_web_address(url)),
        genres,
    };
    Some(ShowPrefill { draft, unmatched_genres })
}

/// The form of an episode from a title; `None` if the title is not an episode.
pub fn prefill_episode(id: &TitleId, title: &FilmTitle) -> Option<EpisodePrefill> {
    if title.kind.as_deref() != Some("tvEpisode") {
        return None;
    }
    let listed = FilmEpisode {
        id: Some(id.to_string()),
        title: title.title.clone(),
        number: title.episode_number,
        air_date: None,
        runtime_seconds: title.runtime_seconds,
        rating: title.rating,
        plot: title.plot.clone(),
        image: title.image.clone(),
    };
    let mut draft = fields(&listed);
    draft.season_number = title.season_number.filter(|number| *number >= 1);
    Some(EpisodePrefill { draft, unmatched_genres: Vec::new() })
}

/// A season from a list of the film database.
pub fn preview_season(season: i32, listed: &[FilmEpisode]) -> SeasonPreview {
    let mut episodes: Vec<EpisodeDraftFields> = listed
        .iter()
        .map(|episode| EpisodeDraftFields { season_number: Some(season), ..fields(episode) })
        .filter(|draft| draft.episode_number.is_some())
        .collect();
    episodes.sort_by_key(|draft| draft.episode_number);
    episodes.dedup_by_key(|draft| draft.episode_number);
    SeasonPreview { season, episodes }
}

fn fields(listed: &FilmEpisode) -> EpisodeDraftFields {
    EpisodeDraftFields {
        imdb_id: listed.id.as_deref().and_then(TitleId::parse).map(|id| id.to_string()),
        title: listed.title.as_deref().and_then(|text| line(text, 200)),
        season_number: None,
        episode_number: listed.number.filter(|number| *number >= 1),
        air_date: listed.air_date,
        duration_minutes: listed.runtime_seconds.and_then(minutes),
        rating: listed.rating.and_then(rating),
        english_synopsis: listed.plot.as_deref().and_then(|text| line(text, 10_000)),
        cover_image_url: listed.image.clone().filter(|url| is_web_address(url)),
    }
}

fn show_genre(name: &str) -> Option<ShowGenre> {
    use ShowGenre as G;
    Some(match name {
        "Action" => G::Accion,
        "Adventure" => G::Aventura,
        "Animation" => G::Animacion,
        "Biography" => G::Biografia,
        "Comedy" => G::Comedia,
        "Crime" => G::Crimen,
        "Documentary" => G::Documental,
        "Drama" => G::Drama,
        "Family" => G::Familiar,
        "Fantasy" => G::Fantasia,
        "History" => G::Historia,
        "Horror" => G::Horror,
        "Music" | "Musical" => G::Musica,
        "Mystery" => G::Misterio,
        "Romance" => G::Romance,
        "Sci-Fi" | "Science Fiction" => G::CienciaFiccion,
        "Thriller" => G::Thriller,
        "War" => G::Guerra,
        "Western" => G::Western,
        "Reality-TV" | "Reality" => G::Reality,
        "Talk-Show" | "Talk Show" => G::TalkShow,
        "News" => G::News,
        "Soap" | "Soap Opera" => G::SoapOpera,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(kind: &str) -> FilmTitle {
        FilmTitle {
            kind: Some(kind.into()),
            title: Some("Breaking Bad".into()),
            start_year: Some(2008),
            genres: ["Crime", "Sci-Fi", "Music", "Game-Show"].map(String::from).to_vec(),
            creators: vec!["Vince Gilligan".into()],
            total_seasons: Some(5),
            ..FilmTitle::default()
        }
    }

    #[test]
    fn three_types_are_series_and_others_are_not() {
        let id = TitleId::parse("tt0903747").unwrap();
        let today = Today(NaiveDate::from_ymd_opt(2026, 11, 20).unwrap());
        for kind in ["series", "tvSeries", "tvMiniSeries"] {
            let filled = prefill_show(&id, &series(kind), today).unwrap();
            assert_eq!(
                filled.draft.genres,
                [ShowGenre::Crimen, ShowGenre::CienciaFiccion, ShowGenre::Musica]
            );
            assert_eq!(filled.unmatched_genres, ["Game-Show"]);
            assert_eq!(filled.draft.total_episodes, None, "unknown values are omitted");
        }
        for kind in ["movie", "tvEpisode", "tvMovie"] {
            assert_eq!(prefill_show(&id, &series(kind), today), None, "{kind}");
        }
    }

    #[test]
    fn only_episodes_fill_the_form_of_an_episode() {
        let id = TitleId::parse("tt2301451").unwrap();
        let title = FilmTitle { season_number: Some(5), episode_number: Some(14), ..series("tvEpisode") };
        let draft = prefill_episode(&id, &title).unwrap().draft;
        assert_eq!((draft.season_number, draft.episode_number), (Some(5), Some(14)));
        assert_eq!(prefill_episode(&id, &series("tvSeries")), None);
    }

    #[test]
    fn the_episodes_of_a_season_are_ordered_by_unique_numbers() {
        let numbered = |number| FilmEpisode { number, ..FilmEpisode::default() };
        let preview =
            preview_season(2, &[numbered(Some(2)), numbered(None), numbered(Some(1)), numbered(Some(2))]);
        let numbers: Vec<_> = preview.episodes.iter().filter_map(|draft| draft.episode_number).collect();
        assert_eq!(numbers, [1, 2]);
        assert!(preview.episodes.iter().all(|draft| draft.season_number == Some(2)));
    }
}
