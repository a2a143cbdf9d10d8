//! Adding one item, or several or none; idempotent with a key.

use domain_audit::AuditAction;
use domain_catalogue::{Content, Reference, Stored};
use domain_kernel::{FieldDiff, Id};
use ports::{Edit, IdempotencyKey, Inserted, StoreError};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, QueryFilter};
use serde_json::json;

use super::{
    SeaOrmContents,
    recording::{record_about, record_of},
    rows::{Envelope, broken, model, named, new_row, stored},
    table::ContentTable,
};
use crate::{
    audit::record,
    category_types::require_category_types,
    db::{
        error::{db_error, is_overtaken, is_unique, store_error},
        retries::tried,
    },
    idempotency::{answered, inserted_before, keep_answer},
};

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn add(
        &self,
        content: T::Content,
        edit: Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Stored<T::Content>, Stored<T::Content>>, StoreError> {
        let model = model::<T>(&content, new_envelope(&edit))?;
        let attempt = || async {
            match self.add_row(&model, &edit, once.as_ref()).await {
                Err(error) if is_unique(&error) => {
                    let other = self.duplicated(error, std::slice::from_ref(&content), once.as_ref()).await?;
                    Ok(Ok(Inserted::Conflict(other)))
                }
                inserted => inserted,
            }
        };
        tried(is_overtaken, attempt).await.unwrap_or_else(|error| Err(store_error(error)))
    }

    /// The item with the natural key of a duplicate. If there is none, or the same request has
    /// added it meanwhile, the error stays and the attempt is repeated.
    async fn duplicated(
        &self,
        error: DbErr,
        contents: &[T::Content],
        once: Option<&IdempotencyKey>,
    ) -> Result<Stored<T::Content>, DbErr> {
        if let Some(once) = once
            && answered(&self.database.writer, once).await?.is_some()
        {
            return Err(error);
        }
        for content in contents {
            if let Some(other) = self.conflicting(content).await.map_err(db_error)? {
                return Ok(other);
            }
        }
        Err(error)
    }

    /// The item with the natural key of this one, for kinds with unique natural keys.
    pub(super) async fn conflicting(
        &self,
        content: &T::Content,
    ) -> Result<Option<Stored<T::Content>>, StoreError> {
        let found = find_conflicting::<T>(&self.database.writer, content).await.map_err(store_error)?;
        found.as_ref().map(stored::<T>).transpose()
    }

    async fn add_row(
        &self,
        model: &T::Model,
        edit: &Edit,
        once: Option<&IdempotencyKey>,
    ) -> Result<Result<Inserted<Stored<T::Content>, Stored<T::Content>>, StoreError>, DbErr> {
        let transaction = self.database.begin().await?;
        if let Some(once) = once
            && let Some(before) = inserted_before(&transaction, once).await?
        {
            return Ok(Ok(before));
        }
        let row = T::insert(new_row::<T>(model.clone())).exec_with_returning(&transaction).await?;
        let item = match stored::<T>(&row) {
            Ok(item) => item,
            Err(error) => return Ok(Err(error)),
        };
        require_category_types(&transaction, &item.content.references()).await?;
        record(&transaction, edit, vec![record_of(AuditAction::Created, &item)]).await?;
        if let Some(once) = once {
            let answer = match serde_json::to_string(&item) {
                Ok(answer) => answer,
                Err(error) => return Ok(Err(broken(error))),
            };
            keep_answer(&transaction, once, answer, edit.at).await?;
        }
        transaction.commit().await?;
        Ok(Ok(Inserted::New(item)))
    }

    pub(super) async fn add_all(
        &self,
        contents: Vec<T::Content>,
        edit: Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Vec<Id>, Stored<T::Content>>, StoreError> {
        let models = contents.iter().map(|content| model::<T>(content, new_envelope(&edit)));
        let models = models.collect::<Result<Vec<T::Model>, StoreError>>()?;
        let attempt = || async {
            match self.add_rows(&contents, &models, &edit, once.as_ref()).await {
                Err(error) if is_unique(&error) => {
                    let other = self.duplicated(error, &contents, once.as_ref()).await?;
                    Ok(Inserted::Conflict(other))
                }
                inserted => inserted,
            }
        };
        tried(is_overtaken, attempt).await.map_err(store_error)
    }

    /// Inserts contents with their rows.
    async fn add_rows(
        &self,
        contents: &[T::Content],
        models: &[T::Model],
        edit: &Edit,
        once: Option<&IdempotencyKey>,
    ) -> Result<Inserted<Vec<Id>, Stored<T::Content>>, DbErr> {
        let transaction = self.database.begin().await?;
        if let Some(once) = once
            && let Some(before) = inserted_before(&transaction, once).await?
        {
            return Ok(before);
        }
        let rows = models.iter().map(|model| new_row::<T>(model.clone()));
        let ids: Vec<Id> = T::insert_many(rows).exec_with_returning_keys(&transaction).await?;
        let references: Vec<Reference> = contents.iter().flat_map(Content::references).collect();
        require_category_types(&transaction, &references).await?;
        let version = new_envelope(edit).version;
        let records = contents.iter().zip(&ids).map(|(content, id)| {
            let (name, diff) = (content.name(), FieldDiff::default());
            record_about::<T::Content>(AuditAction::Created, *id, name, version, diff)
        });
        record(&transaction, edit, records.collect()).await?;
        if let Some(once) = once {
            keep_answer(&transaction, once, json!(ids).to_string(), edit.at).await?;
        }
        transaction.commit().await?;
        Ok(Inserted::New(ids))
    }
}

pub(super) fn new_envelope(edit: &Edit) -> Envelope {
    Envelope {
        id: 0,
        version: 1,
        views: 0,
        created: edit.at,
        updated: edit.at,
        updated_by: edit.by.as_ref().map(ToString::to_string),
    }
}

/// The row with the natural key of this content, if natural keys are unique.
async fn find_conflicting<T: ContentTable>(
    connection: &impl ConnectionTrait,
    content: &T::Content,
) -> Result<Option<T::Model>, DbErr> {
    if !T::Content::KEY_ONCE {
        return Ok(None);
    }
    T::find().filter(named::<T>("natural_key").eq(content.natural_key())).one(connection).await
}
