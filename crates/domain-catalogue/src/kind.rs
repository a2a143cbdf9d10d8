//! The kinds of content. Paths, permissions, tables and translation keys all follow from the kind.

use domain_kernel::{Action, Permission, Subject};

/// One kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What content is sorted into.
    Categories,
    /// Films.
    Movies,
}

impl Kind {
    /// Every kind there is.
    pub const ALL: &'static [Self] = &[Self::Categories, Self::Movies];

    /// The name in paths, import files and translation keys.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Categories => "categories",
            Self::Movies => "movies",
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
            Self::Movies => "Movie",
        }
    }

    /// What its permissions are named after (panel.md section 6).
    pub const fn subject(self) -> Subject {
        match self {
            Self::Categories => Subject("CATEGORY"),
            Self::Movies => Subject("MOVIE"),
        }
    }

    /// The permission to do `action` with this kind. Toggling is a right of its own for categories only; for the
    /// rest it is a change (decisions.md "Roles").
    pub const fn permission(self, action: Action) -> Permission {
        match (self, action) {
            (Self::Categories, action) => Permission::new(self.subject(), action),
            (_, Action::ToggleStatus) => Permission::new(self.subject(), Action::Update),
            (_, action) => Permission::new(self.subject(), action),
        }
    }

    /// Rows of a page where the caller names no size (catalogue.md section 9).
    pub const fn page_size(self) -> u32 {
        10
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
