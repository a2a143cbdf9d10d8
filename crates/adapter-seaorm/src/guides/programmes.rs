//! Channels of guides and their programmes.

use std::collections::{HashMap, HashSet};

use domain_kernel::{Id, fold};
use domain_live::{
    guide::{Channel, Localized},
    programme::{KeptProgramme, SpanChange},
};
use ports::{ClaimedFetch, StoreError};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryResult, QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};
use serde::Serialize;

use super::{ROWS_AT_ONCE, SeaOrmGuides, changed_rows, is_ours, links::linked, text_of};
use crate::{
    db::{sql::Sql, transaction::Transaction},
    entities::{
        guide_channels::{ActiveModel, Column, Entity, Model},
        guide_fetches, programmes,
    },
};

/// Channels written or removed per transaction.
const WRITTEN_AT_ONCE: usize = 500;
/// Channels whose programmes one transaction removes.
const CHANNELS_AT_ONCE: usize = 5;

/// Stored content of a channel besides its title.
#[derive(Serialize)]
struct Content<'a> {
    names: &'a [Localized],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    icons: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    addresses: &'a [String],
}

fn row(guide: Id, channel: &Channel) -> Result<ActiveModel, DbErr> {
    let title = channel.names.first().map_or(channel.id.as_str(), |name| name.text.as_str());
    let names = channel.names.iter().map(|name| name.text.as_str());
    let searched: Vec<String> = names.chain([channel.id.as_str()]).map(fold).collect();
    let content = Content { names: &channel.names, icons: &channel.icons, addresses: &channel.addresses };
    Ok(ActiveModel {
        guide_id: Set(guide),
        xml_id: Set(channel.id.clone()),
        title: Set(title.replace('\0', "")),
        search_text: Set(searched.join("\n").replace('\0', "")),
        content: Set(text_of(&content)?),
        ..<ActiveModel as Default>::default()
    })
}

/// A programme from the columns `start_at`, `stop_at`, `title`, `details` and `further_details`.
pub(crate) fn programme_of(row: &QueryResult) -> Result<KeptProgramme, DbErr> {
    Ok(KeptProgramme {
        start: row.try_get("", "start_at")?,
        stop: row.try_get("", "stop_at")?,
        title: row.try_get("", "title")?,
        details: row.try_get("", "details")?,
        further_details: row.try_get("", "further_details")?,
    })
}

/// Columns of a programme in [`of_channels`].
type Columns = (i64, i64, String, Option<String>, Option<String>);

/// Programmes of channels that begin in a span, by channel and start. One text per channel is
/// faster than rows, which come from the driver's thread one by one.
pub(super) async fn of_channels(
    connection: &impl ConnectionTrait,
    channels: &[Id],
    from: i64,
    to: i64,
) -> Result<Vec<(Id, KeptProgramme)>, StoreError> {
    let columns = "p.start_at, p.stop_at, p.title, p.details, p.further_details";
    let mut sql = Sql::as_json_by_id(connection.get_database_backend(), "p.channel_id", columns);
    sql.push(" FROM programmes p WHERE p.channel_id IN (").bind_all(channels.iter().copied());
    sql.push(") AND p.start_at >= ").bind(from).push(" AND p.start_at < ").bind(to);
    sql.push(" GROUP BY p.channel_id ORDER BY p.channel_id");
    let mut found = Vec::new();
    for (channel, mut rows) in sql.json_rows_by_id::<Columns>(connection).await? {
        // Mostly sorted by the key already; neither database guarantees it.
        rows.sort_unstable_by_key(|(start, ..)| *start);
        found.extend(rows.into_iter().map(|(start, stop, title, details, further_details)| {
            (channel, KeptProgramme { start, stop, title, details, further_details })
        }));
    }
    Ok(found)
}

/// Upserts programmes by their start.
async fn put(transaction: &Transaction, rows: &[(Id, &KeptProgramme)]) -> Result<(), DbErr> {
    for some in rows.chunks(ROWS_AT_ONCE) {
        let mut sql = Sql::new(
            "INSERT INTO programmes (channel_id, start_at, stop_at, title, search_text, other_titles, details, further_details) \
             VALUES ",
        );
        for (index, (channel, programme)) in some.iter().enumerate() {
            sql.push(if index == 0 { "(" } else { ", (" }).bind(*channel).push(", ");
            sql.bind(programme.start).push(", ").bind(programme.stop).push(", ");
            sql.bind(programme.title.as_str()).push(", ").bind(programme.search_text()).push(", ");
            sql.bind(programme.other_titles()).push(", ");
            sql.bind(programme.details.as_deref()).push(", ");
            sql.bind(programme.further_details.as_deref()).push(")");
        }
        sql.push(
            " ON CONFLICT (channel_id, start_at) DO UPDATE SET stop_at = excluded.stop_at, title = excluded.title, \
             search_text = excluded.search_text, other_titles = excluded.other_titles, details = excluded.details, \
             further_details = excluded.further_details",
        );
        changed_rows(transaction, sql).await?;
    }
    Ok(())
}

/// Records a change of the guide's channels, so that the catalogue's channels are matched again.
async fn note_changed_channels(transaction: &Transaction, guide: Id) -> Result<(), DbErr> {
    let next_version = Expr::col(guide_fetches::Column::ChannelsVersion).add(1);
    let update = guide_fetches::Entity::update_many()
        .col_expr(guide_fetches::Column::ChannelsVersion, next_version)
        .filter(guide_fetches::Column::GuideId.eq(guide));
    update.exec(transaction).await.map(drop)
}

