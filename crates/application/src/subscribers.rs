//! What a streaming app confirms before it plays: whether somebody's subscription stands.

use chrono::{DateTime, Utc};
use domain_kernel::{Integrator, KeyScope, Username};
use domain_users::{Scope, SubscriptionState, SubscriptionStatus, UserStatus};

use crate::{Error, UserService};

/// A subscriber, as far as playing goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscriber {
    /// Who.
    pub username: Username,
    /// Whether they may use the service.
    pub status: UserStatus,
    /// When the subscription ends; `None` for never, once it has started.
    pub expiration_date: Option<DateTime<Utc>>,
    /// How far the subscription has come, whatever the status.
    pub state: SubscriptionState,
    /// Whether they may play, or why not.
    pub subscription_status: SubscriptionStatus,
}

impl UserService {
    /// The current status of a subscriber. Staff are not found.
    pub async fn subscriber(&self, by: &Integrator, username: &str) -> Result<Subscriber, Error> {
        by.require(KeyScope::SubscribersRead)?;
        let missing = || Error::NoSuchUser(username.to_owned());
        let name = Username::parse(username).ok_or_else(missing)?;
        self.subscriber_in(&Scope::of_program(by), &name).await?.ok_or_else(missing)
    }

    /// Whether a subscriber may play, for what is kept of them without a caller: a playlist's address.
    pub(crate) async fn subscription_status(
        &self,
        username: &str,
    ) -> Result<Option<SubscriptionStatus>, Error> {
        let Some(name) = Username::parse(username) else { return Ok(None) };
        let found = self.subscriber_in(&Scope::Everyone, &name).await?;
        Ok(found.map(|subscriber| subscriber.subscription_status))
    }

    /// Whether somebody of a scope is a subscriber.
    pub(crate) async fn is_subscriber(&self, scope: &Scope, name: &Username) -> Result<bool, Error> {
        Ok(self.subscriber_in(scope, name).await?.is_some())
    }

    /// A subscriber of a scope. Staff are not found.
    async fn subscriber_in(&self, scope: &Scope, name: &Username) -> Result<Option<Subscriber>, Error> {
        let found = self.users.find(scope, name).await?;
        let Some((user, subscription)) = found.and_then(|user| user.subscription().map(|of| (user, of)))
        else {
            return Ok(None);
        };
        let now = self.calendar.now();
        let subscription_status = SubscriptionStatus::of(user.status, subscription, now);
        Ok(Some(Subscriber {
            username: user.username,
            status: user.status,
            expiration_date: user.expiration_date,
            state: subscription.state(now),
            subscription_status,
        }))
    }
}
