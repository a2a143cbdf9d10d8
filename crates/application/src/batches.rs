//! Batches sent by programs: accepted or rejected as a whole, and counted once.

use domain_kernel::{Code, DraftReader, Integrator, Violation, Violations};
use garde::{Valid, Validate};
use ports::IdempotencyKey;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{Error, body::parse, idempotency::idempotency_key_of};

/// Reads a batch with its idempotency key. The key is required, because a batch that is sent again
/// after a lost response must not count twice. Violations of both are reported together. `topic`
/// separates keys of different purposes.
pub(crate) fn read_batch<T: DeserializeOwned + JsonSchema + Validate>(
    reader: &DraftReader<T>,
    context: &T::Context,
    by: &Integrator,
    key: Option<&str>,
    topic: &str,
    body: &[u8],
) -> Result<(Result<T, Violations>, IdempotencyKey), Error> {
    let json = parse(body)?;
    let once = idempotency_key_of(by.once_name(), key, topic, &json);
    let batch = reader.read(json, context).map(Valid::into_inner);
    let Some(once) = once else {
        let Violations(mut broken) = batch.err().unwrap_or_else(|| Violations(Vec::new()));
        broken.push(Violation::new("Idempotency-Key", Code::Required));
        return Err(Violations(broken).into());
    };
    Ok((batch, once))
}
