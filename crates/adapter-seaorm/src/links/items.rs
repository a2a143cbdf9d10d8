//! Links of films and other items, stored on request. Raw SQL: the links of an item are JSON, which
//! each database parses with its own functions, and only for requested items.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id, Kind};
use domain_live::link::{Link, LinkOwner};
use ports::{CatalogueLink, ItemLinks, StoreError};
use sea_orm::{
    ConnectionTrait, DbBackend, QueryResult,
    sea_query::{ExprTrait, Order},
};

use super::{SeaOrmLinks, get, link, rows::select_links, table_of};
use crate::{
    db::{
        error::store_error,
        sql::{Sql, of},
    },
    entities::links::Column,
};

/// The links `j` of the item `m`.
fn links_of_item(backend: DbBackend) -> &'static str {
    match backend {
        DbBackend::Sqlite => "json_each(m.links) j",
        _ => "jsonb_array_elements(m.links) WITH ORDINALITY j(value, place)",
    }
}

/// A field of the link `j`.
fn field(backend: DbBackend, name: &str) -> String {
    match backend {
        DbBackend::Sqlite => format!("json_extract(j.value, '$.{name}')"),
        _ => format!("j.value ->> '{name}'"),
    }
}

/// Columns of a link `j` of the item `m`, as in the catalogue. All are probed: inactive items can
/// be requested, too.
fn columns(owner: LinkOwner, backend: DbBackend) -> String {
    let title = match owner.kind() {
        Kind::Episodes => {
            "(SELECT s.title FROM tv_shows s WHERE s.id = m.tv_show_id) || ' S' || m.season_number \
             || 'E' || m.episode_number || ': ' || m.title"
        }
        _ => "m.title",
    };
    let position = match backend {
        DbBackend::Sqlite => "j.key",
        _ => "CAST(j.place - 1 AS integer)",
    };
    let [id, url, quality] = ["id", "url", "quality"].map(|name| field(backend, name));
    format!(
        "m.id, CAST(0 AS bigint) AS stream, {id} AS link_key, {position} AS position, {quality} AS label, \
         {title} AS title, {url} AS address, TRUE AS active, FALSE AS switched_off"
    )
}

/// The links of all requested items of a kind.
pub(super) fn push_requested(sql: &mut Sql, owner: LinkOwner, backend: DbBackend) {
    let (columns, table, links) = (columns(owner, backend), table_of(owner), links_of_item(backend));
    sql.push(&format!(
        "SELECT {columns}, a.requested_at FROM (SELECT item_id, max(requested_at) AS requested_at FROM links WHERE owner = "
    ));
    sql.bind(owner.code());
    sql.push(&format!(" GROUP BY item_id) a JOIN {table} m ON m.id = a.item_id CROSS JOIN {links}"));
}

/// ` WHERE` the row `l` of the links is of an item `i` that is deleted or lacks the link.
pub(super) fn push_without_link<'a>(sql: &'a mut Sql, table: &str, backend: DbBackend) -> &'a mut Sql {
    let (links, id) = (links_of_item(backend), field(backend, "id"));
    sql.push(&format!(
        " WHERE (i.id IS NULL OR NOT EXISTS (SELECT 1 FROM {table} m CROSS JOIN {links} \
         WHERE m.id = l.item_id AND {id} = l.link_key))"
    ))
}

/// A row of links as in the catalogue.
pub(super) fn catalogue_link(
    row: &QueryResult,
    owner: LinkOwner,
    requested_at: Option<DateTime<Utc>>,
) -> Result<CatalogueLink, StoreError> {
    Ok(CatalogueLink {
        owner,
        item: get(row, "id")?,
        stream: get(row, "stream")?,
        key: get(row, "link_key")?,
        position: get(row, "position")?,
        label: get(row, "label")?,
        title: get(row, "title")?,
        address: get(row, "address")?,
        host: String::new(),
        account: String::new(),
        active: get(row, "active")?,
        switched_off: get(row, "switched_off")?,
        requested_at,
    })
}

#[async_trait]
impl ItemLinks for SeaOrmLinks {
    async fn catalogued(&self, owner: LinkOwner, item: Id) -> Result<Option<Vec<CatalogueLink>>, StoreError> {
        let backend = self.0.backend();
        let (columns, table) = (columns(owner, backend), table_of(owner));
        let links = links_of_item(backend);
        let mut sql = Sql::new(format!("SELECT {columns} FROM {table} m CROSS JOIN {links} WHERE m.id = "));
        sql.bind(item).push(" ORDER BY position");
        let rows = self.rows(sql).await?;
        let links = rows
            .iter()
            .map(|row| catalogue_link(row, owner, None))
            .collect::<Result<Vec<_>, StoreError>>()?;
        // An item has at least one link.
        Ok(Some(links).filter(|links| !links.is_empty()))
    }

    async fn request_probes(&self, links: &[CatalogueLink], now: DateTime<Utc>) -> Result<(), StoreError> {
        let requested: Vec<CatalogueLink> =
            links.iter().map(|link| CatalogueLink { requested_at: Some(now), ..link.clone() }).collect();
        if requested.is_empty() { Ok(()) } else { self.put_links(&requested, now, true).await }
    }

    async fn kept(&self, owner: LinkOwner, item: Id) -> Result<Vec<Link>, StoreError> {
        let query = select_links()
            .and_where(of("l", Column::Owner).eq(owner.code()))
            .and_where(of("l", Column::ItemId).eq(item))
            .order_by(("l", Column::Position), Order::Asc)
            .order_by(("l", Column::Id), Order::Asc)
            .take();
        self.0.reader.query_all(&query).await.map_err(store_error)?.iter().map(link).collect()
    }
}
