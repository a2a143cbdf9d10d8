//! Setting the password of somebody else (docs/spec/access.md#reset).

use domain_kernel::{Action, Actor, Permission, Subject};
use domain_users::{Scope, generate_password, may_reset_password};
use ports::Written;
use sha2::{Digest, Sha256};

use crate::{
    Error, UserService,
    contents::parse,
    user_rules::{refuse_suspended, update_refused},
    versions::retry_if_outdated,
};

const UPDATE: Permission = Permission::new(Subject("USER"), Action::Update);

impl UserService {
    /// Gives somebody else a new password and ends all their sessions. Answers the password where none was sent and one
    /// was generated: it is stored nowhere.
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
            let sent = self.resets.read(parse(body)?, &current.role)?.into_inner().password;
            let generated = if sent.is_none() {
                Some(generate_password(current.role, Sha256::digest(self.secrets.draw()).into()))
            } else {
                None
            };
            let password = sent.as_deref().or(generated.as_deref()).unwrap_or_default();
            let hash = self.passwords.hash(password).await?;
            let scope = Scope::of(actor);
            let written = self
                .users
                .reset_password(&scope, &current.username, &hash, current.version, &self.edit_by(actor))
                .await?;
            match written {
                Written::Done(user) => {
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
