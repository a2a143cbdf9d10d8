//! Batches that programs send: read whole or refused whole, and never counted twice.

use domain_kernel::{Code, DraftReader, Integrator, Violation, Violations};
use garde::{Valid, Validate};
use ports::IdempotencyKey;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{Error, body::parse, idempotency::idempotency_key_of};

/// A batch, or what is wrong with it, with its idempotency key, which is required: whoever sends a thousand lines
/// again after a lost answer must not count them twice. Without a key violations of both are reported at once.
/// `topic` keeps keys of one purpose from another's.
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
