//! Viewers' reports, their history, and the items with reports.
//!
//! Reports are updated; their history is append-only and is kept after a deletion. Reports on one item share
//! a row of `issue_items`, which triggers update: the number of open ones, and the time of the last of those.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

use crate::content::Content;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const REPORTS: Content = Content {
    table: "issue_reports",
    sorts: &[],
    facets: &[
        ("status", "text"),
        ("content_type", "text"),
        ("report_type", "text"),
        ("priority", "text"),
        ("assigned_to_key", "text"),
    ],
};
const ITEMS: Content =
    Content { table: "issue_items", sorts: &[], facets: &[("content_type", "text"), ("waiting", "boolean")] };

/// Sortable columns; the id is the tie-breaker.
const SORTS: [&str; 8] = [
    "created_date",
    "updated_date",
    "title_key",
    "urgency",
    "status",
    "content_type",
    "report_type",
    "assigned_to_key",
];

/// Unresolved reports.
const OPEN: &str = "IN ('REPORTADO', 'EN_PROGRESO')";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        self.create_tables(manager).await?;
        self.create_indexes(manager).await?;
        for counted in [REPORTS, ITEMS] {
            counted.create_counters(manager).await?;
            counted.index_text(manager).await?;
        }
        if manager.get_database_backend() == DbBackend::Sqlite {
            self.keep_items_sqlite(manager).await
        } else {
            self.keep_items_postgres(manager).await
        }
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        if manager.get_database_backend() == DbBackend::Sqlite {
            run("DROP TABLE issue_reports_search").await?;
            run("DROP TABLE issue_items_search").await?;
        }
        for table in
            ["issue_history", "issue_reports", "issue_reports_counts", "issue_items", "issue_items_counts"]
        {
            run(&format!("DROP TABLE {table}")).await?;
        }
        if manager.get_database_backend() != DbBackend::Sqlite {
            for function in
                ["issue_reports_keep_counts", "issue_items_keep_counts", "issue_reports_keep_items"]
            {
                run(&format!("DROP FUNCTION {function}()")).await?;
            }
        }
        Ok(())
    }
}

