//! The commands of a sequence, and how they are generated.

use chrono::{DateTime, TimeDelta, Utc};
use domain_credits::OperationType::{
    self, AddCredits, AddCreditsForSale, DeductCredits, DeductCreditsForSale,
};
use domain_kernel::RoleCode::{self, Admin, Agent, App, ContentManager};
use domain_users::UserStatus;
use proptest::prelude::*;

use crate::support::start;

pub(super) const STATUSES: [UserStatus; 4] =
    [UserStatus::Active, UserStatus::Active, UserStatus::Inactive, UserStatus::Suspended];

/// Users, operations and keys are numbers modulo their count. `likely` selects a user for whom the
/// command may succeed; all others test refusals.
#[derive(Debug, Clone)]
pub(super) enum Command {
    Create { parent: usize, role: RoleCode },
    Post { performer: usize, target: usize, operation: OperationType, amount: i64, keyed: bool, likely: bool },
    Reverse { performer: usize, operation: usize, payers_side: bool, likely: bool },
    Retry { order: usize, changed: bool },
    SetStatus { user: usize, status: UserStatus },
    SetRole { user: usize, role: RoleCode },
    SetExpiration { user: usize, date: Option<DateTime<Utc>> },
    Toggle { user: usize },
    Clock { minutes: i64 },
    Restart,
}

pub(super) fn command() -> impl Strategy<Value = Command> {
    let user = || 0..64_usize;
    let amount = prop_oneof![
        12 => 1..=4_i64,
        4 => 5..=40_i64,
        1 => prop_oneof![Just(0_i64), Just(-1), Just(1200), Just(1201), Just(1_000_000), Just(1_000_001), any::<i64>()],
    ];
    let operation = prop_oneof![6 => Just(AddCredits), 6 => Just(AddCreditsForSale), 2 => Just(DeductCredits), 2 => Just(DeductCreditsForSale)];
    let likely = || proptest::bool::weighted(0.8);
    let post = (user(), user(), operation, amount, any::<bool>(), likely()).prop_map(
        |(performer, target, operation, amount, keyed, likely)| Command::Post {
            performer,
            target,
            operation,
            amount,
            keyed,
            likely,
        },
    );
    let date = prop_oneof![
        Just(None),
        (-400..4000_i64).prop_map(|days| Some(start() + TimeDelta::days(days))),
        Just(Some("9998-12-31T23:59:59Z".parse().unwrap())),
    ];
    let all = |codes: &'static [RoleCode]| proptest::sample::select(codes);
    prop_oneof![
        30 => post,
        4 => (user(), all(&[App, App, Agent, Agent, Admin, ContentManager]))
            .prop_map(|(parent, role)| Command::Create { parent, role }),
        4 => (user(), user(), any::<bool>(), likely()).prop_map(|(performer, operation, payers_side, likely)| {
            Command::Reverse { performer, operation, payers_side, likely }
        }),
        4 => (user(), proptest::bool::weighted(0.2)).prop_map(|(order, changed)| Command::Retry { order, changed }),
        2 => (user(), proptest::sample::select(&STATUSES))
            .prop_map(|(user, status)| Command::SetStatus { user, status }),
        1 => (user(), all(&[App, Agent])).prop_map(|(user, role)| Command::SetRole { user, role }),
        3 => (user(), date).prop_map(|(user, date)| Command::SetExpiration { user, date }),
        1 => user().prop_map(|user| Command::Toggle { user }),
        2 => (-200..4000_i64).prop_map(|minutes| Command::Clock { minutes }),
        1 => (10..50_i64).prop_map(|days| Command::Clock { minutes: days * 24 * 60 }),
        1 => Just(Command::Restart),
    ]
}
