//! Runs fetches: reads the file completely, then replaces the span of each channel. Called by the
//! job with the lease, on two threads: while one waits for its host, the other reads a small guide of
//! another host.

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Enumeration, Id};
use domain_live::{
    fetch::Validators,
    guide::GuideFault,
    guide_fetch::{GuideCounts, GuideFetchFault, GuideFetchState, ReadBy},
    programme::{
        ALWAYS, KeptProgramme, LONGEST, MOST_BYTES_OF_CHANNEL, SpanChange, covered, in_order, replace_span,
    },
};
use ports::{
    ClaimedFetch, GuideFailure, GuideFetchEnd, GuideFetched, GuideOrigin, GuideParts, GuideRead, GuideStore,
    StoreError,
};

use super::{
    GuideService,
    running::{most_unpacked, pending},
    staging::Staging,
};
use crate::{Error, Job, panics::end_of_run};

/// Approximate number of programmes per transaction: a channel's are never split.
const WRITTEN_AT_ONCE: usize = 1_000;
/// Maximum channels compared at once, limited to 80 MiB in the worst case.
const COMPARED_AT_ONCE: usize = (80 << 20) / MOST_BYTES_OF_CHANNEL;
/// Approximate bytes of their new programmes.
const BYTES_AT_ONCE: usize = 1 << 20;
/// Delay of the retry after a failed fetch.
const AGAIN: TimeDelta = TimeDelta::hours(1);

/// An uploaded file.
struct Parts<'a> {
    store: &'a dyn GuideStore,
    upload: i64,
    next: i64,
}

#[async_trait]
impl GuideParts for Parts<'_> {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        let part = self.store.part(self.upload, self.next).await?;
        self.next += 1;
        Ok(part)
    }
}

/// Pending changes of a fetch, up to the size of a transaction.
#[derive(Default)]
struct Batch {
    changes: Vec<(Id, SpanChange)>,
    rows: usize,
}

impl Batch {
    fn add(&mut self, (channel, change): (Id, SpanChange), counts: &mut GuideCounts) {
        counts.unchanged += change.unchanged;
        counts.added += change.added.len() as u64;
        counts.changed += change.changed.len() as u64;
        counts.removed += change.removed.len() as u64;
        if !change.is_empty() {
            self.rows += change.added.len() + change.changed.len() + change.removed.len();
            self.changes.push((channel, change));
        }
    }
}

#[async_trait(?Send)]
impl Job for GuideService {
    /// Runs one fetch. An interrupted fetch restarts: each channel has either its old or its new
    /// programmes.
    async fn run_next(&self) -> Result<bool, Error> {
        let unfinished = self.store.unfinished().await?;
        let Some((active, next)) = self.active.begin(&unfinished, pending) else { return Ok(false) };
        let Some(claim) = self.store.claim(next.guide).await? else { return Ok(false) };
        let failed = |error: &Error| {
            tracing::error!(guide = claim.guide.guide, %error, "guide fetch failed");
            self.failed(&claim, GuideFetchFault::Internal)
        };
        let run = self.carry_out(&claim, most_unpacked(&active));
        let Some(end) = end_of_run(run, failed).await? else { return Ok(true) };
        let (state, fault) = (end.state.code(), end.fault.map(Enumeration::code));
        if self.store.end(&claim, end, self.now()).await? {
            tracing::info!(guide = claim.guide.guide, state, fault, "guide fetch ended");
        }
        Ok(true)
    }
}

impl GuideService {
    /// Time of the next fetch, after a successful or a failed one; `None` without a schedule.
    fn next_fetch(&self, claim: &ClaimedFetch, good: bool) -> Option<DateTime<Utc>> {
        let pause = claim.guide.settings.interval()?;
        Some(self.now() + if good { pause } else { pause.min(AGAIN) })
    }

    fn failed(&self, claim: &ClaimedFetch, fault: GuideFetchFault) -> GuideFetchEnd {
        GuideFetchEnd {
            state: GuideFetchState::Failed,
            fault: Some(fault),
            status_code: None,
            found: None,
            newest: None,
            known: None,
            next_fetch_date: self.next_fetch(claim, false),
        }
    }

