//! Cases of identity, and simulated refreshes of a source.

use std::collections::{HashMap, HashSet};

use super::*;
use crate::entry::TagName;

fn entry(name: &str, group: &str, guide_id: &str, url: &str) -> Entry {
    let tags = vec![(TagName::new("tvg-id"), guide_id.to_owned())];
    let groups = Some(group.to_owned()).filter(|group| !group.is_empty()).into_iter().collect();
    Entry { name: name.into(), url: url.into(), groups, tags, ..Entry::default() }
}

fn identified(known: &[(Entry, bool)], list: &[Entry]) -> Identification {
    let fingerprints = Fingerprints::default();
    let known: Vec<Known> = known
        .iter()
        .map(|(entry, missing)| Known { fingerprint: fingerprints.of(entry), missing: *missing })
        .collect();
    let list: Vec<Fingerprint> = list.iter().map(|entry| fingerprints.of(entry)).collect();
    identify(&known, &list)
}

/// The sign that identifies the one known entry in a list of one.
fn sign(known: Entry, now: Entry) -> Option<Sign> {
    match identified(&[(known, false)], &[now]).found[0] {
        Found::Known { by, .. } => Some(by),
        _ => None,
    }
}

#[test]
fn an_entry_is_recognised_by_several_signs_in_their_order() {
    let known =
        || entry("Canal Siete", "Cine", "siete.es", "http://h/live/9f8e7d6c5b4a39281706/7.m3u8?token=a");
    for (now, expected) in [
        (entry("Otro", "Otros", "otro.es", &known().url), Some(Sign::Address)),
        (
            entry("Otro", "", "", "https://h/live/9f8e7d6c5b4a39281706/7.m3u8?token=b"),
            Some(Sign::StableAddress),
        ),
        (entry("CANAL SIETE", "", "", "http://h/live/0a1b2c3d4e5f60718293/7.m3u8"), Some(Sign::PathAndName)),
        (
            entry("Otro", "", "siete.es", "http://h/live/0a1b2c3d4e5f60718293/7.m3u8"),
            Some(Sign::PathAndGuideId),
        ),
        (entry("Canal Siete", "", "siete.es", "http://x/1"), Some(Sign::GuideIdAndName)),
        (entry("Canal Siete", "Cine", "", "http://x/1"), Some(Sign::NameAndGroup)),
        (entry("Canal Siete", "", "", "http://x/1"), Some(Sign::Name)),
        (entry("Canal Ocho", "Cine", "siete.es", "http://x/1"), None),
    ] {
        assert_eq!(sign(known(), now.clone()), expected, "{now:?}");
    }
}

#[test]
fn a_sign_that_is_not_unique_identifies_no_entry_and_gives_candidates() {
    let known = [("1", false), ("2", false)]
        .map(|(url, missing)| (entry("Siete", "", "", &format!("http://a/{url}")), missing));
    let found = identified(&known, &[entry("Siete", "", "", "http://b/3")]);
    assert_eq!(found.found, [Found::New]);
    assert_eq!(found.missing, [0, 1]);
    assert_eq!(found.candidates, [(0, 0), (0, 1)]);
}

#[test]
fn a_name_that_is_not_unique_identifies_no_entry_even_if_one_is_left() {
    let known = [1, 2].map(|at| (entry("Siete", "", "", &format!("http://a/{at}")), false));
    let list = [entry("Siete", "", "", "http://a/1"), entry("Siete", "", "", "http://b/3")];
    assert_eq!(
        identified(&known, &list).found[1],
        Found::New,
        "the name is not unique in the lists as a whole"
    );
}

#[test]
fn a_returning_entry_keeps_its_identity() {
    let known = [(entry("Siete", "", "", "http://a/1"), true)];
    let list = [entry("Siete", "", "", "http://a/1")];
    assert_eq!(
        identified(&known, &list).found,
        [Found::Known { index: 0, by: Sign::Address, unchanged: true }]
    );
}

#[test]
fn a_missing_entry_does_not_hide_another_of_the_same_name() {
    let known = [(entry("Siete", "", "", "http://a/1"), true), (entry("Siete", "", "", "http://a/2"), false)];
    let list = [entry("Siete", "", "", "http://b/3")];
    assert_eq!(
        identified(&known, &list).found,
        [Found::Known { index: 1, by: Sign::Name, unchanged: false }]
    );
}

#[test]
fn an_entry_that_occurs_twice_counts_once() {
    let known = [(entry("Siete", "", "", "http://a/1?token=a"), false)];
    let list = [
        entry("Siete", "", "", "http://a/1?token=b"),
        entry("Siete", "", "", "http://a/1?token=c"),
        entry("Otro", "", "", "http://a/1?token=b"),
    ];
    let found = identified(&known, &list).found;
    assert!(matches!(found[0], Found::Known { index: 0, .. }));
    assert_eq!(found[1..], [Found::Duplicate { of: 0 }, Found::Duplicate { of: 0 }]);
}

