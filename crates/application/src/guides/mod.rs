//! TV guides: fetched when they are due, read as streams, put in the place of what is kept (docs/spec/schedule.md).

mod fetching;
mod staging;

use std::sync::Arc;

use chrono::{DateTime, Days, Utc};
use chrono_tz::Tz;
use domain_catalogue::Kind;
use domain_kernel::{
    Action, Actor, Code, DraftReader, FilterKind, Id, Page, Permission, Version, Violation, Violations,
};
use domain_live::{
    guide_fetch::{GuideFetch, GuideSettings},
    programme::KeptSpan,
};
use ports::{GuideFetchBegun, GuideFiles, GuideStore, ListedGuideChannel, NewGuideFetch, Written};
use serde_json::{Value, json};

use crate::{
    Calendar, Error, GuideRefusal, ListShape,
    body::{parse, to_json},
    read_list_query,
};

/// The longest name of a file that is kept.
const LONGEST_FILE_NAME: usize = 200;
/// Bytes of a part of a file that is uploaded.
const PART: usize = 1 << 20;

/// The permission to do something with guides.
pub const fn guide_permission(action: Action) -> Permission {
    Kind::TvGuides.permission(action)
}

/// How many days programmes are kept of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptDays {
    /// Before today.
    pub back: u16,
    /// After today.
    pub ahead: u16,
}

impl KeptDays {
    /// The span around today, where the service is.
    pub fn span(self, calendar: &Calendar) -> KeptSpan {
        let today = calendar.today().0;
        let first = today.checked_sub_days(Days::new(self.back.into())).unwrap_or(today);
        let last = today.checked_add_days(Days::new(u64::from(self.ahead) + 1)).unwrap_or(today);
        KeptSpan { from: calendar.beginning_of(first), to: calendar.beginning_of(last) }
    }
}

/// The use cases of guides.
pub struct GuideService {
    store: Arc<dyn GuideStore>,
    files: Arc<dyn GuideFiles>,
    calendar: Calendar,
    days: KeptDays,
    drafts: DraftReader<GuideSettings>,
}

/// A file that is being uploaded, part by part: it may be larger than the memory that a request may take.
#[derive(Debug)]
pub struct GuideUpload {
    guide: Id,
    number: i64,
    parts: i64,
    bytes: u64,
    waiting: Vec<u8>,
}

/// The settings as answers show them: with what a form with another version needs to be saved over this one.
fn as_it_is(fetch: &GuideFetch) -> Result<Value, Error> {
    let mut json = to_json(&fetch.settings)?;
    json["version"] = json!(fetch.version);
    Ok(json)
}

fn missing(id: Id) -> Error {
    Error::NoSuch { what: Kind::TvGuides.path(), id }
}

impl GuideService {
    /// The use cases over their ports.
    pub fn new(
        store: Arc<dyn GuideStore>,
        files: Arc<dyn GuideFiles>,
        calendar: Calendar,
        days: KeptDays,
    ) -> Self {
        Self { store, files, calendar, days, drafts: DraftReader::new() }
    }

    /// How every guide is fetched, by id.
    pub async fn fetches(&self, actor: &Actor) -> Result<Vec<GuideFetch>, Error> {
        actor.require(guide_permission(Action::Read))?;
        Ok(self.store.fetches().await?)
    }

    /// How one is fetched, and what became of it last.
    pub async fn fetch(&self, actor: &Actor, guide: Id) -> Result<GuideFetch, Error> {
        actor.require(guide_permission(Action::Read))?;
        self.store.fetch(guide).await?.ok_or_else(|| missing(guide))
    }

    /// The parameters of the list of a guide's channels.
    pub fn channels_shape() -> ListShape {
        ListShape { page_size: 50, sorts: Vec::new(), filters: &[("used", FilterKind::Flag)] }
    }

    /// A page of a guide's channels, by their ids in the guide.
    pub async fn channels(
        &self,
        actor: &Actor,
        guide: Id,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<ListedGuideChannel>>, Error> {
        actor.require(guide_permission(Action::Read))?;
        let query = read_list_query(&Self::channels_shape(), pairs)?;
        self.store.fetch(guide).await?.ok_or_else(|| missing(guide))?;
        Ok(self.store.listed_channels(guide, &query).await?)
    }

    /// Puts other settings in the place of a guide's.
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
            Written::Outdated(current) => Err(Error::Outdated(Box::new(as_it_is(&current)?))),
            Written::Conflict(never) => match never {},
        }
    }

    /// Begins to fetch a guide: a job carries it out.
    pub async fn begin(&self, actor: &Actor, guide: Id) -> Result<GuideFetch, Error> {
        actor.require(guide_permission(Action::Update))?;
        self.begun(actor, guide, None).await
    }

    /// Begins an upload, if the actor may.
    pub async fn begin_upload(&self, actor: &Actor, guide: Id) -> Result<GuideUpload, Error> {
        actor.require(guide_permission(Action::Update))?;
        let fetch = self.store.fetch(guide).await?.ok_or_else(|| missing(guide))?;
        if fetch.state.is_unfinished() {
            return Err(Error::Guide(GuideRefusal::Unfinished));
        }
        let number = self.store.begin_upload(guide, self.calendar.now()).await?;
        Ok(GuideUpload { guide, number, parts: 0, bytes: 0, waiting: Vec::new() })
    }

    /// Bytes that a file may have.
    pub fn largest_upload(&self) -> u64 {
        self.files.largest()
    }

    /// Keeps the next bytes of an upload; answers whether it is still within the limit.
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

    /// Begins to read a file that was uploaded.
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

    /// Begins the fetches that are due.
    pub async fn schedule(&self) -> Result<u64, Error> {
        Ok(self.store.schedule(self.calendar.now()).await?)
    }

    /// Notes which guides have become stale: webhooks are notified once.
    pub async fn note_stale(&self) -> Result<(), Error> {
        let now = self.now();
        let fetches = self.store.fetches().await?;
        let stale: Vec<Id> =
            fetches.iter().filter(|fetch| fetch.is_stale(now)).map(|fetch| fetch.guide).collect();
        Ok(self.store.note_stale(&stale, now).await?)
    }

    /// Removes a bounded number of what is over; answers whether there may be more.
    pub async fn sweep(&self) -> Result<bool, Error> {
        let KeptSpan { from, .. } = self.days.span(&self.calendar);
        Ok(self.store.sweep(from, self.now()).await?)
    }

    fn now(&self) -> DateTime<Utc> {
        self.calendar.now()
    }
}
