//! Imported files: their rows, stored in slices while they are read, and the columns chosen by
//! users for headings.

use std::collections::{BTreeMap, HashMap, HashSet};

use async_trait::async_trait;
use domain_kernel::{Cell, Enumeration, Id, Locale, SheetRow};
use domain_operations::{Resource, Verdict};
use ports::{DoneRow, ImportedSheet, NewSheet, SheetRepository, StoreError};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect,
    sea_query::OnConflict,
};
use serde_json::{Value, json};

use crate::{
    Database,
    db::{error::store_error, sql::of, values::broken},
    entities::{
        bulk_operation_rows::{Column as RowColumn, Entity as Rows, Model as StoredRow},
        sheet_columns::{ActiveModel as ColumnsModel, Column as ColumnsColumn, Entity as Columns},
        sheet_slices::{ActiveModel as SliceModel, Entity as Slices},
        sheets::{ActiveModel, Column, Entity},
    },
};

/// The store of imported files.
#[derive(Debug, Clone)]
pub struct SeaOrmSheets(pub Database);

/// A row as `[number, [cell, …]]`.
fn row_json(row: &SheetRow) -> Value {
    json!([row.number, row.cells.iter().map(Cell::to_json).collect::<Vec<_>>()])
}

/// Rows as an array. Each is serialized individually, because JSON values need ten times the
/// memory.
fn slice_json(rows: &[SheetRow]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| row_json(row).to_string()).collect();
    format!("[{}]", rows.join(","))
}

fn row_of(json: &Value) -> SheetRow {
    let cells = json[1].as_array().map(Vec::as_slice).unwrap_or_default();
    SheetRow {
        number: json[0].as_i64().unwrap_or_default(),
        cells: cells.iter().map(Cell::from_json).collect(),
    }
}

fn rows_of(slice: &str) -> Result<Vec<SheetRow>, StoreError> {
    let rows: Vec<Value> = serde_json::from_str(slice).map_err(broken)?;
    Ok(rows.iter().map(row_of).collect())
}

/// The columns that a user has chosen for headings of files of a kind.
async fn chosen_in(
    connection: &impl ConnectionTrait,
    username: &str,
    resource: Resource,
) -> Result<HashMap<String, Option<String>>, StoreError> {
    let key = (username.to_owned(), resource.path().to_owned());
    let row = Columns::find_by_id(key).one(connection).await.map_err(store_error)?;
    row.map_or_else(|| Ok(HashMap::new()), |row| serde_json::from_str(&row.columns).map_err(broken))
}

#[async_trait]
impl SheetRepository for SeaOrmSheets {
    async fn begin(&self, sheet: NewSheet) -> Result<Id, StoreError> {
        let row = ActiveModel {
            kind: Set(sheet.resource.path().to_owned()),
            file_name: Set(sheet.file_name),
            language: Set(sheet.locale.code().to_owned()),
            headings: Set(json!(sheet.headings).to_string()),
            total: Set(0),
            complete: Set(false),
            created_by: Set(sheet.created_by),
            created_date: Set(sheet.created_date),
            ..<ActiveModel as Default>::default()
        };
        let added = Entity::insert(row).exec(&self.0.writer).await.map_err(store_error)?;
        Ok(added.last_insert_id)
    }

    async fn add_slices(&self, id: Id, first: i64, slices: Vec<Vec<SheetRow>>) -> Result<(), StoreError> {
        let models = slices.iter().zip(first..).map(|(rows, number)| SliceModel {
            sheet_id: Set(id),
            number: Set(number),
            content: Set(slice_json(rows)),
        });
        let insert = Slices::insert_many(models).exec_without_returning(&self.0.writer);
        insert.await.map(drop).map_err(store_error)
    }

    async fn finish(&self, id: Id, rows: i64) -> Result<(), StoreError> {
        let row =
            ActiveModel { total: Set(rows), complete: Set(true), ..<ActiveModel as Default>::default() };
        let update = Entity::update_many().set(row).filter(Column::Id.eq(id));
        update.exec(&self.0.writer).await.map_err(store_error)?;
        Ok(())
    }

    async fn remove(&self, id: Id) -> Result<(), StoreError> {
        Entity::delete_by_id(id).exec(&self.0.writer).await.map_err(store_error)?;
        Ok(())
    }

