//! What is on (docs/spec/schedule.md#what-is-on).

use actix_web::{
    http::Method,
    web::{Data, Json},
};
use application::{ChannelSchedule, OnAt, ScheduleService};
use chrono::{DateTime, TimeZone, Utc};
use domain_catalogue::Kind;
use domain_kernel::{Action, Enumeration, ErrorKind, Id, KeyScope, Locale, Page};
use domain_live::{
    guide::{EpisodeNumber, Localized},
    programme::{KeptProgramme, ProgrammeDetails},
    schedule::{Showing, WithoutGuide},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::{
    caller::AuthAny,
    extract::{ItemId, Pairs},
    language::Language,
    openapi::Api,
    problem::Problem,
};

const TAG: &str = "schedule";

/// A programme, in the caller's language where the guide has it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Programme")]
pub(super) struct ProgrammeAnswer {
    /// When it begins.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    start: DateTime<Utc>,
    /// When it ends.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    stop: DateTime<Utc>,
    /// Its title.
    title: String,
    /// The title of the episode.
    sub_title: Option<String>,
    /// Its categories.
    categories: Vec<String>,
    /// The season, from 1.
    season: Option<u32>,
    /// The episode, from 1.
    episode: Option<u32>,
    /// Whether it is shown for the first time.
    is_new: bool,
    /// Whether it was shown before.
    is_repeat: bool,
}

/// A programme with everything that its guide says of it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ProgrammeDetails")]
struct DetailsAnswer {
    #[serde(flatten)]
    programme: ProgrammeAnswer,
    /// What it is about.
    description: Option<String>,
    /// The address of a picture.
    icon: Option<String>,
    /// Age ratings, as the guide writes them.
    ratings: Vec<String>,
    /// The year or day of production, as the guide writes it.
    date: Option<String>,
}

/// A channel, and where its programmes come from.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ScheduleChannel")]
struct ChannelAnswer {
    /// The channel.
    channel_id: Id,
    /// Its number on the remote control.
    channel_number: i32,
    /// Its name.
    title: String,
    /// Its logo.
    image_url: Option<String>,
    /// The guide that its programmes are from.
    guide_id: Option<Id>,
    /// The title of that guide.
    guide_title: Option<String>,
    /// Its id in the guide.
    epg_id: Option<String>,
    /// What the guide calls it.
    guide_channel: Option<String>,
    /// Why it has no programmes; null where it is linked with a channel of its guide.
    without: Option<WithoutGuide>,
}

/// A channel with its programmes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ScheduleRow")]
struct RowAnswer {
    #[serde(flatten)]
    channel: ChannelAnswer,
    /// What is on in the span, by beginning; programmes that reach into it or out of it are whole.
    programmes: Vec<ProgrammeAnswer>,
}

/// A page of channels with what is on in a span.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Schedule")]
struct ScheduleAnswer {
    /// The beginning of the span.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    from: DateTime<Utc>,
    /// Its end.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    to: DateTime<Utc>,
    /// The service's time zone, whose days those of the schedule are.
    time_zone: String,
    /// Days before today that programmes are kept of.
    days_back: u16,
    /// Days after today that programmes are kept of.
    days_ahead: u16,
    /// The channels by number.
    content: Vec<RowAnswer>,
    /// Zero-based.
    page: u64,
    /// The requested number of channels.
    size: u32,
    /// How many pages of this size there are.
    total_pages: u64,
    /// How many channels there are in all.
    total_elements: u64,
}

/// What is on a channel now, and what comes next.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "NowNext")]
struct NowNextAnswer {
    #[serde(flatten)]
    channel: ChannelAnswer,
    /// The time that it is.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    at: DateTime<Utc>,
    /// What is on; null in a gap, and where the channel has no programmes.
    now: Option<ProgrammeAnswer>,
    /// What comes next.
    next: Option<ProgrammeAnswer>,
}

/// What is on a channel at a time, in full, and what comes behind it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ProgrammeAt")]
struct ProgrammeAtAnswer {
    #[serde(flatten)]
    channel: ChannelAnswer,
    /// The programme; null in a gap.
    programme: Option<DetailsAnswer>,
    /// The next ones, at most five.
    following: Vec<ProgrammeAnswer>,
    /// The same title at other times and on other channels: those that begin within a week from now on, at most twelve.
    elsewhere: Vec<ShowingAnswer>,
}

/// A showing of the same title.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Showing")]
struct ShowingAnswer {
    /// The channel.
    channel_id: Id,
    /// Its number on the remote control.
    channel_number: i32,
    /// Its name.
    channel_title: String,
    /// When it begins.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    start: DateTime<Utc>,
    /// When it ends.
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

/// Whether a text with this tag is in a language, whatever the country.
fn is_in(tag: Option<&str>, language: Language) -> bool {
    let code = match language.0 {
        Locale::Spanish => "es",
        Locale::English => "en",
    };
    let tag = tag.unwrap_or_default();
    tag.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(code))
        && matches!(tag.as_bytes().get(2), None | Some(b'-' | b'_'))
}

/// The first text in a language.
fn find_in(texts: &[Localized], language: Language) -> Option<&Localized> {
    texts.iter().find(|text| is_in(text.language.as_deref(), language))
}

/// The text in a language, or the first.
fn in_language(texts: &[Localized], language: Language) -> Option<&str> {
    find_in(texts, language).or_else(|| texts.first()).map(|text| text.text.as_str())
}

/// The title in a language, or the first.
fn title_in<'a>(kept: &'a KeptProgramme, details: &'a ProgrammeDetails, language: Language) -> &'a str {
    if is_in(details.language.as_deref(), language) {
        return &kept.title;
    }
    find_in(&details.titles, language).map_or(&kept.title, |title| &title.text)
}

fn moment(seconds: i64) -> DateTime<Utc> {
    Utc.timestamp_opt(seconds, 0).single().unwrap_or_default()
}

fn programme(kept: &KeptProgramme, details: &ProgrammeDetails, language: Language) -> ProgrammeAnswer {
    let numbers = details.episodes.iter().map(EpisodeNumber::season_and_episode);
    let (season, episode) = numbers.into_iter().find(|(_, episode)| episode.is_some()).unwrap_or_default();
    // A category stands there once for each language.
    let own: Vec<String> = details
        .categories
        .iter()
        .filter(|text| is_in(text.language.as_deref(), language))
        .map(|text| text.text.clone())
        .collect();
    let all = || details.categories.iter().map(|text| text.text.clone()).collect();
    ProgrammeAnswer {
        start: moment(kept.start),
        stop: moment(kept.stop),
        title: title_in(kept, details, language).to_owned(),
        sub_title: in_language(&details.sub_titles, language).map(str::to_owned),
        categories: if own.is_empty() { all() } else { own },
        season,
        episode,
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
        description: in_language(&details.descriptions, language).map(str::to_owned),
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
    let schedule = api.schemas.response::<ScheduleAnswer>();
    let now_next = api.schemas.response::<NowNextAnswer>();
    let at = api.schemas.response::<ProgrammeAtAnswer>();
    let read = Kind::TvChannels.permission(Action::Read);
    let time = || json!({"type": "string"});
    drop(
        api.route(Method::GET, "/schedule", "getSchedule", list)
            .about(TAG, "Get what is on")
            .explained(
                "Active channels by number, with the programmes that are on from `from` to `to`: at most 24 hours and 100 channels a \
                 call. `search` looks in numbers and titles of channels, and in titles of programmes of the span in every language.",
            )
            .requires(read)
            .open_to(KeyScope::CatalogueRead)
            .query("from", time(), "A day or a moment; now without it.")
            .query("to", time(), "A day, which counts, or a moment; six hours after `from` without it.")
            .query("_page", json!({"type": "integer", "minimum": 0, "default": 0}), "Zero-based.")
            .query(
                "_size",
                json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 50}),
                "Channels of a page.",
            )
            .query("search", json!({"type": "string", "maxLength": 200}), "Substring to look for.")
            .query("category", json!({"type": "integer", "minimum": 1}), "Only channels of this category.")
            .query("without", json!({"type": "boolean"}), "Only channels without a guide, or only those with one.")
            .query("ids", json!({"type": "array", "items": {"type": "integer"}}), "Only these channels, comma-separated.")
            .query("guide", json!({"type": "integer", "minimum": 1}), "Only channels of this guide.")
            .query(
                "reason",
                json!({"type": "string", "enum": WithoutGuide::CODES}),
                "Only channels that have no programmes for this reason.",
            )
            .query("gaps", json!({"type": "boolean"}), "Only channels with more than 30 minutes without a programme.")
            .query("overlaps", json!({"type": "boolean"}), "Only channels with a programme that begins before another ends.")
            .query("placeholders", json!({"type": "boolean"}), "Only channels with a programme that says nothing.")
            .query("uncovered", json!({"type": "boolean"}), "Only channels without a programme that says what is on at all times.")
            .query(
                "hours",
                json!({"type": "integer", "minimum": 1, "maximum": 72}),
                "`gaps`, `overlaps`, `placeholders` and `uncovered` are looked for in so many hours from now on instead of the span.",
            )
            .answers(200, "The channels with their programmes.", schedule)
            .fails(&[ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::GET, "/tv-channels/{id}/now-next", "getNowNext", now_and_next)
            .about(TAG, "Get what is on a channel now, and what comes next")
            .requires(read)
            .open_to(KeyScope::CatalogueRead)
            .answers(200, "Both.", now_next)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::GET, "/tv-channels/{id}/programme", "getProgramme", find)
            .about(TAG, "Get what is on a channel at a time, in full")
            .requires(read)
            .open_to(KeyScope::CatalogueRead)
            .query("at", time(), "A moment; now without it.")
            .answers(200, "The programme, and what comes behind it.", at)
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
