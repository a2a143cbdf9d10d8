//! Links of films and other items: probed where somebody requests it (docs/spec/live-tv.md#links-of-items).

use std::sync::Arc;

use domain_kernel::{Action, Actor, Id};
use domain_live::link::{Link, LinkOwner, ProbePolicy};
use ports::ItemLinks;

use crate::{Calendar, Error, LinkRefusal, links::locate};

/// The use cases of links of items.
pub struct ItemLinkService {
    links: Arc<dyn ItemLinks>,
    calendar: Calendar,
    policy: ProbePolicy,
}

impl ItemLinkService {
    /// The use cases over their port; `policy` says whether links are probed.
    pub fn new(links: Arc<dyn ItemLinks>, calendar: Calendar, policy: ProbePolicy) -> Self {
        Self { links, calendar, policy }
    }

    /// Has the links of an item probed next.
    pub async fn request_probes(
        &self,
        actor: &Actor,
        owner: LinkOwner,
        item: Id,
    ) -> Result<Vec<Link>, Error> {
        actor.require(owner.kind().permission(Action::Update))?;
        if !self.policy.is_on() {
            return Err(Error::Link(LinkRefusal::Off));
        }
        if !request_probes(&*self.links, &self.calendar, owner, item).await? {
            return Err(Error::Missing { kind: owner.kind(), id: item });
        }
        Ok(self.links.kept(owner, item).await?)
    }

    /// The links of an item that somebody requested, and what probes found; none where nobody did.
    pub async fn kept(&self, actor: &Actor, owner: LinkOwner, item: Id) -> Result<Vec<Link>, Error> {
        actor.require(owner.kind().permission(Action::Read))?;
        if self.links.catalogued(owner, item).await?.is_none() {
            return Err(Error::Missing { kind: owner.kind(), id: item });
        }
        Ok(self.links.kept(owner, item).await?)
    }
}

/// Makes the links of an item due now; answers whether there is such an item.
pub(crate) async fn request_probes(
    links: &dyn ItemLinks,
    calendar: &Calendar,
    owner: LinkOwner,
    item: Id,
) -> Result<bool, Error> {
    let Some(mut catalogued) = links.catalogued(owner, item).await? else { return Ok(false) };
    for link in &mut catalogued {
        locate(link);
    }
    links.request_probes(&catalogued, calendar.now()).await?;
    Ok(true)
}
