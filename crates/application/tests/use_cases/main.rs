//! Use cases over mocked ports: which calls they make, in which order, and which they never make.

mod app_settings;
mod backups;
mod contents;
mod credits;
mod deliveries;
mod films;
mod first_account;
mod guides;
mod import_users;
mod imports;
mod issues;
mod links;
mod matching;
mod operations;
mod password_resets;
mod passwords;
mod playlists;
mod references;
mod renewals;
mod retention;
mod sheet_imports;
mod sign_in;
mod statements;
mod support;
mod versions;
mod visits;
