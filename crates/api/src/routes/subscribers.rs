//! Playback permission of subscribers, for streaming apps.

use actix_web::{
    http::Method,
    web::{Data, Json, Path},
};
use application::UserService;
use chrono::{DateTime, Utc};
use domain_kernel::{ErrorKind, KeyScope, Username};
use domain_users::{SubscriptionStatus, UserStatus};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{caller::AuthApiKey, openapi::Api, problem::Problem, user::SubscriptionAnswer};

/// A subscriber with the permission to play.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SubscriberAnswer {
    /// Username of the subscriber.
    username: Username,
    /// Status of the account.
    status: UserStatus,
    /// End of the subscription; null for none, unless it has not started.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    expiration_date: Option<DateTime<Utc>>,
    /// Progress of the subscription, independent of the status of the account.
    subscription: SubscriptionAnswer,
    /// Whether the subscriber may play now.
    may_play: bool,
    /// Reason of `mayPlay`.
    reason: SubscriptionStatus,
}

pub(crate) fn register(api: &mut Api) {
    let answer = api.schemas.response::<SubscriberAnswer>();
    drop(
        api.route(Method::GET, "/subscribers/{username}", "getSubscriber", find)
            .about("integrators", "Check whether a subscriber may play")
            .requires_scope(KeyScope::SubscribersRead)
            .answers(200, "The subscriber.", answer)
            .fails(&[ErrorKind::Missing]),
    );
}

async fn find(
    program: AuthApiKey,
    service: Data<UserService>,
    username: Path<String>,
) -> Result<Json<SubscriberAnswer>, Problem> {
    let found = service.subscriber(&program.0, &username).await?;
    Ok(Json(SubscriberAnswer {
        username: found.username,
        status: found.status,
        expiration_date: found.expiration_date,
        subscription: SubscriptionAnswer { state: found.state },
        may_play: found.subscription_status.may_play(),
        reason: found.subscription_status,
    }))
}
