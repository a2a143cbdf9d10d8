//! What is under way, for each reader (docs/spec/events.md).

use std::sync::Arc;

use domain_kernel::{Action, Actor};
use domain_operations::{Activity, EndedJob, JobKind};
use ports::ActivityRepository;

use crate::{
    Error, guides::guide_permission, issues, links::link_permission, matching::match_permission,
    playlists::playlist_permission, staff::require_staff,
};

/// The use cases of what is under way.
pub struct ActivityService {
    activity: Arc<dyn ActivityRepository>,
}

impl ActivityService {
    /// The use cases over their port.
    pub fn new(activity: Arc<dyn ActivityRepository>) -> Self {
        Self { activity }
    }

    /// What is under way, all of it: it is shown to nobody before [`ActivityService::visible`].
    pub async fn read(&self) -> Result<Activity, Error> {
        Ok(self.activity.read().await?)
    }

    /// What is under way, as far as the actor may see it.
    pub async fn of(&self, actor: &Actor) -> Result<Activity, Error> {
        require_staff(actor)?;
        Ok(Self::visible(&self.read().await?, actor))
    }

    /// The part that the actor may see: what they could read by the lists themselves.
    pub fn visible(activity: &Activity, actor: &Actor) -> Activity {
        let may = |permission| actor.may(permission);
        let may_see = |kind, created_by: &Option<String>| may_see(kind, created_by.as_deref(), actor);
        let ended = activity.ended.iter().filter(|job| may_see(job.kind, &job.created_by));
        Activity {
            jobs: activity.jobs.iter().filter(|job| may_see(job.kind, &job.created_by)).cloned().collect(),
            ended: EndedJob::last_of(ended),
            links: activity.links.filter(|_| may(link_permission(Action::Read))),
            reviews: activity.reviews.filter(|_| may(match_permission(Action::Read))),
            reports: activity.reports.filter(|_| may(issues::READ)),
        }
    }
}

fn may_see(kind: JobKind, created_by: Option<&str>, actor: &Actor) -> bool {
    match kind {
        JobKind::Operation => actor.role.passes_every_check() || created_by == Some(actor.username.as_str()),
        JobKind::PlaylistRun => actor.may(playlist_permission(Action::Read)),
        JobKind::GuideFetch => actor.may(guide_permission(Action::Read)),
        JobKind::MatchingRun => actor.may(match_permission(Action::Read)),
    }
}
