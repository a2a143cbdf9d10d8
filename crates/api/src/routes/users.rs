//! Users, their roles, and the caller's password (docs/spec/users.md#calls).

use actix_session::Session;
use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::Method,
    web::{Data, Json, Path},
};
use application::{AuditService, SessionService, SignInService, UserService};
use domain_kernel::{Action, ErrorKind, Page, Permission, RoleCode, Subject};
use domain_users::{NewUser, PasswordChange, PasswordReset, User, UserEdit};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    answer_headers::{created_at, tagged},
    audit::{AuditEntryAnswer, EarlierVersionAnswer, entry_page},
    auth::SessionAnswer,
    contents::{ETAG_ABOUT, if_match},
    list_parameters::{filter_schema, filter_words},
};
use crate::{
    Services,
    caller::AuthUser,
    extract::{Body, IdempotencyKey, IfMatch, Pairs, PathId},
    language::Language,
    openapi::Api,
    problem::Problem,
    session_store,
    user::{Role, UserAnswer, UserRow},
};

/// The response to a reset of a password.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GeneratedPassword {
    /// The generated password, which is not stored and only in this response. Null if the request
    /// has a password.
    password: Option<String>,
}

const USER: Subject = Subject("USER");
const READ: Permission = Permission::new(USER, Action::Read);
const UPDATE: Permission = Permission::new(USER, Action::Update);