#[test]
fn changes_are_listed_by_field_and_those_of_users_are_marked() {
    let before = entry("Siete", "Cine", "7.es", "http://a/1");
    let mut after = entry("Siete HD", "Cine", "7.es", "http://a/2");
    after.tags.push((TagName::new("catchup"), "append".into()));
    let found = changes(&before, &after, &[EntryField::Name]);
    let found: Vec<_> =
        found.iter().map(|one| (one.field, one.before.as_str(), one.after.as_str(), one.own)).collect();
    assert_eq!(
        found,
        [
            (EntryField::Name, "Siete", "Siete HD", true),
            (EntryField::Url, "http://a/1", "http://a/2", false),
            (EntryField::Tags, "", "catchup=append", false),
        ]
    );
    assert_eq!(changes(&before, &before, &[]), []);
}

#[test]
fn more_than_thirty_percent_missing_is_too_much() {
    assert!(!loses_too_much(10, 3));
    assert!(loses_too_much(10, 4));
    assert!(!loses_too_much(0, 0));
    assert!(loses_too_much(1, 1));
}

/// An entry of the provider, with an ID for the comparison of its identity.
#[derive(Debug, Clone)]
struct ProviderEntry {
    id: u32,
    number: u32,
    name: String,
    group: u32,
    has_guide_id: bool,
    /// Position of the token: panel path, query, or path segment.
    form: u32,
}

/// Pseudo-random numbers: the same seed gives the same sequence.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.0 >> 33) % u64::from(limit)).unwrap_or_default()
    }

    fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}

impl ProviderEntry {
    fn new(id: u32, numbers: &mut Numbers) -> Self {
        // One name in fifty is another entry's.
        let name = if numbers.percent(2) { id / 2 } else { id };
        Self {
            id,
            number: 1000 + id,
            name: format!("Canal {name}"),
            group: numbers.below(12),
            has_guide_id: numbers.percent(60),
            form: numbers.below(10),
        }
    }

    /// Whether a sign remains after a rename: the URL apart from a recognised token, or the EPG ID.
    fn keeps_a_sign(&self) -> bool {
        self.form < 9 || self.has_guide_id
    }

    fn entry(&self, token: u32) -> Entry {
        let number = self.number;
        let url = match self.form {
            0..5 => format!("http://s{}.example/live/user/{token:08x}/{number}.ts", token % 5),
            5..9 => format!("http://h.example/{number}/index.m3u8?token={token:x}"),
            _ => format!("http://h.example/hls/{token:08x}9f8e7d6c5b4a/c{number}/index.m3u8"),
        };
        let guide_id = if self.has_guide_id { format!("id{}.es", self.id) } else { String::new() };
        entry(&self.name, &format!("Grupo {}", self.group), &guide_id, &url)
    }
}

/// A user's decisions about an entry: ignored, and channel edited.
type Marks = [bool; 2];

/// An entry as the store has it.
struct Stored {
    id: u32,
    /// The entry that was last recognised as this one: another one after a lost identity.
    recognised: u32,
    entry: Entry,
    missing: bool,
    marks: Marks,
}

#[derive(Default)]
struct SimulatedSource {
    store: Vec<Stored>,
    seen: HashSet<u32>,
    kept: usize,
    lost: usize,
    /// Decisions before the first refresh; later entries get none.
    decided: HashMap<u32, Marks>,
    /// Decisions about entries of the lists, summed over all lists.
    due: usize,
    /// Decisions lost by their entry.
    forgotten: HashSet<(u32, usize)>,
    /// Decisions on a wrong entry.
    misplaced: HashSet<(u32, usize)>,
}

impl SimulatedSource {
    /// Refreshes by the rules of runs; returns whether the refresh was applied.
    fn refresh(&mut self, list: &[(u32, Entry)]) -> bool {
        let fingerprints = Fingerprints::default();
        let known = self
            .store
            .iter()
            .map(|one| Known { fingerprint: fingerprints.of(&one.entry), missing: one.missing });
        let known: Vec<Known> = known.collect();
        let marks: Vec<Fingerprint> = list.iter().map(|(_, entry)| fingerprints.of(entry)).collect();
        let found = identify(&known, &marks);
        let in_use = known.iter().filter(|one| !one.missing).count();
        let lost = found.missing.iter().filter(|index| !known[**index].missing).count();
        if loses_too_much(in_use, lost) {
            return false;
        }
        for index in found.missing {
            self.store[index].missing = true;
        }
        for ((id, entry), found) in list.iter().zip(found.found) {
            match found {
                Found::Duplicate { .. } => {}
                Found::Known { index, .. } => {
                    let stored = &mut self.store[index];
                    if stored.id == *id {
                        self.kept += 1;
                    } else {
                        self.lost += 1;
                    }
                    stored.recognised = *id;
                    stored.entry = entry.clone();
                    stored.missing = false;
                }
                Found::New => {
                    if self.seen.contains(id) {
                        self.lost += 1;
                    }
                    self.add(*id, entry.clone());
                }
            }
        }
        self.count_decisions();
        true
    }

