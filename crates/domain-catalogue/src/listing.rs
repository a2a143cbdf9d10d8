//! List columns and natural keys shared by several kinds.

use domain_kernel::{Enumeration, FilterKind};

/// Texts of an item in its list: its words, and its genres in both languages.
pub(crate) fn searched_text<G: Enumeration>(words: impl IntoIterator<Item = String>, genres: &[G]) -> String {
    let mut text: Vec<String> = words.into_iter().collect();
    for genre in genres {
        let labels = genre.labels();
        text.push(labels.spanish.to_owned());
        if labels.english != labels.spanish {
            text.push(labels.english.to_owned());
        }
    }
    text.join("\n")
}

/// Natural key: title, year, and the reference if any. Accents are significant: "Veronica" and
/// "Verónica" of one year are two films.
pub(crate) fn media_key(reference: Option<&str>, title: &str, year: i32) -> String {
    let reference = reference.map(str::to_lowercase).unwrap_or_default();
    format!("{}\n{year}\n{reference}", title.to_lowercase())
}

/// Values of the filter `missing` of films, documentaries and sports events. `LINKS` selects those
/// without an active link, which viewers can't play.
pub(crate) const MISSING_OF_MEDIA: FilterKind =
    FilterKind::Code(&["COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS", "TRAILER", "LINKS"]);
/// The same of concerts, which have no trailer.
pub(crate) const MISSING_OF_CONCERTS: FilterKind =
    FilterKind::Code(&["COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS", "LINKS"]);
/// The same of TV shows. `EPISODES` selects those without an episode.
pub(crate) const MISSING_OF_SHOWS: FilterKind =
    FilterKind::Code(&["COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS", "TRAILER", "EPISODES"]);
/// The same of seasons. Shows have the trailer, and episodes the links.
pub(crate) const MISSING_OF_SEASONS: FilterKind =
    FilterKind::Code(&["COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS"]);
/// The same of episodes. Shows have the trailer.
pub(crate) const MISSING_OF_EPISODES: FilterKind =
    FilterKind::Code(&["COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS", "LINKS"]);
/// The same of TV channels.
pub(crate) const MISSING_OF_CHANNELS: FilterKind = FilterKind::Code(&["LOGO", "GUIDE"]);
/// The same of radio stations. Their stream is required.
pub(crate) const MISSING_OF_STATIONS: FilterKind = FilterKind::Code(&["LOGO"]);

/// Filters of a kind: its own, and the common ones.
macro_rules! filters {
    ($($filter:expr),+ $(,)?) => {
        &[
            $($filter,)+
            ("updatedBy", domain_kernel::FilterKind::Text),
            ("updatedDateFrom", domain_kernel::FilterKind::Moment),
            ("updatedDateTo", domain_kernel::FilterKind::Moment),
            ("createdDateFrom", domain_kernel::FilterKind::Moment),
            ("createdDateTo", domain_kernel::FilterKind::Moment),
        ]
    };
}
pub(crate) use filters;
