//! Sign-in and password changes: attempts are counted before they are checked, checks take the same
//! time for unknown users, and a session is only opened for the user as checked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use domain_audience::kept_device;
use domain_audit::{AuditAction, SignInRefusal};
use domain_kernel::{
    Actor, Code, DraftReader, Enumeration, RoleCode, Source, Username, Violation, Violations,
};
use domain_users::{
    LONGEST_PASSWORD, PasswordChange, PasswordReset, ThrottlePolicy, Throttles, UserCredentials, UserStatus,
    admits, network_of, session_end,
};
use garde::Validate;
use ports::{
    AuditRepository, Clock, Edit, HashPriority, NewAuditEntry, NewPassword, NewSession, PasswordHasher,
    SecretSource, SessionKeyChange, SessionRepository, UserRepository,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::{Error, body::parse, password_resets::ResetTo, sessions::key_hash, versions::retry_if_overtaken};

/// Maximum remembered keys of attempts.
const REMEMBERED: usize = 20_000;

/// Credentials of a user.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Validate)]
pub struct Credentials {
    /// User name, in any case.
    #[garde(length(chars, min = 1))]
    pub username: String,
    /// Password, as typed.
    #[garde(length(chars, min = 1))]
    #[schemars(extend("x-verbatim" = true, "writeOnly" = true))]
    pub password: String,
}

/// Origin of a sign-in attempt.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// Address of the client.
    pub address: &'a str,
    /// User agent of the client, unverified.
    pub device: Option<&'a str>,
    /// Users who signed in on this device before, proven by its cookie.
    pub known_users: &'a [Username],
}

/// A completed sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    pub user: UserCredentials,
    /// The key of the session, which is not stored.
    pub session_key: String,
    /// End of the session without a refresh.
    pub ends_date: DateTime<Utc>,
}

/// Throttle keys of one attempt. The first is of user name and origin, and is cleared by a correct
/// password.
struct AttemptKeys(Vec<(String, ThrottlePolicy)>);

impl AttemptKeys {
    /// A device of an earlier sign-in has its own limit, which attempts from elsewhere can't
    /// exhaust.
    fn of(name: &str, origin: &Origin<'_>) -> Self {
        let network = network_of(origin.address);
        if origin.known_users.iter().any(|known| known.key() == name) {
            return Self(vec![(format!("known device {name}"), ThrottlePolicy::PER_NAME_AND_ORIGIN)]);
        }
        Self(vec![
            (format!("name {name} network {network}"), ThrottlePolicy::PER_NAME_AND_ORIGIN),
            (format!("network {network}"), ThrottlePolicy::PER_NETWORK),
            (format!("name {name}"), ThrottlePolicy::PER_NAME),
        ])
    }

    /// Keys with at most two concurrent checks: those of network and name, or that of the known
    /// device.
    fn queues(&self) -> Vec<String> {
        let skipped = usize::from(self.0.len() > 1);
        self.0.iter().skip(skipped).map(|(key, _)| key.clone()).collect()
    }
}

/// Use cases of sign-in and the first account.
pub struct SignInService {
    users: Arc<dyn UserRepository>,
    sessions: Arc<dyn SessionRepository>,
    passwords: Arc<dyn PasswordHasher>,
    secrets: Arc<dyn SecretSource>,
    clock: Arc<dyn Clock>,
    reader: DraftReader<Credentials>,
    changes: DraftReader<PasswordChange>,
    resets: DraftReader<PasswordReset>,
    attempts: Mutex<Throttles>,
    audit: Arc<dyn AuditRepository>,
}

impl SignInService {
    pub fn new(
        users: Arc<dyn UserRepository>,
        sessions: Arc<dyn SessionRepository>,
        passwords: Arc<dyn PasswordHasher>,
        secrets: Arc<dyn SecretSource>,
        clock: Arc<dyn Clock>,
        audit: Arc<dyn AuditRepository>,
    ) -> Self {
        let attempts = Mutex::new(Throttles::new(REMEMBERED));
        let (reader, changes, resets) = (DraftReader::new(), DraftReader::new(), DraftReader::new());
        Self { users, sessions, passwords, secrets, clock, reader, changes, resets, attempts, audit }
    }