    /// Compares the decisions about the list's entries with the stored marks.
    fn count_decisions(&mut self) {
        for stored in self.store.iter().filter(|one| !one.missing) {
            let decided = self.decided.get(&stored.recognised).copied().unwrap_or_default();
            for (at, (decided, marked)) in decided.into_iter().zip(stored.marks).enumerate() {
                self.due += usize::from(decided);
                if decided && !marked {
                    self.forgotten.insert((stored.recognised, at));
                }
                if marked && !decided {
                    self.misplaced.insert((stored.id, at));
                }
            }
        }
    }

    /// Decisions of a user about all entries.
    fn decide(&mut self) {
        for stored in &mut self.store {
            stored.marks = [stored.id.is_multiple_of(17), stored.id.is_multiple_of(13)];
            self.decided.insert(stored.id, stored.marks);
        }
    }

    fn add(&mut self, id: u32, entry: Entry) {
        self.seen.insert(id);
        self.store.push(Stored { id, recognised: id, entry, missing: false, marks: [false; 2] });
    }
}

/// Ten refreshes, each with all tokens new, 5 % renamed, 10 % in another group, 3 % removed, 3 %
/// added, 1 % duplicated, and shuffled; three bad refreshes after each.
fn simulated(seed: u64, size: u32) -> SimulatedSource {
    let mut numbers = Numbers(seed);
    let mut provided: Vec<ProviderEntry> = (0..size).map(|id| ProviderEntry::new(id, &mut numbers)).collect();
    let mut next = size;
    let mut source = SimulatedSource::default();
    for one in &provided {
        let entry = one.entry(numbers.below(u32::MAX));
        source.add(one.id, entry);
    }
    source.decide();
    let keeps_a_sign: HashSet<u32> =
        provided.iter().filter(|one| one.keeps_a_sign()).map(|one| one.id).collect();
    for refresh in 0..10 {
        provided.retain(|_| !numbers.percent(3));
        for one in &mut provided {
            if numbers.percent(5) {
                one.name = format!("Nuevo nombre {} {}", one.id, numbers.below(1000));
            }
            if numbers.percent(10) {
                one.group = numbers.below(12);
            }
        }
        for _ in 0..size * 3 / 100 {
            provided.push(ProviderEntry::new(next, &mut numbers));
            next += 1;
        }
        let mut list: Vec<(u32, Entry)> =
            provided.iter().map(|one| (one.id, one.entry(numbers.below(u32::MAX)))).collect();
        for at in 0..provided.len() {
            if numbers.percent(1) {
                list.push(list[at].clone());
            }
        }
        for at in (1..list.len()).rev() {
            list.swap(at, numbers.below(u32::try_from(at).unwrap() + 1) as usize);
        }
        assert!(source.refresh(&list), "an ordinary refresh is applied");
        let state = |source: &SimulatedSource| -> Vec<(String, bool)> {
            source.store.iter().map(|one| (one.entry.url.clone(), one.missing)).collect()
        };
        let before = state(&source);
        // Empty, halved, and cut off at another place each time.
        for bad in [&list[..0], &list[..list.len() / 2], &list[..list.len() * refresh / 20]] {
            assert!(!source.refresh(bad), "an incomplete list is rejected");
        }
        assert_eq!(before, state(&source), "and changes nothing");
    }
    let forgotten = source.forgotten.iter().find(|(id, _)| keeps_a_sign.contains(id));
    assert_eq!(forgotten, None, "seed {seed}");
    source
}

#[test]
fn entries_keep_their_identity_in_simulated_refreshes() {
    let sources = if std::env::var_os("CARTELERA_NIGHTLY").is_some() { 3_000 } else { 80 };
    let (mut kept, mut lost) = (0, 0);
    let (mut due, mut forgotten, mut misplaced) = (0, 0, 0);
    for seed in 0..sources {
        let source = simulated(seed, 120);
        let present: Vec<u32> =
            source.store.iter().filter(|one| !one.missing).map(|one| one.recognised).collect();
        let once: HashSet<u32> = present.iter().copied().collect();
        assert_eq!(once.len(), present.len(), "repeated entries, seed {seed}");
        due += source.due;
        forgotten += source.forgotten.len();
        misplaced += source.misplaced.len();
        kept += source.kept;
        lost += source.lost;
    }
    assert!(kept > 50_000, "{kept} is too few to say anything");
    println!("{lost} of {} lost their identity", kept + lost);
    assert!(lost * 1000 <= (kept + lost) * 5, "{lost} of {} lost their identity", kept + lost);
    // A decision is lost only together with the identity of its entry.
    assert!(due > 10_000, "{due} is too few to say anything");
    println!("of {due} decisions, {forgotten} were lost and {misplaced} misplaced");
    assert!(forgotten * 1000 <= due * 5, "{forgotten} of {due} decisions were lost");
    assert!(misplaced * 1000 <= due, "{misplaced} of {due} decisions are at another entry");
}
