//! Parts of content that are reached through their parent: episodes through their show, links
//! through their sports event.

use std::collections::HashSet;

use domain_catalogue::{Content, Episode, Kind, Link, Sport, Stored, TvShow};
use domain_kernel::{Action, Actor, Code, Id, Page, Version, Violation, Violations};
use garde::Valid;
use ports::{Inserted, Rows};
use serde_json::{Map, Value, json};

use crate::{
    ContentService, Created, Error,
    body::{not_an_object, parse, read_active},
    contents::conflicting,
    idempotency::idempotency_key,
    versions::{outdated, require_version, retry_if_outdated},
};

/// Maximum episodes added together: more than any season has.
const MOST_AT_ONCE: usize = 500;

/// Created episodes, and whether the response is a repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreatedAll {
    /// Number of added episodes.
    pub count: usize,
    /// Whether the same request was answered before under this idempotency key.
    pub replayed: bool,
}

impl ContentService<TvShow> {
    /// Fails if the show does not exist.
    pub async fn require(&self, actor: &Actor, id: Id) -> Result<(), Error> {
        actor.require(Kind::TvShows.permission(Action::Read))?;
        self.require_item(Kind::TvShows, id).await
    }
}

impl<C: Content> ContentService<C> {
    pub(crate) async fn require_item(&self, kind: Kind, id: Id) -> Result<(), Error> {
        if self.references.exists(kind, id).await? { Ok(()) } else { Err(Error::Missing { kind, id }) }
    }

    /// A page of the items of a show.
    pub async fn list_of_show(
        &self,
        actor: &Actor,
        show: Id,
        pairs: &[(String, String)],
    ) -> Result<Page<Rows>, Error> {
        actor.require(C::KIND.permission(Action::Read))?;
        self.require_item(Kind::TvShows, show).await?;
        self.list(actor, &of_this_show(pairs, show)?).await
    }
}

/// List parameters of a show's list, which reject another show.
pub(crate) fn of_this_show(
    pairs: &[(String, String)],
    show: Id,
) -> Result<Vec<(String, String)>, Violations> {
    let show = show.to_string();
    let of_show = |(name, _): &&(String, String)| name == "tvShowId";
    if pairs.iter().filter(of_show).any(|(_, value)| !value.is_empty() && *value != show) {
        let violation = Violation::new("tvShowId", Code::UnknownValue).with("allowed", vec![show]);
        return Err(Violations(vec![violation]));
    }
    let others = pairs.iter().filter(|pair| !of_show(pair)).cloned();
    Ok(others.chain([("tvShowId".to_owned(), show)]).collect())
}

