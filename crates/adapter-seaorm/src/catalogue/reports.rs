//! Reports on content that was merged into other content.

use std::{any::Any, collections::HashMap};

use domain_catalogue::{Content, Episode};
use domain_issues::{AuthorKind, HistoryAction, IssueContentType, episode_title};
use domain_kernel::{Enumeration, Id, Kind};
use ports::Edit;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
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

/// Reports on one item that become reports on another one of its kind; each with its title in reports.
pub(super) struct MovedReports {
    pub(super) from: (Id, String),
    pub(super) to: (Id, String),
}

/// Maximum groups that one statement finds.
const LOOKED_FOR: usize = 5_000;

/// The title of an item in reports, as `issue_items` has it: that of an episode begins with the title of
/// its show, and its numbers.
pub(super) fn report_title<C: Content>(content: &C, show: Option<&str>) -> String {
    let Some(Episode { season_number, episode_number, title, .. }) = episode_of(content) else {
        return content.name();
    };
    episode_title(show.unwrap_or_default(), (*season_number, *episode_number), title)
}

fn episode_of<C: Content>(content: &C) -> Option<&Episode> {
    (content as &dyn Any).downcast_ref()
}

/// An item with its title in reports.
async fn titled<C: Content>(
    transaction: &Transaction,
    (id, content): (Id, &C),
) -> Result<(Id, String), DbErr> {
    let show = match episode_of(content) {
        Some(episode) => {
            tv_shows::Entity::find()
                .select_only()
                .column(named::<tv_shows::Entity>("title"))
                .filter(named::<tv_shows::Entity>("id").eq(episode.tv_show_id))
                .into_tuple::<String>()
                .one(transaction)
                .await?
        }
        None => None,
    };
    Ok((id, report_title(content, show.as_deref())))
}

/// Moves the reports on a merged item to the kept one.
pub(super) async fn move_reports<C: Content>(
    transaction: &Transaction,
    merged: (Id, &C),
    kept: (Id, &C),
    edit: &Edit,
) -> Result<(), DbErr> {
    let moved =
        MovedReports { from: titled(transaction, merged).await?, to: titled(transaction, kept).await? };
    move_all_reports(transaction, C::KIND, &[moved], edit).await
}

/// Moves the reports on items of a kind to others, and adds entries to their histories. Triggers
/// maintain the numbers of all groups. The groups of both ends are locked, in the order of their IDs,
/// like by other writers of their reports.
pub(super) async fn move_all_reports(
    transaction: &Transaction,
    kind: Kind,
    moved: &[MovedReports],
    edit: &Edit,
) -> Result<(), DbErr> {
    for content_type in IssueContentType::ALL.iter().filter(|one| one.kind() == kind) {
        for some in moved.chunks(LOOKED_FOR) {
            let of_keys: HashMap<String, &MovedReports> =
                some.iter().map(|one| (key_of(*content_type, one.from.0), one)).collect();
            let to_keys = some.iter().map(|one| key_of(*content_type, one.to.0));
            let keys = of_keys.keys().cloned().chain(to_keys);
            let groups = issue_items::Entity::find()
                .filter(issue_items::Column::ItemKey.is_in(keys))
                .order_by_asc(issue_items::Column::Id)
                .lock(LockType::Update)
                .all(transaction)
                .await?;
            for issue_items::Model { id, item_key, .. } in groups {
                let Some(one) = of_keys.get(&item_key) else { continue };
                move_group(transaction, *content_type, id, one, edit).await?;
            }
        }
    }
    Ok(())
}

async fn move_group(
    transaction: &Transaction,
    content_type: IssueContentType,
    group: Id,
    MovedReports { from: (from, was_called), to: (to, title) }: &MovedReports,
    edit: &Edit,
) -> Result<(), DbErr> {
    let key = key_of(content_type, *to);
    let target = titled_item(transaction, content_type, Some(*to), &key, title).await?;
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
        content_id: Set(Some(*to)),
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
