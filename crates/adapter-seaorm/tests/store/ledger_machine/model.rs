//! The ledger in memory: users with their balances, and the effects or refusals of commands.

use chrono::{DateTime, Datelike, Months, TimeDelta, Utc};
use domain_credits::{
    Movement,
    OperationType::{self, AddCredits, AddCreditsForSale, DeductCredits, DeductCreditsForSale},
    Refusal,
};
use domain_kernel::RoleCode::{self, Admin, Agent, App, ContentManager, Superadmin};
use domain_users::UserStatus;
use ports::CreditOrder;

use crate::fixture::name;

/// A user of the model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct User {
    pub(super) username: String,
    pub(super) role: RoleCode,
    pub(super) status: UserStatus,
    pub(super) credits: i64,
    pub(super) stock: i64,
    pub(super) sales: i64,
    pub(super) expiration: Option<DateTime<Utc>>,
}

/// A completed operation.
#[derive(Debug, Clone)]
pub(super) struct Done {
    pub(super) movement: Movement,
    pub(super) performer: usize,
    pub(super) target: usize,
    pub(super) payer: Option<usize>,
    pub(super) sold: i64,
    pub(super) is_reversal: bool,
    pub(super) is_reversed: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expected {
    Done,
    Replayed(usize),
    KeyReused,
    Hidden,
    Refused(Refusal),
}

/// The effect of an operation: the change of the target's balance, its expiration, the payer, the
/// sold amount.
pub(super) struct Moved {
    pub(super) operation: OperationType,
    pub(super) target: usize,
    pub(super) change: i64,
    pub(super) expiration: Option<DateTime<Utc>>,
    pub(super) payer: Option<usize>,
    pub(super) sold: i64,
}

#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) users: Vec<User>,
    pub(super) parents: Vec<Option<usize>>,
    /// The time of each user's last movement.
    pub(super) last: Vec<Option<DateTime<Utc>>>,
    pub(super) done: Vec<Done>,
    /// Orders with a key, and their operations.
    pub(super) orders: Vec<(CreditOrder, usize, usize, Option<usize>)>,
}

impl Model {
    pub(super) fn add(&mut self, username: &str, role: RoleCode, parent: Option<usize>) {
        let (username, status) = (username.to_owned(), UserStatus::Active);
        self.users.push(User { username, role, status, credits: 0, stock: 0, sales: 0, expiration: None });
        self.parents.push(parent);
        self.last.push(None);
    }

    /// The user for a number: of all, or of the matching ones, if there are any.
    pub(super) fn one(&self, number: usize, likely: bool, fits: impl Fn(usize, &User) -> bool) -> usize {
        let all = self.users.iter().enumerate();
        let matching: Vec<usize> =
            all.filter(|(index, user)| !likely || fits(*index, user)).map(|(index, _)| index).collect();
        if matching.is_empty() { number % self.users.len() } else { matching[number % matching.len()] }
    }

    pub(super) fn is_above(&self, one: usize, other: usize) -> bool {
        self.parents[other].is_some_and(|parent| parent == one || self.is_above(one, parent))
    }

    pub(super) fn sees(&self, one: usize, other: usize) -> bool {
        match self.users[one].role {
            Superadmin | Admin => true,
            Agent => one == other || self.is_above(one, other),
            ContentManager | App => false,
        }
    }

    pub(super) fn manages(&self, one: usize, other: usize) -> bool {
        one != other
            && match self.users[one].role {
                Superadmin => true,
                Admin => self.users[other].role != Superadmin,
                Agent => matches!(self.users[other].role, Agent | App),
                ContentManager | App => false,
            }
    }

    pub(super) fn at(&self, now: DateTime<Utc>, one: usize, other: Option<usize>) -> DateTime<Utc> {
        let last = [self.last[one], other.and_then(|other| self.last[other])];
        last.into_iter().flatten().fold(now, DateTime::max)
    }

    pub(super) fn balance(&self, user: usize, for_sale: bool) -> i64 {
        if for_sale { self.users[user].stock } else { self.users[user].credits }
    }

    /// The expected change and expiration of moving `amount` on `target`'s account.
    pub(super) fn applied(
        &self,
        operation: OperationType,
        target: usize,
        amount: i64,
        at: DateTime<Utc>,
    ) -> Result<(i64, Option<DateTime<Utc>>), Refusal> {
        let for_sale = matches!(operation, AddCreditsForSale | DeductCreditsForSale);
        let deducts = matches!(operation, DeductCredits | DeductCreditsForSale);
        let most = if for_sale { 1_000_000 } else { 1200 };
        if amount < 1 || amount > most {
            return Err(Refusal::Amount(most));
        }
        let balance = self.balance(target, for_sale);
        if deducts && amount > balance {
            return Err(if for_sale {
                Refusal::InsufficientSaleCredits(balance)
            } else {
                Refusal::InsufficientCredits(balance)
            });
        }
        let change = if deducts { -amount } else { amount };
        if for_sale {
            return Ok((change, self.users[target].expiration));
        }
        let months = Months::new(u32::try_from(amount).unwrap());
        let from = self.users[target].expiration.unwrap_or(at);
        let date = if deducts { from.checked_sub_months(months) } else { from.checked_add_months(months) };
        let date = date.filter(|date| (1..=9999).contains(&date.year()));
        date.map(|date| (change, Some(date))).ok_or(Refusal::OutOfReach)
    }

