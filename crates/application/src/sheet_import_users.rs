//! Imports rows of a spreadsheet as users: each row is matched by user name or creates a user, by
//! the rules of one user (docs/spec/import-export.md#users-in-spreadsheets).

mod columns;

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;
use domain_catalogue::{RowContext, RowDraft, SheetColumn, read_row};
use domain_credits::LARGEST_IMPORTED;
use domain_kernel::{
    Actor, Code, Enumeration, Locale, RoleCode, SheetRow, Username, Violation, Violations, difference,
    timestamp,
};
use domain_operations::{ItemKey, OperationRow, SheetRowOf, Verdict};
use domain_users::{Scope, User, UserEdit, assignable};
use ports::{
    ImportedUser, RegistrarChange, SheetRepository, SliceOf, SliceWritten, UserInsert, UserSheetChange,
    UserSheetItem, UserSheetSlice, UserSheets, UserUpdate,
};
use serde_json::{Map, Value, json};

pub(crate) use self::columns::{OTHER_USER_HEADINGS, is_secret, user_columns};
use crate::{Error, UserService, body::to_json, sheet_import_rows::RowOfDefaults};

/// User names of the rows of a file, with their registrars. Each name is stored once.
#[derive(Default)]
pub(crate) struct Registrars {
    names: HashMap<String, usize>,
    rows: Vec<(Option<usize>, Option<usize>)>,
}

impl Registrars {
    /// Adds the next row of the file.
    pub(crate) fn add(&mut self, name: &str, registrar: &str) {
        let row = (self.number_of(name), self.number_of(registrar));
        self.rows.push(row);
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> i64 {
        i64::try_from(self.rows.len()).unwrap_or(i64::MAX)
    }

    /// `None` for an invalid user name.
    fn number_of(&mut self, name: &str) -> Option<usize> {
        let next = self.names.len();
        Some(*self.names.entry(Username::parse(name)?.key()).or_insert(next))
    }

    /// Positions of the rows in an order with registrars before their users; `None` if the file has
    /// this order. Rows in a cycle follow one another.
    pub(crate) fn order(&self) -> Option<Vec<usize>> {
        let mut places = vec![None; self.names.len()];
        for (place, (name, _)) in self.rows.iter().enumerate() {
            if let Some(name) = name {
                places[*name].get_or_insert(place);
            }
        }
        let mut is_placed = vec![false; self.rows.len()];
        let mut order = Vec::with_capacity(self.rows.len());
        for start in 0..self.rows.len() {
            let mut waiting = Vec::new();
            let mut next = Some(start);
            while let Some(place) = next.filter(|place| !is_placed[*place]) {
                is_placed[place] = true;
                waiting.push(place);
                next = self.rows[place].1.and_then(|registrar| places[registrar]);
            }
            order.extend(waiting.into_iter().rev());
        }
        let is_sorted = order.iter().enumerate().all(|(index, place)| index == *place);
        (!is_sorted).then_some(order)
    }
}

/// Parameters of an import's slice.
pub(crate) struct UserSlicePlan<'a> {
    pub(crate) slice: SliceOf,
    /// Positions of its rows in the file, from 0.
    pub(crate) places: Vec<i64>,
    pub(crate) rows: &'a [SheetRow],
    pub(crate) columns: &'a [Option<SheetColumn>],
    pub(crate) defaults: &'a RowOfDefaults,
    pub(crate) locale: Locale,
    pub(crate) sheets: &'a dyn SheetRepository,
    pub(crate) store: &'a dyn UserSheets,
    pub(crate) dry_run: bool,
}

/// A user's values in a row.
struct UserDraft {
    fields: Map<String, Value>,
    problems: Vec<Violation>,
}

impl UserDraft {
    fn of(read: &RowDraft) -> Self {
        let mut fields = Map::new();
        read.apply(&mut fields);
        Self { fields, problems: read.problems.clone() }
    }

    fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }

    /// A balance; 0 for an empty cell.
    fn balance(&self, field: &str) -> Result<i64, Violation> {
        match self.fields.get(field).and_then(Value::as_i64).unwrap_or_default() {
            balance if balance < 0 => Err(Violation::new(field, Code::TooSmall).with("min", 0)),
            balance if balance > LARGEST_IMPORTED => {
                Err(Violation::new(field, Code::TooLarge).with("max", LARGEST_IMPORTED))
            }
            balance => Ok(balance),
        }
    }

    fn day(&self) -> Option<NaiveDate> {
        self.text("expirationDate").and_then(|day| day.parse().ok())
    }
}

