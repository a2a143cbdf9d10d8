//! The requirements on a kind's entity, and information derived from it.

use domain_catalogue::{Content, Kind};
use domain_kernel::Id;
use sea_orm::{EntityName, IntoActiveModel, Iterable, entity::prelude::*};
use serde::{Serialize, de::DeserializeOwned};

use super::filters::Condition;
use crate::db::sql::column_name;

/// The table of one kind of content: a column per property, and the columns of every kind.
pub trait ContentTable:
    EntityTrait<
        Model: Serialize + DeserializeOwned + IntoActiveModel<Self::ActiveModel> + Send + Sync,
        ActiveModel: ActiveModelTrait<Entity = Self> + ActiveModelBehavior + Default + Send + Sync,
        PrimaryKey: PrimaryKeyTrait<ValueType = Id>,
    > + Default
{
    /// The kind in the table.
    type Content: Content;

    /// Tables whose rows refer to this one's.
    fn referrers() -> Vec<Referrer> {
        Vec::new()
    }

    /// Filters other than a comparison with the column of the same name.
    const CONDITIONS: &'static [(&'static str, Condition)] = &[];

    /// Filters by whose values the table's rows are counted (migrations/src/content.rs).
    const COUNTED: &'static [&'static str] = &["active"];

    /// Database-managed columns.
    const DATABASE_MANAGED: &'static [&'static str] = &[];
}

/// Content that has a table.
pub trait StoredContent: Content {
    /// The table of the kind.
    type Table: ContentTable<Content = Self>;
}

/// The table of this content.
pub type TableOf<C> = <C as StoredContent>::Table;

/// Content that refers to a table's rows.
#[derive(Debug, Clone, Copy)]
pub struct Referrer {
    /// Its kind.
    pub kind: Kind,
    /// SQL that returns `total`, the number of references to the row whose ID follows.
    pub counted: &'static str,
}

/// The name of a property in JSON: `cover_image_url` is `coverImageUrl`.
pub(super) fn json_name(column: &str) -> String {
    let mut parts = column.split('_');
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (first, rest) = part.split_at(1);
        name.push_str(&first.to_uppercase());
        name.push_str(rest);
    }
    name
}

/// The column with this name.
pub(super) fn column_of<T: ContentTable>(name: &str) -> Option<T::Column> {
    T::Column::iter().find(|column| column.as_str() == name)
}

/// The column for ordering by a field: its folded text if there is one.
pub(super) fn order_column<T: ContentTable>(field: &str) -> String {
    let name = column_name(field);
    let key = format!("{name}_key");
    if column_of::<T>(&key).is_some() { key } else { name }
}

/// Whether the column with this name is nullable.
pub(super) fn is_nullable<T: ContentTable>(name: &str) -> bool {
    column_of::<T>(name).is_some_and(|column| column.def().is_null())
}

/// Columns with a further column for their folded text.
pub(super) fn folded_columns<T: ContentTable>() -> impl Iterator<Item = (String, String)> {
    T::Column::iter().filter_map(|column| {
        let name = column.as_str();
        let plain = name.strip_suffix("_key").filter(|plain| *plain != "natural")?;
        Some((json_name(plain), json_name(name)))
    })
}

/// Columns that are not part of the content.
pub(super) fn is_internal(column: &str) -> bool {
    column == "search_text" || column.ends_with("_key")
}

/// The name of the table.
pub(super) fn table_name<T: ContentTable>() -> &'static str {
    EntityName::table_name(&T::default())
}
