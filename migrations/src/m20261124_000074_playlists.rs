//! Playlist sources, their runs, and their known entries. A trigger records whether the channel or radio
//! station created from an entry exists, because several operations move it to the trash and restore it.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

use crate::content::key;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Tables whose rows are created from entries, and their names in paths.
const MADE: [(&str, &str); 2] = [("tv_channels", "tv-channels"), ("radio_stations", "radio-stations")];

const GONE: &str = "UPDATE playlist_entries SET in_use = FALSE, \
     change = CASE change WHEN 'MISSING' THEN 'MISSING' ELSE 'NEW' END";
const BACK: &str = "UPDATE playlist_entries SET in_use = TRUE, change = CASE WHEN change = 'MISSING' THEN 'MISSING' \
     WHEN content = applied THEN 'UNCHANGED' ELSE 'CHANGED' END";

fn belonging(table: &'static str, column: &'static str, to: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create().from(table, column).to(to, "id").on_delete(ForeignKeyAction::Cascade).to_owned()
}

async fn create_tables(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let backend = manager.get_database_backend();
    let sources = Table::create()
        .table("playlist_sources")
        .col(big_integer("id").auto_increment().primary_key())
        .col(big_integer("version"))
        .col(text("title"))
        .col(key("title_key", backend))
        .col(text("search_text"))
        // With the credentials for fetching the playlist.
        .col(text_null("url"))
        .col(integer_null("refresh_hours"))
        .col(text("automatic"))
        .col(big_integer_null("default_category_id"))
        .col(text("categories"))
        .col(integer("first_number"))
        .col(text_null("radio_country"))
        .col(text_null("radio_genre"))
        .col(boolean("active"))
        .col(text("updated_by"))
        .col(timestamp_with_time_zone("created_date"))
        .col(timestamp_with_time_zone("updated_date"))
        .col(timestamp_with_time_zone_null("next_refresh_date"))
        .col(text_null("etag"))
        .to_owned();
    manager.create_table(sources).await?;
    let runs = Table::create()
        .table("playlist_runs")
        .col(big_integer("id").auto_increment().primary_key())
        .col(big_integer("source_id"))
        .col(text("state"))
        .col(boolean("scheduled"))
        .col(text_null("file_name"))
        .col(boolean("accept_loss"))
        .col(big_integer("attempt"))
        .col(text_null("created_by"))
        .col(timestamp_with_time_zone("created_date"))
        .col(timestamp_with_time_zone_null("finished_date"))
        .col(text_null("fault"))
        .col(integer_null("status_code"))
        .col(big_integer_null("limit_value"))
        .col(text("counts"))
        .col(text("guides"))
        .col(text("operations"))
        .foreign_key(&mut belonging("playlist_runs", "source_id", "playlist_sources"))
        .to_owned();
    manager.create_table(runs).await?;
    let files = Table::create()
        .table("playlist_run_files")
        .col(big_integer("run_id").primary_key())
        .col(blob("content"))
        .foreign_key(&mut belonging("playlist_run_files", "run_id", "playlist_runs"))
        .to_owned();
    manager.create_table(files).await?;
    let lines = Table::create()
        .table("playlist_run_lines")
        .col(big_integer("id").auto_increment().primary_key())
        .col(big_integer("run_id"))
        .col(big_integer("line"))
        .col(text("change"))
        .col(text("reason"))
        .col(text("name"))
        .col(big_integer_null("of_line"))
        .foreign_key(&mut belonging("playlist_run_lines", "run_id", "playlist_runs"))
        .to_owned();
    manager.create_table(lines).await?;
    let entries = Table::create()
        .table("playlist_entries")
        .col(big_integer("id").auto_increment().primary_key())
        .col(big_integer("source_id"))
        .col(text("change"))
        .col(boolean("ignored"))
        .col(boolean("in_use"))
        .col(text_null("item_kind"))
        .col(big_integer_null("item_id"))
        .col(boolean("radio"))
        .col(text("group_name"))
        .col(text("search_text"))
        .col(text("content"))
        // Entry as last applied to the channel.
        .col(text_null("applied"))
        .col(text_null("sign"))
        .col(timestamp_with_time_zone_null("missing_since"))
        .col(text_null("candidates"))
        // Row of the file that is being imported for the entry.
        .col(big_integer_null("sheet_id"))
        .col(big_integer_null("sheet_row"))
        // Content of that row: a run may write other content meanwhile.
        .col(text_null("row_content"))
        .foreign_key(&mut belonging("playlist_entries", "source_id", "playlist_sources"))
        .to_owned();
    manager.create_table(entries).await
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_tables(manager).await?;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        for index in [
            "INDEX playlist_sources_by_title ON playlist_sources (title_key, id)",
            "INDEX playlist_sources_due ON playlist_sources (next_refresh_date) WHERE next_refresh_date IS NOT NULL",
            "INDEX playlist_runs_by_source ON playlist_runs (source_id, id)",
            // At most one unfinished run per source.
            "UNIQUE INDEX playlist_runs_unfinished ON playlist_runs (source_id) WHERE finished_date IS NULL",
            "INDEX playlist_run_lines_by_run ON playlist_run_lines (run_id, id)",
            "INDEX playlist_entries_by_source ON playlist_entries (source_id, id)",
            "INDEX playlist_entries_by_change ON playlist_entries (source_id, change, ignored, id)",
            "INDEX playlist_entries_by_group ON playlist_entries (source_id, group_name, change, id)",
            "INDEX playlist_entries_by_item ON playlist_entries (item_id, item_kind) WHERE item_id IS NOT NULL",
            "INDEX playlist_entries_by_row ON playlist_entries (sheet_id, sheet_row) WHERE sheet_id IS NOT NULL",
        ] {
            run(&format!("CREATE {index}")).await?;
        }
        if manager.get_database_backend() == DbBackend::Sqlite {
            for (table, path) in MADE {
                let of = |row: &str| format!("WHERE item_kind = '{path}' AND item_id = {row}.id");
                run(&format!(
                    "CREATE TRIGGER {table}_entries_delete AFTER DELETE ON {table} BEGIN {GONE} {}; END",
                    of("old")
                ))
                .await?;
                run(&format!(
                    "CREATE TRIGGER {table}_entries_insert AFTER INSERT ON {table} BEGIN {BACK} {}; END",
                    of("new")
                ))
                .await?;
            }
            return Ok(());
        }
        run(&format!(
            "CREATE FUNCTION playlist_entries_follow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF TG_OP = 'DELETE' THEN {GONE} WHERE item_kind = TG_ARGV[0] AND item_id = old.id; \
             ELSE {BACK} WHERE item_kind = TG_ARGV[0] AND item_id = new.id; END IF; RETURN NULL; END $$"
        ))
        .await?;
        for (table, path) in MADE {
            run(&format!(
                "CREATE TRIGGER {table}_entries AFTER INSERT OR DELETE ON {table} \
                 FOR EACH ROW EXECUTE FUNCTION playlist_entries_follow('{path}')"
            ))
            .await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        if manager.get_database_backend() == DbBackend::Sqlite {
            for (table, _) in MADE {
                for event in ["delete", "insert"] {
                    run(&format!("DROP TRIGGER {table}_entries_{event}")).await?;
                }
            }
        } else {
            run("DROP FUNCTION playlist_entries_follow() CASCADE").await?;
        }
        for table in [
            "playlist_entries",
            "playlist_run_lines",
            "playlist_run_files",
            "playlist_runs",
            "playlist_sources",
        ] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}
