//! Matches of channels with channels of guides (docs/spec/matching.md).

mod answers;
mod comparing;

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::{
    AcceptRequest, Candidates, ComparedGuide, Error, GuideComparison, LinkRequest, MatchRow, MatchingService,
    UndoLinkRequest, match_permission,
};
use domain_kernel::{Action, Code, Enumeration, ErrorKind, Id, Page, Violation, Violations};
use domain_live::matching::{LinkVerdict, MatchLevel, MatchReason, MatchingSettings};
use serde_json::{Value, json};

use self::{
    answers::{CandidatesAnswer, MatchAnswer, MatchingAnswer, NumbersAnswer, answer, candidate, numbers},
    comparing::{compare, turn},
};
use super::{
    answer_headers::tagged,
    contents::{ETAG_ABOUT, if_match},
    operations::OperationAnswer,
    playlist_runs::Playlists,
};
use crate::{
    caller::AuthUser,
    extract::{Body, IfMatch, ItemId, Pairs},
    language::Language,
    openapi::{Api, Operation},
    problem::Problem,
};

const TAG: &str = "epg-matches";

pub(crate) fn register(api: &mut Api) {
    let found = api.schemas.response::<MatchAnswer>();
    register_matching(api);
    register_list(api, &found);
    register_candidates(api);
    register_decisions(api, &found);
}

fn register_matching(api: &mut Api) {
    let matching = api.schemas.response::<MatchingAnswer>();
    let settings = api.schemas.request::<MatchingSettings>();
    drop(
        api.route(Method::GET, "/epg-matching", "getEpgMatching", matching_of_all)
            .about(TAG, "Get the settings and state of EPG matching")
            .requires(match_permission(Action::Read))
            .answers(200, "Settings and last run.", matching.clone())
            .answers_header(200, "ETag", ETAG_ABOUT),
    );
    drop(
        if_match(api.route(Method::PUT, "/epg-matching", "replaceEpgMatching", configure))
            .about(TAG, "Replace the thresholds of matching")
            .explained(
                "All channels without a link are matched again. Also needs the permission to update \
                 TV guides.",
            )
            .requires(match_permission(Action::Update))
            .takes(settings)
            .answers(200, "Settings and last run.", matching.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Outdated]),
    );
    drop(
        api.route(Method::POST, "/epg-matching/run", "runEpgMatching", run)
            .about(TAG, "Match all channels without a link now")
            .explained(
                "No body. Runs in the background within seconds. Matching also runs automatically \
                 after changes of guides or channels.",
            )
            .requires(match_permission(Action::Update))
            .answers(202, "The run is queued.", matching),
    );
}

fn register_list(api: &mut Api, found: &Value) {
    let page = api.schemas.page_of("EpgMatchPage", "Page of matches.", found);
    let numbers = api.schemas.response::<NumbersAnswer>();
    let counted = api
        .route(Method::GET, "/epg-matches/counts", "countEpgMatch", count)
        .about(TAG, "Count matches by score and by reason")
        .explained("The channels that the list with the same `search` and filters has.")
        .requires(match_permission(Action::Read))
        .query("search", json!({"type": "string", "maxLength": 200}), "Substring to look for.");
    drop(with_filters(counted).answers(200, "Numbers of channels.", numbers).fails(&[ErrorKind::Invalid]));
    let listed = api
        .route(Method::GET, "/epg-matches", "listEpgMatch", list)
        .about(TAG, "List matches of channels with guides")
        .explained(
            "Active channels by number. `search` applies to numbers and names of channels. The other \
             filters apply to the best candidate.",
        )
        .requires(match_permission(Action::Read))
        .lists(&MatchingService::list_shape());
    drop(with_filters(listed).answers(200, "A page of rows.", page).fails(&[ErrorKind::Invalid]));
}

