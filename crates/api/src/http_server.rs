//! The HTTP servers: one for the API and the panel, one for `/metrics`.

use std::{io, net::SocketAddr, num::NonZero, thread::available_parallelism, time::Duration};

use actix_web::{
    App, HttpServer, Route,
    dev::Server,
    middleware::{Compress, from_fn},
};

use crate::{
    ApiSettings, Services, configure, configure_metrics,
    connections::{self, Connections},
    edge::edge,
};

/// The maximum time for a request's head.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// The maximum time for which a stop waits for requests that are being served.
const SHUTDOWN_SECONDS: u64 = 5;

/// The server of the API and the panel, which starts when it is awaited, and its address: the port
/// may be chosen by the system. `panel` handles paths outside of the API; at most
/// `most_connections` are open at once. It is stopped by its handle, not by a signal.
///
/// # Errors
///
/// If `bind` can't be listened on.
pub fn serve(
    bind: SocketAddr,
    most_connections: usize,
    services: &Services,
    settings: &ApiSettings,
    open_connections: &Connections,
    panel: fn() -> Route,
) -> io::Result<(Server, SocketAddr)> {
    let workers = available_parallelism().map_or(2, NonZero::get);
    let admitted = open_connections.clone();
    let server = HttpServer::new({
        let (services, settings) = (services.clone(), settings.clone());
        move || {
            App::new()
                .wrap(Compress::default())
                .wrap(from_fn(edge))
                .wrap(from_fn(connections::track))
                .configure(|config| configure(config, &services, &settings))
                .default_service(panel())
        }
    })
    .workers(workers)
    .max_connections(most_connections.div_ceil(workers))
    .on_connect(move |io, extensions| admitted.admit(io, extensions))
    .client_request_timeout(HEAD_LIMIT)
    .shutdown_timeout(SHUTDOWN_SECONDS)
    // With its own signal handling, actix-web aborts requests at Ctrl+C.
    .disable_signals()
    .bind(bind)?;
    let address = server.addrs().first().copied().unwrap_or(bind);
    Ok((server.run(), address))
}

/// A separate server for `/metrics`, so that monitoring works while all connections of the other
/// one are in use. It is stopped by its handle, not by a signal.
///
/// # Errors
///
/// If `bind` can't be listened on.
pub fn serve_metrics(
    bind: SocketAddr,
    services: &Services,
    settings: &ApiSettings,
) -> io::Result<(Server, SocketAddr)> {
    let (services, settings) = (services.clone(), settings.clone());
    let server = HttpServer::new(move || {
        App::new().wrap(from_fn(edge)).configure(|config| configure_metrics(config, &services, &settings))
    })
    .workers(1)
    .max_connections(64)
    .client_request_timeout(HEAD_LIMIT)
    .disable_signals()
    .bind(bind)?;
    let address = server.addrs().first().copied().unwrap_or(bind);
    Ok((server.run(), address))
}
