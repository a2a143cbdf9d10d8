//! Moving the references of one item to another.

use domain_catalogue::Content;
use domain_kernel::{Id, Kind};
use ports::{Edit, StoreError};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, LockType, Query},
};
use serde_json::{Value, json};

use super::{
    SeaOrmContents,
    recording::record_of_change,
    rows::{Envelope, broken, model, named, stored, unset},
    table::{ContentTable, ReferringColumn, TableOf, json_name},
};
use crate::{
    Database,
    audit::record,
    category_types::{is_of_channels, require_category_types},
    db::{
        error::{db_error, is_serialization_failure, store_error},
        retries::tried,
    },
    live_profiles, playlists,
};

/// Items per transaction, so that other requests wait briefly.
const BATCH: u64 = 500;

/// A change of references from one item to another.
#[derive(Clone, Copy)]
struct Move<'a> {
    by: ReferringColumn,
    from: Id,
    to: Id,
    edit: &'a Edit,
}

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn move_all(&self, from: Id, to: Id, edit: &Edit) -> Result<u64, StoreError> {
        let mut moved = 0;
        for (kind, by) in T::referrers().into_iter().filter_map(|one| one.by.map(|by| (one.kind, by))) {
            let step = Move { by, from, to, edit };
            loop {
                let batch = || Box::pin(move_batch_of(kind, &self.database, step));
                let changed = tried(is_serialization_failure, batch).await.map_err(store_error)?;
                moved += changed;
                if changed == 0 {
                    break;
                }
            }
        }
        if <T::Content as Content>::KIND == Kind::Categories {
            let exchange = || exchange_category(&self.database, from, to, edit);
            moved += tried(is_serialization_failure, exchange).await.map_err(store_error)?;
        }
        Ok(moved)
    }
}

/// References to a category outside of content, which change with its channels; returns the number
/// of changed playlist sources.
async fn exchange_category(database: &Database, from: Id, to: Id, edit: &Edit) -> Result<u64, DbErr> {
    let transaction = database.begin().await?;
    if !is_of_channels(&transaction, from).await? {
        return Ok(0);
    }
    let sources = playlists::exchange_category(&transaction, from, to, edit).await?;
    live_profiles::exchange_category(&transaction, from, to, edit).await?;
    transaction.commit().await?;
    Ok(sources)
}

macro_rules! by_kind {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        async fn move_batch_of(kind: Kind, database: &Database, step: Move<'_>) -> Result<u64, DbErr> {
            match kind {
                $(Kind::$kind => {
                    Box::pin(move_batch::<TableOf<domain_catalogue::$type>>(database, step)).await
                })+
            }
        }
    };
}
domain_catalogue::for_each_kind!(by_kind);

/// Changes some of the referring items; returns their number.
async fn move_batch<T: ContentTable>(database: &Database, step: Move<'_>) -> Result<u64, DbErr> {
    let Move { by, from, to, edit } = step;
    let transaction = database.begin().await?;
    let id = named::<T>("id");
    let referring = match by {
        ReferringColumn::Id(column) => T::find().filter(named::<T>(column).eq(from)),
        ReferringColumn::Categories => {
            let mut channels = Query::select();
            channels
                .column("channel_id")
                .from("tv_channel_categories")
                .and_where(Expr::col("category_id").eq(from));
            T::find().filter(id.in_subquery(channels))
        }
    };
    let rows = referring.order_by_asc(id).limit(BATCH).lock(LockType::NoKeyUpdate).all(&transaction).await?;
    let mut records = Vec::with_capacity(rows.len());
    let mut references = Vec::new();
    let mut moved: u64 = 0;
    for row in &rows {
        let before = stored::<T>(row).map_err(db_error)?;
        let mut json = serde_json::to_value(&before.content).map_err(|error| db_error(broken(error)))?;
        match by {
            ReferringColumn::Id(column) => json[json_name(column)] = json!(to),
            ReferringColumn::Categories => exchange(&mut json["categories"], from, to),
        }
        let content: T::Content = serde_json::from_value(json).map_err(|error| db_error(broken(error)))?;
        references.extend(content.references());
        let envelope = Envelope {
            id: before.id,
            version: before.version + 1,
            views: 0,
            created: edit.at,
            updated: edit.at,
            updated_by: edit.by.as_ref().map(ToString::to_string),
        };
        let mut row = model::<T>(&content, envelope).map_err(db_error)?.into_active_model().reset_all();
        unset::<T>(&mut row, &["id", "views", "created_date"]);
        unset::<T>(&mut row, T::DATABASE_MANAGED);
        T::update_many().set(row).filter(id.eq(before.id)).exec(&transaction).await?;
        let after = domain_catalogue::Stored { version: before.version + 1, content, ..before.clone() };
        records.push(record_of_change(&before.content, &after));
        moved += 1;
    }
    require_category_types(&transaction, &references).await?;
    record(&transaction, edit, records).await?;
    transaction.commit().await?;
    Ok(moved)
}

/// Replaces one ID by another in a list, in its order, without duplicates.
fn exchange(list: &mut Value, from: Id, to: Id) {
    let Some(ids) = list.as_array_mut() else { return };
    let (from, to) = (json!(from), json!(to));
    let mut exchanged = Vec::with_capacity(ids.len());
    for id in ids.drain(..) {
        let id = if id == from { to.clone() } else { id };
        if !exchanged.contains(&id) {
            exchanged.push(id);
        }
    }
    *ids = exchanged;
}
