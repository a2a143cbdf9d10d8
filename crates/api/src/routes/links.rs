//! Links of channels, stations and other items (docs/spec/live-tv.md#links-that-play).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::{LinkOfReport, LinkReportService, LinkService, RequestedLink, link_permission};
use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Action, ErrorKind, Id, Page, Permission, Subject};
use domain_live::link::{
    HostLinks, Link, LinkChange, LinkOwner, LinkState, Probe, ProbeDay, ProbeOutcome, Redundancy,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    caller::AuthUser,
    extract::{ItemId, Pairs},
    openapi::Api,
    problem::Problem,
};

/// Link of a channel, a station or another item.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "StreamLink")]
pub(super) struct LinkAnswer {
    /// ID of the link.
    id: Id,
    /// Kind of the item.
    owner: LinkOwner,
    /// ID of the item.
    item_id: Id,
    /// Title of the item.
    title: String,
    /// Position among the streams of the item, from 0.
    position: u32,
    /// Label of the stream.
    label: Option<String>,
    /// Host of the URL.
    host: String,
    /// Whether the link is probed: the item is active, or deactivated by the service, and the URL
    /// is known.
    active: bool,
    /// Whether the service has deactivated the item because none of its links played, and no user
    /// has activated it since.
    switched_off: bool,
    /// State of the link.
    state: LinkState,
    /// Time of the last change of the state.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    since: DateTime<Utc>,
    /// Time of the next probe of an active link, at the earliest when its host is free; null for a
    /// link probed on request.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    next_probe: Option<DateTime<Utc>>,
    /// Time of the last probe; null without one.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    probed_at: Option<DateTime<Utc>>,
    /// Result of the last probe.
    probe: Option<Probe>,
}

impl From<Link> for LinkAnswer {
    fn from(link: Link) -> Self {
        let (probed_at, probe) = link.last.unzip();
        Self {
            id: link.id,
            owner: link.owner,
            item_id: link.item,
            title: link.title,
            position: link.position,
            label: link.label,
            host: link.host,
            active: link.active,
            switched_off: link.switched_off,
            state: link.health.state,
            since: link.health.since,
            next_probe: link.next_probe,
            probed_at,
            probe,
        }
    }
}

/// Link with a requested probe.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RequestedLink")]
pub(super) struct RequestedLinkAnswer {
    #[serde(flatten)]
    link: LinkAnswer,
    /// Whether the next probe, at `nextProbe`, is more than a minute away.
    delayed: bool,
}

impl From<RequestedLink> for RequestedLinkAnswer {
    fn from(RequestedLink { link, is_delayed }: RequestedLink) -> Self {
        Self { link: LinkAnswer::from(link), delayed: is_delayed }
    }
}

/// Number of links in a state.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LinksInState")]
struct StateAnswer {
    /// State of the links.
    state: LinkState,
    /// Number of links.
    count: u64,
}

/// Probes of one day.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProbesOfDay")]
struct DayAnswer {
    /// Day in the service's time zone.
    day: NaiveDate,
    /// Number of probes of a playing link.
    good: u32,
    /// Number of probes of a failing link.
    failed: u32,
}

impl From<ProbeDay> for DayAnswer {
    fn from(ProbeDay { day, good, failed }: ProbeDay) -> Self {
        Self { day, good, failed }
    }
}

/// Links of a host.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LinksOfHost")]
struct HostAnswer {
    /// Name of the host.
    host: String,
    /// Number of probed links.
    links: u64,
    /// Number of suspect or down links.
    failing: u64,
    /// Whether the host has at least three links and half of them fail together.
    incident: bool,
    /// Probes of the last 30 days, oldest first, without empty days.
    days: Vec<DayAnswer>,
}

impl From<HostLinks> for HostAnswer {
    fn from(of: HostLinks) -> Self {
        let incident = of.has_incident();
        let days = of.days.into_iter().map(DayAnswer::from).collect();
        Self { host: of.host, links: of.links, failing: of.failing, incident, days }
    }
}

/// Number of channels with too few streams.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChannelsByRedundancy")]
struct RedundancyAnswer {
    /// Remaining streams that are not down.
    redundancy: Redundancy,
    /// Number of channels.
    count: u64,
}

/// Summary of the links.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LinkSummary")]
struct SummaryAnswer {
    /// Numbers of active links by state, without empty states.
    states: Vec<StateAnswer>,
    /// Up to 50 hosts with failing links, most failures first.
    hosts: Vec<HostAnswer>,
    /// Numbers of active channels with too few streams that are not down.
    channels: Vec<RedundancyAnswer>,
    /// Whether probes are enabled.
    probed: bool,
}

/// Change of a link's state.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LinkChange")]
struct ChangeAnswer {
    /// Time of the change.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    occurred_at: DateTime<Utc>,
    /// State before the change.
    from: LinkState,
    /// State after the change.
    to: LinkState,
    /// Outcome of the probe that caused the change.
    outcome: ProbeOutcome,
    /// HTTP status of that probe.
    http_status: Option<u16>,
}

impl From<LinkChange> for ChangeAnswer {
    fn from(of: LinkChange) -> Self {
        let LinkChange { occurred_at, from, to, outcome, http_status } = of;
        Self { occurred_at, from, to, outcome, http_status }
    }
}