impl Migration {
    async fn create_tables(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        let id = if sqlite { "integer PRIMARY KEY AUTOINCREMENT" } else { "bigserial PRIMARY KEY" };
        let moment = if sqlite { "timestamp_with_timezone_text" } else { "timestamp with time zone" };
        // Folded text, with byte order on both databases.
        let key = if sqlite { "text" } else { "text COLLATE \"C\"" };
        // The reported content: by its id, or, where that is unknown, by its title.
        run(&format!(
            "CREATE TABLE issue_items (
                id {id},
                content_type text NOT NULL,
                content_id bigint NULL,
                title text NOT NULL,
                item_key {key} NOT NULL UNIQUE,
                search_text text NOT NULL,
                open bigint NOT NULL DEFAULT 0 CHECK (open >= 0),
                waiting boolean NOT NULL DEFAULT false,
                last_date {moment} NULL
            )"
        ))
        .await?;
        // Reported content may be deleted, so its id is no foreign key. Nor are names of staff, which are
        // kept after a user was deleted.
        run(&format!(
            "CREATE TABLE issue_reports (
                id {id},
                version bigint NOT NULL DEFAULT 1,
                status text NOT NULL,
                content_type text NOT NULL,
                content_id bigint NULL,
                item_id bigint NULL REFERENCES issue_items (id),
                report_type text NOT NULL,
                priority text NOT NULL,
                urgency smallint NOT NULL GENERATED ALWAYS AS
                    (CASE priority WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 WHEN 'HIGH' THEN 3 ELSE 4 END) STORED,
                assigned_to text NULL,
                assigned_to_key text NOT NULL GENERATED ALWAYS AS (lower(coalesce(assigned_to, ''))) STORED,
                title text NOT NULL,
                title_key {key} NOT NULL,
                content text NULL,
                reporter text NULL,
                natural_key text NULL,
                created_date {moment} NOT NULL,
                updated_date {moment} NOT NULL,
                description text NULL,
                notes text NULL,
                search_text text NOT NULL
            )"
        ))
        .await?;
        // No foreign key: the history is kept after a report was deleted. Both values of an unchanged field
        // are null; a note is the new text, and empty where it was removed.
        run(&format!(
            "CREATE TABLE issue_history (
                id {id},
                report_id bigint NOT NULL,
                action text NOT NULL CHECK (action IN ('REPORTED', 'CHANGED', 'DELETED')),
                actor text NOT NULL,
                actor_kind text NOT NULL CHECK (actor_kind IN ('STAFF', 'KEY', 'IMPORT')),
                status_from text NULL,
                status_to text NULL,
                priority_from text NULL,
                priority_to text NULL,
                assigned_from text NULL,
                assigned_to text NULL,
                note text NULL,
                entry_date {moment} NOT NULL
            )"
        ))
        .await?;
        if !sqlite {
            return run("CREATE TRIGGER issue_history_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON issue_history \
                 FOR EACH STATEMENT EXECUTE FUNCTION is_append_only()")
            .await;
        }
        for event in ["UPDATE", "DELETE"] {
            run(&format!(
                "CREATE TRIGGER issue_history_no_{event} BEFORE {event} ON issue_history BEGIN \
                 SELECT RAISE(ABORT, 'issue_history are append-only'); END"
            ))
            .await?;
        }
        Ok(())
    }

    async fn create_indexes(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let run = async |sql: String| manager.get_connection().execute_unprepared(&sql).await.map(drop);
        let facets: Vec<&str> = REPORTS.facets.iter().map(|(column, _)| *column).collect();
        // The filter columns are included, so that a filtered list scans the index only.
        let covered = |first: &[&str]| {
            let rest = facets.iter().filter(|facet| !first.contains(facet));
            first.iter().chain(rest).copied().collect::<Vec<_>>().join(", ")
        };
        for column in SORTS {
            run(format!(
                "CREATE INDEX issue_reports_by_{column} ON issue_reports ({})",
                covered(&[column, "id"])
            ))
            .await?;
        }
        run(format!(
            "CREATE INDEX issue_reports_by_item ON issue_reports ({})",
            covered(&["item_id", "created_date", "id"])
        ))
        .await?;
        if manager.get_database_backend() == DbBackend::Sqlite {
            // Rows are wide, and SQLite has no narrow index of ids by default.
            run(format!("CREATE INDEX issue_reports_by_id ON issue_reports ({})", covered(&["id"]))).await?;
        }
        for index in [
            format!(
                "INDEX issue_reports_open ON issue_reports (item_id, created_date, report_type, priority, status, assigned_to) \
                 WHERE status {OPEN}"
            ),
            "UNIQUE INDEX issue_reports_once ON issue_reports (natural_key) WHERE natural_key IS NOT NULL"
                .into(),
            "INDEX issue_items_by_open ON issue_items (open, id, content_type) WHERE waiting".into(),
            "INDEX issue_items_by_last_date ON issue_items (last_date, id, content_type) WHERE waiting"
                .into(),
            "INDEX issue_history_by_report ON issue_history (report_id, id)".into(),
        ] {
            run(format!("CREATE {index}")).await?;
        }
        Ok(())
    }

    async fn keep_items_sqlite(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        for (name, event, when, body) in [
            ("insert", "INSERT", counts("new"), format!("{};", add("new"))),
            ("delete", "DELETE", counts("old"), format!("{};", take("old"))),
            (
                "update",
                "UPDATE OF status, item_id",
                format!("old.item_id IS NOT new.item_id OR ({}) <> ({})", counts("old"), counts("new")),
                format!("{} AND {}; {} AND {};", take("old"), counts("old"), add("new"), counts("new")),
            ),
        ] {
            let sql = format!(
                "CREATE TRIGGER issue_items_{name} AFTER {event} ON issue_reports WHEN {when} BEGIN {body} END"
            );
            manager.get_connection().execute_unprepared(&sql).await?;
        }
        Ok(())
    }

    async fn keep_items_postgres(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let (was, is) = (counts("old"), counts("new"));
        let function = format!(
            "CREATE FUNCTION issue_reports_keep_items() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF TG_OP = 'UPDATE' AND old.item_id IS NOT DISTINCT FROM new.item_id AND ({was}) = ({is}) THEN RETURN NULL; END IF; \
             IF TG_OP <> 'INSERT' THEN {} AND {was}; END IF; \
             IF TG_OP <> 'DELETE' THEN {} AND {is}; END IF; RETURN NULL; END $$",
            take("old"),
            add("new"),
        );
        manager.get_connection().execute_unprepared(&function).await?;
        let trigger = "CREATE TRIGGER issue_reports_items_kept AFTER INSERT OR DELETE OR UPDATE OF status, item_id ON issue_reports \
             FOR EACH ROW EXECUTE FUNCTION issue_reports_keep_items()";
        manager.get_connection().execute_unprepared(trigger).await.map(drop)
    }
}

/// Whether a row is counted for an item.
fn counts(row: &str) -> String {
    format!("{row}.item_id IS NOT NULL AND {row}.status {OPEN}")
}

fn add(row: &str) -> String {
    format!(
        "UPDATE issue_items SET open = open + 1, waiting = true, last_date = CASE WHEN last_date > {row}.created_date \
         THEN last_date ELSE {row}.created_date END WHERE id = {row}.item_id"
    )
}

fn take(row: &str) -> String {
    format!(
        "UPDATE issue_items SET open = open - 1, waiting = open > 1, last_date = (SELECT max(created_date) \
         FROM issue_reports r WHERE r.item_id = {row}.item_id AND r.status {OPEN}) WHERE id = {row}.item_id"
    )
}
