//! Users and credits for tests: a root, and users registered by it.

use adapter_seaorm::{Database, SeaOrmLedger, SeaOrmUsers};
use chrono::{DateTime, Utc};
use domain_credits::{Movement, OperationType, Refusal};
use domain_kernel::{Id, Origin, RoleCode, Username};
use domain_users::{Scope, User, UserCredentials, UserStatus};
use ports::{
    Breach, CreditOrder, IdempotencyKey, Inserted, Ledger, OrderConflict, Posted, RegistrarChange,
    ReversalOrder, StoreError, UserInsert, UserRepository, UserUpdate, UserUpdateConflict, Written,
};

use crate::support::{TestDb, edit_of, start};

/// The first superadmin.
pub const ROOT: &str = "Root_1";

pub fn name(text: &str) -> Username {
    Username::parse(text).unwrap()
}

pub fn subtree(agent: &str) -> Scope {
    Scope::SubtreeOf(name(agent))
}

pub fn once(username: &str, key: &str, fingerprint: &str) -> IdempotencyKey {
    IdempotencyKey { username: name(username).key(), key: key.into(), fingerprint: fingerprint.into() }
}

pub fn new_user(username: &str, role: RoleCode) -> UserInsert {
    UserInsert {
        username: name(username),
        full_name: format!("Persona {username}"),
        email: "persona@example.com".into(),
        phone_number: "+34 600 000 000".into(),
        language: None,
        address: None,
        comment: None,
        password_hash: None,
        role,
        status: UserStatus::Active,
        subscription_started: true,
    }
}

/// An update without changes.
pub fn change(user: &User) -> UserUpdate {
    UserUpdate {
        full_name: user.full_name.clone(),
        email: user.email.clone(),
        phone_number: user.phone_number.clone(),
        language: user.language,
        address: user.address.clone(),
        comment: user.comment.clone(),
        role: user.role,
        status: user.status,
        expiration_date: user.expiration_date,
        subscription_started: user.subscription_started,
        registrar: RegistrarChange::Stays,
    }
}

pub fn order(performer: &str, operation: OperationType, target: &str, amount: i64) -> CreditOrder {
    let (performer, target) = (name(performer), name(target));
    CreditOrder {
        performer,
        target,
        operation,
        amount,
        reason: None,
        expected: None,
        once: None,
        origin: Origin::SERVER,
    }
}

pub fn reversal(performer: &str, movement: Id) -> ReversalOrder {
    ReversalOrder {
        performer: name(performer),
        movement,
        request: None,
        reason: None,
        once: None,
        origin: Origin::SERVER,
    }
}

/// The stores of users and credits on one node.
#[derive(Clone)]
pub struct TestUsers {
    pub users: SeaOrmUsers,
    pub ledger: SeaOrmLedger,
}

impl TestUsers {
    pub fn on(database: Database) -> Self {
        Self { users: SeaOrmUsers(database.clone()), ledger: SeaOrmLedger::new(database) }
    }

    /// With the root.
    pub async fn of(db: &TestDb) -> Self {
        let root = UserCredentials {
            username: name(ROOT),
            full_name: "Raíz".into(),
            role: RoleCode::Superadmin,
            status: UserStatus::Active,
            password_hash: None,
        };
        SeaOrmUsers(db.database.clone()).insert_first(&root, start()).await.unwrap();
        Self::on(db.database.clone())
    }

    /// With the root, and users with their registering users.
    pub async fn with(db: &TestDb, users: &[(&str, &str, RoleCode)]) -> Self {
        let fixture = Self::of(db).await;
        for (parent, username, role) in users {
            fixture.add(parent, username, *role).await;
        }
        fixture
    }

    /// Registers a user for another one.
    pub async fn add(&self, parent: &str, username: &str, role: RoleCode) -> User {
        self.register(parent, &new_user(username, role)).await
    }

    pub async fn register(&self, parent: &str, new_user: &UserInsert) -> User {
        match self.users.insert(new_user, &edit_of(parent, start()), None).await.unwrap() {
            Inserted::New(new) => new.user,
            other => panic!("{new_user:?}: {other:?}"),
        }
    }

    pub async fn user(&self, username: &str) -> User {
        self.users.find(&Scope::Everyone, &name(username)).await.unwrap().unwrap()
    }

    /// Changes a user, as the root.
    pub async fn edit(
        &self,
        username: &str,
        edit: impl FnOnce(&mut UserUpdate),
    ) -> Written<User, UserUpdateConflict> {
        let current = self.user(username).await;
        let mut change = change(&current);
        edit(&mut change);
        let scope = Scope::Everyone;
        self.users
            .update(&scope, &name(username), &change, current.version, &edit_of(ROOT, start()))
            .await
            .unwrap()
    }

    pub async fn expire(&self, username: &str, date: Option<DateTime<Utc>>) {
        let written = self.edit(username, |change| change.expiration_date = date).await;
        assert!(matches!(written, Written::Done(_)), "{written:?}");
    }

    pub async fn try_post(&self, order: &CreditOrder) -> Result<Posted, StoreError> {
        self.ledger.post(order, start()).await
    }

    pub async fn post(
        &self,
        performer: &str,
        operation: OperationType,
        target: &str,
        amount: i64,
    ) -> Movement {
        done(self.try_post(&order(performer, operation, target, amount)).await.unwrap())
    }

    /// Adds stock to an agent.
    pub async fn stock(&self, agent: &str, amount: i64) -> Movement {
        self.post(ROOT, OperationType::AddCreditsForSale, agent, amount).await
    }

    pub async fn refused(
        &self,
        performer: &str,
        operation: OperationType,
        target: &str,
        amount: i64,
    ) -> Refusal {
        match self.try_post(&order(performer, operation, target, amount)).await.unwrap() {
            Inserted::Conflict(OrderConflict::Refused(refusal)) => refusal,
            other => panic!("{other:?}"),
        }
    }

    pub async fn reverse(&self, performer: &str, movement: Id) -> Posted {
        self.ledger.reverse(&reversal(performer, movement), start()).await.unwrap()
    }

    /// App credits and stock.
    pub async fn balances(&self, username: &str) -> (i64, i64) {
        let user = self.user(username).await;
        (user.credits, user.sale_credits)
    }

    pub async fn verified(&self) -> Vec<Breach> {
        self.ledger.verify(start()).await.unwrap()
    }
}

pub fn done(posted: Posted) -> Movement {
    match posted {
        Inserted::New(movement) => movement,
        other => panic!("not done but {other:?}"),
    }
}

/// All rows of the tables of users and credits, for comparisons.
pub async fn snapshot(db: &TestDb) -> Vec<String> {
    let mut all = Vec::new();
    for (table, order) in [
        ("users", "id"),
        ("operations", "id"),
        ("entries", "id"),
        ("expiration_edits", "id"),
        ("entries_counts", "shard"),
        ("credits_sold", "day, shard"),
        ("users_counts", "role, status"),
        ("users_registered", "day"),
    ] {
        let row = if db.is_sqlite() {
            let columns = db.rows(&format!("SELECT name FROM pragma_table_info('{table}')")).await;
            let names = columns.iter().map(|row| row.try_get::<String>("", "name").unwrap());
            names.map(|name| format!("quote({name})")).collect::<Vec<_>>().join(" || ', ' || ")
        } else {
            "x::text".to_owned()
        };
        let rows = db.rows(&format!("SELECT {row} AS row FROM {table} x ORDER BY {order}")).await;
        all.extend(rows.iter().map(|row| format!("{table}: {}", row.try_get::<String>("", "row").unwrap())));
    }
    all
}
