//! A playlist entry used as the first stream of a channel is in use while the channel has the stream's URL: a
//! form may set another one, and the former one again.

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
const OF_CHANNEL: &str = "item_id = new.id AND EXISTS (SELECT 1 FROM channel_streams s \
     WHERE s.channel_id = new.id AND s.entry_id = playlist_entries.id";
const UPDATED: &str = "AFTER UPDATE OF url, url_type ON tv_channels";
const CHANGED: &str = "old.url <> new.url OR old.url_type <> new.url_type";

/// State of entries when a channel with streams is restored from the trash.
async fn return_entries(manager: &SchemaManager<'_>, update: &str) -> Result<(), DbErr> {
    let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
    if manager.get_database_backend() == DbBackend::Sqlite {
        run("DROP TRIGGER tv_channels_stream_entries_insert").await?;
        return run(&format!(
            "CREATE TRIGGER tv_channels_stream_entries_insert AFTER INSERT ON tv_channels BEGIN {update}; END"
        ))
        .await;
    }
    run(&format!(
        "CREATE OR REPLACE FUNCTION stream_entries_return() RETURNS trigger LANGUAGE plpgsql AS $$ \
         BEGIN {update}; RETURN NULL; END $$"
    ))
    .await
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        // Former changes by forms.
        run(&format!(
            "{GONE} AND in_use AND id IN (SELECT s.entry_id FROM channel_streams s \
             JOIN tv_channels c ON c.id = s.channel_id WHERE s.position = 0 AND s.entry_id IS NOT NULL \
             AND NOT (s.url = c.url AND s.url_type = c.url_type))"
        ))
        .await?;
        return_entries(manager, &format!("{BACK} AND {OF_CHANNEL} AND (s.position > 0 OR {SAME}))")).await?;
        let follow = format!("{GONE} AND {FIRST} AND NOT ({SAME})); {BACK} AND {FIRST} AND {SAME});");
        if manager.get_database_backend() == DbBackend::Sqlite {
            return run(&format!(
                "CREATE TRIGGER tv_channels_first_stream {UPDATED} WHEN {CHANGED} BEGIN {follow} END"
            ))
            .await;
        }
        run(&format!(
            "CREATE FUNCTION first_stream_follows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {follow} \
             RETURN NULL; END $$"
        ))
        .await?;
        run(&format!(
            "CREATE TRIGGER tv_channels_first_stream {UPDATED} FOR EACH ROW WHEN ({CHANGED}) \
             EXECUTE FUNCTION first_stream_follows()"
        ))
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        return_entries(manager, &format!("{BACK} AND {OF_CHANNEL})")).await?;
        if manager.get_database_backend() == DbBackend::Sqlite {
            return run("DROP TRIGGER tv_channels_first_stream").await;
        }
        run("DROP TRIGGER tv_channels_first_stream ON tv_channels").await?;
        run("DROP FUNCTION first_stream_follows()").await
    }
}
