//! Indexes for the completeness board: titles without a trailer, and similar titles.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Kinds with a trailer.
const WITH_TRAILER: [&str; 4] = ["movies", "documentaries", "sports", "tv_shows"];
/// Kinds that are compared by title and year.
const TITLED: [&str; 5] = ["movies", "documentaries", "concerts", "sports", "tv_shows"];

fn indexes() -> Vec<(String, String)> {
    let trailers = WITH_TRAILER.iter().map(|table| {
        let on = format!("{table} (id, category_id, active) WHERE trailer_url IS NULL");
        (format!("{table}_without_trailer"), on)
    });
    let titles = TITLED
        .iter()
        .map(|table| (format!("{table}_by_title_and_year"), format!("{table} (title_key, year, id)")));
    trailers.chain(titles).collect()
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, on) in indexes() {
            manager.get_connection().execute_unprepared(&format!("CREATE INDEX {name} ON {on}")).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, _) in indexes() {
            manager.get_connection().execute_unprepared(&format!("DROP INDEX {name}")).await?;
        }
        Ok(())
    }
}
