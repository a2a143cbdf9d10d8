//! The settings of the app, and their lists.

use adapter_seaorm::{EntryTable, SeaOrmAppSettings, SeaOrmEntries};
use domain_kernel::{Filter, FilterValue, ListQuery, Sort, checked};
use domain_settings::{
    AlertMessage, AllowedPeriods, AppSettings, BackgroundImage, BackgroundType, Entry, RenewalMessage,
};
use futures_util::future::join_all;
use ports::{AppSettingsRepository, EntryRepository, IdempotencyKey, Inserted, Removed, Written};

use crate::support::{TestDb, after, edit, on_both, start, valid};

fn settings(price: f64) -> AppSettings {
    AppSettings {
        items_per_page: 25,
        monthly_credits_price: price,
        annual_credits_price: 99.99,
        allowed_periods: AllowedPeriods { months: false, years: true },
        max_transactions_per_agent: 7,
    }
}

fn checked_settings(price: f64) -> garde::Valid<AppSettings> {
    checked(settings(price), &()).unwrap()
}

fn message(text: &str) -> AlertMessage {
    AlertMessage { message: text.into() }
}

fn image(title: &str, background_type: BackgroundType, year: i32) -> BackgroundImage {
    BackgroundImage { title: title.into(), background_type, year, ..BackgroundImage::sample() }
}

async fn add<E: EntryTable>(db: &TestDb, entry: E) -> domain_settings::StoredEntry<E> {
    let store = SeaOrmEntries::new(db.database.clone());
    match store.insert(valid(entry), &edit(start()), None).await.unwrap() {
        Inserted::New(kept) => kept,
        other => panic!("{other:?}"),
    }
}

async fn titles(db: &TestDb, query: ListQuery) -> Vec<String> {
    let store = SeaOrmEntries::<BackgroundImage>::new(db.database.clone());
    store.list(&query).await.unwrap().content.into_iter().map(|kept| kept.entry.title).collect()
}

