//! The kinds of content. Paths, permissions, tables and translation keys are derived from the kind.

use crate::{Action, Permission, Subject};

/// The table of kinds: calls a macro with a row for each, referenced kinds first.
///
/// A row is the variant of [`Kind`], its struct, the name of its fields and tables, its path (also of import
/// files and translation keys), the subject of its permissions (docs/spec/access.md#permissions), and its
/// description in the API documentation. In brackets, for kinds visible to viewers: its code in reports,
/// views and visits, the labels of that code in Spanish and English, its variant in the enumeration of each
/// of these, and the name of its count on the dashboards; its variant in the enumeration of owners of links,
/// and its labels there; and the reasons for which its items can be duplicates
/// (docs/spec/completeness.md#duplicates). All but the code are empty where it does not occur there. Code
/// common to all kinds is written once, as a macro that takes these rows; a macro that reads the brackets
/// matches what it does not need as `$($rest:tt)*`.
#[macro_export]
macro_rules! for_each_kind {
    ($macro:ident) => {
        $macro! {
            Categories Category categories "categories" "CATEGORY"
                "Categories of films, series, documentaries, concerts and channels." [];
            TvGuides TvGuide tv_guides "tv-guides" "TVGUIDE" "Programme guides of live channels." [];
            TvChannels TvChannel tv_channels "tv-channels" "TVCHANNEL" "Live television channels."
                ["TV" ("Canal de TV", "TV channel") played(Tv) reported(Tv) watched(Tv) counted()
                 linked(TvChannels ("Canales de TV", "TV channels")) compared(Address)];
            RadioStations RadioStation radio_stations "radio-stations" "RADIOSTATION" "Radio stations."
                ["RADIO" ("Estación de radio", "Radio station") played(Radio) reported(Radio) watched(Radio) counted()
                 linked(RadioStations ("Estaciones de radio", "Radio stations")) compared(Address)];
            Movies Movie movies "movies" "MOVIE" "Films."
                ["MOVIE" ("Película", "Movie") played(Movie) reported(Movie) watched(Movie) counted(movies)
                 linked(Movies ("Películas", "Movies")) compared(ImdbId TitleAndYear Address)];
            Documentaries Documentary documentaries "documentaries" "DOCUMENTARY" "Documentaries."
                ["DOCUMENTARY" ("Documental", "Documentary") played(Documentary) reported(Documentary) watched(Documentary) counted(documentaries)
                 linked(Documentaries ("Documentales", "Documentaries")) compared(TitleAndYear Address)];
            Sports Sport sports "sports" "SPORT" "Sports events and their links."
                ["SPORT" ("Deporte", "Sport") played(Sport) reported(Sport) watched(Sport) counted(sports)
                 linked(Sports ("Deportes", "Sports")) compared(TitleAndYear Address)];
            Concerts Concert concerts "concerts" "CONCERT" "Concerts."
                ["CONCERT" ("Concierto", "Concert") played(Concert) reported(Concert) watched(Concert) counted(concerts)
                 linked(Concerts ("Conciertos", "Concerts")) compared(TitleAndYear Address)];
            TvShows TvShow tv_shows "tv-shows" "TVSHOW" "Series."
                ["TV_SHOW" ("Serie", "TV show") played() reported() watched(TvShow) counted(series)
                 linked() compared(ImdbId TitleAndYear)];
            Seasons Season seasons "seasons" "TVSHOW" "Seasons of series." [];
            Episodes Episode episodes "episodes" "TVSHOW" "Episodes of series."
                ["EPISODE" ("Episodio", "Episode") played(Episode) reported(Episode) watched(Episode) counted(episodes)
                 linked(Episodes ("Episodios", "Episodes")) compared(ImdbId Address)];
        }
    };
}

macro_rules! kind {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        /// One kind of content.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kind {
            $(#[doc = $about] $kind,)+
        }

        impl Kind {
            /// Every kind, referenced kinds first.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// Name in paths, import files and translation keys.
            pub const fn path(self) -> &'static str {
                match self {
                    $(Self::$kind => $path,)+
                }
            }

            /// Singular in the API documentation.
            pub const fn singular(self) -> &'static str {
                match self {
                    $(Self::$kind => stringify!($type),)+
                }
            }

            /// Subject of its permissions (docs/spec/access.md#permissions).
            pub const fn subject(self) -> Subject {
                Subject(match self {
                    $(Self::$kind => $subject,)+
                })
            }

            /// Description in one line.
            pub const fn about(self) -> &'static str {
                match self {
                    $(Self::$kind => $about,)+
                }
            }
        }
    };
}
for_each_kind!(kind);

impl Kind {
    /// The kind with this path.
    pub fn from_path(path: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.path() == path)
    }

    /// Permission for `action` on this kind. Toggling is a permission of its own for categories only;
    /// otherwise it is an update (docs/spec/access.md#permissions).
    pub const fn permission(self, action: Action) -> Permission {
        match (self, action) {
            (Self::Categories, action) => Permission::new(self.subject(), action),
            (_, Action::ToggleStatus) => Permission::new(self.subject(), Action::Update),
            (_, action) => Permission::new(self.subject(), action),
        }
    }

    /// Default page size (docs/spec/rest.md#paging).
    pub const fn page_size(self) -> u32 {
        match self {
            Self::Sports => 25,
            _ => 10,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toggling_a_category_has_its_own_permission() {
        let name = |kind: Kind| kind.permission(Action::ToggleStatus).to_string();
        assert_eq!(name(Kind::Categories), "CATEGORY_TOGGLE_STATUS");
        assert_eq!(name(Kind::Movies), "MOVIE_UPDATE");
    }

    #[test]
    fn every_kind_is_found_by_its_path() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_path(kind.path()), Some(*kind));
        }
        assert_eq!(Kind::from_path("Movies"), None);
    }
}
