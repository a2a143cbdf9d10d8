//! Sessions: whose a request is, refreshing, and seeing and ending them.

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

/// Sessions of one user that are listed at most.
const MOST_LISTED: u32 = 200;

/// What is kept of a session's key.
pub(crate) fn key_hash(key: &str) -> String {
    format!("{:x}", Sha256::digest(key))
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSession {
    /// The session.
    pub details: SessionDetails,
    /// Whether it is the one that is edited.
    pub current: bool,
}

/// The use cases of sessions that are open.
pub struct SessionService {
    sessions: Arc<dyn SessionRepository>,
    users: Arc<dyn UserRepository>,
    clock: Arc<dyn Clock>,
    /// A last use is being written: one at a time, so that a slow database collects none.
    touching: AtomicBool,
}

impl SessionService {
    /// The use cases over their ports.
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

    /// Whether its last use is to be written down.
    pub fn is_to_be_touched(&self, session: &OpenSession) -> bool {
        session.last_used_date + LAST_USE_PRECISION <= self.clock.now()
    }

    /// Writes down that a session is being used, unless another last use is being written.
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

    /// Begins the time of a session anew, within its seven days; answers when it ends now.
    pub async fn refresh(&self, key_hash: &str, created: DateTime<Utc>) -> Result<DateTime<Utc>, Error> {
        let ends = session_end(created, self.clock.now());
        if self.sessions.extend(key_hash, ends).await? { Ok(ends) } else { Err(Error::NotAuthenticated) }
    }

    /// Ends the session with this key, if there is one.
    pub async fn sign_out(&self, key: &str) -> Result<(), Error> {
        Ok(self.sessions.end(&key_hash(key)).await?)
    }

    /// The actor's own sessions, the last used first. Subscribers have nothing to do here.
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

    /// Ends the actor's own sessions but the current one.
    pub async fn end_others(&self, actor: &Actor, current: &str) -> Result<(), Error> {
        only_staff(actor)?;
        let ended = self.sessions.end_all(&actor.username, Some(current), &self.edit_by(actor)).await?;
        tracing::info!(user = actor.username.as_str(), ended, "other sessions ended");
        Ok(())
    }

    /// The sessions of somebody whom the actor manages.
    pub async fn list_of(&self, actor: &Actor, username: &str) -> Result<Vec<ListedSession>, Error> {
        self.listed(&self.managed(actor, username).await?, None).await
    }

    /// Ends all sessions of somebody whom the actor manages.
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

    /// The name of a user as the store spells it, if the actor may edit them.
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
