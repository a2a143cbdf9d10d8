//! Visits and sign-ins: ten million append-only rows, counted by quarter of an hour. Days begin at a full
//! quarter in every time zone, so that a chart of days is a sum of these counts.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

use crate::content::key;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        manager
            .create_table(
                Table::create()
                    .table("visits")
                    .col(big_integer("id").auto_increment().primary_key())
                    .col(timestamp_with_time_zone("occurred_at"))
                    .col(text("kind"))
                    // The user may be unknown or deleted, so there is no foreign key.
                    .col(text("username"))
                    .col(key("username_key", backend))
                    .col(text_null("full_name"))
                    .col(text_null("address"))
                    .col(text_null("device"))
                    .col(text_null("content_type"))
                    .col(big_integer_null("content_id"))
                    .col(text_null("content_title"))
                    // Name of the reporting API key; null for the panel.
                    .col(text_null("source"))
                    // Folded searchable text.
                    .col(text("search_text"))
                    .to_owned(),
            )
            .await?;
        // The whole list, and by user; the kind is included, so that a list of one kind scans the index only.
        run("CREATE INDEX visits_by_date ON visits (occurred_at, id, kind)").await?;
        run("CREATE INDEX visits_by_user ON visits (username_key, occurred_at, id, kind)").await?;
        let layout = if backend == DbBackend::Sqlite { " WITHOUT ROWID" } else { "" };
        run(&format!(
            "CREATE TABLE visits_counts (quarter bigint NOT NULL, kind text NOT NULL, total bigint NOT NULL, \
             PRIMARY KEY (quarter, kind)){layout}"
        ))
        .await?;
        if backend == DbBackend::Sqlite {
            return self.count_and_index_sqlite(manager).await;
        }
        self.count_and_index_postgres(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        if manager.get_database_backend() == DbBackend::Sqlite {
            run("DROP TABLE visits_search").await?;
        }
        run("DROP TABLE visits").await?;
        run("DROP TABLE visits_counts").await?;
        if manager.get_database_backend() != DbBackend::Sqlite {
            run("DROP FUNCTION visits_count_added").await?;
            run("DROP FUNCTION visits_count_removed").await?;
        }
        Ok(())
    }
}

impl Migration {
    async fn count_and_index_sqlite(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        let quarter = |row: &str| format!("CAST(strftime('%s', {row}.occurred_at) AS integer) / 900");
        run(&format!(
            "CREATE TRIGGER visits_counted AFTER INSERT ON visits BEGIN \
             INSERT INTO visits_counts (quarter, kind, total) VALUES ({}, new.kind, 1) \
             ON CONFLICT (quarter, kind) DO UPDATE SET total = total + 1; END",
            quarter("new")
        ))
        .await?;
        run(&format!(
            "CREATE TRIGGER visits_counted_off AFTER DELETE ON visits BEGIN \
             UPDATE visits_counts SET total = total - 1 WHERE quarter = {} AND kind = old.kind; END",
            quarter("old")
        ))
        .await?;
        // No narrow index of texts: searches of one or two letters scan the table, because ten million copies
        // of the texts would cost more than the wait.
        run("CREATE VIRTUAL TABLE visits_search USING fts5(search_text, content='visits', content_rowid='id', \
             columnsize=0, detail='full', tokenize='trigram case_sensitive 1')")
        .await?;
        run("CREATE TRIGGER visits_search_insert AFTER INSERT ON visits BEGIN \
             INSERT INTO visits_search(rowid, search_text) VALUES (new.id, new.search_text); END")
        .await?;
        run("CREATE TRIGGER visits_search_delete AFTER DELETE ON visits BEGIN \
             INSERT INTO visits_search(visits_search, rowid, search_text) \
             VALUES ('delete', old.id, old.search_text); END")
        .await
    }

    /// Once per statement, in the order of the counts: two batches never wait for each other crosswise.
    async fn count_and_index_postgres(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        let counted = "SELECT CAST(floor(extract(epoch FROM occurred_at) / 900) AS bigint) AS quarter, kind, \
             count(*) AS total FROM changed GROUP BY 1, 2 ORDER BY 1, 2";
        run(&format!(
            "CREATE FUNCTION visits_count_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             INSERT INTO visits_counts (quarter, kind, total) {counted} \
             ON CONFLICT (quarter, kind) DO UPDATE SET total = visits_counts.total + excluded.total; \
             RETURN NULL; END $$"
        ))
        .await?;
        run(&format!(
            "CREATE FUNCTION visits_count_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             UPDATE visits_counts c SET total = c.total - g.total FROM ({counted}) g \
             WHERE c.quarter = g.quarter AND c.kind = g.kind; RETURN NULL; END $$"
        ))
        .await?;
        run("CREATE TRIGGER visits_counted AFTER INSERT ON visits REFERENCING NEW TABLE AS changed \
             FOR EACH STATEMENT EXECUTE FUNCTION visits_count_added()")
        .await?;
        run("CREATE TRIGGER visits_counted_off AFTER DELETE ON visits REFERENCING OLD TABLE AS changed \
             FOR EACH STATEMENT EXECUTE FUNCTION visits_count_removed()")
        .await?;
        run("CREATE EXTENSION IF NOT EXISTS pg_trgm").await?;
        run("CREATE INDEX visits_by_search ON visits USING gin (search_text gin_trgm_ops)").await
    }
}
