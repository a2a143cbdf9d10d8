//! The server as an author in the history of reports.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

use crate::outbox_triggers::run;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const COLUMNS: &str = "id, report_id, action, actor, actor_kind, status_from, status_to, priority_from, priority_to, \
                       assigned_from, assigned_to, note, entry_date";

/// Restricts the history to these authors. SQLite can't alter a check, so the table is copied with its
/// dependents. `actor_kind` is the expression that copies that column.
async fn allow(manager: &SchemaManager<'_>, authors: &str, actor_kind: &str) -> Result<(), DbErr> {
    if manager.get_database_backend() != DbBackend::Sqlite {
        return run(
            manager,
            &format!(
                "ALTER TABLE issue_history DROP CONSTRAINT issue_history_actor_kind_check, \
                 ADD CONSTRAINT issue_history_actor_kind_check CHECK (actor_kind IN ({authors}))"
            ),
        )
        .await;
    }
    run(
        manager,
        &format!(
            "CREATE TABLE issue_history_next (
                id integer PRIMARY KEY AUTOINCREMENT,
                report_id bigint NOT NULL,
                action text NOT NULL CHECK (action IN ('REPORTED', 'CHANGED', 'DELETED')),
                actor text NOT NULL,
                actor_kind text NOT NULL CHECK (actor_kind IN ({authors})),
                status_from text NULL,
                status_to text NULL,
                priority_from text NULL,
                priority_to text NULL,
                assigned_from text NULL,
                assigned_to text NULL,
                note text NULL,
                entry_date timestamp_with_timezone_text NOT NULL
            )"
        ),
    )
    .await?;
    let values = COLUMNS.replace("actor_kind", actor_kind);
    run(
        manager,
        &format!("INSERT INTO issue_history_next ({COLUMNS}) SELECT {values} FROM issue_history ORDER BY id"),
    )
    .await?;
    run(manager, "DROP TABLE issue_history").await?;
    run(manager, "ALTER TABLE issue_history_next RENAME TO issue_history").await?;
    run(manager, "CREATE INDEX issue_history_by_report ON issue_history (report_id, id)").await?;
    for event in ["UPDATE", "DELETE"] {
        let trigger = format!(
            "CREATE TRIGGER issue_history_no_{event} BEFORE {event} ON issue_history BEGIN \
             SELECT RAISE(ABORT, 'issue_history are append-only'); END"
        );
        run(manager, &trigger).await?;
    }
    Ok(())
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        allow(manager, "'STAFF', 'KEY', 'IMPORT', 'SERVER'", "actor_kind").await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let staff = "CASE actor_kind WHEN 'SERVER' THEN 'STAFF' ELSE actor_kind END";
        allow(manager, "'STAFF', 'KEY', 'IMPORT'", staff).await
    }
}
