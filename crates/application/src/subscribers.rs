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
        let found = self.users.find(&Scope::of_program(by), &name).await?;
        let user = found.ok_or_else(missing)?;
        let subscription = user.subscription().ok_or_else(missing)?;
        let now = self.calendar.now();
        let subscription_status = SubscriptionStatus::of(user.status, subscription, now);
        Ok(Subscriber {
            username: user.username,
            status: user.status,
            expiration_date: user.expiration_date,
            state: subscription.state(now),
            subscription_status,
        })
    }
}