/// The filters of the list.
fn with_filters(operation: Operation<'_>) -> Operation<'_> {
    let codes = |codes: &[&str]| json!({"type": "array", "items": {"type": "string", "enum": codes}});
    operation
        .filter("level", codes(MatchLevel::CODES), "Level of the match.")
        .filter("guide", json!({"type": "integer"}), "ID of the guide.")
        .filter("channel", json!({"type": "integer"}), "ID of the channel.")
        .filter("reason", codes(MatchReason::CODES), "Reasons for or against the match; all must apply.")
        .filter("minScore", json!({"type": "integer"}), "Minimum score.")
        .filter("maxScore", json!({"type": "integer"}), "Maximum score.")
        .filter("clear", json!({"type": "boolean"}), "Whether there is no reason against the match.")
        .filter("decided", json!({"type": "boolean"}), "Whether the channel has a decision.")
        .filter("decision", codes(LinkVerdict::CODES), "The last decision.")
}

fn register_candidates(api: &mut Api) {
    let candidates = api.schemas.response::<CandidatesAnswer>();
    let id = || json!({"type": "integer", "minimum": 1});
    drop(
        api.route(Method::GET, "/epg-matches/candidates", "getEpgCandidates", candidates_of)
            .about(TAG, "Get the candidates of a channel or of a playlist entry")
            .explained(
                "Compares now, with one guide or with all by priority, by the rules of a run of matching. \
                 Either `channel`, or `run` and `entry`. An entry is compared as the channel that it would \
                 create, and also needs the permission to read playlists; a radio station has no candidates. \
                 Requests are compared one after the other.",
            )
            .requires(match_permission(Action::Read))
            .query("channel", id(), "ID of the channel.")
            .query("run", id(), "ID of a playlist run, the newest finished one of its source.")
            .query("entry", id(), "ID of an entry of that run's source.")
            .query(
                "guide",
                id(),
                "ID of the guide, active or not; without it, all active guides that were read.",
            )
            .answers(200, "Candidates with their reasons.", candidates)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict, ErrorKind::Invalid]),
    );
}

fn register_decisions(api: &mut Api, found: &Value) {
    let link = api.schemas.request::<LinkRequest>();
    let accept = api.schemas.request::<AcceptRequest>();
    let undo = api.schemas.request::<UndoLinkRequest>();
    let operation = api.schemas.response::<OperationAnswer>();
    drop(
        if_match(api.route(Method::PUT, "/tv-channels/{id}/guide-link", "linkTvChannel", decide))
            .about(TAG, "Decide about the guide link of a TV channel")
            .explained(
                "The decision precedes all candidates and survives changes of playlists and guides. \
                 `If-Match` has the version of the match. If another user has decided meanwhile, the \
                 response is 409 with that user and decision in its arguments.",
            )
            .requires(match_permission(Action::Update))
            .takes(link)
            .answers(200, "Match with the decision.", found.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated, ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::POST, "/epg-matches/accept", "acceptEpgMatches", accept_all)
            .about(TAG, "Link many channels with their best candidates")
            .explained(
                "Starts one operation, which can be watched, cancelled and undone. Needs the permissions \
                 to create and to update channels. A concurrent change of a channel by another user is \
                 kept.",
            )
            .requires(match_permission(Action::Update))
            .takes(accept)
            .answers(202, "Started operation.", operation)
            .fails(&[ErrorKind::Conflict]),
    );
    drop(
        if_match(api.route(Method::POST, "/epg-matches/undo", "undoEpgDecision", undo_one))
            .about(TAG, "Undo the last decision about a channel")
            .explained(
                "Possible for 24 hours. Restores the previous link of the channel, unless it was changed \
                 since, and the previous decision, if any. `If-Match` has the version of the match with \
                 the decision: if it is no longer the last one, the response is 409 with the user and \
                 decision. Operations are undone as a whole.",
            )
            .requires(match_permission(Action::Update))
            .takes(undo)
            .answers(200, "Match with the previous decision, or with candidates.", found.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated, ErrorKind::Conflict]),
    );
}

type Matches = Data<MatchingService>;

fn row(row: MatchRow, language: Language) -> HttpResponse {
    tagged(HttpResponse::Ok(), row.of.version, &answer(row, language))
}

async fn list(
    caller: AuthUser,
    service: Matches,
    pairs: Pairs,
    language: Language,
) -> Result<Json<Page<Vec<MatchAnswer>>>, Problem> {
    let page = service.list(&caller, &pairs.0).await?;
    Ok(Json(page.map(|rows| rows.into_iter().map(|row| answer(row, language)).collect())))
}

