//! Time and author of a user's last password change.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// A user name without a reference, because the author may be deleted later.
fn columns() -> [ColumnDef; 2] {
    [timestamp_with_time_zone_null("password_changed_date"), text_null("password_changed_by")]
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in columns() {
            manager.alter_table(Table::alter().table("users").add_column(column).to_owned()).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in columns() {
            let name = column.get_column_name();
            manager.alter_table(Table::alter().table("users").drop_column(name).to_owned()).await?;
        }
        Ok(())
    }
}
