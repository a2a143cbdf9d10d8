//! Which calls there are. One module per subject; handlers are a few lines, because use cases do the work.

mod auth;
mod contents;
mod films;
mod health;

use domain_catalogue::{Category, Movie};

use crate::openapi::Api;

/// Registers every call there is, with its documentation.
pub(crate) fn register(api: &mut Api) {
    auth::register(api);
    contents::register::<Category>(api);
    contents::register::<Movie>(api);
    films::register(api);
    health::register(api);
}
