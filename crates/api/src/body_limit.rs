//! Limits of the size of a body and of the time in which it arrives.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::{
    Error, HttpMessage,
    body::MessageBody,
    dev::{Payload, ServiceRequest, ServiceResponse},
    error::PayloadError,
    middleware::Next,
    rt::time::{Instant, Sleep, sleep_until},
    web::Bytes,
};
use application::MAX_SHEET_BYTES;
use futures_util::{FutureExt, Stream, StreamExt};

/// The largest body, in bytes.
pub(crate) const LARGEST_BODY: usize = 1024 * 1024;
/// The largest body of a request without a session.
pub(crate) const LARGEST_AUTH_BODY: usize = 4 * 1024;
/// The largest value of the setting for playlists; the handler enforces the setting.
pub(crate) const LARGEST_PLAYLIST: usize = 1_000 * 1024 * 1024;
/// The largest TV guide.
pub(crate) const LARGEST_GUIDE: usize = 200 * 1024 * 1024;
/// The time until the first byte.
const FIRST_BYTE: Duration = Duration::from_secs(10);
/// The deadline is extended by a second for each so many bytes.
const BYTES_PER_SECOND: f64 = 8.0 * 1024.0;

/// Limits the size of a body and the time in which it arrives.
pub(crate) async fn enforce(
    mut request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let payload = request.take_payload();
    if matches!(payload, Payload::None) {
        return next.call(request).await;
    }
    let limited = LimitedBody::new(payload, largest(request.path()), FIRST_BYTE);
    request.set_payload(Payload::Stream { payload: Box::pin(limited) });
    next.call(request).await
}

/// The largest body accepted at a path.
pub(crate) fn largest(path: &str) -> usize {
    if path.starts_with("/api/auth/") {
        LARGEST_AUTH_BODY
    } else if path.starts_with("/api/playlist-sources/") && path.ends_with("/upload") {
        LARGEST_PLAYLIST
    } else if path.starts_with("/api/tv-guides/") && path.ends_with("/upload") {
        LARGEST_GUIDE
    } else if path.ends_with("/spreadsheet-imports") {
        MAX_SHEET_BYTES
    } else {
        LARGEST_BODY
    }
}

struct LimitedBody<S> {
    inner: S,
    largest: usize,
    received: usize,
    started: Instant,
    first_byte: Duration,
    /// Created by the first wait, because most bodies arrive together with their head.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> LimitedBody<S> {
    fn new(inner: S, largest: usize, first_byte: Duration) -> Self {
        Self { inner, largest, received: 0, started: Instant::now(), first_byte, timer: None }
    }

    fn deadline(&self) -> Instant {
        #[expect(clippy::cast_precision_loss, reason = "a body is smaller than 2^52 bytes")]
        let earned = Duration::from_secs_f64(self.received as f64 / BYTES_PER_SECOND);
        self.started + self.first_byte + earned
    }
}

impl<S: Stream<Item = Result<Bytes, PayloadError>> + Unpin> Stream for LimitedBody<S> {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let body = self.get_mut();
        match body.inner.poll_next_unpin(context) {
            Poll::Ready(Some(Ok(bytes))) => {
                body.received += bytes.len();
                let fits = body.received <= body.largest;
                Poll::Ready(Some(if fits { Ok(bytes) } else { Err(PayloadError::Overflow) }))
            }
            Poll::Ready(end) => Poll::Ready(end),
            Poll::Pending => {
                let deadline = body.deadline();
                let timer = body.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
                if timer.deadline() != deadline {
                    timer.as_mut().reset(deadline);
                }
                timer
                    .poll_unpin(context)
                    .map(|()| Some(Err(PayloadError::Io(io::Error::from(io::ErrorKind::TimedOut)))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    type Chunk = Result<Bytes, PayloadError>;

    fn chunk(length: usize) -> Bytes {
        Bytes::from(vec![b'x'; length])
    }

    #[actix_web::test]
    async fn a_body_above_the_limit_is_refused_before_it_is_whole() {
        let chunks = stream::iter([60, 60, 60].map(|length| Ok(chunk(length))));
        let read: Vec<Chunk> = LimitedBody::new(chunks, 100, FIRST_BYTE).take(2).collect().await;
        assert!(read[0].is_ok());
        assert!(matches!(read[1], Err(PayloadError::Overflow)));
    }

    #[actix_web::test]
    async fn a_stalled_body_times_out() {
        let silent = stream::iter([Ok(chunk(10))]).chain(stream::pending());
        let read: Vec<Chunk> =
            LimitedBody::new(silent, 100, Duration::from_millis(1)).take(2).collect().await;
        assert!(read[0].is_ok());
        assert!(matches!(&read[1], Err(PayloadError::Io(error)) if error.kind() == io::ErrorKind::TimedOut));
    }

    #[test]
    fn bytes_that_arrived_extend_the_deadline() {
        let mut body = LimitedBody::new(stream::empty::<Chunk>(), LARGEST_BODY, FIRST_BYTE);
        body.received = 16 * 1024;
        assert_eq!(body.deadline() - body.started, Duration::from_secs(12));
    }

    #[test]
    fn bodies_of_sign_in_and_other_calls_are_limited() {
        assert_eq!(largest("/api/auth/login"), 4096);
        assert_eq!(largest("/api/movies"), 1024 * 1024);
        assert_eq!(largest("/api/movies/spreadsheet-imports"), MAX_SHEET_BYTES);
    }
}
