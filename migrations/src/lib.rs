//! The migrations of the database schema, for SQLite and PostgreSQL.
//!
//! A released migration is never edited; a later one corrects it. docs/adding-a-content-type.md describes how
//! to add a kind of content; [`content`] has the common parts. Entities and domain types are not used here,
//! because a migration must not change with them.

use sea_orm_migration::prelude::*;

pub mod content;
mod m20261120_000001_access;
mod m20261120_000002_categories;
mod m20261120_000003_movies;
mod m20261120_000004_tv_guides;
mod m20261120_000005_tv_channels;
mod m20261120_000006_radio_stations;
mod m20261120_000007_documentaries;
mod m20261120_000008_concerts;
mod m20261120_000009_sports;
mod m20261120_000010_tv_shows;
mod m20261120_000011_seasons;
mod m20261120_000012_episodes;
mod m20261120_000013_settings;
mod m20261121_000014_people;
mod m20261121_000015_ledger;
mod m20261121_000016_issue_reports;
mod m20261121_000017_app_settings;
mod m20261121_000018_visits;
mod m20261121_000019_integrator_keys;
mod m20261121_000020_webhooks;
mod m20261122_000021_counters;
mod m20261122_000026_subscription_start;
mod m20261122_000027_registration_passwords;
mod m20261122_000028_kept_keys;
mod m20261122_000033_sessions;
mod m20261122_000034_webhook_pause;
mod m20261122_000037_backups;
mod m20261122_000038_password_changes;
mod m20261122_000039_ledger_lines;
mod m20261122_000041_catalogue_filters;
mod m20261122_000042_user_events;
mod m20261122_000043_addresses;
mod m20261123_000044_episode_addresses;
mod m20261123_000045_bulk_operations;
mod m20261123_000046_audit;
mod m20261123_000047_trash;
mod m20261123_000048_renewal_messages;
mod m20261123_000050_reversal_requests;
mod m20261124_000056_saved_views;
mod m20261124_000057_sheet_imports;
mod m20261124_000060_lineage_changes;
mod m20261124_000061_operation_items;
mod m20261124_000063_user_notes;
mod m20261124_000064_notices;
mod m20261124_000067_list_filters;
mod m20261124_000070_completeness;
mod m20261124_000071_first_links;
mod m20261124_000074_playlists;
mod m20261124_000075_sheet_defaults;
mod m20261124_000079_guides;
mod m20261124_000080_schedule_lists;
mod m20261124_000081_live_profiles;
mod m20261124_000082_epg_matches;
mod m20261124_000084_links;
mod m20261125_000085_channel_streams;
mod m20261125_000086_links_of_streams;
mod m20261125_000087_entries_as_streams;
mod m20261125_000089_live_events;
mod m20261125_000090_links_of_items;
mod m20261125_000091_history_of_the_server;
mod m20261125_000093_probe_limits;
mod m20261125_000094_link_days;
mod m20261125_000095_link_switches;
mod m20261125_000096_duplicate_entries;
mod m20261127_000097_counts_of_episodes;
mod m20261127_000098_deliveries_by_attempt;
mod m20261128_000100_applies_of_runs;
mod m20261128_000101_default_password;
mod m20261128_000102_carried_switches;
mod m20261128_000103_urgent_links;
mod m20261128_000104_title_ids;
mod m20261128_000105_times_of_switches;
mod m20261129_000106_further_details;
mod m20261129_000107_first_streams;
mod m20261129_000108_seasons_of_episodes;
mod m20261129_000109_empty_values_first;
mod m20261129_000110_titles_in_the_trash;
mod m20261129_000111_imdb_ids_of_rows;
mod m20261129_000112_sales_without_opening_balances;
mod m20261129_000113_order_of_usernames;
mod m20261129_000117_lists_of_operations;
mod m20261129_000118_addresses_of_items;
mod m20261129_000119_other_titles;
mod m20261130_000115_incomplete_episodes;
mod m20261130_000123_applied_streams;
mod m20261130_000131_duplicate_episodes;
mod m20261130_000132_dates_of_operations;
mod m20261130_000133_ignored_streams;
mod m20261130_000134_entries_of_other_channels;
mod m20261130_000137_languages_of_users;
mod m20261130_000139_stream_versions;
mod m20261130_000145_further_groups;
mod m20261130_000148_orders_of_operations;
mod m20261130_000151_shifts_of_links;
mod m20261130_000154_search_of_groups;
mod m20261130_000158_messages_to_expired;
mod m20261130_000159_undos_without_changes;
mod m20261130_000160_zeros_of_phone_numbers;
mod outbox_triggers;
#[cfg(feature = "template")]
pub mod template;

