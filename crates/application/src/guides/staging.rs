//! Buffer of programmes between file and store until the file is read completely: in memory up to a
//! limit, then in the store, so that memory is independent of the guide's size.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use async_trait::async_trait;
use domain_live::{
    guide::{GuideFault, Programme},
    programme::{KeptProgramme, KeptSpan, MOST_BYTES_OF_CHANNEL},
};
use ports::{ClaimedFetch, GuideSink, GuideStore, StagedPart, StoreError};

/// Maximum bytes of programmes in memory.
const MOST_IN_MEMORY: usize = 8 << 20;
/// Approximate bytes staged per transaction, so that other writers get their turn.
const STAGED_AT_ONCE: usize = 1 << 20;

/// Seconds after the kept days in which programmes make the same file worth reading again.
const AHEAD_SECONDS: i64 = 30 * 24 * 60 * 60;

/// Programmes of one channel in memory.
#[derive(Default)]
struct Waiting {
    programmes: Vec<KeptProgramme>,
    bytes: usize,
}

/// Staged parts of one channel.
#[derive(Default)]
struct Staged {
    bytes: usize,
    parts: usize,
}

/// Programmes read so far.
pub(super) struct Staging<'a> {
    store: &'a Arc<dyn GuideStore>,
    claim: &'a ClaimedFetch,
    span: KeptSpan,
    waiting: HashMap<String, Waiting>,
    in_memory: usize,
    /// Channels with staged parts.
    staged: HashMap<String, Staged>,
    parts: i64,
    pub(super) left_out: BTreeMap<GuideFault, u64>,
    /// Number of programmes outside of the kept days.
    pub(super) outside: u64,
    /// Whether some are after the kept days, so that the same file has new programmes tomorrow.
    pub(super) is_ahead: bool,
    /// End of the last programme that begins within or before the kept days.
    pub(super) newest: Option<i64>,
}

impl<'a> Staging<'a> {
    pub(super) fn new(store: &'a Arc<dyn GuideStore>, claim: &'a ClaimedFetch, span: KeptSpan) -> Self {
        Self {
            store,
            claim,
            span,
            waiting: HashMap::new(),
            in_memory: 0,
            staged: HashMap::new(),
            parts: 0,
            left_out: BTreeMap::new(),
            outside: 0,
            is_ahead: false,
            newest: None,
        }
    }

    fn add(&mut self, programme: Programme) {
        let channel = programme.channel.clone();
        let mut kept = KeptProgramme::of(programme, self.claim.guide.settings.shift());
        let is_cut = kept.cut();
        let end = self.span.to.timestamp();
        if kept.start < end {
            self.newest = self.newest.max(Some(kept.stop));
        }
        if !self.span.contains(&kept) {
            self.outside += 1;
            self.is_ahead |= (end..end + AHEAD_SECONDS).contains(&kept.start);
            return;
        }
        if is_cut {
            *self.left_out.entry(GuideFault::TooLong).or_default() += 1;
        }
        let staged = self.staged.get(&channel).map_or(0, |staged| staged.bytes);
        let size = kept.size();
        let waiting = self.waiting.entry(channel).or_default();
        if staged + waiting.bytes + size > MOST_BYTES_OF_CHANNEL {
            *self.left_out.entry(GuideFault::TooManyOfChannel).or_default() += 1;
            return;
        }
        waiting.programmes.push(kept);
        waiting.bytes += size;
        self.in_memory += size;
    }

    /// Moves the channels with the most programmes to the store, until half of the memory is free.
    async fn free_memory(&mut self) -> Result<bool, StoreError> {
        let mut order: Vec<(usize, String)> =
            self.waiting.iter().map(|(id, waiting)| (waiting.bytes, id.clone())).collect();
        order.sort_unstable_by(|one, other| other.cmp(one));
        let (mut parts, mut bytes) = (Vec::new(), 0);
        for (_, xml_id) in order {
            if self.in_memory <= MOST_IN_MEMORY / 2 {
                break;
            }
            let Some(waiting) = self.waiting.remove(&xml_id) else { continue };
            self.in_memory -= waiting.bytes;
            bytes += waiting.bytes;
            let staged = self.staged.entry(xml_id.clone()).or_default();
            staged.bytes += waiting.bytes;
            staged.parts += 1;
            self.parts += 1;
            let content = serde_json::to_vec(&waiting.programmes).map_err(broken)?;
            parts.push(StagedPart { xml_id, number: self.parts, content });
            if bytes >= STAGED_AT_ONCE {
                bytes = 0;
                if !self.store.stage(self.claim, std::mem::take(&mut parts)).await? {
                    return Ok(false);
                }
            }
        }
        Ok(parts.is_empty() || self.store.stage(self.claim, parts).await?)
    }

    /// Removes the programmes of channels from the buffer, per channel in the order of the file.
    pub(super) async fn remove_channels(
        &mut self,
        xml_ids: &[&str],
    ) -> Result<HashMap<String, Vec<KeptProgramme>>, StoreError> {
        let mut all: HashMap<String, Vec<KeptProgramme>> = HashMap::new();
        let (staged, parts): (Vec<String>, Vec<usize>) = xml_ids
            .iter()
            .filter_map(|id| self.staged.remove_entry(*id))
            .map(|(id, staged)| (id, staged.parts))
            .unzip();
        if !staged.is_empty() {
            let expected: usize = parts.iter().sum();
            let found = self.store.staged(self.claim, &staged).await?;
            // With missing parts, a channel would lose its stored programmes.
            if found.len() != expected {
                let text = format!("{} of {expected} staged parts of channels are left", found.len());
                return Err(StoreError::Broken(text));
            }
            for part in found {
                let some: Vec<KeptProgramme> = serde_json::from_slice(&part.content).map_err(broken)?;
                all.entry(part.xml_id).or_default().extend(some);
            }
        }
        for xml_id in xml_ids {
            if let Some(waiting) = self.waiting.remove(*xml_id) {
                self.in_memory -= waiting.bytes;
                all.entry((*xml_id).to_owned()).or_default().extend(waiting.programmes);
            }
        }
        Ok(all)
    }

    /// Bytes of a channel's programmes; `None` for a channel without any.
    pub(super) fn bytes_of(&self, xml_id: &str) -> Option<usize> {
        let waiting = self.waiting.get(xml_id).map(|waiting| waiting.bytes);
        let staged = self.staged.get(xml_id).map(|staged| staged.bytes);
        (waiting.is_some() || staged.is_some())
            .then(|| waiting.unwrap_or_default() + staged.unwrap_or_default())
    }
}

fn broken(error: serde_json::Error) -> StoreError {
    StoreError::Broken(error.to_string())
}

#[async_trait]
impl GuideSink for Staging<'_> {
    async fn take(&mut self, programmes: Vec<Programme>) -> Result<bool, StoreError> {
        for programme in programmes {
            self.add(programme);
        }
        if self.in_memory > MOST_IN_MEMORY { self.free_memory().await } else { Ok(true) }
    }
}
