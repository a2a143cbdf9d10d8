//! Links of films and other items, probed on request (docs/spec/live-tv.md#links-of-items).

use std::sync::Arc;

use domain_kernel::{Action, Actor, Id};
use domain_live::link::LinkOwner;
use ports::ItemLinks;

use crate::{Calendar, Error, LinkRefusal, LinkService, RequestedLink, links::locate};

/// Use cases of item links.
pub struct ItemLinkService {
    items: Arc<dyn ItemLinks>,
    links: Arc<LinkService>,
    calendar: Calendar,
}

impl ItemLinkService {
    /// Creates the use cases; `links` has the schedule of probes.
    pub fn new(items: Arc<dyn ItemLinks>, links: Arc<LinkService>, calendar: Calendar) -> Self {
        Self { items, links, calendar }
    }

    /// Requests probes of an item's links. The result has their times: hosts may be in a pause, or
    /// at their daily limit.
    pub async fn request_probes(
        &self,
        actor: &Actor,
        owner: LinkOwner,
        item: Id,
    ) -> Result<Vec<RequestedLink>, Error> {
        actor.require(owner.kind().permission(Action::Update))?;
        if !self.links.policy().is_on() {
            return Err(Error::Link(LinkRefusal::Off));
        }
        if !request_probes(&*self.items, &self.calendar, owner, item).await? {
            return Err(Error::Missing { kind: owner.kind(), id: item });
        }
        self.read(owner, item).await
    }

    /// The requested links of an item with their probe results; empty without a request.
    pub async fn kept(&self, actor: &Actor, owner: LinkOwner, item: Id) -> Result<Vec<RequestedLink>, Error> {
        actor.require(owner.kind().permission(Action::Read))?;
        if self.items.catalogued(owner, item).await?.is_none() {
            return Err(Error::Missing { kind: owner.kind(), id: item });
        }
        self.read(owner, item).await
    }

    async fn read(&self, owner: LinkOwner, item: Id) -> Result<Vec<RequestedLink>, Error> {
        let mut links = Vec::new();
        for link in self.items.kept(owner, item).await? {
            links.push(self.links.requested(link).await?);
        }
        Ok(links)
    }
}

/// Makes the links of an item due; returns whether the item exists.
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
