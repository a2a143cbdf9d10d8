//! What lists show and imports recognise, said once for kinds that are alike in it.

use domain_kernel::{Enumeration, FilterKind};

/// What a user sees of an item in its list: its words, and its genres by their names in both languages.
pub(crate) fn seen<G: Enumeration>(words: impl IntoIterator<Item = String>, genres: &[G]) -> String {
    let mut seen: Vec<String> = words.into_iter().collect();
    for genre in genres {
        let labels = genre.labels();
        seen.push(labels.spanish.to_owned());
        if labels.english != labels.spanish {
            seen.push(labels.english.to_owned());
        }
    }
    seen.join("\n")
}

/// What an item is recognised by: title and year, and its name in somebody's books where it has one. Accents count:
/// "Veronica" and "Verónica" of one year are two films.
pub(crate) fn media_key(reference: Option<&str>, title: &str, year: i32) -> String {
    let reference = reference.map(str::to_lowercase).unwrap_or_default();
    format!("{}\n{year}\n{reference}", title.to_lowercase())
}

/// Films, documentaries and sports events can be listed by what they lack. `LINKS` is for those without an active link:
/// viewers can't play them.
pub(crate) const MISSING_OF_MEDIA: FilterKind =
    FilterKind::Code(&["COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS", "TRAILER", "LINKS"]);
/// What a concert can lack: it has no trailer.
pub(crate) const MISSING_OF_CONCERTS: FilterKind =
    FilterKind::Code(&["COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS", "LINKS"]);
/// What a TV show can lack.
pub(crate) const MISSING_OF_SHOWS: FilterKind =
    FilterKind::Code(&["COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS", "TRAILER"]);
/// What a season can lack. A trailer is its show's, and links are its episodes'.
pub(crate) const MISSING_OF_SEASONS: FilterKind =
    FilterKind::Code(&["COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS"]);
/// What an episode can lack. A trailer is its show's.
pub(crate) const MISSING_OF_EPISODES: FilterKind =
    FilterKind::Code(&["COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS", "LINKS"]);
/// What a TV channel can lack.
pub(crate) const MISSING_OF_CHANNELS: FilterKind = FilterKind::Code(&["LOGO", "GUIDE"]);

/// The filters of a kind: its own, and those of all kinds.
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
