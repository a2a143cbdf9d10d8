//! Filling forms: permissions, requests to the film database, and requests that are not sent.

use std::sync::Arc;

use application::{Error, FilmService};
use domain_catalogue::{FilmTitle, FoundTitle};
use domain_kernel::{Code, RoleCode};
use ports::{FilmFault, MockFilmDatabase};

use crate::support::{actor, calendar, manager, refused};

fn service(films: MockFilmDatabase) -> FilmService {
    FilmService::new(Arc::new(films), calendar())
}

/// A service whose film database must not be called.
fn service_without_calls() -> FilmService {
    service(MockFilmDatabase::new())
}

fn service_with_title(kind: &str) -> FilmService {
    let title =
        FilmTitle { kind: Some(kind.into()), title: Some("The Matrix".into()), ..FilmTitle::default() };
    let mut films = MockFilmDatabase::new();
    films.expect_title().times(1).return_once(move |_| Ok(Some(title)));
    service(films)
}

#[tokio::test]
async fn only_users_who_may_write_films_may_look_them_up() {
    for role in [RoleCode::Agent, RoleCode::App] {
        let movie = service_without_calls().title(&actor(role), "tt0133093", None).await;
        assert!(matches!(movie, Err(Error::Denied(_))), "{movie:?}");
        let search = service_without_calls().search(&actor(role), "matrix", None).await;
        assert!(matches!(search, Err(Error::Denied(_))), "{search:?}");
    }
    for role in [RoleCode::ContentManager, RoleCode::Admin, RoleCode::Superadmin] {
        assert!(service_with_title("movie").title(&actor(role), "tt0133093", Some("movie")).await.is_ok());
    }
}

#[tokio::test]
async fn an_invalid_id_is_never_sent() {
    for id in ["", "tt", "abc", "tt12345678901", "tt0133093/../x", "tt01 33"] {
        let outcome = service_without_calls().title(&manager(), id, None).await;
        assert_eq!(refused(outcome), vec![("ttid".to_owned(), "INVALID_FORMAT")], "{id}");
    }
    let both = refused(service_without_calls().title(&manager(), "x", Some("game")).await);
    assert_eq!(both, vec![("ttid".to_owned(), "INVALID_FORMAT"), ("as".to_owned(), "UNKNOWN_VALUE")]);
}

#[tokio::test]
async fn an_id_is_sent_in_one_spelling() {
    for text in ["tt0133093", "0133093", "133093", " tt0133093 "] {
        let mut films = MockFilmDatabase::new();
        films.expect_title().withf(|id| id.to_string() == "tt0133093").times(1).returning(|_| Ok(None));
        let outcome = service(films).title(&manager(), text, None).await;
        assert!(matches!(outcome, Err(Error::NoTitle(_))), "{text}: {outcome:?}");
    }
}

#[tokio::test]
async fn other_titles_do_not_fill_the_form_of_a_film() {
    for kind in ["tvSeries", "tvEpisode", "tvMovie", "videoGame"] {
        let outcome = service_with_title(kind).title(&manager(), "tt0133093", None).await;
        assert!(matches!(outcome, Err(Error::WrongTitleType(_))), "{kind}: {outcome:?}");
    }
}

#[tokio::test]
async fn failures_of_the_film_database_are_upstream_errors() {
    for (fault, topic) in [
        (FilmFault::Status { status: 503, retry_after: Some(9) }, "lookup.movie"),
        (FilmFault::TimedOut, "lookup.movie.timeout"),
        (FilmFault::Unreachable, "lookup.movie.unreachable"),
        (FilmFault::Unreadable, "lookup.movie.unreadable"),
    ] {
        let mut films = MockFilmDatabase::new();
        films.expect_title().return_once(move |_| Err(fault));
        let outcome = service(films).title(&manager(), "tt0133093", None).await.unwrap_err();
        assert_eq!((outcome.code(), outcome.topic().as_deref()), (Code::UpstreamFailed, Some(topic)));
    }
}

#[tokio::test]
async fn a_search_without_a_title_or_with_an_invalid_year_is_never_sent() {
    let long = "x".repeat(201);
    for (title, year, field, code) in [
        ("", None, "title", "REQUIRED"),
        ("   ", None, "title", "REQUIRED"),
        (long.as_str(), None, "title", "TOO_LONG"),
        ("matrix", Some("1799"), "year", "WRONG_TYPE"),
        ("matrix", Some("10000"), "year", "WRONG_TYPE"),
        ("matrix", Some("mcmxcix"), "year", "WRONG_TYPE"),
    ] {
        let outcome = service_without_calls().search(&manager(), title, year).await;
        assert_eq!(refused(outcome), vec![(field.to_owned(), code)], "{title} {year:?}");
    }
}

#[tokio::test]
async fn a_search_sends_the_trimmed_title_and_reports_an_empty_result() {
    let found = FoundTitle { imdb_id: "tt1".into(), title: "Matrix".into(), year: None, poster_url: None };
    let mut films = MockFilmDatabase::new();
    let answer = found.clone();
    films
        .expect_search()
        .withf(|title, year| title == "matrix" && *year == Some(1999))
        .times(1)
        .return_once(move |_, _| Ok(vec![answer]));
    assert_eq!(service(films).search(&manager(), " matrix ", Some(" 1999 ")).await.unwrap(), vec![found]);
    let mut films = MockFilmDatabase::new();
    films.expect_search().withf(|_, year| year.is_none()).return_once(|_, _| Ok(vec![]));
    let outcome = service(films).search(&manager(), "zzz", Some("")).await.unwrap_err();
    assert_eq!((outcome.code(), outcome.topic().as_deref()), (Code::NotFound, Some("lookup.search")));
}
