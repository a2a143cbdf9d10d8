//! Profiles of published playlists, managed by admins
//! (docs/spec/live-tv.md#published-playlists). [`playlist`] and [`guide`] serve their
//! URLs.

mod guide;
mod playlist;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use domain_catalogue::{CategoryType, Reference};
use domain_integrations::{KeyState, Meter};
use domain_kernel::{
    Action, Actor, Code, DraftReader, Id, ListQuery, Page, Permission, Subject, Username, Version, Violation,
    Violations,
};
use domain_live::profile::{LiveProfile, LiveProfileDraft, PROFILE_SECRET};
use domain_users::Scope;
use ports::{
    GuideFormat, KeyRepository, LiveProfileRepository, PlaylistWriter, ProfileSecret, ProfileUse,
    SecretSource, Written,
};
use serde_json::{Value, json};

pub use self::guide::{GuidePosition, OpenedGuide};
pub use self::playlist::{OpenedPlaylist, PlaylistPosition, PlaylistSlice};
use crate::{
    BaseUrlService, Calendar, ContentServices, Error, ListShape, StreamService, UserService,
    body::{parse, to_json},
    keys::hashed,
    read_list_query,
};

/// Topic of the texts.
const PROFILES: &str = "live-profiles";
const LIVE_PROFILE: Subject = Subject("LIVE_PROFILE");

/// Permission for an action on profiles. No role has it: admins pass every check.
pub const fn live_profile_permission(action: Action) -> Permission {
    Permission::new(LIVE_PROFILE, action)
}

/// Dependencies of the use cases of profiles.
#[derive(Clone)]
pub struct LiveProfileParts {
    pub profiles: Arc<dyn LiveProfileRepository>,
    /// Integrator keys of profiles.
    pub keys: Arc<dyn KeyRepository>,
    /// Subscribers of profiles.
    pub users: Arc<UserService>,
    pub contents: ContentServices,
    /// Base URLs of internal channels.
    pub base_urls: Arc<BaseUrlService>,
    /// Streams of channels for players.
    pub streams: Arc<StreamService>,
    pub secrets: Arc<dyn SecretSource>,
    pub writer: Arc<dyn PlaylistWriter>,
    pub guides: Arc<dyn GuideFormat>,
}

/// Use cases of profiles.
pub struct LiveProfileService {
    parts: LiveProfileParts,
    calendar: Calendar,
    drafts: DraftReader<LiveProfileDraft>,
    meters: Mutex<HashMap<Id, Meter>>,
    uses: Mutex<HashMap<Id, ProfileUse>>,
}

/// A profile with its secret, which is only shown once.
#[derive(Debug)]
pub struct ProfileWithSecret {
    pub profile: LiveProfile,
    /// The secret: `pl_` and base64.
    pub secret: String,
}

fn missing(id: Id) -> Error {
    Error::NoSuch { what: PROFILES, id }
}

impl LiveProfileService {
    pub fn list_shape() -> ListShape {
        let sorts = vec!["id", "name", "createdDate", "lastUsedDate", "calls"];
        ListShape { page_size: 10, sorts, filters: &[] }
    }

    pub fn new(parts: LiveProfileParts, calendar: Calendar) -> Self {
        Self { parts, calendar, drafts: DraftReader::new(), meters: Mutex::default(), uses: Mutex::default() }
    }

    /// A page of profiles. `pairs` are those of the query string.
    pub async fn list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<LiveProfile>>, Error> {
        Ok(self.parts.profiles.list(&Self::read_list(actor, pairs)?).await?)
    }

    /// Reads the parameters of the list.
    pub(crate) fn read_list(actor: &Actor, pairs: &[(String, String)]) -> Result<ListQuery, Error> {
        actor.require(live_profile_permission(Action::Read))?;
        Ok(read_list_query(&Self::list_shape(), pairs)?)
    }

    pub async fn find(&self, actor: &Actor, id: Id) -> Result<LiveProfile, Error> {
        actor.require(live_profile_permission(Action::Read))?;
        self.one(id).await
    }

    async fn one(&self, id: Id) -> Result<LiveProfile, Error> {
        self.parts.profiles.find(id).await?.ok_or_else(|| missing(id))
    }

    /// Creates a profile. Its secret is only returned here.
    pub async fn create(&self, actor: &Actor, body: &[u8]) -> Result<ProfileWithSecret, Error> {
        actor.require(live_profile_permission(Action::Create))?;
        let draft = self.checked(actor, parse(body)?).await?;
        let (secret, kept) = self.new_secret();
        let profile = self.parts.profiles.add(draft, &kept, &self.calendar.edit_by(actor)).await?;
        tracing::info!(actor = actor.username.as_str(), profile = profile.id, "live profile created");
        Ok(ProfileWithSecret { profile, secret })
    }

