//! Users and their credit history.

use std::{
    collections::HashSet,
    io::{Read, Seek},
};

use application::{Claim, Passwords, PendingHistory};

use super::{BATCH, Counts, Lines, Resource, Source, count, print_totals, progress};
use crate::compose::App;

const USERS: &str = "users";
const CREDITS: &str = "credit-operations";

/// Users whose balances come from a history, by user name in lower case: their lines don't open an
/// account before it (docs/spec/import-export.md#users-and-credits). The files are read again in
/// their order.
pub(super) fn with_history(app: &App, sources: &[Source]) -> anyhow::Result<HashSet<String>> {
    let mut names = HashSet::new();
    for source in sources.iter().filter(|source| source.resource == Resource::CreditOperations) {
        let mut file = &source.file;
        let bar = progress(CREDITS, source.size);
        let mut lines = Lines::new(file);
        loop {
            let batch = lines.batch(BATCH, &bar)?;
            if batch.is_empty() {
                break;
            }
            names.extend(app.services.credits.targets_of(batch));
        }
        bar.finish_and_clear();
        file.rewind()?;
    }
    Ok(names)
}

pub(super) async fn import_users(
    app: &App,
    source: impl Read,
    size: u64,
    passwords: Passwords,
    with_history: &HashSet<String>,
    claims: &mut Vec<Claim>,
) -> anyhow::Result<Counts> {
    let bar = progress(USERS, size);
    let mut counts = Counts::default();
    let mut lines = Lines::new(source);
    loop {
        let batch = lines.batch(BATCH, &bar)?;
        if batch.is_empty() {
            break;
        }
        for (number, outcome) in app.services.users.import(batch, passwords, with_history, claims).await? {
            count(&mut counts, USERS, number, outcome, &bar);
        }
    }
    bar.finish_and_clear();
    print_totals(&counts, USERS);
    Ok(counts)
}

pub(super) async fn import_credits(
    app: &App,
    source: impl Read,
    size: u64,
    history: &mut PendingHistory,
) -> anyhow::Result<Counts> {
    let credits = &app.services.credits;
    let bar = progress(CREDITS, size);
    let mut counts = Counts::default();
    let mut lines = Lines::new(source);
    loop {
        let batch = lines.batch(BATCH, &bar)?;
        if batch.is_empty() {
            break;
        }
        for (number, outcome) in credits.read_history(batch, history).await? {
            count(&mut counts, CREDITS, number, outcome, &bar);
        }
    }
    bar.finish_and_clear();
    // After the complete read, booked account by account.
    let bar = progress("movements", history.len() as u64);
    let booked = credits.book_history(history, |outcomes| {
        bar.inc(outcomes.len() as u64);
        for (number, outcome) in outcomes {
            count(&mut counts, CREDITS, number, outcome, &bar);
        }
    });
    booked.await?;
    bar.finish_and_clear();
    print_totals(&counts, CREDITS);
    Ok(counts)
}

/// Compares the balances in users' lines with the ledger; returns the number of differences.
pub(super) async fn reconcile(app: &App, claims: &[Claim], history: &PendingHistory) -> anyhow::Result<u64> {
    let bar = progress("balances", 0);
    let mut counts = Counts::default();
    for (number, outcome) in app.services.credits.reconcile_claims(claims, history).await? {
        count(&mut counts, USERS, number, outcome, &bar);
    }
    bar.finish_and_clear();
    print_totals(&counts, USERS);
    Ok(counts.refused)
}
