//! Changes of many locked items, each with its own content.

use std::collections::HashMap;

use domain_catalogue::Stored;
use domain_kernel::Id;
use ports::{Edit, StoreError};
use sea_orm::{
    ActiveModelTrait, ConnectionTrait, DbErr, FromQueryResult, Iterable, Value,
    sea_query::{ExprTrait, Query, UpdateStatement},
};

use super::{
    changing::changed_row,
    importing::MOST_VALUES,
    rows::{broken, named, stored},
    table::{ContentTable, table_name},
};
use crate::db::{
    error::db_error,
    sql::{of, values_as_v},
    transaction::Transaction,
};

/// Content that replaces that of a locked item.
pub(super) struct Overwrite<C> {
    pub(super) id: Id,
    pub(super) content: C,
    /// Views to add to the item's own.
    pub(super) views: i64,
}

/// Writes content over locked rows, which get another version, by few statements. Returns the changed
/// items by their IDs. Adds no audit entries.
pub(super) async fn overwrite_all<T: ContentTable>(
    transaction: &Transaction,
    writes: &[Overwrite<T::Content>],
    edit: &Edit,
) -> Result<HashMap<Id, Stored<T::Content>>, DbErr> {
    let per_statement = (MOST_VALUES / (T::Column::iter().count() + 2)).max(1);
    let mut changed = HashMap::with_capacity(writes.len());
    for some in writes.chunks(per_statement) {
        let update = update_of::<T>(some, edit).map_err(db_error)?;
        for row in transaction.query_all(&update).await? {
            let item = stored::<T>(&T::Model::from_query_result(&row, "")?).map_err(db_error)?;
            changed.insert(item.id, item);
        }
    }
    Ok(changed)
}

/// Rows are found by their primary key.
fn update_of<T: ContentTable>(
    writes: &[Overwrite<T::Content>],
    edit: &Edit,
) -> Result<UpdateStatement, StoreError> {
    let own = |name: &str| of(table_name::<T>(), named::<T>(name));
    let mut update = Query::update();
    update.table(T::default()).value(named::<T>("version"), own("version").add(1));
    if writes.iter().any(|write| write.views != 0) {
        update.value(named::<T>("views"), own("views").add(of("v", "column2")));
    }
    let mut rows: Vec<Vec<Value>> = Vec::with_capacity(writes.len());
    for write in writes {
        let row = changed_row::<T>(write.id, &write.content, edit)?;
        // Every row sets the same columns.
        let columns: Vec<T::Column> = T::Column::iter().filter(|column| row.get(*column).is_set()).collect();
        if rows.is_empty() {
            let set = columns.iter().zip(3..);
            update.values(set.map(|(column, number)| (*column, of("v", format!("column{number}")))));
        }
        let mut values: Vec<Value> = vec![write.id.into(), write.views.into()];
        for column in columns {
            let value: Option<Value> = row.get(column).into_value();
            values.push(value.ok_or_else(|| broken("a column without a value"))?);
        }
        rows.push(values);
    }
    Ok(update
        .from(values_as_v(rows))
        .and_where(own("id").eq(of("v", "column1")))
        .returning(Query::returning().columns(T::Column::iter()))
        .take())
}
