//! Whether a guide shows the titles of another one at a constant distance: its times are in a zone that it does not say
//! (docs/spec/schedule.md#guide-health). Arithmetic alone.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain_kernel::Id;

/// Zones differ by no more, in seconds.
pub const FARTHEST: i64 = 14 * 60 * 60;
/// Zones differ by a multiple of this.
const STEP: i64 = 15 * 60;
/// Times that differ by no more are the same: guides round.
const ROUNDED: i64 = 5 * 60;
/// Titles that two channels must share at one distance.
const FEWEST_TITLES: usize = 5;

/// A programme of a channel of a guide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The channel of the guide.
    pub channel: Id,
    /// When it begins, in seconds of UTC.
    pub start: i64,
    /// Its first title, folded.
    pub title: String,
}

/// The distance in steps between two beginnings: `None` where it is none of a zone's.
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

/// Titles that a channel shows once: one that comes every hour is at every distance.
fn once<'a>(shown: &[&'a Shown]) -> Vec<&'a Shown> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for one in shown {
        *counts.entry(one.title.as_str()).or_default() += 1;
    }
    shown.iter().copied().filter(|one| counts.get(one.title.as_str()) == Some(&1)).collect()
}

/// The distance at which two channels share most titles, and how many; the nearest of equals. `None` where they share too few,
/// or others than those at this distance are as many.
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

/// Seconds by which a guide's programmes are later than the same ones of another guide; `None` where they are at the same time,
/// or too little is the same. Each channel is compared with the one that shares most titles with it; most channels decide,
/// and one alone only where no other can be compared.
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

    /// A channel's titles, one behind the other from a time on, each of an hour.
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
            // No zone differs by so much, or by such minutes.
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
    fn a_title_that_comes_every_hour_is_not_compared() {
        let hourly = ["noticias"; 12];
        assert_eq!(constant_distance(&channel(1, HOUR, &hourly), &channel(2, 0, &hourly)), None);
    }

    #[test]
    fn a_channel_beside_its_own_later_one_is_at_the_same_time() {
        // The other guide has the channel and the same an hour later.
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
