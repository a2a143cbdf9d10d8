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
    changing::overwrite,
    episodes,
    recording::{named_item, record_of_change},
    reports::{NamedItem, move_reports, title_of_episode},
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

/// Moves the parts of a merged show to the kept one. A season or an episode whose number is used
/// there is merged into that one, and stays with the merged show. Returns the rule that an episode
/// would break: the transaction must not be committed then.
pub(super) async fn merge_parts(
    transaction: &Transaction,
    (from, was_called): NamedItem<'_>,
    (to, title): NamedItem<'_>,
    edit: &Edit,
) -> Result<Option<Violation>, DbErr> {
    // Moving an episode locks the episode first, and then its season.
    let episodes = parts::<episodes::Entity>(transaction, [from, to]).await?;
    // Moving an episode creates its season in the kept show.
    let former: Vec<i32> = seasons::Entity::find()
        .select_only()
        .column(named::<seasons::Entity>("season_number"))
        .filter(named::<seasons::Entity>("tv_show_id").eq(to))
        .into_tuple()
        .all(transaction)
        .await?;
    let merged = merge_episodes(transaction, episodes, was_called, (to, title), edit).await?;
    let mut records = match merged {
        Ok(records) => records,
        Err(violation) => return Ok(Some(violation)),
    };
    let seasons = parts::<seasons::Entity>(transaction, [from, to]).await?;
    let (kept, merged): (Vec<_>, Vec<_>) =
        seasons.into_iter().partition(|season| season.content.tv_show_id == to);
    let kept: HashMap<i32, Stored<Season>> =
        kept.into_iter().map(|season| (season.content.season_number, season)).collect();
    for season in merged {
        let number = season.content.season_number;
        let moved = Season { tv_show_id: to, ..season.content.clone() };
        let (target, content) = match kept.get(&number) {
            Some(kept) if former.contains(&number) => {
                (kept, merged_content(&kept.content, &season.content).map_err(invalid)?)
            }
            Some(kept) => (kept, Season { episode_count: kept.content.episode_count, ..moved }),
            None => (&season, moved),
        };
        if content != target.content {
            let changed = overwrite::<seasons::Entity>(transaction, target.id, &content, 0, edit).await?;
            records.push(record_of_change(&target.content, &changed));
        }
    }
    record(transaction, edit, records).await?;
    Ok(None)
}

/// Moves or merges the episodes of the merged show, which was called like this; `episodes` are those
/// of both shows, locked. Returns the records.
async fn merge_episodes(
    transaction: &Transaction,
    episodes: Vec<Stored<Episode>>,
    was_called: &str,
    (to, title): NamedItem<'_>,
    edit: &Edit,
) -> Result<Result<Vec<Record>, Violation>, DbErr> {
    let number = |episode: &Episode| (episode.season_number, episode.episode_number);
    let (kept, merged): (Vec<_>, Vec<_>) =
        episodes.into_iter().partition(|episode| episode.content.tv_show_id == to);
    let kept: HashMap<(i32, i32), Stored<Episode>> =
        kept.into_iter().map(|episode| (number(&episode.content), episode)).collect();
    let mut records = Vec::new();
    for episode in merged {
        records.push(if let Some(kept) = kept.get(&number(&episode.content)) {
            let content = merged_content(&kept.content, &episode.content).map_err(invalid)?;
            if content.links.len() > MOST_LINKS {
                return Ok(Err(too_many_links(kept, title)));
            }
            merge_episode(transaction, (kept, title), (&episode, was_called), content, edit).await?
        } else {
            let content = Episode { tv_show_id: to, ..episode.content.clone() };
            let moved = overwrite::<episodes::Entity>(transaction, episode.id, &content, 0, edit).await?;
            record_of_change(&episode.content, &moved)
        });
    }
    Ok(Ok(records))
}

/// The rule that an episode would break with the links of another one.
fn too_many_links(kept: &Stored<Episode>, show: &str) -> Violation {
    let title = title_of_episode(show, &kept.content);
    Violation::new("links", Code::TooMany).with("max", MOST_LINKS).with("id", kept.id).with("title", title)
}

/// Merges an episode into that of the kept show, with its views and reports; each has the title of
/// its show, and `content` is that of both. Returns the record.
async fn merge_episode(
    transaction: &Transaction,
    (kept, show): (&Stored<Episode>, &str),
    (merged, merged_show): (&Stored<Episode>, &str),
    mut content: Episode,
    edit: &Edit,
) -> Result<Record, DbErr> {
    content.fill_server_fields(Some(&kept.content), edit.at);
    let changed = overwrite::<episodes::Entity>(transaction, kept.id, &content, merged.views, edit).await?;
    episodes::Entity::update_many()
        .col_expr(named::<episodes::Entity>("views"), Expr::value(0_i64))
        .filter(named::<episodes::Entity>("id").eq(merged.id))
        .exec(transaction)
        .await?;
    let was = title_of_episode(merged_show, &merged.content);
    let is = title_of_episode(show, &changed.content);
    move_reports(transaction, Kind::Episodes, (merged.id, &was), (kept.id, &is), edit).await?;
    let mut change = record_of_change(&kept.content, &changed);
    change.action = AuditAction::Merged;
    change.diff.after.insert("mergedItem".into(), named_item(merged));
    Ok(change)
}
