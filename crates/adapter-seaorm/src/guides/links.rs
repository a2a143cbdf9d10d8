//! Links between channels of the catalogue and channels of guides: by `epgId` in the active guide
//! of the channel. The single definition of these joins (docs/adr/0033-links-of-channels.md).

use chrono::{DateTime, Utc};
use domain_kernel::Id;
use sea_orm::DbErr;

use super::changed_rows;
use crate::db::{sql::Sql, transaction::Transaction};

/// Joins after a table of channels with this alias: its guide `t`, and the linked channel `g` of
/// the guide; both are NULL without a link.
macro_rules! linked {
    ($channel:literal) => {
        concat!(
            " LEFT JOIN tv_guides t ON t.id = ",
            $channel,
            ".tv_guide_id LEFT JOIN guide_channels g ON g.guide_id = t.id AND g.xml_id = ",
            $channel,
            ".epg_id AND t.active"
        )
    };
}

/// The decision by which the channel with this alias has its current link: its id, or NULL.
macro_rules! decision_of_link {
    ($channel:literal) => {
        concat!(
            "(SELECT max(o.id) FROM epg_decisions o WHERE o.channel_id = ",
            $channel,
            ".id AND o.sheet_id IS NULL AND o.verdict IN ('LINKED', 'ACCEPTED') AND o.guide_id = ",
            $channel,
            ".tv_guide_id AND o.xml_id = ",
            $channel,
            ".epg_id)"
        )
    };
}

/// Shift that a user gave the programmes of the channel with this alias, in minutes; NULL for that of
/// its playlist. It belongs to the link: another one has its own.
macro_rules! decided_shift {
    ($channel:literal) => {
        concat!(
            "(SELECT n.shift_minutes FROM epg_decisions n WHERE n.id = ",
            $crate::guides::decision_of_link!($channel),
            ")"
        )
    };
}

pub(crate) use decided_shift;
pub(crate) use decision_of_link;
pub(crate) use linked;

/// Records the links of these rows in the transaction of the operation.
pub(crate) async fn record_links(
    transaction: &Transaction,
    operation: Id,
    imported: &[(i64, Id)],
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    if imported.is_empty() {
        return Ok(());
    }
    let made = |sql: &mut Sql| {
        sql.push("d.sheet_id = (SELECT o.sheet_id FROM bulk_operations o WHERE NOT o.dry_run AND o.id = ");
        sql.bind(operation).push(") AND d.sheet_row IN (");
        sql.bind_all(imported.iter().map(|(row, _)| *row)).push(")");
    };
    let mut sql = Sql::new("UPDATE epg_matches SET level = 'AUTO', version = version + 1, decided_date = ");
    sql.bind(now).push(
        ", decision = d.verdict, decided_by = d.decided_by FROM epg_decisions d WHERE d.channel_id = epg_matches.id AND ",
    );
    made(&mut sql);
    if changed_rows(transaction, sql).await? == 0 {
        return Ok(());
    }
    let mut sql = Sql::new("UPDATE epg_decisions AS d SET decided_date = ");
    sql.bind(now).push(", operation_id = ").bind(operation);
    // A link that is accepted again keeps its shift.
    sql.push(
        ", shift_minutes = (SELECT o.shift_minutes FROM epg_decisions o WHERE o.channel_id = d.channel_id \
         AND o.sheet_id IS NULL AND o.verdict IN ('LINKED', 'ACCEPTED') AND o.guide_id = d.guide_id \
         AND o.xml_id = d.xml_id ORDER BY o.id DESC LIMIT 1), sheet_id = NULL, sheet_row = NULL WHERE ",
    );
    made(&mut sql);
    changed_rows(transaction, sql).await.map(drop)
}
