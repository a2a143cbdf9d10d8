//! Who calls.

use std::{
    future::{Future, Ready, ready},
    ops::Deref,
    pin::Pin,
};

use actix_session::SessionExt;
use actix_web::{FromRequest, HttpRequest, dev::Payload, http::header::AUTHORIZATION, web::Data};
use application::{Error, KeyService};
use domain_kernel::{Actor, Enumeration, Integrator, Requester, RoleCode, Tongue, Username};
use domain_users::{Account, UserStatus, permissions_of};
use ports::StoreError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// Where the session store puts the user it read along with the session. Never saved.
pub(crate) const ACCOUNT: &str = "account";
/// What it puts there when the database is away.
pub(crate) const AWAY: &str = "away";

/// The user of a session, as the store has them at this moment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SessionAccount {
    pub(crate) username: Username,
    pub(crate) full_name: String,
    pub(crate) role: RoleCode,
    pub(crate) status: UserStatus,
}

impl From<Account> for SessionAccount {
    fn from(account: Account) -> Self {
        let Account { username, full_name, role, status, .. } = account;
        Self { username, full_name, role, status }
    }
}

/// Somebody who is signed in and active.
pub(crate) struct Caller {
    actor: Actor,
    pub(crate) account: SessionAccount,
}

impl Deref for Caller {
    type Target = Actor;

    fn deref(&self) -> &Actor {
        &self.actor
    }
}

impl FromRequest for Caller {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(find(request))
    }
}

fn find(request: &HttpRequest) -> Result<Caller, Problem> {
    let session = request.get_session();
    if session.contains_key(AWAY) {
        return Err(Error::Store(StoreError::Unavailable("sessions".into())).into());
    }
    let account = session.get::<SessionAccount>(ACCOUNT).ok().flatten();
    let account = account.filter(|account| account.status == UserStatus::Active);
    // A key opens nothing that is people's, whatever its scopes.
    let nobody = || if bearer(request).is_some() { Error::Forbidden } else { Error::NotAuthenticated };
    let account = account.ok_or_else(nobody)?;
    let permissions = permissions_of(account.role);
    Ok(Caller {
        actor: Actor { username: account.username.clone(), role: account.role, permissions },
        account,
    })
}

/// The text of a key, where the request carries one.
fn bearer(request: &HttpRequest) -> Option<&str> {
    let text = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, key) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

type Arriving<T> = Pin<Box<dyn Future<Output = Result<T, Problem>>>>;

/// A program, with its key.
pub(crate) struct Program(pub(crate) Integrator);

impl FromRequest for Program {
    type Error = Problem;
    type Future = Arriving<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let Some(key) = bearer(request).map(str::to_owned) else {
            // People are known, and yet this is not for them.
            let refusal = find(request).map_or_else(|problem| problem, |_| Error::Forbidden.into());
            return Box::pin(ready(Err(refusal)));
        };
        let keys = request.app_data::<Data<KeyService>>().cloned();
        Box::pin(async move {
            let keys = keys.expect("the key service is mounted beside every route");
            Ok(Self(keys.admit(&key).await?))
        })
    }
}

/// Whoever calls where both people and programs may.
pub(crate) struct Anybody(pub(crate) Requester);

impl FromRequest for Anybody {
    type Error = Problem;
    type Future = Arriving<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if bearer(request).is_none() {
            let found = find(request).map(|caller| Self(Requester::Staff(caller.actor)));
            return Box::pin(ready(found));
        }
        let program = Program::from_request(request, payload);
        Box::pin(async move { Ok(Self(Requester::Integrator(program.await?.0))) })
    }
}

/// The user who is signed in, as the panel keeps them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignedInUser {
    /// User name.
    username: Username,
    /// The name people read.
    full_name: String,
    /// Code of the role.
    role_code: RoleCode,
    /// Name of the role, in the language of the request.
    role_name: String,
    /// Permissions held; superadmin and admin pass every check without holding any.
    permissions: Vec<String>,
}

impl SignedInUser {
    pub(crate) fn new(account: &SessionAccount, tongue: Tongue) -> Self {
        Self {
            username: account.username.clone(),
            full_name: account.full_name.clone(),
            role_code: account.role,
            role_name: account.role.labels().in_tongue(tongue).to_owned(),
            permissions: permissions_of(account.role).iter().map(ToString::to_string).collect(),
        }
    }
}
