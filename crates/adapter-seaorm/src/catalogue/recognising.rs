//! Items that match rows of a file, or names.

use domain_catalogue::Stored;
use domain_kernel::order_key;
use ports::{ItemKeys, StoreError};
use sea_orm::{ColumnTrait, Condition, QueryFilter, QueryOrder, QuerySelect};

use super::{
    SeaOrmContents,
    rows::{named, stored},
    table::{ContentTable, column_of},
};
use crate::db::error::store_error;

/// Columns with names of items.
const NAMES: [&str; 3] = ["title_key", "description_key", "english_description_key"];
/// Maximum number of items with a name; beyond it the name is ambiguous anyway.
const MOST_NAMED: u64 = 10_000;

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn with_keys(
        &self,
        keys: &ItemKeys,
        limit: u64,
    ) -> Result<Vec<Stored<T::Content>>, StoreError> {
        let key = named::<T>("natural_key");
        let mut any = Condition::any().add(key.is_in(keys.whole.iter().cloned()));
        for beginning in &keys.beginnings {
            // The text ends with a line feed, whose successor is the vertical tab: all keys with
            // this prefix are between the two in byte order.
            let end = format!("{}\u{b}", beginning.trim_end_matches('\n'));
            any = any.add(Condition::all().add(key.gte(beginning.clone())).add(key.lt(end)));
        }
        if let Some(imdb) = column_of::<T>("imdb_id") {
            any = any.add(imdb.is_in(keys.imdb_ids.iter().cloned()));
        }
        self.such_as(any, limit).await
    }

    pub(super) async fn with_names(&self, names: &[String]) -> Result<Vec<Stored<T::Content>>, StoreError> {
        let keys: Vec<String> = names.iter().map(|name| order_key(name)).collect();
        let columns = NAMES.iter().filter_map(|name| column_of::<T>(name));
        let any = columns.fold(Condition::any(), |any, column| any.add(column.is_in(keys.iter().cloned())));
        self.such_as(any, MOST_NAMED).await
    }

    async fn such_as(&self, any: Condition, limit: u64) -> Result<Vec<Stored<T::Content>>, StoreError> {
        let find = T::find().filter(any).order_by_asc(named::<T>("id")).limit(limit);
        let found = find.all(&self.database.reader).await.map_err(store_error)?;
        found.iter().map(stored::<T>).collect()
    }
}
