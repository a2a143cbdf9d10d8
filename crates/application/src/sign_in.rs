//! Coming in: passwords checked in the same time whether or not the user exists, failures slowed down.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use domain_audience::kept_device;
use domain_kernel::{Actor, Code, DraftReader, RoleCode, Username, Violation, Violations};
use domain_users::{Account, LONGEST_PASSWORD, PasswordChange, Throttle, ThrottlePolicy, UserStatus, admits};
use garde::Validate;
use ports::{Clock, PasswordHasher, SignIn, UserRepository};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Error, contents::parse};

/// Names and addresses whose failures are remembered at once.
const REMEMBERED: usize = 20_000;

/// What a person signs in with.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Validate)]
pub struct Credentials {
    /// The user name, in any case.
    #[garde(length(chars, min = 1))]
    pub username: String,
    /// The password, as typed.
    #[garde(length(chars, min = 1))]
    #[schemars(extend("x-verbatim" = true, "writeOnly" = true))]
    pub password: String,
}

/// The use cases of signing in and of the first account.
pub struct SignInService {
    users: Arc<dyn UserRepository>,
    passwords: Arc<dyn PasswordHasher>,
    clock: Arc<dyn Clock>,
    reader: DraftReader<Credentials>,
    changes: DraftReader<PasswordChange>,
    failures: Mutex<HashMap<String, Throttle>>,
}

impl SignInService {
    /// The use cases over their ports.
    pub fn new(
        users: Arc<dyn UserRepository>,
        passwords: Arc<dyn PasswordHasher>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let failures = Mutex::new(HashMap::new());
        Self { users, passwords, clock, reader: DraftReader::new(), changes: DraftReader::new(), failures }
    }

    /// The account of whoever sends the right credentials from `address`, with `device`.
    pub async fn sign_in(&self, body: &[u8], address: &str, device: Option<&str>) -> Result<Account, Error> {
        let credentials = self.reader.read(parse(body)?, &())?.into_inner();
        let named = credentials.username.to_ascii_lowercase().chars().take(64).collect::<String>();
        let name_key = format!("name {named}");
        let address_key = format!("address {address}");
        self.refuse_if_throttled(&name_key, &ThrottlePolicy::PER_USERNAME)?;
        self.refuse_if_throttled(&address_key, &ThrottlePolicy::PER_ADDRESS)?;
        let account = self.account_of(&credentials).await?;
        let Some(account) = account else {
            tracing::info!(user = named, address, "sign-in failed");
            self.count_failure(&name_key, &ThrottlePolicy::PER_USERNAME);
            self.count_failure(&address_key, &ThrottlePolicy::PER_ADDRESS);
            return Err(Error::InvalidCredentials);
        };
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).remove(&name_key);
        admits(account.status).map_err(Error::Refused)?;
        self.write_down(&account, address, device).await;
        tracing::info!(user = account.username.as_str(), address, "signed in");
        Ok(account)
    }

    /// Counts a sign-in and adds it to the history of visits. Nobody is kept out because that failed.
    async fn write_down(&self, account: &Account, address: &str, device: Option<&str>) {
        let sign_in = SignIn {
            username: account.username.clone(),
            full_name: account.full_name.clone(),
            at: self.clock.now(),
            address: address.to_owned(),
            device: device.map(kept_device).filter(|device| !device.is_empty()),
        };
        if let Err(error) = self.users.count_sign_in(&sign_in).await {
            tracing::error!(user = account.username.as_str(), %error, "a sign-in could not be written down");
        }
    }

    /// Whether the sign-in screen should hint at the default account.
    pub async fn default_account_stands(&self) -> Result<bool, Error> {
        Ok(self.users.default_password_stands().await?)
    }

    /// Where no superadmin can sign in, as on an empty store or after an import: one with this name and password.
    /// `false` where there is one already.
    pub async fn create_first(&self, username: Username, password: &str) -> Result<bool, Error> {
        // A hash takes time and memory, and hardly any start needs one. Two that do settle it by inserting.
        if self.users.has_superadmin().await? {
            return Ok(false);
        }
        let account = Account {
            full_name: username.to_string(),
            username,
            role: RoleCode::Superadmin,
            status: UserStatus::Active,
            password_hash: Some(self.passwords.hash(password).await?),
        };
        Ok(self.users.insert_first(&account, self.clock.now()).await?)
    }

    /// Gives a user a new password and ends their sessions. `false` where there is no such user.
    pub async fn reset_password(&self, username: &Username, password: &str) -> Result<bool, Error> {
        let hash = self.passwords.hash(password).await?;
        Ok(self.users.set_password(username, &hash, None, self.clock.now()).await?)
    }

    /// Gives the actor a new password and ends their other sessions. A wrong current one is a broken rule, not a lost
    /// session (decisions.md "Users"), and is slowed down like a wrong sign-in. Subscribers have nothing to do here.
    pub async fn change_password(
        &self,
        actor: &Actor,
        body: &[u8],
        keep_session: Option<&str>,
    ) -> Result<(), Error> {
        if actor.role == RoleCode::App {
            return Err(Error::Forbidden);
        }
        let change = self.changes.read(parse(body)?, &())?.into_inner();
        let key = format!("password of {}", actor.username.key());
        self.refuse_if_throttled(&key, &ThrottlePolicy::PER_USERNAME)?;
        let account = self.users.find(&actor.username).await?;
        let hash = account.and_then(|account| account.password_hash);
        let fits = change.current_password.chars().count() <= LONGEST_PASSWORD;
        if !fits || !self.passwords.verify(&change.current_password, hash.as_deref()).await? {
            self.count_failure(&key, &ThrottlePolicy::PER_USERNAME);
            return Err(Violations(vec![Violation::new("currentPassword", Code::WrongPassword)]).into());
        }
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        let hash = self.passwords.hash(&change.new_password).await?;
        self.users.set_password(&actor.username, &hash, keep_session, self.clock.now()).await?;
        tracing::info!(user = actor.username.as_str(), "password changed");
        Ok(())
    }

    async fn account_of(&self, credentials: &Credentials) -> Result<Option<Account>, Error> {
        if credentials.password.chars().count() > LONGEST_PASSWORD {
            return Ok(None);
        }
        let found = match Username::parse(&credentials.username) {
            Some(username) => self.users.find(&username).await?,
            None => None,
        };
        let hash = found.as_ref().and_then(|account| account.password_hash.as_deref());
        let right = self.passwords.verify(&credentials.password, hash).await?;
        Ok(found.filter(|_| right))
    }

    fn refuse_if_throttled(&self, key: &str, policy: &ThrottlePolicy) -> Result<(), Error> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        match failures.get(key).and_then(|throttle| throttle.wait(policy, self.clock.now())) {
            None => Ok(()),
            Some(wait) => {
                let seconds = u32::try_from(wait.num_seconds()).unwrap_or(u32::MAX).max(1);
                Err(Error::Throttled(seconds))
            }
        }
    }

    fn count_failure(&self, key: &str, policy: &ThrottlePolicy) {
        let now = self.clock.now();
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= REMEMBERED {
            failures.retain(|_, throttle| throttle.wait(policy, now).is_some());
        }
        let next = Throttle::after_failure(failures.get(key).copied(), policy, now);
        failures.insert(key.to_owned(), next);
    }
}
