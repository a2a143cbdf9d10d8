//! The database's schema, step by step, for SQLite and PostgreSQL alike.
//!
//! A migration that has been released is never edited: the next one mends it. To add a kind of content, copy the
//! youngest content migration and change the columns; [`content`] brings what all kinds share. No entity and no
//! domain type is named here: a migration must mean the same years from now.

use sea_orm_migration::prelude::*;

pub mod content;
mod m20261120_000001_access;
mod m20261120_000002_categories;
mod m20261120_000003_movies;

/// All migrations, oldest first.
pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261120_000001_access::Migration),
            Box::new(m20261120_000002_categories::Migration),
            Box::new(m20261120_000003_movies::Migration),
        ]
    }
}

/// Brings the schema up to date, or fails and says why.
pub async fn migrate(db: &sea_orm::DatabaseConnection) -> Result<(), DbErr> {
    Migrator::up(db, None).await
}