    async fn find(&self, id: Id) -> Result<Option<ImportedSheet>, StoreError> {
        let find = Entity::find_by_id(id).filter(Column::Complete.eq(true));
        let Some(row) = find.one(&self.0.writer).await.map_err(store_error)? else { return Ok(None) };
        let sheet = NewSheet {
            resource: Resource::from_path(&row.kind)
                .ok_or_else(|| broken(format!("an unknown kind, {}", row.kind)))?,
            file_name: row.file_name,
            locale: if row.language == Locale::English.code() { Locale::English } else { Locale::Spanish },
            headings: serde_json::from_str(&row.headings).map_err(broken)?,
            created_by: row.created_by,
            created_date: row.created_date,
        };
        Ok(Some(ImportedSheet { id, sheet, rows: row.total }))
    }

    async fn rows(&self, id: Id, number: i64) -> Result<Vec<SheetRow>, StoreError> {
        let slice = Slices::find_by_id((id, number)).one(&self.0.writer).await.map_err(store_error)?;
        let slice = slice.ok_or_else(|| broken("a file lacks a slice"))?;
        rows_of(&slice.content)
    }

    async fn chosen_columns(
        &self,
        username: &str,
        resource: Resource,
    ) -> Result<HashMap<String, Option<String>>, StoreError> {
        chosen_in(&self.0.reader, username, resource).await
    }

    async fn choose_columns(
        &self,
        username: &str,
        resource: Resource,
        columns: HashMap<String, Option<String>>,
    ) -> Result<(), StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        // Locks the row until the transaction ends, and creates it for the first choice, so that of two
        // concurrent choices each is stored.
        let same = [ColumnsColumn::UsernameKey, ColumnsColumn::Kind];
        let unchanged = OnConflict::columns(same)
            .value(ColumnsColumn::Columns, of("sheet_columns", ColumnsColumn::Columns))
            .to_owned();
        let first = ColumnsModel {
            username_key: Set(username.to_owned()),
            kind: Set(resource.path().to_owned()),
            columns: Set("{}".to_owned()),
        };
        let insert = Columns::insert(first).on_conflict(unchanged);
        insert.exec_without_returning(&transaction).await.map_err(store_error)?;
        let mut all = chosen_in(&transaction, username, resource).await?;
        all.extend(columns);
        let row =
            ColumnsModel { columns: Set(json!(all).to_string()), ..<ColumnsModel as Default>::default() };
        let update = Columns::update_many()
            .set(row)
            .filter(ColumnsColumn::UsernameKey.eq(username))
            .filter(ColumnsColumn::Kind.eq(resource.path()));
        update.exec(&transaction).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)
    }

    async fn done_rows(
        &self,
        operation: Id,
        items: Vec<Id>,
        keys: Vec<String>,
        imdb_ids: Vec<String>,
    ) -> Result<Vec<DoneRow>, StoreError> {
        // A separate statement per index: with one statement, or with an order, SQLite reads every
        // row of the operation.
        let items = (!items.is_empty()).then(|| RowColumn::Item.is_in(items.iter().map(ToString::to_string)));
        let keys = (!keys.is_empty()).then(|| RowColumn::SheetKey.is_in(keys));
        let imdb_ids = (!imdb_ids.is_empty()).then(|| RowColumn::SheetImdbId.is_in(imdb_ids));
        let mut found: BTreeMap<i64, StoredRow> = BTreeMap::new();
        for same in items.into_iter().chain(keys).chain(imdb_ids) {
            let find = Rows::find().filter(RowColumn::OperationId.eq(operation)).filter(same);
            let not_done = [Verdict::Refused, Verdict::Missing].map(Enumeration::code);
            let find = find.filter(RowColumn::Verdict.is_not_in(not_done));
            let rows = find.all(&self.0.writer).await.map_err(store_error)?;
            found.extend(rows.into_iter().map(|row| (row.position, row)));
        }
        let done = found.into_values().filter_map(|row| {
            // Keys of users have their usernames.
            Some(DoneRow {
                item: row.item.parse().unwrap_or_default(),
                key: row.sheet_key,
                imdb_id: row.sheet_imdb_id,
                row: row.sheet_row?,
            })
        });
        Ok(done.collect())
    }

    async fn added_items(&self, operation: Id, items: &[Id]) -> Result<HashSet<Id>, StoreError> {
        // Without a condition on results, by whose index SQLite would read every created row.
        let find = Rows::find()
            .select_only()
            .columns([RowColumn::Item, RowColumn::Verdict])
            .filter(RowColumn::OperationId.eq(operation))
            .filter(RowColumn::Item.is_in(items.iter().map(ToString::to_string)));
        let found = find.into_tuple::<(String, String)>().all(&self.0.writer).await.map_err(store_error)?;
        let created = found.iter().filter(|(_, verdict)| verdict == Verdict::Created.code());
        created.map(|(item, _)| item.parse().map_err(broken)).collect()
    }
}