/// Link of an item with an issue report.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReportedLink")]
struct ReportedLinkAnswer {
    #[serde(flatten)]
    link: LinkAnswer,
    /// Time of the last change of the URL; null without one.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    address_since: Option<DateTime<Utc>>,
    /// Time when the link last came up after an outage; null without one.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    came_up: Option<DateTime<Utc>>,
    /// Whether the link is the one that players get, and plays again since a report of a playback
    /// problem.
    plays_again: bool,
}

pub(crate) fn register(api: &mut Api) {
    let reported = api.schemas.response::<Vec<ReportedLinkAnswer>>();
    drop(
        api.route(Method::GET, "/issue-reports/{id}/links", "listLinksOfReport", of_report)
            .about("issue-reports", "List the links of an issue report's item")
            .explained(
                "Empty for an item without links, or before their first probe. A report of a playback \
                 problem starts probes within seconds. Also requires the permission to read the item.",
            )
            .requires(Permission::new(Subject("ISSUES"), Action::Read))
            .answers(200, "Links in their order.", reported)
            .fails(&[ErrorKind::Missing]),
    );
    let link = api.schemas.response::<LinkAnswer>();
    let page = api.schemas.page_of("StreamLinkPage", "Page of links.", &link);
    let summary = api.schemas.response::<SummaryAnswer>();
    let requested = api.schemas.response::<RequestedLinkAnswer>();
    let changes = api.schemas.response::<Vec<ChangeAnswer>>();
    let days = api.schemas.response::<Vec<DayAnswer>>();
    drop(
        api.route(Method::GET, "/links", "listLinks", list)
            .about("links", "List the links of channels, stations and requested items, last changed first")
            .requires(link_permission(Action::Read))
            .pages(&LinkService::shape())
            .answers(200, "Page of links.", page)
            .fails(&[ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::GET, "/links/summary", "getLinkSummary", summary_of_all)
            .about("links", "Get the numbers of links by state, and failing hosts")
            .requires(link_permission(Action::Read))
            .answers(200, "Numbers of links by state and by host.", summary),
    );
    drop(
        api.route(Method::GET, "/links/{id}/changes", "listLinkChanges", changes_of)
            .about("links", "List the state changes of a link, newest first")
            .explained("Up to 200 changes of the last 180 days.")
            .requires(link_permission(Action::Read))
            .answers(200, "Changes of the link.", changes)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::GET, "/links/{id}/days", "listLinkDays", days_of)
            .about("links", "List the daily probe counts of a link in the last 30 days, oldest first")
            .explained("Inconclusive probes are not counted.")
            .requires(link_permission(Action::Read))
            .answers(200, "Daily counts.", days)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::POST, "/links/{id}/probe", "probeLink", probe)
            .about("links", "Probe a link")
            .explained(
                "Runs in the background within seconds, after a running probe of the same host, or at \
                 `nextProbe` during a `Retry-After` of the host or after its daily limit. Rejected if \
                 the link is inactive, or if probes are disabled.",
            )
            .requires(link_permission(Action::Update))
            .answers(202, "Link in its current state.", requested)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

async fn list(
    caller: AuthUser,
    service: Data<LinkService>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<LinkAnswer>>>, Problem> {
    let page = service.list(&caller, &pairs.0).await?;
    Ok(Json(page.map(|links| links.into_iter().map(LinkAnswer::from).collect())))
}

async fn summary_of_all(
    caller: AuthUser,
    service: Data<LinkService>,
) -> Result<Json<SummaryAnswer>, Problem> {
    let summary = service.summary(&caller).await?;
    Ok(Json(SummaryAnswer {
        states: summary.states.into_iter().map(|(state, count)| StateAnswer { state, count }).collect(),
        hosts: summary.hosts.into_iter().map(HostAnswer::from).collect(),
        channels: vec![
            RedundancyAnswer { redundancy: Redundancy::None, count: summary.redundancy.none },
            RedundancyAnswer { redundancy: Redundancy::Single, count: summary.redundancy.single },
        ],
        probed: summary.is_on,
    }))
}

async fn of_report(
    caller: AuthUser,
    service: Data<LinkReportService>,
    id: ItemId,
) -> Result<Json<Vec<ReportedLinkAnswer>>, Problem> {
    let answer = |LinkOfReport { reported, plays_again }| ReportedLinkAnswer {
        link: LinkAnswer::from(reported.link),
        address_since: reported.address_since,
        came_up: reported.came_up,
        plays_again,
    };
    Ok(Json(service.of_report(&caller, id.0).await?.into_iter().map(answer).collect()))
}

async fn changes_of(
    caller: AuthUser,
    service: Data<LinkService>,
    id: ItemId,
) -> Result<Json<Vec<ChangeAnswer>>, Problem> {
    let changes = service.changes(&caller, id.0).await?;
    Ok(Json(changes.into_iter().map(ChangeAnswer::from).collect()))
}

async fn days_of(
    caller: AuthUser,
    service: Data<LinkService>,
    id: ItemId,
) -> Result<Json<Vec<DayAnswer>>, Problem> {
    Ok(Json(service.days(&caller, id.0).await?.into_iter().map(DayAnswer::from).collect()))
}

async fn probe(caller: AuthUser, service: Data<LinkService>, id: ItemId) -> Result<HttpResponse, Problem> {
    let requested = service.request(&caller, id.0).await?;
    Ok(HttpResponse::Accepted().json(RequestedLinkAnswer::from(requested)))
}