impl SeaOrmGuides {
    /// IDs of channels in their order; new or changed ones are written.
    pub(super) async fn try_write_channels(
        &self,
        claim: &ClaimedFetch,
        channels: &[Channel],
    ) -> Result<Option<Vec<Id>>, DbErr> {
        let guide = claim.guide.guide;
        let mut ids = Vec::with_capacity(channels.len());
        for some in channels.chunks(WRITTEN_AT_ONCE) {
            let find = || {
                let of = some.iter().map(|channel| channel.id.as_str());
                Entity::find().filter(Column::GuideId.eq(guide)).filter(Column::XmlId.is_in(of))
            };
            let by_id = |rows: Vec<Model>| -> HashMap<String, Model> {
                rows.into_iter().map(|row| (row.xml_id.clone(), row)).collect()
            };
            let mut known = by_id(find().all(&self.0.reader).await?);
            let (mut added, mut changed) = (Vec::new(), Vec::new());
            for channel in some {
                let row = row(guide, channel)?;
                match known.get(&channel.id) {
                    None => added.push(row),
                    Some(stored) if row.content.as_ref() != &stored.content => changed.push((stored.id, row)),
                    Some(_) => {}
                }
            }
            if !added.is_empty() || !changed.is_empty() {
                let transaction = self.0.begin().await?;
                if !is_ours(&transaction, claim).await? {
                    return Ok(None);
                }
                note_changed_channels(&transaction, guide).await?;
                for rows in added.chunks(ROWS_AT_ONCE) {
                    Entity::insert_many(rows.iter().cloned()).exec_without_returning(&transaction).await?;
                }
                for (id, row) in changed {
                    Entity::update_many().set(row).filter(Column::Id.eq(id)).exec(&transaction).await?;
                }
                transaction.commit().await?;
                known = by_id(find().all(&self.0.writer).await?);
            }
            for channel in some {
                let stored = known.get(&channel.id);
                ids.push(stored.ok_or_else(|| DbErr::RecordNotFound("a channel of a guide".into()))?.id);
            }
        }
        Ok(Some(ids))
    }

    pub(super) async fn try_write_spans(
        &self,
        claim: &ClaimedFetch,
        changes: &[(Id, SpanChange)],
    ) -> Result<bool, DbErr> {
        let transaction = self.0.begin().await?;
        if !is_ours(&transaction, claim).await? {
            return Ok(false);
        }
        let mut rows = Vec::new();
        for (channel, change) in changes {
            for some in change.removed.chunks(ROWS_AT_ONCE) {
                let delete = programmes::Entity::delete_many()
                    .filter(programmes::Column::ChannelId.eq(*channel))
                    .filter(programmes::Column::StartAt.is_in(some.iter().copied()));
                delete.exec(&transaction).await?;
            }
            rows.extend(change.added.iter().chain(&change.changed).map(|programme| (*channel, programme)));
        }
        put(&transaction, &rows).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Removes all programmes of channels, a few channels at a time. `false` after a claim by
    /// another process.
    async fn try_forget_programmes(&self, claim: &ClaimedFetch, channels: &[Id]) -> Result<bool, DbErr> {
        for some in channels.chunks(CHANNELS_AT_ONCE) {
            let transaction = self.0.begin().await?;
            if !is_ours(&transaction, claim).await? {
                return Ok(false);
            }
            let of_channels = programmes::Column::ChannelId.is_in(some.iter().copied());
            programmes::Entity::delete_many().filter(of_channels).exec(&transaction).await?;
            transaction.commit().await?;
        }
        Ok(true)
    }

    pub(super) async fn unused_channels(&self) -> Result<Vec<(Id, u64)>, DbErr> {
        let sql = Sql::new(concat!(
            "SELECT u.guide_id, count(*) AS total FROM guide_channels u WHERE u.id NOT IN (SELECT g.id FROM tv_channels m",
            linked!("m"),
            " WHERE m.active AND g.id IS NOT NULL) GROUP BY u.guide_id",
        ));
        let rows = self.0.scanner.query_all_raw(sql.statement(self.0.backend())).await?;
        let read = |row: &QueryResult| {
            let total: i64 = row.try_get("", "total")?;
            Ok((row.try_get("", "guide_id")?, u64::try_from(total).unwrap_or_default()))
        };
        rows.iter().map(read).collect()
    }

    pub(super) async fn try_forget_channels(
        &self,
        claim: &ClaimedFetch,
        kept: &[Id],
        with_programmes: bool,
    ) -> Result<(), DbErr> {
        let find = Entity::find().filter(Column::GuideId.eq(claim.guide.guide));
        let all: Vec<Id> = find.select_only().column(Column::Id).into_tuple().all(&self.0.reader).await?;
        let kept: HashSet<Id> = kept.iter().copied().collect();
        let gone: Vec<Id> = all.into_iter().filter(|id| !kept.contains(id)).collect();
        if with_programmes && !self.try_forget_programmes(claim, &gone).await? {
            return Ok(());
        }
        for some in gone.chunks(WRITTEN_AT_ONCE) {
            let channel = (programmes::Entity, programmes::Column::ChannelId);
            let programme = Query::select()
                .column(channel)
                .from(programmes::Entity)
                .and_where(Expr::col(channel).equals((Entity, Column::Id)))
                .take();
            let delete = Entity::delete_many()
                .filter(Column::Id.is_in(some.iter().copied()))
                .filter(Expr::exists(programme).not());
            let transaction = self.0.begin().await?;
            if !is_ours(&transaction, claim).await? {
                return Ok(());
            }
            if delete.exec(&transaction).await?.rows_affected > 0 {
                note_changed_channels(&transaction, claim.guide.guide).await?;
                transaction.commit().await?;
            }
        }
        Ok(())
    }
}
