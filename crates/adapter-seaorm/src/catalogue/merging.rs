//! Merging two items: one is kept, the other is moved to the trash, in one transaction.

use domain_audit::AuditAction;
use domain_catalogue::{Content, Kind, Stored};
use domain_kernel::Id;
use ports::{Edit, ItemMerge, MergeConflict, StoreError, Written};
use sea_orm::{ColumnTrait, DbErr, QueryFilter, QueryOrder, QuerySelect, sea_query::LockType};

use super::{
    SeaOrmContents,
    changing::overwrite,
    merged_streams::{add_streams, move_decisions, streams_of},
    merging_shows::merge_parts,
    merging_stations::move_entries,
    recording::{named_item, record_of, record_of_change},
    reports::move_reports,
    rows::{named, stored},
    table::ContentTable,
    trash::move_to_trash,
};
use crate::{
    audit::record,
    db::{
        error::{db_error, is_serialization_failure, is_unique, store_error},
        retries::tried,
    },
};

type Merged<T> = Written<Stored<<T as ContentTable>::Content>, MergeConflict<<T as ContentTable>::Content>>;

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn merge_items(
        &self,
        merge: &ItemMerge,
        content: &T::Content,
        edit: &Edit,
    ) -> Result<Merged<T>, StoreError> {
        match tried(is_serialization_failure, || self.try_merge(merge, content, edit)).await {
            Err(error) if is_unique(&error) => match self.conflicting(content).await? {
                Some(other) => Ok(Written::Conflict(MergeConflict::Duplicate(Box::new(other)))),
                None => Err(store_error(error)),
            },
            outcome => outcome.map_err(store_error),
        }
    }

    async fn try_merge(
        &self,
        merge: &ItemMerge,
        content: &T::Content,
        edit: &Edit,
    ) -> Result<Merged<T>, DbErr> {
        let transaction = self.database.begin().await?;
        // Both in the order of their IDs, so that concurrent merges of the same items do not
        // deadlock.
        let rows = T::find()
            .filter(named::<T>("id").is_in([merge.kept.0, merge.merged.0]))
            .order_by_asc(named::<T>("id"))
            .lock(LockType::Update)
            .all(&transaction)
            .await?;
        let items = rows.iter().map(stored::<T>).collect::<Result<Vec<_>, _>>().map_err(db_error)?;
        let found = |id: Id| items.iter().find(|item| item.id == id);
        let (Some(kept), Some(merged)) = (found(merge.kept.0), found(merge.merged.0)) else {
            return Ok(Written::Missing);
        };
        for (item, (_, version)) in [(kept, merge.kept), (merged, merge.merged)] {
            if item.version != version {
                return Ok(Written::Outdated(item.clone()));
            }
        }
        let is_channel = T::Content::KIND == Kind::TvChannels;
        let streams = if is_channel { streams_of(&transaction, merged.id).await? } else { Vec::new() };
        match T::Content::KIND {
            Kind::RadioStations => move_entries(&transaction, merged.id, kept.id).await?,
            Kind::TvShows => {
                let (from, to) = (merged.content.name(), kept.content.name());
                let broken = merge_parts(&transaction, (merged.id, &from), (kept.id, &to), edit).await?;
                if let Some(violation) = broken {
                    return Ok(Written::Conflict(MergeConflict::Invalid(violation)));
                }
            }
            _ => {}
        }
        // First, so that the kept item can get its natural key. Its views are transferred, so the
        // trash has none.
        move_to_trash::<T>(&transaction, &Stored { views: 0, ..merged.clone() }, edit).await?;
        let changed = overwrite::<T>(&transaction, kept.id, content, merged.views, edit).await?;
        let (from, to) = ((merged.id, &merged.content), (kept.id, &changed.content));
        move_reports(&transaction, from, to, edit).await?;
        let mut deleted = record_of(AuditAction::Deleted, merged);
        deleted.diff.after.insert("mergedInto".into(), named_item(&changed));
        let mut change = record_of_change(&kept.content, &changed);
        if is_channel {
            let added = add_streams(&transaction, streams, merged.id, changed.id).await?;
            change.diff.before.extend(added.before);
            change.diff.after.extend(added.after);
            move_decisions(&transaction, merged.id, changed.id).await?;
        }
        change.action = AuditAction::Merged;
        change.diff.after.insert("mergedItem".into(), named_item(merged));
        record(&transaction, edit, vec![deleted, change]).await?;
        transaction.commit().await?;
        Ok(Written::Done(changed))
    }
}
