//! Radio stations.

use sea_orm_migration::{prelude::*, schema::*};

use crate::content::{Content, key};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const RADIO_STATIONS: Content = Content {
    table: "radio_stations",
    sorts: &["station_name_key", "country_key", "code_key", "active"],
    facets: &[("active", "boolean")],
};

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let mut table = RADIO_STATIONS.columns(backend);
        table
            .col(text("code"))
            .col(key("code_key", backend))
            .col(text("station_name"))
            .col(key("station_name_key", backend))
            .col(text_null("station_logo"))
            .col(text("country"))
            .col(key("country_key", backend))
            .col(json_binary("genres"))
            .col(text("stream_url"))
            .col(boolean("active"));
        manager.create_table(table).await?;
        RADIO_STATIONS.create_indexes(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        RADIO_STATIONS.drop(manager).await
    }
}
