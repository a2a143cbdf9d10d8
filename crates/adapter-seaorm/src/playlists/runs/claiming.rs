//! Claims of runs: which wait, and for what, and which process has one.

use domain_kernel::{Enumeration, Id};
use domain_live::run::RunState;
use ports::{ClaimedRun, UnfinishedRun};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryResult,
    sea_query::{Expr, ExprTrait},
};

use crate::{
    db::{sql::Sql, transaction::Transaction},
    entities::playlist_runs::{ActiveModel, Column, Entity},
    playlists::{SeaOrmPlaylists, applying::hold_source},
};

/// Condition of runs that have not ended, and do not wait for the apply of an earlier one of their source:
/// it would be lost, as only the newest run is applied.
pub(super) const UNFINISHED: &str = "r.finished_date IS NULL AND (r.state = 'RUNNING' OR NOT EXISTS (SELECT 1 FROM playlist_runs w \
     WHERE w.source_id = r.source_id AND w.waits_for_apply))";
/// Condition of runs to apply: while another run writes their entries, every apply is refused.
pub(super) const TO_APPLY: &str = "r.waits_for_apply AND NOT EXISTS (SELECT 1 FROM playlist_runs n \
     WHERE n.source_id = r.source_id AND n.state = 'RUNNING')";

/// Runs with this condition without entries being applied: those must stay as shown. Raw, as the
/// conditions are.
pub(super) fn waiting(with: &str) -> Sql {
    Sql::new(format!(
        "SELECT r.id, r.source_id, CASE WHEN NOT EXISTS (SELECT 1 FROM playlist_run_files f WHERE f.run_id = r.id) \
         THEN s.url END AS url FROM playlist_runs r JOIN playlist_sources s ON s.id = r.source_id WHERE {with} \
         AND NOT EXISTS (SELECT 1 FROM bulk_operations o WHERE o.finished_date IS NULL AND o.sheet_id IS NOT NULL \
         AND EXISTS (SELECT 1 FROM playlist_entries e WHERE e.sheet_id = o.sheet_id AND e.source_id = r.source_id))"
    ))
}

pub(super) fn waiting_run(row: &QueryResult) -> Result<UnfinishedRun, DbErr> {
    Ok(UnfinishedRun {
        run: row.try_get("", "id")?,
        source: row.try_get("", "source_id")?,
        url: row.try_get("", "url")?,
    })
}

/// The oldest of these runs.
pub(super) async fn first(
    connection: &impl ConnectionTrait,
    mut sql: Sql,
) -> Result<Option<UnfinishedRun>, DbErr> {
    sql.push(" ORDER BY r.id LIMIT ").bind(1_i64);
    let row = connection.query_one_raw(sql.statement(connection.get_database_backend())).await?;
    row.as_ref().map(waiting_run).transpose()
}

impl SeaOrmPlaylists {
    /// Whether the run was claimed.
    pub(super) async fn try_claim(&self, id: Id) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        let unfinished = || {
            let mut sql = waiting(UNFINISHED);
            sql.push(" AND r.id = ").bind(id);
            sql
        };
        let Some(run) = first(&transaction, unfinished()).await? else { return Ok(false) };
        // An apply that began meanwhile comes first.
        hold_source(&transaction, run.source).await?;
        if first(&transaction, unfinished()).await?.is_none() {
            return Ok(false);
        }
        let running = ActiveModel {
            state: Set(RunState::Running.code().to_owned()),
            ..<ActiveModel as Default>::default()
        };
        Entity::update_many()
            .set(running)
            .col_expr(Column::Attempt, Expr::col(Column::Attempt).add(1))
            .filter(Column::Id.eq(id))
            .exec(&transaction)
            .await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// Whether the run is unfinished and still has this claim. Locks it until the transaction ends.
pub(super) async fn is_ours(transaction: &Transaction, claim: &ClaimedRun) -> Result<bool, DbErr> {
    let held = Entity::update_many()
        .col_expr(Column::Attempt, Expr::col(Column::Attempt))
        .filter(Column::Id.eq(claim.run.id))
        .filter(Column::Attempt.eq(claim.attempt))
        .filter(Column::FinishedDate.is_null())
        .exec(transaction)
        .await?;
    Ok(held.rows_affected == 1)
}
