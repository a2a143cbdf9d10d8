//! Schedule of channels (docs/spec/schedule.md#what-is-on).

use actix_web::{
    http::Method,
    web::{Data, Json},
};
use application::{ChannelSchedule, OnAt, ScheduleService};
use chrono::{DateTime, TimeZone, Utc};
use domain_catalogue::Kind;
use domain_kernel::{Action, Enumeration, ErrorKind, Id, KeyScope, Page};
use domain_live::{
    guide::{shown_episode, text_in_language, texts_in_language},
    programme::{KeptProgramme, ProgrammeDetails},
    schedule::{Showing, WithoutGuide},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    caller::AuthAny,
    extract::{ItemId, Pairs},
    language::Language,
    openapi::{Api, Operation},
    problem::Problem,
};

const TAG: &str = "schedule";

/// Programme, in the caller's language if the guide has it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Programme")]
pub(super) struct ProgrammeAnswer {
    /// Start of the programme.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    start: DateTime<Utc>,
    /// End of the programme.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    stop: DateTime<Utc>,
    /// Title of the programme.
    title: String,
    /// Title of the episode.
    sub_title: Option<String>,
    /// Categories of the programme.
    categories: Vec<String>,
    /// Season number, from 1.
    season: Option<u32>,
    /// Episode number, from 1.
    episode: Option<u32>,
    /// Number of the episode as in the guide, if `episode` is null.
    episode_text: Option<String>,
    /// Whether it is a first broadcast.
    is_new: bool,
    /// Whether it is a repeat.
    is_repeat: bool,
}

/// Programme with all details of the guide.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ProgrammeDetails")]
struct DetailsAnswer {
    #[serde(flatten)]
    programme: ProgrammeAnswer,
    /// Description of the programme.
    description: Option<String>,
    /// URL of an image.
    icon: Option<String>,
    /// Age ratings, as in the guide.
    ratings: Vec<String>,
    /// Year or day of production, as in the guide.
    date: Option<String>,
}

/// Channel, and origin of its programmes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ScheduleChannel")]
struct ChannelAnswer {
    /// ID of the channel.
    channel_id: Id,
    /// Channel number.
    channel_number: i32,
    /// Name of the channel.
    title: String,
    /// URL of the logo.
    image_url: Option<String>,
    /// ID of the guide with its programmes.
    guide_id: Option<Id>,
    /// Title of that guide.
    guide_title: Option<String>,
    /// EPG ID in the guide.
    epg_id: Option<String>,
    /// Name of the channel in the guide.
    guide_channel: Option<String>,
    /// Reason for missing programmes; null for a channel linked with one of its guide.
    without: Option<WithoutGuide>,
}

/// Channel with its programmes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ScheduleRow")]
struct RowAnswer {
    #[serde(flatten)]
    channel: ChannelAnswer,
    /// Programmes that overlap the span, by start, with their full times.
    programmes: Vec<ProgrammeAnswer>,
}

/// Page of channels with the programmes of a span.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Schedule")]
struct ScheduleAnswer {
    /// Start of the span.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    from: DateTime<Utc>,
    /// End of the span.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    to: DateTime<Utc>,
    /// Time zone of the service, which defines the days of the schedule.
    time_zone: String,
    /// Days before today with stored programmes.
    days_back: u16,
    /// Days after today with stored programmes.
    days_ahead: u16,
    /// Channels, by number.
    content: Vec<RowAnswer>,
    /// Zero-based.
    page: u64,
    /// Requested number of channels.
    size: u32,
    /// Number of pages of this size.
    total_pages: u64,
    /// Total number of channels.
    total_elements: u64,
}

/// Current and next programme of a channel.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "NowNext")]
struct NowNextAnswer {
    #[serde(flatten)]
    channel: ChannelAnswer,
    /// Time of the response.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    at: DateTime<Utc>,
    /// Current programme; null in a gap, and for a channel without programmes.
    now: Option<ProgrammeAnswer>,
    /// Next programme.
    next: Option<ProgrammeAnswer>,
}

/// Programme of a channel at a time, with all details, and the following ones.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ProgrammeAt")]
struct ProgrammeAtAnswer {
    #[serde(flatten)]
    channel: ChannelAnswer,
    /// The programme; null in a gap.
    programme: Option<DetailsAnswer>,
    /// Following programmes, at most five.
    following: Vec<ProgrammeAnswer>,
    /// Further broadcasts of the title, on any channel: up to twelve within a week from now.
    elsewhere: Vec<ShowingAnswer>,
}

