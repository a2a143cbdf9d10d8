//! Slices of users: status, role and registrar. Each change is checked like an edit of one user;
//! rules that depend on other users are checked by the store under its locks.

use domain_kernel::{Actor, Code, Enumeration, RoleCode, Username, Violation, difference};
use domain_operations::{ItemKey, OperationRow, Verdict};
use domain_users::{Scope, User, UserLanguage, UserStatus};
use ports::{RegistrarChange, SliceOf, SliceWritten, UserFilter, UserSlice, UserSliceItem, UserUpdate};
use serde_json::{Map, Value, json};

use super::slice::{SliceChange, missing};
use crate::{Error, UserService, sheet_import_users::sheet_fields, user_rules::registrar_change};

impl UserService {
    /// Names of the users in the list with these parameters, up to a maximum.
    pub(super) async fn matching_names(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
        limit: u64,
    ) -> Result<Vec<ItemKey>, Error> {
        let (UserFilter { scope, deadline }, query) = self.read_list(actor, pairs)?;
        let names = self.users.matching_names(&scope, &query, deadline, limit).await?;
        Ok(names.into_iter().map(|name| ItemKey::Name(name.to_string())).collect())
    }

    /// Runs a slice. A dry run writes only its rows.
    pub(super) async fn run_slice(
        &self,
        actor: &Actor,
        slice: SliceOf,
        items: &[ItemKey],
        change: &SliceChange<'_>,
        dry_run: bool,
    ) -> Result<SliceWritten, Error> {
        let scope = Scope::of(actor);
        let mut rows = Vec::with_capacity(items.len());
        for (position, item) in (slice.first_position..).zip(items) {
            let mut row = missing(position, item);
            let name = Username::parse(&item.to_string());
            let user = match &name {
                Some(name) => self.users.find(&scope, name).await?,
                None => None,
            };
            let update = user.and_then(|user| {
                row.title.clone_from(&user.full_name);
                let update = self.update_in_slice(actor, &user, change, &mut row)?;
                Some((user.version, update))
            });
            rows.push(UserSliceItem { row, update });
        }
        if let SliceChange::Make(_, edits) = change {
            edits.keep(rows.iter_mut().map(|item| (&mut item.row, &mut item.update))).await?;
        }
        let slice = UserSlice { slice, items: rows, dry_run };
        Ok(self.users.write_slice(&scope, slice, &self.edit_by(actor)).await?)
    }

    /// The update of a user, if any; sets the verdict of the row.
    fn update_in_slice(
        &self,
        actor: &Actor,
        user: &User,
        change: &SliceChange<'_>,
        row: &mut OperationRow,
    ) -> Option<UserUpdate> {
        let before = sheet_fields(user);
        let mut wanted = change.made_of(&before, row);
        let update = match update_of(user, &mut wanted) {
            Ok(update) => update,
            Err(violation) => {
                row.fail(Verdict::Refused, vec![violation]);
                return None;
            }
        };
        let diff = difference(&before, &wanted);
        if diff.before.is_empty() {
            row.verdict = if row.problems.is_empty() { Verdict::Unchanged } else { Verdict::Refused };
            return None;
        }
        let judged = match change {
            SliceChange::Undo(_) | SliceChange::UndoImport(_) => self.may_undo(actor, user, &update),
            _ => self.may_update(actor, user, &update),
        };
        if let Err(error) = judged {
            let field = if matches!(error, Error::UserWithoutCredits) { "status" } else { "" };
            row.fail(Verdict::Refused, vec![Violation::new(field, error.code())]);
            return None;
        }
        row.verdict = Verdict::Changed;
        (row.before, row.after) = (diff.before, diff.after);
        Some(update)
    }
}

/// A user with these fields. A name in another case is the same user.
fn update_of(user: &User, wanted: &mut Map<String, Value>) -> Result<UserUpdate, Violation> {
    let status = code::<UserStatus>(wanted, "status")?;
    let role = code::<RoleCode>(wanted, "roleCode")?;
    let has_language = wanted.get("language").is_some_and(|language| !language.is_null());
    let language = if has_language { Some(code::<UserLanguage>(wanted, "language")?) } else { None };
    let registrar = match wanted.get("registeredBy") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => Some(name.as_str()),
        Some(_) => return Err(Violation::new("registeredBy", Code::WrongType).with("expected", "string")),
    };
    let registrar = registrar_change(user, registrar).map_err(ports::UserUpdateConflict::violation)?;
    if registrar == RegistrarChange::Stays {
        wanted.insert("registeredBy".to_owned(), json!(user.registered_by));
    }
    let text = |field: &str| wanted.get(field).and_then(Value::as_str).map(str::to_owned);
    let expiration_date = match text("expirationDate") {
        Some(date) => Some(date.parse().map_err(|_| Violation::new("expirationDate", Code::InvalidDate))?),
        None => None,
    };
    let (full_name, email, phone_number) = (text("fullName"), text("email"), text("phoneNumber"));
    let (address, comment) = (text("address"), text("comment"));
    // An undo also restores the start of the subscription with the expiration, unless there are
    // credits to expire.
    let started =
        wanted.get("subscriptionStarted").and_then(Value::as_bool).unwrap_or(user.subscription_started);
    let subscription_started = started || expiration_date.is_some() || user.credits > 0;
    wanted.insert("subscriptionStarted".to_owned(), json!(subscription_started));
    Ok(UserUpdate {
        full_name: full_name.unwrap_or_default(),
        email: email.unwrap_or_default(),
        phone_number: phone_number.unwrap_or_default(),
        language,
        address,
        comment,
        role,
        status,
        expiration_date,
        subscription_started,
        registrar,
    })
}

fn code<E: Enumeration>(wanted: &Map<String, Value>, field: &str) -> Result<E, Violation> {
    let known = wanted.get(field).and_then(Value::as_str).and_then(E::from_code);
    known.ok_or_else(|| Violation::new(field, Code::UnknownValue).with("allowed", E::CODES.to_vec()))
}
