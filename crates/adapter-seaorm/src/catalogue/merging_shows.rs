//! The seasons and episodes of a show that is merged into another.

use std::collections::HashMap;

use domain_audit::AuditAction;
use domain_catalogue::{Content as _, Episode, Kind, MOST_LINKS, Season, Stored, merged_content};
use domain_kernel::{Code, Id, Violation};
use ports::Edit;
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, LockType},
};

use super::{
    episodes,
    overwriting::{Overwrite, overwrite_all},
    recording::{named_item, record_of_change},
    reports::{MovedReports, NamedItem, move_all_reports, report_title},
    rows::{named, stored},
    seasons,
    table::ContentTable,
};
use crate::{
    audit::{Record, record},
    db::{error::db_error, transaction::Transaction},
};

/// Locks the parts of both shows, in the order of their IDs.
async fn parts<T: ContentTable>(
    transaction: &Transaction,
    shows: [Id; 2],
) -> Result<Vec<Stored<T::Content>>, DbErr> {
    let of_shows = T::find().filter(named::<T>("tv_show_id").is_in(shows)).order_by_asc(named::<T>("id"));
    let rows = of_shows.lock(LockType::Update).all(transaction).await?;
    rows.iter().map(|row| stored::<T>(row).map_err(db_error)).collect()
}

fn invalid(error: impl std::fmt::Display) -> DbErr {
    DbErr::Custom(error.to_string())
}

fn missing() -> DbErr {
    DbErr::Custom("a locked row is missing".into())
}

/// Moves the parts of a merged show to the kept one. A season or an episode whose number is used
/// there is merged into that one, and stays with the merged show. Returns the rule that an episode
/// would break: the transaction must not be committed then.
pub(super) async fn merge_parts(
    transaction: &Transaction,
    from: NamedItem<'_>,
    to: NamedItem<'_>,
    edit: &Edit,
) -> Result<Option<Violation>, DbErr> {
    // Moving an episode locks the episode first, and then its season.
    let episodes = parts::<episodes::Entity>(transaction, [from.0, to.0]).await?;
    // Moving an episode creates its season in the kept show.
    let former: Vec<i32> = seasons::Entity::find()
        .select_only()
        .column(named::<seasons::Entity>("season_number"))
        .filter(named::<seasons::Entity>("tv_show_id").eq(to.0))
        .into_tuple()
        .all(transaction)
        .await?;
    let mut records = match merge_episodes(transaction, episodes, from, to, edit).await? {
        Ok(records) => records,
        Err(violation) => return Ok(Some(violation)),
    };
    records.extend(merge_seasons(transaction, from.0, to.0, &former, edit).await?);
    record(transaction, edit, records).await?;
    Ok(None)
}

/// Moves or merges the seasons of the merged show. Those of the kept show that are not among its
/// `former` numbers were created for moved episodes. Returns the records.
async fn merge_seasons(
    transaction: &Transaction,
    from: Id,
    to: Id,
    former: &[i32],
    edit: &Edit,
) -> Result<Vec<Record>, DbErr> {
    let seasons = parts::<seasons::Entity>(transaction, [from, to]).await?;
    let (kept, merged): (Vec<_>, Vec<_>) =
        seasons.into_iter().partition(|season| season.content.tv_show_id == to);
    let kept: HashMap<i32, Stored<Season>> =
        kept.into_iter().map(|season| (season.content.season_number, season)).collect();
    let (mut targets, mut writes) = (Vec::new(), Vec::new());
    for season in &merged {
        let number = season.content.season_number;
        let moved = Season { tv_show_id: to, ..season.content.clone() };
        let (target, content) = match kept.get(&number) {
            Some(kept) if former.contains(&number) => {
                (kept, merged_content(&kept.content, &season.content).map_err(invalid)?)
            }
            Some(kept) => (kept, Season { episode_count: kept.content.episode_count, ..moved }),
            None => (season, moved),
        };
        if content != target.content {
            targets.push(target);
            writes.push(Overwrite { id: target.id, content, views: 0 });
        }
    }
    let changed = overwrite_all::<seasons::Entity>(transaction, &writes, edit).await?;
    let record_of = |target: &Stored<Season>| {
        let changed = changed.get(&target.id).ok_or_else(missing)?;
        Ok::<_, DbErr>(record_of_change(&target.content, changed))
    };
    targets.into_iter().map(record_of).collect()
}

/// Moves or merges the episodes of the merged show; `episodes` are those of both shows, locked. Merged
/// ones give their views and reports to those of the kept show. Returns the records.
async fn merge_episodes(
    transaction: &Transaction,
    episodes: Vec<Stored<Episode>>,
    (from, was_called): NamedItem<'_>,
    (to, title): NamedItem<'_>,
    edit: &Edit,
) -> Result<Result<Vec<Record>, Violation>, DbErr> {
    let number = |episode: &Episode| (episode.season_number, episode.episode_number);
    let (kept, merged): (Vec<_>, Vec<_>) =
        episodes.into_iter().partition(|episode| episode.content.tv_show_id == to);
    let kept: HashMap<(i32, i32), Stored<Episode>> =
        kept.into_iter().map(|episode| (number(&episode.content), episode)).collect();
    let mut writes = Vec::with_capacity(merged.len());
    for episode in &merged {
        let Some(kept) = kept.get(&number(&episode.content)) else {
            let content = Episode { tv_show_id: to, ..episode.content.clone() };
            writes.push(Overwrite { id: episode.id, content, views: 0 });
            continue;
        };
        let mut content = merged_content(&kept.content, &episode.content).map_err(invalid)?;
        if content.links.len() > MOST_LINKS {
            return Ok(Err(too_many_links(kept, title)));
        }
        content.fill_server_fields(Some(&kept.content), edit.at);
        writes.push(Overwrite { id: kept.id, content, views: episode.views });
    }
    let changed = overwrite_all::<episodes::Entity>(transaction, &writes, edit).await?;
    // The ones that are left in the merged show are merged.
    episodes::Entity::update_many()
        .col_expr(named::<episodes::Entity>("views"), Expr::value(0_i64))
        .filter(named::<episodes::Entity>("tv_show_id").eq(from))
        .filter(named::<episodes::Entity>("views").ne(0_i64))
        .exec(transaction)
        .await?;
    let (mut records, mut reports) = (Vec::with_capacity(merged.len()), Vec::new());
    for (write, episode) in writes.iter().zip(&merged) {
        let changed = changed.get(&write.id).ok_or_else(missing)?;
        let Some(kept) = kept.get(&number(&episode.content)) else {
            records.push(record_of_change(&episode.content, changed));
            continue;
        };
        reports.push(MovedReports {
            from: (episode.id, report_title(&episode.content, Some(was_called))),
            to: (kept.id, report_title(&changed.content, Some(title))),
        });
        let mut change = record_of_change(&kept.content, changed);
        change.action = AuditAction::Merged;
        change.diff.after.insert("mergedItem".into(), named_item(episode));
        records.push(change);
    }
    move_all_reports(transaction, Kind::Episodes, &reports, edit).await?;
    Ok(Ok(records))
}

/// The rule that an episode would break with the links of another one.
fn too_many_links(kept: &Stored<Episode>, show: &str) -> Violation {
    let title = report_title(&kept.content, Some(show));
    Violation::new("links", Code::TooMany).with("max", MOST_LINKS).with("id", kept.id).with("title", title)
}