impl ContentService<Episode> {
    /// Adds an episode to a show. `tvShowId` is optional in the body and must be this show.
    pub async fn create_in_show(
        &self,
        actor: &Actor,
        show: Id,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<Created<Episode>, Error> {
        actor.require(Kind::Episodes.permission(Action::Create))?;
        let body = of_show(body, show)?;
        if let Err(refusal) = self.require_item(Kind::TvShows, show).await {
            let once = idempotency_key(actor, key, Kind::Episodes.path(), &parse(&body)?);
            return self.replayed_or(once, refusal).await;
        }
        self.create(actor, &body, key).await
    }

    /// Adds several episodes to a show, all or none: `{"episodes": […]}`. Violations have the path
    /// of the episode. A repeated body with the same idempotency key gets the first response again.
    pub async fn create_all_in_show(
        &self,
        actor: &Actor,
        show: Id,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<CreatedAll, Error> {
        actor.require(Kind::Episodes.permission(Action::Create))?;
        let json = parse(body)?;
        let once = idempotency_key(actor, key, &format!("several of show {show}"), &json);
        let episodes = match self.read_all(show, &json).await {
            Ok(episodes) => episodes,
            Err(refusal) => {
                let Some(once) = once else { return Err(refusal) };
                // A replay returns the first response even if the show was deleted since.
                return match self.repository.answered_all(&once).await? {
                    Some(Inserted::Replayed(ids)) => Ok(CreatedAll { count: ids.len(), replayed: true }),
                    Some(Inserted::KeyReused) => Err(Error::IdempotencyMismatch),
                    _ => Err(refusal),
                };
            }
        };
        match self.repository.insert_all(episodes, self.edit_by(actor), once).await? {
            Inserted::New(ids) => Ok(CreatedAll { count: ids.len(), replayed: false }),
            Inserted::Replayed(ids) => Ok(CreatedAll { count: ids.len(), replayed: true }),
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
            Inserted::Conflict(other) => Err(conflicting(&other)),
        }
    }

    /// The episodes of a body, with all violations.
    async fn read_all(&self, show: Id, json: &Value) -> Result<Vec<Valid<Episode>>, Error> {
        self.require_item(Kind::TvShows, show).await?;
        let fault = |field: &str, code| Violation::new(field, code);
        let Some(drafts) = json.get("episodes").and_then(Value::as_array) else {
            return Err(Violations(vec![fault("episodes", Code::Required)]).into());
        };
        let others = json.as_object().into_iter().flat_map(Map::keys).filter(|name| *name != "episodes");
        let mut violations: Vec<Violation> = others.map(|name| fault(name, Code::UnknownField)).collect();
        if drafts.is_empty() {
            violations.push(fault("episodes", Code::TooFew).with("min", 1));
        } else if drafts.len() > MOST_AT_ONCE {
            violations.push(fault("episodes", Code::TooMany).with("max", MOST_AT_ONCE));
        }
        let today = self.calendar.today();
        let mut episodes = Vec::with_capacity(drafts.len());
        let mut places = HashSet::new();
        for (index, draft) in drafts.iter().enumerate().take(MOST_AT_ONCE) {
            let draft = with_show(draft.clone(), show).and_then(|draft| self.reader.read(draft, &today));
            match draft {
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
        if violations.is_empty() { Ok(episodes) } else { Err(Violations(violations).into()) }
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
        let json = with_show(parse(body)?, show)?;
        retry_if_outdated(expected, async || {
            let current = self.find_of_show(show, id).await?;
            require_version(expected, current.version, || outdated(&current))?;
            let draft = self.read_draft(json.clone()).await?;
            self.replace_version(actor, &current, draft).await
        })
        .await
    }

    /// Fails if the episode is not one of this show's: the path must not give access to others.
    pub async fn require_of_show(&self, show: Id, id: Id) -> Result<(), Error> {
        self.find_of_show(show, id).await.map(drop)
    }

    async fn find_of_show(&self, show: Id, id: Id) -> Result<Stored<Episode>, Error> {
        let found = self.repository.find(id).await?.filter(|episode| episode.content.tv_show_id == show);
        found.ok_or(Error::Missing { kind: Kind::Episodes, id })
    }
}

fn of_show(body: &[u8], show: Id) -> Result<Vec<u8>, Error> {
    Ok(with_show(parse(body)?, show)?.to_string().into_bytes())
}

/// An episode with the show of the path. Another show in the body is rejected.
fn with_show(mut json: Value, show: Id) -> Result<Value, Violations> {
    if let Some(fields) = json.as_object_mut() {
        let named = fields.entry("tvShowId").or_insert_with(|| json!(show));
        if *named != json!(show) {
            return Err(Violations(vec![Violation::new("tvShowId", Code::UnknownReference)]));
        }
    }
    Ok(json)
}

/// A change of one link of an item.
#[derive(Debug, Clone, Copy)]
pub enum LinkChange<'a> {
    Add,
    /// Replaces the link with this id.
    Replace(&'a str),
    /// Removes the link with this id.
    Remove(&'a str),
    /// Sets whether viewers may play the link with this id.
    SetActive(&'a str),
}

impl ContentService<Sport> {
    /// Changes one link. The complete event must be valid: its last link can't be removed.
    pub async fn change_link(
        &self,
        actor: &Actor,
        id: Id,
        change: LinkChange<'_>,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<Stored<Sport>, Error> {
        actor.require(Kind::Sports.permission(Action::Update))?;
        retry_if_outdated(expected, async || {
            let current = self.find(actor, id).await?;
            require_version(expected, current.version, || outdated(&current))?;
            let (links, sent) = changed_links(&current, change, body)?;
            let merged = self.merge_into(actor, &current, json!({ "links": links })).await;
            merged.map_err(|error| match (error, sent) {
                (Error::Invalid(violations), Some(place)) => of_link(violations, place).into(),
                (error, _) => error,
            })
        })
        .await
    }
}

/// Violations of the link at this position, with the paths of a body that is the link.
fn of_link(Violations(violations): Violations, place: usize) -> Violations {
    let link = format!("links[{place}]");
    let of_body = |mut violation: Violation| {
        if violation.field == "links" && violation.code == Code::Duplicate {
            "id".clone_into(&mut violation.field);
        } else if let Some(field) = violation.field.strip_prefix(&link) {
            violation.field = field.trim_start_matches('.').to_owned();
        }
        violation
    };
    Violations(violations.into_iter().map(of_body).collect())
}

/// The links of an event after the change, as in a body, and the position of the link that the body
/// replaces.
fn changed_links(
    current: &Stored<Sport>,
    change: LinkChange<'_>,
    body: &[u8],
) -> Result<(Vec<Value>, Option<usize>), Error> {
    let mut links = links_as_json(&current.content.links)?;
    let position = |wanted: &str| {
        let found = current.content.links.iter().position(|link| link.id.as_deref() == Some(wanted));
        found.ok_or_else(|| Error::NoSuchLink(wanted.to_owned()))
    };
    let mut sent = None;
    match change {
        LinkChange::Add => {
            sent = Some(links.len());
            links.push(parse(body)?);
        }
        LinkChange::Replace(link) => {
            let at = position(link)?;
            let Value::Object(mut fields) = parse(body)? else {
                return Err(not_an_object());
            };
            fields.insert("id".to_owned(), json!(link));
            fields.insert("createdDate".to_owned(), links[at]["createdDate"].clone());
            links[at] = Value::Object(fields);
            sent = Some(at);
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
    Ok((links, sent))
}

fn links_as_json(links: &[Link]) -> Result<Vec<Value>, Error> {
    let json: Result<Vec<Value>, _> = links.iter().map(serde_json::to_value).collect();
    json.map_err(|error| ports::StoreError::Broken(error.to_string()).into())
}
