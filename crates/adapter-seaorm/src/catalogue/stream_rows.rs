//! Rows of streams: their columns, and the rows that a change of the streams replaces, which are
//! kept for earlier versions of the channel.

use std::collections::HashMap;

use domain_catalogue::{ChannelStream, Failover};
use domain_kernel::{Enumeration, Id, Version};
use ports::{ReplacedStreams, StoreError, StoredStreams};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QueryOrder, QueryResult,
    QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Func, Order, Query, SelectStatement, UnionType},
};

use super::tv_channels::{Column as ChannelColumn, Entity as TvChannels};
use crate::{
    db::{
        error::store_error,
        sql::{insert_from, of},
        transaction::Transaction,
        values::{get, json, member},
    },
    entities::{
        channel_stream_lists::{Column as ListColumn, Entity as Lists},
        channel_stream_versions::{Column as VersionColumn, Entity as Versions},
        channel_streams::{Column, Entity},
    },
};

/// Adds the columns that [`stream_in`] reads, of streams or of replaced ones, which have the same.
pub(super) fn select_stream(select: &mut SelectStatement, table: &'static str) {
    select
        .exprs(
            [Column::Position, Column::Label, Column::Quality, Column::Headers]
                .map(|column| of(table, column)),
        )
        .expr_as(of(table, Column::UrlType), "stream_type")
        .expr_as(of(table, Column::Url), "stream_url");
}

/// The stream of a row.
pub(super) fn stream_in(row: &QueryResult) -> Result<ChannelStream, StoreError> {
    let quality: Option<String> = get(row, "quality")?;
    Ok(ChannelStream {
        label: get(row, "label")?,
        quality: quality.as_deref().map(member).transpose()?,
        url_type: member(&get::<String>(row, "stream_type")?)?,
        url: get(row, "stream_url")?,
        headers: json(&get::<String>(row, "headers")?)?,
    })
}

/// Whether the streams of a channel are others after a write.
pub(super) fn are_replaced(before: &StoredStreams, after: &StoredStreams) -> bool {
    before.draft() != after.draft()
}

/// Stores the present streams of locked channels, which have their new versions already, as those before these
/// versions. Only the first write of a version replaces those of an earlier one. All tables are read by the beginnings
/// of their primary keys.
pub(super) async fn store_replaced(transaction: &Transaction, channels: &[Id]) -> Result<(), DbErr> {
    if channels.is_empty() {
        return Ok(());
    }
    let channel = |column: ChannelColumn| of("c", column);
    let stream = |column: Column| of("s", column);
    let first = Func::coalesce([stream(Column::Position), 0.into()]);
    let failover = Func::coalesce([of("f", ListColumn::Failover), Failover::Manual.code().into()]);
    let values = vec![
        (VersionColumn::ChannelId, channel(ChannelColumn::Id)),
        (VersionColumn::ReplacedBy, channel(ChannelColumn::Version)),
        (VersionColumn::Position, first.into()),
        (VersionColumn::Failover, failover.into()),
        (VersionColumn::Label, stream(Column::Label)),
        (VersionColumn::Quality, stream(Column::Quality)),
        (VersionColumn::UrlType, stream(Column::UrlType)),
        (VersionColumn::Url, stream(Column::Url)),
        (VersionColumn::Headers, stream(Column::Headers)),
        (VersionColumn::ReplacedAt, channel(ChannelColumn::UpdatedDate)),
    ];
    let stored = Query::select()
        .expr(of("v", VersionColumn::ChannelId))
        .from_as(Versions, "v")
        .and_where(of("v", VersionColumn::ChannelId).eq(channel(ChannelColumn::Id)))
        .and_where(of("v", VersionColumn::ReplacedBy).eq(channel(ChannelColumn::Version)))
        .take();
    let is_list = of("f", ListColumn::ChannelId).eq(channel(ChannelColumn::Id));
    let is_stream = stream(Column::ChannelId).eq(channel(ChannelColumn::Id));
    let present = Query::select()
        .from_as(TvChannels, "c")
        .join_as(JoinType::LeftJoin, Lists, "f", is_list)
        .join_as(JoinType::LeftJoin, Entity, "s", is_stream)
        .and_where(Expr::exists(stored).not())
        .and_where(channel(ChannelColumn::Id).is_in(channels.iter().copied()))
        .take();
    transaction.execute(&insert_from(Versions, values, present)).await.map(drop)
}

