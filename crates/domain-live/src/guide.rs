//! What a TV guide holds: channels and programmes as they are kept, and why something was left out.

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::enumeration;
use serde::{Deserialize, Serialize};

/// A text in a language, or in the guide's own where none is named.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Localized {
    /// As the guide writes it: `es`, `en-GB`.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Never empty.
    #[serde(rename = "t")]
    pub text: String,
}

/// A channel of a guide.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Channel {
    /// What programmes name it by.
    pub id: String,
    /// Every name, in order.
    pub names: Vec<Localized>,
    /// Addresses of pictures.
    pub icons: Vec<String>,
    /// The channel's own addresses.
    pub addresses: Vec<String>,
}

/// The number of an episode, as one system writes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EpisodeNumber {
    /// `xmltv_ns`, `onscreen` or another.
    #[serde(rename = "s")]
    pub system: String,
    /// As it came: `0.12.0/1`, `S01E13`.
    #[serde(rename = "v")]
    pub value: String,
}

impl EpisodeNumber {
    /// Season and episode, counted from one, where the system is `xmltv_ns` and says them.
    pub fn season_and_episode(&self) -> (Option<u32>, Option<u32>) {
        if self.system != "xmltv_ns" {
            return (None, None);
        }
        let mut parts = self.value.split('.').map(|part| {
            let number = part.split('/').next().unwrap_or_default().trim();
            number.parse::<u32>().ok().and_then(|number| number.checked_add(1))
        });
        (parts.next().flatten(), parts.next().flatten())
    }
}

/// How old viewers should be, or how good it is: as one system writes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rating {
    /// `MPAA`, `VCHIP` or another.
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// As it came.
    #[serde(rename = "v")]
    pub value: String,
}

/// What is on a channel for a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programme {
    /// The id of the channel.
    pub channel: String,
    /// When it begins.
    pub start: DateTime<Utc>,
    /// When it ends. [`end_without_stop`] says it where the guide does not.
    pub stop: DateTime<Utc>,
    /// Titles, one a language.
    pub titles: Vec<Localized>,
    /// Titles of the episode.
    pub sub_titles: Vec<Localized>,
    /// What it is about.
    pub descriptions: Vec<Localized>,
    /// Categories.
    pub categories: Vec<Localized>,
    /// Numbers of the episode, one a system.
    pub episodes: Vec<EpisodeNumber>,
    /// The address of a picture.
    pub icon: Option<String>,
    /// Age ratings.
    pub ratings: Vec<Rating>,
    /// The year or day of production, as it came.
    pub date: Option<String>,
    /// Whether it is shown for the first time.
    pub is_new: bool,
    /// Whether it was shown before.
    pub is_repeat: bool,
}

/// How long a programme lasts at most, where the guide does not say when it ends.
pub const LONGEST_WITHOUT_STOP: TimeDelta = TimeDelta::hours(6);

/// When a programme without an end is over: as the channel's next one begins, and after six hours at the latest.
pub fn end_without_stop(start: DateTime<Utc>, next: Option<DateTime<Utc>>) -> DateTime<Utc> {
    let latest = start + LONGEST_WITHOUT_STOP;
    next.filter(|next| *next > start).map_or(latest, |next| next.min(latest))
}

enumeration! {
    /// Why something of a guide was left out.
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
        /// The file ends too early or is damaged: the channel's next programme may be in what did not come.
        EndUnknown = "END_UNKNOWN" (
            "No se sabe cuándo termina el programa: el archivo no está completo",
            "The programme's end is not known: the file is incomplete"
        ),
        TextCut = "TEXT_CUT" (
            "Texto de más de 64 kB: se conserva el principio", "Text over 64 kB: its beginning is kept"
        ),
        IdTooLong = "ID_TOO_LONG" ("ID de más de 1000 bytes", "ID over 1000 bytes"),
        /// A channel has so many that their texts take over 16 MB: those that came first are kept.
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
    /// Why the reading of a guide stopped before its end, or why nothing of it was taken.
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
    fn without_an_end_a_programme_lasts_until_the_next_and_six_hours_at_most() {
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
        assert_eq!(number("onscreen", "S01E13").season_and_episode(), (None, None));
    }
}
