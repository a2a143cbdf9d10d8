//! What a streaming app confirms before it plays.

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

/// A subscriber, as far as playing goes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SubscriberAnswer {
    /// Who.
    username: Username,
    /// Whether they may use the service.
    status: UserStatus,
    /// When the subscription ends; null for never, unless it has not started.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    expiration_date: Option<DateTime<Utc>>,
    /// How far the subscription has come, whatever the status.
    subscription: SubscriptionAnswer,
    /// Whether they may play at this moment.
    may_play: bool,
    /// Why, or why not.
    reason: SubscriptionStatus,
}

pub(crate) fn register(api: &mut Api) {
    let answer = api.schemas.response::<SubscriberAnswer>();
    drop(
        api.route(Method::GET, "/subscribers/{username}", "getSubscriber", find)
            .about("integrators", "Get whether a subscriber may play, and why not")
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
