//! Outcomes of writes common to all stores. `C` is the conflict of a store; most have none.

use std::convert::Infallible;

/// The outcome of an insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inserted<T, C = Infallible> {
    /// Stored now.
    New(T),
    /// Stored before under the same idempotency key: the first answer.
    Replayed(T),
    /// The idempotency key was used before for another request.
    KeyReused,
    /// Conflicts with the current state; nothing is stored.
    Conflict(C),
}

/// The outcome of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written<T, C = Infallible> {
    /// Changed: the current state.
    Done(T),
    /// Does not exist.
    Missing,
    /// Has another version than expected: the current state.
    Outdated(T),
    /// Conflicts with the current state; nothing is changed.
    Conflict(C),
}

/// The outcome of a removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removed<T, C = Infallible> {
    /// Removed.
    Done,
    /// Does not exist.
    Missing,
    /// Has another version than expected: the current state.
    Outdated(T),
    /// Conflicts with the current state; nothing is removed.
    Conflict(C),
}
