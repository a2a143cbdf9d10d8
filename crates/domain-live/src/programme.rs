//! Stored programmes, and the changes of a channel's programmes by a fetch
//! (docs/spec/schedule.md#what-is-kept).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain_kernel::{Locale, fold};
use serde::{Deserialize, Serialize};

use crate::guide::{
    EpisodeNumber, GuideFault, Localized, Programme, Rating, find_in_language, is_in_language,
};

/// Maximum duration of a programme, in seconds: limits the search for the current one.
pub const LONGEST: i64 = 24 * 60 * 60;
/// Characters of a folded title in the index.
pub const TITLE_KEY: usize = 60;
/// Maximum bytes of a channel's programmes.
pub const MOST_BYTES_OF_CHANNEL: usize = 16 << 20;

/// Details of a stored programme, apart from times and first title. Lists of programmes are read
/// without `d`, `i`, `r` and `y`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgrammeDetails {
    /// Language of the first title.
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(rename = "t", skip_serializing_if = "Vec::is_empty")]
    pub titles: Vec<Localized>,
    #[serde(rename = "u", skip_serializing_if = "Vec::is_empty")]
    pub sub_titles: Vec<Localized>,
    #[serde(rename = "d", skip_serializing_if = "Vec::is_empty")]
    pub descriptions: Vec<Localized>,
    #[serde(rename = "c", skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<Localized>,
    #[serde(rename = "e", skip_serializing_if = "Vec::is_empty")]
    pub episodes: Vec<EpisodeNumber>,
    /// URL of an image.
    #[serde(rename = "i", skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    #[serde(rename = "r", skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<Rating>,
    #[serde(rename = "y", skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    #[serde(rename = "n", skip_serializing_if = "is_false")]
    pub is_new: bool,
    #[serde(rename = "p", skip_serializing_if = "is_false")]
    pub is_repeat: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A programme as a row. Programmes of a channel do not overlap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptProgramme {
    /// Start, in seconds of UTC.
    #[serde(rename = "s")]
    pub start: i64,
    /// End, in seconds of UTC.
    #[serde(rename = "e")]
    pub stop: i64,
    /// First title.
    #[serde(rename = "t")]
    pub title: String,
    /// [`ProgrammeDetails`] as JSON, without the further ones; `None` for empty details.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// Details that a schedule does not show, as JSON: descriptions, icon, ratings and date. Most
    /// of the bytes.
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
    /// The stored form of a programme, delayed by `shift` seconds.
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

    /// The programme delayed by `shift` seconds.
    #[must_use]
    pub fn later(mut self, shift: i64) -> Self {
        self.start += shift;
        self.stop += shift;
        self
    }

    /// Limits the duration to [`LONGEST`]; returns whether it was longer.
    pub fn cut(&mut self) -> bool {
        let end = self.start + LONGEST;
        let is_longer = self.stop > end;
        self.stop = self.stop.min(end);
        is_longer
    }

    /// Details read from both columns.
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

    /// The title in a language, or else the first one; `details` are its own.
    pub fn title_in<'a>(&'a self, details: &'a ProgrammeDetails, locale: Locale) -> &'a str {
        if is_in_language(details.language.as_deref(), locale) {
            return &self.title;
        }
        find_in_language(&details.titles, locale).map_or(&self.title, |title| &title.text)
    }

    /// First title, folded: the key of equal titles, in any language. Searches use it and
    /// [`Self::other_titles`].
    pub fn search_text(&self) -> String {
        fold(&self.title)
    }

    /// Distinct further titles, folded, one per line.
    pub fn other_titles(&self) -> Option<String> {
        // Most programmes have none, and need no parsing.
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

    /// Approximate memory size in bytes.
    pub fn size(&self) -> usize {
        let details = [&self.details, &self.further_details].into_iter().flatten().map(String::len);
        std::mem::size_of::<Self>() + self.title.len() + details.sum::<usize>()
    }
}

/// Index key of a folded title.
pub fn title_key(folded: &str) -> String {
    folded.chars().take(TITLE_KEY).collect()
}

/// Time span of stored programmes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptSpan {
    pub from: DateTime<Utc>,
    pub to: DateTime<Utc>,
}

impl KeptSpan {
    /// Whether the programme overlaps the span.
    pub fn contains(self, programme: &KeptProgramme) -> bool {
        programme.stop > self.from.timestamp() && programme.start < self.to.timestamp()
    }
}

/// Sorts the programmes of a channel by start, without overlaps. Counts rejected ones.
pub fn in_order(
    mut programmes: Vec<KeptProgramme>,
    left_out: &mut BTreeMap<GuideFault, u64>,
) -> Vec<KeptProgramme> {
    programmes.sort_by_key(|programme| programme.start);
    let before = programmes.len();
    // The sort is stable: the first of equal starts is kept.
    programmes.dedup_by_key(|programme| programme.start);
    if programmes.len() < before {
        *left_out.entry(GuideFault::SameStart).or_default() += (before - programmes.len()) as u64;
    }
    programmes
}

/// Changes of a channel by a fetch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpanChange {
    /// New programmes.
    pub added: Vec<KeptProgramme>,
    /// Changed programmes.
    pub changed: Vec<KeptProgramme>,
    /// Starts of removed programmes.
    pub removed: Vec<i64>,
    /// Number of unchanged programmes.
    pub unchanged: u64,
}

impl SpanChange {
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

/// Span of sorted programmes: from the first start to the last end.
pub fn covered(programmes: &[KeptProgramme]) -> Option<(i64, i64)> {
    let first = programmes.first()?;
    let end = programmes.iter().map(|programme| programme.stop).max()?;
    Some((first.start, end))
}

/// Unlimited span, for programmes that were read with other settings.
pub const ALWAYS: (i64, i64) = (i64::MIN, i64::MAX);

/// Replaces a span: that of the new programmes, or [`ALWAYS`]. `stored` are the programmes that
/// overlap it; one that starts earlier ends at its start. Both are sorted.
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
    fn programmes_read_with_other_settings_are_replaced_at_any_time() {
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
    fn changed_programmes_are_written_by_their_start() {
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
    fn all_fields_of_a_programme_are_kept_and_its_times_are_shifted() {
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
        // A schedule reads one column, a programme's own page both.
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
