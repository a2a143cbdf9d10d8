//! Concurrent sales by several clients, each with its own idempotency key, and their comparison
//! with the ledger.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::json;
use tokio::{task::JoinHandle, time::sleep};

use super::{Client, PASSWORD, Server, TestDb};

const APP_USERS: usize = 8;
static KEYS: AtomicU64 = AtomicU64::new(0);

/// Outcomes of the sales.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Keys answered 201, with the time of the response.
    pub acknowledged: HashMap<String, Instant>,
    /// Keys without an answer.
    pub unknown: HashSet<String>,
    /// Keys answered 5xx.
    pub failed: HashSet<String>,
    /// Keys answered 4xx.
    pub refused: HashSet<String>,
    /// Answers by status.
    pub statuses: BTreeMap<u16, usize>,
    /// Longest response time.
    pub slowest: Duration,
}

impl Outcome {
    /// Keys that were acknowledged before a time.
    pub fn acknowledged_before(&self, time: Instant) -> HashSet<String> {
        self.acknowledged.iter().filter(|(_, at)| **at < time).map(|(key, _)| key.clone()).collect()
    }

    /// Compares with the ledger.
    pub async fn compare(&self, db: &TestDb) -> Report {
        let stored = db.stored_keys().await;
        let lost = self.acknowledged.keys().filter(|key| !stored.contains(*key)).count();
        let refused = self.refused.iter().filter(|key| stored.contains(*key)).count();
        Report {
            acknowledged: self.acknowledged.len(),
            stored: stored.len(),
            lost,
            stored_though_refused: refused,
            unknown: self.unknown.len(),
            statuses: self.statuses.clone(),
        }
    }

    pub fn add(&mut self, other: Self) {
        self.acknowledged.extend(other.acknowledged);
        self.unknown.extend(other.unknown);
        self.failed.extend(other.failed);
        self.refused.extend(other.refused);
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.slowest = self.slowest.max(other.slowest);
    }
}

/// Printed and asserted result of a test.
#[derive(Debug)]
pub struct Report {
    pub acknowledged: usize,
    pub stored: usize,
    pub lost: usize,
    pub stored_though_refused: usize,
    pub unknown: usize,
    pub statuses: BTreeMap<u16, usize>,
}

impl Report {
    /// Number of 5xx responses.
    pub fn answered_5xx(&self) -> usize {
        self.statuses.range(500..).map(|(_, count)| count).sum()
    }

    /// Prints the figures; fails if an acknowledged sale is missing, a rejected one is stored, or a
    /// response was an error other than 503.
    pub fn assert_sound(&self, name: &str) {
        println!("{name}: {self}");
        assert!(self.acknowledged > 0, "{name}: no sale was acknowledged: {self}");
        assert_eq!(self.lost, 0, "{name}: {self}");
        assert_eq!(self.stored_though_refused, 0, "{name}: {self}");
        let faults: usize = self
            .statuses
            .iter()
            .filter(|(status, _)| **status >= 500 && **status != 503)
            .map(|(_, n)| n)
            .sum();
        assert_eq!(faults, 0, "{name}: {self}");
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "acknowledged {}, stored {}, lost {}, answered 5xx {}, without an answer {}, by status {:?}",
            self.acknowledged,
            self.stored,
            self.lost,
            self.answered_5xx(),
            self.unknown,
            self.statuses
        )
    }
}

/// An agent with a million credits and app users to sell them to.
pub struct Seller {
    pub admin: Client,
    pub agent: Client,
}

