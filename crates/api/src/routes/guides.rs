//! How TV guides are fetched (docs/spec/schedule.md#fetching-a-guide).

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::{Method, header::ETAG},
    web::{Data, Json, Payload},
};
use application::{GuideService, guide_permission};
use chrono::{DateTime, Utc};
use domain_kernel::{Action, Enumeration, ErrorKind, Id, Page, Version};
use domain_live::{
    guide::GuideFault,
    guide_fetch::{GuideCounts, GuideFetch, GuideFetchFault, GuideFetchState, GuideSettings},
};
use futures_util::StreamExt;
use ports::ListedGuideChannel;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::contents::{ETAG_ABOUT, if_match};
use crate::{
    body_limit::LARGEST_GUIDE,
    caller::AuthUser,
    extract::{Body, IfMatch, ItemId, Pairs, body_fault},
    language::Language,
    openapi::Api,
    problem::Problem,
};

const TAG: &str = "tv-guides";

/// Something that was left out of a guide.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GuideExample")]
struct ExampleAnswer {
    /// The code of the reason.
    reason: String,
    /// The same in words.
    message: String,
    /// What it says: an id, a time, a title.
    text: String,
}

/// How much was left out of a guide for one reason.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GuideLeftOut")]
struct LeftOutAnswer {
    /// The code of the reason.
    reason: String,
    /// The same in words.
    message: String,
    /// How often.
    count: u64,
}

/// A channel of a guide.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GuideChannel")]
struct ChannelAnswer {
    /// By which its programmes are kept.
    id: Id,
    /// Its id in the guide.
    epg_id: String,
    /// Its first name, or its id.
    title: String,
    /// Whether an active channel has its programmes from it.
    used: bool,
}

impl From<ListedGuideChannel> for ChannelAnswer {
    fn from(of: ListedGuideChannel) -> Self {
        Self { id: of.id, epg_id: of.xml_id, title: of.title, used: of.used }
    }
}

/// How a guide is fetched, and what became of it last.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GuideFetch")]
struct FetchAnswer {
    /// The guide.
    guide_id: Id,
    /// Its title.
    title: String,
    /// Whether it is active: an inactive one is fetched by request alone.
    active: bool,
    /// Counts changes of the settings, from 1; the `ETag` carries it.
    version: Version,
    #[serde(flatten)]
    settings: GuideSettings,
    /// How far the newest fetch is.
    state: GuideFetchState,
    /// The file that is read, where it was uploaded.
    file_name: Option<String>,
    /// Who requested it; null for the schedule.
    requested_by: Option<String>,
    /// Why it changed nothing, or only in part.
    fault: Option<GuideFetchFault>,
    /// The status with which the source answered, where it is the reason.
    status_code: Option<u16>,
    /// When the newest fetch ended.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    finished_date: Option<DateTime<Utc>>,
    /// When it was last read, whole or in part, or found unchanged.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    last_good_date: Option<DateTime<Utc>>,
    /// When it is fetched next.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    next_fetch_date: Option<DateTime<Utc>>,
    /// The end of its last programme.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    newest_programme: Option<DateTime<Utc>>,
    /// What the newest fetch that read it found.
    counts: GuideCounts,
    /// What the same fetch left out, by reason.
    left_out: Vec<LeftOutAnswer>,
    /// Some of what was left out.
    examples: Vec<ExampleAnswer>,
}

fn answer(fetch: GuideFetch, language: Language) -> FetchAnswer {
    let message = |code: &str| {
        let labels = GuideFault::from_code(code).map(Enumeration::labels);
        labels.map(|labels| labels.in_language(language.0).to_owned()).unwrap_or_default()
    };
    let examples = fetch.examples.into_iter().map(|one| ExampleAnswer {
        message: message(&one.reason),
        reason: one.reason,
        text: one.text,
    });
    let mut counts = GuideCounts { read_by: None, ..fetch.counts };
    let left_out = std::mem::take(&mut counts.left_out).into_iter().map(|(reason, count)| LeftOutAnswer {
        message: message(&reason),
        reason,
        count,
    });
    let left_out = left_out.collect();
    FetchAnswer {
        guide_id: fetch.guide,
        title: fetch.title,
        active: fetch.active,
        version: fetch.version,
        settings: fetch.settings,
        state: fetch.state,
        file_name: fetch.file_name,
        requested_by: fetch.requested_by,
        fault: fetch.fault,
        status_code: fetch.status_code,
        finished_date: fetch.finished_date,
        last_good_date: fetch.last_good_date,
        next_fetch_date: fetch.next_fetch_date,
        newest_programme: fetch.newest_programme,
        counts,
        left_out,
        examples: examples.collect(),
    }
}