/// Broadcast of the same title.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Showing")]
struct ShowingAnswer {
    /// ID of the channel.
    channel_id: Id,
    /// Channel number.
    channel_number: i32,
    /// Name of the channel.
    channel_title: String,
    /// Start of the broadcast.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    start: DateTime<Utc>,
    /// End of the broadcast.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    stop: DateTime<Utc>,
}

impl From<Showing> for ShowingAnswer {
    fn from(of: Showing) -> Self {
        Self {
            channel_id: of.channel,
            channel_number: of.number,
            channel_title: of.channel_title,
            start: moment(of.start),
            stop: moment(of.stop),
        }
    }
}

fn moment(seconds: i64) -> DateTime<Utc> {
    Utc.timestamp_opt(seconds, 0).single().unwrap_or_default()
}

fn programme(kept: &KeptProgramme, details: &ProgrammeDetails, language: Language) -> ProgrammeAnswer {
    let number = shown_episode(&details.episodes);
    let categories = texts_in_language(&details.categories, language.0);
    ProgrammeAnswer {
        start: moment(kept.start),
        stop: moment(kept.stop),
        title: kept.title_in(details, language.0).to_owned(),
        sub_title: text_in_language(&details.sub_titles, language.0).map(str::to_owned),
        categories: categories.into_iter().map(str::to_owned).collect(),
        season: number.season,
        episode: number.episode,
        episode_text: number.text.map(str::to_owned),
        is_new: details.is_new,
        is_repeat: details.is_repeat,
    }
}

pub(super) fn short(kept: &KeptProgramme, language: Language) -> ProgrammeAnswer {
    programme(kept, &kept.details(), language)
}

fn whole(kept: &KeptProgramme, language: Language) -> DetailsAnswer {
    let details = kept.details();
    DetailsAnswer {
        programme: programme(kept, &details, language),
        description: text_in_language(&details.descriptions, language.0).map(str::to_owned),
        icon: details.icon,
        ratings: details.ratings.into_iter().map(|rating| rating.value).collect(),
        date: details.date,
    }
}

fn channel(of: &ChannelSchedule) -> ChannelAnswer {
    let channel = &of.channel;
    ChannelAnswer {
        channel_id: channel.id,
        channel_number: channel.number,
        title: channel.title.clone(),
        image_url: channel.image_url.clone(),
        guide_id: channel.link.guide.map(|(id, ..)| id),
        guide_title: channel.guide_title.clone(),
        epg_id: channel.link.epg_id.clone(),
        guide_channel: channel.guide_channel_title.clone(),
        without: channel.link.fault(),
    }
}

pub(crate) fn register(api: &mut Api) {
    register_list(api);
    register_channel(api);
}

fn time() -> Value {
    json!({"type": "string"})
}

fn register_list(api: &mut Api) {
    let schedule = api.schemas.response::<ScheduleAnswer>();
    let operation = api
        .route(Method::GET, "/schedule", "getSchedule", list)
        .about(TAG, "Get the schedule of channels")
        .explained(
            "Active channels by number, with their programmes between `from` and `to`: up to 24 hours \
             and 100 channels per request. `search` applies to numbers and titles of channels, and to \
             titles of programmes of the span in every language.",
        )
        .requires(Kind::TvChannels.permission(Action::Read))
        .open_to(KeyScope::CatalogueRead)
        .query("from", time(), "Start of the span, a day or a time; default: now.")
        .query("to", time(), "End of the span, a day (inclusive) or a time; default: six hours after `from`.")
        .query("_page", json!({"type": "integer", "minimum": 0, "default": 0}), "Zero-based.")
        .query(
            "_size",
            json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 50}),
            "Channels per page.",
        );
    drop(
        with_filters(operation)
            .answers(200, "Channels with their programmes.", schedule)
            .fails(&[ErrorKind::Invalid]),
    );
}