/// All migrations, oldest first.
const ALL: &[&dyn MigrationTrait] = &[
    &m20261120_000001_access::Migration,
    &m20261120_000002_categories::Migration,
    &m20261120_000003_movies::Migration,
    &m20261120_000004_tv_guides::Migration,
    &m20261120_000005_tv_channels::Migration,
    &m20261120_000006_radio_stations::Migration,
    &m20261120_000007_documentaries::Migration,
    &m20261120_000008_concerts::Migration,
    &m20261120_000009_sports::Migration,
    &m20261120_000010_tv_shows::Migration,
    &m20261120_000011_seasons::Migration,
    &m20261120_000012_episodes::Migration,
    &m20261120_000013_settings::Migration,
    &m20261121_000014_people::Migration,
    &m20261121_000015_ledger::Migration,
    &m20261121_000016_issue_reports::Migration,
    &m20261121_000017_app_settings::Migration,
    &m20261121_000018_visits::Migration,
    &m20261121_000019_integrator_keys::Migration,
    &m20261121_000020_webhooks::Migration,
    &m20261122_000021_counters::Migration,
    &m20261122_000026_subscription_start::Migration,
    &m20261122_000027_registration_passwords::Migration,
    &m20261122_000028_kept_keys::Migration,
    &m20261122_000033_sessions::Migration,
    &m20261122_000034_webhook_pause::Migration,
    &m20261122_000037_backups::Migration,
    &m20261122_000038_password_changes::Migration,
    &m20261122_000039_ledger_lines::Migration,
    &m20261122_000041_catalogue_filters::Migration,
    &m20261122_000042_user_events::Migration,
    &m20261122_000043_addresses::Migration,
    &m20261123_000044_episode_addresses::Migration,
    &m20261123_000045_bulk_operations::Migration,
    &m20261123_000046_audit::Migration,
    &m20261123_000047_trash::Migration,
    &m20261123_000048_renewal_messages::Migration,
    &m20261123_000050_reversal_requests::Migration,
    &m20261124_000056_saved_views::Migration,
    &m20261124_000057_sheet_imports::Migration,
    &m20261124_000060_lineage_changes::Migration,
    &m20261124_000061_operation_items::Migration,
    &m20261124_000063_user_notes::Migration,
    &m20261124_000064_notices::Migration,
    &m20261124_000067_list_filters::Migration,
    &m20261124_000070_completeness::Migration,
    &m20261124_000071_first_links::Migration,
    &m20261124_000074_playlists::Migration,
    &m20261124_000075_sheet_defaults::Migration,
    &m20261124_000079_guides::Migration,
    &m20261124_000080_schedule_lists::Migration,
    &m20261124_000081_live_profiles::Migration,
    &m20261124_000082_epg_matches::Migration,
    &m20261124_000084_links::Migration,
    &m20261125_000085_channel_streams::Migration,
    &m20261125_000086_links_of_streams::Migration,
    &m20261125_000087_entries_as_streams::Migration,
    &m20261125_000089_live_events::Migration,
    &m20261125_000090_links_of_items::Migration,
    &m20261125_000091_history_of_the_server::Migration,
    &m20261125_000093_probe_limits::Migration,
    &m20261125_000094_link_days::Migration,
    &m20261125_000095_link_switches::Migration,
    &m20261125_000096_duplicate_entries::Migration,
    &m20261127_000097_counts_of_episodes::Migration,
    &m20261127_000098_deliveries_by_attempt::Migration,
    &m20261128_000100_applies_of_runs::Migration,
    &m20261128_000101_default_password::Migration,
    &m20261128_000102_carried_switches::Migration,
    &m20261128_000103_urgent_links::Migration,
    &m20261128_000104_title_ids::Migration,
    &m20261128_000105_times_of_switches::Migration,
    &m20261129_000106_further_details::Migration,
    &m20261129_000107_first_streams::Migration,
    &m20261129_000108_seasons_of_episodes::Migration,
    &m20261129_000109_empty_values_first::Migration,
    &m20261129_000110_titles_in_the_trash::Migration,
    &m20261129_000111_imdb_ids_of_rows::Migration,
    &m20261129_000112_sales_without_opening_balances::Migration,
    &m20261129_000113_order_of_usernames::Migration,
    &m20261129_000117_lists_of_operations::Migration,
    &m20261129_000118_addresses_of_items::Migration,
    &m20261129_000119_other_titles::Migration,
    &m20261130_000115_incomplete_episodes::Migration,
    &m20261130_000123_applied_streams::Migration,
    &m20261130_000131_duplicate_episodes::Migration,
    &m20261130_000132_dates_of_operations::Migration,
    &m20261130_000133_ignored_streams::Migration,
    &m20261130_000134_entries_of_other_channels::Migration,
    &m20261130_000145_further_groups::Migration,
    &m20261130_000137_languages_of_users::Migration,
    &m20261130_000139_stream_versions::Migration,
    &m20261130_000148_orders_of_operations::Migration,
    &m20261130_000151_shifts_of_links::Migration,
    &m20261130_000154_search_of_groups::Migration,
    &m20261130_000158_messages_to_expired::Migration,
    &m20261130_000159_undos_without_changes::Migration,
    &m20261130_000160_zeros_of_phone_numbers::Migration,
];

