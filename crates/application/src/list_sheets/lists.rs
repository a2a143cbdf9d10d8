//! The lists that have spreadsheets: their paths, columns and readers. A further list needs a row here, its
//! columns, its source and the call that reads its parameters ([`super::ListSheetService::begin`]).

use domain_kernel::{Action, Kind, Labels, Permission, RoleCode, Subject};

use super::{
    ListColumn,
    columns::{
        AUDIT, CREDITS, DELIVERIES, DUPLICATES, EPG_MATCHES, GUIDE_CHANNELS, GUIDE_HEALTH, ISSUE_GROUPS,
        ISSUE_REPORTS, KEYS, LINKS, LIVE_PROFILES, OPERATIONS, PLAYLIST_CHANGES, PLAYLIST_LINES,
        PLAYLIST_SOURCES, RENEWALS, REVERSAL_REQUESTS, SCHEDULE, TRASH, USERS, VISITS, WEBHOOKS,
    },
};
use crate::{
    guide_permission, link_permission, live_profile_permission, match_permission, playlist_permission,
};

/// Users who may read the files of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListAccess {
    /// Users with this permission.
    Permission(Permission),
    /// Superadmins and admins.
    Admins,
    /// Users of these roles.
    Roles(&'static [RoleCode]),
}

/// Roles that may begin bulk operations and delete.
const EDITORS: ListAccess =
    ListAccess::Roles(&[RoleCode::Superadmin, RoleCode::Admin, RoleCode::ContentManager]);

const fn reading(subject: &'static str) -> ListAccess {
    ListAccess::Permission(Permission::new(Subject(subject), Action::Read))
}

fn keys_and_labels<R>(columns: &[ListColumn<R>]) -> Vec<(&'static str, Labels)> {
    columns.iter().map(|column| (column.key, column.labels)).collect()
}

macro_rules! lists {
    ($($(#[$about:meta])* $list:ident $path:literal $columns:ident $access:expr;)+) => {
        /// A list that is no kind of content.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum SheetList {
            $($(#[$about])* $list,)+
        }

        impl SheetList {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$list),+];

            /// Last segment of its path, and its name in the audit log.
            pub const fn path(self) -> &'static str {
                match self {
                    $(Self::$list => $path,)+
                }
            }

            /// Users who may read its files: those who may read the list.
            pub const fn access(self) -> ListAccess {
                match self {
                    $(Self::$list => $access,)+
                }
            }

            /// The columns that its files can have: their keys and what they are called.
            pub fn columns(self) -> Vec<(&'static str, Labels)> {
                match self {
                    $(Self::$list => keys_and_labels($columns),)+
                }
            }
        }
    };
}

lists! {
    /// Users.
    Users "users" USERS reading("USER");
    /// Reports of viewers.
    IssueReports "issue-reports" ISSUE_REPORTS reading("ISSUES");
    /// The items that have open reports.
    IssueGroups "issue-groups" ISSUE_GROUPS reading("ISSUES");
    /// The ledger, a line for each operation.
    Credits "credits" CREDITS reading("CREDIT_HISTORY");
    /// Requests for reversals.
    ReversalRequests "reversal-requests" REVERSAL_REQUESTS reading("CREDIT_HISTORY");
    /// Visits.
    Visits "visits" VISITS reading("VIEW_HISTORY");
    /// Customers by when they end, for those who sell: as in the list.
    Renewals "renewals" RENEWALS ListAccess::Permission(Permission::new(Subject("USER"), Action::Update));
    /// The audit log.
    Audit "audit" AUDIT reading("AUDIT");
    /// Keys of integrators, never the keys themselves.
    IntegratorKeys "integrator-keys" KEYS ListAccess::Admins;
    /// Deleted items.
    Trash "trash" TRASH EDITORS;
    /// Bulk operations.
    Operations "operations" OPERATIONS EDITORS;
    /// Webhooks, never their secrets.
    Webhooks "webhooks" WEBHOOKS ListAccess::Admins;
    /// Deliveries of one webhook.
    WebhookDeliveries "webhook-deliveries" DELIVERIES ListAccess::Admins;
    /// Links of channels, stations and requested items.
    Links "links" LINKS ListAccess::Permission(link_permission(Action::Read));
    /// Sources of playlists.
    PlaylistSources "playlist-sources" PLAYLIST_SOURCES ListAccess::Permission(playlist_permission(Action::Read));
    /// Changes that one run of a source found.
    PlaylistChanges "playlist-changes" PLAYLIST_CHANGES ListAccess::Permission(playlist_permission(Action::Read));
    /// Lines that one run of a source left out.
    PlaylistLines "playlist-lines" PLAYLIST_LINES ListAccess::Permission(playlist_permission(Action::Read));
    /// Profiles of published playlists, never their secrets.
    LiveProfiles "live-profiles" LIVE_PROFILES ListAccess::Permission(live_profile_permission(Action::Read));
    /// Matches of channels with guides.
    EpgMatches "epg-matches" EPG_MATCHES ListAccess::Permission(match_permission(Action::Read));
    /// Channels of one guide.
    GuideChannels "guide-channels" GUIDE_CHANNELS ListAccess::Permission(guide_permission(Action::Read));
    /// Programmes of the schedule, channel by channel.
    Schedule "schedule" SCHEDULE ListAccess::Permission(Kind::TvChannels.permission(Action::Read));
    /// Likely duplicates of one kind, for one reason. The kind needs the permissions to update and delete, too.
    Duplicates "duplicates" DUPLICATES EDITORS;
    /// Channels with the coverage by their guides: as in the schedule.
    GuideHealth "guide-health" GUIDE_HEALTH ListAccess::Permission(Kind::TvChannels.permission(Action::Read));
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn columns_of_a_list_have_different_keys_and_headings_in_each_language() {
        for list in SheetList::ALL {
            let columns = list.columns();
            let names = |of: fn(&(&'static str, Labels)) -> &'static str| -> HashSet<&str> {
                columns.iter().map(of).collect()
            };
            let different = [
                names(|(key, _)| key),
                names(|(_, labels)| labels.spanish),
                names(|(_, labels)| labels.english),
            ];
            assert_eq!(different.map(|names| names.len()), [columns.len(); 3], "{list:?}");
        }
    }
}
