//! Links of films and other items, probed where somebody requests it (docs/spec/live-tv.md#links-of-items).

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
                .about(kind.path(), &format!("List the links of {} that were probed", noun(name)))
                .explained("None where nobody requested them or reported a playback problem within 30 days.")
                .requires(kind.permission(Action::Read))
                .answers(200, "The links, in their order.", links.clone())
                .fails(&[ErrorKind::Missing]),
        );
        drop(
            api.route(Method::POST, &path, &format!("probeLinksOf{name}"), request)
                .about(kind.path(), &format!("Probe the links of {} next", noun(name)))
                .explained("The job probes them within seconds, one at a time of each host, or at `nextProbe`: a host may want to be left alone, or have had all probes of the day. One that fails is probed again until it plays. Refused where links are not probed.")
                .requires(kind.permission(Action::Update))
                .answers(202, "The links as they are until then.", links.clone())
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
