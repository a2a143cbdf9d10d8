//! Which channel of a guide a channel is (docs/spec/matching.md).

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::{Method, header::ETAG},
    web::{Data, Json},
};
use application::{
    AcceptRequest, CandidateRow, LinkRequest, MatchRow, MatchingService, UndoLinkRequest, match_permission,
};
use chrono::{DateTime, Utc};
use domain_kernel::{Action, Enumeration, ErrorKind, Id, Page, Version};
use domain_live::matching::{
    LinkVerdict, MatchLevel, MatchReason, Matching, MatchingCounts, MatchingSettings, MatchingState,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    contents::{ETAG_ABOUT, if_match},
    operations::OperationAnswer,
    schedule::{ProgrammeAnswer, short},
};
use crate::{
    caller::AuthUser,
    extract::{Body, IfMatch, ItemId, Pairs},
    language::Language,
    openapi::Api,
    problem::Problem,
};

const TAG: &str = "epg-matches";

/// A reason with its sentence.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EpgMatchReason")]
struct ReasonAnswer {
    /// The code.
    code: MatchReason,
    /// The same in words, in the language of the request.
    message: &'static str,
}

/// A channel of a guide that the channel may be.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EpgCandidate")]
struct CandidateAnswer {
    /// The guide.
    guide_id: Id,
    /// Its title; null where it is gone.
    guide_title: Option<String>,
    /// The id of the channel in the guide.
    xml_id: String,
    /// What the guide called it when it was compared.
    name: String,
    /// 0 to 100.
    score: u8,
    /// What speaks for it.
    #[serde(rename = "for")]
    for_: Vec<ReasonAnswer>,
    /// What speaks against it.
    against: Vec<ReasonAnswer>,
    /// What is on there now.
    now: Option<ProgrammeAnswer>,
}

/// What was found for a channel, and what was decided.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EpgMatch")]
struct MatchAnswer {
    /// The channel.
    id: Id,
    /// Counts what was found and decided; the `ETag` of a decision carries it.
    version: Version,
    /// The number of the channel on the remote control.
    channel_number: i32,
    /// The name of the channel.
    title: String,
    /// Its logo.
    image_url: Option<String>,
    /// Its id in the guide.
    epg_id: Option<String>,
    /// `REVIEW`: somebody has to decide. `AUTO`: it is linked, or surely is the first candidate. `NONE`: no guide has it.
    level: MatchLevel,
    /// Up to five, best first.
    candidates: Vec<CandidateAnswer>,
    /// What was decided last.
    decision: Option<LinkVerdict>,
    /// By whom; null where it was linked without asking.
    decided_by: Option<String>,
    /// When.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    decided_date: Option<DateTime<Utc>>,
    /// Until when the decision can be taken back; null where there is none.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    undo_until: Option<DateTime<Utc>>,
}

fn candidate(row: CandidateRow, language: Language) -> CandidateAnswer {
    let reasons = |reasons: Vec<MatchReason>| {
        let said = |code: MatchReason| ReasonAnswer { code, message: code.labels().in_language(language.0) };
        reasons.into_iter().map(said).collect()
    };
    let of = row.proposal;
    CandidateAnswer {
        guide_id: of.of.guide_id,
        guide_title: row.guide_title,
        xml_id: of.of.xml_id,
        name: of.name,
        score: of.score,
        for_: reasons(of.for_),
        against: reasons(of.against),
        now: row.now.map(|kept| short(&kept, language)),
    }
}

fn answer(row: MatchRow, language: Language) -> MatchAnswer {
    let undo_until = row.undo_until();
    let of = row.of;
    MatchAnswer {
        id: of.channel,
        version: of.version,
        channel_number: of.number,
        title: of.title,
        image_url: of.image_url,
        epg_id: of.epg_id,
        level: of.level,
        candidates: row.candidates.into_iter().map(|one| candidate(one, language)).collect(),
        decision: of.decision,
        decided_by: of.decided_by,
        decided_date: of.decided_date,
        undo_until,
    }
}

/// How many channels have a level.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EpgMatchCount")]
struct LevelAnswer {
    /// The level.
    level: MatchLevel,
    /// Active channels.
    count: u64,
}

/// How channels are matched with guides, and how far that is.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EpgMatching")]
struct MatchingAnswer {
    #[serde(flatten)]
    settings: MatchingSettings,
    /// Counts changes of the settings, from 1; the `ETag` carries it.
    version: Version,
    /// Who changed the settings last.
    updated_by: Option<String>,
    /// How far it is.
    state: MatchingState,
    /// Who requested the last run; null where it was due.
    requested_by: Option<String>,
    /// When the last run ended, also one that failed.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    finished_date: Option<DateTime<Utc>>,
    /// What the last one that compared channels came to.
    counts: MatchingCounts,
    /// Channels by level, as they are now.
    levels: Vec<LevelAnswer>,
}

impl From<Matching> for MatchingAnswer {
    fn from(of: Matching) -> Self {
        let level = |level: &MatchLevel| LevelAnswer {
            level: *level,
            count: of.levels.get(level).copied().unwrap_or(0),
        };
        Self {
            levels: MatchLevel::ALL.iter().map(level).collect(),
            settings: of.settings,
            version: of.version,
            updated_by: of.updated_by,
            state: of.state,
            requested_by: of.requested_by,
            finished_date: of.finished_date,
            counts: of.counts,
        }
    }
}

