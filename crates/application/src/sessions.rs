//! Sessions: authentication, refresh, list and end.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use chrono::{DateTime, Utc};
use domain_kernel::{Action, Actor, Permission, RoleCode, Subject, Username};
use domain_users::{LAST_USE_PRECISION, Scope, may_manage, session_end};
use ports::{Clock, Edit, OpenSession, SessionDetails, SessionRepository, UserRepository, session_id};
use sha2::{Digest, Sha256};

use crate::Error;

/// Maximum sessions of a user in a list.
const MOST_LISTED: u32 = 200;

/// The stored hash of a session's key.
pub(crate) fn key_hash(key: &str) -> String {
    format!("{:x}", Sha256::digest(key))
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSession {
    /// The session.
    pub details: SessionDetails,
    /// Whether it is the session of the request.
    pub current: bool,
}

/// Use cases of open sessions.
pub struct SessionService {
    sessions: Arc<dyn SessionRepository>,
    users: Arc<dyn UserRepository>,
    clock: Arc<dyn Clock>,
    /// Whether a last use is being written. Limited to one, so that a slow database does not
    /// accumulate writes.
    touching: AtomicBool,
}

impl SessionService {
    pub fn new(
        sessions: Arc<dyn SessionRepository>,
        users: Arc<dyn UserRepository>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { sessions, users, clock, touching: AtomicBool::new(false) }
    }

    /// The session with this key, unless it has ended.
    pub async fn find(&self, key: &str) -> Result<Option<OpenSession>, Error> {
        Ok(self.sessions.find(&key_hash(key), self.clock.now()).await?)
    }

    /// Whether its last use should be recorded.
    pub fn is_to_be_touched(&self, session: &OpenSession) -> bool {
        session.last_used_date + LAST_USE_PRECISION <= self.clock.now()
    }

    /// Records the use of a session, unless another one is being written.
    pub async fn touch(&self, key_hash: &str) {
        if self.touching.swap(true, Ordering::AcqRel) {
            return;
        }
        let now = self.clock.now();
        if let Err(error) = self.sessions.touch(key_hash, now, now - LAST_USE_PRECISION).await {
            tracing::debug!(%error, "failed to record last use of session");
        }
        self.touching.store(false, Ordering::Release);
    }

    /// Extends a session, within its seven days; returns its new end.
    pub async fn refresh(&self, key_hash: &str, created: DateTime<Utc>) -> Result<DateTime<Utc>, Error> {
        let ends = session_end(created, self.clock.now());
        if self.sessions.extend(key_hash, ends).await? { Ok(ends) } else { Err(Error::NotAuthenticated) }
    }

    /// Ends the session with this key, if it exists.
    pub async fn sign_out(&self, key: &str) -> Result<(), Error> {
        Ok(self.sessions.end(&key_hash(key)).await?)
    }

    /// The actor's own sessions, most recently used first. Not for subscribers.
    pub async fn list_own(&self, actor: &Actor, current: &str) -> Result<Vec<ListedSession>, Error> {
        only_staff(actor)?;
        self.listed(&actor.username, Some(current)).await
    }

    /// Ends one of the actor's own sessions.
    pub async fn end_own(&self, actor: &Actor, id: &str) -> Result<(), Error> {
        only_staff(actor)?;
        if !self.sessions.end_one(&actor.username, id, &self.edit_by(actor)).await? {
            return Err(Error::NoSuchSession);
        }
        tracing::info!(user = actor.username.as_str(), session = id, "session ended");
        Ok(())
    }

    /// Ends the actor's sessions except for the current one.
    pub async fn end_others(&self, actor: &Actor, current: &str) -> Result<(), Error> {
        only_staff(actor)?;
        let ended = self.sessions.end_all(&actor.username, Some(current), &self.edit_by(actor)).await?;
        tracing::info!(user = actor.username.as_str(), ended, "other sessions ended");
        Ok(())
    }

    /// Sessions of a user whom the actor manages.
    pub async fn list_of(&self, actor: &Actor, username: &str) -> Result<Vec<ListedSession>, Error> {
        self.listed(&self.managed(actor, username).await?, None).await
    }

    /// Ends all sessions of a user whom the actor manages.
    pub async fn end_of(&self, actor: &Actor, username: &str) -> Result<(), Error> {
        let username = self.managed(actor, username).await?;
        let ended = self.sessions.end_all(&username, None, &self.edit_by(actor)).await?;
        tracing::info!(
            actor = actor.username.as_str(),
            user = username.as_str(),
            ended,
            "sessions of a user ended"
        );
        Ok(())
    }

    fn edit_by(&self, actor: &Actor) -> Edit {
        Edit { by: Some(actor.username.clone()), at: self.clock.now(), origin: actor.origin }
    }

    async fn listed(&self, username: &Username, current: Option<&str>) -> Result<Vec<ListedSession>, Error> {
        let all = self.sessions.list(username, self.clock.now(), MOST_LISTED).await?;
        let current = current.map(session_id);
        let listed = |details: SessionDetails| {
            let current = current == Some(details.id.as_str());
            ListedSession { details, current }
        };
        Ok(all.into_iter().map(listed).collect())
    }

    /// The name of a user, as stored, if the actor may edit them.
    async fn managed(&self, actor: &Actor, username: &str) -> Result<Username, Error> {
        actor.require(Permission::new(Subject("USER"), Action::Update))?;
        let missing = || Error::NoSuchUser(username.to_owned());
        let name = Username::parse(username).ok_or_else(missing)?;
        let user = self.users.find(&Scope::of(actor), &name).await?.ok_or_else(missing)?;
        if may_manage(actor, &user.username, user.role) { Ok(user.username) } else { Err(Error::Forbidden) }
    }
}

fn only_staff(actor: &Actor) -> Result<(), Error> {
    if actor.role == RoleCode::App { Err(Error::Forbidden) } else { Ok(()) }
}
