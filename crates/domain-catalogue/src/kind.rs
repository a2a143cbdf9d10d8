//! The kinds of content. Paths, permissions, tables and translation keys all follow from the kind.

use domain_kernel::{Action, Permission, Subject};

/// One kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What content is sorted into.
    Categories,
    /// Where programme listings come from.
    TvGuides,
    /// Live TV channels.
    TvChannels,
    /// Radio stations.
    RadioStations,
    /// Documentaries.
    Documentaries,
    /// Films.
    Movies,
    /// Concerts.
    Concerts,
    /// Sports events.
    Sports,
    /// TV shows.
    TvShows,
    /// Seasons of TV shows, under the rights of shows.
    Seasons,
    /// Episodes of TV shows, under the rights of shows.
    Episodes,
}

impl Kind {
    /// Every kind there is, what others refer to first.
    pub const ALL: &'static [Self] = &[
        Self::Categories,
        Self::TvGuides,
        Self::TvChannels,
        Self::RadioStations,
        Self::Documentaries,
        Self::Movies,
        Self::Concerts,
        Self::Sports,
        Self::TvShows,
        Self::Seasons,
        Self::Episodes,
    ];

    /// The name in paths, import files and translation keys.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Categories => "categories",
            Self::TvGuides => "tv-guides",
            Self::TvChannels => "tv-channels",
            Self::RadioStations => "radio-stations",
            Self::Documentaries => "documentaries",
            Self::Movies => "movies",
            Self::Concerts => "concerts",
            Self::Sports => "sports",
            Self::TvShows => "tv-shows",
            Self::Seasons => "seasons",
            Self::Episodes => "episodes",
        }
    }

    /// The kind with this path.
    pub fn from_path(path: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.path() == path)
    }

    /// One of them, as API documentation names it.
    pub const fn singular(self) -> &'static str {
        match self {
            Self::Categories => "Category",
            Self::TvGuides => "TvGuide",
            Self::TvChannels => "TvChannel",
            Self::RadioStations => "RadioStation",
            Self::Documentaries => "Documentary",
            Self::Movies => "Movie",
            Self::Concerts => "Concert",
            Self::Sports => "Sport",
            Self::TvShows => "TvShow",
            Self::Seasons => "Season",
            Self::Episodes => "Episode",
        }
    }

    /// What its permissions are named after (docs/spec/access.md#permissions).
    pub const fn subject(self) -> Subject {
        Subject(match self {
            Self::Categories => "CATEGORY",
            Self::TvGuides => "TVGUIDE",
            Self::TvChannels => "TVCHANNEL",
            Self::RadioStations => "RADIOSTATION",
            Self::Documentaries => "DOCUMENTARY",
            Self::Movies => "MOVIE",
            Self::Concerts => "CONCERT",
            Self::Sports => "SPORT",
            Self::TvShows | Self::Seasons | Self::Episodes => "TVSHOW",
        })
    }

    /// The permission to do `action` with this kind. Toggling is a right of its own for categories only; for the
    /// rest it is a change (docs/spec/access.md#permissions).
    pub const fn permission(self, action: Action) -> Permission {
        match (self, action) {
            (Self::Categories, action) => Permission::new(self.subject(), action),
            (_, Action::ToggleStatus) => Permission::new(self.subject(), Action::Update),
            (_, action) => Permission::new(self.subject(), action),
        }
    }

    /// Rows of a page where the caller names no size (docs/spec/rest.md#paging).
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
    fn toggling_a_category_is_a_right_of_its_own() {
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