/// Streams of which no row has been read.
pub(super) fn without_rows() -> ReplacedStreams {
    ReplacedStreams { replaced_by: None, failover: Failover::Manual, first: None, further: Vec::new() }
}

/// Adds the stream of a row, if it has one.
fn add_row(found: &mut ReplacedStreams, row: &QueryResult) -> Result<(), StoreError> {
    found.failover = member(&get::<String>(row, "failover")?)?;
    if get::<Option<String>>(row, "stream_url")?.is_none() {
        return Ok(());
    }
    let stream = stream_in(row)?;
    if get::<i32>(row, "position")? == 0 {
        found.first = Some(stream);
    } else {
        found.further.push(stream);
    }
    Ok(())
}

/// The lists of these channels, a row for each stream: `channel_id`, `failover` and the columns of [`stream_in`], which
/// are null in the only row of a list without streams. Lists are read by their primary key, streams by
/// `channel_streams_by_position`.
pub(super) async fn rows_of_lists(
    connection: &impl ConnectionTrait,
    channels: impl IntoIterator<Item = Id>,
) -> Result<Vec<QueryResult>, DbErr> {
    let mut select = Lists::find()
        .select_only()
        .columns([ListColumn::ChannelId, ListColumn::Failover])
        .left_join(Entity)
        .filter(ListColumn::ChannelId.is_in(channels))
        .order_by_asc(ListColumn::ChannelId)
        .order_by_asc(Column::Position)
        .into_query();
    select_stream(&mut select, "channel_streams");
    connection.query_all(&select).await
}

/// The rows that these channels have of their streams; channels without a list are left out.
pub(super) async fn present_rows(
    connection: &impl ConnectionTrait,
    channels: &[Id],
) -> Result<HashMap<Id, ReplacedStreams>, StoreError> {
    let rows = rows_of_lists(connection, channels.iter().copied()).await.map_err(store_error)?;
    let mut found = HashMap::with_capacity(channels.len());
    for row in &rows {
        add_row(found.entry(get::<Id>(row, "channel_id")?).or_insert_with(without_rows), row)?;
    }
    Ok(found)
}

/// The rows of a channel's streams in a version: those that the first change after it replaced, or
/// the present ones. One statement, so that no write comes between the two.
pub(super) async fn stored_in(
    connection: &impl ConnectionTrait,
    channel: Id,
    version: Version,
) -> Result<ReplacedStreams, StoreError> {
    let later = Query::select()
        .from_as(Versions, "o")
        .and_where(of("o", VersionColumn::ChannelId).eq(channel))
        .and_where(of("o", VersionColumn::ReplacedBy).gt(version))
        .take();
    let first_later = later.clone().expr(of("o", VersionColumn::ReplacedBy).min()).take();
    let any_later = later.clone().expr(of("o", VersionColumn::ReplacedBy)).take();
    let mut present = Query::select()
        .expr(Expr::null())
        .expr(of("f", ListColumn::Failover))
        .from_as(Lists, "f")
        .join_as(
            JoinType::LeftJoin,
            Entity,
            "s",
            of("s", Column::ChannelId).eq(of("f", ListColumn::ChannelId)),
        )
        .and_where(Expr::exists(any_later).not())
        .and_where(of("f", ListColumn::ChannelId).eq(channel))
        .take();
    select_stream(&mut present, "s");
    let mut select = Query::select()
        .exprs([VersionColumn::ReplacedBy, VersionColumn::Failover].map(|column| of("v", column)))
        .from_as(Versions, "v")
        .and_where(of("v", VersionColumn::ChannelId).eq(channel))
        .and_where(of("v", VersionColumn::ReplacedBy).eq(first_later))
        .take();
    select_stream(&mut select, "v");
    select.union(UnionType::All, present).order_by(Column::Position, Order::Asc);
    let mut found = without_rows();
    for row in &connection.query_all(&select).await.map_err(store_error)? {
        found.replaced_by = get(row, "replaced_by")?;
        add_row(&mut found, row)?;
    }
    Ok(found)
}
