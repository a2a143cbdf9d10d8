//! Programmes as they are kept, and what a fetch changes of a channel's (docs/spec/schedule.md#what-is-kept).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain_kernel::fold;
use serde::{Deserialize, Serialize};

use crate::guide::{EpisodeNumber, GuideFault, Localized, Programme, Rating};

/// The longest programme, in seconds: what is on at a time begins at most so long before it.
pub const LONGEST: i64 = 24 * 60 * 60;
/// Characters of a folded title by which programmes are found.
pub const TITLE_KEY: usize = 60;
/// Bytes of the programmes of one channel.
pub const MOST_BYTES_OF_CHANNEL: usize = 16 << 20;

/// What is kept of a programme beside its times and its first title. Lists of programmes are read without `d`, `i`, `r` and `y`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgrammeDetails {
    /// The language of the first title.
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Further titles.
    #[serde(rename = "t", skip_serializing_if = "Vec::is_empty")]
    pub titles: Vec<Localized>,
    /// Titles of the episode.
    #[serde(rename = "u", skip_serializing_if = "Vec::is_empty")]
    pub sub_titles: Vec<Localized>,
    /// What it is about.
    #[serde(rename = "d", skip_serializing_if = "Vec::is_empty")]
    pub descriptions: Vec<Localized>,
    /// Categories.
    #[serde(rename = "c", skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<Localized>,
    /// Numbers of the episode.
    #[serde(rename = "e", skip_serializing_if = "Vec::is_empty")]
    pub episodes: Vec<EpisodeNumber>,
    /// The address of a picture.
    #[serde(rename = "i", skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// Age ratings.
    #[serde(rename = "r", skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<Rating>,
    /// The year or day of production.
    #[serde(rename = "y", skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Whether it is shown for the first time.
    #[serde(rename = "n", skip_serializing_if = "is_false")]
    pub is_new: bool,
    /// Whether it was shown before.
    #[serde(rename = "p", skip_serializing_if = "is_false")]
    pub is_repeat: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A programme as a row. A channel has one at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptProgramme {
    /// When it begins, in seconds of UTC.
    #[serde(rename = "s")]
    pub start: i64,
    /// When it ends.
    #[serde(rename = "e")]
    pub stop: i64,
    /// Its first title.
    #[serde(rename = "t")]
    pub title: String,
    /// [`ProgrammeDetails`] as JSON, without the further ones; none where there are none.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// The same of what a schedule does not show: descriptions, icon, ratings and date. Most of its bytes.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub further_details: Option<String>,
}

fn details_json(details: &ProgrammeDetails) -> Option<String> {
    if *details == ProgrammeDetails::default() { None } else { serde_json::to_string(details).ok() }
}

fn read_details(json: &str) -> ProgrammeDetails {
    serde_json::from_str(json).unwrap_or_default()
}

impl KeptProgramme {
    /// What is kept of a programme, later by so many seconds.
    pub fn of(programme: Programme, shift: i64) -> Self {
        let mut titles = programme.titles.into_iter();
        let first = titles.next();
        let details = ProgrammeDetails {
            language: first.as_ref().and_then(|title| title.language.clone()),
            titles: titles.collect(),
            sub_titles: programme.sub_titles,
            categories: programme.categories,
            episodes: programme.episodes,
            is_new: programme.is_new,
            is_repeat: programme.is_repeat,
            ..ProgrammeDetails::default()
        };
        let further = ProgrammeDetails {
            descriptions: programme.descriptions,
            icon: programme.icon,
            ratings: programme.ratings,
            date: programme.date,
            ..ProgrammeDetails::default()
        };
        Self {
            start: programme.start.timestamp() + shift,
            stop: programme.stop.timestamp() + shift,
            title: first.map(|title| title.text).unwrap_or_default(),
            details: details_json(&details),
            further_details: details_json(&further),
        }
    }

    /// The same programme, later by so many seconds.
    #[must_use]
    pub fn later(mut self, shift: i64) -> Self {
        self.start += shift;
        self.stop += shift;
        self
    }

    /// Ends it [`LONGEST`] after its beginning where it lasts longer; whether it does.
    pub fn cut(&mut self) -> bool {
        let end = self.start + LONGEST;
        let is_longer = self.stop > end;
        self.stop = self.stop.min(end);
        is_longer
    }

    /// What is kept beside times and title, and was read.
    pub fn details(&self) -> ProgrammeDetails {
        let details = self.details.as_deref().map(read_details).unwrap_or_default();
        let Some(further) = self.further_details.as_deref().map(read_details) else { return details };
        ProgrammeDetails {
            descriptions: further.descriptions,
            icon: further.icon,
            ratings: further.ratings,
            date: further.date,
            ..details
        }
    }

    /// Its first title, folded: the key by which showings of one title are the same, whatever language is read. A search looks
    /// in it, and in [`Self::other_titles`].
    pub fn search_text(&self) -> String {
        fold(&self.title)
    }

