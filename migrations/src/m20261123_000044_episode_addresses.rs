//! Indexes of the addresses that episodes stream from, as migration 43 has them for other items with links.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const LINKS: [(&str, usize); 3] = [("first", 0), ("second", 1), ("third", 2)];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let is_sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        for (name, index) in LINKS {
            let url = if is_sqlite {
                format!("json_extract(links, '$[{index}].url')")
            } else {
                format!("md5(links->{index}->>'url')")
            };
            let create = format!("CREATE INDEX episodes_by_{name}_link ON episodes ({url})");
            manager.get_connection().execute_unprepared(&create).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, _) in LINKS {
            let drop = format!("DROP INDEX episodes_by_{name}_link");
            manager.get_connection().execute_unprepared(&drop).await?;
        }
        Ok(())
    }
}
