//! Switching off what does not play, where the operator wants it (docs/spec/live-tv.md#switching-off).

use std::sync::Arc;

use domain_kernel::Enumeration;
use ports::LinkSwitches;

use crate::{Calendar, Error, LinkService};

/// Items of a kind that are switched in one round.
const AT_ONCE: u32 = 200;

/// The use cases of items whose links are all down.
pub struct LinkSwitchService {
    switches: Arc<dyn LinkSwitches>,
    links: Arc<LinkService>,
    calendar: Calendar,
    switches_off: bool,
}

impl LinkSwitchService {
    /// The use cases over their ports. Without `switches_off` nothing is switched off; what was, is switched on again all the
    /// same.
    pub fn new(
        switches: Arc<dyn LinkSwitches>,
        links: Arc<LinkService>,
        calendar: Calendar,
        switches_off: bool,
    ) -> Self {
        Self { switches, links, calendar, switches_off }
    }

    /// Switches on what has recovered, and off what is dead.
    pub async fn run(&self) -> Result<(), Error> {
        for item in self.switches.recovered(AT_ONCE).await? {
            if self.switches.switch_on(item, self.calendar.edit_of_server()).await? {
                tracing::info!(
                    owner = item.owner.code(),
                    item = item.item,
                    "switched on: a link plays again"
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
        // What was read may have another address by now, or somebody may have activated it, of which its link knows nothing yet.
        // What is changed later has another version.
        self.links.take_all_over().await?;
        for item in dead {
            if self.switches.switch_off(item, self.calendar.edit_of_server()).await? {
                tracing::warn!(owner = item.owner.code(), item = item.item, "switched off: no link plays");
            }
        }
        Ok(())
    }

    /// Forgets items that somebody has activated since they were switched off.
    pub async fn sweep(&self) -> Result<(), Error> {
        self.switches.forget_changed().await?;
        Ok(())
    }
}