/// Applies [`ALL`].
pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        ALL.iter().map(|migration| Box::new(Atomic(*migration)) as _).collect()
    }
}

/// Applies and records a migration in one transaction on both databases, so that an interrupted one leaves
/// nothing behind and is applied again. (SeaORM does so on PostgreSQL only.)
struct Atomic(&'static dyn MigrationTrait);

impl MigrationName for Atomic {
    fn name(&self) -> &str {
        self.0.name()
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Atomic {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        self.0.up(manager).await.map_err(|error| explained(self.name(), error))
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        self.0.down(manager).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// Earlier builds applied migrations on SQLite without a transaction. An interrupted one finds its own tables
/// when it is applied again.
fn explained(name: &str, error: DbErr) -> DbErr {
    let text = error.to_string();
    if !["already exists", "duplicate column name"].iter().any(|sign| text.contains(sign)) {
        return error;
    }
    DbErr::Migration(format!(
        "migration {name} was interrupted under an earlier version and left a part of its changes behind. Nothing was \
         changed now. Restore the last backup and start again; or, if this database never served anybody, delete it and \
         start again. ({text})"
    ))
}

/// Names of all migrations, as recorded in the database.
pub fn names() -> Vec<String> {
    Migrator::migrations().iter().map(|migration| migration.name().to_owned()).collect()
}

/// Migrates the schema.
pub async fn migrate(db: &sea_orm::DatabaseConnection) -> Result<(), DbErr> {
    Migrator::up(db, None).await
}

/// Applies the next migrations, for tests that start with an earlier schema.
#[doc(hidden)]
pub async fn migrate_by(db: &sea_orm::DatabaseConnection, steps: u32) -> Result<(), DbErr> {
    Migrator::up(db, Some(steps)).await
}

/// Drops what the migration of a kind of content created, for tests: no command returns to an earlier schema.
#[doc(hidden)]
pub async fn drop_kind(db: &sea_orm::DatabaseConnection, kind: &content::Content<'_>) -> Result<(), DbErr> {
    kind.drop_created(&SchemaManager::new(db)).await
}
