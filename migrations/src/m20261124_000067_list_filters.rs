//! Indexes for the filters by last author, flags and calendar days.

use sea_orm_migration::prelude::*;

use crate::content::{FLAGS, updated_by_index};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Tables with their filter columns.
const TABLES: [(&str, &str); 11] = [
    ("categories", "type, active"),
    ("tv_guides", "active"),
    ("tv_channels", "active"),
    ("radio_stations", "active"),
    ("documentaries", "category_id, active"),
    ("movies", "category_id, active"),
    ("concerts", "category_id, active"),
    ("sports", "category_id, active"),
    ("tv_shows", "category_id, active"),
    ("seasons", "tv_show_id, active"),
    ("episodes", "tv_show_id, active"),
];

/// Calendar days; that of episodes has an index for its order.
const DAYS: [(&str, &str); 6] = [
    ("documentaries", "release_date"),
    ("movies", "release_date"),
    ("sports", "release_date"),
    ("tv_shows", "first_air_date"),
    ("tv_shows", "last_air_date"),
    ("seasons", "air_date"),
];

/// Name and columns of each index. The filter columns are included, so that combined filters are counted in
/// the index.
fn indexes() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (table, counted) in TABLES {
        all.push(updated_by_index(table, counted));
        let flags = FLAGS.iter().filter(|flag| match **flag {
            "adult_content" => ["movies", "concerts", "sports", "tv_shows", "tv_channels"].contains(&table),
            _ => counted == "category_id, active" || table == "tv_channels",
        });
        let days = DAYS.iter().filter(|(of, _)| *of == table).map(|(_, day)| day);
        for column in flags.chain(days) {
            all.push((format!("{table}_by_{column}"), format!("{table} ({column}, id, {counted})")));
        }
    }
    all
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, on) in indexes() {
            let sql = format!("CREATE INDEX {name} ON {on}");
            manager.get_connection().execute_unprepared(&sql).await?;
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