    pub(super) fn pays(&self, payer: usize, change: i64) -> Result<(), Refusal> {
        let stock = self.users[payer].stock;
        if stock < change { Err(Refusal::InsufficientSaleCredits(stock)) } else { Ok(()) }
    }

    pub(super) fn post(
        &self,
        performer: usize,
        target: usize,
        order: &CreditOrder,
        at: DateTime<Utc>,
    ) -> Result<Moved, Expected> {
        let refused = |refusal| Err(Expected::Refused(refusal));
        if !self.sees(performer, target) {
            return Err(Expected::Hidden);
        }
        if self.users[performer].status != UserStatus::Active {
            return refused(Refusal::NotActive);
        }
        let operation = order.operation;
        let pays = self.users[performer].role == Agent;
        if !self.manages(performer, target) || (pays && operation == DeductCredits) {
            return refused(Refusal::Forbidden);
        }
        let wanted = if matches!(operation, AddCredits | DeductCredits) { App } else { Agent };
        if self.users[target].role != wanted {
            return refused(Refusal::WrongRole(wanted));
        }
        let (change, expiration) =
            self.applied(operation, target, order.amount, at).map_err(Expected::Refused)?;
        let payer = pays.then_some(performer);
        if let Some(payer) = payer {
            self.pays(payer, change).map_err(Expected::Refused)?;
        }
        let sold = if pays { change } else { 0 };
        Ok(Moved { operation, target, change, expiration, payer, sold })
    }

    pub(super) fn reverse(
        &self,
        performer: usize,
        index: usize,
        at: DateTime<Utc>,
    ) -> Result<Moved, Expected> {
        let original = &self.done[index];
        let refused = |refusal| Err(Expected::Refused(refusal));
        let target = original.target;
        if !self.sees(performer, target) {
            return Err(Expected::Hidden);
        }
        if self.users[performer].status != UserStatus::Active {
            return refused(Refusal::NotActive);
        }
        let is_admin = matches!(self.users[performer].role, Superadmin | Admin);
        let is_own_sale = original.payer == Some(performer)
            && original.performer == performer
            && original.movement.operation_type == AddCredits;
        let may = is_admin || (self.users[performer].role == Agent && (is_own_sale || original.is_reversal));
        if !self.manages(performer, target) || !may {
            return refused(Refusal::Forbidden);
        }
        if original.is_reversal {
            return refused(Refusal::IsReversal);
        }
        if original.is_reversed {
            return refused(Refusal::AlreadyReversed);
        }
        if !is_admin {
            if at - original.movement.operation_date > TimeDelta::minutes(60) {
                return refused(Refusal::ReversalTooLate);
            }
            let is_app = |done: &Done| matches!(done.movement.operation_type, AddCredits | DeductCredits);
            let moved = self.done[index + 1..].iter().any(|done| done.target == target && is_app(done));
            if moved || self.users[target].expiration != original.movement.expiration_after {
                return refused(Refusal::MovedSince);
            }
        }
        let operation = match original.movement.operation_type {
            AddCredits => DeductCredits,
            DeductCredits => AddCredits,
            AddCreditsForSale => DeductCreditsForSale,
            DeductCreditsForSale => AddCreditsForSale,
        };
        let (change, mut expiration) =
            self.applied(operation, target, original.movement.amount, at).map_err(Expected::Refused)?;
        let now = self.users[target].expiration;
        if matches!(operation, AddCredits | DeductCredits) {
            if now == original.movement.expiration_after {
                expiration = original.movement.expiration_before;
            } else if now.is_none() {
                expiration = None;
            }
        }
        if let Some(payer) = original.payer {
            self.pays(payer, change).map_err(Expected::Refused)?;
        }
        Ok(Moved { operation, target, change, expiration, payer: original.payer, sold: -original.sold })
    }

    /// Applies the expected result to the model, and compares the movement with it.
    pub(super) fn follow(
        &mut self,
        moved: &Moved,
        performer: usize,
        at: DateTime<Utc>,
        movement: Movement,
        reverses: Option<usize>,
    ) {
        let for_sale = matches!(moved.operation, AddCreditsForSale | DeductCreditsForSale);
        let before = self.balance(moved.target, for_sale);
        let dates =
            if for_sale { (None, None) } else { (self.users[moved.target].expiration, moved.expiration) };
        assert_eq!((movement.balance_before, movement.balance_after), (before, before + moved.change));
        assert_eq!((movement.expiration_before, movement.expiration_after), dates);
        assert_eq!((movement.operation_type, movement.amount), (moved.operation, moved.change.abs()));
        assert_eq!(movement.operation_date, at);
        assert_eq!(movement.target_user.username, name(&self.users[moved.target].username));
        assert_eq!(movement.performed_by_user.username, name(&self.users[performer].username));
        let reversed = reverses.map(|index| self.done[index].movement.operation_id);
        assert_eq!((movement.reverses_operation_id, movement.reversed), (reversed, false));
        let target = &mut self.users[moved.target];
        target.expiration = moved.expiration;
        *(if for_sale { &mut target.stock } else { &mut target.credits }) += moved.change;
        self.last[moved.target] = Some(at);
        if let Some(payer) = moved.payer {
            self.users[payer].stock -= moved.change;
            self.users[payer].sales += moved.sold;
            self.last[payer] = Some(at);
        }
        if let Some(index) = reverses {
            self.done[index].is_reversed = true;
        }
        self.done.push(Done {
            movement,
            performer,
            target: moved.target,
            payer: moved.payer,
            sold: moved.sold,
            is_reversal: reverses.is_some(),
            is_reversed: false,
        });
    }
}
