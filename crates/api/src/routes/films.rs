//! Lookups in the external film database.

use actix_web::{
    http::Method,
    web::{Data, Json, Path},
};
use application::{FilmService, Prefill};
use domain_catalogue::{
    EpisodePrefill, FoundTitle, Kind, MoviePrefill, SeasonPreview, ShowPrefill, TitleUse,
};
use domain_kernel::{Action, Enumeration, ErrorKind};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::{caller::AuthUser, extract::Pairs, openapi::Api, problem::Problem};

/// Results of a search.
#[derive(Serialize, JsonSchema)]
struct FoundTitles {
    /// Films, in the order of the film database.
    results: Vec<FoundTitle>,
}

pub(crate) fn register(api: &mut Api) {
    let prefill = json!({"anyOf": [
        api.schemas.response::<MoviePrefill>(),
        api.schemas.response::<ShowPrefill>(),
        api.schemas.response::<EpisodePrefill>(),
    ]});
    let season_preview = api.schemas.response::<SeasonPreview>();
    let found = api.schemas.response::<FoundTitles>();
    let permission = Kind::Movies.permission(Action::Create);
    drop(
        api.route(Method::GET, "/lookup/titles/{ttid}", "lookupTitle", title)
            .about("lookup", "Look up a title in the film database")
            .explained("`ttid` is `tt0133093` or `0133093`. Fields that are unknown to the film database are missing from `draft`. MOVIE_UPDATE, TVSHOW_CREATE or TVSHOW_UPDATE also suffices.")
            .requires(permission)
            .query("as", json!({"type": "string", "enum": TitleUse::CODES, "default": "movie"}), "Use of the result.")
            .answers(200, "Values for the form.", prefill)
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid, ErrorKind::Upstream]),
    );
    drop(
        api.route(Method::GET, "/lookup/titles/{ttid}/episodes", "lookupSeason", season)
            .about("lookup", "List the episodes of a season of a series in the film database")
            .requires(permission)
            .query(
                "season",
                json!({"type": "integer", "minimum": 1, "maximum": 9999, "default": 1}),
                "Number of the season.",
            )
            .answers(200, "The season.", season_preview)
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid, ErrorKind::Upstream]),
    );
    drop(
        api.route(Method::GET, "/lookup/search", "lookupSearch", search)
            .about("lookup", "Search the film database for films by title")
            .requires(permission)
            .query(
                "title",
                json!({"type": "string", "minLength": 1, "maxLength": 200}),
                "Words in the title.",
            )
            .query("year", json!({"type": "integer", "minimum": 1800, "maximum": 9999}), "Year of release.")
            .answers(200, "The results.", found)
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid, ErrorKind::Upstream]),
    );
}

async fn title(
    caller: AuthUser,
    service: Data<FilmService>,
    id: Path<String>,
    pairs: Pairs,
) -> Result<Json<Prefill>, Problem> {
    Ok(Json(service.title(&caller, &id, pairs.get("as")).await?))
}

async fn season(
    caller: AuthUser,
    service: Data<FilmService>,
    id: Path<String>,
    pairs: Pairs,
) -> Result<Json<SeasonPreview>, Problem> {
    Ok(Json(service.season(&caller, &id, pairs.get("season")).await?))
}

async fn search(
    caller: AuthUser,
    service: Data<FilmService>,
    pairs: Pairs,
) -> Result<Json<FoundTitles>, Problem> {
    let results = service.search(&caller, pairs.get("title").unwrap_or_default(), pairs.get("year")).await?;
    Ok(Json(FoundTitles { results }))
}
