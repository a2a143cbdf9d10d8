//! What went wrong in the database, in the words of the ports.

use std::sync::Arc;

use ports::StoreError;
use sea_orm::{DbErr, RuntimeErr, SqlErr, sqlx};

/// Away and busy mean "try again", references that lead nowhere somebody's haste; everything else is a defect.
pub(crate) fn store_error(error: DbErr) -> StoreError {
    let text = error.to_string();
    if is_passing(&error, &text) {
        tracing::warn!(error = text, "the database is away or busy");
        StoreError::Unavailable(text)
    } else if is_broken_reference(&error) {
        StoreError::Dangling(text)
    } else {
        tracing::error!(error = text, "the database failed");
        StoreError::Broken(text)
    }
}

fn is_passing(error: &DbErr, text: &str) -> bool {
    if matches!(error, DbErr::ConnectionAcquire(_) | DbErr::Conn(_)) {
        return true;
    }
    let (DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return ["database is locked", "disk is full", "disk I/O"].iter().any(|sign| text.contains(sign));
    };
    use sea_orm::sqlx::Error as Sqlx;
    match cause.as_ref() {
        Sqlx::Io(_) | Sqlx::PoolTimedOut | Sqlx::PoolClosed | Sqlx::WorkerCrashed | Sqlx::Tls(_) => true,
        // SQLite: busy, locked, full. PostgreSQL: class 08 connection, 57 intervention, 53 resources, 40 serialization.
        Sqlx::Database(cause) => {
            let code = cause.code().unwrap_or_default();
            ["5", "6", "13", "261", "517"].contains(&code.as_ref())
                || (code.len() == 5 && ["08", "57", "53", "40"].iter().any(|class| code.starts_with(class)))
        }
        _ => false,
    }
}

/// There is no connection, in SeaORM's words.
pub(crate) fn not_connected(error: sqlx::Error) -> DbErr {
    DbErr::Conn(RuntimeErr::SqlxError(Arc::new(error)))
}

/// PostgreSQL gave up one of two transactions that stood in each other's way: the same again will do.
pub(crate) fn is_serialization_failure(error: &DbErr) -> bool {
    let (DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return false;
    };
    matches!(cause.as_ref(), sea_orm::sqlx::Error::Database(cause)
        if matches!(cause.code().as_deref(), Some("40001" | "40P01")))
}

/// What may be there once only is there already.
pub(crate) fn is_unique(error: &DbErr) -> bool {
    matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_)))
}

/// Somebody else was there first, and the same again may do: of two of one idempotency key at the same moment the
/// second finds the first's answer next time round.
pub(crate) fn is_overtaken(error: &DbErr) -> bool {
    is_serialization_failure(error) || is_unique(error)
}

/// A row is gone that another refers to, or still has others that refer to it.
pub(crate) fn is_broken_reference(error: &DbErr) -> bool {
    let (DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return false;
    };
    // SQLite: a foreign key, and one that restricts, which SQLite keeps by a trigger. PostgreSQL: the same two.
    matches!(cause.as_ref(), sea_orm::sqlx::Error::Database(cause)
        if matches!(cause.code().as_deref(), Some("787" | "1811" | "23503" | "23001")))
}
