//! Coverage of channels by their guides (docs/spec/schedule.md#guide-health).

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

/// Coverage of a guide's channels in a time span.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GuideCoverage")]
struct CoverageAnswer {
    /// Percentage of the channels' time with a programme that is no placeholder, rounded down.
    percent: u8,
    /// Number of gaps of over 30 minutes without a programme.
    gaps: u64,
    /// Number of programmes that begin before the end of the previous one.
    overlaps: u64,
    /// Number of placeholder programmes: without a meaningful title, or of twelve hours and more.
    placeholders: u64,
}

impl From<GuideCoverage> for CoverageAnswer {
    fn from(of: GuideCoverage) -> Self {
        Self { percent: of.percent, gaps: of.gaps, overlaps: of.overlaps, placeholders: of.placeholders }
    }
}

/// Health of a guide.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GuideHealthOfOne")]
struct GuideAnswer {
    /// ID of the guide.
    guide_id: Id,
    /// Number of active channels that use the guide.
    channels: u64,
    /// Coverage of the next 24 hours.
    day: CoverageAnswer,
    /// Coverage of the next 72 hours.
    three_days: CoverageAnswer,
    /// Number of the guide's channels without use.
    unused: u64,
    /// Whether the guide missed two intervals, or its last programme ends within a day.
    stale: bool,
    /// Guide with the same titles at a constant offset: one of the two has times in an undeclared
    /// time zone.
    shift: Option<ShiftAnswer>,
}

/// Guide with the same titles at a constant offset.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SuspectedShift")]
struct ShiftAnswer {
    /// ID of the other guide.
    guide_id: Id,
    /// Offset of this guide's programmes against the other's, in minutes; negative for earlier
    /// ones.
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

/// Number of channels without programmes for one reason.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChannelsWithoutGuide")]
struct WithoutAnswer {
    /// Reason for missing programmes.
    reason: WithoutGuide,
    /// Number of channels.
    count: u64,
}

/// Health of all guides, and numbers of channels without one.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GuideHealth")]
struct HealthAnswer {
    /// Guides, by ID.
    guides: Vec<GuideAnswer>,
    /// Number of active channels.
    channels: u64,
    /// Coverage of all channels in the next 24 hours.
    day: CoverageAnswer,
    /// Coverage of all channels in the next 72 hours.
    three_days: CoverageAnswer,
    /// Numbers of active channels without programmes, by reason.
    without: Vec<WithoutAnswer>,
}

pub(crate) fn register(api: &mut Api) {
    let health = api.schemas.response::<HealthAnswer>();
    drop(
        api.route(Method::GET, "/guide-health", "getGuideHealth", health_of_all)
            .about("tv-guides", "Get the coverage of channels by their guides")
            .explained("Computed at each request for the active channels, from the current time.")
            .requires(guide_permission(Action::Read))
            .answers(200, "Health of all guides, and numbers of channels without one.", health),
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
