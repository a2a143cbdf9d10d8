//! What is told is written where it happens: in the same transaction, for whoever asks, and for nothing that nobody sees.

use adapter_seaorm::contents::{
    CategoriesTable, ConcertsTable, ContentTable, DocumentariesTable, EpisodesTable, MoviesTable,
    RadioStationsTable, SeaOrmContents, SeasonsTable, SportsTable, TvChannelsTable, TvGuidesTable,
    TvShowsTable,
};
use domain_catalogue::{Category, CategoryType, Content, Movie};
use domain_credits::OperationType::{AddCredits, AddCreditsForSale};
use domain_integrations::EventType::{
    CreditsMoved, IssueOpened, IssueResolved, ItemChanged, ItemCreated, ItemRemoved,
};
use domain_kernel::RoleCode;
use ports::{ContentRepository, Posted, StoreError};
use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::{Value, json};

use crate::{
    crew::{Crew, ROOT},
    hooks::{add, count, draft, hook, told},
    kinds::{Case, add as add_item, add_category, store},
    support::{Home, after, on_both, start, valid},
};

const ITEMS: [domain_integrations::EventType; 3] = [ItemCreated, ItemChanged, ItemRemoved];

fn item(event: &str, path: &str, version: i64, active: bool) -> (String, String, Value) {
    let data = json!({"resource": path, "id": 1, "version": version, "active": active});
    (event.into(), format!("{path}/1"), data)
}

/// Adds the sample and hides it; counts its views and hides it again, of which nobody is told.
async fn live<T: ContentTable>(home: &Home) {
    let store = SeaOrmContents::<T>::new(home.database.clone());
    assert_eq!(add_item(&store, T::Content::sample()).await, 1);
    store.set_active(1, false, None, after(1)).await.unwrap();
    let table = T::Content::KIND.path().replace('-', "_");
    assert_eq!(home.run(&format!("UPDATE {table} SET views = views + 1 WHERE id = 1")).await, 1);
    store.set_active(1, false, None, after(2)).await.unwrap();
}

async fn go<T: ContentTable>(home: &Home) {
    let path = T::Content::KIND.path();
    let store = SeaOrmContents::<T>::new(home.database.clone());
    store.delete(1, None).await.unwrap();
    assert_eq!(store.find(1).await.unwrap(), None, "{path}");
}

