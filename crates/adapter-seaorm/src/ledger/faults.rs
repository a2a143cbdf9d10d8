//! Injected failures: every statement of a ledger transaction calls this, so that a test can make
//! the nth one fail, one after another, and check that no transaction is applied in part.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use sea_orm::DbErr;

/// Fails the nth statement; by default none.
#[derive(Debug, Clone, Default)]
pub struct Faults(Option<Arc<AtomicI64>>);

impl Faults {
    /// Makes the `nth` statement from now on fail, counted from 1. The commit counts twice: once
    /// before it, once after.
    pub fn at(nth: i64) -> Self {
        Self(Some(Arc::new(AtomicI64::new(nth))))
    }

    /// Whether the failure has occurred.
    pub fn happened(&self) -> bool {
        self.0.as_ref().is_some_and(|left| left.load(Ordering::SeqCst) <= 0)
    }

    /// Called before each statement.
    pub(super) fn pass(&self) -> Result<(), DbErr> {
        let Some(left) = &self.0 else { return Ok(()) };
        if left.fetch_sub(1, Ordering::SeqCst) == 1 {
            return Err(DbErr::Custom("a fault injected by a test".into()));
        }
        Ok(())
    }
}
