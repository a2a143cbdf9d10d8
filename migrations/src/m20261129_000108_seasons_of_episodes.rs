//! An episode written while its season is deleted or renumbered gets a season: on PostgreSQL, with its
//! concurrent writers, the trigger saw the former season, waited, and then counted nothing.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const COLUMNS: &str = "version, views, created_date, updated_date, natural_key, search_text, tv_show_id, \
     season_number, title_key, episode_count, active";
/// Uses the unique index of a show's episodes.
const COUNT: &str = "(SELECT count(*) FROM episodes WHERE episodes.tv_show_id = seasons.tv_show_id \
     AND episodes.season_number = seasons.season_number)";

/// Function of the trigger; `counts` is its action where the season exists.
fn function(first_count: i32, counts: &str) -> String {
    format!(
        "CREATE OR REPLACE FUNCTION episodes_keep_seasons() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF TG_OP = 'UPDATE' AND old.tv_show_id = new.tv_show_id AND old.season_number = new.season_number \
         THEN RETURN NULL; END IF; \
         IF TG_OP <> 'DELETE' THEN INSERT INTO seasons ({COLUMNS}) \
         VALUES (1, 0, new.updated_date, new.updated_date, new.tv_show_id || chr(10) || new.season_number, \
         CAST(new.season_number AS text), new.tv_show_id, new.season_number, '', {first_count}, true) \
         ON CONFLICT (tv_show_id, season_number) {counts}; END IF; \
         IF TG_OP <> 'INSERT' THEN UPDATE seasons SET episode_count = episode_count - 1 \
         WHERE tv_show_id = old.tv_show_id AND season_number = old.season_number; END IF; \
         RETURN NULL; END $$"
    )
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() == DbBackend::Sqlite {
            return Ok(());
        }
        // An episode without a show, which the foreign key prevents, is skipped and does not stop the
        // upgrade.
        let missing = format!(
            "INSERT INTO seasons ({COLUMNS}) SELECT 1, 0, min(created_date), max(updated_date), \
             tv_show_id || chr(10) || season_number, CAST(season_number AS text), tv_show_id, season_number, '', 0, \
             true FROM episodes WHERE EXISTS (SELECT 1 FROM tv_shows WHERE tv_shows.id = episodes.tv_show_id) \
             GROUP BY tv_show_id, season_number \
             ON CONFLICT (tv_show_id, season_number) DO NOTHING"
        );
        let counted = format!("UPDATE seasons SET episode_count = {COUNT} WHERE episode_count <> {COUNT}");
        // Waits for a row locked by another transaction, and inserts the season if it was removed.
        let waits = function(1, "DO UPDATE SET episode_count = seasons.episode_count + 1");
        for sql in [waits, missing, counted] {
            manager.get_connection().execute_unprepared(&sql).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() == DbBackend::Sqlite {
            return Ok(());
        }
        let former = function(
            0,
            "DO NOTHING; UPDATE seasons SET episode_count = episode_count + 1 \
             WHERE tv_show_id = new.tv_show_id AND season_number = new.season_number",
        );
        manager.get_connection().execute_unprepared(&former).await.map(drop)
    }
}