/// The filters of channels in the list.
fn with_filters(operation: Operation<'_>) -> Operation<'_> {
    operation
        .query("search", json!({"type": "string", "maxLength": 200}), "Substring to look for.")
        .query("category", json!({"type": "integer", "minimum": 1}), "ID of a category of the channels.")
        .query("without", json!({"type": "boolean"}), "Whether the channels have no guide.")
        .query(
            "ids",
            json!({"type": "array", "items": {"type": "integer"}}),
            "IDs of channels, comma-separated.",
        )
        .query("guide", json!({"type": "integer", "minimum": 1}), "ID of the channels' guide.")
        .query(
            "reason",
            json!({"type": "string", "enum": WithoutGuide::CODES}),
            "Reason why the channels have no programmes.",
        )
        .query(
            "gaps",
            json!({"type": "boolean"}),
            "Whether the channels have more than 30 minutes without a programme.",
        )
        .query("overlaps", json!({"type": "boolean"}), "Whether the channels have overlapping programmes.")
        .query(
            "placeholders",
            json!({"type": "boolean"}),
            "Whether the channels have placeholder programmes.",
        )
        .query(
            "uncovered",
            json!({"type": "boolean"}),
            "Whether the channels have times without a meaningful programme.",
        )
        .query(
            "hours",
            json!({"type": "integer", "minimum": 1, "maximum": 72}),
            "Hours from now to which `gaps`, `overlaps`, `placeholders` and `uncovered` apply, \
             instead of the span.",
        )
}

fn register_channel(api: &mut Api) {
    let now_next = api.schemas.response::<NowNextAnswer>();
    let at = api.schemas.response::<ProgrammeAtAnswer>();
    let read = Kind::TvChannels.permission(Action::Read);
    drop(
        api.route(Method::GET, "/tv-channels/{id}/now-next", "getNowNext", now_and_next)
            .about(TAG, "Get the current and next programme of a channel")
            .requires(read)
            .open_to(KeyScope::CatalogueRead)
            .answers(200, "Current and next programme.", now_next)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::GET, "/tv-channels/{id}/programme", "getProgramme", find)
            .about(TAG, "Get the programme of a channel at a time, with all details")
            .requires(read)
            .open_to(KeyScope::CatalogueRead)
            .query("at", time(), "Time; default: now.")
            .answers(200, "Programme at that time, and the following ones.", at)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
}

type Service = Data<ScheduleService>;

async fn list(
    caller: AuthAny,
    service: Service,
    language: Language,
    pairs: Pairs,
) -> Result<Json<ScheduleAnswer>, Problem> {
    let schedule = service.schedule(&caller.0, &pairs.0).await?;
    let Page { content, page, size, total_pages, total_elements } = schedule.page;
    let row = |one: &ChannelSchedule| RowAnswer {
        channel: channel(one),
        programmes: one.programmes.iter().map(|kept| short(kept, language)).collect(),
    };
    Ok(Json(ScheduleAnswer {
        from: schedule.span.from,
        to: schedule.span.to,
        time_zone: schedule.time_zone.to_owned(),
        days_back: schedule.days.back,
        days_ahead: schedule.days.ahead,
        content: content.iter().map(row).collect(),
        page,
        size,
        total_pages,
        total_elements,
    }))
}

async fn now_and_next(
    caller: AuthAny,
    service: Service,
    id: ItemId,
    language: Language,
) -> Result<Json<NowNextAnswer>, Problem> {
    let OnAt { at, channel: found, .. } = service.on_at(&caller.0, id.0, None, 2).await?;
    let is_on = |kept: &&KeptProgramme| kept.start <= at.timestamp();
    let now = found.programmes.first().filter(is_on);
    let next = found.programmes.iter().find(|kept| !is_on(kept));
    Ok(Json(NowNextAnswer {
        channel: channel(&found),
        at,
        now: now.map(|kept| short(kept, language)),
        next: next.map(|kept| short(kept, language)),
    }))
}

async fn find(
    caller: AuthAny,
    service: Service,
    id: ItemId,
    language: Language,
    pairs: Pairs,
) -> Result<Json<ProgrammeAtAnswer>, Problem> {
    let found = service.on_at_with_showings(&caller.0, id.0, pairs.get("at"), 6).await?;
    let OnAt { at, channel: found, elsewhere } = found;
    let (on, following): (Vec<_>, Vec<_>) =
        found.programmes.iter().partition(|kept| kept.start <= at.timestamp());
    Ok(Json(ProgrammeAtAnswer {
        channel: channel(&found),
        programme: on.first().map(|kept| whole(kept, language)),
        following: following.into_iter().take(5).map(|kept| short(kept, language)).collect(),
        elsewhere: elsewhere.into_iter().map(ShowingAnswer::from).collect(),
    }))
}
