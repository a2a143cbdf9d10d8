//! The commands of the binary.

use std::{
    io::{self, IsTerminal, Read, Write, stderr, stdin, stdout},
    net::SocketAddr,
    path::{Path, PathBuf},
};

use actix_web::{
    dev::{Server, ServerHandle},
    rt::{spawn, task::JoinHandle},
    web,
};
use anyhow::{Context, anyhow, bail};
use api::{Connections, EventStreams, locale::violations_text};
use application::{Error, Passwords};
use domain_kernel::{Locale, RoleCode, Username, Violations};
use domain_users::generate_password;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::{
    background::Background,
    backup,
    compose::{self, App},
    config::{Cli, Command, LedgerCommand, LogFormat, Settings},
    database, descriptors, import, live, playlist,
};

pub(crate) async fn run(cli: Cli) -> anyhow::Result<()> {
    let settings = cli.settings;
    match cli.command.unwrap_or(Command::Serve { demo: false }) {
        Command::Serve { demo } => serve(&settings, demo).await,
        Command::Migrate => {
            log_to_stderr(&settings);
            database::open(&settings).await?;
            println!("The schema is up to date.");
            Ok(())
        }
        Command::Import { paths, without_passwords } => {
            log_to_stderr(&settings);
            let passwords = if without_passwords { Passwords::Left } else { Passwords::Required };
            import_files(&settings, &paths, passwords).await
        }
        Command::Openapi { errors } => {
            if errors {
                write!(stdout(), "{}", api::openapi::errors_page())?;
            } else {
                writeln!(stdout(), "{}", serde_json::to_string_pretty(&api::document())?)?;
            }
            Ok(())
        }
        Command::Playlist { file } => playlist::print(&file, settings.playlist_limits()),
        Command::Guide { file, zone } => live::guide(&file, zone),
        Command::Probe { urls } => {
            install_tls()?;
            live::probe(urls, settings.fetch_allow).await
        }
        Command::Match { playlist, guide } => {
            live::match_files(&playlist, &guide, settings.playlist_limits())
        }
        Command::Ledger(LedgerCommand::Verify) => {
            log_to_stderr(&settings);
            verify_ledger(&open(&settings).await?).await
        }
        Command::Backup { file, no_verify } => {
            log_to_stderr(&settings);
            write_backup(&settings, &file, !no_verify).await
        }
        Command::Restore { file, replace } => {
            log_to_stderr(&settings);
            let before = backup::restore(&settings, &file, replace).await?;
            println!("The database was restored from {} and verified. {before}", file.display());
            Ok(())
        }
        Command::Verify => {
            log_to_stderr(&settings);
            verify(&settings).await
        }
        Command::ResetPassword { user } => {
            log_to_stderr(&settings);
            reset_password(&settings, &user).await
        }
    }
}

/// Imports files, and creates the first account.
async fn import_files(settings: &Settings, paths: &[PathBuf], passwords: Passwords) -> anyhow::Result<()> {
    let app = open(settings).await?;
    let outcome = import::run(&app, paths, passwords).await;
    // Also after a failure: a partial import must not leave a database without a superadmin.
    match (create_first_admin(settings, &app).await, outcome) {
        (Err(error), Err(stopped)) => {
            Err(stopped.context(format!("no first account was created: {error:#}")))
        }
        (Err(error), Ok(())) => Err(error),
        (Ok(password), outcome) => {
            if let Some(password) = password {
                announce_first_password(settings, &password);
            }
            outcome
        }
    }
}

async fn open(settings: &Settings) -> anyhow::Result<App> {
    install_tls()?;
    compose::build(settings, database::open(settings).await?)
}

/// Installs the TLS provider, which clients of other services need.
fn install_tls() -> anyhow::Result<()> {
    rustls::crypto::ring::default_provider().install_default().map_err(|_| anyhow!("TLS was set up twice"))
}

fn log_to_stderr(settings: &Settings) {
    let log = tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::new(&settings.log))
        .with_writer(stderr);
    match settings.log_format {
        LogFormat::Json => log.json().init(),
        LogFormat::Text if stderr().is_terminal() => log.init(),
        // A file would contain colours as escape codes.
        LogFormat::Text => log.with_ansi(false).init(),
    }
}

async fn serve(settings: &Settings, demo: bool) -> anyhow::Result<()> {
    log_to_stderr(settings);
    let most_connections = most_connections(settings)?;
    let open_connections =
        Connections::new(settings.max_connections_per_address, settings.trusted_proxies.clone());
    let app = open(settings).await?;
    let api_settings = compose::api_settings(settings, &app).await?;
    let bind = settings.bind;
    let (server, address) =
        api::serve(bind, most_connections, &app.services, &api_settings, &open_connections, || {
            web::to(panel::serve)
        })
        .with_context(|| format!("{bind} can't be listened on; choose another address with --bind"))?;
    let metrics = match settings.metrics_bind {
        Some(bind) => Some(
            api::serve_metrics(bind, &app.services, &api_settings)
                .with_context(|| format!("{bind} can't be listened on"))?,
        ),
        None => None,
    };
    // Created after the socket is bound, because the password is shown only once.
    let first_password = create_first_admin(settings, &app).await?;
    let loaded = if demo { import::load_demo(&app).await } else { Ok(()) };
    if loaded.is_ok() {
        announce_addresses(settings, address, metrics.as_ref().map(|(_, address)| *address));
    }
    if let Some(password) = &first_password {
        announce_first_password(settings, password);
    }
    loaded?;
    let metrics = metrics.map(|(server, _)| {
        let handle = server.handle();
        (handle, spawn(server))
    });
    let signals = StopSignals::listen()?;
    let events = app.services.events.clone();
    let background = Background::start(app, open_connections);
    let outcome = serve_until_stopped(server, signals, &events).await;
    if let Some((handle, server)) = metrics {
        stop_metrics(handle, server).await;
    }
    background.stop().await;
    outcome.context("the server stopped")
}

