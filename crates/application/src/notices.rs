//! Notices for users about what needs their attention (docs/spec/notices.md).

use std::sync::Arc;

use domain_kernel::{Action, Actor, DraftReader, Permission, Subject};
use domain_users::{NoticeCount, NoticeKind, RenewalWindow, Scope, SeenNotice, SeenNotices};
use ports::{NoticeQuery, NoticeRepository};

use crate::{BackupService, Calendar, Error, body::parse, staff::require_staff};

/// Permission of users with customers and agents.
const SELL: Permission = Permission::new(Subject("USER"), Action::Update);

/// Use cases of notices.
pub struct NoticeService {
    notices: Arc<dyn NoticeRepository>,
    backups: Arc<BackupService>,
    calendar: Calendar,
    seen: DraftReader<SeenNotices>,
}

/// A notice of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    /// Topic and count.
    pub count: NoticeCount,
    /// Whether the user has not seen all of it.
    pub is_new: bool,
}

impl NoticeService {
    pub fn new(notices: Arc<dyn NoticeRepository>, backups: Arc<BackupService>, calendar: Calendar) -> Self {
        Self { notices, backups, calendar, seen: DraftReader::new() }
    }

    /// Notices of the actor. Users who do not sell have none.
    pub async fn list(&self, actor: &Actor) -> Result<Vec<Notice>, Error> {
        require_staff(actor)?;
        if !actor.may(SELL) {
            return Ok(Vec::new());
        }
        let for_admins = actor.role.passes_every_check();
        let query = NoticeQuery {
            reader: actor.username.clone(),
            scope: Scope::of(actor),
            expiring: self.calendar.ending(RenewalWindow::Days7),
            expired: self.calendar.expired(),
            for_admins,
        };
        let mut counts = self.notices.counts(&query).await?;
        if for_admins {
            let status = self.backups.status().await?;
            if status.overdue {
                counts.push(NoticeCount {
                    kind: NoticeKind::BackupOverdue,
                    count: 1,
                    newest: status.last_good,
                });
            }
        }
        let seen = self.notices.seen(&actor.username).await?;
        let day = self.calendar.beginning_of(self.calendar.today().0);
        let notice = |count: NoticeCount| {
            let seen = seen.iter().find(|seen| seen.kind == count.kind);
            Notice { count, is_new: count.is_new(seen, day) }
        };
        Ok(counts.into_iter().map(notice).collect())
    }

    /// Stores what the actor has seen.
    pub async fn see(&self, actor: &Actor, body: &[u8]) -> Result<(), Error> {
        require_staff(actor)?;
        let seen = self.seen.read(parse(body)?, &())?.into_inner();
        let seen_date = self.calendar.now();
        let seen: Vec<SeenNotice> = seen
            .notices
            .into_iter()
            .map(|shown| SeenNotice {
                kind: shown.kind,
                count: shown.count.unsigned_abs(),
                newest: shown.newest,
                seen_date,
            })
            .collect();
        Ok(self.notices.set_seen(&actor.username, &seen).await?)
    }
}
