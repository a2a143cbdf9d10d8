//! Every table of content has the columns of its kind, which the compiler does not check.

use std::collections::BTreeSet;

use adapter_seaorm::catalogue::{ContentTable, TableOf};
use domain_catalogue::{Content, Stored};
use domain_kernel::Bound;
use sea_orm::{IdenStatic, Iterable};

/// `coverImageUrl` is `cover_image_url`.
fn column_name(field: &str) -> String {
    let part =
        |c: char| if c.is_ascii_uppercase() { format!("_{}", c.to_ascii_lowercase()) } else { c.into() };
    field.chars().map(part).collect()
}

/// The table has exactly a column for every property, the server's columns, and those that only the
/// database needs.
fn assert_columns_match<T: ContentTable>() {
    let schema = schemars::schema_for!(Stored<T::Content>).to_value();
    let properties = schema["properties"].as_object().unwrap();
    let properties: BTreeSet<String> = properties.keys().map(|field| column_name(field)).collect();
    let is_internal = |column: &str| column == "search_text" || column.ends_with("_key");
    let columns = T::Column::iter().map(|column| column.as_str().to_owned());
    let columns: BTreeSet<String> = columns.filter(|column| !is_internal(column)).collect();
    assert_eq!(properties, columns, "{}", T::Content::KIND.path());
    for field in T::Content::SORTS.iter().chain(T::Content::FILTERS.iter().map(|(field, _)| field)) {
        let condition = T::CONDITIONS.iter().any(|(name, _)| name == field);
        let column = column_name(Bound::split(field).map_or(*field, |(of, _)| of));
        assert!(condition || columns.contains(&column), "{field} has no column");
    }
    assert_eq!(T::default().table_name().replace('_', "-"), T::Content::KIND.path());
}

#[test]
fn every_property_of_every_kind_has_a_column() {
    macro_rules! columns_match {
        ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
            $(assert_columns_match::<TableOf<domain_catalogue::$type>>();)+
        };
    }
    domain_catalogue::for_each_kind!(columns_match);
}
