//! Views that streaming apps report.

use std::sync::Arc;

use domain_audience::Views;
use domain_kernel::{Code, DraftReader, Integrator, KeyScope, Violation, Violations};
use ports::{Counted, OnceOnly, Tally, ViewRepository};
use serde_json::Value;

use crate::{
    Calendar, Error,
    contents::{once_named, parse},
};

/// The use case of counting views.
pub struct ViewService {
    views: Arc<dyn ViewRepository>,
    calendar: Calendar,
    reader: DraftReader<Views>,
}

/// What became of a batch, and whether that was answered before.
#[derive(Debug, PartialEq, Eq)]
pub struct ViewsCounted {
    /// What became of it.
    pub tally: Tally,
    /// The same batch came before, under the same idempotency key.
    pub replayed: bool,
}

impl ViewService {
    /// The use case over its ports.
    pub fn new(views: Arc<dyn ViewRepository>, calendar: Calendar) -> Self {
        Self { views, calendar, reader: DraftReader::new() }
    }

    /// Adds a batch of views up, once. Items that are gone are told, and hold nobody else's views up.
    pub async fn count(
        &self,
        by: &Integrator,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<ViewsCounted, Error> {
        by.require(KeyScope::ViewsCount)?;
        let json = parse(body)?;
        let once = required_once(by, key, "views", &json)?;
        let views = self.reader.read(json, &())?.into_inner().views;
        match self.views.count(&views, &once, self.calendar.now()).await? {
            Counted::New(tally) => Ok(ViewsCounted { tally, replayed: false }),
            Counted::Again(tally) => Ok(ViewsCounted { tally, replayed: true }),
            Counted::Mismatch => Err(Error::IdempotencyMismatch),
        }
    }
}

/// A batch that is sent twice must not count twice: without an idempotency key it is not taken.
pub(crate) fn required_once(
    by: &Integrator,
    key: Option<&str>,
    topic: &str,
    json: &Value,
) -> Result<OnceOnly, Error> {
    once_named(by.once_name(), key, topic, json)
        .ok_or_else(|| Violations(vec![Violation::new("Idempotency-Key", Code::Required)]).into())
}
