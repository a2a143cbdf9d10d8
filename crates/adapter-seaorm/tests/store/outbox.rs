//! Deliveries are written in the transaction of the change, for active webhooks that subscribed to
//! the event, and only for visible changes.

use std::pin::Pin;

use adapter_seaorm::catalogue::{
    CategoriesTable, ContentTable, EpisodesTable, SeaOrmContents, TableOf, TvShowsTable,
};
use domain_catalogue::{Category, CategoryType, Content, Movie};
use domain_credits::OperationType::{AddCredits, AddCreditsForSale};
use domain_integrations::EventType::{
    CreditsMoved, IssueOpened, IssueResolved, ItemChanged, ItemCreated, ItemRemoved, UserExpirationChanged,
    UserReactivated, UserRegistered, UserSuspended,
};
use domain_kernel::RoleCode;
use domain_users::UserStatus;
use ports::{ContentRepository, Inserted, StoreError};
use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::{Value, json};

use crate::{
    fixture::{ROOT, TestUsers},
    hooks::{add, count, draft, hook, reported},
    kinds::{KindFixture, add as add_item, add_category, add_sample, store},
    support::{TestDb, after, edit, on_both, start, valid},
};

const ITEMS: [domain_integrations::EventType; 3] = [ItemCreated, ItemChanged, ItemRemoved];

fn item(event: &str, path: &str, version: i64, active: bool) -> (String, String, Value) {
    let data = json!({"resource": path, "id": 1, "version": version, "active": active});
    (event.into(), format!("{path}/1"), data)
}

/// Adds the sample and hides it; counts its views and hides it again, without a delivery.
async fn add_and_change<T: ContentTable>(db: &TestDb) {
    let store = SeaOrmContents::<T>::new(db.database.clone());
    assert_eq!(add_sample::<T>(db).await, 1);
    store.set_active(1, false, None, edit(after(1))).await.unwrap();
    let table = T::Content::KIND.path().replace('-', "_");
    assert_eq!(db.run(&format!("UPDATE {table} SET views = views + 1 WHERE id = 1")).await, 1);
    store.set_active(1, false, None, edit(after(2))).await.unwrap();
}

async fn remove<T: ContentTable>(db: &TestDb) {
    let path = T::Content::KIND.path();
    let store = SeaOrmContents::<T>::new(db.database.clone());
    store.delete(1, None, edit(start())).await.unwrap();
    assert_eq!(store.find(1).await.unwrap(), None, "{path}");
}

