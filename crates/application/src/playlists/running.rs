//! Carrying runs out: fetch, read, compare, write what differs. Called by the one job that holds the lease, on a thread of its
//! own: reading and comparing block it.

use std::collections::HashMap;

use async_trait::async_trait;
use domain_kernel::{Code, Enumeration, Id, ListQuery, MAX_PAGE_SIZE};
use domain_live::{
    diff::{EntryChange, Fingerprint, Fingerprints, Found, Identification, Known, identify, loses_too_much},
    playlist::{EntryDuplicateReason, PlaylistFault, RefusedLine, Summary},
    profile::SharedIds,
    run::{ApplyFault, MOST_LINES, RunCounts, RunFault, RunState},
};
use ports::{ClaimedRun, EntryWrite, FetchedPlaylist, LeftOut, PlaylistFetchFault, RunEnd};

use super::PlaylistService;
use crate::{
    Error, Job, OperationRefusal, PlaylistRefusal,
    panics::{catch_panic, end_of_run},
};

/// Known entries that are read at once: a request that needs the core waits until they are compared.
const READ_AT_ONCE: u64 = 500;
/// Entries that one transaction writes: others write in between.
const WRITTEN_AT_ONCE: usize = 500;

/// What is known of a source, and what its list has, as it is compared.
struct Compared {
    known: Vec<Known>,
    list: Vec<Fingerprint>,
    read: Read,
}

/// What remains of both behind the comparison.
struct Read {
    entries: Vec<KnownState>,
    lines: Vec<u32>,
    summary: Summary,
}

/// How a known entry is.
#[derive(Clone, Copy)]
struct KnownState {
    id: Id,
    missing: bool,
    in_use: bool,
}

/// A list that is to be read.
struct List {
    bytes: Vec<u8>,
    etag: Option<String>,
    /// Whether the store has it: a run that is begun anew reads the same.
    is_kept: bool,
}

/// A run that ends before anything is written.
fn ended(state: RunState, fault: Option<RunFault>) -> RunEnd {
    RunEnd {
        state,
        fault,
        status_code: None,
        limit: None,
        counts: RunCounts::default(),
        guides: Vec::new(),
        left_out: Vec::new(),
        etag: None,
    }
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[async_trait(?Send)]
impl Job for PlaylistService {
    /// Carries one run out. A run that was interrupted is begun anew.
    async fn run_next(&self) -> Result<bool, Error> {
        if self.apply_next().await? {
            return Ok(true);
        }
        let Some(mut claim) = self.stores.runs.claim().await? else { return Ok(false) };
        let run = claim.run.id;
        let failed = |error: &Error| {
            tracing::error!(run, %error, "playlist run failed");
            ended(RunState::Failed, Some(RunFault::Internal))
        };
        let Some(end) = end_of_run(self.carry_out(&mut claim), failed).await? else { return Ok(true) };
        let (state, fault) = (end.state.code(), end.fault.map(Enumeration::code));
        tracing::info!(source = claim.source.id, run, state, fault, "playlist run ended");
        // Where another process has it, that one ends it.
        self.stores.runs.end(&claim, end, self.calendar.now()).await?;
        Ok(true)
    }
}

impl PlaylistService {
    /// Begins the runs that are due.
    pub async fn schedule(&self) -> Result<u64, Error> {
        Ok(self.stores.runs.schedule(self.calendar.now()).await?)
    }

    /// Applies what a scheduled run found, as its source says now; answers whether one waited for it.
    async fn apply_next(&self) -> Result<bool, Error> {
        let Some((run, source)) = self.stores.runs.waiting_for_apply().await? else { return Ok(false) };
        let newest = self.stores.runs.newest_finished(source.id).await?;
        let is_newest = newest.is_some_and(|newest| newest.id == run.id);
        let applied =
            if is_newest { catch_panic(self.apply_automatically(&source, &run)).await } else { Ok(()) };
        let fault = match applied {
            Ok(()) => None,
            Err(error) if error.code() == Code::Unavailable => return Err(error),
            // All that differs is ignored, or a user's.
            Err(Error::Operation(OperationRefusal::Nothing)) => None,
            // A user was faster: the rest comes afterwards.
            Err(Error::Playlist(PlaylistRefusal::Applying)) => return Ok(false),
            Err(error) => {
                tracing::warn!(source = source.id, run = run.id, %error, "nothing was applied");
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

    /// How the run ends; `None` where another process has claimed it.
    async fn carry_out(&self, claim: &mut ClaimedRun) -> Result<Option<RunEnd>, Error> {
        let list = match self.list_of(claim).await {
            Ok(Some(list)) => list,
            Ok(None) => return self.as_before(claim).await.map(Some),
            Err(end) => return Ok(Some(*end)),
        };
        let fingerprints = Fingerprints::default();
        let ids = SharedIds::of(self.stores.profiles.ids_in_several_guides().await?);
        let (mut read, found) = match self.compare(claim, &list, &fingerprints, &ids).await? {
            Ok(Compared { known, list, read }) => (read, identify(&known, &list)),
            Err(fault) => return Ok(Some(self.refused(fault.into()))),
        };
        let mut end = ended(RunState::Finished, None);
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

    /// The list of the run; `None` where the source has nothing new, `Err` where it can't be had.
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
        RunEnd { limit: fault.limit(self.files.limits()), ..ended(RunState::Failed, Some(fault)) }
    }

    /// The source says that its list is the one that was read last.
    async fn as_before(&self, claim: &ClaimedRun) -> Result<RunEnd, Error> {
        let last = self.stores.runs.newest_finished(claim.source.id).await?;
        let mut end = ended(RunState::Finished, None);
        end.etag.clone_from(&claim.etag);
        if let Some(last) = last {
            let entries = last.counts.entries - last.counts.duplicates;
            end.counts = RunCounts { new: 0, changed: 0, lost: 0, unchanged: entries, ..last.counts };
            end.guides = last.guides;
            end.left_out = self.lines_of(last.id).await?;
        }
        Ok(end)
    }

    /// The lines that a run left out.
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

    /// Reads what is known and what the list has: hashes, no entries.
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
                    entries.iter_mut().for_each(|entry| ids.restore(entry));
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

    /// Reads the list once more and writes what differs. `false` where another process has claimed the run.
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
                            left_out.push(LeftOut {
                                line: entry.line,
                                change: EntryChange::Duplicate,
                                reason: EntryDuplicateReason::SameAddress.code().to_owned(),
                                name: entry.name,
                                of_line: read.lines.get(of).copied(),
                            });
                        }
                    }
                }
                index += 1;
            }
            while slice.len() >= WRITTEN_AT_ONCE {
                let rest = slice.split_off(WRITTEN_AT_ONCE);
                let some = std::mem::replace(&mut slice, rest);
                if !self.stores.runs.write(claim, some, now).await? {
                    return Ok(false);
                }
            }
        }
        let lost = found.missing.iter().map(|known| read.entries[*known]).filter(|known| !known.missing);
        slice.extend(lost.map(|known| EntryWrite::Miss(known.id)));
        while !slice.is_empty() {
            let rest = slice.split_off(WRITTEN_AT_ONCE.min(slice.len()));
            let some = std::mem::replace(&mut slice, rest);
            if !self.stores.runs.write(claim, some, now).await? {
                return Ok(false);
            }
        }
        left_out.sort_by_key(|left| left.line);
        Ok(true)
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
