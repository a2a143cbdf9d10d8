//! One adapter for every kind of content.
//!
//! A row and a stored item are the same JSON object seen from two sides, so no kind needs mapping code: a kind is an
//! entity with a column per property ([`ContentTable`]). Columns that only the database needs follow from their
//! names: `title_key` beside `title` is its folded text, what `title` is ordered by.

mod categories;
mod ladders;
mod movies;
mod reading;
mod table;
mod writing;

use std::{marker::PhantomData, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_catalogue::{Category, CategoryType, Movie, Stored};
use domain_kernel::{Enumeration, Id, ListQuery, Page, Version};
use garde::Valid;
use ports::{
    Categories, ContentRepository, ImportOutcome, ImportedItem, Inserted, OnceOnly, Removed, Rows, StoreError,
    Written,
};
use sea_orm::ConnectionTrait;

pub use self::table::{ContentTable, Referrer};
use crate::{Database, error::store_error, sql::Sql};
use ladders::Ladders;
use reading::Projection;

/// The tables of all kinds, for tests that run over each.
pub use self::{categories::Entity as CategoriesTable, movies::Entity as MoviesTable};

/// Keeps one kind of content.
pub struct SeaOrmContents<T> {
    database: Database,
    projection: Projection,
    ladders: Ladders,
    of: PhantomData<fn() -> T>,
}

impl<T: ContentTable> SeaOrmContents<T> {
    /// The kind's store in a database.
    pub fn new(database: Database) -> Self {
        let projection = Projection::of::<T>(database.backend());
        Self { database, projection, ladders: Ladders::default(), of: PhantomData }
    }
}

#[async_trait]
impl<T: ContentTable> ContentRepository<T::Content> for SeaOrmContents<T> {
    async fn list(&self, query: &ListQuery) -> Result<Page<Rows>, StoreError> {
        self.page(query).await
    }

    async fn find(&self, id: Id) -> Result<Option<Stored<T::Content>>, StoreError> {
        self.read(&self.database.reader, id).await
    }

    async fn insert(
        &self,
        content: Valid<T::Content>,
        now: DateTime<Utc>,
        once: Option<OnceOnly>,
    ) -> Result<Inserted<T::Content>, StoreError> {
        self.add(content.into_inner(), now, once).await
    }

    async fn replace(
        &self,
        id: Id,
        content: Valid<T::Content>,
        expected: Option<Version>,
        now: DateTime<Utc>,
    ) -> Result<Written<T::Content>, StoreError> {
        self.change(id, &content.into_inner(), expected, now).await
    }

    async fn set_active(
        &self,
        id: Id,
        active: bool,
        expected: Option<Version>,
        now: DateTime<Utc>,
    ) -> Result<Written<T::Content>, StoreError> {
        self.activate(id, active, expected, now).await
    }

    async fn delete(&self, id: Id, expected: Option<Version>) -> Result<Removed<T::Content>, StoreError> {
        self.remove(id, expected).await
    }

    async fn import(
        &self,
        batch: Vec<ImportedItem<T::Content>>,
        now: DateTime<Utc>,
    ) -> Result<Vec<ImportOutcome>, StoreError> {
        self.take_in(batch, now).await
    }
}

/// Categories by type, for those who refer to them.
#[derive(Debug, Clone)]
pub struct SeaOrmCategories(pub Database);

#[async_trait]
impl Categories for SeaOrmCategories {
    async fn type_of(&self, id: Id) -> Result<Option<CategoryType>, StoreError> {
        let mut sql = Sql::new("SELECT type FROM categories WHERE id = ");
        sql.bind(id);
        let row = self.0.reader.query_one_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let code: String = row.try_get("", "type").map_err(store_error)?;
        Ok(CategoryType::from_code(&code))
    }
}

/// The stores of every kind.
#[derive(Clone)]
pub struct ContentStores {
    /// Categories.
    pub categories: Arc<dyn ContentRepository<Category>>,
    /// Films.
    pub movies: Arc<dyn ContentRepository<Movie>>,
}

impl ContentStores {
    /// All of them in one database.
    pub fn new(database: &Database) -> Self {
        Self {
            categories: Arc::new(SeaOrmContents::<CategoriesTable>::new(database.clone())),
            movies: Arc::new(SeaOrmContents::<MoviesTable>::new(database.clone())),
        }
    }
}
