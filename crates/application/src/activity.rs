//! Current activity, by user (docs/spec/events.md).

use std::sync::Arc;

use domain_kernel::{Action, Actor};
use domain_operations::{Activity, EndedJob, JobKind};
use ports::ActivityRepository;

use crate::{
    Error, guides::guide_permission, issues, links::link_permission, matching::match_permission,
    playlists::playlist_permission, staff::require_staff,
};

/// Use cases of current activity.
pub struct ActivityService {
    activity: Arc<dyn ActivityRepository>,
}

impl ActivityService {
    pub fn new(activity: Arc<dyn ActivityRepository>) -> Self {
        Self { activity }
    }

    /// The complete activity. It must be filtered by [`ActivityService::visible`] before it is
    /// shown.
    pub async fn read(&self) -> Result<Activity, Error> {
        Ok(self.activity.read().await?)
    }

    /// The activity visible to the actor.
    pub async fn of(&self, actor: &Actor) -> Result<Activity, Error> {
        require_staff(actor)?;
        Ok(Self::visible(&self.read().await?, actor))
    }

    /// The parts that the actor could also read through the lists.
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
