//! Start of a subscription. The subscription of an app user registered by an agent starts with the first
//! sale: until then, no expiration does not mean "never expires". Existing users of agents without a purchase
//! have not started. Sales become net: stock that an agent took back from a sub-agent is subtracted from its
//! sales.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Registered by an agent, without credits or an expiration, and never granted one by an admin. The only
/// movements of such a row are reversed ones; imported balances are not changed.
const NOT_STARTED: &str = "UPDATE users SET subscription_started = false WHERE credits = 0 AND expiration_date IS NULL \
     AND registered_by_id IN (SELECT id FROM users WHERE role = 'agent') \
     AND NOT EXISTS (SELECT 1 FROM expiration_edits x WHERE x.user_id = users.id) \
     AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.user_id = users.id AND e.account = 'APP' AND e.imported)";

/// First sales, so that their reversal leads back to "not started".
const FIRST_SALES: &str = "UPDATE operations SET started_subscription = true WHERE id IN (\
     SELECT e.operation_id FROM entries e JOIN users u ON u.id = e.user_id JOIN users r ON r.id = u.registered_by_id \
     WHERE e.account = 'APP' AND e.seq = 1 AND e.delta > 0 AND NOT e.imported AND e.expiration_before IS NULL \
     AND r.role = 'agent' AND NOT EXISTS (SELECT 1 FROM expiration_edits x WHERE x.user_id = u.id AND x.app_seq = 0))";

const STOCK_TAKEN_BACK: &str = "UPDATE operations SET sold = -amount, seller_id = performer_id WHERE id IN (\
     SELECT o.id FROM operations o JOIN entries p ON p.operation_id = o.id AND p.leg = 1 JOIN users a ON a.id = o.performer_id \
     WHERE o.operation_type = 'DEDUCT_CREDITS_FOR_SALE' AND o.reverses_id IS NULL AND o.sold = 0 \
     AND (p.user_id = o.performer_id OR (o.imported AND a.role = 'agent')))";

const THEIR_REVERSALS: &str = "UPDATE operations SET sold = amount, seller_id = (SELECT o.seller_id FROM operations o \
     WHERE o.id = operations.reverses_id) WHERE sold = 0 AND reverses_id IN (SELECT o.id FROM operations o \
     WHERE o.operation_type = 'DEDUCT_CREDITS_FOR_SALE' AND o.sold < 0)";

const TOTALS: &str = "UPDATE users SET total_sales = (SELECT coalesce(sum(o.sold), 0) FROM operations o \
     WHERE o.seller_id = users.id) WHERE id IN (SELECT seller_id FROM operations WHERE seller_id IS NOT NULL)";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        let timestamp = if sqlite { "timestamp_with_timezone_text" } else { "timestamp with time zone" };
        run("ALTER TABLE users ADD COLUMN subscription_started boolean NOT NULL DEFAULT true").await?;
        run("ALTER TABLE operations ADD COLUMN started_subscription boolean NOT NULL DEFAULT false").await?;
        // The server's clock, where it was behind the last movement; the first month starts from here.
        run(&format!("ALTER TABLE operations ADD COLUMN clock_date {timestamp} NULL")).await?;
        run(NOT_STARTED).await?;
        // Movements are not changed, only values derived from them.
        let (open, close) = if sqlite {
            (
                "DROP TRIGGER operations_no_UPDATE",
                "CREATE TRIGGER operations_no_UPDATE BEFORE UPDATE ON operations BEGIN \
                 SELECT RAISE(ABORT, 'operations are append-only'); END",
            )
        } else {
            (
                "ALTER TABLE operations DISABLE TRIGGER operations_append_only",
                "ALTER TABLE operations ENABLE TRIGGER operations_append_only",
            )
        };
        run(open).await?;
        for sql in [FIRST_SALES, STOCK_TAKEN_BACK, THEIR_REVERSALS] {
            run(sql).await?;
        }
        run(close).await?;
        run(TOTALS).await
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("the ledger is not thrown away: restore a backup".to_owned()))
    }
}
