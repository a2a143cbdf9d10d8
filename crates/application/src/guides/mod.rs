//! TV guides: fetched on schedule, read as streams, stored (docs/spec/schedule.md).

mod fetching;
mod running;
mod staging;

use std::sync::Arc;

use chrono::{DateTime, Days, Utc};
use chrono_tz::Tz;
use domain_catalogue::Kind;
use domain_kernel::{
    Action, Actor, Code, DraftReader, FilterKind, Id, ListQuery, Page, Permission, Version, Violation,
    Violations,
};
use domain_live::{
    guide_fetch::{GuideFetch, GuideSettings},
    programme::KeptSpan,
};
use ports::{GuideFetchBegun, GuideFiles, GuideStore, ListedGuideChannel, NewGuideFetch, Written};
use serde_json::{Value, json};

use crate::{
    Calendar, Error, GuideRefusal, ListShape,
    active_runs::ActiveRuns,
    body::{parse, to_json},
    listing::required_id,
    read_list_query,
};

/// Maximum characters of a stored file name.
const LONGEST_FILE_NAME: usize = 200;
/// Bytes of a part of an uploaded file.
const PART: usize = 1 << 20;

/// Permission for an action on guides.
pub const fn guide_permission(action: Action) -> Permission {
    Kind::TvGuides.permission(action)
}

/// Days of stored programmes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptDays {
    /// Days before today.
    pub back: u16,
    /// Days after today.
    pub ahead: u16,
}

impl KeptDays {
    /// Span around today, in the service's time zone.
    pub fn span(self, calendar: &Calendar) -> KeptSpan {
        let today = calendar.today().0;
        let first = today.checked_sub_days(Days::new(self.back.into())).unwrap_or(today);
        let last = today.checked_add_days(Days::new(u64::from(self.ahead) + 1)).unwrap_or(today);
        KeptSpan { from: calendar.beginning_of(first), to: calendar.beginning_of(last) }
    }
}

/// Use cases of guides.
pub struct GuideService {
    store: Arc<dyn GuideStore>,
    files: Arc<dyn GuideFiles>,
    calendar: Calendar,
    days: KeptDays,
    drafts: DraftReader<GuideSettings>,
    active: ActiveRuns,
}

/// A running upload in parts: the file may exceed the memory limit of a request.
#[derive(Debug)]
pub struct GuideUpload {
    guide: Id,
    number: i64,
    parts: i64,
    bytes: u64,
    waiting: Vec<u8>,
}

/// The settings as in responses, with all fields that a form with another version needs for a save.
fn current_json(fetch: &GuideFetch) -> Result<Value, Error> {
    let mut json = to_json(&fetch.settings)?;
    json["version"] = json!(fetch.version);
    Ok(json)
}

fn missing(id: Id) -> Error {
    Error::NoSuch { what: Kind::TvGuides.path(), id }
}

impl GuideService {
    pub fn new(
        store: Arc<dyn GuideStore>,
        files: Arc<dyn GuideFiles>,
        calendar: Calendar,
        days: KeptDays,
    ) -> Self {
        let active = ActiveRuns::default();
        Self { store, files, calendar, days, drafts: DraftReader::new(), active }
    }

    /// Settings and newest fetches of all guides, by ID.
    pub async fn fetches(&self, actor: &Actor) -> Result<Vec<GuideFetch>, Error> {
        actor.require(guide_permission(Action::Read))?;
        Ok(self.store.fetches().await?)
    }

    /// Settings and newest fetch of one guide.
    pub async fn fetch(&self, actor: &Actor, guide: Id) -> Result<GuideFetch, Error> {
        actor.require(guide_permission(Action::Read))?;
        self.store.fetch(guide).await?.ok_or_else(|| missing(guide))
    }

    /// List parameters of a guide's channels.
    pub fn channels_shape() -> ListShape {
        ListShape { page_size: 50, sorts: Vec::new(), filters: &[("used", FilterKind::Flag)] }
    }

