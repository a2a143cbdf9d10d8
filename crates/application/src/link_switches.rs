//! Deactivates items without a playing link, if the operator enables it
//! (docs/spec/live-tv.md#switching-off).

use std::sync::Arc;

use domain_kernel::Enumeration;
use ports::LinkSwitches;

use crate::{Calendar, Error, LinkService};

/// Items of a kind per round.
const AT_ONCE: u32 = 200;

/// Use cases of items whose links are all down.
pub struct LinkSwitchService {
    switches: Arc<dyn LinkSwitches>,
    links: Arc<LinkService>,
    calendar: Calendar,
    switches_off: bool,
}

impl LinkSwitchService {
    /// Creates the use cases. Without `switches_off` nothing is deactivated; deactivated items are
    /// still reactivated.
    pub fn new(
        switches: Arc<dyn LinkSwitches>,
        links: Arc<LinkService>,
        calendar: Calendar,
        switches_off: bool,
    ) -> Self {
        Self { switches, links, calendar, switches_off }
    }

    /// Reactivates recovered items, and deactivates items without a playing link.
    pub async fn run(&self) -> Result<(), Error> {
        for item in self.switches.recovered(AT_ONCE).await? {
            if self.switches.switch_on(item, self.calendar.edit_of_server()).await? {
                tracing::info!(
                    owner = item.owner.code(),
                    item = item.item,
                    "item reactivated: link plays again"
                );
            }
        }
        if !self.switches_off {
            return Ok(());
        }
        let dead = self.switches.dead(AT_ONCE).await?;
        if dead.is_empty() {
            return Ok(());
        }
        // The links read may be outdated after a change of the URL or an activation by a user.
        // Later changes have another version.
        self.links.take_all_over().await?;
        for item in dead {
            if self.switches.switch_off(item, self.calendar.edit_of_server()).await? {
                tracing::warn!(
                    owner = item.owner.code(),
                    item = item.item,
                    "item deactivated: no link plays"
                );
            }
        }
        Ok(())
    }

    /// Deletes the marks of items that a user has activated since.
    pub async fn sweep(&self) -> Result<(), Error> {
        self.switches.forget_changed().await?;
        Ok(())
    }
}
