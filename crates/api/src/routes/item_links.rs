//! Links of films and other items, probed on request (docs/spec/live-tv.md#links-of-items).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::ItemLinkService;
use domain_kernel::{Action, Enumeration, ErrorKind};
use domain_live::link::LinkOwner;

use super::{contents::noun, links::RequestedLinkAnswer};
use crate::{caller::AuthUser, extract::ItemId, openapi::Api, problem::Problem};

pub(crate) fn register(api: &mut Api) {
    let links = api.schemas.response::<Vec<RequestedLinkAnswer>>();
    for owner in LinkOwner::ALL.iter().copied().filter(|owner| !owner.is_live()) {
        let kind = owner.kind();
        let list = move |caller, service, id| list(owner, caller, service, id);
        let request = move |caller, service, id| request_probes(owner, caller, service, id);
        let (path, name) = (format!("/{}/{{id}}/probes", kind.path()), kind.singular());
        drop(
            api.route(Method::GET, &path, &format!("listProbedLinksOf{name}"), list)
                .about(kind.path(), &format!("List the probed links of {}", noun(name)))
                .explained("Empty without a request or a report of a playback problem within 30 days.")
                .requires(kind.permission(Action::Read))
                .answers(200, "Links in their order.", links.clone())
                .fails(&[ErrorKind::Missing]),
        );
        drop(
            api.route(Method::POST, &path, &format!("probeLinksOf{name}"), request)
                .about(kind.path(), &format!("Probe the links of {}", noun(name)))
                .explained(
                    "Runs in the background within seconds, one probe at a time per host, or at \
                     `nextProbe` during a `Retry-After` of the host or after its daily limit. A \
                     failing link is probed again until it plays. Rejected if probes are disabled.",
                )
                .requires(kind.permission(Action::Update))
                .answers(202, "Links in their current state.", links.clone())
                .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
        );
    }
}

async fn list(
    owner: LinkOwner,
    caller: AuthUser,
    service: Data<ItemLinkService>,
    id: ItemId,
) -> Result<Json<Vec<RequestedLinkAnswer>>, Problem> {
    let links = service.kept(&caller, owner, id.0).await?;
    Ok(Json(links.into_iter().map(RequestedLinkAnswer::from).collect()))
}

async fn request_probes(
    owner: LinkOwner,
    caller: AuthUser,
    service: Data<ItemLinkService>,
    id: ItemId,
) -> Result<HttpResponse, Problem> {
    let links = service.request_probes(&caller, owner, id.0).await?;
    Ok(HttpResponse::Accepted().json(links.into_iter().map(RequestedLinkAnswer::from).collect::<Vec<_>>()))
}
