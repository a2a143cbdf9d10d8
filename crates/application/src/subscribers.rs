//! Subscription status, which streaming apps check before playback.

use chrono::{DateTime, Utc};
use domain_kernel::{Integrator, KeyScope, Username};
use domain_users::{Scope, SubscriptionState, SubscriptionStatus, UserStatus};

use crate::{Error, UserService};

/// A subscriber, as far as playback requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscriber {
    pub username: Username,
    /// Status of the account.
    pub status: UserStatus,
    /// End of the subscription; `None` if it never ends, once it has started.
    pub expiration_date: Option<DateTime<Utc>>,
    /// Status of the subscription, independent of the account's.
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

    /// Whether a subscriber may play, for a request without a principal: that of a playlist URL.
    pub(crate) async fn subscription_status(
        &self,
        username: &str,
    ) -> Result<Option<SubscriptionStatus>, Error> {
        let Some(name) = Username::parse(username) else { return Ok(None) };
        let found = self.subscriber_in(&Scope::Everyone, &name).await?;
        Ok(found.map(|subscriber| subscriber.subscription_status))
    }

    /// Whether a user of a scope is a subscriber.
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
