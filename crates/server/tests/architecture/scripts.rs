//! The functions of `scripts/lib.sh`, run by bash in a folder with nothing else.

use std::{
    fs,
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

use tempfile::TempDir;

use super::root;

/// A folder with `scripts/lib.sh` and stubs of programs.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["scripts", "programs"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::copy(root().join("scripts/lib.sh"), folder.path().join("scripts/lib.sh")).unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A stub that precedes the machine's own program in `PATH`.
    fn program(&self, name: &str, body: &str) {
        let file = self.path().join("programs").join(name);
        fs::write(&file, format!("#!/usr/bin/env bash\n{body}\n")).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs commands after sourcing `lib.sh`, in an empty environment.
    fn run(&self, commands: &str) -> Output {
        let script = format!("set -euo pipefail\nPATH=$PWD/programs:$PATH\n. scripts/lib.sh\n{commands}");
        let path = std::env::vars_os().filter(|(name, _)| name == "PATH");
        Command::new("bash")
            .args(["-c", &script])
            .env_clear()
            .envs(path)
            .current_dir(self.path())
            .output()
            .unwrap()
    }

    /// Standard output of the commands, which must succeed.
    fn prints(&self, commands: &str) -> String {
        let output = self.run(commands);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Error output of the commands, which must fail.
    fn fails(&self, commands: &str) -> String {
        let output = self.run(commands);
        assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8(output.stderr).unwrap()
    }
}

#[test]
fn settings_of_a_file_are_read_in_every_notation() {
    let folder = Folder::new();
    folder.write(
        ".env",
        "# CARTELERA_LOG=debug\n  CARTELERA_ADMIN_PASSWORD=\"Secreto 1a\"\nexport CARTELERA_TIME_ZONE='UTC'\r\n\
         CARTELERA_BIND=127.0.0.1:8081\r\nCARTELERA_METRICS_TOKEN=\"one\r\nOTHER=1\nCARTELERA_PG_DUMP=a \"b\"",
    );
    let shown = "printf '%s\\n' \"$CARTELERA_ADMIN_PASSWORD\" \"$CARTELERA_TIME_ZONE\" \"$CARTELERA_BIND\" \\
        \"$CARTELERA_METRICS_TOKEN\" \"$CARTELERA_PG_DUMP\" \"${CARTELERA_LOG-none} ${OTHER-none}\"";
    let expected = "Secreto 1a\nUTC\n127.0.0.1:8081\n\"one\na \"b\"\nnone none\n";
    assert_eq!(folder.prints(&format!("load_env; {shown}")), expected);
    let bind = folder.prints("CARTELERA_BIND=127.0.0.1:1; load_env; echo \"$CARTELERA_BIND\"");
    assert_eq!(bind, "127.0.0.1:1\n", "the environment comes first");
}

#[test]
fn a_rust_that_is_too_old_is_named_and_a_newer_one_of_rustup_is_found() {
    let folder = Folder::new();
    folder.write("Cargo.toml", "[workspace.package]\nrust-version = \"1.94\"\n");
    folder.program("cc", "");
    folder.program("cargo", "echo 'cargo 1.85.1 (a 2025-01-01)'");
    let said = folder.fails("HOME=$PWD; need_rust");
    assert!(said.contains("Rust 1.94 or newer is needed, but cargo says: cargo 1.85.1"), "{said}");
    for version in ["1.94.0", "1.100.0-nightly"] {
        folder.program("rustups-cargo", &format!("echo 'cargo {version} (a 2026-01-01)'"));
        let install = "mkdir -p .cargo/bin; cp programs/rustups-cargo .cargo/bin/cargo; HOME=$PWD";
        let found = folder.prints(&format!("{install}; need_rust; cargo --version"));
        assert!(found.contains(version), "{found}");
    }
}

#[test]
fn a_missing_nextest_is_named_with_where_it_is() {
    let said = Folder::new().fails("has() { return 1; }; need_nextest");
    assert!(said.contains("cargo-nextest is missing") && said.contains("https://nexte.st/"), "{said}");
}

#[test]
fn a_home_is_set_without_one_in_the_environment() {
    assert_ne!(Folder::new().prints("echo \"$HOME\"").trim(), "");
}

#[test]
fn an_address_that_is_in_use_is_named() {
    let folder = Folder::new();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap();
    let said = folder.fails(&format!("need_port {address}"));
    assert!(said.contains(&format!("Another program listens on {address}.")), "{said}");
    // Port 1 is never in use; the system chooses one for 0.
    folder.prints("need_port 127.0.0.1:1; need_port 127.0.0.1:0");
}

#[test]
fn a_panel_whose_build_was_interrupted_is_built_again() {
    let folder = Folder::new();
    for file in
        ["src/a.ts", "index.html", "package.json", "tsconfig.json", "vite.config.ts", "scripts/compress.ts"]
    {
        folder.write(&format!("frontend/{file}"), "");
    }
    folder.write("frontend/package-lock.json", "");
    let later = "sleep 0.02; touch frontend/node_modules/.package-lock.json";
    folder.write("frontend/node_modules/.package-lock.json", "");
    folder.program("node", "");
    // Like Vite: the folder is emptied, and the page is written before other files. `dist` is the
    // folder that the binary embeds.
    let build = "echo \"npm $*\" >>../calls; rm -rf build; mkdir -p build dist; touch build/index.html dist/index.html";
    folder.program("npm", &format!("{build}; exit 130"));
    folder.fails(&format!("{later}; panel_build"));
    folder.program("npm", build);
    let calls = "wc -l <calls";
    assert_eq!(folder.prints(&format!("panel_build; {calls}")).trim(), "2", "after the interrupted build");
    assert_eq!(folder.prints(&format!("panel_build; {calls}")).trim(), "2", "nothing has changed");
    let changes = [
        "touch frontend/tsconfig.json",
        "rm frontend/src/a.ts",
        "touch frontend/dist/.gitkeep; rm frontend/dist/*",
        "rm -r frontend/dist",
    ];
    for (number, change) in changes.iter().enumerate() {
        let printed = folder.prints(&format!("sleep 0.02; {change}; panel_build; {calls}"));
        assert_eq!(printed.trim(), (3 + number).to_string(), "{change}");
    }
}

#[test]
fn of_several_processes_each_must_run() {
    let ended = "true & one=$!; sleep 60 & other=$!; wait $one";
    let folder = Folder::new();
    assert_eq!(folder.prints(&format!("{ended}; all_run $one $other || echo ended; kill $other")), "ended\n");
    assert_eq!(folder.prints("sleep 60 & all_run $! $$ && echo run; kill $!"), "run\n");
}

#[test]
fn a_line_without_a_setting_is_named() {
    let folder = Folder::new();
    for line in ["CARTELERA_BIND = 127.0.0.1:8081", "export CARTELERA_bind=1", "CARTELERA_BIND"] {
        folder.write(".env", &format!("# Mine\n{line}\n"));
        let said = folder.fails("load_env");
        assert!(said.contains(".env, line 2 is no setting."), "{line}: {said}");
    }
}