pub(crate) fn register(api: &mut Api) {
    register_history(api);
    let row = api.schemas.response::<UserRow>();
    let page = api.schemas.page_of("UserPage", "A page of the list of users.", &row);
    let user = api.schemas.response::<UserAnswer>();
    let new = api.schemas.request::<NewUser>();
    let shape = UserService::list_shape();
    let listed = api
        .route(Method::GET, "/users", "listUser", list)
        .about("users", "List users")
        .explained("Agents get the users of their subtree, without themselves. `search` applies to usernames, names and roles.")
        .requires(READ)
        .lists(&shape);
    let listed = shape.filters.iter().fold(listed, |operation, (field, kind)| {
        let about = match *field {
            "startsWith" => {
                "Full names, from the first letter or digit on, or usernames with this prefix, ignoring case."
            }
            "expired" => "Only app users with an expiration in the past.",
            "aboutToExpire" => "Only app users whose subscription ends later this month.",
            "registeredBy" => "Only users whom this user registered.",
            "beneath" => "Only users in the subtree of this user.",
            _ => return operation.filter(field, filter_schema(*kind), &filter_words(field, *kind)),
        };
        operation.filter(field, filter_schema(*kind), about)
    });
    drop(listed.answers(200, "A page of rows.", page).fails(&[ErrorKind::Invalid]));
    drop(
        api.route(Method::POST, "/users", "createUser", create)
            .about("users", "Register a user in the caller's subtree")
            .requires(Permission::new(USER, Action::Create))
            .takes_effect_once()
            .takes(new)
            .answers(201, "The registered user.", user.clone())
            .answers_header(201, "Location", "The address of the user.")
            .answers_header(201, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::GET, "/users/{username}", "getUser", find)
            .about("users", "Get a user")
            .requires(READ)
            .answers(200, "The user.", user.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
    register_changes(api, &user);
    register_password(api);
    register_sessions(api);
    let role = api.schemas.response::<Role>();
    drop(
        api.route(Method::GET, "/roles", "listRoles", roles)
            .about("users", "List the roles that the caller may assign")
            .requires(READ)
            .answers(200, "Codes and names.", json!({"type": "array", "items": role})),
    );
    let change = api.schemas.request::<PasswordChange>();
    drop(
        api.route(Method::PUT, "/users/me/password", "changePassword", change_password)
            .about("users", "Change the caller's password")
            .explained("Ends the caller's other sessions and replaces the key of this one, in its cookie. A wrong current password is a violation (422), and is throttled.")
            .requires_role(&[RoleCode::Superadmin, RoleCode::Admin, RoleCode::Agent, RoleCode::ContentManager])
            .takes(change)
            .answers_nothing(204, "Changed.")
            .fails(&[ErrorKind::Forbidden, ErrorKind::Throttled]),
    );
}

/// Routes for changing and removing a user. `user` is the schema of the response.
fn register_changes(api: &mut Api, user: &Value) {
    let edit = api.schemas.request::<UserEdit>();
    let changed = [ErrorKind::Missing, ErrorKind::Outdated, ErrorKind::Conflict];
    drop(
        if_match(api.route(Method::PUT, "/users/{username}", "replaceUser", replace))
            .about("users", "Replace a user")
            .explained("An omitted `expirationDate` stays unchanged; null means no expiration, which for a user whose subscription has not started also needs `subscription: {\"state\": \"NO_EXPIRATION\"}`. Role and expiration are changed by admins; the caller's own role and status can't be changed.")
            .requires(UPDATE)
            .takes(edit)
            .answers(200, "The current state of the user.", user.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&changed),
    );
    let patch = api.schemas.patch_of("UserEdit");
    drop(
        if_match(api.route(Method::PATCH, "/users/{username}", "updateUser", merge))
            .about("users", "Update some fields of a user")
            .requires(UPDATE)
            .merges(patch)
            .answers(200, "The current state of the user.", user.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&changed),
    );
    drop(
        if_match(api.route(Method::DELETE, "/users/{username}", "deleteUser", delete))
            .about("users", "Delete a user without ledger entries and registered users")
            .requires(Permission::new(USER, Action::Delete))
            .answers_nothing(204, "Deleted.")
            .fails(&changed),
    );
    drop(
        if_match(api.route(Method::PATCH, "/users/{username}/toggle-status", "toggleUserStatus", toggle))
            .about("users", "Deactivate an active user, or activate another one")
            .explained("Without a body. An inactive app user without credits is not activated.")
            .requires(UPDATE)
            .answers(200, "The current state of the user.", user.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&changed),
    );
}

fn register_password(api: &mut Api) {
    let (reset, generated) =
        (api.schemas.request::<PasswordReset>(), api.schemas.response::<GeneratedPassword>());
    drop(
        api.route(Method::POST, "/users/{username}/password", "resetPassword", reset_password)
            .about("users", "Set the password of another user")
            .explained("For admins and the users they manage, and for agents and their app users; the caller's own is changed at `PUT /users/me/password`. Ends all sessions of the user. Without `password` (`{}`) the server generates one: eight digits for app users, else four groups of four characters.")
            .requires(UPDATE)
            .takes(reset)
            .answers(200, "Set.", generated)
            .fails(&[ErrorKind::Missing]),
    );
}

fn register_sessions(api: &mut Api) {
    let session = api.schemas.response::<SessionAnswer>();
    drop(
        api.route(Method::GET, "/users/{username}/sessions", "listUserSessions", list_sessions)
            .about("users", "List the sessions of a user the caller may edit")
            .requires(UPDATE)
            .answers(
                200,
                "Sessions that have not ended, last used first.",
                json!({"type": "array", "items": session}),
            )
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::DELETE, "/users/{username}/sessions", "endUserSessions", end_sessions)
            .about("users", "End all sessions of a user the caller may edit")
            .requires(UPDATE)
            .answers_nothing(204, "Ended.")
            .fails(&[ErrorKind::Missing]),
    );
}

type Users = Data<UserService>;

fn answered(
    answer: HttpResponseBuilder,
    service: &UserService,
    user: &User,
    language: Language,
) -> HttpResponse {
    let body = UserAnswer::new(user, language.0, service.now(), service.country());
    tagged(answer, user.version, &body)
}

fn register_history(api: &mut Api) {
    let entry = api.schemas.response::<AuditEntryAnswer>();
    let page = api.schemas.page_of("AuditPage", "A page of the audit log.", &entry);
    drop(
        api.route(Method::GET, "/users/{username}/history", "listHistoryOfUser", history)
            .about("users", "List the changes of a user, newest first")
            .explained("Changes of fields since the registration, with previous and new values, and changes of the password, without values. Addresses are for admins. Users don't get notes about themselves.")
            .requires(READ)
            .pages(&AuditService::list_shape())
            .answers(200, "A page of entries.", page)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
    let version = api.schemas.response::<EarlierVersionAnswer>();
    drop(
        api.route(
            Method::GET,
            "/users/{username}/history/{version}",
            "getVersionOfUser",
            earlier_version,
        )
        .about("users", "Get an earlier version of a user's form")
        .explained("To restore it, update the user with this content. It has names, contact data, comment, role, status and registering user; subscription, credits and password have separate operations. Callers who may not change role and registering user send the present ones.")
        .requires(READ)
        .answers(200, "The content.", version)
        .fails(&[ErrorKind::Missing]),
    );
}

async fn history(
    caller: AuthUser,
    users: Data<UserService>,
    audit: Data<AuditService>,
    username: Path<String>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<AuditEntryAnswer>>>, Problem> {
    Ok(entry_page(audit.history_of_user(&users, &caller, &username, &pairs.0).await?))
}

async fn earlier_version(
    caller: AuthUser,
    users: Data<UserService>,
    audit: Data<AuditService>,
    names: Path<(String, String)>,
    path: PathId,
) -> Result<Json<EarlierVersionAnswer>, Problem> {
    let version = path.named("version").ok_or_else(Problem::no_such_path)?;
    Ok(Json(audit.version_of_user(&users, &caller, &names.0, version).await?.into()))
}

async fn list(
    caller: AuthUser,
    service: Users,
    pairs: Pairs,
    language: Language,
) -> Result<Json<Page<Vec<UserRow>>>, Problem> {
    let page = service.list(&caller, &pairs.0).await?;
    let now = service.now();
    Ok(Json(page.map(|users| users.iter().map(|user| UserRow::new(user, language.0, now)).collect())))
}

async fn find(
    caller: AuthUser,
    service: Users,
    username: Path<String>,
    language: Language,
) -> Result<HttpResponse, Problem> {
    Ok(answered(HttpResponse::Ok(), &service, &service.find(&caller, &username).await?, language))
}

async fn create(
    caller: AuthUser,
    service: Users,
    key: IdempotencyKey,
    language: Language,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let created = service.create(&caller, &body.0, key.0.as_deref()).await?;
    let answer = created_at(format_args!("users/{}", created.user.username), created.replayed);
    Ok(answered(answer, &service, &created.user, language))
}

async fn replace(
    caller: AuthUser,
    service: Users,
    username: Path<String>,
    expected: IfMatch,
    language: Language,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let user = service.replace(&caller, &username, &body.0, expected.0).await?;
    Ok(answered(HttpResponse::Ok(), &service, &user, language))
}

async fn merge(
    caller: AuthUser,
    service: Users,
    username: Path<String>,
    expected: IfMatch,
    language: Language,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let user = service.merge(&caller, &username, &body.0, expected.0).await?;
    Ok(answered(HttpResponse::Ok(), &service, &user, language))
}

async fn delete(
    caller: AuthUser,
    service: Users,
    username: Path<String>,
    expected: IfMatch,
) -> Result<HttpResponse, Problem> {
    service.delete(&caller, &username, expected.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn toggle(
    caller: AuthUser,
    service: Users,
    username: Path<String>,
    expected: IfMatch,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let user = service.toggle(&caller, &username, expected.0).await?;
    Ok(answered(HttpResponse::Ok(), &service, &user, language))
}

async fn roles(caller: AuthUser, service: Users, language: Language) -> Result<Json<Vec<Role>>, Problem> {
    let roles = service.roles(&caller)?;
    Ok(Json(roles.into_iter().map(|role| Role::of(role, language.0)).collect()))
}

async fn list_sessions(
    caller: AuthUser,
    service: Data<SessionService>,
    username: Path<String>,
) -> Result<Json<Vec<SessionAnswer>>, Problem> {
    let listed = service.list_of(&caller, &username).await?;
    Ok(Json(listed.into_iter().map(SessionAnswer::from).collect()))
}

async fn end_sessions(
    caller: AuthUser,
    service: Data<SessionService>,
    username: Path<String>,
) -> Result<HttpResponse, Problem> {
    service.end_of(&caller, &username).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn reset_password(
    caller: AuthUser,
    service: Users,
    username: Path<String>,
    body: Body,
) -> Result<Json<GeneratedPassword>, Problem> {
    let password = service.reset_password(&caller, &username, &body.0).await?;
    Ok(Json(GeneratedPassword { password }))
}

async fn change_password(
    request: HttpRequest,
    session: Session,
    caller: AuthUser,
    service: Data<SignInService>,
    services: Data<Services>,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let key = service.change_password(&caller, &body.0, &caller.session.key_hash).await?;
    session_store::adopt(&session, key);
    session_store::end_cookie(&request, caller.session.ends_date, services.calendar.now());
    Ok(HttpResponse::NoContent().finish())
}
