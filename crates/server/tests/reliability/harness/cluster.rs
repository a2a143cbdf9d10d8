//! A PostgreSQL server for one test, which can be stopped.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use migrations::template;
use tempfile::TempDir;

use super::signal;

/// A PostgreSQL cluster.
pub struct Cluster {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
}

impl Cluster {
    /// A new running cluster; `None` where the server's programs are missing.
    pub fn start() -> Option<Self> {
        let programs = template::postgres_programs()?;
        let folder = tempfile::tempdir().unwrap();
        if is_root() {
            // The server does not run as root.
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

    /// The address of the server, without a database.
    pub fn url(&self) -> String {
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

    /// Starts the server.
    pub fn resume(&self) {
        let folder = self.folder.path().display().to_string();
        let options = format!("-p {} -k {folder} -c listen_addresses=127.0.0.1", self.port);
        let log = format!("{folder}/log");
        self.execute("pg_ctl", &["-D", &self.data(), "-w", "-l", &log, "-o", &options, "start"]);
    }

    /// Stops the server, in a mode of `pg_ctl`.
    pub fn stop(&self, mode: &str) {
        self.execute("pg_ctl", &["-D", &self.data(), "-w", "-m", mode, "stop"]);
    }

    /// Sends a signal to the postmaster and to all of its processes.
    pub fn signal_all(&self, name: &str) {
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
