//! Episodes.

use sea_orm_migration::{prelude::*, schema::*};

use crate::content::{Content, key};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const EPISODES: Content = Content {
    table: "episodes",
    sorts: &["title_key", "season_number", "episode_number", "air_date", "views", "active"],
    facets: &[("tv_show_id", "bigint"), ("active", "boolean")],
};

const ONCE: &str =
    "CREATE UNIQUE INDEX episodes_once ON episodes (tv_show_id, season_number, episode_number)";

/// The first episode of a season creates the season (docs/spec/content-types.md#seasons), and seasons count
/// their episodes.
const KEPT_BY_SQLITE: &[&str] = &[
    "CREATE TRIGGER episodes_seasons_insert AFTER INSERT ON episodes BEGIN \
     INSERT INTO seasons (version, views, created_date, updated_date, natural_key, search_text, tv_show_id, \
     season_number, title_key, episode_count, active) \
     SELECT 1, 0, new.created_date, new.created_date, new.tv_show_id || char(10) || new.season_number, \
     new.season_number, new.tv_show_id, new.season_number, '', 0, 1 \
     WHERE true ON CONFLICT (tv_show_id, season_number) DO NOTHING; \
     UPDATE seasons SET episode_count = episode_count + 1 \
     WHERE tv_show_id = new.tv_show_id AND season_number = new.season_number; END",
    "CREATE TRIGGER episodes_seasons_delete AFTER DELETE ON episodes BEGIN \
     UPDATE seasons SET episode_count = episode_count - 1 \
     WHERE tv_show_id = old.tv_show_id AND season_number = old.season_number; END",
    "CREATE TRIGGER episodes_seasons_update AFTER UPDATE OF tv_show_id, season_number ON episodes \
     WHEN old.tv_show_id <> new.tv_show_id OR old.season_number <> new.season_number BEGIN \
     INSERT INTO seasons (version, views, created_date, updated_date, natural_key, search_text, tv_show_id, \
     season_number, title_key, episode_count, active) \
     SELECT 1, 0, new.updated_date, new.updated_date, new.tv_show_id || char(10) || new.season_number, \
     new.season_number, new.tv_show_id, new.season_number, '', 0, 1 \
     WHERE true ON CONFLICT (tv_show_id, season_number) DO NOTHING; \
     UPDATE seasons SET episode_count = episode_count + 1 \
     WHERE tv_show_id = new.tv_show_id AND season_number = new.season_number; \
     UPDATE seasons SET episode_count = episode_count - 1 \
     WHERE tv_show_id = old.tv_show_id AND season_number = old.season_number; END",
];

const KEPT_BY_POSTGRES: &[&str] = &[
    "CREATE FUNCTION episodes_keep_seasons() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
     IF TG_OP = 'UPDATE' AND old.tv_show_id = new.tv_show_id AND old.season_number = new.season_number \
     THEN RETURN NULL; END IF; \
     IF TG_OP <> 'DELETE' THEN \
     INSERT INTO seasons (version, views, created_date, updated_date, natural_key, search_text, tv_show_id, \
     season_number, title_key, episode_count, active) \
     VALUES (1, 0, new.updated_date, new.updated_date, new.tv_show_id || chr(10) || new.season_number, \
     CAST(new.season_number AS text), new.tv_show_id, new.season_number, '', 0, true) \
     ON CONFLICT (tv_show_id, season_number) DO NOTHING; \
     UPDATE seasons SET episode_count = episode_count + 1 \
     WHERE tv_show_id = new.tv_show_id AND season_number = new.season_number; END IF; \
     IF TG_OP <> 'INSERT' THEN UPDATE seasons SET episode_count = episode_count - 1 \
     WHERE tv_show_id = old.tv_show_id AND season_number = old.season_number; END IF; \
     RETURN NULL; END $$",
    "CREATE TRIGGER episodes_seasons_kept AFTER INSERT OR UPDATE OR DELETE ON episodes \
     FOR EACH ROW EXECUTE FUNCTION episodes_keep_seasons()",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let mut table = EPISODES.columns(backend);
        table
            .col(big_integer("tv_show_id"))
            .col(text_null("imdb_id"))
            .col(integer("season_number"))
            .col(integer("episode_number"))
            .col(text("title"))
            .col(key("title_key", backend))
            .col(date_null("air_date"))
            .col(integer("duration_minutes"))
            .col(double_null("rating"))
            .col(text_null("cover_image_url"))
            .col(boolean("active"))
            .col(text_null("spanish_synopsis"))
            .col(text_null("english_synopsis"))
            .col(json_binary("links"))
            .foreign_key(
                ForeignKey::create()
                    .name("episodes_show")
                    .from("episodes", "tv_show_id")
                    .to("tv_shows", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            );
        manager.create_table(table).await?;
        for sql in [ONCE].iter().chain(match backend {
            sea_orm::DbBackend::Sqlite => KEPT_BY_SQLITE,
            _ => KEPT_BY_POSTGRES,
        }) {
            manager.get_connection().execute_unprepared(sql).await?;
        }
        EPISODES.create_indexes(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        EPISODES.drop(manager).await
    }
}