    /// Opens a session for correct credentials.
    pub async fn sign_in(&self, body: &[u8], origin: Origin<'_>) -> Result<SignedIn, Error> {
        let credentials = self.reader.read(parse(body)?, &())?.into_inner();
        let name = credentials.username.to_ascii_lowercase().chars().take(64).collect::<String>();
        let keys = AttemptKeys::of(&name, &origin);
        self.refuse_if_throttled(&keys)?;
        let _permit = self.passwords.admit(&keys.queues()).await?;
        // Other attempts may have failed while this one waited.
        let counted = self.count_attempt(&keys)?;
        let checked = match self.check(&credentials, origin.address).await {
            Ok(checked) => checked,
            Err(error) => {
                self.uncount(&keys, counted);
                return Err(error);
            }
        };
        let user = checked.ok_or(Error::InvalidCredentials)?;
        let username = user.username.clone();
        let signed_in = self.open_session(user, origin).await;
        match &signed_in {
            Err(Error::InvalidCredentials) => {
                self.record_refusal(Some(&username), SignInRefusal::WrongPassword, origin.address).await;
            }
            Err(Error::Refused(_)) => {
                self.record_refusal(Some(&username), SignInRefusal::NotActive, origin.address).await;
            }
            _ => {}
        }
        // A refusal for the status requires the correct password.
        let succeeded = !matches!(signed_in, Err(Error::InvalidCredentials));
        if succeeded {
            self.uncount(&keys, counted);
            self.clear(&keys);
        }
        let signed_in = signed_in?;
        tracing::info!(user = signed_in.user.username.as_str(), address = origin.address, "signed in");
        Ok(signed_in)
    }

    /// Whether the sign-in screen should mention the default account.
    pub async fn has_default_password(&self) -> Result<bool, Error> {
        Ok(self.users.has_default_password().await?)
    }

    /// Creates a superadmin with this name and password if none can sign in, as in an empty store
    /// or after an import. `false` if one exists; `UsernameTaken` if another user has the name.
    pub async fn create_first(&self, username: Username, password: &str) -> Result<bool, Error> {
        // A hash costs time and memory, and is rarely needed at a start. The insert decides between
        // concurrent ones.
        if self.users.has_superadmin().await? {
            return Ok(false);
        }
        let user = UserCredentials {
            full_name: username.to_string(),
            username: username.clone(),
            role: RoleCode::Superadmin,
            status: UserStatus::Active,
            password_hash: Some(self.passwords.hash(password).await?),
        };
        let created = self.users.insert_first(&user, self.clock.now()).await?;
        if !created && !self.users.has_superadmin().await? {
            return Err(Error::UsernameTaken(username.to_string()));
        }
        Ok(created)
    }

    /// Sets a new password for a user, by the rules of their role, and ends their sessions. Returns
    /// the password if it was generated.
    pub async fn reset_password(
        &self,
        username: &Username,
        sent: Option<&str>,
    ) -> Result<Option<String>, Error> {
        let missing = || Error::NoSuchUser(username.to_string());
        let user = self.users.find_credentials(username).await?.ok_or_else(missing)?;
        let reset = self.resets.read(json!({ "password": sent }), &user.role)?.into_inner();
        let password = ResetTo::of(reset, user.role, &*self.secrets);
        let hash = self.passwords.hash(password.text()).await?;
        let new = NewPassword { hash, checked: None, keep_session: None };
        let edit = Edit { by: None, at: self.clock.now(), origin: domain_kernel::Origin::SERVER };
        if !self.users.change_password(username, &new, &edit).await? {
            return Err(missing());
        }
        Ok(password.generated())
    }

