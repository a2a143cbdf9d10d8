//! PostgreSQL is stopped, frozen and restarted under load. The cluster is the test's own and synchronises its writes.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use migrations::template;
use tempfile::TempDir;
use tokio::time::sleep;

use crate::harness::{Load, Outcome, Seller, Server, TestDb, rounds, run, signal};

const WITHIN: Duration = Duration::from_mins(1);
/// How long an answer may take while the database is away, on a machine that does other things besides.
const LONGEST_ANSWER: Duration = Duration::from_secs(15);

/// A PostgreSQL cluster.
struct Cluster {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
}

impl Cluster {
    /// A new cluster that runs; `None` where the server's programs are missing.
    fn start() -> Option<Self> {
        let programs = template::postgres_programs()?;
        let folder = tempfile::tempdir().unwrap();
        if is_root() {
            // The server refuses to run as root.
            let owned = Command::new("chown").arg("postgres").arg(folder.path()).status().unwrap();
            assert!(owned.success(), "there is no user postgres to run the server as");
        }
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let cluster = Self { folder, programs, port };
        let data = cluster.data();
        cluster.execute(
            "initdb",
            &["-D", &data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
        );
        cluster.resume();
        Some(cluster)
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}", self.port)
    }

    fn execute(&self, program: &str, arguments: &[&str]) {
        let program = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        let log = self.folder.path().join("output");
        let output = fs::File::create(&log).unwrap();
        let status = command
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .status()
            .unwrap();
        assert!(status.success(), "{arguments:?}: {}", fs::read_to_string(log).unwrap());
    }

    fn resume(&self) {
        let folder = self.folder.path().display().to_string();
        let options = format!("-p {} -k {folder} -c listen_addresses=127.0.0.1", self.port);
        let log = format!("{folder}/log");
        self.execute("pg_ctl", &["-D", &self.data(), "-w", "-l", &log, "-o", &options, "start"]);
    }

    fn stop(&self, mode: &str) {
        self.execute("pg_ctl", &["-D", &self.data(), "-w", "-m", mode, "stop"]);
    }

    /// Sends a signal to the postmaster and to all of its processes.
    fn signal_all(&self, name: &str) {
        let file = Path::new(&self.data()).join("postmaster.pid");
        let postmaster: u32 = fs::read_to_string(file).unwrap().lines().next().unwrap().parse().unwrap();
        let children = fs::read_to_string(format!("/proc/{postmaster}/task/{postmaster}/children")).unwrap();
        signal(postmaster, name);
        for child in children.split_whitespace() {
            // A process may have ended meanwhile.
            let _ = Command::new("kill").arg(format!("-{name}")).arg(child).stderr(Stdio::null()).status();
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let file = Path::new(&self.data()).join("postmaster.pid");
        if file.exists() {
            self.signal_all("CONT");
            self.stop("immediate");
        }
    }
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout.starts_with(b"0\n")
}

#[test]
fn where_every_test_must_run_one_that_can_not_run_fails() {
    let test = "postgres_outage::a_database_that_stops_freezes_and_returns_loses_nothing";
    let passes = |must_run: Option<&str>| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test]).env_remove("TEST_PG_PROGRAMS").env_remove("CARTELERA_TESTS_MUST_RUN");
        let output =
            command.envs(must_run.map(|value| ("CARTELERA_TESTS_MUST_RUN", value))).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("running 1 test"), "{said}");
        output.status.success()
    };
    assert!(passes(None) && !passes(Some("1")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_stops_freezes_and_returns_loses_nothing() {
    let Some(cluster) = Cluster::start() else { return };
    let db = TestDb::postgres_on(&cluster.url()).await;
    let server = Server::start(&db);
    let seller = Seller::create(&server).await;
    let mut total = Outcome::default();
    for _ in 0..rounds(1) {
        for outage in ["fast", "immediate", "frozen"] {
            let load = Load::start(&server, &seller, 8);
            load.wait_for(20, WITHIN).await;
            if outage == "frozen" {
                cluster.signal_all("STOP");
                // Whoever waits for the frozen database is answered.
                load.wait_for_failures(8, WITHIN).await;
                cluster.signal_all("CONT");
            } else {
                cluster.stop(outage);
                load.wait_for_failures(20, WITHIN).await;
                sleep(Duration::from_millis(500)).await;
                cluster.resume();
            }
            let returned = Instant::now();
            load.wait_for(20, WITHIN).await;
            let outcome = load.stop().await;
            println!(
                "{outage}: works again after {:?}, slowest answer {:?}",
                returned.elapsed(),
                outcome.slowest
            );
            assert!(outcome.slowest < LONGEST_ANSWER, "{outage}: an answer took {:?}", outcome.slowest);
            total.add(outcome);
        }
    }
    server.stop(Duration::from_secs(30));
    total.compare(&db).await.assert_sound("PostgreSQL away");
    let verified = run(&db, &["ledger", "verify"], "");
    assert!(verified.success, "{verified:?}");
}
