//! Imports: existing items are changed where they differ, others are added, in one transaction per
//! batch.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_catalogue::{Content, Stored};
use domain_kernel::{FieldDiff, Id, Origin, Source};
use ports::{Edit, ImportOutcome, ImportedItem, StoreError};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, IntoActiveModel, Iterable, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, LockType},
};

use super::{
    SeaOrmContents,
    adding::new_envelope,
    recording::{record_about, record_of_change},
    rows::{Envelope, broken, model, named, new_row, stored, unset},
    table::ContentTable,
};
use crate::{
    audit::{record, record_import},
    category_types::require_category_types,
    db::{error::store_error, transaction::Transaction},
};

/// Maximum bound values per statement, on both databases.
pub(super) const MOST_VALUES: usize = 30_000;

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn import_batch(
        &self,
        batch: Vec<ImportedItem<T::Content>>,
        now: DateTime<Utc>,
    ) -> Result<Vec<ImportOutcome>, StoreError> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let transaction = self.database.begin().await.map_err(store_error)?;
        let edit = Edit { by: None, at: now, origin: Origin::of(Source::Import) };
        let mut known = self.known_items(&transaction, &batch).await?;
        let mut outcomes: Vec<Option<ImportOutcome>> = vec![None; batch.len()];
        let mut new_rows = Vec::new();
        let mut references = Vec::new();
        // New items by natural key, and duplicates of these with the first of each: the first is
        // stored.
        let mut added: HashMap<String, usize> = HashMap::new();
        let mut duplicates: Vec<(usize, usize)> = Vec::new();
        for (index, item) in batch.into_iter().enumerate() {
            let key = item.content.natural_key();
            references.extend(item.content.references());
            if let Some(first) = added.get(&key) {
                duplicates.push((index, *first));
            } else if let Some(existing) = known.get_mut(&key) {
                let content = item.content.into_inner();
                outcomes[index] = Some(self.refresh(&transaction, existing, content, &edit).await?);
            } else {
                let name = item.content.name();
                new_rows.push((index, name, imported_row::<T>(item, now)?));
                added.insert(key, index);
            }
        }
        let created = new_rows.len();
        self.insert_imported(&transaction, new_rows, &mut outcomes, &edit).await?;
        require_category_types(&transaction, &references).await.map_err(store_error)?;
        let counts = [("created", created)];
        record_import(&transaction, T::Content::KIND.path(), &counts, now).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        for (index, first) in duplicates {
            if let Some(ImportOutcome::Created(id)) = outcomes[first] {
                outcomes[index] = Some(ImportOutcome::Unchanged(id));
            }
        }
        outcomes
            .into_iter()
            .map(|outcome| outcome.ok_or_else(|| broken("an imported item without an outcome")))
            .collect()
    }

    /// Updates an existing item if it differs.
    async fn refresh(
        &self,
        transaction: &Transaction,
        existing: &mut Stored<T::Content>,
        mut content: T::Content,
        edit: &Edit,
    ) -> Result<ImportOutcome, StoreError> {
        let (id, now) = (existing.id, edit.at);
        content.fill_server_fields(Some(&existing.content), now);
        if content == existing.content {
            return Ok(ImportOutcome::Unchanged(id));
        }
        let envelope = Envelope { id, version: 0, views: 0, created: now, updated: now, updated_by: None };
        let mut row = model::<T>(&content, envelope)?.into_active_model().reset_all();
        unset::<T>(&mut row, &["id", "version", "views", "created_date"]);
        unset::<T>(&mut row, T::DATABASE_MANAGED);
        let version = named::<T>("version");
        let rows = T::update_many()
            .set(row)
            .col_expr(version, Expr::col(version).add(1))
            .filter(named::<T>("id").eq(id))
            .exec_with_returning(transaction)
            .await
            .map_err(store_error)?;
        let row = rows.first().ok_or_else(|| broken("an item is missing during its import"))?;
        let changed = stored::<T>(row)?;
        let change = record_of_change(&existing.content, &changed);
        record(transaction, edit, vec![change]).await.map_err(store_error)?;
        existing.content = content;
        Ok(ImportOutcome::Updated(id))
    }

    /// Inserts new items, each with its position in the batch, and adds audit entries.
    async fn insert_imported(
        &self,
        transaction: &Transaction,
        rows: Vec<(usize, String, T::ActiveModel)>,
        outcomes: &mut [Option<ImportOutcome>],
        edit: &Edit,
    ) -> Result<(), StoreError> {
        let per_statement = (MOST_VALUES / T::Column::iter().count()).max(1);
        let version = new_envelope(edit).version;
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            let mut about = Vec::new();
            let chunk: Vec<T::ActiveModel> = rows
                .by_ref()
                .take(per_statement)
                .map(|(index, name, row)| {
                    about.push((index, name));
                    row
                })
                .collect();
            let inserted = T::insert_many(chunk).exec_with_returning_keys(transaction).await;
            let inserted: Vec<Id> = inserted.map_err(store_error)?;
            let mut records = Vec::with_capacity(inserted.len());
            for ((index, name), id) in about.into_iter().zip(inserted) {
                outcomes[index] = Some(ImportOutcome::Created(id));
                records.push(record_about::<T::Content>(
                    AuditAction::Created,
                    id,
                    name,
                    version,
                    FieldDiff::default(),
                ));
            }
            record(transaction, edit, records).await.map_err(store_error)?;
        }
        Ok(())
    }

    /// Existing items of the batch, by natural key; of several with one key, the oldest. They are
    /// locked in the order of their IDs: an edit is made either before the batch or after it.
    async fn known_items(
        &self,
        transaction: &Transaction,
        batch: &[ImportedItem<T::Content>],
    ) -> Result<HashMap<String, Stored<T::Content>>, StoreError> {
        let mut keys: Vec<String> = batch.iter().map(|item| item.content.natural_key()).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut known = HashMap::new();
        for keys in keys.chunks(MOST_VALUES) {
            let rows = T::find()
                .filter(named::<T>("natural_key").is_in(keys.iter().cloned()))
                .order_by_asc(named::<T>("id"))
                .lock(LockType::NoKeyUpdate)
                .all(transaction)
                .await
                .map_err(store_error)?;
            for row in &rows {
                let item = stored::<T>(row)?;
                let key = item.content.natural_key();
                match known.get(&key) {
                    Some(Stored { id, .. }) if *id < item.id => {}
                    _ => {
                        known.insert(key, item);
                    }
                }
            }
        }
        Ok(known)
    }
}

/// The row of a new item.
fn imported_row<T: ContentTable>(
    item: ImportedItem<T::Content>,
    now: DateTime<Utc>,
) -> Result<T::ActiveModel, StoreError> {
    let created = item.created_date.unwrap_or(now);
    let updated = item.updated_date.unwrap_or(created);
    let mut content = item.content.into_inner();
    content.fill_server_fields(None, created);
    let envelope = Envelope { id: 0, version: 1, views: item.views, created, updated, updated_by: None };
    Ok(new_row::<T>(model::<T>(&content, envelope)?))
}