impl UserService {
    /// Runs a slice of an import. A dry run writes only its rows.
    pub(crate) async fn import_slice(
        &self,
        actor: &Actor,
        plan: &UserSlicePlan<'_>,
    ) -> Result<SliceWritten, Error> {
        let context =
            RowContext { locale: plan.locale, named: &|_, _| Vec::new(), is_called: &|_, _, _| false };
        let read: Vec<RowDraft> =
            plan.rows.iter().map(|row| read_row(plan.columns, &row.cells, &context)).collect();
        let defaults = plan.defaults.read(&context);
        let drafts: Vec<UserDraft> = read.iter().map(UserDraft::of).collect();
        let names = ["username", "registeredBy"];
        let default_registrar = UserDraft::of(&defaults).text("registeredBy").map(key_of);
        let keys = drafts.iter().flat_map(|draft| names.map(|name| draft.text(name).map(key_of)));
        let keys = keys.chain([default_registrar]).flatten().collect();
        let done = plan.sheets.done_rows(plan.slice.operation, Vec::new(), keys, Vec::new()).await?;
        let mut seen: HashMap<String, i64> =
            done.into_iter().filter_map(|row| Some((row.key?, row.row))).collect();
        // Users of earlier slices. They do not exist in a dry run; those of this slice do while it
        // is written.
        let earlier_users: HashSet<String> = seen.keys().cloned().collect();
        let mut items = Vec::with_capacity(drafts.len());
        let rows = plan.places.iter().copied().zip(plan.rows).zip(drafts).zip(read);
        for (((position, sheet_row), draft), read) in rows {
            let name = draft.text("username").unwrap_or_default().to_owned();
            let mut row = OperationRow {
                position,
                item: ItemKey::Name(name.clone()),
                title: draft.text("fullName").unwrap_or(&name).to_owned(),
                verdict: Verdict::Refused,
                before: Map::new(),
                after: Map::new(),
                problems: Vec::new(),
                sheet_row: Some(SheetRowOf { number: sheet_row.number, key: None, imdb_id: None }),
            };
            let earlier = seen.get(&key_of(&name)).copied().filter(|_| !name.is_empty());
            let change = if let Some(earlier) = earlier {
                row.item = ItemKey::Name(String::new());
                row.problems = vec![Violation::new("", Code::DuplicateRow).with("row", earlier)];
                None
            } else {
                self.change_by_row(actor, (draft, read, &defaults), &mut row).await?
            };
            if earlier.is_none() && row.verdict != Verdict::Refused {
                seen.insert(key_of(&name), sheet_row.number);
                let key = Some(key_of(&name));
                row.sheet_row = Some(SheetRowOf { number: sheet_row.number, key, imdb_id: None });
            }
            let registrar = change.as_ref().and_then(registrar_of);
            let registrar_comes = registrar.is_some_and(|name| earlier_users.contains(&name.key()));
            items.push(UserSheetItem { row, change, registrar_comes });
        }
        let slice = UserSheetSlice { slice: plan.slice, items, dry_run: plan.dry_run };
        Ok(plan.store.write_slice(&Scope::of(actor), slice, &self.edit_by(actor)).await?)
    }

    /// The change made by a row; sets the verdict of the operation's row.
    async fn change_by_row(
        &self,
        actor: &Actor,
        (mut draft, mut read, defaults): (UserDraft, RowDraft, &RowDraft),
        row: &mut OperationRow,
    ) -> Result<Option<UserSheetChange>, Error> {
        let username = match draft.text("username") {
            None => Err(Code::Required),
            Some(name) => Username::parse(name).ok_or(Code::InvalidFormat),
        };
        let username = match username {
            Ok(username) => username,
            Err(code) => {
                let mut problems = draft.problems;
                problems.push(Violation::new("username", code));
                row.item = ItemKey::Name(String::new());
                row.problems = Violations(problems).shortened().0;
                return Ok(None);
            }
        };
        let change = if let Some(user) = self.users.find(&Scope::of(actor), &username).await? {
            row.item = ItemKey::Name(user.username.to_string());
            row.title.clone_from(&user.full_name);
            // Balances of existing users come from the ledger, not from the cell.
            draft.problems.retain(|problem| !["credits", "saleCredits"].contains(&problem.field.as_str()));
            self.updated_by_row(actor, &user, &draft, row)
        } else {
            read.fill(defaults);
            draft = UserDraft::of(&read);
            self.added_by_row(actor, username, &draft, row)
        };
        let mut problems = draft.problems;
        match change {
            Ok(change) if problems.is_empty() => return Ok(change),
            Ok(_) => {}
            Err(Error::Invalid(Violations(violations))) => {
                let unread = |violation: &Violation| problems.iter().all(|one| one.field != violation.field);
                let violations = violations.into_iter().map(of_column).filter(unread).collect::<Vec<_>>();
                problems.extend(violations);
            }
            Err(error @ (Error::Forbidden | Error::UserWithoutCredits | Error::UserSuspended)) => {
                let field = if matches!(error, Error::UserWithoutCredits) { "status" } else { "" };
                problems.push(Violation::new(field, error.code()));
            }
            Err(error) => return Err(error),
        }
        row.fail(Verdict::Refused, Violations(problems).shortened().0);
        Ok(None)
    }