async fn count(
    caller: AuthUser,
    service: Matches,
    pairs: Pairs,
    language: Language,
) -> Result<Json<NumbersAnswer>, Problem> {
    Ok(Json(numbers(service.numbers(&caller, &pairs.0).await?, language)))
}

/// The channel, or the run and the entry, whose candidates are requested.
enum CandidatesOf {
    Channel(Id),
    Entry { run: Id, entry: Id },
}

fn id_in(pairs: &Pairs, name: &str) -> Result<Option<Id>, Violation> {
    let read = |text: &str| text.parse::<Id>().ok().filter(|id| *id > 0);
    pairs
        .get(name)
        .map(|text| {
            read(text).ok_or_else(|| Violation::new(name, Code::WrongType).with("expected", "integer"))
        })
        .transpose()
}

fn requested(pairs: &Pairs) -> Result<(CandidatesOf, Option<Id>), Violation> {
    let guide = id_in(pairs, "guide")?;
    let of = match (id_in(pairs, "channel")?, id_in(pairs, "run")?, id_in(pairs, "entry")?) {
        (Some(channel), None, None) => CandidatesOf::Channel(channel),
        (None, Some(run), Some(entry)) => CandidatesOf::Entry { run, entry },
        (Some(_), Some(_), _) => return Err(Violation::new("run", Code::UnknownField)),
        (Some(_), None, Some(_)) => return Err(Violation::new("entry", Code::UnknownField)),
        (None, Some(_), None) => return Err(Violation::new("entry", Code::Required)),
        (None, None, Some(_)) => return Err(Violation::new("run", Code::Required)),
        (None, None, None) => return Err(Violation::new("channel", Code::Required)),
    };
    Ok((of, guide))
}

async fn candidates_of(
    caller: AuthUser,
    service: Matches,
    playlists: Playlists,
    pairs: Pairs,
    language: Language,
) -> Result<Json<CandidatesAnswer>, Problem> {
    // Before the wait for a turn.
    caller.require(match_permission(Action::Read)).map_err(Error::from)?;
    let (of, guide) = requested(&pairs).map_err(|fault| Error::from(Violations(vec![fault])))?;
    let turn = turn().await?;
    let run = async |work: GuideComparison| compare(work, turn.clone()).await;
    let Candidates { version, link, level, candidates } = match of {
        CandidatesOf::Channel(channel) => {
            service.candidates_of_channel(&caller, channel, guide, &run).await?
        }
        CandidatesOf::Entry { run: of_run, entry } => {
            let entry = playlists.entry_of_run(&caller, of_run, entry).await?;
            service.candidates_of_entry(&caller, entry, guide, &run).await?
        }
    };
    let candidates = candidates.into_iter().map(|one| candidate(one, language)).collect();
    Ok(Json(CandidatesAnswer { version, link: link.map(Into::into), level, candidates }))
}

async fn matching_of_all(caller: AuthUser, service: Matches) -> Result<HttpResponse, Problem> {
    let matching = service.matching(&caller).await?;
    Ok(tagged(HttpResponse::Ok(), matching.version, &MatchingAnswer::from(matching)))
}

async fn configure(
    caller: AuthUser,
    service: Matches,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let matching = service.configure(&caller, &body.0, expected.0).await?;
    Ok(tagged(HttpResponse::Ok(), matching.version, &MatchingAnswer::from(matching)))
}

async fn run(caller: AuthUser, service: Matches) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Accepted().json(MatchingAnswer::from(service.request(&caller).await?)))
}

async fn decide(
    caller: AuthUser,
    service: Matches,
    id: ItemId,
    expected: IfMatch,
    language: Language,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let run =
        async |work: GuideComparison| -> Result<ComparedGuide, Error> { compare(work, turn().await?).await };
    Ok(row(service.decide(&caller, id.0, &body.0, expected.0, &run).await?, language))
}

async fn accept_all(caller: AuthUser, service: Matches, body: Body) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Accepted().json(OperationAnswer::from(service.accept(&caller, &body.0).await?)))
}

async fn undo_one(
    caller: AuthUser,
    service: Matches,
    expected: IfMatch,
    language: Language,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(row(service.undo(&caller, &body.0, expected.0).await?, language))
}
