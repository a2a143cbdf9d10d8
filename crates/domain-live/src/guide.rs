//! Content of a TV guide: channels, programmes and reasons of rejections.

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Locale, enumeration};
use serde::{Deserialize, Serialize};

/// A text in a language, or in the guide's default language.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Localized {
    /// Language code of the guide: `es`, `en-GB`.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(rename = "t")]
    pub text: String,
}

/// Whether a language tag is of this language, in any region.
pub fn is_in_language(tag: Option<&str>, locale: Locale) -> bool {
    let tag = tag.unwrap_or_default();
    tag.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(locale.code()))
        && matches!(tag.as_bytes().get(2), None | Some(b'-' | b'_'))
}

/// The first text in a language.
pub fn find_in_language(texts: &[Localized], locale: Locale) -> Option<&Localized> {
    texts.iter().find(|text| is_in_language(text.language.as_deref(), locale))
}

/// The first text in a language, or else the first one.
pub fn text_in_language(texts: &[Localized], locale: Locale) -> Option<&str> {
    find_in_language(texts, locale).or_else(|| texts.first()).map(|text| text.text.as_str())
}

/// All texts in a language, or else all: guides repeat categories in each language.
pub fn texts_in_language(texts: &[Localized], locale: Locale) -> Vec<&str> {
    let own: Vec<&str> = texts
        .iter()
        .filter(|text| is_in_language(text.language.as_deref(), locale))
        .map(|text| text.text.as_str())
        .collect();
    if own.is_empty() { texts.iter().map(|text| text.text.as_str()).collect() } else { own }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Channel {
    /// ID used by programmes.
    pub id: String,
    /// All names, in order.
    pub names: Vec<Localized>,
    /// URLs of images.
    pub icons: Vec<String>,
    /// URLs of the channel.
    pub addresses: Vec<String>,
}

/// Number of an episode in one system.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EpisodeNumber {
    #[serde(rename = "s")]
    pub system: String,
    /// Value as in the guide: `0.12.0/1`, `S01E13`.
    #[serde(rename = "v")]
    pub value: String,
}

impl EpisodeNumber {
    /// Season and episode from 1: of `xmltv_ns`, and of values such as `S01E13` or `S1 E3` of other
    /// systems.
    pub fn season_and_episode(&self) -> (Option<u32>, Option<u32>) {
        if self.system != "xmltv_ns" {
            return on_screen(&self.value)
                .map_or((None, None), |(season, number)| (Some(season), Some(number)));
        }
        let mut parts = self.value.split('.').map(|part| {
            let number = part.split('/').next().unwrap_or_default().trim();
            number.parse::<u32>().ok().and_then(|number| number.checked_add(1))
        });
        (parts.next().flatten(), parts.next().flatten())
    }
}

/// Season and episode of a value such as `S01E13`, `s1 e3` or `S2.E5/10`. Values with a zero, such as
/// those of specials, are none.
fn on_screen(value: &str) -> Option<(u32, u32)> {
    let (season, rest) = number_after(value.trim(), 's')?;
    let rest = rest.trim_start_matches([' ', '.', ',', '-', '_', ':']);
    let (episode, rest) = number_after(rest, 'e')?;
    let is_whole = rest.is_empty() || rest.starts_with('/');
    (is_whole && season > 0 && episode > 0).then_some((season, episode))
}

/// The number after a letter in any case, and the rest without blanks.
fn number_after(text: &str, letter: char) -> Option<(u32, &str)> {
    let text = text.strip_prefix([letter, letter.to_ascii_uppercase()])?;
    let text = text.trim_start_matches([' ', '.']);
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest.trim_start()))
}

/// Number of an episode as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShownEpisode<'a> {
    /// From 1.
    pub season: Option<u32>,
    /// From 1.
    pub episode: Option<u32>,
    /// Value as in the guide, if no system has the number of an episode.
    pub text: Option<&'a str>,
}

