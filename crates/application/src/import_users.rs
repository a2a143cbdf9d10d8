//! Imports users from files, in batches. Called by the operator's command, without a permission.

use std::collections::HashSet;

use chrono::{DateTime, SubsecRound, Utc};
use domain_credits::LARGEST_IMPORTED;
use domain_kernel::{Code, RoleCode, Username, Violation, Violations};
use domain_users::{Expiration, ExpirationMeant, is_acceptable_hash, password_fault};
use ports::{ImportedUser, UserImportOutcome, UserInsert};
use serde_json::Value;

use crate::{Change, Claim, Error, ImportedLine, LineOutcome, UserService, import_credits::claim_of};

/// Fields of a user's line besides the form.
const BESIDE: [&str; 3] = ["password", "passwordHash", "registeredBy"];

/// Treatment of passwords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passwords {
    /// Each line has a password, which is hashed, or a hash (`passwordHash`, PHC), which is stored.
    Required,
    /// No passwords are imported: the users can't sign in until a password is set.
    Left,
}

impl UserService {
    /// Imports a batch of lines. Invalid lines are rejected one by one; the others are stored
    /// together, new users with the balances of their lines. Users of `with_history` (user names in
    /// lower case) get their balances from their history; balances in lines that were not booked
    /// are added to `claims`.
    pub async fn import(
        &self,
        lines: Vec<ImportedLine>,
        passwords: Passwords,
        with_history: &HashSet<String>,
        claims: &mut Vec<Claim>,
    ) -> Result<Vec<(u64, LineOutcome)>, Error> {
        let mut outcomes = Vec::with_capacity(lines.len());
        let mut batch: Vec<ImportedUser> = Vec::with_capacity(lines.len());
        let mut accepted: Vec<(u64, Option<Claim>)> = Vec::with_capacity(lines.len());
        for line in lines {
            let json = match line.json {
                Ok(json) => json,
                Err(reason) => {
                    outcomes.push((line.number, LineOutcome::Malformed(reason)));
                    continue;
                }
            };
            let (number, claimed) = (line.number, json.clone());
            match self.importable(json, passwords).await? {
                Ok(mut user) => {
                    let key = user.user.username.key();
                    let claim = claim_of(number, key.clone(), &claimed);
                    if let Some(claim) = &claim
                        && !with_history.contains(&key)
                    {
                        match user.user.role {
                            RoleCode::App => user.credits = claim.credits,
                            RoleCode::Agent => user.sale_credits = claim.sale_credits,
                            _ => {}
                        }
                    }
                    let needs_batch = |one: &ImportedUser| {
                        one.user.username.key() == key || Some(&one.user.username) == user.registrar.as_ref()
                    };
                    // Repeated users, and users registered by another one of the batch, are stored
                    // after it.
                    if batch.iter().any(needs_batch) {
                        self.store(&mut batch, &mut accepted, claims, &mut outcomes).await?;
                    }
                    let booked = (user.credits, user.sale_credits);
                    accepted
                        .push((number, claim.filter(|claim| (claim.credits, claim.sale_credits) != booked)));
                    batch.push(user);
                }
                Err(violations) => outcomes.push((number, LineOutcome::Refused(violations))),
            }
        }
        self.store(&mut batch, &mut accepted, claims, &mut outcomes).await?;
        outcomes.sort_by_key(|(number, _)| *number);
        Ok(outcomes)
    }

    async fn store(
        &self,
        batch: &mut Vec<ImportedUser>,
        accepted: &mut Vec<(u64, Option<Claim>)>,
        claims: &mut Vec<Claim>,
        outcomes: &mut Vec<(u64, LineOutcome)>,
    ) -> Result<(), Error> {
        if batch.is_empty() {
            return Ok(());
        }
        let stored = self.users.import(std::mem::take(batch), self.calendar.now()).await?;
        for ((number, claim), imported) in accepted.drain(..).zip(stored) {
            outcomes.push((
                number,
                match imported {
                    UserImportOutcome::Created => {
                        claims.extend(claim);
                        LineOutcome::Accepted(Change::Created)
                    }
                    UserImportOutcome::Updated => LineOutcome::Accepted(Change::Updated),
                    UserImportOutcome::Unchanged => LineOutcome::Accepted(Change::Unchanged),
                    UserImportOutcome::MissingRegistrar => {
                        LineOutcome::Refused(Violations(vec![Violation::new(
                            "registeredBy",
                            Code::UnknownReference,
                        )]))
                    }
                },
            ));
        }
        Ok(())
    }

