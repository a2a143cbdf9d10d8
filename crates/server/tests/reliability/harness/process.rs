//! The binary as a process.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use super::{TestDb, client::PASSWORD};

/// A serving process.
pub struct Server {
    process: Child,
    /// `http://address:port`, without a slash.
    pub url: String,
    log: PathBuf,
}

fn command(db: &TestDb, arguments: &[&str], settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cartelera"));
    command
        .args(arguments)
        .env("CARTELERA_DATABASE_URL", db.url())
        .env("CARTELERA_BIND", "127.0.0.1:0")
        .env("CARTELERA_ADMIN_PASSWORD", PASSWORD)
        .env("CARTELERA_LOG", "warn")
        .envs(settings.iter().copied());
    command
}

impl Server {
    /// Starts the binary and waits until it listens.
    pub fn start(db: &TestDb) -> Self {
        Self::start_with(db, &[])
    }

    /// The same with more settings, as environment variables.
    pub fn start_with(db: &TestDb, settings: &[(&str, &str)]) -> Self {
        Self::try_start(db, settings).unwrap_or_else(|log| panic!("the server did not start:\n{log}"))
    }

    /// Starts the binary after a kill. The leases are ended before it: a server that finds one held tries
    /// again after five seconds.
    pub async fn start_after_kill(db: &TestDb) -> Self {
        db.end_leases().await;
        Self::start(db)
    }

    /// Starts the binary with the demo catalogue.
    pub fn start_with_demo(db: &TestDb) -> Self {
        Self::try_serve(db, &["serve", "--demo"], &[])
            .unwrap_or_else(|log| panic!("the server did not start:\n{log}"))
    }

    /// Starts the binary, or returns its log if it ended before it listened.
    pub fn try_start(db: &TestDb, settings: &[(&str, &str)]) -> Result<Self, String> {
        Self::try_serve(db, &["serve"], settings)
    }

    fn try_serve(db: &TestDb, arguments: &[&str], settings: &[(&str, &str)]) -> Result<Self, String> {
        let log = db.folder().join("server.log");
        let stderr = File::options().create(true).append(true).open(&log).unwrap();
        let mut process = command(db, arguments, settings)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let url = lines.by_ref().find_map(|line| {
            let line = line.ok()?;
            line.strip_prefix("Cartelera is at ").map(str::to_owned)
        });
        let Some(url) = url else {
            process.wait().unwrap();
            return Err(fs::read_to_string(&log).unwrap_or_default());
        };
        wait_for_answer(&url);
        Ok(Self { process, url, log })
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Current memory in bytes.
    pub fn memory(&self) -> u64 {
        self.bytes_of("VmRSS")
    }

    /// Peak memory in bytes since [`Self::reset_peak_memory`].
    pub fn peak_memory(&self) -> u64 {
        self.bytes_of("VmHWM")
    }

    pub fn reset_peak_memory(&self) {
        fs::write(format!("/proc/{}/clear_refs", self.id()), "5").unwrap();
    }

    fn bytes_of(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let value = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
        let kibibytes: u64 = value.trim().trim_end_matches("kB").trim().parse().unwrap();
        kibibytes * 1024
    }

    /// The log of the server and of earlier servers over the same database.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Whether the process still runs.
    pub fn is_running(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }

    /// Sends a signal by its name, such as `TERM`.
    pub fn signal(&self, name: &str) {
        signal(self.id(), name);
    }

    /// SIGKILL.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// SIGTERM; the process must end with 0 within the time.
    pub fn stop(self, within: Duration) -> Duration {
        self.stop_by("TERM", within)
    }

    /// The same with another signal.
    pub fn stop_by(mut self, signal: &str, within: Duration) -> Duration {
        let begun = Instant::now();
        self.signal(signal);
        let status = wait(&mut self.process, within);
        let status =
            status.unwrap_or_else(|| panic!("still running {within:?} after SIG{signal}:\n{}", self.log()));
        assert!(status.success(), "{status}\n{}", self.log());
        begun.elapsed()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits for the first response: only then does the server handle signals.
fn wait_for_answer(url: &str) {
    let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    stream
        .write_all(b"GET /api/health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    assert!(answer.contains("200"), "{answer}");
}

/// Sends a signal to a process by its id.
pub fn signal(id: u32, name: &str) {
    let sent = Command::new("kill").arg(format!("-{name}")).arg(id.to_string()).status().unwrap();
    assert!(sent.success(), "kill -{name} {id}");
}

fn wait(process: &mut Child, within: Duration) -> Option<ExitStatus> {
    let end = Instant::now() + within;
    loop {
        if let Some(status) = process.try_wait().unwrap() {
            return Some(status);
        }
        if Instant::now() > end {
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Output and exit status of a command.
#[derive(Debug)]
pub struct Finished {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command of the binary over a database, with `input` on its standard input.
pub fn run(db: &TestDb, arguments: &[&str], input: &str) -> Finished {
    finish(command(db, arguments, &[]), input)
}

/// The same with more settings, as environment variables.
pub fn run_with(db: &TestDb, arguments: &[&str], settings: &[(&str, &str)]) -> Finished {
    finish(command(db, arguments, settings), "")
}

/// Runs a command over the database at a URL.
pub fn run_over(url: &str, arguments: &[&str]) -> Finished {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cartelera"));
    command.args(arguments).env("CARTELERA_DATABASE_URL", url).env("CARTELERA_LOG", "warn");
    finish(command, "")
}

/// Starts a command of the binary without waiting for it.
pub fn spawn(db: &TestDb, arguments: &[&str]) -> Child {
    command(db, arguments, &[])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn finish(mut command: Command, input: &str) -> Finished {
    let mut process =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that ends early does not read its input.
    let _ = process.stdin.take().unwrap().write_all(input.as_bytes());
    let output = process.wait_with_output().unwrap();
    Finished {
        success: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
