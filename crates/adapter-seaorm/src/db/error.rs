//! Conversion of database errors into those of the ports.

use ports::StoreError;
use sea_orm::{DbErr, RuntimeErr, SqlErr};

/// Connection and lock errors are `Unavailable`; a foreign-key violation is `Dangling`; everything
/// else is `Broken`.
pub(crate) fn store_error(error: DbErr) -> StoreError {
    let text = error.to_string();
    if is_passing(&error, &text) {
        tracing::warn!(error = text, "database unavailable or busy");
        StoreError::Unavailable(text)
    } else if is_broken_reference(&error) {
        StoreError::Dangling(text)
    } else {
        tracing::error!(error = text, "database error");
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
        Sqlx::Database(cause) => {
            let code = cause.code().unwrap_or_default();
            // PostgreSQL: class 08 connection, 57 intervention (timeouts, shutdown), 53 resources,
            // 40 serialization; a lock timeout, and an idle transaction.
            let is_sqlstate = code.len() == 5
                && (["08", "57", "53", "40"].iter().any(|class| code.starts_with(class))
                    || ["55P03", "25P03"].contains(&code.as_ref()));
            // SQLite: busy, locked, out of memory, I/O error, full, can't open. The low byte is the
            // code, the rest its detail (<https://www.sqlite.org/rescode.html>).
            let is_passing = |code: u32| matches!(code & 0xff, 5 | 6 | 7 | 10 | 13 | 14);
            is_sqlstate || (code.len() < 5 && code.parse().is_ok_and(is_passing))
        }
        _ => false,
    }
}

/// A port's error inside a transaction as an error of the transaction: transient and dangling ones
/// keep their kind.
pub(crate) fn db_error(error: StoreError) -> DbErr {
    match error {
        StoreError::Unavailable(text) => DbErr::Conn(RuntimeErr::Internal(text)),
        StoreError::Dangling(text) => DbErr::Exec(RuntimeErr::Internal(text)),
        other @ StoreError::Broken(_) => DbErr::Custom(other.to_string()),
    }
}

/// PostgreSQL aborted one of two conflicting transactions: a repetition may succeed.
pub(crate) fn is_serialization_failure(error: &DbErr) -> bool {
    let (DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return false;
    };
    matches!(cause.as_ref(), sea_orm::sqlx::Error::Database(cause)
        if matches!(cause.code().as_deref(), Some("40001" | "40P01")))
}

/// A unique-key violation.
pub(crate) fn is_unique(error: &DbErr) -> bool {
    matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_)))
}

/// A conflict with a concurrent transaction, which a repetition may resolve: of two concurrent
/// requests with one idempotency key, the second finds the first's response in its next attempt.
pub(crate) fn is_overtaken(error: &DbErr) -> bool {
    is_serialization_failure(error) || is_unique(error)
}

/// A referenced row is missing, or a row still has references.
pub(crate) fn is_broken_reference(error: &DbErr) -> bool {
    let (DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        // Created by `db_error`; SeaORM does not create such an error.
        return matches!(error, DbErr::Exec(RuntimeErr::Internal(_)));
    };
    // SQLite: a foreign key, and a restricting one, which SQLite enforces by a trigger. PostgreSQL:
    // the same two.
    matches!(cause.as_ref(), sea_orm::sqlx::Error::Database(cause)
        if matches!(cause.code().as_deref(), Some("787" | "1811" | "23503" | "23001")))
}
