//! Statements: months of the service's time zone, lines of a file, and permissions.

use std::sync::Arc;

use application::{AuditService, Calendar, Error, ExportedLine, StatementService};
use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_credits::{CreditType, StatementConcept, StatementLine, StockMovements};
use domain_kernel::{RoleCode, UserRef, Username};
use ports::{MockAuditRepository, MockClock, MockStatements, StatementAccount, StatementRows, StockSum};
use serde_json::{Map, json};

use crate::support::{actor, calendar, refused};

fn named(username: &str) -> UserRef {
    UserRef { username: Username::parse(username).unwrap(), full_name: "Alguien".into() }
}

fn sum(is_target: bool, other: Option<CreditType>, amount: i64) -> StockSum {
    let of = StockMovements { is_target, other, adds: amount > 0, is_reversal: false, imported: false };
    StockSum { of, amount, movements: 1 }
}

fn account(from: DateTime<Utc>, to: DateTime<Utc>) -> StatementAccount {
    StatementAccount {
        id: 7,
        user: named("ana_1"),
        has_stock: true,
        from,
        to,
        opening: 5,
        closing: 5 + 100 - 2 * 1500,
        last: Some(9),
        sums: vec![sum(true, None, 100), sum(false, Some(CreditType::Normal), -2 * 1500)],
    }
}

/// Customers to whom the agent sold two credits each, by number.
fn customers(after: Option<&Username>, size: u32) -> Vec<StatementRows> {
    let first = after.map_or(0, |name| name.as_str()[4..].parse::<u32>().unwrap() + 1);
    let row = |number| StatementRows {
        user: named(&format!("app_{number:04}")),
        sums: vec![sum(false, Some(CreditType::Normal), -2)],
    };
    (first..1500).take(size as usize).map(row).collect()
}

fn pairs(month: &str) -> Vec<(String, String)> {
    vec![("month".into(), month.into())]
}

#[tokio::test]
async fn without_the_permission_nothing_is_read() {
    let service = StatementService::new(Arc::new(MockStatements::new()), calendar());
    for role in [RoleCode::ContentManager, RoleCode::App] {
        let found = service.find(&actor(role), "ana_1", &[]).await;
        assert!(matches!(found, Err(Error::Denied(_))));
        let audit = AuditService::new(Arc::new(MockAuditRepository::new()), calendar());
        assert!(matches!(service.export(&audit, &actor(role), "ana_1", &[]).await, Err(Error::Denied(_))));
    }
    let outcome = service.find(&actor(RoleCode::Admin), "ana_1", &pairs("2026-12")).await;
    assert_eq!(refused(outcome), [("month".to_owned(), "TOO_LARGE")]);
}

#[tokio::test]
async fn a_month_is_one_of_the_services_time_zone() {
    let mut clock = MockClock::new();
    clock.expect_now().returning(|| "2026-11-30T23:30:00Z".parse().unwrap());
    let madrid = Calendar::new(Arc::new(clock), chrono_tz::Europe::Madrid);
    for (query, month, from, to, complete) in [
        ("2026-03", "2026-03", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z", true),
        ("2026-11", "2026-11", "2026-10-31T23:00:00Z", "2026-11-30T23:00:00Z", true),
        ("", "2026-12", "2026-11-30T23:00:00Z", "2026-12-31T23:00:00Z", false),
    ] {
        let mut store = MockStatements::new();
        store.expect_account().returning(|_, _, from, to| Ok(Some(account(from, to))));
        store.expect_rows().returning(|_, after, size| Ok(customers(after, size)));
        let service = StatementService::new(Arc::new(store), madrid.clone());
        let found = service.find(&actor(RoleCode::Agent), "ana_1", &pairs(query)).await.unwrap();
        assert_eq!((found.month.as_str(), found.complete), (month, complete));
        assert_eq!((found.from, found.to), (from.parse().unwrap(), to.parse().unwrap()));
        assert_eq!((found.rows.len(), found.more_rows), (500, true));
        assert_eq!(found.lines.len(), 11);
        assert_eq!(found.opening + found.lines.iter().map(|line| line.amount).sum::<i64>(), found.closing);
    }
}

#[tokio::test]
async fn a_file_has_all_users_and_adds_up_to_its_last_line() {
    let mut store = MockStatements::new();
    store.expect_account().returning(|_, _, from, to| Ok(Some(account(from, to))));
    store.expect_rows().times(2).returning(|_, after, size| Ok(customers(after, size)));
    let service = StatementService::new(Arc::new(store), calendar());
    let mut audit = MockAuditRepository::new();
    audit
        .expect_add()
        .withf(|entry, edit| {
            let is_of_ana = (entry.resource, entry.item.as_str()) == ("credits", "ana_1");
            let after = [("format".to_owned(), json!("csv")), ("month".to_owned(), json!("2026-11"))];
            is_of_ana
                && entry.action == AuditAction::Exported
                && entry.after == Map::from_iter(after)
                && edit.by == Username::parse("Someone")
        })
        .times(1)
        .returning(|_, _| Ok(()));
    let audit = AuditService::new(Arc::new(audit), calendar());
    let mut export = service.export(&audit, &actor(RoleCode::Admin), "ana_1", &[]).await.unwrap();
    let mut lines = Vec::new();
    loop {
        let next = service.next_lines(&mut export).await.unwrap();
        if next.is_empty() {
            break;
        }
        lines.extend(next);
    }
    let received = StatementLine { concept: StatementConcept::ReceivedFromAdmins, amount: 100, movements: 1 };
    assert_eq!(lines[..2], [ExportedLine::Opening(5), ExportedLine::Moved(None, received)]);
    assert_eq!(lines.len(), 1 + 1 + 1500 + 1);
    let amounts = lines.iter().filter_map(|line| match line {
        ExportedLine::Opening(stock) => Some(*stock),
        ExportedLine::Moved(_, line) => Some(line.amount),
        ExportedLine::Closing(_) => None,
    });
    assert_eq!(lines.last(), Some(&ExportedLine::Closing(amounts.sum())));
}
