//! The ledger against a model of it in memory: sequences of commands that nobody thought of, refusals among them.
//! After every step the answer, every balance, expiration and total of sales are what the model says; after every
//! tenth, and at the end, no invariant is broken; at the end the statements of all months are what the model says. A
//! sequence that fails is shrunk before it is reported.
//!
//! Each sequence begins with an empty database, so that all of it can be verified often. They are the same ones every
//! time: 60 on SQLite and 20 on PostgreSQL on a push, 300 on each nightly, or as many as `CARTELERA_MACHINE_SEQUENCES` says.

use std::{cell::RefCell, collections::BTreeMap};

use chrono::{DateTime, Datelike, Months, NaiveTime, TimeDelta, Utc};
use domain_credits::{Movement, OperationType, Refusal, StatementConcept};
use domain_kernel::{Enumeration, RoleCode};
use domain_users::{Scope, UserStatus, toggled};
use ports::{
    CreditOrder, Inserted, Ledger, Posted, ReversalOrder, StatementRows, Statements, StockSum,
    UserUpdateConflict, Written,
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use sea_orm::QueryResult;

use crate::{
    fixture::{ROOT, TestUsers, name, new_user, once, order, reversal},
    support::{TestDb, edit_of, nightly, start},
};
use OperationType::{AddCredits, AddCreditsForSale, DeductCredits, DeductCreditsForSale};
use RoleCode::{Admin, Agent, App, ContentManager, Superadmin};

const STEPS: usize = 60;
const STATUSES: [UserStatus; 4] =
    [UserStatus::Active, UserStatus::Active, UserStatus::Inactive, UserStatus::Suspended];

/// Users are meant by a number that is taken modulo how many there are, and so are operations and keys. `likely` is
/// one of those for whom it may work; all others are there to be refused.
#[derive(Debug, Clone)]
enum Command {
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

fn command() -> impl Strategy<Value = Command> {
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

/// Somebody, as the model has them.
#[derive(Debug, Clone, PartialEq)]
struct User {
    username: String,
    role: RoleCode,
    status: UserStatus,
    credits: i64,
    stock: i64,
    sales: i64,
    expiration: Option<DateTime<Utc>>,
}

/// An operation that was done.
#[derive(Debug, Clone)]
struct Done {
    movement: Movement,
    performer: usize,
    target: usize,
    payer: Option<usize>,
    sold: i64,
    is_reversal: bool,
    is_reversed: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Expected {
    Done,
    Replayed(usize),
    KeyReused,
    Hidden,
    Refused(Refusal),
}

/// What an operation moves: by how much the target's balance changes, where its expiration goes, who pays, what it sold.
struct Moved {
    operation: OperationType,
    target: usize,
    change: i64,
    expiration: Option<DateTime<Utc>>,
    payer: Option<usize>,
    sold: i64,
}

#[derive(Debug, Default)]
struct Model {
    users: Vec<User>,
    parents: Vec<Option<usize>>,
    /// When each one's last movement was.
    last: Vec<Option<DateTime<Utc>>>,
    done: Vec<Done>,
    /// Orders with a key, and the operation each led to.
    orders: Vec<(CreditOrder, usize, usize, Option<usize>)>,
}

impl Model {
    fn add(&mut self, username: &str, role: RoleCode, parent: Option<usize>) {
        let (username, status) = (username.to_owned(), UserStatus::Active);
        self.users.push(User { username, role, status, credits: 0, stock: 0, sales: 0, expiration: None });
        self.parents.push(parent);
        self.last.push(None);
    }

    /// The one that a number means: of all, or of those who fit, if anybody does.
    fn one(&self, number: usize, likely: bool, fits: impl Fn(usize, &User) -> bool) -> usize {
        let all = self.users.iter().enumerate();
        let fitting: Vec<usize> =
            all.filter(|(index, user)| !likely || fits(*index, user)).map(|(index, _)| index).collect();
        if fitting.is_empty() { number % self.users.len() } else { fitting[number % fitting.len()] }
    }

    fn is_above(&self, one: usize, other: usize) -> bool {
        self.parents[other].is_some_and(|parent| parent == one || self.is_above(one, parent))
    }

    fn sees(&self, one: usize, other: usize) -> bool {
        match self.users[one].role {
            Superadmin | Admin => true,
            Agent => one == other || self.is_above(one, other),
            ContentManager | App => false,
        }
    }

    fn manages(&self, one: usize, other: usize) -> bool {
        one != other
            && match self.users[one].role {
                Superadmin => true,
                Admin => self.users[other].role != Superadmin,
                Agent => matches!(self.users[other].role, Agent | App),
                ContentManager | App => false,
            }
    }

    fn at(&self, now: DateTime<Utc>, one: usize, other: Option<usize>) -> DateTime<Utc> {
        let last = [self.last[one], other.and_then(|other| self.last[other])];
        last.into_iter().flatten().fold(now, DateTime::max)
    }

    fn balance(&self, user: usize, for_sale: bool) -> i64 {
        if for_sale { self.users[user].stock } else { self.users[user].credits }
    }

    /// What the rules say of moving `amount` on `target`'s account: its change and expiration.
    fn applied(
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

    fn pays(&self, payer: usize, change: i64) -> Result<(), Refusal> {
        let stock = self.users[payer].stock;
        if stock < change { Err(Refusal::InsufficientSaleCredits(stock)) } else { Ok(()) }
    }

    fn post(
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

    fn reverse(&self, performer: usize, index: usize, at: DateTime<Utc>) -> Result<Moved, Expected> {
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

    /// What was expected has happened: the model follows, and the movement must be what it says.
    fn follow(
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

/// What an operation did to the stock of one user.
struct StockMove {
    at: DateTime<Utc>,
    change: i64,
    /// Whose balance moved the other way.
    other: Option<usize>,
    concept: StatementConcept,
}

impl Model {
    fn stock_moves(&self, user: usize) -> Vec<StockMove> {
        use StatementConcept as Concept;
        let mut all = Vec::new();
        for done in &self.done {
            let of_stock = matches!(done.movement.operation_type, AddCreditsForSale | DeductCreditsForSale);
            let adds = matches!(done.movement.operation_type, AddCredits | AddCreditsForSale);
            let amount = done.movement.amount;
            let mut push = |change: i64, other, concept| {
                let concept = match (done.is_reversal, change > 0) {
                    (false, _) => concept,
                    (true, true) => Concept::ReversedIn,
                    (true, false) => Concept::ReversedOut,
                };
                all.push(StockMove { at: done.movement.operation_date, change, other, concept });
            };
            if of_stock && done.target == user {
                push(
                    if adds { amount } else { -amount },
                    done.payer,
                    match (done.payer, adds) {
                        (None, true) => Concept::ReceivedFromAdmins,
                        (None, false) => Concept::ReturnedToAdmins,
                        (Some(_), true) => Concept::ReceivedFromAgents,
                        (Some(_), false) => Concept::ReturnedToAgents,
                    },
                );
            }
            if done.payer == Some(user) {
                push(
                    if adds { -amount } else { amount },
                    Some(done.target),
                    match (of_stock, adds) {
                        (true, true) => Concept::GivenToAgents,
                        (false, true) => Concept::SoldToCustomers,
                        _ => Concept::TakenBackFromAgents,
                    },
                );
            }
        }
        all
    }
}

type Sums = BTreeMap<StatementConcept, (i64, u64)>;

fn expected<'a>(moves: impl Iterator<Item = &'a StockMove>) -> Sums {
    let mut all = Sums::new();
    for one in moves {
        let sum = all.entry(one.concept).or_default();
        *sum = (sum.0 + one.change, sum.1 + 1);
    }
    all
}

fn summed(sums: &[StockSum]) -> Sums {
    let mut all = Sums::new();
    for one in sums {
        let sum = all.entry(StatementConcept::of(one.of)).or_default();
        *sum = (sum.0 + one.amount, sum.1 + one.movements);
    }
    all
}

/// A model, and the real thing beside it.
struct Machine {
    db: TestDb,
    fixture: TestUsers,
    model: Model,
    now: DateTime<Utc>,
}

impl Machine {
    async fn new(db: TestDb) -> Self {
        let fixture = TestUsers::of(&db).await;
        let mut machine = Self { db, fixture, model: Model::default(), now: start() };
        machine.model.add(ROOT, Superadmin, None);
        for (role, parent) in [(Admin, 0), (Agent, 0), (App, 2), (Agent, 2), (App, 4), (Agent, 4), (App, 0)] {
            machine.create(parent, role).await;
        }
        for agent in [2, 4] {
            machine.post(0, agent, AddCreditsForSale, 20, false).await;
        }
        machine
    }

    async fn step(&mut self, command: &Command) {
        let users = self.model.users.len();
        match *command {
            Command::Create { parent, role } => self.create(parent % users, role).await,
            Command::Post { performer, target, operation, amount, keyed, likely } => {
                let performer = self.model.one(performer, likely, |_, user| {
                    let may = matches!(user.role, Superadmin | Admin)
                        || user.role == Agent && operation != DeductCredits && user.stock > 0;
                    user.status == UserStatus::Active && may
                });
                let role = if matches!(operation, AddCredits | DeductCredits) { App } else { Agent };
                let target = self.model.one(target, likely, |index, user| {
                    user.role == role
                        && self.model.sees(performer, index)
                        && self.model.manages(performer, index)
                });
                self.post(performer, target, operation, amount, keyed).await;
            }
            Command::Reverse { performer, operation, payers_side, likely } => {
                let operation = operation % self.model.done.len();
                let payer = self.model.done[operation].payer;
                let performer = self.model.one(performer, likely, |index, user| {
                    user.status == UserStatus::Active
                        && (matches!(user.role, Superadmin | Admin) || Some(index) == payer)
                });
                self.reverse(performer, operation, payers_side).await;
            }
            Command::Retry { order, changed } => self.retry(order, changed).await,
            Command::SetStatus { user, status } => {
                self.edit(user % users, |user| user.status = status).await;
            }
            Command::SetRole { user, role } => {
                if matches!(self.model.users[user % users].role, App | Agent) {
                    self.edit(user % users, |user| user.role = role).await;
                }
            }
            Command::SetExpiration { user, date } => {
                self.edit(user % users, |user| user.expiration = date).await;
            }
            Command::Toggle { user } => {
                self.edit(user % users, |user| user.status = toggled(user.status)).await;
            }
            Command::Clock { minutes } => self.now += TimeDelta::minutes(minutes),
            Command::Restart => {
                self.db.reopen().await;
                self.fixture = TestUsers::on(self.db.database.clone());
            }
        }
        self.compare().await;
    }

    async fn create(&mut self, parent: usize, role: RoleCode) {
        let username = format!("user_{}", self.model.users.len());
        let new = new_user(&username, role);
        let registrar = name(&self.model.users[parent].username);
        let outcome = ports::UserRepository::insert(
            &self.fixture.users,
            &new,
            &edit_of(registrar.as_str(), self.now),
            None,
        )
        .await;
        assert!(matches!(outcome.unwrap(), Inserted::New(_)));
        self.model.add(&username, role, Some(parent));
    }

    async fn post(
        &mut self,
        performer: usize,
        target: usize,
        operation: OperationType,
        amount: i64,
        keyed: bool,
    ) {
        let (who, whom) = (&self.model.users[performer].username, &self.model.users[target].username);
        let key = format!("key {}", self.model.orders.len());
        let once = keyed.then(|| once(who, &key, "f"));
        let order = CreditOrder { once, ..order(who, operation, whom, amount) };
        let done = self.send(performer, target, &order).await;
        if keyed {
            self.model.orders.push((order, performer, target, done));
        }
    }

    /// Sends an order that was not done before; answers the operation it led to.
    async fn send(&mut self, performer: usize, target: usize, order: &CreditOrder) -> Option<usize> {
        let at = self.model.at(self.now, performer, Some(target));
        // A first month runs from the clock, whatever the date of the movement.
        let expected = self.model.post(performer, target, order, self.now);
        let posted = self.fixture.ledger.post(order, self.now).await.unwrap();
        self.answered(expected, performer, at, posted, None)
    }

    fn answered(
        &mut self,
        expected: Result<Moved, Expected>,
        performer: usize,
        at: DateTime<Utc>,
        posted: Posted,
        reverses: Option<usize>,
    ) -> Option<usize> {
        let class = match &posted {
            Posted::Done(_) => Expected::Done,
            Posted::Replayed(movement) => {
                let known = self.model.done.iter().position(|done| done.movement == *movement);
                Expected::Replayed(known.expect("an answer that was given before"))
            }
            Posted::KeyReused => Expected::KeyReused,
            Posted::Hidden => Expected::Hidden,
            Posted::Refused(refusal) => Expected::Refused(*refusal),
        };
        assert_eq!(class, expected.as_ref().map_or_else(Clone::clone, |_| Expected::Done));
        let (Ok(moved), Posted::Done(movement)) = (expected, posted) else { return None };
        self.model.follow(&moved, performer, at, movement, reverses);
        Some(self.model.done.len() - 1)
    }

    async fn reverse(&mut self, performer: usize, index: usize, payers_side: bool) {
        let original = &self.model.done[index];
        let (payer, target) = (original.payer, original.target);
        // Both sides were written one after the other.
        let movement = original.movement.id + i64::from(payers_side);
        let order: ReversalOrder = reversal(&self.model.users[performer].username, movement);
        let at = self.model.at(self.now, target, payer);
        let hidden = payers_side && payer.is_none();
        let expected =
            if hidden { Err(Expected::Hidden) } else { self.model.reverse(performer, index, self.now) };
        let posted = self.fixture.ledger.reverse(&order, self.now).await.unwrap();
        self.answered(expected, performer, at, posted, Some(index));
    }

    /// An order that was sent before, with the same key: as it was, or with another body.
    async fn retry(&mut self, number: usize, changed: bool) {
        if self.model.orders.is_empty() {
            return;
        }
        let number = number % self.model.orders.len();
        let (mut order, performer, target, done) = self.model.orders[number].clone();
        let Some(index) = done else {
            // It was refused, so nothing was done under its key.
            let done = self.send(performer, target, &order).await;
            self.model.orders[number].3 = done;
            return;
        };
        let mut expected = Expected::Replayed(index);
        if changed {
            order.amount += 1;
            order.once = order.once.map(|once| ports::IdempotencyKey { fingerprint: "other".into(), ..once });
            expected = Expected::KeyReused;
        }
        let posted = self.fixture.ledger.post(&order, self.now).await.unwrap();
        self.answered(Err(expected), performer, self.now, posted, None);
    }

    async fn edit(&mut self, index: usize, edit: impl FnOnce(&mut User)) {
        let mut user = self.model.users[index].clone();
        edit(&mut user);
        let last = index == 0 && (user.status != UserStatus::Active);
        let written = self
            .fixture
            .edit(&user.username.clone(), |change| {
                change.status = user.status;
                change.role = user.role;
                change.expiration_date = user.expiration;
            })
            .await;
        if last {
            assert_eq!(written, Written::Conflict(UserUpdateConflict::LastSuperadmin));
        } else {
            assert!(matches!(written, Written::Done(_)), "{written:?}");
            self.model.users[index] = user;
        }
    }

    /// Everybody is what the model says.
    async fn compare(&self) {
        let sql = "SELECT username, role, status, credits, sale_credits, total_sales, expiration_date FROM users ORDER BY id";
        let read = |row: &QueryResult| User {
            username: row.try_get("", "username").unwrap(),
            role: RoleCode::from_code(&row.try_get::<String>("", "role").unwrap()).unwrap(),
            status: UserStatus::from_code(&row.try_get::<String>("", "status").unwrap()).unwrap(),
            credits: row.try_get("", "credits").unwrap(),
            stock: row.try_get("", "sale_credits").unwrap(),
            sales: row.try_get("", "total_sales").unwrap(),
            expiration: row.try_get("", "expiration_date").unwrap(),
        };
        let found: Vec<User> = self.db.rows(sql).await.iter().map(read).collect();
        assert_eq!(found, self.model.users);
    }

    async fn verify(&self) {
        assert_eq!(self.fixture.ledger.verify(self.now + TimeDelta::days(9999)).await.unwrap(), []);
    }

    /// The statement of every agent and month is what the model did to its stock.
    async fn statements(&self) {
        for (index, user) in self.model.users.iter().enumerate() {
            let all = self.model.stock_moves(index);
            let mut from = start().with_day(1).unwrap().date_naive().and_time(NaiveTime::MIN).and_utc();
            let mut stock = 0;
            // A month before the first movement, and one after the last.
            while from <= self.now.max(start()) + TimeDelta::days(31) {
                let to = from + Months::new(1);
                let within: Vec<&StockMove> = all.iter().filter(|one| (from..to).contains(&one.at)).collect();
                let of = name(&user.username);
                let account = self.fixture.ledger.account(&Scope::Everyone, &of, from, to);
                let account = account.await.unwrap().unwrap();
                assert_eq!(account.opening, stock, "{} {from}", user.username);
                stock += within.iter().map(|one| one.change).sum::<i64>();
                assert_eq!(account.closing, stock, "{} {from}", user.username);
                assert_eq!(summed(&account.sums), expected(within.iter().copied()));
                let mut rows = Vec::new();
                loop {
                    let after = rows.last().map(|row: &StatementRows| row.user.username.clone());
                    let next = self.fixture.ledger.rows(&account, after.as_ref(), 2).await.unwrap();
                    if next.is_empty() {
                        break;
                    }
                    rows.extend(next);
                }
                let mut others: Vec<&str> = within
                    .iter()
                    .filter_map(|one| one.other)
                    .map(|other| self.model.users[other].username.as_str())
                    .collect();
                others.sort_unstable();
                others.dedup();
                let named: Vec<&str> = rows.iter().map(|row| row.user.username.as_str()).collect();
                assert_eq!(named, others);
                for row in &rows {
                    let is_with = |one: &&&StockMove| {
                        one.other
                            .is_some_and(|other| row.user.username == name(&self.model.users[other].username))
                    };
                    assert_eq!(summed(&row.sums), expected(within.iter().filter(is_with).copied()));
                }
                from = to;
            }
            assert_eq!(stock, user.stock, "what the last month closes with is the stock");
        }
    }

    /// Nothing is lost of what was done, and nothing is there besides.
    async fn finish(self) -> TestDb {
        self.verify().await;
        self.statements().await;
        let operations = self.db.number("SELECT count(*) AS number FROM operations").await;
        assert_eq!(operations, i64::try_from(self.model.done.len()).unwrap());
        self.db
    }
}

async fn play(db: TestDb, commands: &[Command]) -> TestDb {
    let mut machine = Machine::new(db).await;
    for (number, command) in commands.iter().enumerate() {
        machine.step(command).await;
        if number % 10 == 9 {
            machine.verify().await;
        }
    }
    machine.finish().await
}

fn sequences(on_push: u32) -> u32 {
    #[expect(clippy::disallowed_methods, reason = "how long to look is said on the command line")]
    std::env::var("CARTELERA_MACHINE_SEQUENCES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(if nightly() { 300 } else { on_push })
}

fn run(on_push: u32, db: impl AsyncFn() -> Option<TestDb>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let Some(first) = runtime.block_on(db()) else { return };
    let config = Config {
        cases: sequences(on_push),
        max_shrink_iters: 400,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let sequence = proptest::collection::vec(command(), STEPS);
    let used = RefCell::new(Some(first));
    let outcome = runner.run(&sequence, |commands| {
        let fresh = runtime.block_on(async {
            match used.take() {
                Some(used) if !used.is_sqlite() => used.emptied().await,
                _ => db().await.expect("what was there at first"),
            }
        });
        used.replace(Some(runtime.block_on(play(fresh, &commands))));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    if let Some(used) = used.take() {
        runtime.block_on(used.leave());
    }
}

#[test]
fn the_ledger_does_what_its_model_does_on_sqlite() {
    run(60, async || Some(TestDb::sqlite().await));
}

#[test]
fn the_ledger_does_what_its_model_does_on_postgres() {
    run(20, TestDb::postgres);
}
