//! Coverage of channels by their guides (docs/spec/schedule.md#guide-health). Pure.

use crate::schedule::GAP;

/// Placeholder titles, folded and without [`AROUND_TITLES`].
pub const PLACEHOLDERS: [&str; 48] = [
    "",
    "sin informacion",
    "sin informacion disponible",
    "sin informacion de programacion",
    "no hay informacion",
    "no hay informacion disponible",
    "informacion no disponible",
    "sin programacion",
    "programacion no disponible",
    "programacion por confirmar",
    "programa no disponible",
    "programa por confirmar",
    "programa sin informacion",
    "no disponible",
    "sin datos",
    "sin emision",
    "sin titulo",
    "por confirmar",
    "por determinar",
    "a determinar",
    "no information",
    "no information available",
    "information not available",
    "no programme information",
    "no programme information available",
    "no program information",
    "no program information available",
    "no programming",
    "no programming information",
    "no data",
    "no data available",
    "no epg",
    "no epg available",
    "no guide data",
    "no listings",
    "no listings available",
    "no schedule",
    "no schedule available",
    "not available",
    "n/a",
    "to be announced",
    "to be confirmed",
    "to be determined",
    "tba",
    "tbc",
    "tbd",
    "untitled",
    "off air",
];
/// Characters trimmed from a title before the comparison with [`PLACEHOLDERS`].
pub const AROUND_TITLES: &str = " .,;:!?¡¿…-–—_*+#/|()[]{}<>«»\"'·•=~";
/// Minimum duration of a placeholder, in seconds: no real programme takes half a day.
pub const LONGEST_REAL: i64 = 12 * 60 * 60;
/// Maximum overlap of two programmes due to rounding, in seconds.
pub const OVERLAP: i64 = 60;

/// A programme of a coverage calculation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Start, in seconds of UTC.
    pub start: i64,
    /// End, in seconds of UTC.
    pub stop: i64,
    /// First title, folded.
    pub title: String,
}

impl Slot {
    /// `names` are those of its channel, folded.
    pub fn is_placeholder(&self, names: &[String]) -> bool {
        self.stop - self.start >= LONGEST_REAL || is_placeholder_title(&self.title, names)
    }
}

/// Whether a folded title is a placeholder: guides without programmes of a channel repeat its name
/// instead. `names` are those of the channel, folded.
pub fn is_placeholder_title(folded: &str, names: &[String]) -> bool {
    let trimmed = folded.trim_matches(|character| AROUND_TITLES.contains(character));
    PLACEHOLDERS.contains(&trimmed) || names.iter().any(|name| name == folded)
}

/// Coverage of a channel in a time span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    /// Seconds with a programme that is no placeholder.
    pub covered: i64,
    /// Gaps of over 30 minutes without a programme.
    pub gaps: u64,
    /// Programmes that begin before the end of the previous one.
    pub overlaps: u64,
    pub placeholders: u64,
}

/// Coverage of a time span by programmes in order of their starts, on a channel with these folded
/// names.
pub fn coverage(slots: &[Slot], names: &[String], from: i64, to: i64) -> Coverage {
    let mut found = Coverage::default();
    let gap = |from: i64, to: i64| u64::from(to - from > GAP.num_seconds());
    // End of the last programme, and of the last one that is no placeholder.
    let (mut end, mut said) = (from, from);
    for slot in slots.iter().filter(|slot| slot.stop > from && slot.start < to) {
        let (start, stop) = (slot.start.max(from), slot.stop.min(to));
        found.gaps += gap(end, start);
        found.overlaps += u64::from(end > from && end - start > OVERLAP);
        if slot.is_placeholder(names) {
            found.placeholders += 1;
        } else {
            found.covered += (stop - start.max(said)).max(0);
            said = said.max(stop);
        }
        end = end.max(stop);
    }
    found.gaps += gap(end, to);
    found
}

#[cfg(test)]
mod tests {
    use domain_kernel::fold;

    use super::*;

    const HOUR: i64 = 3_600;

    fn slot(start: i64, stop: i64, title: &str) -> Slot {
        Slot { start: start * 60, stop: stop * 60, title: fold(title) }
    }

    fn of(slots: &[Slot]) -> (i64, u64, u64, u64) {
        let Coverage { covered, gaps, overlaps, placeholders } =
            coverage(slots, &[fold("Canal Siete")], 0, 24 * HOUR);
        (covered / 60, gaps, overlaps, placeholders)
    }

    #[test]
    fn coverage_counts_programmes_without_placeholders() {
        for (slots, expected) in [
            (vec![], (0, 1, 0, 0)),
            (vec![slot(0, 480, "a"), slot(480, 960, "b"), slot(960, 1_440, "c")], (1_440, 0, 0, 0)),
            (vec![slot(-60, 60, "reaches in"), slot(1_380, 1_500, "reaches out")], (120, 1, 0, 0)),
            (vec![slot(0, 700, "a"), slot(730, 1_440, "b")], (1_410, 0, 0, 0)),
            (vec![slot(0, 700, "a"), slot(731, 1_440, "b")], (1_409, 1, 0, 0)),
            (vec![slot(0, 700, "a"), slot(691, 1_410, "b")], (1_410, 0, 1, 0)),
            (vec![slot(0, 700, "a"), slot(699, 1_410, "b")], (1_410, 0, 0, 0)),
            (vec![slot(0, 700, "Sin información."), slot(701, 1_420, "x")], (719, 0, 0, 1)),
            (vec![slot(0, 1_440, "El mismo todo el día")], (0, 0, 0, 1)),
            (vec![slot(0, 1_440, "Sin información"), slot(60, 120, "a"), slot(90, 180, "b")], (120, 0, 2, 1)),
            (vec![slot(1_500, 1_600, "later")], (0, 1, 0, 0)),
            (vec![slot(0, 60, "CANAL  SIETE"), slot(60, 700, "a"), slot(700, 1_400, "b")], (1_340, 1, 0, 1)),
            (vec![slot(0, 700, "Canal Siete"), slot(700, 1_400, "Canal Siete noticias")], (700, 1, 0, 1)),
        ] {
            assert_eq!(of(&slots), expected, "{slots:?}");
        }
    }

    #[test]
    fn placeholder_titles_are_recognised_in_both_languages() {
        for title in [
            "Sin información",
            "TBA",
            "To be announced…",
            "—",
            "",
            "No Data",
            "Sin datos",
            "(Por confirmar)",
            "No hay información.",
            "No information available",
            "Programación por confirmar",
            "N/A",
        ] {
            assert!(slot(0, 60, title).is_placeholder(&[]), "{title}");
        }
        for title in ["Noticias", "Sin información privilegiada", "Tabaré", "Amor por confirmar"] {
            assert!(!slot(0, 60, title).is_placeholder(&[]), "{title}");
        }
    }
    #[test]
    fn the_name_of_a_channel_is_a_title_without_information() {
        let names = ["Canal+", "Canal Plus Ñ"].map(fold);
        for (title, expected) in [
            ("Canal+", true),
            ("CANAL PLUS Ñ", true),
            ("canal plus n", true),
            ("Canal", false),
            ("Canal+ Noticias", false),
            ("Noticias", false),
        ] {
            assert_eq!(slot(0, 60, title).is_placeholder(&names), expected, "{title}");
        }
    }
}
