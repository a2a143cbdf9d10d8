//! Referenced items must exist and have the right type before a write.

use std::collections::HashMap;

use domain_catalogue::{CategoryType, Content, Movie, TvChannel};
use domain_kernel::Id;
use mockall::Sequence;
use ports::{Inserted, MockContentRepository, MockReferences, StoreError, Written};
use serde_json::json;

use crate::support::{all_of, bytes, manager, movie, movie_with, refused, service, stored, types};

#[tokio::test]
async fn a_category_that_is_unknown_or_of_another_type_is_refused_before_anything_is_written() {
    for (found, code) in [(None, "UNKNOWN_REFERENCE"), (Some(CategoryType::Music), "WRONG_CATEGORY_TYPE")] {
        let expected = vec![("categoryId".to_owned(), code)];
        let mut repository = MockContentRepository::<Movie>::new();
        repository.expect_find().returning(|_| Ok(Some(stored(Movie::sample(), 1))));
        let service = service(repository, all_of(found));
        let body = bytes(&movie());
        assert_eq!(refused(service.create(&manager(), &body, None).await), expected);
        assert_eq!(refused(service.replace(&manager(), 7, &body, None).await), expected);
        let patch = bytes(&json!({"categoryId": 2}));
        assert_eq!(refused(service.merge(&manager(), 7, &patch, None).await), expected);
    }
}

#[tokio::test]
async fn an_impossible_id_is_not_looked_up() {
    let service = service::<Movie>(MockContentRepository::new(), MockReferences::new());
    for (value, code) in [
        (json!(0), "UNKNOWN_REFERENCE"),
        (json!(-1), "UNKNOWN_REFERENCE"),
        (json!("1"), "WRONG_TYPE"),
        (json!(1.5), "WRONG_TYPE"),
        (json!(null), "REQUIRED"),
        (json!(u64::MAX), "TOO_LARGE"),
    ] {
        let outcome = service.create(&manager(), &movie_with("categoryId", value.clone()), None).await;
        assert_eq!(refused(outcome), vec![("categoryId".to_owned(), code)], "{value}");
    }
}

#[tokio::test]
async fn the_category_is_looked_up_first_and_the_film_written_second() {
    let mut order = Sequence::new();
    let mut categories = MockReferences::new();
    categories
        .expect_category_types()
        .withf(|ids| ids == [42])
        .times(1)
        .in_sequence(&mut order)
        .returning(|ids| Ok(types(ids, CategoryType::Movie)));
    let mut repository = MockContentRepository::<Movie>::new();
    repository
        .expect_insert()
        .times(1)
        .in_sequence(&mut order)
        .returning(|content, _, _| Ok(Inserted::New(stored(content.into_inner(), 1))));
    let service = service(repository, categories);
    let created = service.create(&manager(), &movie_with("categoryId", json!(42)), None).await.unwrap();
    assert_eq!(created.stored.content.category_id, 42);
}

#[tokio::test]
async fn the_categories_of_a_channel_are_looked_up_together() {
    let mut categories = MockReferences::new();
    categories
        .expect_category_types()
        .withf(|ids| ids == [1, 2, 3])
        .times(1)
        .returning(|ids| Ok(types(&ids[..2], CategoryType::TvChannel)));
    let service = service(MockContentRepository::<TvChannel>::new(), categories);
    let channel = TvChannel { categories: vec![1, 2, 3], tv_guide_id: None, ..TvChannel::sample() };
    let body = bytes(&json!(channel));
    let expected = vec![("categories".to_owned(), "UNKNOWN_REFERENCE")];
    assert_eq!(refused(service.create(&manager(), &body, None).await), expected, "one is missing");
}

#[tokio::test]
async fn links_get_their_ids_and_dates_before_they_are_stored() {
    let mut repository = MockContentRepository::<Movie>::new();
    repository.expect_find().returning(|_| Ok(Some(stored(Movie::sample(), 1))));
    repository
        .expect_replace()
        .times(1)
        .returning(|_, content, _, _| Ok(Written::Done(stored(content.into_inner(), 2))));
    let service = service(repository, all_of(Some(CategoryType::Movie)));
    let bare = json!([{"quality": "HD", "url": "https://s.example/1.m3u8", "audioLanguages": ["spanish"]}]);
    let written = service.replace(&manager(), 7, &movie_with("links", bare), None).await.unwrap();
    let link = serde_json::to_value(&written.content.links[0]).unwrap();
    assert!(link["id"].as_str().is_some_and(|id| id.len() == 36), "{link}");
    assert_eq!(link["createdDate"], "2026-11-20T10:00:00.000Z");
    assert_eq!((&link["audioLanguages"], &link["active"]), (&json!(["SPANISH"]), &json!(true)));
}

#[tokio::test]
async fn a_category_deleted_between_check_and_write_is_unknown() {
    let expected = vec![("categoryId".to_owned(), "UNKNOWN_REFERENCE")];
    let gone_meanwhile = || {
        let mut categories = MockReferences::new();
        let mut order = Sequence::new();
        categories
            .expect_category_types()
            .times(1)
            .in_sequence(&mut order)
            .returning(|ids| Ok(types(ids, CategoryType::Movie)));
        let none = |_: &[Id]| Ok(HashMap::new());
        categories.expect_category_types().times(1).in_sequence(&mut order).returning(none);
        let mut repository = MockContentRepository::<Movie>::new();
        let dangling = || StoreError::Dangling("movies_category".into());
        repository.expect_find().returning(|_| Ok(Some(stored(Movie::sample(), 1))));
        repository.expect_insert().returning(move |_, _, _| Err(dangling()));
        repository.expect_replace().returning(move |_, _, _, _| Err(dangling()));
        service(repository, categories)
    };
    let body = bytes(&movie());
    assert_eq!(refused(gone_meanwhile().create(&manager(), &body, None).await), expected);
    assert_eq!(refused(gone_meanwhile().replace(&manager(), 7, &body, None).await), expected);
    assert_eq!(refused(gone_meanwhile().merge(&manager(), 7, b"{}", None).await), expected);
}
