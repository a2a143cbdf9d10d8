//! Signatures of Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, with a secret encoded as `whsec_`
//! and base64.

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, Mac};
use sha2::Sha256;

const PREFIX: &str = "whsec_";

/// Value of the header `webhook-signature`; `None` for a malformed secret.
pub fn signature(secret: &str, id: &str, timestamp: i64, body: &str) -> Option<String> {
    let key = BASE64_STANDARD.decode(secret.strip_prefix(PREFIX)?).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
    Some(format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes())))
}

/// 32 random bytes.
pub(crate) fn new_secret() -> String {
    format!("{PREFIX}{}", BASE64_STANDARD.encode(rand::random::<[u8; 32]>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_equals_the_example_of_the_standard() {
        // From the documentation of Svix, on whose scheme the standard is based.
        let signed = signature(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signed.unwrap(), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn secrets_differ_and_sign() {
        let (one, other) = (new_secret(), new_secret());
        assert_ne!(one, other);
        assert!(signature(&one, "msg_1", 1, "{}").is_some());
        assert_eq!(signature("secret", "msg_1", 1, "{}"), None);
    }
}
