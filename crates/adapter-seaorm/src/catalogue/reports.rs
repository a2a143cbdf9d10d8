//! Reports on content that was merged into other content.

use std::any::Any;

use domain_catalogue::{Content, Episode};
use domain_issues::{AuthorKind, HistoryAction, IssueContentType};
use domain_kernel::{Enumeration, Id, Kind};
use ports::Edit;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, sea_query::LockType,
};

use super::{rows::named, tv_shows};
use crate::{
    db::{sql::Sql, transaction::Transaction},
    entities::issue_items,
    report_items::{key_of, titled_item},
};

/// An item of a kind: its ID and name.
pub(super) type NamedItem<'a> = (Id, &'a str);

/// The title of an item in reports: that of an episode begins with its show, and its numbers.
pub(super) async fn title_in_reports<C: Content>(
    transaction: &Transaction,
    content: &C,
) -> Result<String, DbErr> {
    let Some(episode) = episode_of(content) else { return Ok(content.name()) };
    let show = tv_shows::Entity::find()
        .select_only()
        .column(named::<tv_shows::Entity>("title"))
        .filter(named::<tv_shows::Entity>("id").eq(episode.tv_show_id))
        .into_tuple::<String>()
        .one(transaction)
        .await?;
    Ok(title_of_episode(&show.unwrap_or_default(), episode))
}

fn episode_of<C: Content>(content: &C) -> Option<&Episode> {
    (content as &dyn Any).downcast_ref()
}

/// The title of an episode of a show in reports.
pub(super) fn title_of_episode(show: &str, episode: &Episode) -> String {
    let Episode { season_number, episode_number, title, .. } = episode;
    format!("{show} S{season_number}E{episode_number}: {title}")
}

/// Moves the reports on an item to another one of the same kind, and adds entries to their
/// histories. Triggers maintain the numbers of both groups.
pub(super) async fn move_reports(
    transaction: &Transaction,
    kind: Kind,
    from: NamedItem<'_>,
    to: NamedItem<'_>,
    edit: &Edit,
) -> Result<(), DbErr> {
    for content_type in IssueContentType::ALL.iter().filter(|one| one.kind() == kind) {
        move_reports_of(transaction, *content_type, from, to, edit).await?;
    }
    Ok(())
}

async fn move_reports_of(
    transaction: &Transaction,
    content_type: IssueContentType,
    (from, was_called): NamedItem<'_>,
    (to, title): NamedItem<'_>,
    edit: &Edit,
) -> Result<(), DbErr> {
    let backend = transaction.get_database_backend();
    // Locked like by other writers of its reports.
    let group = issue_items::Entity::find()
        .filter(issue_items::Column::ItemKey.eq(key_of(content_type, from)))
        .lock(LockType::Update)
        .one(transaction)
        .await?;
    let Some(issue_items::Model { id: group, .. }) = group else { return Ok(()) };
    let target = titled_item(transaction, content_type, Some(to), &key_of(content_type, to), title).await?;
    let mut history = Sql::new(
        "INSERT INTO issue_history (report_id, action, actor, actor_kind, note, entry_date) SELECT r.id, ",
    );
    history.bind(HistoryAction::Changed.code()).push(", ");
    history.bind(edit.by.as_ref().map(ToString::to_string).unwrap_or_default()).push(", ");
    history.bind(AuthorKind::Staff.code()).push(", ");
    history.bind(format!("{was_called} ({from}) → {title} ({to})")).push(", ").bind(edit.at);
    history.push(" FROM issue_reports r WHERE r.item_id = ").bind(group);
    transaction.execute_raw(history.statement(backend)).await?;
    let mut moved = Sql::new("UPDATE issue_reports SET item_id = ");
    moved.bind(target).push(", content_id = ").bind(to);
    moved.push(", version = version + 1, updated_date = ").bind(edit.at);
    moved.push(" WHERE item_id = ").bind(group);
    transaction.execute_raw(moved.statement(backend)).await.map(drop)
}
