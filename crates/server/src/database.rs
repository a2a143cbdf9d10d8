//! The database of a command, and the clock of the process.

use std::sync::Arc;

use adapter_seaorm::{Database, SeaOrmLedger, backup::applied_migrations};
use anyhow::{Context, bail};
use application::{Calendar, CreditService};
use chrono::{DateTime, SubsecRound, Utc};
use ports::Clock;

use crate::{config::Settings, open_lock};

/// The system clock.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "implementation of `Clock`")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(3)
    }
}

/// Opens the database and migrates its schema.
pub(crate) async fn open(settings: &Settings) -> anyhow::Result<Database> {
    open_lock::lock_while_open(&settings.database_url)?;
    let database = Database::connect(&settings.database()).await.context("the database can't be opened")?;
    let applied = applied_migrations(database.connection()).await.context("the database can't be read")?;
    let applied = applied.unwrap_or_default();
    check_known(&applied).context("the database can't be used")?;
    let pending = migrations::names().len().saturating_sub(applied.len());
    if pending > 0 {
        tracing::info!(applied = applied.len(), pending, "migrating database schema");
    }
    database
        .migrate(migrations::migrate)
        .await
        .context("the database's schema can't be brought up to date")?;
    Ok(database)
}

/// Fails if an applied migration is unknown to this binary.
pub(crate) fn check_known(applied: &[String]) -> anyhow::Result<()> {
    let known = migrations::names();
    if let Some(newer) = applied.iter().find(|name| !known.contains(name)) {
        bail!(
            "its schema is newer than this version of Cartelera ({}): {newer} is not known. Use the version that made it",
            env!("CARGO_PKG_VERSION")
        );
    }
    Ok(())
}

/// The credit service of a database, without the other services.
pub(crate) fn credits(settings: &Settings, database: &Database) -> CreditService {
    let calendar = Calendar::new(Arc::new(SystemClock), settings.time_zone);
    CreditService::new(Arc::new(SeaOrmLedger::new(database.clone())), calendar)
}

/// Closes the write connection; the others are closed with the last clone.
pub(crate) async fn close(database: Database) {
    if let Err(error) = database.connection().clone().close().await {
        tracing::warn!(%error, "failed to close database");
    }
}

pub(crate) fn now() -> DateTime<Utc> {
    SystemClock.now()
}
