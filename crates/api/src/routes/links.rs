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

/// A link of a channel, a station or another item.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "StreamLink")]
pub(super) struct LinkAnswer {
    /// The number it is known by.
    id: Id,
    /// What kind of item it belongs to.
    owner: LinkOwner,
    /// The item.
    item_id: Id,
    /// What the item is called.
    title: String,
    /// Its place among the streams of the item, from 0.
    position: u32,
    /// What the stream is called.
    label: Option<String>,
    /// The host of its address.
    host: String,
    /// Whether it is probed: the item is active, or switched off by the service, and its address is known.
    active: bool,
    /// Whether the service has switched the item off because no link of it played, and nobody has activated it since.
    switched_off: bool,
    /// What is said of it.
    state: LinkState,
    /// Since when.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    since: DateTime<Utc>,
    /// When it is probed next, if it is active, and not before its host is free; null where it waits for a request.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    next_probe: Option<DateTime<Utc>>,
    /// When it was last probed; null where it never was.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    probed_at: Option<DateTime<Utc>>,
    /// What the last probe found.
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

/// A link whose probe was requested.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RequestedLink")]
pub(super) struct RequestedLinkAnswer {
    /// The link.
    #[serde(flatten)]
    link: LinkAnswer,
    /// Whether its next probe, at `nextProbe`, is more than a minute away.
    delayed: bool,
}

impl From<RequestedLink> for RequestedLinkAnswer {
    fn from(RequestedLink { link, is_delayed }: RequestedLink) -> Self {
        Self { link: LinkAnswer::from(link), delayed: is_delayed }
    }
}

/// How many links are in a state.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LinksInState")]
struct StateAnswer {
    /// The state.
    state: LinkState,
    /// So many links.
    count: u64,
}

/// The probes of a day.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProbesOfDay")]
struct DayAnswer {
    /// The day where the service is.
    day: NaiveDate,
    /// Probes that found it playing.
    good: u32,
    /// Probes that found it failing.
    failed: u32,
}

impl From<ProbeDay> for DayAnswer {
    fn from(ProbeDay { day, good, failed }: ProbeDay) -> Self {
        Self { day, good, failed }
    }
}

/// The links of a host.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LinksOfHost")]
struct HostAnswer {
    /// The host.
    host: String,
    /// Its links that are probed.
    links: u64,
    /// Those that are suspect or down.
    failing: u64,
    /// Whether half of at least three links fail together.
    incident: bool,
    /// Probes of its links on the last 30 days, the oldest first; a day without any is not there.
    days: Vec<DayAnswer>,
}

impl From<HostLinks> for HostAnswer {
    fn from(of: HostLinks) -> Self {
        let incident = of.has_incident();
        let days = of.days.into_iter().map(DayAnswer::from).collect();
        Self { host: of.host, links: of.links, failing: of.failing, incident, days }
    }
}

/// Channels with too few streams.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChannelsByRedundancy")]
struct RedundancyAnswer {
    /// How many of their streams are not down.
    redundancy: Redundancy,
    /// So many channels.
    count: u64,
}

/// How the links are.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LinkSummary")]
struct SummaryAnswer {
    /// Active links by state; a state without links is not there.
    states: Vec<StateAnswer>,
    /// Hosts with links that fail, the most first, at most 50.
    hosts: Vec<HostAnswer>,
    /// Active channels with too few streams that are not down.
    channels: Vec<RedundancyAnswer>,
    /// Whether links are probed at all.
    probed: bool,
}

/// A change of a link's state.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LinkChange")]
struct ChangeAnswer {
    /// When.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    occurred_at: DateTime<Utc>,
    /// The state before it.
    from: LinkState,
    /// The state since.
    to: LinkState,
    /// What the probe found that decided it.
    outcome: ProbeOutcome,
    /// The status of its answer.
    http_status: Option<u16>,
}

impl From<LinkChange> for ChangeAnswer {
    fn from(of: LinkChange) -> Self {
        let LinkChange { occurred_at, from, to, outcome, http_status } = of;
        Self { occurred_at, from, to, outcome, http_status }
    }
}

/// A link of an item that somebody reported.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReportedLink")]
struct ReportedLinkAnswer {
    /// The link.
    #[serde(flatten)]
    link: LinkAnswer,
    /// Since when it has its address; null where that was never changed.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    address_since: Option<DateTime<Utc>>,
    /// When it last came up after it was down; null where it never did.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    came_up: Option<DateTime<Utc>>,
    /// Whether it is the one that players get, and it was down and plays again since the report came, which is of a playback
    /// problem.
    plays_again: bool,
}

pub(crate) fn register(api: &mut Api) {
    let reported = api.schemas.response::<Vec<ReportedLinkAnswer>>();
    drop(
        api.route(Method::GET, "/issue-reports/{id}/links", "listLinksOfReport", of_report)
            .about("issue-reports", "List the links of the item that a report is about")
            .explained("None where it has no links, or they are not probed yet. A report of a playback problem has them probed within seconds. Requires the right to read the item, too.")
            .requires(Permission::new(Subject("ISSUES"), Action::Read))
            .answers(200, "The links, in their order.", reported)
            .fails(&[ErrorKind::Missing]),
    );
    let link = api.schemas.response::<LinkAnswer>();
    let page = api.schemas.page_of("StreamLinkPage", "A page of links.", &link);
    let summary = api.schemas.response::<SummaryAnswer>();
    let requested = api.schemas.response::<RequestedLinkAnswer>();
    let changes = api.schemas.response::<Vec<ChangeAnswer>>();
    let days = api.schemas.response::<Vec<DayAnswer>>();
    drop(
        api.route(Method::GET, "/links", "listLinks", list)
            .about("links", "List the links of channels and stations, and of items that were requested, what changed last first")
            .requires(link_permission(Action::Read))
            .pages(&LinkService::shape())
            .answers(200, "A page of links.", page)
            .fails(&[ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::GET, "/links/summary", "getLinkSummary", summary_of_all)
            .about("links", "Get how many links are in which state, and which hosts fail")
            .requires(link_permission(Action::Read))
            .answers(200, "Counts by state and by host.", summary),
    );
    drop(
        api.route(Method::GET, "/links/{id}/changes", "listLinkChanges", changes_of)
            .about("links", "List when a link went down and came up, newest first")
            .explained("At most 200 of the last 180 days.")
            .requires(link_permission(Action::Read))
            .answers(200, "Its changes.", changes)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::GET, "/links/{id}/days", "listLinkDays", days_of)
            .about("links", "List how often a link played on each of the last 30 days, the oldest first")
            .explained("Probes that say nothing about the link are not counted.")
            .requires(link_permission(Action::Read))
            .answers(200, "Its days.", days)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::POST, "/links/{id}/probe", "probeLink", probe)
            .about("links", "Probe a link next")
            .explained("The job probes it within seconds, after what it is probing of the same host, or at `nextProbe`: its host may want to be left alone, or have had all probes of the day. Refused where it is not active, or links are not probed.")
            .requires(link_permission(Action::Update))
            .answers(202, "The link as it is until then.", requested)
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
