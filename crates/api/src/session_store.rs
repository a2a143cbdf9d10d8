//! Sessions for the middleware, kept by the store under the hash of their key. Whoever can read the database still
//! can't use a session.

use std::sync::Arc;

use actix_session::storage::{
    LoadError, SaveError, SessionKey, SessionStore, UpdateError, generate_session_key,
};
use actix_web::cookie::time::Duration;
use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::Username;
use ports::{Clock, SessionRepository, SessionState, StoreError};
use sha2::{Digest, Sha256};

use crate::caller::{ACCOUNT, AWAY, SessionAccount};

/// Where the hash of the session's own key is put when it is loaded. Never saved.
pub(crate) const KEY_HASH: &str = "key_hash";
/// The entry that says whose session it is.
pub(crate) const USERNAME: &str = "username";

#[derive(Clone)]
pub(crate) struct SessionKeeper {
    sessions: Arc<dyn SessionRepository>,
    clock: Arc<dyn Clock>,
}

impl SessionKeeper {
    pub(crate) fn new(sessions: Arc<dyn SessionRepository>, clock: Arc<dyn Clock>) -> Self {
        Self { sessions, clock }
    }

    fn until(&self, ttl: &Duration) -> DateTime<Utc> {
        self.clock.now() + TimeDelta::seconds(ttl.whole_seconds())
    }
}

fn hashed(key: &SessionKey) -> String {
    format!("{:x}", Sha256::digest(key.as_ref()))
}

/// What is worth saving: not the user, who is read anew each time.
fn lasting(mut state: SessionState) -> SessionState {
    state.remove(ACCOUNT);
    state.remove(AWAY);
    state.remove(KEY_HASH);
    state
}

impl SessionStore for SessionKeeper {
    async fn load(&self, key: &SessionKey) -> Result<Option<SessionState>, LoadError> {
        match self.sessions.find(&hashed(key), self.clock.now()).await {
            Ok(None) => Ok(None),
            Ok(Some(open)) => {
                let account = serde_json::to_string(&SessionAccount::from(open.account));
                let account = account.map_err(|error| LoadError::Deserialization(error.into()))?;
                let mut state = open.state;
                state.insert(ACCOUNT.to_owned(), account);
                state.insert(KEY_HASH.to_owned(), format!("{:?}", hashed(key)));
                Ok(Some(state))
            }
            // The middleware knows one failure only; this way the caller hears that it passes.
            Err(StoreError::Unavailable(_)) => Ok(Some([(AWAY.to_owned(), "true".to_owned())].into())),
            Err(error) => Err(LoadError::Other(error.into())),
        }
    }

    async fn save(&self, state: SessionState, ttl: &Duration) -> Result<SessionKey, SaveError> {
        let username = state.get(USERNAME).and_then(|json| serde_json::from_str::<Username>(json).ok());
        let username = username
            .ok_or_else(|| SaveError::Other(anyhow::anyhow!("a session needs a user to belong to")))?;
        let key = generate_session_key();
        let (now, until) = (self.clock.now(), self.until(ttl));
        self.sessions
            .open(&hashed(&key), &username, &lasting(state), now, until)
            .await
            .map_err(|error| SaveError::Other(error.into()))?;
        Ok(key)
    }

    async fn update(
        &self,
        key: SessionKey,
        state: SessionState,
        ttl: &Duration,
    ) -> Result<SessionKey, UpdateError> {
        // Ended meanwhile (signed out elsewhere, suspended): the key stays, and opens nothing any more.
        self.sessions
            .update(&hashed(&key), &lasting(state), self.until(ttl))
            .await
            .map_err(|error| UpdateError::Other(error.into()))?;
        Ok(key)
    }

    async fn update_ttl(&self, _: &SessionKey, _: &Duration) -> Result<(), anyhow::Error> {
        Ok(())
    }

    async fn delete(&self, key: &SessionKey) -> Result<(), anyhow::Error> {
        Ok(self.sessions.end(&hashed(key)).await?)
    }
}
