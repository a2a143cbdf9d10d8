//! Views that streaming apps report.

use std::sync::Arc;

use domain_audience::Views;
use domain_kernel::{DraftReader, Integrator, KeyScope};
use ports::{Inserted, ViewCounts, ViewRepository};

use crate::{Calendar, Error, batches::read_batch};

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
    pub tally: ViewCounts,
    /// The same batch came before, under the same idempotency key.
    pub replayed: bool,
}

impl ViewService {
    /// The use case over its ports.
    pub fn new(views: Arc<dyn ViewRepository>, calendar: Calendar) -> Self {
        Self { views, calendar, reader: DraftReader::new() }
    }

    /// Adds a batch of views up, once. Items that are gone are reported, and the other views are counted.
    pub async fn count(
        &self,
        by: &Integrator,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<ViewsCounted, Error> {
        by.require(KeyScope::ViewsCount)?;
        let (batch, once) = read_batch(&self.reader, &(), by, key, "views", body)?;
        match self.views.count(&batch?.views, &once, self.calendar.now()).await? {
            Inserted::New(tally) => Ok(ViewsCounted { tally, replayed: false }),
            Inserted::Replayed(tally) => Ok(ViewsCounted { tally, replayed: true }),
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
        }
    }
}