on_both! {
    async fn the_first_renewal_message_is_reworded_by_a_migration_unless_it_was_edited(db: &TestDb) {
        let message = |name: &str, spanish: &str, english: &str| RenewalMessage {
            name: name.into(),
            spanish: format!("Hola, {{name}}: tu suscripción ({{username}}) {spanish}. ¿La renovamos {{months}}?"),
            english: format!("Hello, {{name}}: your subscription ({{username}}) {english}. Shall we renew it for {{months}}?"),
        };
        let former = add(db, message("Recordatorio", "vence el {end}", "ends on {end}")).await;
        let edited = add(db, message("Aviso", "vence el {end}", "is over on {end}")).await;
        let expected = message("Recordatorio", "{expires}", "{expires}");
        let like_it = add(db, expected.clone()).await;
        db.run("DELETE FROM seaql_migrations WHERE version LIKE '%_messages_to_expired'").await;
        db.database.migrate(migrations::migrate).await.unwrap();
        let store = SeaOrmEntries::<RenewalMessage>::new(db.database.clone());
        let found = store.find(former.id).await.unwrap().unwrap();
        assert_eq!((found.entry, found.version), (expected, 2));
        assert_eq!(store.find(edited.id).await.unwrap(), Some(edited));
        let searched = format!(
            "SELECT count(DISTINCT search_text) AS number FROM renewal_messages WHERE id IN ({}, {})",
            former.id, like_it.id
        );
        assert_eq!(db.number(&searched).await, 1);
    }

    async fn settings_have_defaults_and_are_stored_exactly(db: &TestDb) {
        let store = SeaOrmAppSettings(db.database.clone());
        let first = store.find().await.unwrap();
        assert_eq!((first.settings, first.version), (AppSettings::default(), 1));
        for (version, price) in [(2, 9.99), (3, 0.29), (4, 1_000_000.0), (5, 0.0), (6, 1.1)] {
            let written = store.replace(checked_settings(price), Some(version - 1), &edit(after(version))).await.unwrap();
            let Written::Done(stored) = written else { panic!("there are no other writes") };
            assert_eq!((stored.settings, stored.version, stored.updated_date), (settings(price), version, after(version)));
            assert_eq!(store.find().await.unwrap().settings, settings(price));
        }
    }

    async fn an_outdated_change_of_settings_changes_nothing(db: &TestDb) {
        let store = SeaOrmAppSettings(db.database.clone());
        store.replace(checked_settings(5.0), Some(1), &edit(after(1))).await.unwrap();
        let outcome = store.replace(checked_settings(6.0), Some(1), &edit(after(2))).await.unwrap();
        let Written::Outdated(now) = outcome else { panic!("{outcome:?}") };
        assert_eq!((now.settings, now.version), (settings(5.0), 2));
        // Without a version the change succeeds.
        assert!(matches!(store.replace(checked_settings(6.0), None, &edit(after(3))).await.unwrap(), Written::Done(_)));
    }

    async fn there_is_one_row_of_settings_without_negative_prices(db: &TestDb) {
        assert!(db.try_run("INSERT INTO app_settings (id, updated_date) VALUES (2, '2026-11-20T10:00:00+00:00')").await.is_err());
        assert!(db.try_run("UPDATE app_settings SET monthly_credits_price = -1").await.is_err());
    }

    async fn an_entry_is_added_read_changed_and_removed(db: &TestDb) {
        let store = SeaOrmEntries::<BackgroundImage>::new(db.database.clone());
        let added = add(db, BackgroundImage::sample()).await;
        assert_eq!((added.version, added.created_date, &added.entry), (1, start(), &BackgroundImage::sample()));
        assert_eq!(store.find(added.id).await.unwrap(), Some(added.clone()));
        let bare = BackgroundImage { genre: None, duration: None, classification: None, is_kids_mode: true, ..BackgroundImage::sample() };
        let Written::Done(changed) = store.replace(added.id, valid(bare.clone()), Some(1), &edit(after(5))).await.unwrap() else {
            panic!("there are no other writes")
        };
        assert_eq!((changed.version, changed.created_date, changed.updated_date), (2, start(), after(5)));
        assert_eq!(store.find(added.id).await.unwrap().unwrap().entry, bare);
        let outdated = store.replace(added.id, valid(bare.clone()), Some(1), &edit(after(6))).await.unwrap();
        assert_eq!(outdated, Written::Outdated(changed.clone()));
        assert_eq!(store.delete(added.id, Some(1), &edit(after(8))).await.unwrap(), Removed::Outdated(changed));
        assert_eq!(store.delete(added.id, Some(2), &edit(after(8))).await.unwrap(), Removed::Done);
        assert_eq!(store.delete(added.id, None, &edit(after(8))).await.unwrap(), Removed::Missing);
        assert_eq!(store.replace(added.id, valid(bare), None, &edit(after(7))).await.unwrap(), Written::Missing);
        assert_eq!(store.find(added.id).await.unwrap(), None);
    }

    async fn lists_are_paged_ordered_searched_and_filtered(db: &TestDb) {
        for (title, background_type, year) in [
            ("Ñandú", BackgroundType::Documentary, 2020), ("Árbol", BackgroundType::Series, 2022),
            ("¿Dónde?", BackgroundType::Sports, 2021), ("100%", BackgroundType::Premiere, 2023),
        ] {
            add(db, image(title, background_type, year)).await;
        }
        let sorted = |field: &str, descending| ListQuery {
            sort: vec![Sort { field: field.into(), descending }], ..ListQuery::default()
        };
        assert_eq!(titles(db, ListQuery::default()).await, ["Ñandú", "Árbol", "¿Dónde?", "100%"]);
        assert_eq!(titles(db, sorted("title", false)).await, ["100%", "Árbol", "¿Dónde?", "Ñandú"]);
        assert_eq!(titles(db, sorted("year", true)).await, ["100%", "Árbol", "¿Dónde?", "Ñandú"]);
        for (text, found) in [("nandu", vec!["Ñandú"]), ("0%", vec!["100%"]), ("series", vec!["Árbol"]), ("DONDE", vec!["¿Dónde?"]), ("_", vec![])] {
            let query = ListQuery { search: Some(text.into()), ..ListQuery::default() };
            assert_eq!(titles(db, query).await, found, "{text}");
        }
        let filter = |field: &str, value| ListQuery { filters: vec![Filter { field: field.into(), value }], ..ListQuery::default() };
        assert_eq!(titles(db, filter("type", FilterValue::Code("deportes"))).await, ["¿Dónde?"]);
        assert_eq!(titles(db, filter("isKidsMode", FilterValue::Flag(true))).await, Vec::<String>::new());
        for page in 0..4 {
            let query = ListQuery { page, size: 1, ..ListQuery::default() };
            assert_eq!(titles(db, query).await.len(), 1, "page {page}");
        }
        assert_eq!(titles(db, ListQuery { page: 4, size: 1, ..ListQuery::default() }).await, Vec::<String>::new());
    }

    async fn a_repeated_create_has_the_first_response(db: &TestDb) {
        let once = |fingerprint: &str| Some(IdempotencyKey { username: "ana".into(), key: "k".into(), fingerprint: fingerprint.into() });
        let insert = |_| {
            let store = SeaOrmEntries::<AlertMessage>::new(db.database.clone());
            async move { store.insert(valid(message("Hola")), &edit(start()), once("f")).await.unwrap() }
        };
        let outcomes = join_all((0..8).map(insert)).await;
        let new = outcomes.iter().filter(|one| matches!(one, Inserted::New(_))).count();
        assert_eq!(new, 1);
        assert_eq!(db.number("SELECT count(*) AS number FROM alert_messages").await, 1);
        let store = SeaOrmEntries::<AlertMessage>::new(db.database.clone());
        assert_eq!(store.insert(valid(message("Otra")), &edit(start()), once("g")).await.unwrap(), Inserted::KeyReused);
        assert_eq!(db.number("SELECT count(*) AS number FROM alert_messages").await, 1);
    }
}
