//! Merges of channels: the streams of the merged one, and the decisions about its guide, are added to
//! the kept one.

use domain_catalogue::{MOST_STREAMS, StreamOrigin};
use domain_kernel::{FieldDiff, Id, Kind};
use ports::StoredStream;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter,
    sea_query::{Expr, ExprTrait, Query},
};

use super::{
    stream_lists::read_one,
    streams::{ListWrite, stream_diff, write_lists},
    tv_channels::{Column as ChannelColumn, Entity as TvChannels},
};
use crate::{
    db::{error::db_error, sql::of, transaction::Transaction},
    entities::{
        epg_decisions::{Column as Decision, Entity as Decisions},
        playlist_entries::{ActiveModel, Column, Entity},
    },
    playlists::{STREAMS as KIND_OF_STREAMS, not_applying},
};

/// The streams of a channel, that of its own URL first.
pub(super) async fn streams_of(transaction: &Transaction, channel: Id) -> Result<Vec<StoredStream>, DbErr> {
    let list = read_one(transaction, channel).await.map_err(db_error)?;
    Ok(list.map(|list| list.streams.streams).unwrap_or_default())
}

/// Makes the entry of a channel's own URL the entry of a stream, unless it is one; returns whether it
/// was the entry of this channel, and no unfinished apply has it. A trigger sets the channel of the stream.
async fn becomes_entry_of_stream(transaction: &Transaction, entry: Id, channel: Id) -> Result<bool, DbErr> {
    let row = ActiveModel {
        item_kind: Set(Some(KIND_OF_STREAMS.to_owned())),
        ..<ActiveModel as Default>::default()
    };
    let changed = Entity::update_many()
        .set(row)
        .filter(Column::Id.eq(entry))
        .filter(Column::ItemKind.is_in([Kind::TvChannels.path(), KIND_OF_STREAMS]))
        .filter(Column::ItemId.eq(channel))
        .filter(not_applying())
        .exec(transaction)
        .await?;
    Ok(changed.rows_affected > 0)
}

/// Adds the streams of a merged channel that the kept one lacks, up to the maximum. A stream that both have
/// gets the entry of the merged one, if it has none. Returns the fields for the audit log.
pub(super) async fn add_streams(
    transaction: &Transaction,
    streams: Vec<StoredStream>,
    from: Id,
    to: Id,
) -> Result<FieldDiff, DbErr> {
    let Some(before) = read_one(transaction, to).await.map_err(db_error)? else {
        return Ok(FieldDiff::default());
    };
    let mut list = before.clone();
    let mut is_changed = false;
    for (place, mut stream) in streams.into_iter().enumerate() {
        let listed = &mut list.streams.streams;
        let known = listed.iter().position(|known| known.stream.address() == stream.stream.address());
        let is_taken_over = match known {
            Some(known) => stream.entry.is_some() && listed[known].entry.is_none(),
            None => listed.len() < MOST_STREAMS,
        };
        if !is_taken_over {
            continue;
        }
        // The entry of the channel's own URL may be that of the channel, not of a stream.
        if let Some(entry) = stream.entry.filter(|_| place == 0)
            && !becomes_entry_of_stream(transaction, entry, from).await?
        {
            if known.is_some() {
                continue;
            }
            (stream.entry, stream.origin) = (None, StreamOrigin::Typed);
        }
        if let Some(known) = known {
            (listed[known].entry, listed[known].origin) = (stream.entry, stream.origin);
        } else {
            listed.push(StoredStream { number: list.next_number, ..stream });
            list.next_number += 1;
        }
        is_changed = true;
    }
    if !is_changed {
        return Ok(FieldDiff::default());
    }
    let write = ListWrite { before: &before, after: &list, keeps_first: false };
    write_lists(transaction, &[write]).await?;
    Ok(stream_diff(&before.streams, &list.streams))
}

/// Moves the decisions about the guide of a merged channel to the kept one, if it has this channel
/// of the guide, and no decision of its own.
pub(super) async fn move_decisions(transaction: &Transaction, from: Id, to: Id) -> Result<(), DbErr> {
    let has_guide_channel = Query::select()
        .expr(Expr::cust("1"))
        .from_as(TvChannels, "c")
        .and_where(of("c", ChannelColumn::TvGuideId).eq(of("epg_decisions", Decision::GuideId)))
        .and_where(of("c", ChannelColumn::EpgId).eq(of("epg_decisions", Decision::XmlId)))
        .and_where(of("c", ChannelColumn::Id).eq(to))
        .take();
    let own = Query::select()
        .expr(Expr::cust("1"))
        .from_as(Decisions, "o")
        .and_where(of("o", Decision::ChannelId).eq(to))
        .take();
    let update = Query::update()
        .table(Decisions)
        .value(Decision::ChannelId, to)
        .and_where(Decision::SheetId.is_null())
        .and_where(Decision::ChannelId.eq(from))
        .and_where(Expr::exists(has_guide_channel))
        .and_where(Expr::exists(own).not())
        .take();
    transaction.execute(&update).await.map(drop)
}
