//! Lines of files: each is stored or rejected by its number, and ids of files are mapped.

use std::sync::{Arc, Mutex};

use application::{IdMap, ImportedLine, LineOutcome};
use domain_catalogue::{Category, CategoryType, Content, Kind, Movie};
use ports::{ImportOutcome, ImportedItem, MockContentRepository, MockReferences};
use serde_json::{Value, json};

use crate::support::{all_of, category, movie, service, types};

fn lines(jsons: Vec<Value>) -> Vec<ImportedLine> {
    (1..).zip(jsons).map(|(number, json)| ImportedLine { number, json: Ok(json) }).collect()
}

type Seen<C> = Arc<Mutex<Vec<ImportedItem<C>>>>;

/// A store that accepts all items, assigns ids from 100 on, and captures the items.
fn capturing<C: Content>() -> (MockContentRepository<C>, Seen<C>) {
    let seen: Seen<C> = Arc::default();
    let kept = seen.clone();
    let mut repository = MockContentRepository::<C>::new();
    repository.expect_import().returning(move |batch, _| {
        let outcomes = (100..).take(batch.len()).map(ImportOutcome::Created).collect();
        kept.lock().unwrap().extend(batch);
        Ok(outcomes)
    });
    (repository, seen)
}

fn reported(outcomes: &[(u64, LineOutcome)]) -> Vec<(u64, String)> {
    let words = |outcome: &LineOutcome| match outcome {
        LineOutcome::Accepted(outcome) => format!("{outcome:?}"),
        LineOutcome::Malformed(reason) => format!("malformed: {reason}"),
        LineOutcome::Refused(broken) => format!("{} {}", broken.0[0].field, broken.0[0].code.as_str()),
    };
    outcomes.iter().map(|(number, outcome)| (*number, words(outcome))).collect()
}

#[tokio::test]
async fn every_line_is_reported_by_its_number_and_the_valid_ones_are_stored_together() {
    let (repository, seen) = capturing::<Category>();
    let mut short = category();
    short["description"] = json!("x");
    let mut other = category();
    other["description"] = json!("Otra");
    let mut batch = lines(vec![category(), short, other]);
    batch.insert(1, ImportedLine { number: 9, json: Err("line 9 is cut".into()) });
    let outcomes =
        service(repository, MockReferences::new()).import(batch, &mut IdMap::default()).await.unwrap();
    let expected =
        [(1, "Created"), (2, "description TOO_SHORT"), (3, "Created"), (9, "malformed: line 9 is cut")];
    assert_eq!(reported(&outcomes), expected.map(|(number, text)| (number, text.to_owned())));
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn ids_of_files_are_mapped_and_unknown_ones_are_refused() {
    let mut ids = IdMap::default();
    ids.expect(Kind::Categories);
    let (repository, _) = capturing::<Category>();
    let mut theirs = category();
    theirs["id"] = json!(7);
    service(repository, MockReferences::new()).import(lines(vec![theirs]), &mut ids).await.unwrap();

    let (repository, seen) = capturing::<Movie>();
    let (mut known, mut unknown) = (movie(), movie());
    known["categoryId"] = json!(7);
    unknown["categoryId"] = json!(8);
    let service = service(repository, all_of(Some(CategoryType::Movie)));
    let outcomes = service.import(lines(vec![known, unknown]), &mut ids).await.unwrap();
    assert_eq!(reported(&outcomes)[1], (2, "categoryId UNKNOWN_REFERENCE".to_owned()));
    let seen = seen.lock().unwrap();
    assert_eq!(seen.iter().map(|item| item.content.category_id).collect::<Vec<_>>(), [100]);
}

#[tokio::test]
async fn without_imported_categories_ids_are_those_of_the_store() {
    for (found, outcome) in [
        (Some(CategoryType::Movie), "Created"),
        (Some(CategoryType::Music), "categoryId WRONG_CATEGORY_TYPE"),
        (None, "categoryId UNKNOWN_REFERENCE"),
    ] {
        let (repository, _) = capturing::<Movie>();
        let service = service(repository, all_of(found));
        let outcomes = service.import(lines(vec![movie()]), &mut IdMap::default()).await.unwrap();
        assert_eq!(reported(&outcomes), [(1, outcome.to_owned())]);
    }
}

#[tokio::test]
async fn the_first_of_two_items_with_the_same_key_is_kept_across_batches() {
    let (repository, seen) = capturing::<Category>();
    let service = service(repository, MockReferences::new());
    let mut ids = IdMap::default();
    let mut later = category();
    later["englishDescription"] = json!("Another word");
    let first = service.import(lines(vec![category(), later.clone()]), &mut ids).await.unwrap();
    let second = service.import(lines(vec![later]), &mut ids).await.unwrap();
    assert_eq!(reported(&first)[1], (2, "Unchanged".to_owned()));
    assert_eq!(reported(&second), [(1, "Unchanged".to_owned())]);
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_category_is_looked_up_once_for_a_whole_batch() {
    let mut categories = MockReferences::new();
    categories.expect_category_types().times(1).returning(|ids| Ok(types(ids, CategoryType::Movie)));
    let (repository, seen) = capturing::<Movie>();
    let titled = |title: &str| {
        let mut film = movie();
        film["title"] = json!(title);
        film
    };
    let batch = lines(vec![titled("One"), titled("Two"), titled("Three")]);
    service(repository, categories).import(batch, &mut IdMap::default()).await.unwrap();
    assert_eq!(seen.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn views_and_dates_are_imported_with_the_precision_of_the_clock() {
    let (repository, seen) = capturing::<Category>();
    let mut full = category();
    full["views"] = json!(42);
    full["createdDate"] = json!("2026-01-02T03:04:05.123456789+02:00");
    full["updatedDate"] = json!("yesterday");
    let mut odd = category();
    odd["description"] = json!("Otra");
    odd["views"] = json!(-5);
    let batch = lines(vec![full, odd]);
    service(repository, MockReferences::new()).import(batch, &mut IdMap::default()).await.unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!((seen[0].views, seen[1].views), (42, 0));
    let created = "2026-01-02T01:04:05.123Z".parse().unwrap();
    assert_eq!((seen[0].created_date, seen[0].updated_date), (Some(created), None));
}

#[tokio::test]
async fn texts_of_links_are_cleaned_like_those_of_their_film() {
    let (repository, seen) = capturing::<Movie>();
    let mut film = movie();
    film["coverImageUrl"] = json!("https://images.example/a\\?b=1");
    film["links"][0]["url"] = json!("https://cdn.example/a\\?t=1\u{200B}");
    film["links"][0]["audioLanguages"] = json!(["SPANISH\u{200E}"]);
    let service = service(repository, all_of(Some(CategoryType::Movie)));
    let outcomes = service.import(lines(vec![film]), &mut IdMap::default()).await.unwrap();
    assert_eq!(reported(&outcomes), [(1, "Created".to_owned())]);
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0].content.links[0].url.0, "https://cdn.example/a?t=1");
}
