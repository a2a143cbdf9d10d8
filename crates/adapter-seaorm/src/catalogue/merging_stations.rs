//! The playlist entries of a radio station that is merged into another.

use domain_kernel::{Id, Kind};
use sea_orm::{ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, QueryFilter};

use crate::{
    db::transaction::Transaction,
    entities::playlist_entries::{ActiveModel, Column, Entity},
    playlists::not_applying,
};

/// Makes the entries of a merged station those of the kept one, before the merged one is deleted:
/// a trigger makes entries of deleted stations new, and their next apply would add the station again.
/// An unfinished apply keeps its entries.
pub(super) async fn move_entries(transaction: &Transaction, from: Id, to: Id) -> Result<(), DbErr> {
    let row = ActiveModel { item_id: Set(Some(to)), ..<ActiveModel as Default>::default() };
    Entity::update_many()
        .set(row)
        .filter(Column::ItemKind.eq(Kind::RadioStations.path()))
        .filter(Column::ItemId.eq(from))
        .filter(not_applying())
        .exec(transaction)
        .await
        .map(drop)
}
