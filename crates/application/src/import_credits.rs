//! Imports credit history. A chain of movements is complete only after the last line, so lines are
//! read first and booked afterwards, account by account, by date. Called by the operator's command,
//! without a permission.

use std::collections::{HashMap, HashSet};

use chrono::SubsecRound;
use domain_credits::{PastMovement, PastOperation, Verdict};
use domain_kernel::{Code, Enumeration, Id, RoleCode, Violation, Violations};
use ports::{History, HistoryMovement, LedgerUser};
use serde_json::Value;

use crate::{Change, CreditService, Error, ImportedLine, LineOutcome, import::read_lines};

/// Movements booked together.
const BATCH: usize = 1000;

/// A line that was read.
#[derive(Debug, Clone, Copy)]
struct Read {
    number: u64,
    user: Id,
    for_sale: bool,
    past: PastMovement,
    performer: Id,
    by_agent: bool,
    reason: Option<usize>,
}

/// History that was read but not booked.
#[derive(Debug, Default)]
pub struct PendingHistory {
    lines: Vec<Read>,
    /// Repeated reasons are stored once.
    reasons: Vec<String>,
    places: HashMap<String, usize>,
    /// Users whose accounts it moves.
    users: HashSet<Id>,
}

impl PendingHistory {
    /// Number of movements.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn reason(&mut self, text: String) -> usize {
        if let Some(place) = self.places.get(&text) {
            return *place;
        }
        self.reasons.push(text.clone());
        self.places.insert(text, self.reasons.len() - 1);
        self.reasons.len() - 1
    }
}

/// Balances in a user's line.
#[derive(Debug, Clone)]
pub struct Claim {
    pub number: u64,
    /// User name in lower case.
    pub username_key: String,
    /// App credits.
    pub credits: i64,
    /// Stock.
    pub sale_credits: i64,
}

fn refused(field: &str, code: Code) -> LineOutcome {
    LineOutcome::Refused(Violations(vec![Violation::new(field, code)]))
}

fn broken(field: &str, balance: i64) -> LineOutcome {
    LineOutcome::Refused(Violations(vec![Violation::new(field, Code::BrokenChain).with("balance", balance)]))
}

impl CreditService {
    /// Users whose balances are moved by lines of history, by user name in lower case. Invalid
    /// lines are reported later, when they are read for booking.
    pub fn targets_of(&self, lines: Vec<ImportedLine>) -> Vec<String> {
        let (read, _) = read_lines(&self.past, lines);
        let target =
            |(_, operation): (u64, PastOperation)| operation.target_user.username.to_ascii_lowercase();
        read.into_iter().map(target).collect()
    }

    /// Reads a batch of lines; returns the rejected ones.
    pub async fn read_history(
        &self,
        lines: Vec<ImportedLine>,
        pending: &mut PendingHistory,
    ) -> Result<Vec<(u64, LineOutcome)>, Error> {
        let (read, mut outcomes) = read_lines(&self.past, lines);
        let mut names: Vec<String> = read
            .iter()
            .flat_map(|(_, operation)| [&operation.target_user, &operation.performed_by_user])
            .map(|user| user.username.to_ascii_lowercase())
            .collect();
        names.sort_unstable();
        names.dedup();
        let users = self.ledger.users_named(&names).await?;
        let now = self.calendar.now();
        let known = |name: &str| users.get(&name.to_ascii_lowercase()).copied();
        for (number, operation) in read {
            let kind = operation.operation_type;
            let refusal = match (
                known(&operation.target_user.username),
                known(&operation.performed_by_user.username),
            ) {
                (None, _) => Some(refused("targetUser.username", Code::UnknownReference)),
                (_, None) => Some(refused("performedByUser.username", Code::UnknownReference)),
                (Some(LedgerUser { role, .. }), _) if role != kind.target_role() => {
                    let expected = kind.target_role().code();
                    let violation =
                        Violation::new("targetUser.username", Code::WrongRole).with("expected", expected);
                    Some(LineOutcome::Refused(Violations(vec![violation])))
                }
                _ if operation.operation_date > now => Some(refused("operationDate", Code::InvalidDate)),
                (Some(target), Some(performer)) => {
                    let reason = operation.reason.map(|text| pending.reason(text));
                    pending.users.insert(target.id);
                    pending.lines.push(Read {
                        number,
                        user: target.id,
                        for_sale: kind.is_for_sale(),
                        past: PastMovement {
                            at: operation.operation_date.trunc_subsecs(3),
                            change: if kind.deducts() { -operation.amount } else { operation.amount },
                            before: operation.balance_before,
                        },
                        performer: performer.id,
                        by_agent: performer.role == RoleCode::Agent,
                        reason,
                    });
                    None
                }
            };
            outcomes.extend(refusal.map(|refusal| (number, refusal)));
        }
        outcomes.sort_by_key(|(number, _)| *number);
        Ok(outcomes)
    }

