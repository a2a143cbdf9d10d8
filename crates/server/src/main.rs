//! The binary: commands in `commands`, composition in `compose`, settings in `config`.

mod allocator;
mod background;
mod backup;
mod commands;
mod compose;
mod config;
mod database;
mod descriptors;
mod import;
mod jobs;
mod live;
mod open_lock;
mod playlist;
mod probes;

use std::process::ExitCode;

use clap::Parser;

#[actix_web::main]
async fn main() -> ExitCode {
    allocator::return_large_allocations();
    match commands::run(config::Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("cartelera: {reason:#}");
            ExitCode::FAILURE
        }
    }
}
