//! The routes, in one module per subject. Handlers have a few lines, because use cases have the
//! logic.

mod answer_headers;
mod app_settings;
mod audit;
mod auth;
mod backups;
mod base_urls;
mod completeness;
mod contents;
mod credits;
mod dashboards;
mod duplicates;
mod epg_matches;
mod episodes;
mod events;
mod films;
mod guide_health;
mod guides;
mod health;
mod issues;
mod item_links;
mod keys;
mod ledger;
mod links;
mod list_parameters;
mod list_spreadsheets;
mod live_playlists;
mod live_profiles;
mod moves;
mod notices;
mod operation_columns;
mod operation_failures;
mod operations;
mod playlist_entries;
mod playlist_runs;
mod playlists;
mod renewals;
mod reversal_requests;
mod saved_views;
mod schedule;
mod sport_links;
mod spreadsheet_imports;
mod spreadsheets;
mod statements;
mod streams;
mod subscribers;
mod trash;
mod user_activity;
mod user_notes;
mod users;
mod views;
mod visits;
mod webhook_deliveries;
mod webhooks;

use domain_catalogue::{Category, TvGuide};
use serde_json::Value;

use crate::openapi::Api;

pub use events::EventStreams;

/// The `OpenAPI` document of all routes.
pub fn document() -> Value {
    let mut api = Api::reading();
    register(&mut api);
    api.into_document()
}

/// Registers all routes with their documentation.
pub(crate) fn register(api: &mut Api) {
    auth::register(api);
    duplicates::register(api);
    spreadsheet_imports::register_users(api);
    macro_rules! contents {
        ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
            $(
                spreadsheets::register::<domain_catalogue::$type>(api);
                spreadsheet_imports::register(api, domain_catalogue::Kind::$kind);
                contents::register::<domain_catalogue::$type>(api);
            )+
        };
    }
    domain_catalogue::for_each_kind!(contents);
    contents::register_usage::<Category>(api);
    contents::register_usage::<TvGuide>(api);
    episodes::register(api);
    events::register(api);
    sport_links::register(api);
    base_urls::register(api);
    guides::register(api);
    guide_health::register(api);
    epg_matches::register(api);
    schedule::register(api);
    playlists::register(api);
    playlist_runs::register(api);
    playlist_entries::register(api);
    links::register(api);
    item_links::register(api);
    streams::register(api);
    live_profiles::register(api);
    live_playlists::register(api);
    films::register(api);
    operations::register(api);
    operation_failures::register(api);
    moves::register::<Category>(api);
    moves::register::<TvGuide>(api);
    trash::register(api);
    audit::register(api);
    list_spreadsheets::register(api);
    completeness::register(api);
    users::register(api);
    user_activity::register(api);
    user_notes::register(api);
    credits::register(api);
    ledger::register(api);
    statements::register(api);
    renewals::register(api);
    reversal_requests::register(api);
    saved_views::register(api);
    notices::register(api);
    issues::register(api);
    dashboards::register(api);
    keys::register(api);
    views::register(api);
    subscribers::register(api);
    app_settings::register(api);
    visits::register(api);
    webhooks::register(api);
    webhook_deliveries::register(api);
    backups::register(api);
    health::register(api);
}
