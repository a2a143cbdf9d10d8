//! A change of a channel's URL leaves the entry of its former first stream alone once that entry is a stream of
//! another channel. Replaces the trigger of migration 107.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const GONE: &str = "UPDATE playlist_entries SET in_use = FALSE, \
     change = CASE change WHEN 'MISSING' THEN 'MISSING' ELSE 'NEW' END WHERE item_kind = 'channel-streams'";
const BACK: &str = "UPDATE playlist_entries SET in_use = TRUE, change = CASE WHEN change = 'MISSING' THEN 'MISSING' \
     WHEN content = applied THEN 'UNCHANGED' ELSE 'CHANGED' END WHERE item_kind = 'channel-streams'";
const FIRST: &str =
    "id = (SELECT s.entry_id FROM channel_streams s WHERE s.channel_id = new.id AND s.position = 0";
const SAME: &str = "s.url = new.url AND s.url_type = new.url_type";

async fn follow(manager: &SchemaManager<'_>, condition: &str) -> Result<(), DbErr> {
    let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
    let follow = format!(
        "{GONE}{condition} AND {FIRST} AND NOT ({SAME})); {BACK}{condition} AND {FIRST} AND {SAME});"
    );
    if manager.get_database_backend() == DbBackend::Sqlite {
        run("DROP TRIGGER tv_channels_first_stream").await?;
        return run(&format!(
            "CREATE TRIGGER tv_channels_first_stream AFTER UPDATE OF url, url_type ON tv_channels \
             WHEN old.url <> new.url OR old.url_type <> new.url_type BEGIN {follow} END"
        ))
        .await;
    }
    run(&format!(
        "CREATE OR REPLACE FUNCTION first_stream_follows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {follow} \
         RETURN NULL; END $$"
    ))
    .await
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        follow(manager, " AND item_id = new.id").await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        follow(manager, "").await
    }
}
