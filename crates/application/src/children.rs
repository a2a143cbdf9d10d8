//! Content that is reached through what it belongs to: episodes through their show, links through their sport.

use std::collections::HashSet;

use domain_catalogue::{Content, Episode, Kind, Link, Sport, Stored, TvShow};
use domain_kernel::{Action, Actor, Code, Id, Page, Version, Violation, Violations};
use ports::{Inserted, Rows};
use serde_json::{Value, json};

use crate::{
    ContentService, Created, Error,
    contents::{conflicting, once_only, outdated, parse, read_active},
    versions::{require_version, retry_if_outdated},
};

/// Episodes that may be added together: no season has as many.
const MOST_AT_ONCE: usize = 500;

/// What adding several answers, and whether it has answered so before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreatedAll {
    /// How many there are more.
    pub count: usize,
    /// The same request came before, under the same idempotency key.
    pub replayed: bool,
}

impl ContentService<TvShow> {
    /// Fails where there is no such show.
    pub async fn require(&self, actor: &Actor, id: Id) -> Result<(), Error> {
        actor.require(Kind::TvShows.permission(Action::Read))?;
        self.require_item(Kind::TvShows, id).await
    }
}

impl<C: Content> ContentService<C> {
    pub(crate) async fn require_item(&self, kind: Kind, id: Id) -> Result<(), Error> {
        if self.references.exists(kind, id).await? { Ok(()) } else { Err(Error::Missing { kind, id }) }
    }

    /// The page of those that belong to a show.
    pub async fn list_of_show(
        &self,
        actor: &Actor,
        show: Id,
        pairs: &[(String, String)],
    ) -> Result<Page<Rows>, Error> {
        actor.require(C::KIND.permission(Action::Read))?;
        self.require_item(Kind::TvShows, show).await?;
        let mut pairs: Vec<_> = pairs.iter().filter(|(name, _)| name != "tvShowId").cloned().collect();
        pairs.push(("tvShowId".to_owned(), show.to_string()));
        self.list(actor, &pairs).await
    }
}

