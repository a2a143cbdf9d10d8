//! Seen state of notices, agents with low stock, and the webhook events of low stock and of requested
//! reversals.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Each event: its name, the name of its trigger, the trigger's timing, and its condition. Low stock is below
/// 12 (docs/spec/credits.md#quote).
const EVENTS: [(&str, &str, &str, &str); 2] = [
    (
        "USER_LOW_STOCK",
        "users_event_low_stock",
        "UPDATE OF sale_credits ON users",
        "new.role = 'agent' AND old.sale_credits >= 12 AND new.sale_credits < 12",
    ),
    (
        "REVERSAL_REQUESTED",
        "reversal_requests_event",
        "INSERT ON reversal_requests",
        "new.status = 'PENDING'",
    ),
];

/// Entity and data of an event, in SQL.
fn payload(event: &str, is_sqlite: bool) -> (String, String) {
    let (object, moment) = if is_sqlite {
        ("json_object", "strftime('%Y-%m-%dT%H:%M:%fZ', new.requested_date)")
    } else {
        (
            "json_build_object",
            "to_char(new.requested_date AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')",
        )
    };
    let (entity, data) = if event == "USER_LOW_STOCK" {
        (
            "'users/' || new.username".to_owned(),
            format!("{object}('username', new.username, 'saleCredits', new.sale_credits)"),
        )
    } else {
        (
            "'reversal-requests/' || new.id".to_owned(),
            format!(
                "{object}('id', new.id, 'requestedBy', (SELECT u.username FROM users u WHERE u.id = new.requester_id), \
                 'operationId', new.operation_id, 'requestedDate', {moment})"
            ),
        )
    };
    (entity, if is_sqlite { data } else { format!("CAST({data} AS text)") })
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: String| manager.get_connection().execute_unprepared(&sql).await.map(drop);
        let is_sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        manager
            .create_table(
                Table::create()
                    .table("notice_views")
                    .col(big_integer("user_id"))
                    .col(text("kind"))
                    .col(big_integer("seen_count"))
                    .col(timestamp_with_time_zone_null("seen_newest"))
                    .col(timestamp_with_time_zone("seen_date"))
                    .primary_key(Index::create().col("user_id").col("kind"))
                    .foreign_key(
                        ForeignKey::create()
                            .name("notice_views_user")
                            .from("notice_views", "user_id")
                            .to("users", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        run("CREATE INDEX users_low_stock ON users (lineage, id) \
             WHERE role = 'agent' AND status = 'ACTIVE' AND sale_credits < 12"
            .to_owned())
        .await?;
        let at = if is_sqlite {
            "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')"
        } else {
            "date_trunc('milliseconds', clock_timestamp())"
        };
        for (event, trigger, on, condition) in EVENTS {
            let (entity, data) = payload(event, is_sqlite);
            let insert = format!(
                "INSERT INTO webhook_deliveries \
                 (webhook_id, event_type, entity, data, occurred_at, status, attempts, next_attempt_at) \
                 SELECT w.id, '{event}', {entity}, {data}, {at}, 'PENDING', 0, '1970-01-01T00:00:00+00:00' \
                 FROM webhooks w WHERE w.active AND w.events LIKE '%,{event},%';"
            );
            if is_sqlite {
                run(format!("CREATE TRIGGER {trigger} AFTER {on} WHEN {condition} BEGIN {insert} END"))
                    .await?;
                continue;
            }
            run(format!(
                "CREATE FUNCTION {trigger}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {insert} RETURN NULL; END $$"
            ))
            .await?;
            run(format!(
                "CREATE TRIGGER {trigger} AFTER {on} FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION {trigger}()"
            ))
            .await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let is_sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        for (_, trigger, ..) in EVENTS {
            let sql = if is_sqlite {
                format!("DROP TRIGGER {trigger}")
            } else {
                format!("DROP FUNCTION {trigger}() CASCADE")
            };
            manager.get_connection().execute_unprepared(&sql).await?;
        }
        manager.get_connection().execute_unprepared("DROP INDEX users_low_stock").await?;
        manager.drop_table(Table::drop().table("notice_views").to_owned()).await
    }
}
