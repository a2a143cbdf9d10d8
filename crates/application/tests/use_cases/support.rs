//! Fixtures shared by the tests of all use cases.

use std::{collections::HashMap, sync::Arc};

use application::{
    Calendar, ContentService, ContentServices, Error, IssueService, OperationService, SheetImportService,
    UserService,
};
use chrono::{DateTime, Utc};
use domain_catalogue::{Category, CategoryType, Content, Movie, Stored};
use domain_kernel::{Actor, Id, Origin, RoleCode, Username};
use domain_users::permissions_of;
use ports::{
    Clock, ContentRepositories, MockClock, MockContentRepository, MockIssueRepository,
    MockOperationRepository, MockPasswordHasher, MockReferences, MockSecretSource, MockSheetRepository,
    MockUserRepository, MockUserSheets, References,
};
use serde_json::{Value, json};

pub fn now() -> DateTime<Utc> {
    "2026-11-20T10:00:00Z".parse().unwrap()
}

pub fn clock() -> Arc<dyn Clock> {
    let mut clock = MockClock::new();
    clock.expect_now().returning(now);
    Arc::new(clock)
}

pub fn calendar() -> Calendar {
    Calendar::new(clock(), chrono_tz::UTC)
}

pub fn actor(role: RoleCode) -> Actor {
    Actor {
        username: Username::parse("Someone").unwrap(),
        role,
        permissions: permissions_of(role),
        origin: Origin::SERVER,
    }
}

pub fn manager() -> Actor {
    actor(RoleCode::ContentManager)
}

/// A content service over these mocks.
pub fn service<C: Content>(
    repository: MockContentRepository<C>,
    categories: MockReferences,
) -> ContentService<C> {
    ContentService::new(Arc::new(repository), Arc::new(categories), calendar())
}

macro_rules! content_services {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        /// Services of every kind over stores without expected calls.
        pub fn content_services() -> ContentServices {
            let repositories = ContentRepositories {
                $($field: Arc::new(MockContentRepository::<domain_catalogue::$type>::new()),)+
            };
            let references: Arc<dyn References> = Arc::new(MockReferences::new());
            ContentServices::new(repositories, &references, &calendar())
        }
    };
}
domain_catalogue::for_each_kind!(content_services);

fn users(store: MockUserRepository) -> Arc<UserService> {
    let (hasher, secrets) = (MockPasswordHasher::new(), MockSecretSource::new());
    Arc::new(UserService::new(Arc::new(store), Arc::new(hasher), Arc::new(secrets), calendar(), None))
}

/// Imports of these files, over other stores without expected calls.
pub fn sheet_imports(sheets: MockSheetRepository) -> SheetImportService {
    let user_sheets = Arc::new(MockUserSheets::new());
    SheetImportService::new(
        Arc::new(sheets),
        content_services(),
        users(MockUserRepository::new()),
        user_sheets,
        calendar(),
    )
}

/// Operations over stores without expected calls.
pub fn operations() -> OperationService {
    operations_of(MockOperationRepository::new(), MockUserRepository::new())
}

/// Operations over these stores, and over other ones without expected calls.
pub fn operations_of(store: MockOperationRepository, user_store: MockUserRepository) -> OperationService {
    operations_on(store, user_store, content_services(), MockIssueRepository::new())
}

/// The same with this content and these reports.
pub fn operations_on(
    store: MockOperationRepository,
    user_store: MockUserRepository,
    contents: ContentServices,
    issues: MockIssueRepository,
) -> OperationService {
    operations_calling(store, user_store, contents, issues, Arc::new(|| {}))
}

/// The same with a callback for a starting operation.
pub fn operations_calling(
    store: MockOperationRepository,
    user_store: MockUserRepository,
    contents: ContentServices,
    issues: MockIssueRepository,
    on_begin: Arc<dyn Fn() + Send + Sync>,
) -> OperationService {
    let users = users(user_store);
    let user_store = Arc::new(MockUserRepository::new());
    let issues = IssueService::new(Arc::new(issues), user_store, calendar());
    let imports = sheet_imports(MockSheetRepository::new());
    let store = Arc::new(store);
    OperationService::new(store, users, Arc::new(issues), contents, Arc::new(imports), calendar(), on_begin)
}

/// These categories, all of this type.
pub fn types(ids: &[Id], found: CategoryType) -> HashMap<Id, CategoryType> {
    ids.iter().map(|id| (*id, found)).collect()
}

/// Categories that are all of this type.
pub fn all_of(found: Option<CategoryType>) -> MockReferences {
    let mut categories = MockReferences::new();
    categories.expect_category_type().returning(move |_| Ok(found));
    let all = move |ids: &[Id]| found.map(|found| types(ids, found)).unwrap_or_default();
    categories.expect_category_types().returning(move |ids| Ok(all(ids)));
    categories
}

pub fn stored<C: Content>(content: C, version: i64) -> Stored<C> {
    Stored { id: 7, version, content, views: 3, created_date: now(), updated_date: now(), updated_by: None }
}

pub fn movie() -> Value {
    serde_json::to_value(Movie::sample()).unwrap()
}

pub fn category() -> Value {
    serde_json::to_value(Category::sample()).unwrap()
}

pub fn bytes(json: &Value) -> Vec<u8> {
    json.to_string().into_bytes()
}

/// A film with another value of one field.
pub fn movie_with(field: &str, value: Value) -> Vec<u8> {
    let mut movie = movie();
    movie[field] = value;
    bytes(&movie)
}

/// Fields and codes of the violations.
pub fn refused<T: std::fmt::Debug>(outcome: Result<T, Error>) -> Vec<(String, &'static str)> {
    match outcome {
        Err(Error::Invalid(violations)) => {
            violations.0.into_iter().map(|violation| (violation.field, violation.code.as_str())).collect()
        }
        other => panic!("expected violations, not {other:?}"),
    }
}

pub fn active() -> Vec<u8> {
    bytes(&json!({"active": false}))
}
