//! Monthly statement of an agent, on the screen and as a file (docs/spec/credits.md#statement).

use std::sync::Arc;

use chrono::{Datelike, Months, NaiveDate};
use domain_credits::{CreditType, Statement, StatementConcept, StatementLine, StatementRow};
use domain_kernel::{
    Action, Actor, Code, Enumeration, Permission, RoleCode, Subject, Today, UserRef, Username, Violation,
    Violations,
};
use domain_users::Scope;
use ports::{StatementAccount, StatementRows, Statements, StockSum};
use serde_json::json;

use crate::{AuditService, Calendar, Error};

const READ: Permission = Permission::new(Subject("CREDIT_HISTORY"), Action::Read);
/// Maximum other users in a statement; the file has all.
const MOST_ROWS: u32 = 500;
/// Other users per read for a file.
const STEP: u32 = 1000;

/// Use cases of statements.
pub struct StatementService {
    statements: Arc<dyn Statements>,
    calendar: Calendar,
}

/// A statement that is written to a file, step by step.
#[derive(Debug, Clone)]
pub struct StatementExport {
    account: StatementAccount,
    month: String,
    progress: Progress,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Progress {
    Opening,
    /// The rows after this user.
    Rows(Option<Username>),
    Done,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportedLine {
    /// Opening stock.
    Opening(i64),
    /// Total of a concept, by other user if any.
    Moved(Option<UserRef>, StatementLine),
    /// Closing stock: the sum of all previous lines.
    Closing(i64),
}

impl StatementExport {
    /// User name of the agent.
    pub fn username(&self) -> &Username {
        &self.account.user.username
    }

    /// The month: `2026-11`.
    pub fn month(&self) -> &str {
        &self.month
    }
}

impl StatementService {
    pub fn new(statements: Arc<dyn Statements>, calendar: Calendar) -> Self {
        Self { statements, calendar }
    }

    /// The statement of an agent whom the actor may see, for the requested month or the current
    /// one.
    pub async fn find(
        &self,
        actor: &Actor,
        username: &str,
        pairs: &[(String, String)],
    ) -> Result<Statement, Error> {
        let (account, first) = self.account(actor, username, pairs).await?;
        let mut rows = self.statements.rows(&account, None, MOST_ROWS + 1).await?;
        let more_rows = rows.len() > MOST_ROWS as usize;
        rows.truncate(MOST_ROWS as usize);
        let totals = lines(&account.sums);
        let of = |concept: &StatementConcept| {
            let found = totals.iter().find(|line| line.concept == *concept).cloned();
            found.unwrap_or(StatementLine { concept: *concept, amount: 0, movements: 0 })
        };
        Ok(Statement {
            month: month_of(first),
            from: account.from,
            to: account.to,
            time_zone: self.calendar.zone_name().to_owned(),
            complete: account.to <= self.calendar.now(),
            opening: account.opening,
            lines: StatementConcept::ALL.iter().map(of).collect(),
            closing: account.closing,
            rows: rows.iter().flat_map(statement_rows).collect(),
            more_rows,
            user: account.user,
        })
    }

    /// Begins the file of a statement, and records the export.
    pub async fn export(
        &self,
        audit: &AuditService,
        actor: &Actor,
        username: &str,
        pairs: &[(String, String)],
    ) -> Result<StatementExport, Error> {
        let (account, first) = self.account(actor, username, pairs).await?;
        let month = month_of(first);
        let of = &account.user.username;
        let after = [("format".to_owned(), json!("csv")), ("month".to_owned(), json!(month))];
        audit
            .record_export(actor, "credits", (of.key(), of.to_string()), after.into_iter().collect())
            .await?;
        Ok(StatementExport { account, month, progress: Progress::Opening })
    }

    /// The next lines of a file; empty after the last.
    pub async fn next_lines(&self, export: &mut StatementExport) -> Result<Vec<ExportedLine>, Error> {
        let account = &export.account;
        let after = match &export.progress {
            Progress::Done => return Ok(Vec::new()),
            Progress::Opening => {
                // Totals without another user; the others are in the rows.
                let issued: Vec<StockSum> =
                    account.sums.iter().filter(|sum| sum.of.other.is_none()).copied().collect();
                let mut all = vec![ExportedLine::Opening(account.opening)];
                all.extend(lines(&issued).into_iter().map(|line| ExportedLine::Moved(None, line)));
                export.progress = Progress::Rows(None);
                return Ok(all);
            }
            Progress::Rows(after) => after,
        };
        let rows = self.statements.rows(account, after.as_ref(), STEP).await?;
        let mut all: Vec<ExportedLine> = Vec::new();
        for row in &rows {
            let moved = |line| ExportedLine::Moved(Some(row.user.clone()), line);
            all.extend(lines(&row.sums).into_iter().map(moved));
        }
        export.progress = match rows.last() {
            Some(last) if rows.len() == STEP as usize => Progress::Rows(Some(last.user.username.clone())),
            _ => {
                all.push(ExportedLine::Closing(account.closing));
                Progress::Done
            }
        };
        Ok(all)
    }

    async fn account(
        &self,
        actor: &Actor,
        username: &str,
        pairs: &[(String, String)],
    ) -> Result<(StatementAccount, NaiveDate), Error> {
        actor.require(READ)?;
        let first = self.month(pairs)?;
        let missing = || Error::NoSuchUser(username.to_owned());
        let name = Username::parse(username).ok_or_else(missing)?;
        let next = first.checked_add_months(Months::new(1)).unwrap_or(first);
        let (from, to) = (self.calendar.beginning_of(first), self.calendar.beginning_of(next));
        let account = self.statements.account(&Scope::of(actor), &name, from, to).await?;
        let account = account.ok_or_else(missing)?;
        if !account.has_stock {
            let wrong = Violation::new("username", Code::WrongRole).with("expected", RoleCode::Agent.code());
            return Err(Violations(vec![wrong]).into());
        }
        Ok((account, first))
    }

    /// The first day of the requested month. A future month has no statement.
    fn month(&self, pairs: &[(String, String)]) -> Result<NaiveDate, Error> {
        let Today(today) = self.calendar.today();
        let this = today.with_day(1).unwrap_or(today);
        let mut first = this;
        for (name, value) in pairs {
            let text = value.trim();
            let violation = match name.as_str() {
                "month" if text.is_empty() => continue,
                "month" => match month(text) {
                    None => Violation::new("month", Code::InvalidDate),
                    Some(month) if month > this => {
                        Violation::new("month", Code::TooLarge).with("max", month_of(this))
                    }
                    Some(month) => {
                        first = month;
                        continue;
                    }
                },
                _ => Violation::new(name, Code::UnknownFilter).with("allowed", vec!["month"]),
            };
            return Err(Violations(vec![violation]).into());
        }
        Ok(first)
    }
}

/// The first day of `2026-11`.
fn month(text: &str) -> Option<NaiveDate> {
    let first: NaiveDate = format!("{text}-01").parse().ok()?;
    Some(first).filter(|first| text.len() == 7 && first.year() > 0)
}

fn month_of(first: NaiveDate) -> String {
    first.format("%Y-%m").to_string()
}

/// One line per concept with movements, in the order of the statement.
fn lines(sums: &[StockSum]) -> Vec<StatementLine> {
    let of = |concept: StatementConcept| {
        let mut line = StatementLine { concept, amount: 0, movements: 0 };
        for sum in sums.iter().filter(|sum| StatementConcept::of(sum.of) == concept) {
            line.amount += sum.amount;
            line.movements += sum.movements;
        }
        line
    };
    StatementConcept::ALL.iter().map(|concept| of(*concept)).filter(|line| line.movements > 0).collect()
}

/// A user whose role changed may have moved credits both as a customer and as an agent.
fn statement_rows(rows: &StatementRows) -> impl Iterator<Item = StatementRow> {
    CreditType::ALL.iter().filter_map(|credit_type| {
        let of = |sum: &&StockSum| sum.of.other == Some(*credit_type);
        let sums: Vec<StockSum> = rows.sums.iter().filter(of).copied().collect();
        (!sums.is_empty()).then(|| StatementRow::new(rows.user.clone(), *credit_type, &lines(&sums)))
    })
}
