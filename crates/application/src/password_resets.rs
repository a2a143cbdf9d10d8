//! Sets the password of another user (docs/spec/access.md#reset).

use domain_kernel::{Action, Actor, Permission, RoleCode, Subject};
use domain_users::{PasswordReset, Scope, generate_password, may_reset_password};
use ports::{SecretSource, Written};
use sha2::{Digest, Sha256};

use crate::{
    Error, UserService,
    body::parse,
    user_rules::{refuse_suspended, update_refused},
    versions::retry_if_outdated,
};

const UPDATE: Permission = Permission::new(Subject("USER"), Action::Update);

/// The new password of a reset.
pub(crate) enum ResetTo {
    /// In the request.
    Sent(String),
    /// Not in the request.
    Generated(String),
}

impl ResetTo {
    /// The password of the request, or one generated for the role.
    pub(crate) fn of(reset: PasswordReset, role: RoleCode, secrets: &dyn SecretSource) -> Self {
        let generated = || generate_password(role, Sha256::digest(secrets.draw()).into());
        reset.password.map_or_else(|| Self::Generated(generated()), Self::Sent)
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Sent(text) | Self::Generated(text) => text,
        }
    }

    /// The password if it was generated; the response returns it.
    pub(crate) fn generated(self) -> Option<String> {
        match self {
            Self::Sent(_) => None,
            Self::Generated(text) => Some(text),
        }
    }
}

impl UserService {
    /// Sets a new password for another user and ends all their sessions. Returns the password if it
    /// was generated; it is not stored.
    pub async fn reset_password(
        &self,
        actor: &Actor,
        username: &str,
        body: &[u8],
    ) -> Result<Option<String>, Error> {
        actor.require(UPDATE)?;
        retry_if_outdated(None, async || {
            let current = self.seen(actor, username).await?;
            if !may_reset_password(actor, &current.username, current.role) {
                return Err(Error::Forbidden);
            }
            refuse_suspended(actor, &current)?;
            let reset = self.resets.read(parse(body)?, &current.role)?.into_inner();
            let password = ResetTo::of(reset, current.role, &*self.secrets);
            let hash = self.passwords.hash(password.text()).await?;
            let scope = Scope::of(actor);
            let written = self
                .users
                .reset_password(&scope, &current.username, &hash, current.version, &self.edit_by(actor))
                .await?;
            match written {
                Written::Done(user) => {
                    let generated = password.generated();
                    tracing::info!(
                        actor = actor.username.as_str(),
                        user = user.username.as_str(),
                        generated = generated.is_some(),
                        "password reset"
                    );
                    Ok(generated)
                }
                Written::Missing => Err(Error::NoSuchUser(username.to_owned())),
                Written::Outdated(now) => Err(self.outdated(&now)),
                Written::Conflict(conflict) => Err(update_refused(conflict)),
            }
        })
        .await
    }
}
