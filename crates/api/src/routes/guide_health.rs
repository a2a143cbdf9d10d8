//! How well guides cover the channels that use them (docs/spec/schedule.md#guide-health).

use actix_web::{
    http::Method,
    web::{Data, Json},
};
use application::{GuideCoverage, GuideHealth, GuideHealthService, guide_permission};
use domain_kernel::{Action, Id};
use domain_live::schedule::WithoutGuide;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{caller::AuthUser, openapi::Api, problem::Problem};

/// What a time has of all channels of a guide.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GuideCoverage")]
struct CoverageAnswer {
    /// Hundredths of the time of its channels with a programme that says what is on, rounded down.
    percent: u8,
    /// Times of over 30 minutes without a programme.
    gaps: u64,
    /// Programmes that begin before the one before them ends.
    overlaps: u64,
    /// Programmes that say nothing, or last for twelve hours and more.
    placeholders: u64,
}

impl From<GuideCoverage> for CoverageAnswer {
    fn from(of: GuideCoverage) -> Self {
        Self { percent: of.percent, gaps: of.gaps, overlaps: of.overlaps, placeholders: of.placeholders }
    }
}

/// How a guide is.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GuideHealthOfOne")]
struct GuideAnswer {
    /// The guide.
    guide_id: Id,
    /// Active channels that have their programmes from it.
    channels: u64,
    /// The next 24 hours.
    day: CoverageAnswer,
    /// The next 72 hours.
    three_days: CoverageAnswer,
    /// Its channels that nothing uses.
    unused: u64,
    /// It was not read for two of its turns, or its last programme ends within a day.
    stale: bool,
    /// Another guide has the same titles at a constant distance: one of them is in a zone that it does not say.
    shift: Option<ShiftAnswer>,
}

/// A guide with the same titles at a constant distance.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SuspectedShift")]
struct ShiftAnswer {
    /// The other guide.
    guide_id: Id,
    /// Minutes by which this guide's programmes are later than the other's; earlier where it is negative.
    minutes: i64,
}

impl From<GuideHealth> for GuideAnswer {
    fn from(of: GuideHealth) -> Self {
        Self {
            guide_id: of.fetch.guide,
            channels: of.channels,
            day: of.day.into(),
            three_days: of.three_days.into(),
            unused: of.unused,
            stale: of.stale,
            shift: of.shift.map(|shift| ShiftAnswer { guide_id: shift.than, minutes: shift.minutes }),
        }
    }
}

/// How many channels have no programmes for one reason.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChannelsWithoutGuide")]
struct WithoutAnswer {
    /// Why.
    reason: WithoutGuide,
    /// So many channels.
    count: u64,
}

/// How guides are, and how many channels have none.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GuideHealth")]
struct HealthAnswer {
    /// Guides by id.
    guides: Vec<GuideAnswer>,
    /// Active channels.
    channels: u64,
    /// The next 24 hours of all of them.
    day: CoverageAnswer,
    /// The next 72 hours of all of them.
    three_days: CoverageAnswer,
    /// Active channels without programmes, by reason.
    without: Vec<WithoutAnswer>,
}

pub(crate) fn register(api: &mut Api) {
    let health = api.schemas.response::<HealthAnswer>();
    drop(
        api.route(Method::GET, "/guide-health", "getGuideHealth", health_of_all)
            .about("tv-guides", "Get how well guides cover the channels that use them")
            .explained("Counted at each request, over the active channels, from now on.")
            .requires(guide_permission(Action::Read))
            .answers(200, "All guides, and the channels without one.", health),
    );
}

async fn health_of_all(
    caller: AuthUser,
    service: Data<GuideHealthService>,
) -> Result<Json<HealthAnswer>, Problem> {
    let health = service.health(&caller).await?;
    let without = health.without.into_iter().map(|(reason, count)| WithoutAnswer { reason, count });
    Ok(Json(HealthAnswer {
        guides: health.guides.into_iter().map(GuideAnswer::from).collect(),
        channels: health.channels,
        day: health.day.into(),
        three_days: health.three_days.into(),
        without: without.collect(),
    }))
}
