//! Runs: fetch, read, compare, write the differences. Called by the job with the lease, on two threads
//! of its own, which reading and comparing block: while one waits for its host, the other continues.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Code, Enumeration, Id, ListQuery, MAX_PAGE_SIZE};
use domain_live::{
    diff::{EntryChange, Fingerprint, Fingerprints, Found, Identification, Known, identify, loses_too_much},
    entry::Entry,
    playlist::{EntryDuplicateReason, PlaylistFault, RefusedLine, Summary},
    profile::SharedIds,
    run::{ApplyFault, MOST_LINES, RunCounts, RunFault, RunState},
};
use ports::{ClaimedRun, EntryWrite, FetchedPlaylist, LeftOut, PlaylistFetchFault, RunEnd};

use super::{PlaylistService, concurrency::pending};
use crate::{Error, Job, OperationRefusal, PlaylistRefusal, panics::end_of_run};

/// Known entries per read: the comparison of a batch delays other tasks of the thread.
const READ_AT_ONCE: u64 = 500;
/// Entries per transaction, so that other writers get their turn.
const WRITTEN_AT_ONCE: usize = 500;

/// Known and listed entries during the comparison.
struct Compared {
    known: Vec<Known>,
    list: Vec<Fingerprint>,
    read: Read,
}

/// Result of the comparison.
struct Read {
    entries: Vec<KnownState>,
    lines: Vec<u32>,
    summary: Summary,
}

/// State of a known entry.
#[derive(Clone, Copy)]
struct KnownState {
    id: Id,
    missing: bool,
    in_use: bool,
}

/// A list to read.
struct List {
    bytes: Vec<u8>,
    etag: Option<String>,
    /// Whether the store has it: a restarted run reads the same list.
    is_kept: bool,
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[async_trait(?Send)]
impl Job for PlaylistService {
    /// Runs one run. An interrupted run restarts.
    async fn run_next(&self) -> Result<bool, Error> {
        // Applying reads entries: not while a list is read, and one at a time.
        if let Some(_reading) = self.reading.try_lock()
            && self.apply_pending().await?
        {
            return Ok(true);
        }
        let unfinished = self.stores.runs.unfinished().await?;
        let Some((_active, next)) = self.active.begin(&unfinished, pending) else { return Ok(false) };
        let run = next.run;
        let Some(mut claim) = self.stores.runs.claim(run).await? else { return Ok(false) };
        let failed = |error: &Error| {
            tracing::error!(run, %error, "playlist run failed");
            RunEnd::empty(RunState::Failed, Some(RunFault::Internal))
        };
        let end = end_of_run(Box::pin(self.carry_out(&mut claim)), failed).await?;
        let Some(end) = end else { return Ok(true) };
        let (state, fault) = (end.state.code(), end.fault.map(Enumeration::code));
        tracing::info!(source = claim.source.id, run, state, fault, "playlist run ended");
        // If another process has claimed it, that process ends it.
        self.stores.runs.end(&claim, end, self.calendar.now()).await?;
        Ok(true)
    }
}

impl PlaylistService {
    /// Begins the due runs.
    pub async fn schedule(&self) -> Result<u64, Error> {
        Ok(self.stores.runs.schedule(self.calendar.now()).await?)
    }

    /// Applies the changes of a pending scheduled run; returns whether there was one. A broken row of
    /// one source does not fail the runs of the others.
    async fn apply_pending(&self) -> Result<bool, Error> {
        match self.apply_next().await {
            Err(error) if error.code() != Code::Unavailable => {
                tracing::error!(%error, "failed to read the pending apply");
                Ok(false)
            }
            applied => applied,
        }
    }

    /// Applies the changes of a scheduled run by the source's current setting; returns whether one
    /// was pending.
    async fn apply_next(&self) -> Result<bool, Error> {
        let Some((run, source)) = self.stores.runs.waiting_for_apply().await? else { return Ok(false) };
        let newest = self.stores.runs.newest_finished(source.id).await?;
        let is_newest = newest.is_some_and(|newest| newest.id == run.id);
        let applied = if is_newest { self.apply_unless_applying(&source, &run).await } else { Ok(true) };
        let fault = match applied {
            Ok(true) => None,
            // The rest follows after the apply of a user.
            Ok(false) => return Ok(false),
            Err(error) if error.code() == Code::Unavailable => return Err(error),
            // All differences are ignored or a user's.
            Err(Error::Operation(OperationRefusal::Nothing)) => None,
            // The next run fails for it.
            Err(Error::Playlist(PlaylistRefusal::OwnPlaylist)) => None,
            Err(error) => {
                tracing::warn!(source = source.id, run = run.id, %error, "failed to apply playlist run");
                Some(if error.code() == Code::Forbidden {
                    ApplyFault::NotAllowed
                } else {
                    ApplyFault::Internal
                })
            }
        };
        self.stores.runs.end_apply(run.id, fault).await?;
        Ok(true)
    }

