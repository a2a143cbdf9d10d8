//! The base URLs of channels and radio stations: a key of each and `baseUrl`, with the same value
//! (docs/spec/settings.md#base-urls).

use actix_web::{
    http::Method,
    web::{Data, Json},
};
use application::BaseUrlService;
use domain_catalogue::{BaseUrl, BaseUrlOf};
use domain_kernel::Action;
use serde_json::{Value, json};

use crate::{caller::AuthUser, extract::Body, openapi::Api, problem::Problem};

/// The kind of a path's base URL.
trait BaseUrlOwner: 'static {
    const OF: BaseUrlOf;
}

struct Channels;
struct RadioStations;

impl BaseUrlOwner for Channels {
    const OF: BaseUrlOf = BaseUrlOf::Channels;
}

impl BaseUrlOwner for RadioStations {
    const OF: BaseUrlOf = BaseUrlOf::RadioStations;
}

pub(crate) fn register(api: &mut Api) {
    publish::<Channels>(api, "/channels-base-url", "ChannelsBaseUrl");
    publish::<RadioStations>(api, "/radio-stations-base-url", "RadioStationsBaseUrl");
}

fn publish<W: BaseUrlOwner>(api: &mut Api, path: &str, id: &str) {
    let request = api.schemas.request::<BaseUrl>();
    let text = json!({"type": ["string", "null"]});
    let response = json!({
        "type": "object",
        "properties": {W::OF.name(): text, "baseUrl": text},
        "required": [W::OF.name(), "baseUrl"],
    });
    drop(
        api.route(Method::GET, path, &format!("get{id}"), read::<W>)
            .about("base-urls", "Get the base URL, or null if none is set")
            .requires(W::OF.permission(Action::Read))
            .answers(200, "The base URL.", response.clone()),
    );
    drop(
        api.route(Method::PUT, path, &format!("set{id}"), write::<W>)
            .about("base-urls", "Set the base URL, or clear it with null or an empty text")
            .requires(W::OF.permission(Action::Update))
            .takes(request)
            .answers(200, "The current state.", response),
    );
}

async fn read<W: BaseUrlOwner>(
    caller: AuthUser,
    service: Data<BaseUrlService>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(answer(W::OF, service.find(&caller, W::OF).await?)))
}

async fn write<W: BaseUrlOwner>(
    caller: AuthUser,
    service: Data<BaseUrlService>,
    body: Body,
) -> Result<Json<Value>, Problem> {
    Ok(Json(answer(W::OF, service.set(&caller, W::OF, &body.0).await?)))
}

fn answer(of: BaseUrlOf, url: Option<String>) -> Value {
    json!({ of.name(): url, "baseUrl": url })
}
