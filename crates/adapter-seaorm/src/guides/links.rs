//! Links between channels of the catalogue and channels of guides: by `epgId` in the active guide
//! of the channel. The single definition of these joins (docs/adr/0033-links-of-channels.md).

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id};
use domain_live::matching::MatchLevel;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::{
    db::{sql::of, transaction::Transaction},
    entities::{bulk_operations, epg_decisions, epg_matches},
};

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

/// Condition that no later decision has removed the link of the decision `o`: a channel that gets the
/// link again, by its form, has it without that decision.
macro_rules! still_counts {
    () => {
        " AND NOT EXISTS (SELECT 1 FROM epg_decisions w WHERE w.channel_id = o.channel_id AND w.sheet_id IS NULL \
         AND w.id > o.id AND (w.verdict = 'NO_GUIDE' OR (w.verdict = 'REFUSED' AND w.guide_id = o.guide_id \
         AND w.xml_id = o.xml_id)))"
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
            ".epg_id",
            $crate::guides::still_counts!(),
            ")"
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
pub(crate) use still_counts;

/// Channels whose links an undo has removed wait for a decision again, as after the undo of a single
/// decision: their matches lose the decision of the undone operation, which stays in the log of
/// decisions. A match with a later decision stays as it is.
pub(crate) async fn withdraw_links(
    transaction: &Transaction,
    undone: Id,
    channels: impl IntoIterator<Item = Id>,
) -> Result<(), DbErr> {
    use epg_decisions::Column as Decision;
    let of_match = |column: epg_matches::Column| Expr::col((epg_matches::Entity, column));
    // By names: the entity is that of `catalogue`, which uses this module.
    let still_linked = Query::select()
        .expr(Expr::cust("1"))
        .from_as("tv_channels", "c")
        .and_where(of("c", "id").eq(of_match(epg_matches::Column::Id)))
        .and_where(of("c", "tv_guide_id").eq(of("d", Decision::GuideId)))
        .and_where(of("c", "epg_id").eq(of("d", Decision::XmlId)))
        .take();
    let withdrawn = Query::select()
        .expr(Expr::cust("1"))
        .from_as(epg_decisions::Entity, "d")
        .and_where(of("d", Decision::ChannelId).eq(of_match(epg_matches::Column::Id)))
        .and_where(of("d", Decision::DecidedDate).eq(of_match(epg_matches::Column::DecidedDate)))
        .and_where(of("d", Decision::OperationId).eq(undone))
        .and_where(Expr::exists(still_linked).not())
        .take();
    let row = epg_matches::ActiveModel {
        level: Set(MatchLevel::Review.code().to_owned()),
        decision: Set(None),
        decided_by: Set(None),
        decided_date: Set(None),
        // To be matched again.
        seen_version: Set(0),
        ..<epg_matches::ActiveModel as Default>::default()
    };
    epg_matches::Entity::update_many()
        .set(row)
        .col_expr(epg_matches::Column::Version, Expr::col(epg_matches::Column::Version).add(1))
        .filter(epg_matches::Column::Id.is_in(channels))
        .filter(Expr::exists(withdrawn))
        .exec(transaction)
        .await
        .map(drop)
}

/// Records the links of these rows in the transaction of the operation.
pub(crate) async fn record_links(
    transaction: &Transaction,
    operation: Id,
    imported: &[(i64, Id)],
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    use epg_decisions::Column as Decision;
    if imported.is_empty() {
        return Ok(());
    }
    let decision = |column: Decision| (epg_decisions::Entity, column);
    let sheet = Query::select()
        .column(bulk_operations::Column::SheetId)
        .from(bulk_operations::Entity)
        .and_where(Expr::col(bulk_operations::Column::DryRun).not())
        .and_where(bulk_operations::Column::Id.eq(operation))
        .take();
    let is_made = Condition::all()
        .add(Expr::col(decision(Decision::SheetId)).eq(sheet))
        .add(Decision::SheetRow.is_in(imported.iter().map(|(row, _)| *row)));
    let channel_id = (epg_matches::Entity, epg_matches::Column::Id);
    let matches = Query::update()
        .table(epg_matches::Entity)
        .value(epg_matches::Column::Level, MatchLevel::Auto.code())
        .value(
            epg_matches::Column::Version,
            Expr::col((epg_matches::Entity, epg_matches::Column::Version)).add(1),
        )
        .value(epg_matches::Column::DecidedDate, now)
        .value(epg_matches::Column::Decision, Expr::col(decision(Decision::Verdict)))
        .value(epg_matches::Column::DecidedBy, Expr::col(decision(Decision::DecidedBy)))
        .from(epg_decisions::Entity)
        .and_where(Expr::col(decision(Decision::ChannelId)).equals(channel_id))
        .cond_where(is_made.clone())
        .take();
    if transaction.execute(&matches).await?.rows_affected() == 0 {
        return Ok(());
    }
    let row = epg_decisions::ActiveModel {
        decided_date: Set(now),
        operation_id: Set(Some(operation)),
        sheet_id: Set(None),
        sheet_row: Set(None),
        ..<epg_decisions::ActiveModel as Default>::default()
    };
    // A link that is accepted again keeps its shift.
    let last_shift = Expr::cust(concat!(
        "(SELECT o.shift_minutes FROM epg_decisions o WHERE o.channel_id = epg_decisions.channel_id \
         AND o.sheet_id IS NULL AND o.verdict IN ('LINKED', 'ACCEPTED') AND o.guide_id = epg_decisions.guide_id \
         AND o.xml_id = epg_decisions.xml_id",
        still_counts!(),
        " ORDER BY o.id DESC LIMIT 1)"
    ));
    epg_decisions::Entity::update_many()
        .set(row)
        .col_expr(epg_decisions::Column::ShiftMinutes, last_shift)
        .filter(is_made)
        .exec(transaction)
        .await
        .map(drop)
}
