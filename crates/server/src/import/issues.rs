//! Viewers' reports.

use std::{collections::HashMap, io::Read};

use application::IdMap;

use super::{BATCH, Counts, Lines, count, print_totals, progress};
use crate::compose::App;

const REPORTS: &str = "issue-reports";

pub(super) async fn import_reports(
    app: &App,
    source: impl Read,
    size: u64,
    ids: &IdMap,
) -> anyhow::Result<Counts> {
    let bar = progress(REPORTS, size);
    let mut counts = Counts::default();
    let mut lines = Lines::new(source);
    let mut staff = HashMap::new();
    loop {
        let batch = lines.batch(BATCH, &bar)?;
        if batch.is_empty() {
            break;
        }
        for (number, outcome) in app.services.issues.import(batch, ids, &mut staff).await? {
            count(&mut counts, REPORTS, number, outcome, &bar);
        }
    }
    bar.finish_and_clear();
    print_totals(&counts, REPORTS);
    Ok(counts)
}
