//! Notes on users, and snoozed customers (docs/spec/users.md#notes).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json, Path},
};
use application::{UserNoteService, UserService};
use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Action, Actor, ErrorKind, Id, Page, Permission, Subject, Username};
use domain_users::{NewNote, NewSnooze, NoteKind, Snooze, UserNote};
use schemars::JsonSchema;
use serde::Serialize;

use super::answer_headers::with_replay;
use crate::{
    caller::AuthUser,
    extract::{Body, IdempotencyKey, ItemId, Pairs},
    openapi::Api,
    problem::Problem,
};

const USER: Subject = Subject("USER");
const READ: Permission = Permission::new(USER, Action::Read);
const UPDATE: Permission = Permission::new(USER, Action::Update);

/// A note on a user.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UserNote")]
struct NoteAnswer {
    /// ID of the note.
    id: Id,
    /// Kind of the note.
    kind: NoteKind,
    /// Text; null for a contact without one.
    text: Option<String>,
    /// Day of the contact with the customer; null for other notes.
    contacted_on: Option<NaiveDate>,
    /// Username of the author.
    author: Username,
    /// Time of the note.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: DateTime<Utc>,
    /// Whether the caller may delete it.
    may_delete: bool,
}

impl NoteAnswer {
    fn new(note: UserNote, caller: &Actor, now: DateTime<Utc>) -> Self {
        let may_delete = note.may_be_deleted_by(&caller.username, now);
        let UserNote { id, kind, text, contacted_on, author, created_date } = note;
        Self { id, kind, text, contacted_on, author, created_date, may_delete }
    }
}

/// The snooze of a customer in renewals.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Snooze")]
struct SnoozeAnswer {
    /// First day on which renewals list the customer again; null if the customer is not snoozed.
    until: Option<NaiveDate>,
    /// Username of who snoozed the customer; null if not snoozed.
    author: Option<Username>,
    /// Time of the request; null if not snoozed.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: Option<DateTime<Utc>>,
}

pub(crate) fn register(api: &mut Api) {
    let (note, new) = (api.schemas.response::<NoteAnswer>(), api.schemas.request::<NewNote>());
    let page = api.schemas.page_of("UserNotePage", "A page of the notes on a user.", &note);
    drop(
        api.route(Method::GET, "/users/{username}/notes", "listNotesOfUser", list)
            .about("users", "List the notes on a user, newest first")
            .explained("For callers who may see the user, except for the user.")
            .requires(READ)
            .pages(&UserNoteService::list_shape())
            .answers(200, "A page of rows.", page)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
    drop(
        api.route(Method::POST, "/users/{username}/notes", "addNoteToUser", add)
            .about("users", "Add a note on a user, or a contact with a customer")
            .requires(UPDATE)
            .takes_effect_once()
            .takes(new)
            .answers(201, "The note.", note)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::DELETE, "/users/{username}/notes/{id}", "deleteNoteOfUser", delete)
            .about("users", "Delete a note of the caller within an hour")
            .explained("Its text stays in the audit log.")
            .requires(UPDATE)
            .answers_nothing(204, "Deleted.")
            .fails(&[ErrorKind::Missing]),
    );
    register_snooze(api);
}

fn register_snooze(api: &mut Api) {
    let (snooze, new) = (api.schemas.response::<SnoozeAnswer>(), api.schemas.request::<NewSnooze>());
    drop(
        api.route(Method::GET, "/users/{username}/snooze", "getSnoozeOfUser", snoozed)
            .about("users", "Get the snooze of a customer")
            .requires(READ)
            .answers(200, "The snooze.", snooze)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::PUT, "/users/{username}/snooze", "snoozeUser", begin_snooze)
            .about("users", "Snooze a customer in renewals until a day")
            .requires(UPDATE)
            .takes(new)
            .answers_nothing(204, "Snoozed.")
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::DELETE, "/users/{username}/snooze", "endSnoozeOfUser", end_snooze)
            .about("users", "End the snooze of a customer")
            .requires(UPDATE)
            .answers_nothing(204, "The customer is listed again.")
            .fails(&[ErrorKind::Missing]),
    );
}

type Service = Data<UserNoteService>;
type Users = Data<UserService>;

async fn list(
    caller: AuthUser,
    users: Users,
    service: Service,
    username: Path<String>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<NoteAnswer>>>, Problem> {
    let page = service.list(&users, &caller, &username, &pairs.0).await?;
    let now = service.now();
    Ok(Json(page.map(|notes| notes.into_iter().map(|note| NoteAnswer::new(note, &caller, now)).collect())))
}

async fn add(
    caller: AuthUser,
    users: Users,
    service: Service,
    username: Path<String>,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let added = service.add(&users, &caller, &username, &body.0, key.0.as_deref()).await?;
    let mut answer = with_replay(HttpResponse::Created(), added.replayed);
    Ok(answer.json(NoteAnswer::new(added.note, &caller, service.now())))
}

async fn delete(
    caller: AuthUser,
    users: Users,
    service: Service,
    path: Path<(String, String)>,
    id: ItemId,
) -> Result<HttpResponse, Problem> {
    service.delete(&users, &caller, &path.0, id.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn snoozed(
    caller: AuthUser,
    users: Users,
    service: Service,
    username: Path<String>,
) -> Result<Json<SnoozeAnswer>, Problem> {
    let snooze = service.snooze(&users, &caller, &username).await?;
    Ok(Json(match snooze {
        None => SnoozeAnswer { until: None, author: None, created_date: None },
        Some(Snooze { until, author, created_date }) => SnoozeAnswer {
            until: Some(service.day(until)),
            author: Some(author),
            created_date: Some(created_date),
        },
    }))
}

async fn begin_snooze(
    caller: AuthUser,
    users: Users,
    service: Service,
    username: Path<String>,
    body: Body,
) -> Result<HttpResponse, Problem> {
    service.begin_snooze(&users, &caller, &username, &body.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn end_snooze(
    caller: AuthUser,
    users: Users,
    service: Service,
    username: Path<String>,
) -> Result<HttpResponse, Problem> {
    service.end_snooze(&users, &caller, &username).await?;
    Ok(HttpResponse::NoContent().finish())
}