on_both! {
    async fn every_kind_tells_what_is_added_changed_and_removed(home: &Home) {
        let webhook = hook(home, "Todo", &ITEMS).await;
        // What others refer to comes first and goes last.
        live::<CategoriesTable>(home).await;
        live::<TvGuidesTable>(home).await;
        live::<TvChannelsTable>(home).await;
        live::<RadioStationsTable>(home).await;
        live::<DocumentariesTable>(home).await;
        live::<MoviesTable>(home).await;
        live::<ConcertsTable>(home).await;
        live::<SportsTable>(home).await;
        live::<TvShowsTable>(home).await;
        live::<SeasonsTable>(home).await;
        live::<EpisodesTable>(home).await;
        go::<EpisodesTable>(home).await;
        go::<SeasonsTable>(home).await;
        go::<TvShowsTable>(home).await;
        go::<SportsTable>(home).await;
        go::<ConcertsTable>(home).await;
        go::<MoviesTable>(home).await;
        go::<DocumentariesTable>(home).await;
        go::<RadioStationsTable>(home).await;
        go::<TvChannelsTable>(home).await;
        go::<TvGuidesTable>(home).await;
        go::<CategoriesTable>(home).await;
        let all = told(home, webhook.id).await;
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
        assert_eq!(all.len(), 33, "{all:?}");
    }

    async fn what_goes_with_something_else_is_told_too(home: &Home) {
        let webhook = hook(home, "Bajas", &[ItemRemoved]).await;
        live::<CategoriesTable>(home).await;
        live::<TvShowsTable>(home).await;
        live::<EpisodesTable>(home).await;
        go::<TvShowsTable>(home).await;
        let mut entities: Vec<_> = told(home, webhook.id).await.into_iter().map(|(_, entity, _)| entity).collect();
        entities.sort();
        assert_eq!(entities, ["episodes/1", "seasons/1", "tv-shows/1"]);
    }

    async fn nobody_who_does_not_ask_is_told(home: &Home) {
        let category = add_category(home, "Antes", CategoryType::Movie).await;
        assert_eq!(count(home).await, 0, "without webhooks nothing is written");
        add(home, domain_integrations::WebhookDraft { active: false, ..draft("Apagado", &ITEMS) }).await;
        hook(home, "Otras cosas", &[CreditsMoved, IssueOpened]).await;
        let one = hook(home, "Altas", &[ItemCreated]).await;
        let two = hook(home, "Cambios", &[ItemCreated, ItemChanged]).await;
        let movies = store::<Movie>(home);
        let film = add_item(&movies, Movie::numbered(1, category)).await;
        movies.set_active(film, true, None, start()).await.unwrap();
        let events = async |id| {
            told(home, id).await.into_iter().map(|(event, ..)| event).collect::<Vec<_>>()
        };
        assert_eq!(events(one.id).await, ["ITEM_CREATED"]);
        assert_eq!(events(two.id).await, ["ITEM_CREATED", "ITEM_CHANGED"]);
        assert_eq!(count(home).await, 3);
    }

    async fn what_did_not_happen_is_not_told(home: &Home) {
        hook(home, "Todo", &ITEMS).await;
        let category = add_category(home, "Una", CategoryType::Movie).await;
        assert_eq!(count(home).await, 1);
        let transaction = home.database.connection().begin().await.unwrap();
        for sql in ["UPDATE categories SET version = version + 1", "DELETE FROM categories"] {
            assert_eq!(transaction.execute_unprepared(sql).await.unwrap().rows_affected(), 1);
        }
        transaction.rollback().await.unwrap();
        assert_eq!(count(home).await, 1, "it was taken back");
        let lost = store::<Movie>(home).insert(valid(Movie::numbered(1, 9_999)), start(), None).await;
        assert!(matches!(lost, Err(StoreError::Dangling(_))), "{lost:?}");
        let outdated = store::<Category>(home)
            .replace(category, valid(Category::numbered(1, 0)), Some(7), start())
            .await;
        assert!(outdated.is_ok());
        assert_eq!(count(home).await, 1, "it was refused");
    }

    async fn a_movement_of_credits_is_told_with_what_it_led_to(home: &Home) {
        let webhook = hook(home, "Ventas", &[CreditsMoved]).await;
        let crew = Crew::of(home).await;
        crew.add(ROOT, "ana_1", RoleCode::Agent).await;
        crew.add("ana_1", "Pedro_Gil", RoleCode::App).await;
        let stock = crew.post(ROOT, AddCreditsForSale, "ana_1", 10).await;
        let sale = crew.post("ana_1", AddCredits, "Pedro_Gil", 2).await;
        let Posted::Done(back) = crew.reverse(ROOT, sale.id).await else { panic!("not reversed") };
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
        assert_eq!(told(home, webhook.id).await, expected);
        // What is refused moves nothing and tells nothing.
        crew.refused("ana_1", AddCredits, "Pedro_Gil", 1_000).await;
        assert_eq!(count(home).await, 3);
    }

    async fn reports_are_told_when_they_come_and_when_they_are_resolved(home: &Home) {
        let webhook = hook(home, "Errores", &[IssueOpened, IssueResolved]).await;
        let report = |id: i64, status: &str| {
            format!(
                "INSERT INTO issue_reports (id, status, content_type, content_id, report_type, priority, title, title_key, \
                 created_date, updated_date, search_text) VALUES ({id}, '{status}', 'MOVIE', 42, 'AUDIO', 'HIGH', \
                 'Sin sonido', 'sin sonido', '2026-11-20T10:00:00.123+00:00', '2026-11-20T10:00:00.123+00:00', 'x')"
            )
        };
        home.run(&report(7, "REPORTADO")).await;
        home.run(&report(8, "CERRADO")).await;
        for status in ["EN_PROGRESO", "RESUELTO", "RESUELTO", "CERRADO"] {
            home.run(&format!("UPDATE issue_reports SET status = '{status}' WHERE id = 7")).await;
        }
        let data = |status: &str| json!({
            "id": 7, "title": "Sin sonido", "contentType": "MOVIE", "contentId": 42, "reportType": "AUDIO",
            "priority": "HIGH", "status": status, "reportedDate": "2026-11-20T10:00:00.123Z",
        });
        let entity = || "issue-reports/7".to_owned();
        assert_eq!(
            told(home, webhook.id).await,
            [
                ("ISSUE_OPENED".to_owned(), entity(), data("REPORTADO")),
                ("ISSUE_RESOLVED".to_owned(), entity(), data("RESUELTO")),
            ]
        );
    }
}