    /// Replaces the fields of a profile. Its URL does not change.
    pub async fn replace(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<LiveProfile, Error> {
        actor.require(live_profile_permission(Action::Update))?;
        self.one(id).await?;
        let draft = self.checked(actor, parse(body)?).await?;
        let edit = self.calendar.edit_by(actor);
        let profile = written(id, self.parts.profiles.replace(id, draft, expected, &edit).await?)?;
        tracing::info!(actor = actor.username.as_str(), profile = id, "live profile changed");
        Ok(profile)
    }

    /// Replaces the secret, which is only returned here; the previous one stops working.
    pub async fn replace_secret(&self, actor: &Actor, id: Id) -> Result<ProfileWithSecret, Error> {
        actor.require(live_profile_permission(Action::Update))?;
        let (secret, kept) = self.new_secret();
        let changed = self.parts.profiles.change_secret(id, &kept, &self.calendar.edit_by(actor)).await?;
        let profile = changed.ok_or_else(|| missing(id))?;
        tracing::info!(actor = actor.username.as_str(), profile = id, "secret of live profile replaced");
        Ok(ProfileWithSecret { profile, secret })
    }

    /// Revokes the URL of a profile.
    pub async fn revoke(&self, actor: &Actor, id: Id) -> Result<LiveProfile, Error> {
        actor.require(live_profile_permission(Action::Update))?;
        let revoked = self.parts.profiles.revoke(id, &self.calendar.edit_by(actor)).await?;
        let profile = revoked.ok_or_else(|| missing(id))?;
        tracing::info!(actor = actor.username.as_str(), profile = id, "live profile revoked");
        Ok(profile)
    }

    /// Deletes a profile with its URL.
    pub async fn delete(&self, actor: &Actor, id: Id, expected: Option<Version>) -> Result<(), Error> {
        actor.require(live_profile_permission(Action::Delete))?;
        written(id, self.parts.profiles.remove(id, expected, &self.calendar.edit_by(actor)).await?)?;
        tracing::info!(actor = actor.username.as_str(), profile = id, "live profile deleted");
        Ok(())
    }

    fn new_secret(&self) -> (String, ProfileSecret) {
        let (text, hint) = PROFILE_SECRET.text_of(&self.parts.secrets.draw());
        let kept = ProfileSecret { hash: hashed(&text), hint };
        (text, kept)
    }

    /// A valid draft with existing references.
    async fn checked(&self, actor: &Actor, json: Value) -> Result<garde::Valid<LiveProfileDraft>, Error> {
        let draft = self.drafts.read(json, &())?;
        let mut violations = Vec::new();
        if let Some(username) = &draft.username {
            let name = Username::parse(username);
            let is_subscriber = match &name {
                Some(name) => self.parts.users.is_subscriber(&Scope::of(actor), name).await?,
                None => false,
            };
            violations.extend((!is_subscriber).then(|| Violation::new("username", Code::UnknownReference)));
        }
        if let Some(key) = draft.key_id {
            let found = self.parts.keys.find(key).await?;
            let works = found.is_some_and(|key| key.state(self.calendar.today()) == KeyState::Active);
            violations.extend((!works).then(|| Violation::new("keyId", Code::UnknownReference)));
        }
        for (index, id) in draft.categories.iter().enumerate() {
            let reference = Reference::category("categories", *id, CategoryType::TvChannel);
            violations.extend(self.parts.contents.tv_channels.fault_of(&reference).await?.map(
                |mut fault| {
                    fault.field = format!("categories[{index}]");
                    fault
                },
            ));
        }
        if violations.is_empty() { Ok(draft) } else { Err(Violations(violations).shortened().into()) }
    }
}

fn written(id: Id, written: Written<LiveProfile>) -> Result<LiveProfile, Error> {
    match written {
        Written::Done(profile) => Ok(profile),
        Written::Missing => Err(missing(id)),
        Written::Outdated(current) => Err(Error::Outdated(Box::new(current_json(&current)?))),
        Written::Conflict(never) => match never {},
    }
}

/// The profile as in responses: its draft, and those server fields that a form with another version
/// needs.
fn current_json(profile: &LiveProfile) -> Result<Value, Error> {
    let mut json = to_json(&profile.draft)?;
    json["id"] = json!(profile.id);
    json["version"] = json!(profile.version);
    json["keyName"] = json!(profile.key_name);
    json["updatedBy"] = json!(profile.updated_by);
    json["updatedDate"] = json!(profile.updated_date);
    Ok(json)
}
