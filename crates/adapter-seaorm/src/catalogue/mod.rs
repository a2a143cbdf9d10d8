//! One adapter for every kind of content.
//!
//! A row and a stored item have the same JSON, so no kind needs mapping code: a kind is an entity
//! with a column per property ([`ContentTable`]). Columns that only the database needs follow from
//! their names: `title_key` has the folded text of `title`, by which `title` is ordered.

mod adding;
mod categories;
mod changing;
mod channel_changes;
mod comparing;
mod concerts;
mod documentaries;
mod duplicates;
mod entry_streams;
mod episodes;
mod filters;
mod followed_headers;
mod importing;
mod listing;
mod merged_streams;
mod merging;
mod merging_shows;
mod merging_stations;
mod movies;
mod overwriting;
mod projection;
mod purged_streams;
mod radio_stations;
mod reading;
mod recognising;
mod recording;
mod reports;
mod rows;
mod seasons;
mod slice_streams;
mod slice_updates;
mod slices;
mod sports;
mod stream_lists;
mod stream_plans;
mod stream_rows;
mod stream_states;
mod streams;
mod switching;
mod table;
mod trash;
mod tv_channels;
mod tv_guides;
mod tv_shows;
mod views;

use std::{collections::HashMap, marker::PhantomData, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_catalogue::{CategoryType, ChannelStreams, Content, Kind, Stored};
use domain_kernel::{Enumeration, Id, ListQuery, Page, Version};
use garde::Valid;
use ports::{
    ContentConflict, ContentRepositories, ContentRepository, Edit, IdempotencyKey, ImportOutcome,
    ImportedItem, Inserted, ItemKeys, ItemMerge, MergeConflict, References, Removed, Rows, SliceItem,
    SliceOf, SliceWritten, StoreError, Usage, Written,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};

pub(crate) use self::purged_streams::purged_streams;
pub use self::{
    duplicates::SeaOrmDuplicates,
    entry_streams::SeaOrmEntryStreams,
    filters::Condition,
    streams::SeaOrmStreams,
    switching::SeaOrmLinkSwitches,
    table::{ContentTable, Referrer, StoredContent, TableOf},
    trash::SeaOrmTrash,
    views::SeaOrmViews,
};
use crate::{Database, category_types::types_of, db::error::store_error, idempotency::inserted_before, list};
use listing::ContentList;

/// Columns that other modules use.
pub(crate) use self::{tv_channels::Column as ChannelColumn, tv_guides::Column as GuideColumn};

/// Tables that tests use.
pub use self::{
    categories::Entity as CategoriesTable, episodes::Entity as EpisodesTable, movies::Entity as MoviesTable,
    radio_stations::Entity as RadioStationsTable, tv_channels::Entity as TvChannelsTable,
    tv_guides::Entity as TvGuidesTable, tv_shows::Entity as TvShowsTable,
};

/// The store of one kind of content.
pub struct SeaOrmContents<T> {
    database: Database,
    list: ContentList,
    of: PhantomData<fn() -> T>,
}

impl<T: ContentTable> SeaOrmContents<T> {
    /// The store of the kind in a database.
    pub fn new(database: Database) -> Self {
        let list = ContentList::of::<T>(database.backend());
        Self { database, list, of: PhantomData }
    }
}

#[async_trait]
impl<T: ContentTable> ContentRepository<T::Content> for SeaOrmContents<T> {
    async fn list(&self, query: &ListQuery) -> Result<Page<Rows>, StoreError> {
        Ok(list::json_page(&self.database, &self.list, query).await?.map(Rows))
    }

    async fn find(&self, id: Id) -> Result<Option<Stored<T::Content>>, StoreError> {
        self.read(&self.database.reader, id).await
    }

    async fn active_after(&self, after: Id, count: u32) -> Result<Vec<Stored<T::Content>>, StoreError> {
        self.active_behind(after, count).await
    }

    async fn answered(
        &self,
        once: &IdempotencyKey,
    ) -> Result<Option<Inserted<Stored<T::Content>>>, StoreError> {
        inserted_before(&self.database.reader, once).await.map_err(store_error)
    }

    async fn answered_all(&self, once: &IdempotencyKey) -> Result<Option<Inserted<Vec<Id>>>, StoreError> {
        inserted_before(&self.database.reader, once).await.map_err(store_error)
    }

    async fn insert(
        &self,
        content: Valid<T::Content>,
        edit: Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Stored<T::Content>, Stored<T::Content>>, StoreError> {
        self.add(content.into_inner(), edit, once).await
    }

    async fn insert_all(
        &self,
        contents: Vec<Valid<T::Content>>,
        edit: Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Vec<Id>, Stored<T::Content>>, StoreError> {
        self.add_all(contents.into_iter().map(Valid::into_inner).collect(), edit, once).await
    }

    async fn replace(
        &self,
        id: Id,
        content: Valid<T::Content>,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Written<Stored<T::Content>, ContentConflict<T::Content>>, StoreError> {
        self.change(id, &content.into_inner(), expected, edit).await
    }

    async fn set_active(
        &self,
        id: Id,
        active: bool,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Written<Stored<T::Content>, ContentConflict<T::Content>>, StoreError> {
        self.activate(id, active, expected, edit).await
    }

    async fn delete(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Removed<Stored<T::Content>, Usage>, StoreError> {
        self.remove(id, expected, &edit).await
    }

    async fn merge(
        &self,
        merge: ItemMerge,
        content: Valid<T::Content>,
        edit: Edit,
    ) -> Result<Written<Stored<T::Content>, MergeConflict<T::Content>>, StoreError> {
        self.merge_items(&merge, &content.into_inner(), &edit).await
    }

    async fn trashed(&self, id: Id) -> Result<Option<Stored<T::Content>>, StoreError> {
        self.trashed_item(id).await
    }

    async fn trashed_all(&self, ids: &[Id]) -> Result<Vec<Stored<T::Content>>, StoreError> {
        self.trashed_items(ids).await
    }

    async fn matching_trashed(&self, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError> {
        self.trashed_ids(query, limit).await
    }

    async fn restore(
        &self,
        id: Id,
        content: Valid<T::Content>,
        edit: Edit,
    ) -> Result<Written<Stored<T::Content>, Stored<T::Content>>, StoreError> {
        self.restore_item(id, content.into_inner(), &edit).await
    }

    async fn usage(&self, id: Id) -> Result<Option<Usage>, StoreError> {
        let users = self.users_of(id).await?;
        let exists = !users.is_empty() || self.read(&self.database.reader, id).await?.is_some();
        Ok(exists.then_some(users))
    }

    async fn usage_of_all(&self, ids: &[Id]) -> Result<Vec<(Id, Usage)>, StoreError> {
        self.users_of_all(ids).await
    }

    async fn most_links(&self, query: &ListQuery) -> Result<u64, StoreError> {
        self.most_links_of(query).await
    }

    async fn matching_ids(&self, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError> {
        list::matching_ids(&self.database, &self.list, query, limit).await
    }

    async fn find_all(&self, ids: &[Id]) -> Result<Vec<Stored<T::Content>>, StoreError> {
        self.all_of(ids).await
    }

    async fn streams_of(&self, ids: &[Id]) -> Result<Vec<(Id, ChannelStreams)>, StoreError> {
        if <T::Content as Content>::KIND != Kind::TvChannels {
            return Ok(Vec::new());
        }
        stream_lists::drafts_of(&self.database, ids).await
    }

    async fn find_by_keys(&self, keys: ItemKeys, limit: u64) -> Result<Vec<Stored<T::Content>>, StoreError> {
        self.with_keys(&keys, limit).await
    }

    async fn find_named(&self, names: Vec<String>) -> Result<Vec<Stored<T::Content>>, StoreError> {
        self.with_names(&names).await
    }

    async fn write_slice(
        &self,
        slice: SliceOf,
        items: Vec<SliceItem<T::Content>>,
        edit: Edit,
    ) -> Result<SliceWritten, StoreError> {
        self.change_slice(slice, items, edit).await
    }

    async fn import(
        &self,
        batch: Vec<ImportedItem<T::Content>>,
        now: DateTime<Utc>,
    ) -> Result<Vec<ImportOutcome>, StoreError> {
        self.import_batch(batch, now).await
    }
}

/// Existence and state of referenced items.
#[derive(Debug, Clone)]
pub struct SeaOrmReferences(pub Database);

#[async_trait]
impl References for SeaOrmReferences {
    async fn category_type(&self, id: Id) -> Result<Option<CategoryType>, StoreError> {
        let code = CategoriesTable::find()
            .select_only()
            .column(categories::Column::Type)
            .filter(categories::Column::Id.eq(id))
            .into_tuple::<String>()
            .one(&self.0.reader)
            .await;
        Ok(code.map_err(store_error)?.as_deref().and_then(CategoryType::from_code))
    }

    async fn category_types(&self, ids: &[Id]) -> Result<HashMap<Id, CategoryType>, StoreError> {
        types_of(&self.0.reader, ids).await.map_err(store_error)
    }

    async fn exists(&self, kind: Kind, id: Id) -> Result<bool, StoreError> {
        self.there_is(kind, id, false).await
    }

    async fn is_active(&self, kind: Kind, id: Id) -> Result<bool, StoreError> {
        self.there_is(kind, id, true).await
    }
}

impl SeaOrmReferences {
    async fn there_is(&self, kind: Kind, id: Id, is_active: bool) -> Result<bool, StoreError> {
        let query = Query::select()
            .column("id")
            .from(table(kind))
            .and_where(Expr::col("id").eq(id))
            .and_where_option(is_active.then(|| Expr::col("active")))
            .take();
        Ok(self.0.reader.query_one(&query).await.map_err(store_error)?.is_some())
    }
}

macro_rules! tables {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        /// The table of each kind.
        pub(crate) const fn table(kind: Kind) -> &'static str {
            match kind {
                $(Kind::$kind => stringify!($field),)+
            }
        }
    };
}
domain_catalogue::for_each_kind!(tables);

macro_rules! repositories {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        $(impl StoredContent for domain_catalogue::$type {
            type Table = $field::Entity;
        })+

        /// The repositories of all kinds in one database.
        pub fn repositories(database: &Database) -> ContentRepositories {
            ContentRepositories {
                $($field: Arc::new(SeaOrmContents::<$field::Entity>::new(database.clone())),)+
            }
        }
    };
}
domain_catalogue::for_each_kind!(repositories);
