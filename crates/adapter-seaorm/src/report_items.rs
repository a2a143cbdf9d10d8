//! The items of reports: an item is a row by which its reports are grouped.

use domain_issues::{IssueContentType, seen_in_group};
use domain_kernel::{Enumeration, Id, fold};
use sea_orm::{ActiveValue::Set, ConnectionTrait, DbErr, EntityTrait, QueryTrait, sea_query::OnConflict};

use crate::{
    db::transaction::Transaction,
    entities::issue_items::{ActiveModel, Column, Entity},
};

/// The key of an item of content.
pub(crate) fn key_of(content_type: IssueContentType, id: Id) -> String {
    format!("{}/{id}", content_type.code())
}

/// [`domain_issues::episode_title`] of an episode `m` and its show `s`, in SQL.
pub(crate) const EPISODE_TITLE: &str =
    "s.title || ' S' || m.season_number || 'E' || m.episode_number || ': ' || m.title";

/// The text for searches, folded line by line.
pub(crate) fn folded(seen: &str) -> String {
    seen.lines().map(fold).collect::<Vec<_>>().join("\n")
}

/// The text for searches in groups.
pub(crate) fn group_text(title: &str, content_type: IssueContentType) -> String {
    folded(&seen_in_group(title, content_type))
}

/// The ID of the item with this key, which gets this title. It is added if it does not exist.
pub(crate) async fn titled_item(
    transaction: &Transaction,
    content_type: IssueContentType,
    content_id: Option<Id>,
    key: &str,
    title: &str,
) -> Result<Id, DbErr> {
    let row = ActiveModel {
        content_type: Set(content_type.code().to_owned()),
        content_id: Set(content_id),
        title: Set(title.to_owned()),
        item_key: Set(key.to_owned()),
        search_text: Set(group_text(title, content_type)),
        ..ActiveModel::default()
    };
    let titled =
        OnConflict::column(Column::ItemKey).update_columns([Column::Title, Column::SearchText]).to_owned();
    let mut insert = Entity::insert(row).on_conflict(titled).into_query();
    let row = transaction.query_one(insert.returning_col(Column::Id)).await?;
    row.ok_or_else(|| DbErr::Custom("an item is missing in its transaction".into()))?.try_get("", "id")
}