    /// Books the history. `report` receives the outcome of every line, batch by batch.
    pub async fn book_history(
        &self,
        pending: &mut PendingHistory,
        mut report: impl FnMut(Vec<(u64, LineOutcome)>),
    ) -> Result<(), Error> {
        let mut lines = std::mem::take(&mut pending.lines);
        lines.sort_by_key(|line| (line.user, line.for_sale, line.past.at, line.number));
        let mut batch: Vec<&[Read]> = Vec::new();
        let mut size = 0;
        for account in lines.chunk_by(|a, b| (a.user, a.for_sale) == (b.user, b.for_sale)) {
            batch.push(account);
            size += account.len();
            if size >= BATCH {
                report(self.book_batch(&batch, &pending.reasons).await?);
                batch.clear();
                size = 0;
            }
        }
        if !batch.is_empty() {
            report(self.book_batch(&batch, &pending.reasons).await?);
        }
        Ok(())
    }

    async fn book_batch(
        &self,
        accounts: &[&[Read]],
        reasons: &[String],
    ) -> Result<Vec<(u64, LineOutcome)>, Error> {
        let histories: Vec<History> = accounts
            .iter()
            .filter_map(|lines| {
                let first = lines.first()?;
                let movements = lines.iter().map(|line| HistoryMovement {
                    past: line.past,
                    performer: line.performer,
                    by_agent: line.by_agent,
                    reason: line.reason.and_then(|place| reasons.get(place).cloned()),
                });
                Some(History { user: first.user, for_sale: first.for_sale, movements: movements.collect() })
            })
            .collect();
        let verdicts = self.ledger.book_history(&histories, self.calendar.now()).await?;
        let lines = accounts.iter().flat_map(|lines| lines.iter());
        Ok(lines
            .zip(verdicts.into_iter().flatten())
            .map(|(line, verdict)| (line.number, outcome(verdict)))
            .collect())
    }

    /// Compares the balances in users' lines with the ledger. A booked history must result in them;
    /// an account whose history was completely rejected is opened with them.
    pub async fn reconcile_claims(
        &self,
        claims: &[Claim],
        history: &PendingHistory,
    ) -> Result<Vec<(u64, LineOutcome)>, Error> {
        let mut outcomes = Vec::new();
        for claims in claims.chunks(BATCH) {
            let names: Vec<String> = claims.iter().map(|claim| claim.username_key.clone()).collect();
            let users = self.ledger.users_named(&names).await?;
            let ids: Vec<Id> = users.values().map(|user| user.id).collect();
            let balances = self.ledger.balances(&ids).await?;
            let (mut openings, mut opened) = (Vec::new(), Vec::new());
            let now = self.calendar.now();
            for claim in claims {
                let Some(user) = users.get(&claim.username_key) else { continue };
                let (credits, stock) = balances.get(&user.id).copied().unwrap_or_default();
                let accounts = [
                    ("credits", RoleCode::App, claim.credits, credits),
                    ("saleCredits", RoleCode::Agent, claim.sale_credits, stock),
                ];
                for (field, role, said, is) in accounts {
                    if said == is {
                    } else if said < 0 || user.role != role || is != 0 || history.users.contains(&user.id) {
                        outcomes.push((claim.number, broken(field, is)));
                    } else {
                        openings.push(History::opening(user.id, role == RoleCode::Agent, said, user.id, now));
                        opened.push((claim.number, field));
                    }
                }
            }
            if openings.is_empty() {
                continue;
            }
            let verdicts = self.ledger.book_history(&openings, now).await?;
            for ((number, field), verdict) in opened.into_iter().zip(verdicts.into_iter().flatten()) {
                match verdict {
                    Verdict::Booked | Verdict::Known => {}
                    // Credits were sold since the balances were read.
                    Verdict::Broken(balance) => outcomes.push((number, broken(field, balance))),
                    Verdict::Late => outcomes.push((number, refused(field, Code::OutOfOrder))),
                }
            }
        }
        Ok(outcomes)
    }
}

fn outcome(verdict: Verdict) -> LineOutcome {
    match verdict {
        Verdict::Booked => LineOutcome::Accepted(Change::Created),
        Verdict::Known => LineOutcome::Accepted(Change::Unchanged),
        Verdict::Broken(balance) => broken("balanceBefore", balance),
        Verdict::Late => refused("operationDate", Code::OutOfOrder),
    }
}

/// Balances in a user's line.
pub(crate) fn claim_of(number: u64, username_key: String, json: &Value) -> Option<Claim> {
    let balance = |name: &str| json.get(name).and_then(Value::as_i64).unwrap_or_default();
    let (credits, sale_credits) = (balance("credits"), balance("saleCredits"));
    (credits != 0 || sale_credits != 0).then_some(Claim { number, username_key, credits, sale_credits })
}
