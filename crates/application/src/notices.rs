//! What wants attention, for each reader (docs/spec/notices.md).

use std::sync::Arc;

use domain_kernel::{Action, Actor, DraftReader, Permission, Subject};
use domain_users::{NoticeCount, NoticeKind, RenewalWindow, Scope, SeenNotice, SeenNotices};
use ports::{NoticeQuery, NoticeRepository};

use crate::{BackupService, Calendar, Error, body::parse, staff::require_staff};

/// Who sells sees to customers and agents.
const SELL: Permission = Permission::new(Subject("USER"), Action::Update);

/// The use cases of notices.
pub struct NoticeService {
    notices: Arc<dyn NoticeRepository>,
    backups: Arc<BackupService>,
    calendar: Calendar,
    seen: DraftReader<SeenNotices>,
}

/// A notice for a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    /// What it is about, and how much of it there is.
    pub count: NoticeCount,
    /// Whether the reader has not seen all of it.
    pub is_new: bool,
}

impl NoticeService {
    /// The use cases over their ports.
    pub fn new(notices: Arc<dyn NoticeRepository>, backups: Arc<BackupService>, calendar: Calendar) -> Self {
        Self { notices, backups, calendar, seen: DraftReader::new() }
    }

    /// What wants the actor's attention. Who does not sell has none.
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