    /// Changes the actor's password, ends their other sessions and returns a new key for the
    /// current one. A wrong current password is a violation, not an authentication error
    /// (docs/spec/access.md#change-of-the-own-password), and is throttled like a wrong sign-in. Not
    /// for subscribers.
    pub async fn change_password(
        &self,
        actor: &Actor,
        body: &[u8],
        session_key_hash: &str,
    ) -> Result<String, Error> {
        if actor.role == RoleCode::App {
            return Err(Error::Forbidden);
        }
        let change = self.changes.read(parse(body)?, &())?.into_inner();
        let key = format!("password of {}", actor.username.key());
        let keys = AttemptKeys(vec![(key, ThrottlePolicy::PER_NAME_AND_ORIGIN)]);
        self.refuse_if_throttled(&keys)?;
        let _permit = self.passwords.admit(&keys.queues()).await?;
        let counted = self.count_attempt(&keys)?;
        let checked = self.check_own(actor, &change.current_password).await;
        let checked = checked.inspect_err(|_| self.uncount(&keys, counted))?;
        let Some(checked) = checked else {
            return Err(Violations(vec![Violation::new("currentPassword", Code::WrongPassword)]).into());
        };
        self.clear(&keys);
        let session_key = self.secrets.draw();
        let keep_session =
            Some(SessionKeyChange { from: session_key_hash.to_owned(), to: key_hash(&session_key) });
        let hash = self.passwords.hash(&change.new_password).await?;
        let password = NewPassword { hash, checked: Some(checked), keep_session };
        let edit = Edit { by: Some(actor.username.clone()), at: self.clock.now(), origin: actor.origin };
        if !self.users.change_password(&actor.username, &password, &edit).await? {
            // The password was set by another user, or the session ended, meanwhile.
            return Err(Error::NotAuthenticated);
        }
        tracing::info!(user = actor.username.as_str(), "password changed");
        Ok(session_key)
    }

    /// The hash of the actor's current password, after the check.
    async fn check_own(&self, actor: &Actor, password: &str) -> Result<Option<String>, Error> {
        let user = self.users.find_credentials(&actor.username).await?;
        let hash = user.and_then(|user| user.password_hash);
        let fits = password.chars().count() <= LONGEST_PASSWORD
            && self.passwords.verify(password, hash.as_deref(), HashPriority::Staff).await?;
        Ok(hash.filter(|_| fits))
    }

    /// The user with these credentials. The typed name is only logged if it is a user's, because
    /// users type passwords into the field.
    async fn check(
        &self,
        credentials: &Credentials,
        address: &str,
    ) -> Result<Option<UserCredentials>, Error> {
        if credentials.password.chars().count() > LONGEST_PASSWORD {
            tracing::info!(address, "sign-in failed: the password is too long");
            self.record_refusal(None, SignInRefusal::WrongPassword, address).await;
            return Ok(None);
        }
        let found = match Username::parse(&credentials.username) {
            Some(username) => self.users.find_credentials(&username).await?,
            None => None,
        };
        let hash = found.as_ref().and_then(|user| user.password_hash.as_deref());
        let staff = found.as_ref().is_some_and(|user| user.role != RoleCode::App);
        let priority = if staff { HashPriority::Staff } else { HashPriority::Other };
        let right = self.passwords.verify(&credentials.password, hash, priority).await?;
        if !right {
            let user = found.as_ref().map(|user| user.username.as_str());
            tracing::info!(user, address, "sign-in failed");
            let known = found.as_ref().map(|user| &user.username);
            let refusal =
                if known.is_some() { SignInRefusal::WrongPassword } else { SignInRefusal::UnknownUser };
            self.record_refusal(known, refusal, address).await;
        }
        let Some(user) = found.filter(|_| right) else { return Ok(None) };
        Ok(Some(self.with_strong_hash(user, &credentials.password).await))
    }

