//! Detects a constant offset between the programmes of two guides: the times of one are in an
//! undeclared time zone (docs/spec/schedule.md#guide-health). Pure.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain_kernel::Id;

/// Maximum difference between time zones, in seconds.
pub const FARTHEST: i64 = 14 * 60 * 60;
/// Unit of differences between time zones, in seconds.
const STEP: i64 = 15 * 60;
/// Maximum difference of equal times, in seconds: guides round.
const ROUNDED: i64 = 5 * 60;
/// Minimum titles that two channels share at one offset.
const FEWEST_TITLES: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub channel: Id,
    /// Start, in seconds of UTC.
    pub start: i64,
    /// First title, folded.
    pub title: String,
}

/// Offset between two starts, in steps: `None` if no time zones differ by it.
fn distance(own: i64, other: i64) -> Option<i64> {
    let seconds = own - other;
    let nearest = (seconds + seconds.signum() * STEP / 2) / STEP * STEP;
    let is_near = (seconds - nearest).abs() <= ROUNDED;
    (is_near && nearest.abs() <= FARTHEST).then_some(nearest)
}

fn by_channel(shown: &[Shown]) -> BTreeMap<Id, Vec<&Shown>> {
    let mut channels: BTreeMap<Id, Vec<&Shown>> = BTreeMap::new();
    for one in shown {
        channels.entry(one.channel).or_default().push(one);
    }
    channels
}

/// Titles that a channel shows once: an hourly title matches at every offset.
fn once<'a>(shown: &[&'a Shown]) -> Vec<&'a Shown> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for one in shown {
        *counts.entry(one.title.as_str()).or_default() += 1;
    }
    shown.iter().copied().filter(|one| counts.get(one.title.as_str()) == Some(&1)).collect()
}

/// Offset at which two channels share most titles, and their number; the smallest of equals. `None`
/// for too few shared titles, or as many with other offsets.
fn of_channels(own: &[&Shown], other: &[&Shown]) -> Option<(usize, i64)> {
    let mut starts: HashMap<&str, Vec<i64>> = HashMap::new();
    for one in other {
        starts.entry(one.title.as_str()).or_default().push(one.start);
    }
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    let mut shared = 0;
    for one in own {
        let Some(starts) = starts.get(one.title.as_str()) else { continue };
        let found: HashSet<i64> = starts.iter().filter_map(|start| distance(one.start, *start)).collect();
        shared += usize::from(!found.is_empty());
        for one in found {
            *counts.entry(one).or_default() += 1;
        }
    }
    let (&best, &count) = counts.iter().max_by_key(|(distance, count)| (**count, -distance.abs()))?;
    (count >= FEWEST_TITLES && count * 2 > shared).then_some((count, best))
}

/// Seconds by which a guide's programmes are later than the same ones of another guide; `None` for
/// equal times or too few shared titles. Each channel is compared with the one that shares most
/// titles; the majority of channels decides, and a single one only if no other is comparable.
pub fn constant_distance(own: &[Shown], other: &[Shown]) -> Option<i64> {
    let others = by_channel(other);
    let mut votes: BTreeMap<i64, usize> = BTreeMap::new();
    for own in by_channel(own).values() {
        let own = once(own);
        let found = others.values().filter_map(|other| of_channels(&own, other));
        if let Some((_, distance)) = found.max_by_key(|(count, distance)| (*count, -distance.abs())) {
            *votes.entry(distance).or_default() += 1;
        }
    }
    let all: usize = votes.values().sum();
    let (&distance, &count) = votes.iter().max_by_key(|(distance, count)| (**count, -distance.abs()))?;
    (distance != 0 && count * 2 > all).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600;

    /// Consecutive programmes of one hour with these titles.
    fn channel(id: Id, from: i64, titles: &[&str]) -> Vec<Shown> {
        let one = |(index, title): (i64, &&str)| Shown {
            channel: id,
            start: from + index * HOUR,
            title: (*title).to_owned(),
        };
        (0..).zip(titles).map(one).collect()
    }

    const A: [&str; 6] = ["noticias", "cine", "futbol", "teatro", "opera", "jazz"];
    const B: [&str; 6] = ["danza", "circo", "tertulia", "concurso", "viajes", "cocina"];

    #[test]
    fn the_same_titles_at_a_constant_distance_are_a_shift() {
        let both = |from: i64| [channel(1, from, &A), channel(2, from, &B)].concat();
        for (seconds, expected) in [
            (0, None),
            (HOUR, Some(HOUR)),
            (-HOUR, Some(-HOUR)),
            (5 * HOUR + HOUR / 2, Some(5 * HOUR + HOUR / 2)),
            (5 * HOUR + 3 * HOUR / 4, Some(5 * HOUR + 3 * HOUR / 4)),
            // Rounded times.
            (HOUR + 120, Some(HOUR)),
            (120, None),
            // No time zones differ by these values.
            (15 * HOUR, None),
            (HOUR + 420, None),
        ] {
            assert_eq!(constant_distance(&both(seconds), &both(0)), expected, "{seconds}");
        }
    }

    #[test]
    fn too_few_titles_decide_nothing() {
        assert_eq!(constant_distance(&channel(1, HOUR, &A[..4]), &channel(2, 0, &A[..4])), None);
        assert_eq!(constant_distance(&channel(1, HOUR, &A[..5]), &channel(2, 0, &A[..5])), Some(HOUR));
        assert_eq!(constant_distance(&channel(1, HOUR, &A), &channel(2, 0, &B)), None);
        assert_eq!(constant_distance(&[], &channel(2, 0, &B)), None);
    }

    #[test]
    fn a_title_that_repeats_every_hour_is_not_compared() {
        let hourly = ["noticias"; 12];
        assert_eq!(constant_distance(&channel(1, HOUR, &hourly), &channel(2, 0, &hourly)), None);
    }

    #[test]
    fn a_channel_beside_its_own_later_one_is_at_the_same_time() {
        // The other guide has the channel, and the same one hour later.
        let other = [channel(7, 0, &A), channel(8, HOUR, &A)].concat();
        assert_eq!(constant_distance(&channel(1, 0, &A), &other), None);
        assert_eq!(constant_distance(&channel(1, HOUR, &A), &other), None, "it is the later one");
    }

    #[test]
    fn most_channels_decide() {
        let own = |first: i64, second: i64| [channel(1, first, &A), channel(2, second, &B)].concat();
        assert_eq!(constant_distance(&own(HOUR, 0), &own(0, 0)), None, "one of two");
        let third = ["ciencia", "misa", "tenis", "toros", "bolsa", "tiempo"];
        let three = |first: i64, second: i64| [own(first, first), channel(3, second, &third)].concat();
        assert_eq!(constant_distance(&three(HOUR, 0), &three(0, 0)), Some(HOUR));
    }
}