    /// End of the run; `None` after a claim by another process.
    async fn carry_out(&self, claim: &mut ClaimedRun) -> Result<Option<RunEnd>, Error> {
        if claim.file.is_none()
            && let Some(url) = &claim.source.draft.url
            && self.is_own_playlist(&url.0).await?
        {
            return Ok(Some(self.refused(RunFault::OwnPlaylist)));
        }
        let list = match self.list_of(claim).await {
            Ok(Some(list)) => list,
            Ok(None) => return self.as_before(claim).await.map(Some),
            Err(end) => return Ok(Some(*end)),
        };
        let _reading = self.reading.lock().await;
        // With a backlog, some list is always read.
        while self.apply_pending().await? {}
        let fingerprints = Fingerprints::default();
        let ids = SharedIds::of(self.stores.profiles.ids_in_several_guides().await?);
        let (mut read, found) = match self.compare(claim, &list, &fingerprints, &ids).await? {
            Ok(Compared { known, list, read }) => (read, identify(&known, &list)),
            Err(fault) => return Ok(Some(self.refused(fault.into()))),
        };
        let mut end = RunEnd::empty(RunState::Finished, None);
        end.counts = counts(&read, &found);
        end.guides = std::mem::take(&mut read.summary.guides);
        end.left_out = refused_lines(&read.summary.refused);
        end.etag.clone_from(&list.etag);
        if read.lines.is_empty() {
            (end.state, end.fault) = (RunState::Failed, Some(RunFault::Empty));
            return Ok(Some(end));
        }
        let (in_use, lost) = (end.counts.in_use, end.counts.lost);
        let too_much =
            loses_too_much(usize::try_from(in_use).unwrap_or(0), usize::try_from(lost).unwrap_or(0));
        if too_much && !claim.run.accept_loss {
            (end.state, end.fault) = (RunState::Stopped, Some(RunFault::TooManyMissing));
            return Ok(Some(end));
        }
        let written = self.write(claim, &list, &read, &found, &ids, &mut end.left_out).await?;
        Ok(written.then_some(end))
    }

    /// The list of the run; `None` for an unchanged source, `Err` for a failed fetch.
    async fn list_of(&self, claim: &mut ClaimedRun) -> Result<Option<List>, Box<RunEnd>> {
        if let Some(bytes) = claim.file.take() {
            return Ok(Some(List { bytes, etag: None, is_kept: true }));
        }
        let address = claim.source.draft.url.as_ref().map(|url| url.0.as_str());
        let Some(address) = address else { return Err(Box::new(self.refused(RunFault::InvalidAddress))) };
        match self.files.fetch(address, claim.etag.as_deref()).await {
            Ok(FetchedPlaylist::NotModified) => Ok(None),
            Ok(FetchedPlaylist::Whole { list, etag }) => Ok(Some(List { bytes: list, etag, is_kept: false })),
            Err(PlaylistFetchFault::Fault(fault)) => Err(Box::new(self.refused(fault.into()))),
            Err(PlaylistFetchFault::Refused(fault)) => Err(Box::new(self.refused(fault.into()))),
            Err(PlaylistFetchFault::Status(status)) => {
                Err(Box::new(RunEnd { status_code: Some(status), ..self.refused(RunFault::Status) }))
            }
        }
    }

    fn refused(&self, fault: RunFault) -> RunEnd {
        RunEnd { limit: fault.limit(self.files.limits()), ..RunEnd::empty(RunState::Failed, Some(fault)) }
    }

    /// End of a run whose source has not changed.
    async fn as_before(&self, claim: &ClaimedRun) -> Result<RunEnd, Error> {
        let last = self.stores.runs.newest_finished(claim.source.id).await?;
        let mut end = RunEnd::empty(RunState::Finished, None);
        end.etag.clone_from(&claim.etag);
        if let Some(last) = last {
            let entries = last.counts.entries - last.counts.duplicates;
            end.counts = RunCounts { new: 0, changed: 0, lost: 0, unchanged: entries, ..last.counts };
            end.guides = last.guides;
            end.left_out = self.lines_of(last.id).await?;
        }
        Ok(end)
    }

    /// Lines rejected by a run.
    async fn lines_of(&self, run: Id) -> Result<Vec<LeftOut>, Error> {
        let mut lines = Vec::new();
        for page in 0.. {
            let query = ListQuery { page, size: MAX_PAGE_SIZE, ..ListQuery::default() };
            let found = self.stores.runs.left_out(run, &query).await?;
            let is_last = found.content.len() < MAX_PAGE_SIZE as usize;
            lines.extend(found.content);
            if is_last {
                break;
            }
        }
        Ok(lines)
    }

