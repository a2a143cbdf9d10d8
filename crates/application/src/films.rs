//! Filling forms from the external film database.

use std::sync::Arc;

use domain_catalogue::{FoundTitle, Kind, MoviePrefill, TitleId, TitleUse, prefill_movie};
use domain_kernel::{Action, Actor, Code, Denied, Enumeration, Violation, Violations};
use ports::FilmDatabase;

use crate::{Calendar, Error, Lookup};

/// The use cases around the film database.
pub struct FilmService {
    films: Arc<dyn FilmDatabase>,
    calendar: Calendar,
}

impl FilmService {
    /// The use cases over a film database.
    pub fn new(films: Arc<dyn FilmDatabase>, calendar: Calendar) -> Self {
        Self { films, calendar }
    }

    /// What the form of a film can be filled with.
    pub async fn movie(&self, actor: &Actor, id: &str, to: Option<&str>) -> Result<MoviePrefill, Error> {
        may_fill_forms(actor)?;
        let mut violations = Vec::new();
        let id = TitleId::parse(id.trim());
        if id.is_none() {
            violations.push(Violation::new("ttid", Code::InvalidFormat).with("example", "tt0133093"));
        }
        let to = to.map_or(Some(TitleUse::Movie), TitleUse::from_code);
        if to.is_none() {
            violations.push(Violation::new("as", Code::UnknownValue).with("allowed", TitleUse::CODES.to_vec()));
        }
        let (Some(id), Some(to)) = (id, to) else { return Err(Violations(violations).into()) };
        let lookup = Lookup::Title(to);
        let title = self.films.title(&id).await.map_err(|fault| Error::Upstream(lookup, fault))?;
        let title = title.ok_or(Error::NoTitle(lookup))?;
        prefill_movie(&id, &title, self.calendar.today()).ok_or(Error::WrongTitleType(to))
    }

    /// Films by title, and year where one is given.
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
            Some(text) => match text.parse::<i32>() {
                Ok(year @ 1800..=9999) => Some(year),
                _ => {
                    violations.push(Violation::new("year", Code::WrongType).with("expected", "integer"));
                    None
                }
            },
        };
        if !violations.is_empty() {
            return Err(Violations(violations).into());
        }
        let found = self.films.search(title, year).await;
        let found = found.map_err(|fault| Error::Upstream(Lookup::Search, fault))?;
        if found.is_empty() { Err(Error::NoTitle(Lookup::Search)) } else { Ok(found) }
    }
}

/// Whoever may create or change films may fill their form.
fn may_fill_forms(actor: &Actor) -> Result<(), Denied> {
    let create = Kind::Movies.permission(Action::Create);
    if actor.may(Kind::Movies.permission(Action::Update)) { Ok(()) } else { actor.require(create) }
}
