//! Reports on the same item as one group: twenty complaints about one film are handled together, by
//! an operation on the open ones (docs/spec/reports.md).

use std::mem;

use domain_issues::{IssueContentType, IssueGroup};
use domain_kernel::{Actor, Enumeration, FilterKind, FilterValue, Id, ListQuery, Page, Violations};
use ports::IssueItem;

use crate::{Error, IssueService, ListShape, issues::READ, listing::second_values, read_list_query};

/// A group with its item.
#[derive(Debug)]
pub struct GroupSeen {
    /// The group.
    pub group: IssueGroup,
    /// The item, if it is known and exists.
    pub item: Option<IssueItem>,
}

impl IssueService {
    /// List parameters of groups.
    pub fn group_shape() -> ListShape {
        ListShape {
            page_size: 10,
            sorts: vec!["id", "reports", "lastDate"],
            filters: &[("contentType", FilterKind::Code(IssueContentType::CODES))],
        }
    }

    /// A page of the items with open reports.
    pub async fn groups(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<GroupSeen>>, Error> {
        let (content_type, query) = Self::read_groups(actor, pairs)?;
        let mut page = self.issues.groups(content_type, &query).await?;
        let rows = self.groups_seen(mem::take(&mut page.content)).await?;
        Ok(page.map(|_| rows))
    }

    /// Reads the parameters of the list of groups, after a check of the permission.
    pub(crate) fn read_groups(
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(Option<IssueContentType>, ListQuery), Error> {
        actor.require(READ)?;
        let query = read_list_query(&Self::group_shape(), pairs)?;
        let second = second_values(&query);
        if !second.is_empty() {
            return Err(Violations(second).into());
        }
        let content_type = query.filters.iter().find_map(|filter| match filter.value {
            FilterValue::Code(code) => IssueContentType::from_code(code),
            _ => None,
        });
        Ok((content_type, query))
    }

    /// Groups with their items.
    pub(crate) async fn groups_seen(&self, groups: Vec<IssueGroup>) -> Result<Vec<GroupSeen>, Error> {
        let wanted: Vec<(IssueContentType, Id)> =
            groups.iter().filter_map(|group| Some((group.content_type, group.content_id?))).collect();
        let items = if wanted.is_empty() { Vec::new() } else { self.issues.items(&wanted).await? };
        let item_of = |group: &IssueGroup| {
            let id = group.content_id?;
            items.iter().find(|item| (item.content_type, item.id) == (group.content_type, id)).cloned()
        };
        let seen = |mut group: IssueGroup| {
            let item = item_of(&group);
            if let Some(item) = &item {
                // The stored title is that of the last report.
                group.title.clone_from(&item.title);
            }
            GroupSeen { group, item }
        };
        Ok(groups.into_iter().map(seen).collect())
    }
}
