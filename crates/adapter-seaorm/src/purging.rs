//! Content that is removed from the trash for good: the audit log has its last values.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_kernel::{FieldDiff, Id, Kind, Origin};
use ports::Edit;
use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, LockType},
};
use serde_json::{Map, Value};

use crate::{
    audit::{ITEMS_AT_ONCE, Record, record},
    catalogue::purged_streams,
    db::transaction::Transaction,
    entities::trash::{Column, Entity, Model},
};

/// Fields of a stored item that are none of its content.
const OTHER_FIELDS: [&str; 6] = ["id", "version", "views", "createdDate", "updatedDate", "updatedBy"];

/// The entry of an item with its last values, and the streams of a channel; none for a kind that no
/// longer exists.
fn record_of(row: &Model, streams: &HashMap<Id, Map<String, Value>>) -> Result<Option<Record>, DbErr> {
    let Some(kind) = Kind::from_path(&row.kind) else { return Ok(None) };
    let mut values: Map<String, Value> =
        serde_json::from_str(&row.document).map_err(|error| DbErr::Custom(error.to_string()))?;
    values.retain(|name, value| {
        let is_empty = value.is_null() || *value == "" || value.as_array().is_some_and(Vec::is_empty);
        !is_empty && !OTHER_FIELDS.contains(&name.as_str())
    });
    if kind == Kind::TvChannels {
        values.extend(streams.get(&row.item_id).cloned().unwrap_or_default());
    }
    Ok(Some(Record {
        action: AuditAction::Purged,
        resource: kind.path(),
        item: row.item_id.to_string(),
        title: row.title.clone(),
        version: None,
        diff: FieldDiff { before: values, ..FieldDiff::default() },
    }))
}

/// The number of parts of an item.
const PARTS: &str = "(SELECT count(*) FROM trash part WHERE part.part_of = trash.id)";

/// Removes items that were deleted before this time, and records their values and those of their
/// parts. Their parts go with them, so that no show can be restored in part: whole items, until
/// there are `most` rows. Returns the number of rows.
pub(crate) async fn purge(
    transaction: &Transaction,
    before: DateTime<Utc>,
    now: DateTime<Utc>,
    most: u32,
) -> Result<u64, DbErr> {
    let oldest: Vec<(i64, i64)> = Entity::find()
        .select_only()
        .column(Column::Id)
        .column_as(Expr::cust(PARTS), "parts")
        .filter(Column::PartOf.is_null())
        .filter(Column::DeletedDate.lte(before))
        .order_by_asc(Column::DeletedDate)
        .limit(u64::from(most))
        .lock(LockType::Update)
        .into_tuple()
        .all(transaction)
        .await?;
    let (mut items, mut removed) = (Vec::new(), 0);
    for (item, parts) in oldest {
        if removed >= u64::from(most) {
            break;
        }
        items.push(item);
        removed += 1 + parts.unsigned_abs();
    }
    if items.is_empty() {
        return Ok(0);
    }
    let edit = Edit { by: None, at: now, origin: Origin::SERVER };
    let mut last = 0;
    loop {
        // Few documents at a time: a show may have thousands of episodes.
        let rows = Entity::find()
            .filter(
                Condition::any()
                    .add(Column::Id.is_in(items.iter().copied()))
                    .add(Column::PartOf.is_in(items.iter().copied())),
            )
            .filter(Column::Id.gt(last))
            .order_by_asc(Column::Id)
            .limit(u64::try_from(ITEMS_AT_ONCE).unwrap_or(u64::MAX))
            .all(transaction)
            .await?;
        let Some(end) = rows.last() else { break };
        last = end.id;
        let streams = purged_streams(transaction, &rows).await?;
        let records = rows.iter().filter_map(|row| record_of(row, &streams).transpose());
        record(transaction, &edit, records.collect::<Result<Vec<_>, DbErr>>()?).await?;
    }
    Entity::delete_many().filter(Column::Id.is_in(items)).exec(transaction).await?;
    Ok(removed)
}
