//! A model and a ledger that execute the same commands.

use chrono::{DateTime, Datelike, Months, NaiveTime, TimeDelta, Utc};
use domain_credits::OperationType::{self, AddCredits, AddCreditsForSale, DeductCredits};
use domain_kernel::{
    Enumeration,
    RoleCode::{self, Admin, Agent, App, Superadmin},
};
use domain_users::{Scope, UserStatus, toggled};
use ports::{
    CreditOrder, Inserted, Ledger, OrderConflict, Posted, ReversalOrder, StatementRows, Statements,
    UserUpdateConflict, Written,
};
use sea_orm::QueryResult;

use super::{
    commands::Command,
    model::{Expected, Model, Moved, User},
    stock::{StockMove, expected, summed},
};
use crate::{
    fixture::{ROOT, TestUsers, name, new_user, once, order, reversal},
    support::{TestDb, edit_of, start},
};

/// A model and the ledger.
pub(super) struct Machine {
    pub(super) db: TestDb,
    pub(super) fixture: TestUsers,
    pub(super) model: Model,
    pub(super) now: DateTime<Utc>,
}

impl Machine {
    pub(super) async fn new(db: TestDb) -> Self {
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

    pub(super) async fn step(&mut self, command: &Command) {
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

    pub(super) async fn create(&mut self, parent: usize, role: RoleCode) {
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

    pub(super) async fn post(
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

    /// Sends a new order; returns the resulting operation.
    pub(super) async fn send(
        &mut self,
        performer: usize,
        target: usize,
        order: &CreditOrder,
    ) -> Option<usize> {
        let at = self.model.at(self.now, performer, Some(target));
        // A first month is counted from the server's time, independent of the date of the movement.
        let expected = self.model.post(performer, target, order, self.now);
        let posted = self.fixture.ledger.post(order, self.now).await.unwrap();
        self.answered(expected, performer, at, posted, None)
    }

    pub(super) fn answered(
        &mut self,
        expected: Result<Moved, Expected>,
        performer: usize,
        at: DateTime<Utc>,
        posted: Posted,
        reverses: Option<usize>,
    ) -> Option<usize> {
        let class = match &posted {
            Inserted::New(_) => Expected::Done,
            Inserted::Replayed(movement) => {
                let known = self.model.done.iter().position(|done| done.movement == *movement);
                Expected::Replayed(known.expect("an answer of an earlier command"))
            }
            Inserted::KeyReused => Expected::KeyReused,
            Inserted::Conflict(OrderConflict::Hidden) => Expected::Hidden,
            Inserted::Conflict(OrderConflict::Refused(refusal)) => Expected::Refused(*refusal),
        };
        assert_eq!(class, expected.as_ref().map_or_else(Clone::clone, |_| Expected::Done));
        let (Ok(moved), Inserted::New(movement)) = (expected, posted) else { return None };
        self.model.follow(&moved, performer, at, movement, reverses);
        Some(self.model.done.len() - 1)
    }

    pub(super) async fn reverse(&mut self, performer: usize, index: usize, payers_side: bool) {
        let original = &self.model.done[index];
        let (payer, target) = (original.payer, original.target);
        // The entries of both sides have consecutive IDs.
        let movement = original.movement.id + i64::from(payers_side);
        let order: ReversalOrder = reversal(&self.model.users[performer].username, movement);
        let at = self.model.at(self.now, target, payer);
        let hidden = payers_side && payer.is_none();
        let expected =
            if hidden { Err(Expected::Hidden) } else { self.model.reverse(performer, index, self.now) };
        let posted = self.fixture.ledger.reverse(&order, self.now).await.unwrap();
        self.answered(expected, performer, at, posted, Some(index));
    }

    /// An order that was sent before, with the same key: unchanged, or with another body.
    pub(super) async fn retry(&mut self, number: usize, changed: bool) {
        if self.model.orders.is_empty() {
            return;
        }
        let number = number % self.model.orders.len();
        let (mut order, performer, target, done) = self.model.orders[number].clone();
        let Some(index) = done else {
            // It was refused, so its key was not used.
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

    pub(super) async fn edit(&mut self, index: usize, edit: impl FnOnce(&mut User)) {
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

    /// All users equal the model.
    pub(super) async fn compare(&self) {
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

    pub(super) async fn verify(&self) {
        assert_eq!(self.fixture.ledger.verify(self.now + TimeDelta::days(9999)).await.unwrap(), []);
    }

    /// The statements of every agent and month equal the model's changes of its stock.
    pub(super) async fn statements(&self) {
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
            assert_eq!(stock, user.stock, "the closing stock of the last month is the stock");
        }
    }

    /// All operations of the model are stored, and no others.
    pub(super) async fn finish(self) -> TestDb {
        self.verify().await;
        self.statements().await;
        let operations = self.db.number("SELECT count(*) AS number FROM operations").await;
        assert_eq!(operations, i64::try_from(self.model.done.len()).unwrap());
        self.db
    }
}
