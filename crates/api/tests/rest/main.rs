//! The contract that the panel and integrators see, from outside: requests in, answers out, over real stores.

mod app;
mod auth;
mod bad_input;
mod bounds;
mod client;
mod concurrency;
mod contents;
mod credits;
mod cross_site;
mod dashboards;
mod every_kind;
mod fakes;
mod lists;
mod lookup;
mod openapi;
mod problems;
mod roles;
mod series;
mod throttling;
mod users;
mod webhooks;
