//! Random secrets.

/// Generates random secrets.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait SecretSource: Send + Sync {
    /// 32 random bytes in URL-safe base64 without padding: 43 characters.
    fn draw(&self) -> String;
}