/// Maximum number of connections: the configured number, limited by the number of open files.
fn most_connections(settings: &Settings) -> anyhow::Result<usize> {
    let possible = descriptors::raise_limit()?;
    let most = settings.max_connections.min(possible);
    if most < settings.max_connections {
        tracing::warn!(most, "limit of open files is below the configured connections");
    }
    Ok(most)
}

fn announce_addresses(settings: &Settings, address: SocketAddr, metrics: Option<SocketAddr>) {
    let public = settings.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    println!("Cartelera is at {public}");
    if let Some(address) = metrics {
        println!("Metrics are at http://{address}/metrics");
    }
}

/// Signals that stop the server.
struct StopSignals {
    terminate: Signal,
    /// Ctrl+C.
    interrupt: Signal,
    quit: Signal,
}

impl StopSignals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
        })
    }
}

/// Serves until a signal, then until current requests are answered. SIGQUIT and a second Ctrl+C do
/// not wait for requests.
async fn serve_until_stopped(
    mut server: Server,
    mut signals: StopSignals,
    events: &EventStreams,
) -> io::Result<()> {
    let is_graceful = tokio::select! {
        outcome = &mut server => return outcome,
        _ = signals.terminate.recv() => true,
        _ = signals.interrupt.recv() => true,
        _ = signals.quit.recv() => false,
    };
    // Event streams are endless, and a stop waits for responses.
    events.close();
    let handle = server.handle();
    let stop = handle.stop(is_graceful);
    tokio::select! {
        (outcome, ()) = async { tokio::join!(server, stop) } => outcome,
        // The server is dropped with the other branch, which aborts its requests.
        _ = signals.interrupt.recv() => Ok(()),
    }
}

async fn stop_metrics(handle: ServerHandle, server: JoinHandle<io::Result<()>>) {
    handle.stop(false).await;
    let _ = server.await;
}

async fn write_backup(settings: &Settings, file: &Path, verified: bool) -> anyhow::Result<()> {
    let written = backup::create(settings, file, verified).await?;
    let outcome = if verified {
        "restored into a scratch database and verified"
    } else {
        "NOT verified: whether it can be restored is not known"
    };
    println!("{}: {} bytes in {:.1} s, {outcome}", file.display(), written.size, written.took.as_secs_f64());
    Ok(())
}

/// Prints every faulty row; fails if there is one.
async fn verify(settings: &Settings) -> anyhow::Result<()> {
    let wrong = backup::verify(settings).await?;
    for row in &wrong {
        writeln!(stdout(), "{row}")?;
    }
    anyhow::ensure!(wrong.is_empty(), "{} rows are wrong", wrong.len());
    println!("The database is sound: integrity, foreign keys, counters, search indexes and ledger.");
    Ok(())
}

/// Prints every row that breaks an invariant; fails if there is one.
async fn verify_ledger(app: &App) -> anyhow::Result<()> {
    let breaches = app.services.credits.verify().await?;
    for breach in &breaches {
        writeln!(stdout(), "I{}: {}", breach.invariant, breach.row)?;
    }
    anyhow::ensure!(breaches.is_empty(), "the ledger is broken in {} rows", breaches.len());
    println!("The ledger is sound: every invariant holds for every row.");
    Ok(())
}

fn announce_first_password(settings: &Settings, password: &str) {
    println!("First sign-in: user {}, password {password} (shown this once)", settings.admin_username);
}

/// Creates the superadmin of a database without one; returns the password if it was generated.
async fn create_first_admin(settings: &Settings, app: &App) -> anyhow::Result<Option<String>> {
    let made_up = settings.admin_password.is_none();
    let password = settings
        .admin_password
        .clone()
        .unwrap_or_else(|| generate_password(RoleCode::Superadmin, rand::random()));
    let created = match app.services.sign_in.create_first(settings.admin_username.clone(), &password).await {
        Err(Error::UsernameTaken(name)) => {
            eprintln!(
                "No superadmin can sign in, and none was created: {name} is another user. Name a free one by CARTELERA_ADMIN_USERNAME."
            );
            false
        }
        created => created?,
    };
    Ok(Some(password).filter(|_| created && made_up))
}

async fn reset_password(settings: &Settings, user: &Username) -> anyhow::Result<()> {
    let sent = if stdin().is_terminal() {
        None
    } else {
        let mut text = String::new();
        stdin().read_to_string(&mut text)?;
        let text = text.trim_end_matches(['\r', '\n']).to_owned();
        anyhow::ensure!(!text.is_empty(), "the password on standard input is empty");
        Some(text)
    };
    let app = open(settings).await?;
    match app.services.sign_in.reset_password(user, sent.as_deref()).await {
        Ok(Some(generated)) => println!("New password of {user}: {generated}"),
        Ok(None) => println!("{user} has a new password."),
        Err(Error::Invalid(Violations(broken))) => bail!(violations_text(Locale::English, &broken)),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
