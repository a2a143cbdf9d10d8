//! Permissions of each role (docs/spec/access.md#permissions). Superadmins and admins pass every check, so
//! they need no list.

use std::sync::LazyLock;

use domain_kernel::{Action, Kind, Permission, RoleCode, Subject};

const CONTENT_ACTIONS: [Action; 4] = [Action::Read, Action::Create, Action::Update, Action::Delete];
const ISSUES: Subject = Subject("ISSUES");
const PLAYLIST: Subject = Subject("PLAYLIST");
const USER: Subject = Subject("USER");
const CREDIT_HISTORY: Subject = Subject("CREDIT_HISTORY");

static CONTENT_MANAGER: LazyLock<Vec<Permission>> = LazyLock::new(|| {
    let mut held = Vec::new();
    for permission in Kind::ALL.iter().flat_map(|kind| CONTENT_ACTIONS.map(|action| kind.permission(action)))
    {
        // Seasons and episodes have the permissions of shows.
        if !held.contains(&permission) {
            held.push(permission);
        }
    }
    held.push(Kind::Categories.permission(Action::ToggleStatus));
    held.extend(CONTENT_ACTIONS.map(|action| Permission::new(PLAYLIST, action)));
    held.extend([Permission::new(ISSUES, Action::Read), Permission::new(ISSUES, Action::Update)]);
    held
});

const AGENT: [Permission; 4] = [
    Permission::new(USER, Action::Read),
    Permission::new(USER, Action::Create),
    Permission::new(USER, Action::Update),
    Permission::new(CREDIT_HISTORY, Action::Read),
];

/// The permissions of a role. Empty for superadmins and admins, who pass every check, and for subscribers, who have none.
pub fn permissions_of(role: RoleCode) -> &'static [Permission] {
    match role {
        RoleCode::ContentManager => &CONTENT_MANAGER,
        RoleCode::Agent => &AGENT,
        RoleCode::Superadmin | RoleCode::Admin | RoleCode::App => &[],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names(role: RoleCode) -> BTreeSet<String> {
        permissions_of(role).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn content_managers_hold_four_for_each_kind_and_for_playlists_and_three_more() {
        let held = names(RoleCode::ContentManager);
        let subjects: BTreeSet<_> = Kind::ALL.iter().map(|kind| kind.subject().0).collect();
        assert_eq!(held.len(), 4 * subjects.len() + 7);
        for name in [
            "MOVIE_DELETE",
            "PLAYLIST_UPDATE",
            "SPORT_READ",
            "CATEGORY_TOGGLE_STATUS",
            "ISSUES_READ",
            "ISSUES_UPDATE",
        ] {
            assert!(held.contains(name), "{name}");
        }
        for name in ["ISSUES_DELETE", "USER_READ", "CREDIT_HISTORY_READ", "APP_SETTINGS_READ"] {
            assert!(!held.contains(name), "{name}");
        }
    }

    #[test]
    fn agents_have_four_permissions_and_subscribers_none() {
        let expected = ["CREDIT_HISTORY_READ", "USER_CREATE", "USER_READ", "USER_UPDATE"];
        assert_eq!(names(RoleCode::Agent), expected.map(String::from).into());
        assert!(names(RoleCode::App).is_empty());
    }
}