/// The number of an episode among its numbers in all systems; `onscreen` precedes other values.
pub fn shown_episode(numbers: &[EpisodeNumber]) -> ShownEpisode<'_> {
    let mut known = numbers.iter().map(EpisodeNumber::season_and_episode);
    if let Some((season, episode)) = known.find(|(_, episode)| episode.is_some()) {
        return ShownEpisode { season, episode, text: None };
    }
    let others = || numbers.iter().filter(|number| number.system != "xmltv_ns");
    let text = others().find(|number| number.system == "onscreen").or_else(|| others().next());
    let text = text.map(|number| number.value.trim()).filter(|value| !value.is_empty());
    ShownEpisode { text, ..ShownEpisode::default() }
}

/// Age rating or quality rating in one system.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rating {
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Value as in the guide.
    #[serde(rename = "v")]
    pub value: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programme {
    pub channel: String,
    pub start: DateTime<Utc>,
    /// End; computed by [`end_without_stop`] for programmes without one.
    pub stop: DateTime<Utc>,
    /// One title per language.
    pub titles: Vec<Localized>,
    pub sub_titles: Vec<Localized>,
    pub descriptions: Vec<Localized>,
    pub categories: Vec<Localized>,
    /// One number per system.
    pub episodes: Vec<EpisodeNumber>,
    /// URL of an image.
    pub icon: Option<String>,
    pub ratings: Vec<Rating>,
    /// Year or day of production, as in the guide.
    pub date: Option<String>,
    pub is_new: bool,
    pub is_repeat: bool,
}

/// Maximum duration of a programme without an end.
pub const LONGEST_WITHOUT_STOP: TimeDelta = TimeDelta::hours(6);

/// End of a programme without one: the start of the channel's next programme, at most six hours
/// later.
pub fn end_without_stop(start: DateTime<Utc>, next: Option<DateTime<Utc>>) -> DateTime<Utc> {
    let latest = start + LONGEST_WITHOUT_STOP;
    next.filter(|next| *next > start).map_or(latest, |next| next.min(latest))
}

enumeration! {
    /// Reason of a rejection within a guide.
    pub enum GuideFault {
        ChannelWithoutId = "CHANNEL_WITHOUT_ID" ("Canal sin ID", "Channel without an ID"),
        ProgrammeWithoutChannel = "PROGRAMME_WITHOUT_CHANNEL" (
            "Programa sin canal", "Programme without a channel"
        ),
        ProgrammeWithoutStart = "PROGRAMME_WITHOUT_START" (
            "Programa sin hora de inicio", "Programme without a start"
        ),
        ProgrammeWithoutTitle = "PROGRAMME_WITHOUT_TITLE" (
            "Programa sin título", "Programme without a title"
        ),
        InvalidTime = "INVALID_TIME" ("La hora no se entiende", "The time cannot be read"),
        UnknownZone = "UNKNOWN_ZONE" ("Zona horaria desconocida", "Unknown time zone"),
        EndsBeforeStart = "ENDS_BEFORE_START" (
            "El programa termina antes de empezar", "The programme ends before it starts"
        ),
        /// The file is truncated or damaged: the channel's next programme may be missing.
        EndUnknown = "END_UNKNOWN" (
            "No se sabe cuándo termina el programa: el archivo no está completo",
            "The programme's end is not known: the file is incomplete"
        ),
        TextCut = "TEXT_CUT" (
            "Texto de más de 64 kB: se conserva el principio", "Text over 64 kB: its beginning is kept"
        ),
        IdTooLong = "ID_TOO_LONG" ("ID de más de 1000 bytes", "ID over 1000 bytes"),
        /// The texts of a channel exceed 16 MB: its first programmes are kept.
        TooManyOfChannel = "TOO_MANY_OF_CHANNEL" (
            "El canal tiene demasiados programas", "The channel has too many programmes"
        ),
        SameStart = "SAME_START" (
            "Otro programa del canal empieza a la misma hora",
            "Another programme of the channel starts at the same time"
        ),
        TooLong = "TOO_LONG" (
            "Más de 24 horas: se conservan las primeras", "Over 24 hours: the first are kept"
        ),
        UnknownEntity = "UNKNOWN_ENTITY" (
            "Entidad desconocida: se conserva como está escrita", "Unknown entity: kept as it is written"
        ),
    }
}

