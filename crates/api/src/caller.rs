//! Who calls.

use std::{
    future::{Ready, ready},
    ops::Deref,
};

use actix_session::SessionExt;
use actix_web::{FromRequest, HttpRequest, dev::Payload};
use application::Error;
use domain_kernel::{Actor, Enumeration, Requester, RoleCode, Tongue, Username};
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

impl Caller {
    /// As whoever calls where programs with a key may call too.
    pub(crate) fn requester(&self) -> Requester {
        Requester::Staff(self.actor.clone())
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
    let account =
        account.filter(|account| account.status == UserStatus::Active).ok_or(Error::NotAuthenticated)?;
    let permissions = permissions_of(account.role);
    Ok(Caller {
        actor: Actor { username: account.username.clone(), role: account.role, permissions },
        account,
    })
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