on_both! {
    async fn every_kind_writes_deliveries_for_creates_changes_and_removals(db: &TestDb) {
        let webhook = hook(db, "Todo", &ITEMS).await;
        // Referenced items are added first and removed last.
        let mut removals: Vec<Pin<Box<dyn Future<Output = ()> + Send>>> = Vec::new();
        macro_rules! every_kind {
            ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
                $(
                    add_and_change::<TableOf<domain_catalogue::$type>>(db).await;
                    removals.push(Box::pin(remove::<TableOf<domain_catalogue::$type>>(db)));
                )+
            };
        }
        domain_catalogue::for_each_kind!(every_kind);
        while let Some(removal) = removals.pop() {
            removal.await;
        }
        let all = reported(db, webhook.id).await;
        for kind in domain_catalogue::Kind::ALL {
            let path = kind.path();
            let of_kind: Vec<_> =
                all.iter().filter(|(_, entity, _)| *entity == format!("{path}/1")).cloned().collect();
            let expected = [
                item("ITEM_CREATED", path, 1, true),
                item("ITEM_CHANGED", path, 2, false),
                item("ITEM_REMOVED", path, 2, false),
            ];
            assert_eq!(of_kind, expected, "{path}");
        }
        assert_eq!(all.len(), 3 * domain_catalogue::Kind::ALL.len(), "{all:?}");
    }

    async fn rows_removed_with_another_write_deliveries_too(db: &TestDb) {
        let webhook = hook(db, "Bajas", &[ItemRemoved]).await;
        add_and_change::<CategoriesTable>(db).await;
        add_and_change::<TvShowsTable>(db).await;
        add_and_change::<EpisodesTable>(db).await;
        remove::<TvShowsTable>(db).await;
        let mut entities: Vec<_> = reported(db, webhook.id).await.into_iter().map(|(_, entity, _)| entity).collect();
        entities.sort();
        assert_eq!(entities, ["episodes/1", "seasons/1", "tv-shows/1"]);
    }

    async fn a_webhook_gets_only_the_events_it_subscribed_to(db: &TestDb) {
        let category = add_category(db, "Antes", CategoryType::Movie).await;
        assert_eq!(count(db).await, 0, "without webhooks nothing is written");
        add(db, domain_integrations::WebhookDraft { active: false, ..draft("Apagado", &ITEMS) }).await;
        hook(db, "Otras cosas", &[CreditsMoved, IssueOpened]).await;
        let one = hook(db, "Altas", &[ItemCreated]).await;
        let two = hook(db, "Cambios", &[ItemCreated, ItemChanged]).await;
        let movies = store::<Movie>(db);
        let film = add_item(&movies, Movie::numbered(1, category)).await;
        movies.set_active(film, true, None, edit(start())).await.unwrap();
        let events = async |id| {
            reported(db, id).await.into_iter().map(|(event, ..)| event).collect::<Vec<_>>()
        };
        assert_eq!(events(one.id).await, ["ITEM_CREATED"]);
        assert_eq!(events(two.id).await, ["ITEM_CREATED", "ITEM_CHANGED"]);
        assert_eq!(count(db).await, 3);
    }

    async fn a_change_that_is_rolled_back_writes_no_delivery(db: &TestDb) {
        hook(db, "Todo", &ITEMS).await;
        let category = add_category(db, "Una", CategoryType::Movie).await;
        assert_eq!(count(db).await, 1);
        let transaction = db.database.connection().begin().await.unwrap();
        for sql in ["UPDATE categories SET version = version + 1", "DELETE FROM categories"] {
            assert_eq!(transaction.execute_unprepared(sql).await.unwrap().rows_affected(), 1);
        }
        transaction.rollback().await.unwrap();
        assert_eq!(count(db).await, 1, "it was rolled back");
        let lost = store::<Movie>(db).insert(valid(Movie::numbered(1, 9_999)), edit(start()), None).await;
        assert!(matches!(lost, Err(StoreError::Dangling(_))), "{lost:?}");
        let outdated = store::<Category>(db)
            .replace(category, valid(Category::numbered(1, 0)), Some(7), edit(start()))
            .await;
        assert!(outdated.is_ok());
        assert_eq!(count(db).await, 1, "it was refused");
    }

    async fn a_movement_of_credits_is_delivered_with_its_result(db: &TestDb) {
        let webhook = hook(db, "Ventas", &[CreditsMoved]).await;
        let fixture = TestUsers::of(db).await;
        fixture.add(ROOT, "ana_1", RoleCode::Agent).await;
        fixture.add("ana_1", "Pedro_Gil", RoleCode::App).await;
        let stock = fixture.post(ROOT, AddCreditsForSale, "ana_1", 10).await;
        let sale = fixture.post("ana_1", AddCredits, "Pedro_Gil", 2).await;
        let Inserted::New(back) = fixture.reverse(ROOT, sale.id).await else { panic!("not reversed") };
        let expected = [
            ("users/ana_1", json!({
                "movementId": stock.id, "username": "ana_1", "operationType": "ADD_CREDITS_FOR_SALE", "creditType": "SALE",
                "amount": 10, "balanceAfter": 10, "expirationAfter": null, "performedBy": "Root_1", "reversal": false,
            })),
            ("users/Pedro_Gil", json!({
                "movementId": sale.id, "username": "Pedro_Gil", "operationType": "ADD_CREDITS", "creditType": "NORMAL",
                "amount": 2, "balanceAfter": 2, "expirationAfter": "2027-01-20T10:00:00.123Z", "performedBy": "ana_1",
                "reversal": false,
            })),
            ("users/Pedro_Gil", json!({
                "movementId": back.id, "username": "Pedro_Gil", "operationType": "DEDUCT_CREDITS", "creditType": "NORMAL",
                "amount": 2, "balanceAfter": 0, "expirationAfter": null, "performedBy": "Root_1", "reversal": true,
            })),
        ];
        let expected: Vec<_> =
            expected.into_iter().map(|(entity, data)| ("CREDITS_MOVED".to_owned(), entity.to_owned(), data)).collect();
        assert_eq!(reported(db, webhook.id).await, expected);
        // A refusal moves nothing and writes no delivery.
        fixture.refused("ana_1", AddCredits, "Pedro_Gil", 1_000).await;
        assert_eq!(count(db).await, 3);
    }

    async fn reports_are_delivered_when_created_and_when_resolved(db: &TestDb) {
        let webhook = hook(db, "Errores", &[IssueOpened, IssueResolved]).await;
        let report = |id: i64, status: &str| {
            format!(
                "INSERT INTO issue_reports (id, status, content_type, content_id, report_type, priority, title, title_key, \
                 created_date, updated_date, search_text) VALUES ({id}, '{status}', 'MOVIE', 42, 'AUDIO', 'HIGH', \
                 'Sin sonido', 'sin sonido', '2026-11-20T10:00:00.123+00:00', '2026-11-20T10:00:00.123+00:00', 'x')"
            )
        };
        db.run(&report(7, "REPORTADO")).await;
        db.run(&report(8, "CERRADO")).await;
        for status in ["EN_PROGRESO", "RESUELTO", "RESUELTO", "CERRADO"] {
            db.run(&format!("UPDATE issue_reports SET status = '{status}' WHERE id = 7")).await;
        }
        let data = |status: &str| json!({
            "id": 7, "title": "Sin sonido", "contentType": "MOVIE", "contentId": 42, "reportType": "AUDIO",
            "priority": "HIGH", "status": status, "reportedDate": "2026-11-20T10:00:00.123Z",
        });
        let entity = || "issue-reports/7".to_owned();
        assert_eq!(
            reported(db, webhook.id).await,
            [
                ("ISSUE_OPENED".to_owned(), entity(), data("REPORTADO")),
                ("ISSUE_RESOLVED".to_owned(), entity(), data("RESUELTO")),
            ]
        );
    }

    async fn users_are_registered_suspended_reactivated_and_extended(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        let events = [UserRegistered, UserSuspended, UserReactivated, UserExpirationChanged];
        let all = hook(db, "Todo", &events).await;
        let some = hook(db, "Altas", &[UserRegistered]).await;
        fixture.add(ROOT, "eva_1", RoleCode::App).await;
        let status = async |status| {
            fixture.edit("eva_1", |change| change.status = status).await;
        };
        status(UserStatus::Inactive).await;
        status(UserStatus::Suspended).await;
        status(UserStatus::Active).await;
        fixture.expire("eva_1", Some(after(60))).await;
        fixture.expire("eva_1", Some(after(60))).await;
        fixture.expire("eva_1", None).await;
        fixture.edit("eva_1", |change| change.full_name = "Eva Otra".into()).await;
        let data = |status: &str, expiration: Value| {
            json!({"username": "eva_1", "roleCode": "app", "status": status, "expirationDate": expiration})
        };
        let end = json!("2026-11-20T11:00:00.123Z");
        let expected = [
            ("USER_REGISTERED", data("ACTIVE", Value::Null)),
            ("USER_SUSPENDED", data("INACTIVE", Value::Null)),
            ("USER_REACTIVATED", data("ACTIVE", Value::Null)),
            ("USER_EXPIRATION_CHANGED", data("ACTIVE", end)),
            ("USER_EXPIRATION_CHANGED", data("ACTIVE", Value::Null)),
        ]
        .map(|(event, data)| (event.to_owned(), "users/eva_1".to_owned(), data));
        assert_eq!(reported(db, all.id).await, expected);
        assert_eq!(reported(db, some.id).await, expected[..1]);
    }
}
