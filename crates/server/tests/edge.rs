//! The binary from outside: slow and many connections, a port that is in use, limits.

use std::{
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

use reqwest::Client;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    time::{sleep, timeout},
};

const PASSWORD: &str = "Contrasena 1";

/// The binary over a database in a folder.
struct Server {
    process: Child,
    lines: mpsc::Receiver<String>,
    address: SocketAddr,
}

fn command(folder: &TempDir, settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cartelera"));
    command
        .arg("serve")
        .env("CARTELERA_DATABASE_URL", format!("sqlite://{}", folder.path().join("test.db").display()))
        .env("CARTELERA_BIND", "127.0.0.1:0")
        .env("CARTELERA_LOG", "warn")
        .envs(settings.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

impl Server {
    fn start(folder: &TempDir, settings: &[(&str, &str)]) -> Self {
        let mut command = command(folder, settings);
        command.env("CARTELERA_ADMIN_PASSWORD", PASSWORD);
        Self::run(command)
    }

    fn run(mut command: Command) -> Self {
        let mut process = command.spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let line = lines.recv_timeout(Duration::from_mins(1)).expect("the server says where it is");
        let address = line.rsplit('/').next().unwrap().parse().unwrap();
        Self { process, lines, address }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sends a signal by its name, such as `TERM`.
    fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        let done = Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap();
        assert!(done.success());
    }

    /// Stops the server like an operator; returns the duration.
    fn stop(mut self) -> Duration {
        let begun = Instant::now();
        self.signal("TERM");
        assert!(self.process.wait().unwrap().success());
        begun.elapsed()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn client() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().build().unwrap()
}

/// Two processes of the test hold more sockets than a shell allows by default.
fn raise_descriptor_limit() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
}

async fn send(address: SocketAddr, bytes: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    stream
}

const HALF_BODY: &str = "POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                         content-length: 1000\r\n\r\n{\"usernam";

async fn half_sent_bodies(address: SocketAddr, count: usize) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for _ in 0..count {
        streams.push(send(address, HALF_BODY).await);
    }
    streams
}

/// The response before the server closes the connection; `None` for neither in time.
async fn answer_until_end(mut stream: TcpStream, limit: Duration) -> Option<String> {
    let mut bytes = Vec::new();
    // A reset counts as a close.
    timeout(limit, stream.read_to_end(&mut bytes)).await.ok().map(drop)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_half_sent_bodies_delay_no_other_request_and_are_cut() {
    raise_descriptor_limit();
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder, &[]);
    let client = client();
    let body = json!({"username": "admin", "password": PASSWORD});
    let answer = client.post(server.url("/api/auth/login")).json(&body).send().await.unwrap();
    let cookie = answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();

    let begun = Instant::now();
    let streams = half_sent_bodies(server.address, 1000).await;
    let mut times = Vec::new();
    for _ in 0..100 {
        let before = Instant::now();
        let answer =
            client.get(server.url("/api/categories")).header("cookie", &cookie).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        times.push(before.elapsed());
    }
    times.sort();
    println!("beside 1,000 half-sent bodies: p50 {:?}, p99 {:?}, max {:?}", times[50], times[98], times[99]);
    assert!(times[99] < Duration::from_secs(2), "the slowest took {:?}", times[99]);

    let mut timed_out = 0;
    for stream in streams {
        let left = Duration::from_secs(25).saturating_sub(begun.elapsed()).max(Duration::from_millis(1));
        let answer = answer_until_end(stream, left).await.expect("the connection is cut in time");
        timed_out += usize::from(answer.starts_with("HTTP/1.1 408") && answer.contains("REQUEST_TIMEOUT"));
    }
    println!("cut after {:?}, {timed_out} of them with 408", begun.elapsed());
    assert!(begun.elapsed() > Duration::from_secs(9), "a slow network has ten seconds");
    assert!(timed_out > 900, "only {timed_out} got a reason");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_waits_for_no_half_sent_body() {
    raise_descriptor_limit();
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder, &[]);
    let _streams = half_sent_bodies(server.address, 1000).await;
    assert_eq!(client().get(server.url("/api/health/live")).send().await.unwrap().status(), 200);
    let took = server.stop();
    println!("stopped in {took:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

/// A request whose head the server has read, which waits for its body.
async fn request_in_flight(address: SocketAddr, body: &str) -> TcpStream {
    let head = format!(
        "POST /api/auth/login HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = send(address, &head).await;
    let expected = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut answer = vec![0; expected.len()];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(answer, expected, "{}", String::from_utf8_lossy(&answer));
    stream
}

async fn until_connections_are_refused(address: SocketAddr) {
    let begun = Instant::now();
    while TcpStream::connect(address).await.is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(20), "connections are still accepted");
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_waits_for_a_request_in_flight() {
    for signal in ["TERM", "INT"] {
        let folder = tempfile::tempdir().unwrap();
        let mut server = Server::start(&folder, &[]);
        let body = r#"{"username": "", "password": ""}"#;
        let mut stream = request_in_flight(server.address, body).await;
        server.signal(signal);
        until_connections_are_refused(server.address).await;
        stream.write_all(body.as_bytes()).await.unwrap_or_else(|error| panic!("{signal}: {error}"));
        let answer = answer_until_end(stream, Duration::from_secs(20)).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 422"), "{signal}: {answer}");
        assert!(server.process.wait().unwrap().success(), "{signal}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_ctrl_c_waits_for_no_request() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(&folder, &[]);
    let _stream = request_in_flight(server.address, HALF_BODY).await;
    let begun = Instant::now();
    server.signal("INT");
    until_connections_are_refused(server.address).await;
    server.signal("INT");
    assert!(server.process.wait().unwrap().success());
    assert!(begun.elapsed() < Duration::from_secs(5), "a stop waits as long: {:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_at_a_normal_rate_is_read_completely() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder, &[]);
    let body = json!({"username": "admin", "password": PASSWORD}).to_string();
    let head = format!(
        "POST /api/auth/login HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = send(server.address, &head).await;
    let (first, second) = body.split_at(10);
    stream.write_all(first.as_bytes()).await.unwrap();
    sleep(Duration::from_secs(3)).await;
    stream.write_all(second.as_bytes()).await.unwrap();
    let answer = answer_until_end(stream, Duration::from_secs(20)).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// A call over its own connection, from an address of this machine.
async fn call_from(source: &str, address: SocketAddr) -> String {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(format!("{source}:0").parse().unwrap()).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let request = "GET /api/health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let _ = stream.write_all(request.as_bytes()).await;
    answer_until_end(stream, Duration::from_secs(20)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_limited_per_address() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder, &[("CARTELERA_MAX_CONNECTIONS_PER_ADDRESS", "20")]);
    let streams = half_sent_bodies(server.address, 20).await;
    // The server has accepted all twenty once it has answered another client.
    assert!(call_from("127.0.0.2", server.address).await.starts_with("HTTP/1.1 200"));
    assert_eq!(call_from("127.0.0.1", server.address).await, "", "the twenty-first is closed");
    drop(streams);
    for attempt in 0.. {
        if call_from("127.0.0.1", server.address).await.starts_with("HTTP/1.1 200") {
            break;
        }
        assert!(attempt < 100, "connections that ended still count");
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trusted_proxy_has_no_limit_of_connections() {
    let folder = tempfile::tempdir().unwrap();
    let settings =
        [("CARTELERA_MAX_CONNECTIONS_PER_ADDRESS", "20"), ("CARTELERA_TRUSTED_PROXIES", "127.0.0.1")];
    let server = Server::start(&folder, &settings);
    let _streams = half_sent_bodies(server.address, 40).await;
    assert!(call_from("127.0.0.1", server.address).await.starts_with("HTTP/1.1 200"));
}

#[test]
fn the_limit_of_descriptors_is_raised_to_the_hard_limit() {
    let folder = tempfile::tempdir().unwrap();
    let direct = command(&folder, &[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -S -n 100 && exec \"$0\" serve"]).arg(direct.get_program());
    shell.envs(direct.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.stdout(Stdio::piped()).stderr(Stdio::null());
    let server = Server::run(shell);
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", server.process.id())).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let mut numbers = line.split_whitespace().skip(3);
    assert_eq!(numbers.next(), numbers.next(), "{line}");
}

#[test]
fn a_first_password_is_shown_by_a_start_that_listens() {
    let folder = tempfile::tempdir().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().to_string();
    let mut failed = command(&folder, &[("CARTELERA_BIND", &port)]).spawn().unwrap();
    assert!(!failed.wait().unwrap().success(), "the port is in use");
    let mut said = String::new();
    failed.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(!said.contains("password"), "{said}");

    let server = Server::run(command(&folder, &[]));
    let line = server.lines.recv_timeout(Duration::from_secs(20)).expect("the first password is shown");
    assert!(line.contains("user admin, password "), "{line}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn denied_calls_are_in_the_log_with_user_and_path_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(&folder, &[("CARTELERA_ADMIN_PASSWORD", PASSWORD)]);
    let log = folder.path().join("log");
    command.stderr(std::fs::File::create(&log).unwrap());
    let server = Server::run(command);
    let client = client();
    let body = json!({"username": "admin", "password": PASSWORD});
    let answer = client.post(server.url("/api/auth/login")).json(&body).send().await.unwrap();
    let cookie = answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let call = async |path: &str, name: &'static str, value: &str| {
        let method = if path.contains("auth") { reqwest::Method::POST } else { reqwest::Method::GET };
        let request = client.request(method, server.url(path)).header("cookie", &cookie).header(name, value);
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.headers()["x-request-id"].to_str().unwrap().to_owned())
    };
    let missing = call("/api/users/nobody_here?secret=typed", "accept", "*/*").await;
    let foreign = call("/api/auth/refresh", "sec-fetch-site", "cross-site").await;
    let key = call("/api/movies", "authorization", "Bearer ck_unknown_key").await;
    assert_eq!(call("/api/auth/logout", "accept", "*/*").await.0, 204);
    let ended = call("/api/movies", "accept", "*/*").await;
    let keyless = client.get(server.url("/api/movies")).send().await.unwrap();
    assert_eq!(keyless.status(), 401);
    let keyless = keyless.headers()["x-request-id"].to_str().unwrap().to_owned();
    assert_eq!((missing.0, foreign.0, key.0, ended.0), (404, 403, 401, 401));
    assert!(server.stop() < Duration::from_secs(10));

    let log = std::fs::read_to_string(log).unwrap();
    let line = |id: &str| log.lines().find(|line| line.contains(id) && line.contains("request denied"));
    let of_missing = line(&missing.1).unwrap_or_else(|| panic!("{log}"));
    for part in ["user admin", "/api/users/nobody_here", "127.0.0.1", "NOT_FOUND", "GET"] {
        assert!(of_missing.contains(part), "{part}: {of_missing}");
    }
    assert!(line(&foreign.1).unwrap_or_else(|| panic!("{log}")).contains("CROSS_SITE"));
    assert!(line(&ended.1).unwrap_or_else(|| panic!("{log}")).contains("NOT_AUTHENTICATED"));
    assert!(line(&key.1).unwrap_or_else(|| panic!("{log}")).contains("NOT_AUTHENTICATED"));
    assert!(line(&keyless).is_none(), "a request without a session is not logged");
    let secret = cookie.split('=').nth(1).unwrap();
    for text in [PASSWORD, secret, "ck_unknown_key", "typed"] {
        assert!(!log.contains(text), "{text} is in {log}");
    }
    assert!(!log.contains('\u{1b}'), "a file has no colours: {log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_is_json_lines_if_configured() {
    let folder = tempfile::tempdir().unwrap();
    let settings =
        [("CARTELERA_ADMIN_PASSWORD", PASSWORD), ("CARTELERA_LOG", "info"), ("CARTELERA_LOG_FORMAT", "json")];
    let mut command = command(&folder, &settings);
    let log = folder.path().join("log");
    command.stderr(std::fs::File::create(&log).unwrap());
    let server = Server::run(command);
    let body = json!({"username": "admin", "password": PASSWORD});
    let answer = client().post(server.url("/api/auth/login")).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    server.stop();
    let log = std::fs::read_to_string(log).unwrap();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let signed_in = lines.iter().find(|line| line["fields"]["message"] == "signed in");
    let signed_in = signed_in.unwrap_or_else(|| panic!("{log}"));
    assert_eq!((&signed_in["level"], &signed_in["fields"]["user"]), (&json!("INFO"), &json!("admin")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_are_not_public() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder, &[]);
    let client = client();
    let figures = async |url: String, token: Option<&str>| {
        let mut request = client.get(url);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap().contains("cartelera_http_requests_total"))
    };
    assert_eq!(figures(server.url("/metrics"), None).await, (404, false), "off unless it is enabled");
    drop(server);

    let token = "0123456789abcdef";
    let server = Server::start(&folder, &[("CARTELERA_METRICS_TOKEN", token)]);
    assert_eq!(figures(server.url("/metrics"), None).await, (401, false));
    assert_eq!(figures(server.url("/metrics"), Some("another")).await, (401, false));
    assert_eq!(figures(server.url("/metrics"), Some(token)).await, (200, true));
    let head = client.head(server.url("/metrics")).bearer_auth(token).send().await.unwrap();
    assert_eq!((head.status().as_u16(), head.bytes().await.unwrap().len()), (200, 0));
    drop(server);

    let server = Server::start(&folder, &[("CARTELERA_METRICS_BIND", "127.0.0.1:0")]);
    let line = server.lines.recv_timeout(Duration::from_secs(20)).unwrap();
    let separate = line.rsplit(' ').next().unwrap().to_owned();
    assert!(separate.ends_with("/metrics"), "{line}");
    assert_eq!(figures(separate.clone(), None).await, (200, true));
    assert_eq!(figures(separate.replace("/metrics", "/api/health/live"), None).await, (404, false));
    assert_eq!(figures(server.url("/metrics"), None).await, (404, false));
    let took = server.stop();
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_film_database_is_called_without_the_proxy_of_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let films = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let films_url = format!("http://{}", films.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = films.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let answer = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    let proxy = "http://127.0.0.1:9";
    let server = Server::start(
        &folder,
        &[
            ("CARTELERA_FILM_DATABASE_URL", &films_url),
            ("http_proxy", proxy),
            ("HTTP_PROXY", proxy),
            ("ALL_PROXY", proxy),
        ],
    );
    let client = client();
    let body = json!({"username": "admin", "password": PASSWORD});
    let answer = client.post(server.url("/api/auth/login")).json(&body).send().await.unwrap();
    let cookie = answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let url = server.url("/api/lookup/titles/tt0903747");
    let answer = client.get(url).header("cookie", cookie).send().await.unwrap();
    assert_eq!(answer.status(), 404, "{}", answer.text().await.unwrap());
}

#[test]
fn an_empty_password_on_standard_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut reset = command(&folder, &[]);
    let mut reset = Command::new(reset.get_program())
        .args(["reset-password", "admin"])
        .envs(reset.env("CARTELERA_LOG", "error").get_envs().filter_map(|(name, value)| Some((name, value?))))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert!(!reset.wait().unwrap().success());
    let mut said = String::new();
    reset.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("the password on standard input is empty"), "{said}");
}

#[tokio::test]
async fn the_probe_command_detects_a_station_of_shoutcast_1() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/;", listener.local_addr().unwrap());
    let probe = tokio::task::spawn_blocking(move || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cartelera"));
        command.args(["probe", &url]).env("CARTELERA_FETCH_ALLOW", "127.0.0.0/8").output().unwrap()
    });
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut request = [0; 1024];
    assert!(stream.read(&mut request).await.unwrap() > 0);
    // Frames of MPEG 1 layer III, 128 kbit/s, 44.1 kHz.
    let frame = [&[0xff, 0xfb, 0x90, 0x00][..], &[0; 413]].concat();
    stream.write_all(b"ICY 200 OK\r\ncontent-type:audio/mpeg\r\n\r\n").await.unwrap();
    stream.write_all(&frame.repeat(3)).await.unwrap();
    let output = probe.await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["probe"]["outcome"], "OK", "{found}");
}