    async fn importable(
        &self,
        mut json: Value,
        passwords: Passwords,
    ) -> Result<Result<ImportedUser, Violations>, Error> {
        for name in ["credits", "saleCredits", "signIns"] {
            if let Some(violation) = out_of_bounds(&json, name) {
                return Ok(Err(Violations(vec![violation])));
            }
        }
        let sign_ins = json.get("signIns").and_then(Value::as_i64).unwrap_or(0);
        let created = json.get("createdDate").and_then(Value::as_str);
        let created = created.and_then(|text| text.parse::<DateTime<Utc>>().ok());
        let beside = BESIDE.map(|name| {
            let accepted = json.as_object_mut().and_then(|fields| fields.remove(name));
            accepted.and_then(|value| value.as_str().map(str::to_owned)).filter(|text| !text.is_empty())
        });
        let [password, hash, registered_by] = beside;
        self.edits.tidy(&mut json);
        let form = match self.edits.read(json, &()) {
            Ok(form) => form.into_inner(),
            Err(violations) => return Ok(Err(violations)),
        };
        let violation = |field: &str, code| Ok(Err(Violations(vec![Violation::new(field, code)])));
        let Some(username) = form.username.as_deref() else { return violation("username", Code::Required) };
        let Some(username) = Username::parse(username) else {
            return violation("username", Code::InvalidFormat);
        };
        let registrar = match registered_by.as_deref().map(Username::parse) {
            None => None,
            Some(Some(registrar)) => Some(registrar),
            Some(None) => return violation("registeredBy", Code::UnknownReference),
        };
        let password_hash = match (passwords, password, hash) {
            (Passwords::Left, ..) => None,
            (Passwords::Required, _, Some(hash)) if is_acceptable_hash(&hash) => Some(hash),
            (Passwords::Required, _, Some(_)) => return violation("passwordHash", Code::InvalidFormat),
            (Passwords::Required, Some(password), None) => match password_fault(&password, form.role_code) {
                Some((code, _)) => return violation("password", code),
                None => Some(self.passwords.hash(&password).await?),
            },
            (Passwords::Required, None, None) => return violation("password", Code::Required),
        };
        let expiration_date =
            form.expiration_date.as_ref().and_then(Expiration::meant).map(|meant| match meant {
                ExpirationMeant::At(moment) => moment.trunc_subsecs(3),
                ExpirationMeant::EndOf(day) => self.calendar.end_of(day),
            });
        Ok(Ok(ImportedUser {
            user: UserInsert {
                username,
                full_name: form.full_name,
                email: form.email,
                phone_number: form.phone_number,
                language: form.language,
                address: form.address,
                comment: form.comment,
                password_hash,
                role: form.role_code,
                status: form.status,
                subscription_started: true,
            },
            registrar,
            expiration_date,
            sign_ins,
            created_date: created.map(|date| date.trunc_subsecs(3)),
            credits: 0,
            sale_credits: 0,
        }))
    }
}

/// The violation of a number besides the form: not a whole number, or not between 0 and the
/// maximum.
fn out_of_bounds(json: &Value, name: &str) -> Option<Violation> {
    let value = json.get(name).filter(|value| !value.is_null())?;
    match value.as_i64() {
        None => Some(Violation::new(name, Code::WrongType).with("expected", "integer")),
        Some(number) if number < 0 => Some(Violation::new(name, Code::TooSmall).with("min", 0)),
        Some(number) if number > LARGEST_IMPORTED => {
            Some(Violation::new(name, Code::TooLarge).with("max", LARGEST_IMPORTED))
        }
        Some(_) => None,
    }
}
