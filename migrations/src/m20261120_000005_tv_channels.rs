//! Live TV channels.

use sea_orm_migration::{prelude::*, schema::*};

use crate::content::{Content, key};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const TV_CHANNELS: Content = Content {
    table: "tv_channels",
    sorts: &["channel_number", "title_key", "active"],
    facets: &[("active", "boolean")],
};

/// Categories of a channel, beside the list in its row: for the foreign key and for counting references.
const CATEGORIES_OF_CHANNELS: &[&str] = &[
    "CREATE TABLE tv_channel_categories (\
     channel_id bigint NOT NULL REFERENCES tv_channels (id) ON DELETE CASCADE, \
     category_id bigint NOT NULL REFERENCES categories (id) ON DELETE RESTRICT, \
     PRIMARY KEY (channel_id, category_id))",
    "CREATE INDEX tv_channel_categories_by_category ON tv_channel_categories (category_id)",
    "CREATE INDEX tv_channels_by_guide ON tv_channels (tv_guide_id)",
];

const KEPT_BY_SQLITE: &[&str] = &[
    "CREATE TRIGGER tv_channels_categories_insert AFTER INSERT ON tv_channels BEGIN \
     INSERT INTO tv_channel_categories SELECT new.id, value FROM json_each(new.categories); END",
    "CREATE TRIGGER tv_channels_categories_update AFTER UPDATE OF categories ON tv_channels \
     WHEN old.categories IS NOT new.categories BEGIN \
     DELETE FROM tv_channel_categories WHERE channel_id = new.id; \
     INSERT INTO tv_channel_categories SELECT new.id, value FROM json_each(new.categories); END",
];

const KEPT_BY_POSTGRES: &[&str] = &[
    "CREATE FUNCTION tv_channels_keep_categories() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
     IF TG_OP = 'UPDATE' AND old.categories = new.categories THEN RETURN NULL; END IF; \
     DELETE FROM tv_channel_categories WHERE channel_id = new.id; \
     INSERT INTO tv_channel_categories SELECT new.id, CAST(value AS bigint) \
     FROM jsonb_array_elements_text(new.categories); RETURN NULL; END $$",
    "CREATE TRIGGER tv_channels_categories_kept AFTER INSERT OR UPDATE ON tv_channels \
     FOR EACH ROW EXECUTE FUNCTION tv_channels_keep_categories()",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let mut table = TV_CHANNELS.columns(backend);
        table
            .col(integer("channel_number"))
            .col(text("title"))
            .col(key("title_key", backend))
            .col(big_integer_null("tv_guide_id"))
            .col(json_binary("categories"))
            .col(text_null("epg_id"))
            .col(text_null("image_url"))
            .col(boolean("active"))
            .col(boolean("adult_content"))
            .col(boolean("kids_content"))
            .col(text("url_type"))
            .col(text("url"))
            .foreign_key(
                ForeignKey::create()
                    .name("tv_channels_guide")
                    .from("tv_channels", "tv_guide_id")
                    .to("tv_guides", "id")
                    .on_delete(ForeignKeyAction::Restrict),
            );
        manager.create_table(table).await?;
        for sql in CATEGORIES_OF_CHANNELS.iter().chain(match backend {
            sea_orm::DbBackend::Sqlite => KEPT_BY_SQLITE,
            _ => KEPT_BY_POSTGRES,
        }) {
            manager.get_connection().execute_unprepared(sql).await?;
        }
        TV_CHANNELS.create_indexes(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table("tv_channel_categories").to_owned()).await?;
        TV_CHANNELS.drop(manager).await
    }
}