impl Seller {
    /// Registers the agent and its app users in an empty database.
    pub async fn create(server: &Server) -> Self {
        let url = &server.url;
        let admin = Client::sign_in(url, "admin").await;
        let user = |name: &str, role: &str| {
            json!({"username": name, "fullName": "Usuario de prueba", "email": "prueba@example.com",
                "phoneNumber": "+34 600 000 000", "password": PASSWORD, "roleCode": role})
        };
        admin.post(url, "/users", &user("vendedor", "agent")).await;
        let stock = json!({"targetUsername": "vendedor", "amount": 1_000_000});
        admin.post(url, "/credits/add-for-sale", &stock).await;
        let agent = Client::sign_in(url, "vendedor").await;
        for number in 0..APP_USERS {
            agent.post(url, "/users", &user(&format!("cliente_{number}"), "app")).await;
        }
        Self { admin, agent }
    }
}

/// Clients that sell until they are stopped.
pub struct Load {
    stopping: Arc<AtomicBool>,
    outcome: Arc<Mutex<Outcome>>,
    clients: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts clients that sell.
    pub fn start(server: &Server, seller: &Seller, clients: usize) -> Self {
        let stopping = Arc::new(AtomicBool::new(false));
        let outcome = Arc::new(Mutex::new(Outcome::default()));
        let url = server.url.clone();
        let clients = (0..clients)
            .map(|number| {
                let (stopping, outcome, url) = (stopping.clone(), outcome.clone(), url.clone());
                let agent = seller.agent.clone();
                tokio::spawn(async move {
                    let body =
                        json!({"targetUsername": format!("cliente_{}", number % APP_USERS), "amount": 1});
                    while !stopping.load(Ordering::Relaxed) {
                        let key = format!("sale-{}", KEYS.fetch_add(1, Ordering::Relaxed));
                        let begun = Instant::now();
                        let answer =
                            agent.send(&url, Method::POST, "/credits/add", Some(&key), Some(&body)).await;
                        let answered = Instant::now();
                        let failed = !matches!(&answer, Ok((status, _)) if status.is_success());
                        {
                            let mut outcome = outcome.lock().unwrap();
                            outcome.slowest = outcome.slowest.max(answered - begun);
                            if let Ok((status, _)) = &answer {
                                *outcome.statuses.entry(status.as_u16()).or_default() += 1;
                            }
                            match answer {
                                Ok((status, _)) if status.is_success() => {
                                    outcome.acknowledged.insert(key, answered);
                                }
                                Ok((status, _)) if status.is_server_error() => {
                                    outcome.failed.insert(key);
                                }
                                Ok(_) => {
                                    outcome.refused.insert(key);
                                }
                                Err(_) => {
                                    outcome.unknown.insert(key);
                                }
                            }
                        }
                        if failed {
                            // A client without a response does not retry at full speed.
                            sleep(Duration::from_millis(10)).await;
                        }
                    }
                })
            })
            .collect();
        Self { stopping, outcome, clients }
    }

    /// Sales acknowledged so far.
    pub fn acknowledged(&self) -> usize {
        self.outcome.lock().unwrap().acknowledged.len()
    }

    /// Keys that were acknowledged before a time.
    pub fn acknowledged_before(&self, time: Instant) -> HashSet<String> {
        self.outcome.lock().unwrap().acknowledged_before(time)
    }

    /// Waits for this number of further acknowledged sales.
    pub async fn wait_for(&self, more: usize, within: Duration) {
        let target = self.acknowledged() + more;
        let end = Instant::now() + within;
        while self.acknowledged() < target {
            assert!(
                Instant::now() < end,
                "fewer than {more} more sales within {within:?}: {:?}",
                self.outcome.lock().unwrap().statuses
            );
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits for this number of further 5xx responses.
    pub async fn wait_for_failures(&self, more: usize, within: Duration) {
        let failures = || self.outcome.lock().unwrap().failed.len();
        let (target, end) = (failures() + more, Instant::now() + within);
        while failures() < target {
            assert!(Instant::now() < end, "{:?}", self.outcome.lock().unwrap().statuses);
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Ends the clients after their current request.
    pub async fn stop(self) -> Outcome {
        self.stopping.store(true, Ordering::Relaxed);
        for client in self.clients {
            client.await.unwrap();
        }
        std::mem::take(&mut self.outcome.lock().unwrap())
    }
}
