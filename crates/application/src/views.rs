//! Views reported by streaming apps.

use std::sync::Arc;

use domain_audience::Views;
use domain_kernel::{DraftReader, Integrator, KeyScope};
use ports::{Inserted, ViewCounts, ViewRepository};

use crate::{Calendar, Error, batches::read_batch};

/// Use case of counting views.
pub struct ViewService {
    views: Arc<dyn ViewRepository>,
    calendar: Calendar,
    reader: DraftReader<Views>,
}

/// A counted batch, and whether the response is a repetition.
#[derive(Debug, PartialEq, Eq)]
pub struct ViewsCounted {
    pub counts: ViewCounts,
    /// Whether the same batch was answered before under this idempotency key.
    pub replayed: bool,
}

impl ViewService {
    pub fn new(views: Arc<dyn ViewRepository>, calendar: Calendar) -> Self {
        Self { views, calendar, reader: DraftReader::new() }
    }

    /// Counts a batch of views once. Views of deleted items are reported, and the others are
    /// counted.
    pub async fn count(
        &self,
        by: &Integrator,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<ViewsCounted, Error> {
        by.require(KeyScope::ViewsCount)?;
        let (batch, once) = read_batch(&self.reader, &(), by, key, "views", body)?;
        match self.views.count(&batch?.views, &once, self.calendar.now()).await? {
            Inserted::New(counts) => Ok(ViewsCounted { counts, replayed: false }),
            Inserted::Replayed(counts) => Ok(ViewsCounted { counts, replayed: true }),
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
        }
    }
}