pub(crate) fn register(api: &mut Api) {
    let found = api.schemas.response::<MatchAnswer>();
    register_matching(api);
    register_list(api, &found);
    register_decisions(api, &found);
}

fn register_matching(api: &mut Api) {
    let matching = api.schemas.response::<MatchingAnswer>();
    let settings = api.schemas.request::<MatchingSettings>();
    drop(
        api.route(Method::GET, "/epg-matching", "getEpgMatching", matching_of_all)
            .about(TAG, "Get how channels are matched with guides, and how far that is")
            .requires(match_permission(Action::Read))
            .answers(200, "The settings and the last run.", matching.clone())
            .answers_header(200, "ETag", ETAG_ABOUT),
    );
    drop(
        if_match(api.route(Method::PUT, "/epg-matching", "replaceEpgMatching", configure))
            .about(TAG, "Replace the thresholds of matching")
            .explained("Every channel without a link is matched anew. Needs the permission to update TV guides, too.")
            .requires(match_permission(Action::Update))
            .takes(settings)
            .answers(200, "The settings and the last run.", matching.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Outdated]),
    );
    drop(
        api.route(Method::POST, "/epg-matching/run", "runEpgMatching", run)
            .about(TAG, "Match every channel without a link now")
            .explained("Without a body. A job does it within seconds; it also does so by itself when guides or channels change.")
            .requires(match_permission(Action::Update))
            .answers(202, "It is going to be done.", matching),
    );
}

fn register_list(api: &mut Api, found: &Value) {
    let page = api.schemas.page_of("EpgMatchPage", "A page of what was found.", found);
    let codes = |codes: &[&str]| json!({"type": "array", "items": {"type": "string", "enum": codes}});
    drop(
        api.route(Method::GET, "/epg-matches", "listEpgMatch", list)
            .about(TAG, "List which channels of guides channels may be")
            .explained(
                "Active channels by number. `search` looks in numbers and names of channels. The other filters are about the best \
                 candidate.",
            )
            .requires(match_permission(Action::Read))
            .lists(&MatchingService::list_shape())
            .filter("level", codes(MatchLevel::CODES), "What is to be done.")
            .filter("guide", json!({"type": "integer"}), "Its guide.")
            .filter("channel", json!({"type": "integer"}), "The channel.")
            .filter("reason", codes(MatchReason::CODES), "What speaks for or against it: all of these.")
            .filter("minScore", json!({"type": "integer"}), "Its score at least.")
            .filter("clear", json!({"type": "boolean"}), "Whether nothing speaks against it.")
            .filter("decided", json!({"type": "boolean"}), "Whether something was decided about the channel.")
            .answers(200, "A page of rows.", page)
            .fails(&[ErrorKind::Invalid]),
    );
}

fn register_decisions(api: &mut Api, found: &Value) {
    let link = api.schemas.request::<LinkRequest>();
    let accept = api.schemas.request::<AcceptRequest>();
    let undo = api.schemas.request::<UndoLinkRequest>();
    let operation = api.schemas.response::<OperationAnswer>();
    drop(
        if_match(api.route(Method::PUT, "/tv-channels/{id}/guide-link", "linkTvChannel", decide))
            .about(TAG, "Decide which channel of a guide a TV channel is")
            .explained(
                "The decision beats every guess and survives changes of playlists and guides. `If-Match` has the version of the \
                 match. Where somebody else decided meanwhile the answer is 409, with who and what in its arguments.",
            )
            .requires(match_permission(Action::Update))
            .takes(link)
            .answers(200, "What was decided.", found.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated, ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::POST, "/epg-matches/accept", "acceptEpgMatches", accept_all)
            .about(TAG, "Link many channels with their best candidates")
            .explained(
                "One operation, which can be watched, cancelled and undone. Needs the permissions to create and to update channels. \
                 A channel that somebody changes meanwhile keeps that change.",
            )
            .requires(match_permission(Action::Update))
            .takes(accept)
            .answers(202, "They are going to be linked.", operation)
            .fails(&[ErrorKind::Conflict]),
    );
    drop(
        if_match(api.route(Method::POST, "/epg-matches/undo", "undoEpgDecision", undo_one))
            .about(TAG, "Take the last decision about a channel back")
            .explained(
                "For 24 hours. The channel has what it had before, unless somebody changed that since. The decision before holds \
                 again, or the channel waits for one. `If-Match` has the version of the match with the decision: where it is not the \
                 last one any more the answer is 409, with who decided what. Operations are undone as a whole.",
            )
            .requires(match_permission(Action::Update))
            .takes(undo)
            .answers(200, "The channel, with the decision that holds again or candidates.", found.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated, ErrorKind::Conflict]),
    );
}

type Matches = Data<MatchingService>;

fn tagged(mut response: HttpResponseBuilder, version: Version, body: &impl Serialize) -> HttpResponse {
    response.insert_header((ETAG, format!("\"{version}\""))).json(body)
}

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
    Ok(row(service.decide(&caller, id.0, &body.0, expected.0).await?, language))
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
