//! Activity of a user, for those who see the user (docs/spec/users.md#activity): visits, devices
//! and reports since the registration, because an earlier user may have had the same name. The
//! lists of all users have their own permissions.

use std::sync::Arc;

use chrono::TimeDelta;
use domain_audience::{SeenDevice, Visit};
use domain_issues::Report;
use domain_kernel::{Action, Actor, Page, Permission, Subject};
use ports::{IssueFilter, IssueRepository, VisitFilter, VisitRepository};

use crate::{Calendar, Error, ListShape, UserService, read_list_query};

/// Permission to read the visits of all users.
const ALL_VISITS: Permission = Permission::new(Subject("VIEW_HISTORY"), Action::Read);
/// Maximum age in days of listed devices, and their maximum number.
const DEVICES: (TimeDelta, u32) = (TimeDelta::days(90), 20);

/// Use cases of a user's activity.
pub struct UserActivityService {
    visits: Arc<dyn VisitRepository>,
    issues: Arc<dyn IssueRepository>,
    calendar: Calendar,
}

impl UserActivityService {
    /// List parameters of visits.
    pub fn visits_shape() -> ListShape {
        ListShape { page_size: 10, sorts: vec!["id", "occurredAt"], filters: &[] }
    }

    /// List parameters of reports.
    pub fn reports_shape() -> ListShape {
        ListShape { page_size: 10, sorts: vec!["id", "reportedDate"], filters: &[] }
    }

    pub fn new(
        visits: Arc<dyn VisitRepository>,
        issues: Arc<dyn IssueRepository>,
        calendar: Calendar,
    ) -> Self {
        Self { visits, issues, calendar }
    }

    /// A page of the visits of a user whom the actor sees, newest first. Addresses require the
    /// permission for all visits.
    pub async fn visits(
        &self,
        users: &UserService,
        actor: &Actor,
        username: &str,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<Visit>>, Error> {
        let user = users.find(actor, username).await?;
        let query = read_list_query(&Self::visits_shape(), pairs)?;
        let username = Some(user.username.to_string());
        let filter = VisitFilter { username, from: Some(user.created_date), ..VisitFilter::default() };
        let page = self.visits.list(&filter, &query).await?;
        let seen = |visit: Visit| {
            let address = visit.address.filter(|_| actor.may(ALL_VISITS));
            Visit { address, ..visit }
        };
        Ok(page.map(|visits| visits.into_iter().map(seen).collect()))
    }

    /// Recent devices of a user whom the actor sees, last seen first.
    pub async fn devices(
        &self,
        users: &UserService,
        actor: &Actor,
        username: &str,
    ) -> Result<Vec<SeenDevice>, Error> {
        let user = users.find(actor, username).await?;
        let (within, most) = DEVICES;
        let from = user.created_date.max(self.calendar.now() - within);
        Ok(self.visits.devices(user.username.as_str(), from, most).await?)
    }

    /// A page of the reports by a user whom the actor sees, newest first.
    pub async fn reports(
        &self,
        users: &UserService,
        actor: &Actor,
        username: &str,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<Report>>, Error> {
        let user = users.find(actor, username).await?;
        let query = read_list_query(&Self::reports_shape(), pairs)?;
        let reporter = Some((user.username.to_string(), user.created_date));
        let filter = IssueFilter { reporter, ..IssueFilter::default() };
        Ok(self.issues.list(&filter, &query).await?)
    }
}