    /// A page of a guide's channels, by ID in the guide.
    pub async fn channels(
        &self,
        actor: &Actor,
        guide: Id,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<ListedGuideChannel>>, Error> {
        let query = self.read_channels(actor, guide, pairs).await?;
        Ok(self.store.listed_channels(guide, &query).await?)
    }

    /// Reads the parameters of the list of a guide's channels.
    async fn read_channels(
        &self,
        actor: &Actor,
        guide: Id,
        pairs: &[(String, String)],
    ) -> Result<ListQuery, Error> {
        actor.require(guide_permission(Action::Read))?;
        let query = read_list_query(&Self::channels_shape(), pairs)?;
        self.store.fetch(guide).await?.ok_or_else(|| missing(guide))?;
        Ok(query)
    }

    /// Reads the parameters of the list's file: `guide` and those of the list.
    pub(crate) async fn read_channels_of(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(Id, ListQuery), Error> {
        actor.require(guide_permission(Action::Read))?;
        let (guide, others) = required_id(pairs, "guide")?;
        Ok((guide, self.read_channels(actor, guide, &others).await?))
    }

    /// Replaces the settings of a guide.
    pub async fn configure(
        &self,
        actor: &Actor,
        guide: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<GuideFetch, Error> {
        actor.require(guide_permission(Action::Update))?;
        let settings = self.drafts.read(parse(body)?, &())?;
        if settings.zone.parse::<Tz>().is_err() {
            return Err(Violations(vec![Violation::new("zone", Code::InvalidFormat)]).into());
        }
        let edit = self.calendar.edit_by(actor);
        match self.store.configure(guide, settings, expected, &edit).await? {
            Written::Done(fetch) => {
                tracing::info!(actor = actor.username.as_str(), guide, "guide settings changed");
                Ok(fetch)
            }
            Written::Missing => Err(missing(guide)),
            Written::Outdated(current) => Err(Error::Outdated(Box::new(current_json(&current)?))),
            Written::Conflict(never) => match never {},
        }
    }

    /// Requests a fetch of a guide, which a job runs.
    pub async fn begin(&self, actor: &Actor, guide: Id) -> Result<GuideFetch, Error> {
        actor.require(guide_permission(Action::Update))?;
        self.begun(actor, guide, None).await
    }

    /// Begins an upload, after a check of the permission.
    pub async fn begin_upload(&self, actor: &Actor, guide: Id) -> Result<GuideUpload, Error> {
        actor.require(guide_permission(Action::Update))?;
        let fetch = self.store.fetch(guide).await?.ok_or_else(|| missing(guide))?;
        if fetch.state.is_unfinished() {
            return Err(Error::Guide(GuideRefusal::Unfinished));
        }
        let number = self.store.begin_upload(guide, self.calendar.now()).await?;
        Ok(GuideUpload { guide, number, parts: 0, bytes: 0, waiting: Vec::new() })
    }

    /// Maximum bytes of a file.
    pub fn largest_upload(&self) -> u64 {
        self.files.largest()
    }

    /// Stores the next bytes of an upload; returns whether it is within the limit.
    pub async fn feed(&self, upload: &mut GuideUpload, bytes: &[u8]) -> Result<bool, Error> {
        upload.bytes += bytes.len() as u64;
        if upload.bytes > self.files.largest() {
            return Ok(false);
        }
        upload.waiting.extend_from_slice(bytes);
        if upload.waiting.len() >= PART {
            self.keep(upload).await?;
        }
        Ok(true)
    }

    async fn keep(&self, upload: &mut GuideUpload) -> Result<(), Error> {
        upload.parts += 1;
        let content = std::mem::take(&mut upload.waiting);
        let (guide, number, part) = (upload.guide, upload.number, upload.parts);
        Ok(self.store.keep_part(guide, number, part, content, self.calendar.now()).await?)
    }

    /// Requests reading an uploaded file.
    pub async fn finish_upload(
        &self,
        actor: &Actor,
        mut upload: GuideUpload,
        file_name: &str,
    ) -> Result<GuideFetch, Error> {
        actor.require(guide_permission(Action::Update))?;
        self.keep(&mut upload).await?;
        let name = file_name.chars().filter(|c| !c.is_control()).take(LONGEST_FILE_NAME).collect();
        self.begun(actor, upload.guide, Some((name, upload.number))).await
    }

    async fn begun(
        &self,
        actor: &Actor,
        guide: Id,
        file: Option<(String, i64)>,
    ) -> Result<GuideFetch, Error> {
        let fetch = NewGuideFetch { guide, file, requested_by: actor.username.to_string() };
        match self.store.begin(fetch).await? {
            GuideFetchBegun::Begun(fetch) => {
                tracing::info!(actor = actor.username.as_str(), guide, "guide fetch begun");
                Ok(*fetch)
            }
            GuideFetchBegun::Missing => Err(missing(guide)),
            GuideFetchBegun::Unfinished => Err(Error::Guide(GuideRefusal::Unfinished)),
        }
    }

    /// Begins the due fetches.
    pub async fn schedule(&self) -> Result<u64, Error> {
        Ok(self.store.schedule(self.calendar.now()).await?)
    }

    /// Records newly stale guides, which notifies webhooks once.
    pub async fn note_stale(&self) -> Result<(), Error> {
        let now = self.now();
        let fetches = self.store.fetches().await?;
        let stale: Vec<Id> =
            fetches.iter().filter(|fetch| fetch.is_stale(now)).map(|fetch| fetch.guide).collect();
        Ok(self.store.note_stale(&stale, now).await?)
    }

    /// Removes a limited number of expired rows; returns whether there may be more.
    pub async fn sweep(&self) -> Result<bool, Error> {
        let KeptSpan { from, .. } = self.days.span(&self.calendar);
        Ok(self.store.sweep(from, self.now()).await?)
    }

    fn now(&self) -> DateTime<Utc> {
        self.calendar.now()
    }
}