impl ContentService<Episode> {
    /// Adds an episode to a show. The body may leave `tvShowId` out; it can't name another show.
    pub async fn create_in_show(
        &self,
        actor: &Actor,
        show: Id,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<Created<Episode>, Error> {
        actor.require(Kind::Episodes.permission(Action::Create))?;
        self.require_item(Kind::TvShows, show).await?;
        self.create(actor, &of_show(body, show)?, key).await
    }

    /// Adds several episodes to a show, all or none: `{"episodes": […]}`. Violations name the place.
    /// With an idempotency key, the same body again is answered as the first time.
    pub async fn create_all_in_show(
        &self,
        actor: &Actor,
        show: Id,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<CreatedAll, Error> {
        actor.require(Kind::Episodes.permission(Action::Create))?;
        self.require_item(Kind::TvShows, show).await?;
        let json = parse(body)?;
        let once = once_only(actor, key, &format!("several of show {show}"), &json);
        let fault = |field: &str, code| Violation::new(field, code);
        let Some(drafts) = json.get("episodes").and_then(Value::as_array) else {
            return Err(Violations(vec![fault("episodes", Code::Required)]).into());
        };
        let mut violations = Vec::new();
        if drafts.is_empty() {
            violations.push(fault("episodes", Code::TooFew).with("min", 1));
        } else if drafts.len() > MOST_AT_ONCE {
            violations.push(fault("episodes", Code::TooMany).with("max", MOST_AT_ONCE));
        }
        let today = self.calendar.today();
        let mut episodes = Vec::with_capacity(drafts.len());
        let mut places = HashSet::new();
        for (index, draft) in drafts.iter().enumerate().take(MOST_AT_ONCE) {
            let draft: Value = serde_json::from_slice(&of_show(draft.to_string().as_bytes(), show)?)
                .map_err(|error| Error::Malformed(error.to_string()))?;
            match self.reader.read(draft, &today) {
                Ok(valid) => {
                    let mut episode = valid.into_inner();
                    if !places.insert((episode.season_number, episode.episode_number)) {
                        violations.push(fault(&format!("episodes[{index}].episodeNumber"), Code::Duplicate));
                    }
                    episode.fill_server_fields(None, self.calendar.now());
                    episodes.push(domain_kernel::checked(episode, &today)?);
                }
                Err(Violations(found)) => violations.extend(found.into_iter().map(|violation| Violation {
                    field: format!("episodes[{index}].{}", violation.field),
                    ..violation
                })),
            }
        }
        if !violations.is_empty() {
            return Err(Violations(violations).into());
        }
        match self.repository.insert_all(episodes, self.edit_by(actor), once).await? {
            Inserted::New(ids) => Ok(CreatedAll { count: ids.len(), replayed: false }),
            Inserted::Replayed(ids) => Ok(CreatedAll { count: ids.len(), replayed: true }),
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
            Inserted::Conflict(other) => Err(conflicting(&other)),
        }
    }

    /// Replaces an episode of this show.
    pub async fn replace_in_show(
        &self,
        actor: &Actor,
        show: Id,
        id: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<Stored<Episode>, Error> {
        actor.require(Kind::Episodes.permission(Action::Update))?;
        let body = of_show(body, show)?;
        retry_if_outdated(expected, async || {
            let current = self.find_of_show(show, id).await?;
            require_version(expected, current.version, || outdated(&current))?;
            self.replace(actor, id, &body, Some(current.version)).await
        })
        .await
    }

    /// Fails where the episode is not one of this show's: an id in a path opens nothing else.
    pub async fn require_of_show(&self, show: Id, id: Id) -> Result<(), Error> {
        self.find_of_show(show, id).await.map(drop)
    }

    async fn find_of_show(&self, show: Id, id: Id) -> Result<Stored<Episode>, Error> {
        let found = self.repository.find(id).await?.filter(|episode| episode.content.tv_show_id == show);
        found.ok_or(Error::Missing { kind: Kind::Episodes, id })
    }
}

fn of_show(body: &[u8], show: Id) -> Result<Vec<u8>, Error> {
    let mut json = parse(body)?;
    if let Some(fields) = json.as_object_mut() {
        let named = fields.entry("tvShowId").or_insert_with(|| json!(show));
        if *named != json!(show) {
            return Err(Violations(vec![Violation::new("tvShowId", Code::UnknownReference)]).into());
        }
    }
    Ok(json.to_string().into_bytes())
}

/// What is done to one link of an item.
#[derive(Debug, Clone, Copy)]
pub enum LinkChange<'a> {
    /// Add it.
    Add,
    /// Put the body in the place of the link with this id.
    Replace(&'a str),
    /// Remove the link with this id.
    Remove(&'a str),
    /// Sets whether viewers may play the link with this id.
    SetActive(&'a str),
}

impl ContentService<Sport> {
    /// The links of a sports event.
    pub async fn links(&self, actor: &Actor, id: Id) -> Result<Vec<Link>, Error> {
        Ok(self.find(actor, id).await?.content.links)
    }

    /// Changes one link. The event as a whole must keep its rules: its last link can't be removed.
    pub async fn change_link(
        &self,
        actor: &Actor,
        id: Id,
        change: LinkChange<'_>,
        body: &[u8],
    ) -> Result<Stored<Sport>, Error> {
        actor.require(Kind::Sports.permission(Action::Update))?;
        retry_if_outdated(None, async || {
            let current = self.find(actor, id).await?;
            let links = changed_links(&current, change, body)?;
            self.merge_into(actor, &current, json!({ "links": links })).await
        })
        .await
    }
}

/// The links of an event after the change, as they are read from a body.
fn changed_links(current: &Stored<Sport>, change: LinkChange<'_>, body: &[u8]) -> Result<Vec<Value>, Error> {
    let mut links = links_as_json(&current.content.links)?;
    let position = |wanted: &str| {
        let found = current.content.links.iter().position(|link| link.id.as_deref() == Some(wanted));
        found.ok_or(Error::Missing { kind: Kind::Sports, id: current.id })
    };
    match change {
        LinkChange::Add => links.push(parse(body)?),
        LinkChange::Replace(link) => {
            let at = position(link)?;
            let Value::Object(mut fields) = parse(body)? else {
                let violation = Violation::new("", Code::WrongType).with("expected", "object");
                return Err(Violations(vec![violation]).into());
            };
            fields.insert("id".to_owned(), json!(link));
            fields.insert("createdDate".to_owned(), links[at]["createdDate"].clone());
            links[at] = Value::Object(fields);
        }
        LinkChange::Remove(link) => {
            links.remove(position(link)?);
        }
        LinkChange::SetActive(link) => {
            let at = position(link)?;
            links[at]["active"] = json!(read_active(&parse(body)?)?);
            links[at]["updatedDate"] = Value::Null;
        }
    }
    Ok(links)
}

fn links_as_json(links: &[Link]) -> Result<Vec<Value>, Error> {
    let json: Result<Vec<Value>, _> = links.iter().map(serde_json::to_value).collect();
    json.map_err(|error| ports::StoreError::Broken(error.to_string()).into())
}
