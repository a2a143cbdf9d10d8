//! The addresses that items stream from, a row for each, for the search for duplicates: two items with one address in common are
//! beside each other in it, whichever of their links has it. Triggers keep it. `PostgreSQL` keeps digests: an entry of a B-tree has
//! at most 2,704 bytes there, and an address of 2,048 characters may have more.
//!
//! Replaces the digest of the first address (migration 71).

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

use crate::content::{
    RowTrigger, address_digest, address_triggers, among, create_row_triggers, drop_row_triggers, links_of,
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Kinds with links that are compared.
const WITH_LINKS: [&str; 4] = ["movies", "documentaries", "concerts", "sports"];

/// The triggers of items with links, of channels, their streams and radio stations. Streams stay while their channel is in the
/// trash.
fn triggers(backend: DbBackend) -> Vec<RowTrigger> {
    let address = |row: &str| address_digest(backend, row);
    let (url, stream_url) = (address("new.url"), address("new.stream_url"));
    let (old_url, old_stream_url) = (address("old.url"), address("old.stream_url"));
    let insert = "INSERT INTO item_addresses (kind, address, item_id)";
    let delete = "DELETE FROM item_addresses WHERE kind =";
    let of_streams = |channel: &str| {
        format!("SELECT {} FROM channel_streams s WHERE s.channel_id = {channel}", address("s.url"))
    };
    let add_channel = format!(
        "{insert} SELECT 'tv-channels', a.address, new.id FROM (SELECT {url} AS address UNION {}) a;",
        of_streams("new.id")
    );
    let remove_channel = format!(
        "{delete} 'tv-channels' AND item_id = old.id AND address {};",
        among(backend, &format!("SELECT {old_url} UNION ALL {}", of_streams("old.id")))
    );
    let change_channel = format!(
        "{delete} 'tv-channels' AND item_id = old.id AND address = {old_url} AND NOT EXISTS (SELECT 1 FROM channel_streams s \
         WHERE s.channel_id = old.id AND s.url = old.url); \
         {insert} VALUES ('tv-channels', {url}, new.id) ON CONFLICT DO NOTHING;"
    );
    let add_stream = format!(
        "{insert} SELECT 'tv-channels', {url}, c.id FROM tv_channels c WHERE c.id = new.channel_id ON CONFLICT DO NOTHING;"
    );
    let remove_stream = format!(
        "{delete} 'tv-channels' AND item_id = old.channel_id AND address = {old_url} \
         AND NOT EXISTS (SELECT 1 FROM channel_streams s WHERE s.channel_id = old.channel_id AND s.url = old.url) \
         AND NOT EXISTS (SELECT 1 FROM tv_channels c WHERE c.id = old.channel_id AND c.url = old.url);"
    );
    let add_station = format!("{insert} VALUES ('radio-stations', {stream_url}, new.id);");
    let remove_station =
        format!("{delete} 'radio-stations' AND item_id = old.id AND address = {old_stream_url};");
    let (change_stream, change_station) =
        (format!("{remove_stream} {add_stream}"), format!("{remove_station} {add_station}"));
    let changed = "old.url <> new.url";
    let others = [
        ("tv_channels", "add", "INSERT", "", add_channel),
        ("tv_channels", "remove", "DELETE", "", remove_channel),
        ("tv_channels", "change", "UPDATE OF url", changed, change_channel),
        ("channel_streams", "add", "INSERT", "", add_stream),
        ("channel_streams", "remove", "DELETE", "", remove_stream),
        ("channel_streams", "change", "UPDATE OF url", changed, change_stream),
        ("radio_stations", "add", "INSERT", "", add_station),
        ("radio_stations", "remove", "DELETE", "", remove_station),
        (
            "radio_stations",
            "change",
            "UPDATE OF stream_url",
            "old.stream_url <> new.stream_url",
            change_station,
        ),
    ]
    .map(|(table, verb, event, condition, body)| {
        (format!("{table}_{verb}_addresses"), table.to_owned(), event, condition, body)
    });
    WITH_LINKS.iter().flat_map(|table| address_triggers(backend, table)).chain(others).collect()
}

/// The addresses that there are.
fn filling(backend: DbBackend) -> Vec<String> {
    let address = |column: &str| address_digest(backend, column);
    let insert = "INSERT INTO item_addresses (kind, address, item_id)";
    let mut all: Vec<String> = WITH_LINKS
        .iter()
        .map(|table| {
            let (address, links) = links_of(backend, "m");
            format!("{insert} SELECT DISTINCT '{table}', {address}, m.id FROM {table} m CROSS JOIN {links}")
        })
        .collect();
    all.push(format!(
        "{insert} SELECT 'tv-channels', {}, id FROM tv_channels UNION SELECT 'tv-channels', {}, c.id FROM channel_streams s \
         JOIN tv_channels c ON c.id = s.channel_id",
        address("url"),
        address("s.url")
    ));
    all.push(format!("{insert} SELECT 'radio-stations', {}, id FROM radio_stations", address("stream_url")));
    all
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        let backend = manager.get_database_backend();
        let is_sqlite = backend == DbBackend::Sqlite;
        let (text, table) = if is_sqlite { ("text", " WITHOUT ROWID") } else { ("text COLLATE \"C\"", "") };
        run(&format!(
            "CREATE TABLE item_addresses (kind {text} NOT NULL, address {text} NOT NULL, item_id bigint NOT NULL, \
             PRIMARY KEY (kind, address, item_id)){table}"
        ))
        .await?;
        for sql in filling(backend) {
            run(&sql).await?;
        }
        if !is_sqlite {
            for table in WITH_LINKS {
                run(&format!("ALTER TABLE {table} DROP COLUMN first_link")).await?;
            }
        }
        create_row_triggers(manager, &triggers(backend)).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        let backend = manager.get_database_backend();
        drop_row_triggers(manager, &triggers(backend)).await?;
        if backend != DbBackend::Sqlite {
            for table in WITH_LINKS {
                let column = "first_link text GENERATED ALWAYS AS (md5(links->0->>'url')) STORED";
                run(&format!("ALTER TABLE {table} ADD COLUMN {column}")).await?;
                let on = format!("{table} (first_link, id) WHERE first_link IS NOT NULL");
                run(&format!("CREATE INDEX {table}_by_first_address ON {on}")).await?;
            }
        }
        run("DROP TABLE item_addresses").await
    }
}