    /// The change of an existing user. Balances are not changed; an expiration on the same day is
    /// equal.
    fn updated_by_row(
        &self,
        actor: &Actor,
        user: &User,
        draft: &UserDraft,
        row: &mut OperationRow,
    ) -> Result<Option<UserSheetChange>, Error> {
        let Value::Object(mut form) = to_json(&user.as_edit())? else { return Ok(None) };
        let stored = form.clone();
        for (key, value) in &draft.fields {
            let field = field_of(key);
            match key.as_str() {
                "username" | "credits" | "saleCredits" => continue,
                // Required fields are not cleared.
                "fullName" | "email" | "phoneNumber" | "role" | "status" | "registeredBy"
                    if value.is_null() =>
                {
                    continue;
                }
                "expirationDate" => {
                    let same = user.expiration_date.map(|date| self.calendar.local(date).date());
                    if value.is_null() || same == draft.day() {
                        continue;
                    }
                }
                _ => {}
            }
            form.insert(field.to_owned(), value.clone());
        }
        // The first superadmin has neither e-mail address nor phone number: a row without changes
        // requires neither.
        if form == stored {
            row.verdict = Verdict::Unchanged;
            return Ok(None);
        }
        let edit = self.edits.read(form.into(), &())?.into_inner();
        let mut update = self.change_of(user, edit)?;
        update.subscription_started = user.subscription_started || update.expiration_date.is_some();
        let diff = difference(&sheet_fields(user), &updated_fields(user, &update));
        if diff.before.is_empty() {
            row.verdict = Verdict::Unchanged;
            return Ok(None);
        }
        self.may_update(actor, user, &update)?;
        row.verdict = Verdict::Changed;
        (row.before, row.after) = (diff.before, diff.after);
        Ok(Some(UserSheetChange::Update(user.version, Box::new(update))))
    }

    /// A new user with balances. They can't sign in until a password is set.
    fn added_by_row(
        &self,
        actor: &Actor,
        username: Username,
        draft: &UserDraft,
        row: &mut OperationRow,
    ) -> Result<Option<UserSheetChange>, Error> {
        let mut form = json!({"fullName": username, "roleCode": "app", "status": "ACTIVE"});
        for (key, value) in &draft.fields {
            let is_of_form = !["username", "credits", "saleCredits", "registeredBy"].contains(&key.as_str());
            if is_of_form && !value.is_null() {
                form[field_of(key)] = value.clone();
            }
        }
        let form = self.edits.read(form, &())?.into_inner();
        let mut violations = Vec::new();
        if !assignable(actor.role).contains(&form.role_code) {
            violations.push(Violation::new("role", Error::Forbidden.code()));
        }
        let (credits, sale_credits) = opening_balances(draft, form.role_code, &mut violations);
        let registrar = match draft.text("registeredBy").map(Username::parse) {
            None => Some(actor.username.clone()),
            Some(Some(registrar)) => Some(registrar),
            Some(None) => {
                violations.push(Violation::new("registeredBy", Code::UnknownReference));
                None
            }
        };
        if !violations.is_empty() {
            return Err(Violations(violations).into());
        }
        let expiration_date =
            draft.day().filter(|_| form.role_code == RoleCode::App).map(|day| self.calendar.end_of(day));
        row.verdict = Verdict::Created;
        row.title.clone_from(&form.full_name);
        row.after = added_fields(&form, registrar.as_ref(), (credits, sale_credits));
        let user = ImportedUser {
            user: UserInsert {
                username,
                full_name: form.full_name,
                email: form.email,
                phone_number: form.phone_number,
                language: form.language,
                address: form.address,
                comment: form.comment,
                password_hash: None,
                role: form.role_code,
                status: form.status,
                subscription_started: true,
            },
            registrar,
            expiration_date,
            sign_ins: 0,
            created_date: None,
            credits,
            sale_credits,
        };
        Ok(Some(UserSheetChange::Add(Box::new(user))))
    }
}