    /// End of the fetch; `None` after a claim by another process, and for a fetch that waits again.
    async fn carry_out(
        &self,
        claim: &ClaimedFetch,
        most_unpacked: Option<u64>,
    ) -> Result<Option<GuideFetchEnd>, Error> {
        while self.store.unstage(claim).await? {}
        let mut staging = Staging::new(&self.store, claim, self.days.span(&self.calendar));
        let zone = &claim.guide.settings.zone;
        let mut parts = claim.upload.map(|upload| Parts { store: &*self.store, upload, next: 0 });
        let origin = match &mut parts {
            Some(parts) => GuideOrigin::Upload(parts),
            None => GuideOrigin::Address(&claim.url, &claim.known),
        };
        let fetched = self.files.read(origin, zone, most_unpacked, &mut staging).await;
        let end = match fetched {
            Ok(GuideFetched::Ended) => None,
            Ok(GuideFetched::Larger) => {
                while self.store.unstage(claim).await? {}
                tracing::info!(guide = claim.guide.guide, "guide has become large, will be read as one");
                self.store.wait_again(claim, most_unpacked.unwrap_or_default() + 1).await?;
                return Ok(None);
            }
            Ok(GuideFetched::NotModified) => Some(GuideFetchEnd {
                state: GuideFetchState::Unchanged,
                fault: None,
                next_fetch_date: self.next_fetch(claim, true),
                ..self.failed(claim, GuideFetchFault::Internal)
            }),
            Ok(GuideFetched::Read(read)) => match refusal(&read) {
                Some(fault) => Some(self.failed(claim, fault)),
                None => self.put(claim, *read, staging).await?,
            },
            Err(GuideFailure::Fault(fault)) => Some(self.failed(claim, fault.into())),
            Err(GuideFailure::Status(status)) => Some(GuideFetchEnd {
                status_code: Some(status),
                ..self.failed(claim, GuideFetchFault::Status)
            }),
            Err(GuideFailure::Store(error)) => return Err(error.into()),
        };
        while self.store.unstage(claim).await? {}
        Ok(end)
    }

    /// Replaces the stored programmes by those read, channel by channel.
    async fn put(
        &self,
        claim: &ClaimedFetch,
        read: GuideRead,
        mut staging: Staging<'_>,
    ) -> Result<Option<GuideFetchEnd>, Error> {
        let Some(ids) = self.store.write_channels(claim, &read.channels).await? else { return Ok(None) };
        let is_whole = read.stopped.is_none();
        let read_by = claim.guide.settings.read_by();
        let is_kept_alike = claim.guide.counts.read_by.as_ref().is_none_or(|kept| *kept == read_by);
        // Programmes with obsolete times are replaced everywhere. After a partial read they stay
        // until a complete one.
        let replaces_all = is_whole && !is_kept_alike;
        let mut counts = GuideCounts {
            channels: read.channels.len() as u64,
            programmes: read.programmes,
            outside: staging.outside,
            // A file of few bytes may need the memory of a large one. As a small one it would be downloaded
            // twice at every fetch.
            unpacked_bytes: claim.guide.counts.unpacked_bytes.max(Some(read.unpacked_bytes)),
            ..GuideCounts::default()
        };
        let mut left_out: BTreeMap<GuideFault, u64> = read.left_out.into_iter().collect();
        for (fault, more) in std::mem::take(&mut staging.left_out) {
            *left_out.entry(fault).or_default() += more;
        }
        let mut batch = Batch::default();
        let (mut group, mut bytes) = (Vec::new(), 0);
        for (channel, id) in read.channels.iter().zip(&ids) {
            let more = staging.bytes_of(&channel.id);
            if more.is_none() && !replaces_all {
                continue;
            }
            group.push((channel.id.as_str(), *id));
            bytes += more.unwrap_or_default();
            if group.len() < COMPARED_AT_ONCE && bytes < BYTES_AT_ONCE {
                continue;
            }
            bytes = 0;
            let some = std::mem::take(&mut group);
            for change in self.compared(&mut staging, some, replaces_all, &mut left_out).await? {
                batch.add(change, &mut counts);
                if batch.rows >= WRITTEN_AT_ONCE && !self.write(claim, &mut batch).await? {
                    return Ok(None);
                }
            }
        }
        for change in self.compared(&mut staging, group, replaces_all, &mut left_out).await? {
            batch.add(change, &mut counts);
        }
        if !self.write(claim, &mut batch).await? {
            return Ok(None);
        }
        if is_whole {
            self.store.forget_channels(claim, &ids, replaces_all).await?;
        }
        counts.read_by = Some(if is_whole || is_kept_alike { read_by } else { ReadBy::default() });
        counts.left_out =
            left_out.into_iter().map(|(fault, count)| (fault.code().to_owned(), count)).collect();
        // A file with programmes after the kept days is read again tomorrow, and a partial one is
        // fetched again.
        let is_known = is_whole && claim.upload.is_none() && !staging.is_ahead;
        Ok(Some(GuideFetchEnd {
            state: if is_whole { GuideFetchState::Done } else { GuideFetchState::Partial },
            fault: read.stopped.map(GuideFetchFault::from),
            status_code: None,
            found: Some((counts, read.examples)),
            newest: staging.newest,
            known: Some(if is_known { read.known } else { Validators::default() }),
            next_fetch_date: self.next_fetch(claim, is_whole),
        }))
    }

