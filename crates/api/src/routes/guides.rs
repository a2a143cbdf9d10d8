//! Fetches of TV guides (docs/spec/schedule.md#fetching-a-guide).

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::Method,
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

use super::{
    answer_headers::tagged,
    contents::{ETAG_ABOUT, if_match},
};
use crate::{
    body_limit::LARGEST_GUIDE,
    caller::AuthUser,
    extract::{Body, IfMatch, ItemId, Pairs, body_fault},
    language::Language,
    openapi::Api,
    problem::Problem,
};

const TAG: &str = "tv-guides";

/// Example of a rejection within a guide.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GuideExample")]
struct ExampleAnswer {
    /// Code of the reason.
    reason: String,
    /// Text of the reason, in the language of the request.
    message: String,
    /// Rejected value: an ID, a time, a title.
    text: String,
}

/// Number of rejections within a guide for one reason.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GuideLeftOut")]
struct LeftOutAnswer {
    /// Code of the reason.
    reason: String,
    /// Text of the reason, in the language of the request.
    message: String,
    /// Number of rejections.
    count: u64,
}

/// Channel of a guide.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GuideChannel")]
struct ChannelAnswer {
    /// ID of the stored channel.
    id: Id,
    /// ID of the channel in the guide.
    epg_id: String,
    /// First name of the channel, or its ID.
    title: String,
    /// Whether an active channel uses its programmes.
    used: bool,
}

impl From<ListedGuideChannel> for ChannelAnswer {
    fn from(of: ListedGuideChannel) -> Self {
        Self { id: of.id, epg_id: of.xml_id, title: of.title, used: of.used }
    }
}

/// Settings of a guide, and its newest fetch.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GuideFetch")]
struct FetchAnswer {
    /// ID of the guide.
    guide_id: Id,
    /// Title of the guide.
    title: String,
    /// Whether the guide is active: an inactive one is fetched only on request.
    active: bool,
    /// Version of the settings, from 1, for the `ETag`.
    version: Version,
    #[serde(flatten)]
    settings: GuideSettings,
    /// State of the newest fetch.
    state: GuideFetchState,
    /// Name of the uploaded file.
    file_name: Option<String>,
    /// User who requested the fetch; null for a scheduled one.
    requested_by: Option<String>,
    /// Reason why the fetch changed nothing, or read only a part.
    fault: Option<GuideFetchFault>,
    /// HTTP status of the source, if it is the reason.
    status_code: Option<u16>,
    /// End of the newest fetch.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    finished_date: Option<DateTime<Utc>>,
    /// Time of the last successful read, complete or partial, or of an unchanged response.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    last_good_date: Option<DateTime<Utc>>,
    /// Time of the next fetch.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    next_fetch_date: Option<DateTime<Utc>>,
    /// End of the last programme.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    newest_programme: Option<DateTime<Utc>>,
    /// Counts of the newest fetch that read the guide.
    counts: GuideCounts,
    /// Rejections of the same fetch, by reason.
    left_out: Vec<LeftOutAnswer>,
    /// Examples of rejections.
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
    let mut counts = GuideCounts { read_by: None, unpacked_bytes: None, ..fetch.counts };
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
            .about(TAG, "List settings and fetches of TV guides")
            .explained("All guides, by ID, without pages.")
            .requires(guide_permission(Action::Read))
            .answers(
                200,
                "Settings and newest fetch of each guide.",
                json!({"type": "array", "items": fetch}),
            ),
    );
    drop(
        api.route(Method::GET, "/tv-guides/{id}/fetching", "getGuideFetch", find)
            .about(TAG, "Get the settings and newest fetch of a TV guide")
            .requires(guide_permission(Action::Read))
            .answers(200, "Settings and newest fetch of the guide.", fetch.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        if_match(api.route(Method::PUT, "/tv-guides/{id}/fetching", "replaceGuideSettings", configure))
            .about(TAG, "Replace the settings of a TV guide")
            .explained(
                "After a change of time zone or shift, the next fetch reads the guide again, even \
                 from an unchanged source.",
            )
            .requires(guide_permission(Action::Update))
            .takes(settings)
            .answers(200, "Settings and newest fetch of the guide.", fetch.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated]),
    );
    drop(
        api.route(Method::POST, "/tv-guides/{id}/fetch", "fetchGuide", begin)
            .about(TAG, "Fetch a TV guide now")
            .explained(
                "Runs in the background within seconds. Programmes are replaced channel by channel, only \
                 in the span that the guide covers. A failing source, or one without programmes, changes \
                 nothing.",
            )
            .requires(guide_permission(Action::Update))
            .answers(202, "The fetch is queued.", fetch.clone())
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::POST, "/tv-guides/{id}/upload", "uploadGuide", upload)
            .about(TAG, "Upload the file of a TV guide")
            .explained(
                "The body is the XMLTV file, optionally compressed by gzip or xz, of up to 200 MB. It is \
                 read in the background within seconds, and replaces a running fetch of the URL.",
            )
            .requires(guide_permission(Action::Update))
            .query("fileName", json!({"type": "string", "maxLength": 200}), "Name of the file.")
            .takes_file()
            .answers(202, "Reading the file is queued.", fetch)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    register_channels(api);
}

fn register_channels(api: &mut Api) {
    let channel = api.schemas.response::<ChannelAnswer>();
    let page = api.schemas.page_of("GuideChannelPage", "Page of a guide's channels.", &channel);
    drop(
        api.route(Method::GET, "/tv-guides/{id}/channels", "listGuideChannels", channels)
            .about(TAG, "List the channels of a TV guide")
            .explained("Ordered by ID in the guide. `search` applies to names and IDs.")
            .requires(guide_permission(Action::Read))
            .lists(&GuideService::channels_shape())
            .query("used", json!({"type": "boolean"}), "Whether an active channel uses the guide's channel.")
            .answers(200, "Page of channels.", page)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
}

type Guides = Data<GuideService>;

fn answered(response: HttpResponseBuilder, fetch: GuideFetch, language: Language) -> HttpResponse {
    tagged(response, fetch.version, &answer(fetch, language))
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
    Ok(answered(HttpResponse::Ok(), service.fetch(&caller, id.0).await?, language))
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
    Ok(answered(HttpResponse::Ok(), fetch, language))
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