    /// Replaces a weak hash by a strong one, while the password is known. After an error the next
    /// sign-in retries.
    async fn with_strong_hash(&self, user: UserCredentials, password: &str) -> UserCredentials {
        let Some(weak) = user.password_hash.as_deref().filter(|hash| self.passwords.is_weak(hash)) else {
            return user;
        };
        let rehash = async || -> Result<Option<String>, Error> {
            let hash = self.passwords.hash(password).await?;
            Ok(self.users.rehash(&user.username, weak, &hash).await?.then_some(hash))
        };
        match rehash().await {
            Ok(Some(hash)) => UserCredentials { password_hash: Some(hash), ..user },
            // The password was changed meanwhile, which opening the session detects.
            Ok(None) => user,
            Err(error) => {
                tracing::warn!(user = user.username.as_str(), %error, "failed to store a stronger hash");
                user
            }
        }
    }

    /// Opens a session for a user as checked. A changed role or status applies; after a changed
    /// password, the checked one is wrong.
    async fn open_session(&self, mut user: UserCredentials, origin: Origin<'_>) -> Result<SignedIn, Error> {
        retry_if_overtaken(async || {
            admits(user.status).map_err(Error::Refused)?;
            let (session_key, now) = (self.secrets.draw(), self.clock.now());
            let ends_date = session_end(now, now);
            let session = NewSession {
                key_hash: key_hash(&session_key),
                created_date: now,
                ends_date,
                address: origin.address.to_owned(),
                device: origin.device.map(kept_device).filter(|device| !device.is_empty()),
            };
            if self.sessions.open(&user, &session).await? {
                return Ok(Some(SignedIn { user: user.clone(), session_key, ends_date }));
            }
            let current = self.users.find_credentials(&user.username).await?;
            let same_password = |current: &UserCredentials| current.password_hash == user.password_hash;
            user = current.filter(same_password).ok_or(Error::InvalidCredentials)?;
            Ok(None)
        })
        .await
    }

    /// Records a rejected attempt in the audit log. Throttled attempts are not checked and not
    /// recorded, because earlier entries show the attempts. A failure to write the entry does not
    /// change the response.
    async fn record_refusal(&self, username: Option<&Username>, refusal: SignInRefusal, address: &str) {
        let after = Map::from_iter([("reason".to_owned(), refusal.code().into())]);
        let entry = NewAuditEntry {
            action: AuditAction::SignInRefused,
            resource: "sessions",
            item: username.map(Username::key).unwrap_or_default(),
            title: username.map(ToString::to_string).unwrap_or_default(),
            after,
        };
        let origin = domain_kernel::Origin {
            address: address.parse().ok(),
            ..domain_kernel::Origin::of(Source::Request)
        };
        let edit = Edit { by: None, at: self.clock.now(), origin };
        if let Err(error) = self.audit.add(entry, edit).await {
            tracing::error!(%error, "failed to record a rejected sign-in");
        }
    }

    fn attempts(&self) -> MutexGuard<'_, Throttles> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refuse_if_throttled(&self, keys: &AttemptKeys) -> Result<(), Error> {
        refused(&self.attempts(), keys, self.clock.now())
    }

    /// Counts an attempt, or returns its waiting time, under one lock. Returns the time of the
    /// attempt.
    fn count_attempt(&self, keys: &AttemptKeys) -> Result<DateTime<Utc>, Error> {
        let (mut attempts, now) = (self.attempts(), self.clock.now());
        refused(&attempts, keys, now)?;
        attempts.count(&keys.0, now);
        Ok(now)
    }

    /// Removes an attempt that was counted at that time.
    fn uncount(&self, keys: &AttemptKeys, at: DateTime<Utc>) {
        let mut attempts = self.attempts();
        keys.0.iter().for_each(|(key, _)| attempts.uncount(key, at));
    }

    /// Clears the counts of name and origin after a correct password.
    fn clear(&self, keys: &AttemptKeys) {
        if let Some((key, _)) = keys.0.first() {
            self.attempts().forget(key);
        }
    }
}

fn refused(attempts: &Throttles, keys: &AttemptKeys, now: DateTime<Utc>) -> Result<(), Error> {
    let Some(wait) = attempts.wait(&keys.0, now) else { return Ok(()) };
    Err(Error::Throttled(u32::try_from(wait.num_seconds()).unwrap_or(u32::MAX).max(1)))
}