    /// Reads known and listed entries as hashes.
    async fn compare(
        &self,
        claim: &ClaimedRun,
        list: &List,
        fingerprints: &Fingerprints,
        ids: &SharedIds,
    ) -> Result<Result<Compared, PlaylistFault>, Error> {
        let read = Read { entries: Vec::new(), lines: Vec::new(), summary: Summary::default() };
        let mut compared = Compared { known: Vec::new(), list: Vec::new(), read };
        let mut open = self.files.open(&list.bytes);
        loop {
            match open.next() {
                Ok(Some(mut entries)) => {
                    for entry in &mut entries {
                        ids.restore(entry);
                    }
                    compared.list.extend(entries.iter().map(|entry| fingerprints.of(entry)));
                    compared.read.lines.extend(entries.iter().map(|entry| entry.line));
                }
                Ok(None) => break,
                Err(fault) => return Ok(Err(fault)),
            }
        }
        compared.read.summary = open.summary();
        let mut after = 0;
        loop {
            let some = self.stores.runs.known(claim.source.id, after, READ_AT_ONCE).await?;
            let Some(last) = some.last() else { break };
            after = last.id;
            for mut one in some {
                ids.restore(&mut one.entry);
                let state = KnownState { id: one.id, missing: one.missing, in_use: one.in_use };
                compared.read.entries.push(state);
                let fingerprint = fingerprints.of(&one.entry);
                compared.known.push(Known { fingerprint, missing: one.missing });
            }
        }
        Ok(Ok(compared))
    }

    /// Reads the list again and writes the differences. `false` after a claim by another process.
    async fn write(
        &self,
        claim: &ClaimedRun,
        list: &List,
        read: &Read,
        found: &Identification,
        ids: &SharedIds,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<bool, Error> {
        let now = self.calendar.now();
        let differs = |found: &Found| !matches!(found, Found::Known { unchanged: true, .. });
        let writes = found.found.iter().any(differs) || !found.missing.is_empty();
        if writes && !list.is_kept && !self.stores.runs.keep_list(claim, &list.bytes).await? {
            return Ok(false);
        }
        let mut candidates: HashMap<usize, Vec<Id>> = HashMap::new();
        for (entry, known) in &found.candidates {
            candidates.entry(*entry).or_default().push(read.entries[*known].id);
        }
        let mut slice = Vec::new();
        let mut open = self.files.open(&list.bytes);
        let (mut index, mut duplicates) = (0, 0);
        while let Ok(Some(entries)) = open.next() {
            for mut entry in entries {
                ids.restore(&mut entry);
                match found.found[index] {
                    Found::New => {
                        slice.push(EntryWrite::Add(entry, candidates.remove(&index).unwrap_or_default()));
                    }
                    Found::Known { index: known, unchanged, by } => {
                        let known = read.entries[known];
                        if !unchanged || known.missing {
                            slice.push(EntryWrite::See(known.id, entry, by));
                        }
                    }
                    Found::Duplicate { of } => {
                        if duplicates < MOST_LINES {
                            duplicates += 1;
                            left_out.push(duplicate_line(entry, read.lines.get(of).copied()));
                        }
                    }
                }
                index += 1;
            }
            if !self.write_parts(claim, &mut slice, WRITTEN_AT_ONCE, now).await? {
                return Ok(false);
            }
        }
        let lost = found.missing.iter().map(|known| read.entries[*known]).filter(|known| !known.missing);
        slice.extend(lost.map(|known| EntryWrite::Miss(known.id)));
        if !self.write_parts(claim, &mut slice, 1, now).await? {
            return Ok(false);
        }
        left_out.sort_by_key(|left| left.line);
        Ok(true)
    }

    /// Writes entries in parts while there are at least so many. `false` after a claim by another
    /// process.
    async fn write_parts(
        &self,
        claim: &ClaimedRun,
        entries: &mut Vec<EntryWrite>,
        at_least: usize,
        now: DateTime<Utc>,
    ) -> Result<bool, Error> {
        while entries.len() >= at_least {
            let rest = entries.split_off(WRITTEN_AT_ONCE.min(entries.len()));
            let some = std::mem::replace(entries, rest);
            if !self.stores.runs.write(claim, some, now).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn duplicate_line(entry: Entry, of_line: Option<u32>) -> LeftOut {
    LeftOut {
        line: entry.line,
        change: EntryChange::Duplicate,
        reason: EntryDuplicateReason::SameAddress.code().to_owned(),
        name: entry.name,
        of_line,
    }
}

fn refused_lines(refused: &[RefusedLine]) -> Vec<LeftOut> {
    let line = |refused: &RefusedLine| LeftOut {
        line: refused.line,
        change: EntryChange::Refused,
        reason: refused.reason.code().to_owned(),
        name: String::new(),
        of_line: None,
    };
    refused.iter().take(MOST_LINES).map(line).collect()
}

fn counts(read: &Read, found: &Identification) -> RunCounts {
    let mut counts = RunCounts {
        entries: number(read.lines.len()),
        refused: number(read.summary.refused.len()),
        films: read.summary.films.into(),
        series: read.summary.series.into(),
        missing: number(found.missing.len()),
        ..RunCounts::default()
    };
    for one in &found.found {
        *match one {
            Found::New => &mut counts.new,
            Found::Known { unchanged: true, .. } => &mut counts.unchanged,
            Found::Known { unchanged: false, .. } => &mut counts.changed,
            Found::Duplicate { .. } => &mut counts.duplicates,
        } += 1;
    }
    let counted = |known: &KnownState| known.in_use && !known.missing;
    counts.in_use = number(read.entries.iter().filter(|known| counted(known)).count());
    counts.lost = number(found.missing.iter().filter(|index| counted(&read.entries[**index])).count());
    counts
}