    /// Its further titles, folded, each that differs once, a line each.
    pub fn other_titles(&self) -> Option<String> {
        // Most have none: their details are not read.
        let details = self.details.as_deref().filter(|json| json.contains("\"t\":["))?;
        let mut folded = vec![self.search_text()];
        for title in read_details(details).titles {
            let title = fold(&title.text);
            if !folded.contains(&title) {
                folded.push(title);
            }
        }
        (folded.len() > 1).then(|| folded[1..].join("\n"))
    }

    /// How much memory it takes, roughly.
    pub fn size(&self) -> usize {
        let details = [&self.details, &self.further_details].into_iter().flatten().map(String::len);
        std::mem::size_of::<Self>() + self.title.len() + details.sum::<usize>()
    }
}

/// By which programmes with a folded title are found.
pub fn title_key(folded: &str) -> String {
    folded.chars().take(TITLE_KEY).collect()
}

/// The span of time that programmes are kept of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptSpan {
    /// From here on.
    pub from: DateTime<Utc>,
    /// Up to here.
    pub to: DateTime<Utc>,
}

impl KeptSpan {
    /// Whether anything of a programme is in it.
    pub fn contains(self, programme: &KeptProgramme) -> bool {
        programme.stop > self.from.timestamp() && programme.start < self.to.timestamp()
    }
}

/// The programmes of a channel as a file has them, brought into order: by their beginning, one at a time. What was
/// left out is counted.
pub fn in_order(
    mut programmes: Vec<KeptProgramme>,
    left_out: &mut BTreeMap<GuideFault, u64>,
) -> Vec<KeptProgramme> {
    programmes.sort_by_key(|programme| programme.start);
    let before = programmes.len();
    // The sort is stable: of two the one that came first stays.
    programmes.dedup_by_key(|programme| programme.start);
    if programmes.len() < before {
        *left_out.entry(GuideFault::SameStart).or_default() += (before - programmes.len()) as u64;
    }
    programmes
}

/// What a fetch changes of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpanChange {
    /// Programmes that were not known.
    pub added: Vec<KeptProgramme>,
    /// Those that are different now.
    pub changed: Vec<KeptProgramme>,
    /// The beginnings of those that are gone.
    pub removed: Vec<i64>,
    /// How many stay as they are.
    pub unchanged: u64,
}