enumeration! {
    /// Reason why reading a guide stopped early, or why the guide was rejected.
    pub enum GuideStop {
        EndsTooEarly = "ENDS_TOO_EARLY" (
            "El archivo termina antes de tiempo", "The file ends too early"
        ),
        BrokenMarkup = "BROKEN_MARKUP" ("El XML está mal formado", "The XML is malformed"),
        BrokenCompression = "BROKEN_COMPRESSION" (
            "El archivo comprimido está dañado", "The compressed file is damaged"
        ),
        TooDeep = "TOO_DEEP" ("Más de 32 niveles", "More than 32 levels"),
        TagTooLong = "TAG_TOO_LONG" ("Una etiqueta de más de 64 kB", "A tag over 64 kB"),
        TooLarge = "TOO_LARGE" ("El archivo supera el tamaño permitido", "The file is larger than allowed"),
        TooLargeUnpacked = "TOO_LARGE_UNPACKED" (
            "El archivo descomprimido supera el tamaño permitido", "The file is larger than allowed when unpacked"
        ),
        RatioTooHigh = "RATIO_TOO_HIGH" (
            "Descomprimido ocupa más de 200 veces lo que ocupa comprimido",
            "Unpacked, it is over 200 times its packed size"
        ),
        MemoryLimit = "MEMORY_LIMIT" (
            "Descomprimirlo requiere más memoria de la permitida", "Unpacking it needs more memory than allowed"
        ),
        NotAGuide = "NOT_A_GUIDE" ("No es una guía XMLTV", "Not an XMLTV guide"),
        Unreadable = "UNREADABLE" ("El archivo no se puede leer", "The file cannot be read"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hour: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::hours(hour)
    }

    #[test]
    fn a_programme_without_an_end_lasts_until_the_next_and_six_hours_at_most() {
        assert_eq!(end_without_stop(at(0), Some(at(2))), at(2));
        assert_eq!(end_without_stop(at(0), Some(at(9))), at(6));
        assert_eq!(end_without_stop(at(0), None), at(6));
        assert_eq!(
            end_without_stop(at(3), Some(at(1))),
            at(9),
            "the next one is earlier: guides are not in order"
        );
    }

    #[test]
    fn season_and_episode_count_from_one() {
        let number = |system: &str, value: &str| EpisodeNumber { system: system.into(), value: value.into() };
        assert_eq!(number("xmltv_ns", "0 . 12/24 . 0/1").season_and_episode(), (Some(1), Some(13)));
        assert_eq!(number("xmltv_ns", ".4.").season_and_episode(), (None, Some(5)));
        assert_eq!(number("xmltv_ns", "4294967295.0.").season_and_episode(), (None, Some(1)));
        for (value, expected) in [
            ("S01E13", Some((1, 13))),
            ("S1 E3", Some((1, 3))),
            (" s02.e05/10 ", Some((2, 5))),
            ("S 4, E 7", Some((4, 7))),
            ("S00E05", None),
            ("S01E13E14", None),
            ("S99999999999E1", None),
            ("SE1", None),
            ("S01", None),
            ("Episodio 4", None),
            ("EP01234567.0013", None),
            ("", None),
        ] {
            let (season, episode) = number("onscreen", value).season_and_episode();
            assert_eq!(season.zip(episode), expected, "{value}");
        }
    }

    #[test]
    fn an_episode_without_a_number_is_shown_as_in_the_guide() {
        let number = |system: &str, value: &str| EpisodeNumber { system: system.into(), value: value.into() };
        let shown = |numbers: &[EpisodeNumber]| {
            let ShownEpisode { season, episode, text } = shown_episode(numbers);
            (season, episode, text.map(str::to_owned))
        };
        let (program, special) = (number("dd_progid", "EP0123.0013"), number("onscreen", "Especial 2"));
        let text = |text: &str| -> (Option<u32>, Option<u32>, Option<String>) {
            (None, None, Some(text.to_owned()))
        };
        assert_eq!(shown(&[]), (None, None, None));
        assert_eq!(shown(&[number("onscreen", " ")]), (None, None, None));
        assert_eq!(shown(&[program.clone(), number("onscreen", "S1 E3")]), (Some(1), Some(3), None));
        assert_eq!(shown(&[number("xmltv_ns", "1.."), program.clone()]), text("EP0123.0013"));
        assert_eq!(shown(&[program, special]), text("Especial 2"));
    }
}
