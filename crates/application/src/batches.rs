//! Batches that programs send: read whole or refused whole, and never counted twice.

use domain_kernel::{Code, DraftReader, Integrator, Violation, Violations};
use garde::Validate;
use ports::IdempotencyKey;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{
    Error,
    contents::{once_named, parse},
};

/// A batch with its idempotency key, which is required: whoever sends a thousand lines again after a lost answer must
/// not count them twice. Violations of both are reported at once. `topic` keeps keys of one purpose from another's.
pub(crate) fn read_batch<T: DeserializeOwned + JsonSchema + Validate>(
    reader: &DraftReader<T>,
    context: &T::Context,
    by: &Integrator,
    key: Option<&str>,
    topic: &str,
    body: &[u8],
) -> Result<(T, IdempotencyKey), Error> {
    let json = parse(body)?;
    let once = once_named(by.once_name(), key, topic, &json);
    let without_key = || Violation::new("Idempotency-Key", Code::Required);
    match (reader.read(json, context), once) {
        (Ok(batch), Some(once)) => Ok((batch.into_inner(), once)),
        (Ok(_), None) => Err(Violations(vec![without_key()]).into()),
        (Err(broken), Some(_)) => Err(broken.into()),
        (Err(Violations(mut broken)), None) => {
            broken.push(without_key());
            Err(Violations(broken).into())
        }
    }
}