impl SpanChange {
    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

/// The span that programmes in order cover: from the first one's beginning to the last end.
pub fn covered(programmes: &[KeptProgramme]) -> Option<(i64, i64)> {
    let first = programmes.first()?;
    let end = programmes.iter().map(|programme| programme.stop).max()?;
    Some((first.start, end))
}

/// Every time: programmes that were read by other settings are replaced wherever they stand.
pub const ALWAYS: (i64, i64) = (i64::MIN, i64::MAX);

/// Replaces a span: the one that new programmes cover, or [`ALWAYS`]. `stored` are those of the span and those that reach into
/// it; a stored one that begins before it ends where the span begins. Both are in order.
pub fn replace_span(
    stored: Vec<KeptProgramme>,
    new: Vec<KeptProgramme>,
    (from, to): (i64, i64),
) -> SpanChange {
    let mut change = SpanChange::default();
    let mut new = new.into_iter().peekable();
    for one in stored {
        while let Some(next) = new.next_if(|next| next.start < one.start) {
            change.added.push(next);
        }
        if let Some(same) = new.next_if(|next| next.start == one.start) {
            if same == one {
                change.unchanged += 1;
            } else {
                change.changed.push(same);
            }
        } else if one.start < from {
            if one.stop > from {
                change.changed.push(KeptProgramme { stop: from, ..one });
            }
        } else if one.start < to {
            change.removed.push(one.start);
        }
    }
    change.added.extend(new);
    change
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    fn one(start: i64, stop: i64, title: &str) -> KeptProgramme {
        KeptProgramme { start, stop, title: title.into(), details: None, further_details: None }
    }

    fn replaced(stored: Vec<KeptProgramme>, new: Vec<KeptProgramme>) -> SpanChange {
        let span = covered(&new).unwrap();
        replace_span(stored, new, span)
    }

    fn starts(programmes: &[KeptProgramme]) -> Vec<i64> {
        programmes.iter().map(|programme| programme.start).collect()
    }

    #[test]
    fn the_same_programmes_change_nothing() {
        let all = vec![one(0, 10, "a"), one(10, 20, "b")];
        let change = replaced(all.clone(), all);
        assert!(change.is_empty());
        assert_eq!(change.unchanged, 2);
    }

    #[test]
    fn the_span_that_is_covered_is_replaced_and_no_more() {
        let stored =
            vec![one(0, 10, "before"), one(10, 30, "into"), one(30, 40, "old"), one(50, 60, "behind")];
        let change = replaced(stored, vec![one(20, 30, "new"), one(35, 50, "other")]);
        assert_eq!(starts(&change.added), [20, 35]);
        assert_eq!(change.changed, [one(10, 20, "into")], "it ends where the span begins");
        assert_eq!(change.removed, [30]);
        assert_eq!(change.unchanged, 0);
    }

    #[test]
    fn what_was_read_by_other_settings_is_replaced_wherever_it_stands() {
        let stored = vec![one(0, 10, "a"), one(10, 20, "b"), one(20, 30, "c")];
        let change = replace_span(stored, vec![one(10, 20, "a")], ALWAYS);
        assert_eq!((change.changed, change.removed), (vec![one(10, 20, "a")], vec![0, 20]));
        assert_eq!(
            replace_span(vec![one(0, 10, "a")], Vec::new(), ALWAYS).removed,
            [0],
            "the file has none of it"
        );
        assert_eq!(covered(&[]), None);
    }

    #[test]
    fn what_changed_is_written_under_its_beginning() {
        let change =
            replaced(vec![one(0, 10, "a"), one(10, 20, "b")], vec![one(0, 10, "a"), one(10, 25, "b")]);
        assert_eq!((change.changed, change.unchanged), (vec![one(10, 25, "b")], 1));
    }

    #[test]
    fn a_channel_has_one_programme_at_a_time() {
        let mut left_out = BTreeMap::new();
        let kept =
            in_order(vec![one(20, 30, "later"), one(0, 10, "first"), one(0, 5, "twice")], &mut left_out);
        assert_eq!(kept, [one(0, 10, "first"), one(20, 30, "later")]);
        assert_eq!(left_out, BTreeMap::from([(GuideFault::SameStart, 1)]));
    }

    #[test]
    fn no_programme_is_longer_than_a_day() {
        let mut long = one(10, 200_000, "long");
        assert!(long.cut());
        assert_eq!(long, one(10, 10 + LONGEST, "long"));
        assert!(!long.cut());
    }

    #[test]
    fn further_titles_are_found_each_once() {
        let with = |title: &str, titles: &[&str]| {
            let titles = titles.iter().map(|text| Localized { language: None, text: (*text).to_owned() });
            let sub_titles = vec![Localized { language: None, text: "\"t\":[ La huelga".into() }];
            let details =
                ProgrammeDetails { titles: titles.collect(), sub_titles, ..ProgrammeDetails::default() };
            KeptProgramme { details: details_json(&details), ..one(0, 60, title) }.other_titles()
        };
        assert_eq!(with("Pan y rosas", &[]), None);
        assert_eq!(with("Pan y rosas", &["PAN Y ROSAS"]), None);
        let titles = ["Bread and Roses", "Pão  e rosas", "bread and roses", "Pan y rosas"];
        assert_eq!(with("Pan y rosas", &titles).as_deref(), Some("bread and roses\npao e rosas"));
    }

    #[test]
    fn a_programme_is_kept_whole_and_later_by_the_shift() {
        let text = |language: Option<&str>, text: &str| Localized {
            language: language.map(str::to_owned),
            text: text.to_owned(),
        };
        let programme = Programme {
            channel: "siete".into(),
            start: DateTime::UNIX_EPOCH,
            stop: DateTime::UNIX_EPOCH + TimeDelta::hours(1),
            titles: vec![text(Some("es"), "Ópera"), text(Some("en"), "Opera")],
            sub_titles: Vec::new(),
            descriptions: vec![text(None, "…")],
            categories: Vec::new(),
            episodes: vec![EpisodeNumber { system: "onscreen".into(), value: "S01E02".into() }],
            icon: None,
            ratings: vec![Rating { system: None, value: "12".into() }],
            date: Some("2026".into()),
            is_new: true,
            is_repeat: false,
        };
        let kept = KeptProgramme::of(programme.clone(), 60);
        assert_eq!((kept.start, kept.stop, kept.title.as_str()), (60, 3_660, "Ópera"));
        assert_eq!(kept.search_text(), "opera");
        assert_eq!(kept.other_titles(), None, "the English title is the same");
        // A schedule reads the one column, the programme's own page both.
        let read = KeptProgramme { further_details: None, ..kept.clone() }.details();
        assert_eq!(
            (read.titles, read.episodes, read.is_new),
            (programme.titles[1..].to_vec(), programme.episodes.clone(), true)
        );
        assert_eq!((read.descriptions, read.icon, read.ratings, read.date), Default::default());
        let details = kept.details();
        assert_eq!(details.language.as_deref(), Some("es"));
        assert_eq!(details.titles, programme.titles[1..]);
        assert_eq!(details.descriptions, programme.descriptions);
        assert_eq!(details.episodes, programme.episodes);
        assert_eq!(details.ratings, programme.ratings);
        assert_eq!((details.date.as_deref(), details.is_new, details.is_repeat), (Some("2026"), true, false));
        let bare = Programme {
            titles: vec![text(None, "x")],
            descriptions: Vec::new(),
            episodes: Vec::new(),
            ratings: Vec::new(),
            date: None,
            is_new: false,
            ..programme
        };
        let kept = KeptProgramme::of(bare, 0);
        assert_eq!((kept.details, kept.further_details), (None, None));
    }
}