pub(crate) fn register(api: &mut Api) {
    let fetch = api.schemas.response::<FetchAnswer>();
    let settings = api.schemas.request::<GuideSettings>();
    drop(
        api.route(Method::GET, "/guide-fetches", "listGuideFetch", list)
            .about(TAG, "List how TV guides are fetched")
            .explained("Every guide, in the order of ids: guides are few.")
            .requires(guide_permission(Action::Read))
            .answers(200, "All of them.", json!({"type": "array", "items": fetch})),
    );
    drop(
        api.route(Method::GET, "/tv-guides/{id}/fetching", "getGuideFetch", find)
            .about(TAG, "Get how a TV guide is fetched, and what became of it last")
            .requires(guide_permission(Action::Read))
            .answers(200, "Its settings and its newest fetch.", fetch.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        if_match(api.route(Method::PUT, "/tv-guides/{id}/fetching", "replaceGuideSettings", configure))
            .about(TAG, "Replace how a TV guide is fetched and read")
            .explained("After another zone or shift the next fetch reads the guide anew, even if its source has nothing new.")
            .requires(guide_permission(Action::Update))
            .takes(settings)
            .answers(200, "Its settings and its newest fetch.", fetch.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated]),
    );
    drop(
        api.route(Method::POST, "/tv-guides/{id}/fetch", "fetchGuide", begin)
            .about(TAG, "Fetch a TV guide now")
            .explained(
                "A job does it within seconds. Programmes are replaced channel by channel, in the span that the guide covers and \
                 no more. A source that fails, or has no programme, changes nothing.",
            )
            .requires(guide_permission(Action::Update))
            .answers(202, "It is going to be fetched.", fetch.clone())
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::POST, "/tv-guides/{id}/upload", "uploadGuide", upload)
            .about(TAG, "Upload the file of a TV guide")
            .explained(
                "The body is the file (XMLTV), packed by gzip or xz or not; at most 200 MB. A job reads it within seconds, also where \
                 a fetch of the address has begun since the upload began: the file is read in its place.",
            )
            .requires(guide_permission(Action::Update))
            .query("fileName", json!({"type": "string", "maxLength": 200}), "What the file is called.")
            .takes_file()
            .answers(202, "It is going to be read.", fetch)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    register_channels(api);
}

fn register_channels(api: &mut Api) {
    let channel = api.schemas.response::<ChannelAnswer>();
    let page = api.schemas.page_of("GuideChannelPage", "A page of channels of a guide.", &channel);
    drop(
        api.route(Method::GET, "/tv-guides/{id}/channels", "listGuideChannels", channels)
            .about(TAG, "List the channels of a TV guide")
            .explained("In the order of their ids in the guide. The search looks in their names and ids.")
            .requires(guide_permission(Action::Read))
            .lists(&GuideService::channels_shape())
            .query(
                "used",
                json!({"type": "boolean"}),
                "Only channels that an active channel uses, or only the others.",
            )
            .answers(200, "A page of channels.", page)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
}

type Guides = Data<GuideService>;

fn tagged(mut response: HttpResponseBuilder, fetch: GuideFetch, language: Language) -> HttpResponse {
    response.insert_header((ETAG, format!("\"{}\"", fetch.version))).json(answer(fetch, language))
}

async fn list(
    caller: AuthUser,
    service: Guides,
    language: Language,
) -> Result<Json<Vec<FetchAnswer>>, Problem> {
    let all = service.fetches(&caller).await?;
    Ok(Json(all.into_iter().map(|fetch| answer(fetch, language)).collect()))
}

async fn channels(
    caller: AuthUser,
    service: Guides,
    id: ItemId,
    pairs: Pairs,
) -> Result<Json<Page<Vec<ChannelAnswer>>>, Problem> {
    let page = service.channels(&caller, id.0, &pairs.0).await?;
    Ok(Json(page.map(|channels| channels.into_iter().map(ChannelAnswer::from).collect())))
}

async fn find(
    caller: AuthUser,
    service: Guides,
    id: ItemId,
    language: Language,
) -> Result<HttpResponse, Problem> {
    Ok(tagged(HttpResponse::Ok(), service.fetch(&caller, id.0).await?, language))
}

async fn configure(
    caller: AuthUser,
    service: Guides,
    id: ItemId,
    expected: IfMatch,
    language: Language,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let fetch = service.configure(&caller, id.0, &body.0, expected.0).await?;
    Ok(tagged(HttpResponse::Ok(), fetch, language))
}

async fn begin(
    caller: AuthUser,
    service: Guides,
    id: ItemId,
    language: Language,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Accepted().json(answer(service.begin(&caller, id.0).await?, language)))
}

async fn upload(
    caller: AuthUser,
    service: Guides,
    id: ItemId,
    language: Language,
    pairs: Pairs,
    mut payload: Payload,
) -> Result<HttpResponse, Problem> {
    let mut upload = service.begin_upload(&caller, id.0).await?;
    let largest = usize::try_from(service.largest_upload()).unwrap_or(LARGEST_GUIDE);
    while let Some(part) = payload.next().await {
        let part = part.map_err(|error| body_fault(&error, largest))?;
        if !service.feed(&mut upload, &part).await? {
            return Err(Problem::too_large(largest));
        }
    }
    let fetch = service.finish_upload(&caller, upload, pairs.get("fileName").unwrap_or_default()).await?;
    Ok(HttpResponse::Accepted().json(answer(fetch, language)))
}
