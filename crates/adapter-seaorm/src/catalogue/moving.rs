//! References to a category outside of content: playlist sources and live profiles.

use domain_catalogue::Content;
use domain_kernel::{Id, Kind};
use ports::{Edit, StoreError};
use sea_orm::DbErr;

use super::{SeaOrmContents, table::ContentTable};
use crate::{
    Database,
    category_types::is_of_channels,
    db::{
        error::{is_serialization_failure, store_error},
        retries::tried,
    },
    live_profiles, playlists,
};

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn move_outside(&self, from: Id, to: Id, edit: &Edit) -> Result<u64, StoreError> {
        if <T::Content as Content>::KIND != Kind::Categories {
            return Ok(0);
        }
        let exchange = || exchange_category(&self.database, from, to, edit);
        tried(is_serialization_failure, exchange).await.map_err(store_error)
    }
}

/// Returns the number of changed playlist sources.
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
