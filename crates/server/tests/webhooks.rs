//! The binary from outside: receivers that fail, hang and recover, a server that is stopped and one
//! that is killed in between, without an effect on the requests of staff.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::sleep,
};

const PASSWORD: &str = "Contrasena 1";

/// The binary over a database in a folder.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(folder: &TempDir) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_cartelera"))
            .arg("serve")
            .env("CARTELERA_DATABASE_URL", format!("sqlite://{}", folder.path().join("test.db").display()))
            .env("CARTELERA_BIND", "127.0.0.1:0")
            .env("CARTELERA_ADMIN_PASSWORD", PASSWORD)
            .env("CARTELERA_WEBHOOK_ALLOW", "127.0.0.1")
            // A proxy that would receive all requests if it was used.
            .env("http_proxy", "http://127.0.0.1:9")
            .env("HTTP_PROXY", "http://127.0.0.1:9")
            .env("CARTELERA_LOG", "warn")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().rsplit(' ').next().unwrap().to_owned();
        Self { process, url }
    }

    /// Stops the server like an operator.
    fn stop(mut self) {
        let done = Command::new("kill").arg(self.process.id().to_string()).status().unwrap();
        assert!(done.success());
        assert!(self.process.wait().unwrap().success(), "it ends by itself");
    }

    /// Kills the server like a power cut.
    fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    async fn sign_in(&self) -> Staff {
        let client = Client::builder().no_proxy().build().unwrap();
        let body = json!({"username": "admin", "password": PASSWORD});
        let answer = client.post(format!("{}/api/auth/login", self.url)).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let cookie = answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
        Staff { client, url: self.url.clone(), cookie }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
    }
}

/// A session of staff.
struct Staff {
    client: Client,
    url: String,
    cookie: String,
}

impl Staff {
    async fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let method = method.parse().unwrap();
        let mut request =
            self.client.request(method, format!("{}/api{path}", self.url)).header("cookie", &self.cookie);
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.unwrap();
        let status = answer.status();
        let text = answer.text().await.unwrap();
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }

    async fn hook(&self, name: &str, url: &str) -> Value {
        let events = ["ITEM_CREATED", "ITEM_CHANGED", "ITEM_REMOVED"];
        self.request("POST", "/webhooks", Some(&json!({"name": name, "url": url, "events": events}))).await
    }

    /// Adds a category, renames it several times, and returns its id.
    async fn work(&self, name: &str, changes: u32) -> i64 {
        let draft = |name: &str| json!({"description": name, "englishDescription": name, "type": "MOVIE"});
        let id = self.request("POST", "/categories", Some(&draft(name))).await["id"].as_i64().unwrap();
        for number in 1..=changes {
            let name = format!("{name} {number}");
            self.request("PUT", &format!("/categories/{id}"), Some(&draft(&name))).await;
        }
        id
    }

    async fn log(&self, hook: &Value) -> Vec<Value> {
        let page = self
            .request("GET", &format!("/webhooks/{}/deliveries?_size=1000&_sort=id", hook["id"]), None)
            .await;
        page["content"].as_array().unwrap().clone()
    }

    /// Waits until all deliveries of the log have arrived.
    async fn all_arrived(&self, hook: &Value) -> Vec<Value> {
        for _ in 0..600 {
            let log = self.log(hook).await;
            if !log.is_empty() && log.iter().all(|one| one["status"] == "DELIVERED") {
                return log;
            }
            sleep(Duration::from_millis(100)).await;
        }
        panic!("not everything arrived: {:#?}", self.log(hook).await);
    }
}

/// Behaviour of a receiver.
#[derive(Clone, Copy)]
enum Behaviour {
    Takes,
    Breaks,
    Hangs,
    /// To the metadata address of cloud providers.
    Redirects,
}

/// A receiver that passes on its requests in order: the entity and the event.
struct Receiver {
    url: String,
    behaviour: Arc<Mutex<Behaviour>>,
    took: Arc<Mutex<Vec<Value>>>,
}

impl Receiver {
    async fn new(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let (behaviour, took) = (Arc::new(Mutex::new(behaviour)), Arc::new(Mutex::new(Vec::new())));
        let (how, received) = (behaviour.clone(), took.clone());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (how, received) = (how.clone(), received.clone());
                tokio::spawn(async move {
                    let mut request = Vec::new();
                    let mut part = [0; 4096];
                    let body = loop {
                        let Ok(read @ 1..) = stream.read(&mut part).await else { return };
                        request.extend_from_slice(&part[..read]);
                        let text = String::from_utf8_lossy(&request);
                        let body = text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
                        if let Some(body) = body.and_then(|body| serde_json::from_str::<Value>(&body).ok()) {
                            break body;
                        }
                    };
                    let behaviour = *how.lock().unwrap();
                    let status = match behaviour {
                        Behaviour::Hangs => return std::future::pending().await,
                        Behaviour::Breaks => "500 Broken",
                        Behaviour::Redirects => "302 Found\r\nlocation: http://169.254.169.254/latest/",
                        Behaviour::Takes => {
                            received.lock().unwrap().push(body);
                            "200 OK"
                        }
                    };
                    let answer =
                        format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                    let _ = stream.write_all(answer.as_bytes()).await;
                });
            }
        });
        Self { url, behaviour, took }
    }

    fn is_now(&self, behaviour: Behaviour) {
        *self.behaviour.lock().unwrap() = behaviour;
    }

    /// Received versions of each item, by id, in order.
    fn versions(&self) -> HashMap<i64, Vec<i64>> {
        let mut all: HashMap<i64, Vec<i64>> = HashMap::new();
        for event in self.took.lock().unwrap().iter() {
            let versions = all.entry(event["data"]["id"].as_i64().unwrap()).or_default();
            versions.push(event["data"]["version"].as_i64().unwrap());
            // At least once: a delivery may be repeated right after itself.
            versions.dedup();
        }
        all
    }
}

