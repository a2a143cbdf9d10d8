//! Reports on content that was merged into other content.

use std::any::Any;

use domain_catalogue::{Content, Episode};
use domain_issues::{AuthorKind, HistoryAction, IssueContentType};
use domain_kernel::{Enumeration, Id, Kind};
use ports::Edit;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, LockType, Query},
};

use super::{rows::named, tv_shows};
use crate::{
    db::{sql::insert_from, transaction::Transaction},
    entities::{issue_history, issue_items, issue_reports},
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
    // Locked like by other writers of its reports.
    let group = issue_items::Entity::find()
        .filter(issue_items::Column::ItemKey.eq(key_of(content_type, from)))
        .lock(LockType::Update)
        .one(transaction)
        .await?;
    let Some(issue_items::Model { id: group, .. }) = group else { return Ok(()) };
    let target = titled_item(transaction, content_type, Some(to), &key_of(content_type, to), title).await?;
    let actor = edit.by.as_ref().map(ToString::to_string).unwrap_or_default();
    let entry = vec![
        (issue_history::Column::ReportId, Expr::col(issue_reports::Column::Id)),
        (issue_history::Column::Action, HistoryAction::Changed.code().into()),
        (issue_history::Column::Actor, actor.into()),
        (issue_history::Column::ActorKind, AuthorKind::Staff.code().into()),
        (issue_history::Column::Note, format!("{was_called} ({from}) → {title} ({to})").into()),
        (issue_history::Column::EntryDate, edit.at.into()),
    ];
    let of_group =
        Query::select().from(issue_reports::Entity).and_where(issue_reports::Column::ItemId.eq(group)).take();
    transaction.execute(&insert_from(issue_history::Entity, entry, of_group)).await?;
    let moved = issue_reports::ActiveModel {
        item_id: Set(Some(target)),
        content_id: Set(Some(to)),
        updated_date: Set(edit.at),
        ..issue_reports::ActiveModel::default()
    };
    let next_version = Expr::col(issue_reports::Column::Version).add(1);
    let update = issue_reports::Entity::update_many()
        .set(moved)
        .col_expr(issue_reports::Column::Version, next_version)
        .filter(issue_reports::Column::ItemId.eq(group));
    update.exec(transaction).await.map(drop)
}
