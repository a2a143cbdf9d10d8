//! Reports on the same item as one group: twenty complaints about one film are handled together.

use std::mem;

use domain_issues::{GroupChange, IssueContentType, IssueGroup, ReportStatus};
use domain_kernel::{
    Actor, Code, Enumeration, FilterKind, FilterValue, Id, ListQuery, Page, Violation, Violations,
};
use ports::IssueItem;

use crate::{
    Error, IssueService, ListShape,
    body::parse,
    issues::{READ, UPDATE, author},
    listing::second_values,
    read_list_query,
};

/// Topic of the texts.
const GROUPS: &str = "issue-groups";

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

    /// What the parameters of the list of groups stand for.
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

    /// Groups with what they are about.
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

    /// Changes all open reports on one item together; returns their number. Any status
    /// may follow any other. Reports that become "in progress" without a named assignee keep
    /// theirs, or are assigned to the actor.
    pub async fn change_group(&self, actor: &Actor, group: Id, body: &[u8]) -> Result<u64, Error> {
        actor.require(UPDATE)?;
        let missing = Error::NoSuch { what: GROUPS, id: group };
        if !self.issues.has_group(group).await? {
            return Err(missing);
        }
        let sent = parse(body)?;
        let names = |field: &str| sent.get(field).is_some();
        let (notes, assigned) = (names("notes"), names("assignedTo"));
        let request = self.groups.read(sent.clone(), &())?.into_inner();
        if request.status.is_none() && request.priority.is_none() && !notes && !assigned {
            return Err(Violations(vec![Violation::new("", Code::Required)]).into());
        }
        let assigned_to = match request.assigned_to {
            Some(name) => Some(Some(self.assignable(&name).await?)),
            None => assigned.then_some(None),
        };
        let change = GroupChange {
            status: request.status,
            notes: notes.then_some(request.notes),
            assigned_to,
            stand_in: Some(actor.username.clone()),
            priority: request.priority,
        };
        let changed = self.issues.change_group(group, &change, &author(actor), self.calendar.now()).await?;
        let changed = changed.ok_or(missing)?;
        let status = request.status.map_or("", ReportStatus::code);
        tracing::info!(
            by = actor.username.as_str(),
            group,
            changed,
            status,
            "issue reports changed together"
        );
        Ok(changed)
    }
}