fn install_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_failures_a_stop_and_a_kill_each_event_arrives_in_order() {
    install_tls();
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::new(Behaviour::Breaks).await;
    let server = Server::start(&folder);
    let staff = server.sign_in().await;
    let hook = staff.hook("Avisos", &receiver.url).await;
    let first = staff.work("Uno", 3).await;
    // The first attempts fail, as the log shows.
    let reported = loop {
        let log = staff.log(&hook).await;
        if log[0]["attempts"].as_u64().unwrap() > 0 {
            break log;
        }
        sleep(Duration::from_millis(50)).await;
    };
    assert_eq!((&reported[0]["statusCode"], &reported[0]["fault"]), (&json!(500), &json!("REFUSED")));
    assert!(reported[0]["nextAttemptAt"].is_string());
    assert!(reported[1..].iter().all(|one| one["attempts"] == 0), "what follows waits: {reported:#?}");
    server.stop();

    receiver.is_now(Behaviour::Takes);
    let server = Server::start(&folder);
    let staff = server.sign_in().await;
    let second = staff.work("Dos", 5).await;
    server.kill();

    let server = Server::start(&folder);
    let staff = server.sign_in().await;
    let log = staff.all_arrived(&hook).await;
    assert_eq!(log.len(), 10);
    let versions = receiver.versions();
    assert_eq!(versions[&first], [1, 2, 3, 4]);
    assert_eq!(versions[&second], [1, 2, 3, 4, 5, 6]);
    assert!(log[0]["attempts"].as_u64().unwrap() >= 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hanging_receiver_delays_no_request() {
    install_tls();
    let folder = tempfile::tempdir().unwrap();
    let (hangs, takes) = (Receiver::new(Behaviour::Hangs).await, Receiver::new(Behaviour::Takes).await);
    let server = Server::start(&folder);
    let staff = server.sign_in().await;
    let stuck = staff.hook("Colgado", &hangs.url).await;
    let good = staff.hook("Bueno", &takes.url).await;
    let before = Instant::now();
    let mut slowest = Duration::ZERO;
    for number in 0..30 {
        let begun = Instant::now();
        staff.work(&format!("Categoría {number}"), 1).await;
        slowest = slowest.max(begun.elapsed());
        sleep(Duration::from_millis(50)).await;
    }
    // Two requests of staff, on a busy machine; an attempt hangs for ten seconds.
    assert!(slowest < Duration::from_secs(3), "the slowest took {slowest:?}");
    let log = staff.all_arrived(&good).await;
    assert_eq!(log.len(), 60);
    assert!(takes.versions().values().all(|versions| *versions == [1, 2]));
    println!("slowest {slowest:?}, all in {:?}", before.elapsed());
    // A hanging attempt is reported as such after its timeout.
    for _ in 0..300 {
        let reported = staff.log(&stuck).await;
        if reported[0]["fault"] == "TIMED_OUT" {
            assert!(reported[0]["durationMs"].as_i64().unwrap() >= 9_000);
            assert_eq!(reported[0]["status"], "PENDING");
            return;
        }
        sleep(Duration::from_millis(100)).await;
    }
    panic!("{:#?}", staff.log(&stuck).await[0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redirect_to_a_private_address_is_refused_and_logged() {
    install_tls();
    let folder = tempfile::tempdir().unwrap();
    let redirects = Receiver::new(Behaviour::Redirects).await;
    let server = Server::start(&folder);
    let staff = server.sign_in().await;
    let led = staff.hook("Desviado", &redirects.url).await;
    let inside = staff.hook("Dentro", "http://10.0.0.1/").await;
    staff.work("Una", 0).await;
    for (hook, fault) in [(&led, "REDIRECTED"), (&inside, "FORBIDDEN_ADDRESS")] {
        let mut reported = staff.log(hook).await;
        for _ in 0..100 {
            if reported[0]["fault"].is_string() {
                break;
            }
            sleep(Duration::from_millis(100)).await;
            reported = staff.log(hook).await;
        }
        assert_eq!(reported[0]["fault"], fault, "{reported:#?}");
        assert_eq!(reported[0]["status"], "PENDING");
    }
    assert_eq!(staff.log(&led).await[0]["statusCode"], 302);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_nodes_delivers_and_the_other_takes_over_when_it_stops() {
    install_tls();
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::new(Behaviour::Takes).await;
    let (one, two) = (Server::start(&folder), Server::start(&folder));
    let staff = two.sign_in().await;
    let hook = staff.hook("Avisos", &receiver.url).await;
    for number in 0..10 {
        staff.work(&format!("Categoría {number}"), 2).await;
    }
    assert_eq!(staff.all_arrived(&hook).await.len(), 30);
    assert_eq!(receiver.took.lock().unwrap().len(), 30, "no event was delivered twice");
    one.stop();
    let last = staff.work("Después", 1).await;
    assert_eq!(staff.all_arrived(&hook).await.len(), 32);
    assert_eq!(receiver.versions()[&last], [1, 2]);
}