    /// Changes of these channels, in the span that the file covers or everywhere.
    async fn compared(
        &self,
        staging: &mut Staging<'_>,
        channels: Vec<(&str, Id)>,
        replaces_all: bool,
        left_out: &mut BTreeMap<GuideFault, u64>,
    ) -> Result<Vec<(Id, SpanChange)>, Error> {
        let xml_ids: Vec<&str> = channels.iter().map(|(xml_id, _)| *xml_id).collect();
        let mut programmes = staging.remove_channels(&xml_ids).await?;
        let mut new = Vec::with_capacity(channels.len());
        for (xml_id, id) in channels {
            let of_channel = in_order(programmes.remove(xml_id).unwrap_or_default(), left_out);
            let span = if replaces_all { Some(ALWAYS) } else { covered(&of_channel) };
            new.extend(span.map(|span| (id, span, of_channel)));
        }
        // A programme that begins before the span may overlap it.
        let first = |(from, _): (i64, i64)| from.saturating_sub(LONGEST);
        let Some(from) = new.iter().map(|(_, span, _)| first(*span)).min() else { return Ok(Vec::new()) };
        let to = new.iter().map(|(_, (_, to), _)| *to).max().unwrap_or(from);
        let ids: Vec<Id> = new.iter().map(|(id, ..)| *id).collect();
        let mut stored: HashMap<Id, Vec<KeptProgramme>> = HashMap::new();
        for (id, programme) in self.store.programmes(&ids, from, to).await? {
            stored.entry(id).or_default().push(programme);
        }
        let change = |(id, span, new): (Id, (i64, i64), Vec<KeptProgramme>)| {
            let mut stored = stored.remove(&id).unwrap_or_default();
            stored.retain(|programme| (first(span)..span.1).contains(&programme.start));
            (id, replace_span(stored, new, span))
        };
        Ok(new.into_iter().map(change).collect())
    }

    /// Writes the batch. `false` after a claim by another process.
    async fn write(&self, claim: &ClaimedFetch, batch: &mut Batch) -> Result<bool, Error> {
        let Batch { changes, .. } = std::mem::take(batch);
        Ok(changes.is_empty() || self.store.write_spans(claim, changes).await?)
    }
}

/// Reason why nothing of a file is stored.
fn refusal(read: &GuideRead) -> Option<GuideFetchFault> {
    if read.refused || read.programmes == 0 {
        Some(read.stopped.map_or(GuideFetchFault::Empty, GuideFetchFault::from))
    } else {
        None
    }
}
