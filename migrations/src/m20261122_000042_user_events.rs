//! Webhook events of users, and phone and e-mail in the search of users.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Each event: its name, the name of its trigger, the trigger's timing, and its condition.
const EVENTS: [(&str, &str, &str, &str); 4] = [
    ("USER_REGISTERED", "registered", "INSERT", "1 = 1"),
    ("USER_SUSPENDED", "suspended", "UPDATE OF status", "old.status = 'ACTIVE' AND new.status <> 'ACTIVE'"),
    (
        "USER_REACTIVATED",
        "reactivated",
        "UPDATE OF status",
        "old.status <> 'ACTIVE' AND new.status = 'ACTIVE'",
    ),
    (
        "USER_EXPIRATION_CHANGED",
        "expiration",
        "UPDATE OF expiration_date, subscription_started",
        "old.expiration_date {differs} new.expiration_date OR old.subscription_started <> new.subscription_started",
    ),
];

/// The digits of a phone number, as typed in a search.
fn digits(column: &str) -> String {
    [" ", "-", "(", ")", "+", ".", "/"]
        .iter()
        .fold(column.to_owned(), |text, separator| format!("replace({text}, '{separator}', '')"))
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: String| manager.get_connection().execute_unprepared(&sql).await.map(drop);
        let is_sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        let line = if is_sqlite { "char(10)" } else { "chr(10)" };
        run(format!(
            "UPDATE users SET search_text = search_text || {line} || lower(email) || {line} || phone_number || {line} || {} \
             WHERE email <> '' OR phone_number <> ''",
            digits("phone_number")
        ))
        .await?;
        for (event, name, on, condition) in EVENTS {
            let condition =
                condition.replace("{differs}", if is_sqlite { "IS NOT" } else { "IS DISTINCT FROM" });
            let (data, at) = if is_sqlite {
                (
                    "json_object('username', new.username, 'roleCode', new.role, 'status', new.status, \
                     'expirationDate', strftime('%Y-%m-%dT%H:%M:%fZ', new.expiration_date))",
                    "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')",
                )
            } else {
                (
                    "CAST(json_build_object('username', new.username, 'roleCode', new.role, 'status', new.status, \
                     'expirationDate', to_char(new.expiration_date AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')) \
                     AS text)",
                    "date_trunc('milliseconds', clock_timestamp())",
                )
            };
            let insert = format!(
                "INSERT INTO webhook_deliveries \
                 (webhook_id, event_type, entity, data, occurred_at, status, attempts, next_attempt_at) \
                 SELECT w.id, '{event}', 'users/' || new.username, {data}, {at}, 'PENDING', 0, '1970-01-01T00:00:00+00:00' \
                 FROM webhooks w WHERE w.active AND w.events LIKE '%,{event},%';"
            );
            if is_sqlite {
                run(format!(
                    "CREATE TRIGGER users_event_{name} AFTER {on} ON users WHEN {condition} BEGIN {insert} END"
                ))
                .await?;
                continue;
            }
            run(format!(
                "CREATE FUNCTION users_event_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {insert} RETURN NULL; END $$"
            ))
            .await?;
            run(format!(
                "CREATE TRIGGER users_event_{name} AFTER {on} ON users FOR EACH ROW WHEN ({condition}) \
                 EXECUTE FUNCTION users_event_{name}()"
            ))
            .await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let is_sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        for (_, name, ..) in EVENTS {
            let sql = if is_sqlite {
                format!("DROP TRIGGER users_event_{name}")
            } else {
                format!("DROP FUNCTION users_event_{name}() CASCADE")
            };
            manager.get_connection().execute_unprepared(&sql).await?;
        }
        Ok(())
    }
}
