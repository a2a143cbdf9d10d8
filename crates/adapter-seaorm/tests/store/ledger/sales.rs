//! The start of a subscription, and the count of sales.

use domain_credits::OperationType;
use domain_kernel::RoleCode;
use domain_users::User;
use ports::UserInsert;
use sea_orm::DbBackend;

use crate::{
    fixture::{ROOT, TestUsers, new_user},
    ledger::test_users,
    support::{TestDb, after, on_both},
};
use OperationType::{AddCredits, AddCreditsForSale, DeductCredits, DeductCreditsForSale};

/// A customer of ana_1 whose subscription has not started.
async fn register_new(fixture: &TestUsers) -> User {
    let new = UserInsert { subscription_started: false, ..new_user("new_app", RoleCode::App) };
    fixture.register("ana_1", &new).await
}

on_both! {
    async fn a_subscription_starts_with_its_first_sale_and_not_without_it(db: &TestDb) {
        let fixture = test_users(db).await;
        assert!(!register_new(&fixture).await.subscription_started);
        let started = async || {
            let user = fixture.user("new_app").await;
            (user.subscription_started, user.expiration_date.is_some())
        };
        for performer in ["ana_1", ROOT] {
            let movement = fixture.post(performer, AddCredits, "new_app", 1).await;
            assert_eq!(started().await, (true, true));
            let next = fixture.post(performer, AddCredits, "new_app", 1).await;
            fixture.reverse(ROOT, next.id).await;
            assert_eq!(started().await, (true, true));
            fixture.reverse(ROOT, movement.id).await;
            assert_eq!(started().await, (false, false));
        }
        // An admin grants a subscription without an end: a reversed sale then leads back to it.
        fixture.edit("new_app", |change| change.subscription_started = true).await;
        let movement = fixture.post("ana_1", AddCredits, "new_app", 1).await;
        fixture.reverse(ROOT, movement.id).await;
        assert_eq!(started().await, (true, false));
        assert_eq!(fixture.verified().await, []);
    }

    async fn credits_restored_to_a_subscription_that_has_not_started_are_counted_from_now(db: &TestDb) {
        let fixture = test_users(db).await;
        register_new(&fixture).await;
        let first = fixture.post("ana_1", AddCredits, "new_app", 2).await;
        let deducted = fixture.post(ROOT, DeductCredits, "new_app", 1).await;
        fixture.post("ana_1", AddCredits, "new_app", 1).await;
        fixture.reverse(ROOT, first.id).await;
        let before = fixture.user("new_app").await;
        assert_eq!((before.subscription_started, before.expiration_date, before.credits), (false, None, 0));
        fixture.reverse(ROOT, deducted.id).await;
        let after = fixture.user("new_app").await;
        assert_eq!((after.subscription_started, after.expiration_date.is_some(), after.credits), (true, true, 1));
        assert_eq!(fixture.verified().await, []);
    }

    async fn reversing_a_first_sale_after_a_later_one_moves_an_end_restored_by_a_form(db: &TestDb) {
        let fixture = test_users(db).await;
        register_new(&fixture).await;
        let first = fixture.post("ana_1", AddCredits, "new_app", 1).await;
        let end = fixture.user("new_app").await.expiration_date;
        fixture.post("ana_1", AddCredits, "new_app", 1).await;
        fixture.expire("new_app", end).await;
        fixture.reverse(ROOT, first.id).await;
        let user = fixture.user("new_app").await;
        assert!(user.subscription_started && user.expiration_date < end, "{user:?}");
        assert_eq!(fixture.verified().await, []);
    }

    async fn transferred_and_returned_stock_is_no_sale(db: &TestDb) {
        let fixture = test_users(db).await;
        let sales = async || {
            db.number("SELECT total_sales AS number FROM users WHERE username_key = 'ana_1'").await
        };
        let before = sales().await;
        fixture.post("ana_1", AddCreditsForSale, "eva_1", 10).await;
        assert_eq!(sales().await, before + 10);
        let returned = fixture.post("ana_1", DeductCreditsForSale, "eva_1", 10).await;
        assert_eq!(sales().await, before);
        fixture.reverse(ROOT, returned.id).await;
        assert_eq!(sales().await, before + 10);
        assert_eq!(fixture.verified().await, []);
    }

    async fn a_migration_marks_subscriptions_that_have_not_started_and_makes_sales_net(db: &TestDb) {
        let fixture = test_users(db).await;
        for name in ["none_1", "sold_1", "back_1", "ever_1"] {
            fixture.add("ana_1", name, RoleCode::App).await;
        }
        fixture.add(ROOT, "root_app", RoleCode::App).await;
        let sold = fixture.post("ana_1", AddCredits, "sold_1", 1).await;
        let back = fixture.post("ana_1", AddCredits, "back_1", 1).await;
        fixture.reverse(ROOT, back.id).await;
        fixture.expire("ever_1", Some(after(9))).await;
        fixture.expire("ever_1", None).await;
        fixture.post("ana_1", AddCreditsForSale, "eva_1", 10).await;
        fixture.post("ana_1", DeductCreditsForSale, "eva_1", 4).await;
        let undone = fixture.post("ana_1", DeductCreditsForSale, "eva_1", 3).await;
        fixture.reverse(ROOT, undone.id).await;
        let sales = "SELECT total_sales AS number FROM users WHERE username_key = 'ana_1'";
        let net = db.number(sales).await;
        // The state of the former version: every sale counted in full, and no starts recorded.
        let old = "UPDATE operations SET sold = 0, seller_id = NULL WHERE operation_type = 'DEDUCT_CREDITS_FOR_SALE' \
                   OR reverses_id IN (SELECT id FROM operations WHERE operation_type = 'DEDUCT_CREDITS_FOR_SALE'); \
                   UPDATE users SET total_sales = total_sales + 4 WHERE username_key = 'ana_1'";
        let (open, close) = if db.database.backend() == DbBackend::Sqlite {
            (
                "DROP TRIGGER operations_no_UPDATE",
                "CREATE TRIGGER operations_no_UPDATE BEFORE UPDATE ON operations BEGIN SELECT RAISE(ABORT, 'no'); END",
            )
        } else {
            (
                "ALTER TABLE operations DISABLE TRIGGER operations_append_only",
                "ALTER TABLE operations ENABLE TRIGGER operations_append_only",
            )
        };
        // A later migration's trigger reads the column.
        let event = if db.is_sqlite() {
            "DROP TRIGGER users_event_expiration"
        } else {
            "DROP FUNCTION users_event_expiration() CASCADE"
        };
        db.run(&format!(
            "{open}; {old}; {close}; {event}; ALTER TABLE users DROP COLUMN subscription_started; \
             ALTER TABLE operations DROP COLUMN started_subscription; ALTER TABLE operations DROP COLUMN clock_date; \
             DELETE FROM seaql_migrations WHERE version LIKE '%_000026_%'"
        ))
        .await;
        db.database.migrate(migrations::migrate).await.unwrap();
        for (name, started) in
            [("none_1", false), ("sold_1", true), ("back_1", false), ("ever_1", true), ("root_app", true)]
        {
            assert_eq!(fixture.user(name).await.subscription_started, started, "{name}");
        }
        fixture.reverse(ROOT, sold.id).await;
        assert!(!fixture.user("sold_1").await.subscription_started);
        assert_eq!(db.number(sales).await, net - 1);
        assert_eq!(fixture.verified().await, []);
    }
}
