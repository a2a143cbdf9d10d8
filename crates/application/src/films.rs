//! Fills forms from the external film database.

use std::sync::Arc;

use domain_catalogue::{
    EpisodePrefill, FoundTitle, Kind, MoviePrefill, SeasonPreview, ShowPrefill, TitleId, TitleUse,
    prefill_episode, prefill_movie, prefill_show, preview_season,
};
use domain_kernel::{Action, Actor, Code, Denied, Enumeration, Violation, Violations};
use ports::FilmDatabase;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Calendar, Error, Lookup};

/// Use cases of the film database.
pub struct FilmService {
    films: Arc<dyn FilmDatabase>,
    calendar: Calendar,
}

impl FilmService {
    pub fn new(films: Arc<dyn FilmDatabase>, calendar: Calendar) -> Self {
        Self { films, calendar }
    }

    /// Form values from a title. `to` is the form; a film's by default.
    pub async fn title(&self, actor: &Actor, id: &str, to: Option<&str>) -> Result<Prefill, Error> {
        may_fill_forms(actor)?;
        let id = read_id(id);
        let to = to.map_or(Ok(TitleUse::Movie), |code| {
            let unknown =
                || Violation::new("as", Code::UnknownValue).with("allowed", TitleUse::CODES.to_vec());
            by_path(code).ok_or_else(unknown)
        });
        let (id, to) = match (id, to) {
            (Ok(id), Ok(to)) => (id, to),
            (id, to) => return Err(Violations([id.err(), to.err()].into_iter().flatten().collect()).into()),
        };
        let lookup = Lookup::Title(to);
        let title = self.films.title(&id).await.map_err(|fault| Error::Upstream(lookup, fault))?;
        let title = title.ok_or(Error::NoTitle(lookup))?;
        let today = self.calendar.today();
        let filled = match to {
            TitleUse::Movie => prefill_movie(&id, &title, today).map(Prefill::Movie),
            TitleUse::TvShow => prefill_show(&id, &title, today).map(Prefill::TvShow),
            TitleUse::Episode => prefill_episode(&id, &title).map(Prefill::Episode),
        };
        filled.ok_or(Error::WrongTitleType(to))
    }

    /// Episodes of a season of a series.
    pub async fn season(
        &self,
        actor: &Actor,
        id: &str,
        season: Option<&str>,
    ) -> Result<SeasonPreview, Error> {
        may_fill_forms(actor)?;
        let id = read_id(id);
        let season = season.unwrap_or("1").trim().parse::<i32>();
        let season = match season {
            Ok(season @ 1..=9999) => Ok(season),
            Ok(season) if season < 1 => Err(Violation::new("season", Code::TooSmall).with("min", 1)),
            Ok(_) => Err(Violation::new("season", Code::TooLarge).with("max", 9999)),
            Err(_) => Err(Violation::new("season", Code::WrongType).with("expected", "integer")),
        };
        let (id, season) = match (id, season) {
            (Ok(id), Ok(season)) => (id, season),
            (id, season) => {
                return Err(Violations([id.err(), season.err()].into_iter().flatten().collect()).into());
            }
        };
        let lookup = Lookup::Title(TitleUse::TvShow);
        let listed =
            self.films.episodes(&id, season).await.map_err(|fault| Error::Upstream(lookup, fault))?;
        Ok(preview_season(season, &listed.ok_or(Error::NoTitle(lookup))?))
    }

    /// Films by title, and optionally by year.
    pub async fn search(
        &self,
        actor: &Actor,
        title: &str,
        year: Option<&str>,
    ) -> Result<Vec<FoundTitle>, Error> {
        may_fill_forms(actor)?;
        let title = title.trim();
        let mut violations = Vec::new();
        if title.is_empty() {
            violations.push(Violation::new("title", Code::Required));
        } else if title.chars().count() > 200 {
            violations.push(Violation::new("title", Code::TooLong).with("max", 200));
        }
        let year = match year.map(str::trim).filter(|year| !year.is_empty()) {
            None => None,
            Some(text) => {
                if let Ok(year @ 1800..=9999) = text.parse::<i32>() {
                    Some(year)
                } else {
                    violations.push(Violation::new("year", Code::WrongType).with("expected", "integer"));
                    None
                }
            }
        };
        if !violations.is_empty() {
            return Err(Violations(violations).into());
        }
        let found = self.films.search(title, year).await;
        let found = found.map_err(|fault| Error::Upstream(Lookup::Search, fault))?;
        if found.is_empty() { Err(Error::NoTitle(Lookup::Search)) } else { Ok(found) }
    }
}

fn read_id(text: &str) -> Result<TitleId, Violation> {
    TitleId::parse(text.trim())
        .ok_or_else(|| Violation::new("ttid", Code::InvalidFormat).with("example", "tt0133093"))
}

/// Codes of uses have hyphens, as in paths.
fn by_path(code: &str) -> Option<TitleUse> {
    TitleUse::ALL.iter().copied().find(|to| to.code() == code)
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Prefill {
    Movie(MoviePrefill),
    TvShow(ShowPrefill),
    Episode(EpisodePrefill),
}

/// Lookups need the permission to create or change films or shows.
fn may_fill_forms(actor: &Actor) -> Result<(), Denied> {
    let rights = [Kind::Movies, Kind::TvShows]
        .map(|kind| [kind.permission(Action::Create), kind.permission(Action::Update)]);
    if rights.as_flattened().iter().any(|right| actor.may(*right)) {
        return Ok(());
    }
    actor.require(Kind::Movies.permission(Action::Create))
}