/// The opening balances of a new user. Violations of the rules are added to `violations`.
fn opening_balances(draft: &UserDraft, role: RoleCode, violations: &mut Vec<Violation>) -> (i64, i64) {
    let (credits, sale_credits) = match (draft.balance("credits"), draft.balance("saleCredits")) {
        (Ok(credits), Ok(sale_credits)) => (credits, sale_credits),
        (credits, sale_credits) => {
            violations.extend(credits.err().into_iter().chain(sale_credits.err()));
            (0, 0)
        }
    };
    let wrong_role = |field| Violation::new(field, Code::WrongRole);
    if credits > 0 && role != RoleCode::App {
        violations.push(wrong_role("credits").with("expected", RoleCode::App.code()));
    }
    if sale_credits > 0 && role != RoleCode::Agent {
        violations.push(wrong_role("saleCredits").with("expected", RoleCode::Agent.code()));
    }
    // Credits without an expiration would never expire.
    if credits > 0 && draft.day().is_none() {
        violations.push(Violation::new("expirationDate", Code::Required));
    }
    (credits, sale_credits)
}

/// The registrar of a row's user, if the row names one.
fn registrar_of(change: &UserSheetChange) -> Option<&Username> {
    match change {
        UserSheetChange::Add(new) => new.registrar.as_ref(),
        UserSheetChange::Update(_, update) => match &update.registrar {
            RegistrarChange::Becomes(registrar) => registrar.as_ref(),
            RegistrarChange::Stays => None,
        },
    }
}

fn key_of(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// The form field of a column.
fn field_of(key: &str) -> &str {
    if key == "role" { "roleCode" } else { key }
}

fn of_column(mut violation: Violation) -> Violation {
    if violation.field == "roleCode" {
        "role".clone_into(&mut violation.field);
    }
    violation
}

/// The fields of a user changed by imports, as recorded.
pub(crate) fn sheet_fields(user: &User) -> Map<String, Value> {
    updated_fields(user, &crate::user_rules::unchanged(user))
}

fn updated_fields(user: &User, update: &UserUpdate) -> Map<String, Value> {
    let registrar = match &update.registrar {
        RegistrarChange::Stays => user.registered_by.clone(),
        RegistrarChange::Becomes(registrar) => registrar.clone(),
    };
    let fields = json!({
        "fullName": update.full_name,
        "email": update.email,
        "phoneNumber": update.phone_number,
        "language": update.language,
        "address": update.address,
        "comment": update.comment,
        "roleCode": update.role.code(),
        "status": update.status.code(),
        "expirationDate": update.expiration_date.map(timestamp::text),
        "subscriptionStarted": update.subscription_started,
        "registeredBy": registrar,
    });
    if let Value::Object(fields) = fields { fields } else { Map::new() }
}

/// Recorded fields of a new user, without empty ones.
fn added_fields(
    form: &UserEdit,
    registrar: Option<&Username>,
    (credits, stock): (i64, i64),
) -> Map<String, Value> {
    let fields = json!({
        "fullName": form.full_name,
        "email": form.email,
        "phoneNumber": form.phone_number,
        "language": form.language,
        "roleCode": form.role_code.code(),
        "status": form.status.code(),
        "expirationDate": form.expiration_date,
        "registeredBy": registrar,
        "credits": Some(credits).filter(|credits| *credits > 0),
        "saleCredits": Some(stock).filter(|stock| *stock > 0),
    });
    let Value::Object(fields) = fields else { return Map::new() };
    fields.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(rows: &[(&str, &str)]) -> Option<Vec<usize>> {
        let mut registrars = Registrars::default();
        for (name, by) in rows {
            registrars.add(name, by);
        }
        registrars.order()
    }

    #[test]
    fn registrars_come_before_their_users() {
        assert_eq!(order(&[("ana", ""), ("bea", "ana"), ("cam", "elsewhere"), ("", "")]), None);
        assert_eq!(
            order(&[("cam", "BEA"), ("bea", "ana"), ("xan", ""), ("Ana", "")]),
            Some(vec![3, 1, 0, 2])
        );
        // Invalid user names match no user.
        assert_eq!(order(&[("ana", "b!"), ("b!", ""), ("cam", ""), ("", "cam")]), None);
        // Rows in a cycle have any order; the store rejects them.
        let mut circle = order(&[("ana", "bea"), ("bea", "ana"), ("cam", "ana")]).unwrap();
        circle.sort_unstable();
        assert_eq!(circle, [0, 1, 2]);
        assert_eq!(order(&[("ana", "ana")]), None);
    }

    #[test]
    fn a_long_chain_is_ordered_without_recursion() {
        let mut registrars = Registrars::default();
        for number in 0..100_000 {
            registrars.add(&format!("user_{number}"), &format!("user_{}", number + 1));
        }
        let order = registrars.order().unwrap();
        assert_eq!((order[0], order[99_999]), (99_999, 0));
    }
}
