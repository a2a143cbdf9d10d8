//! The list of links.

use domain_kernel::{Enumeration, FilterValue};
use domain_live::link::{Link, Redundancy};
use ports::StoreError;
use sea_orm::QueryResult;

use super::{LINK, MAY_PLAY, SeaOrmLinks, link};
use crate::{
    db::sql::Sql,
    list::{AccessPath, ListRequest, ListTable, rows_of_list},
};

pub(super) struct LinkList;

rows_of_list!(SeaOrmLinks, 0, (), Link, |store, _filter| LinkList);

impl ListTable for LinkList {
    type Row = Link;

    const TABLE: &'static str = "links";
    const ALIAS: &'static str = "l";
    const COLUMNS: &'static str = LINK;
    const SORTS: &'static [(&'static str, &'static str)] =
        &[("title", "title_key"), ("host", "host"), ("since", "since"), ("probedAt", "probed_at")];
    const NULLABLE: &'static [&'static str] = &["l.probed_at"];
    const DEFAULT_ORDER: (&'static str, bool) = ("l.since", true);
    const READ: fn(&QueryResult) -> Result<Link, StoreError> = link;

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE 1 = 1");
        for filter in &request.query.filters {
            match &filter.value {
                // Like the counts: of the links for viewers.
                FilterValue::Codes(codes) => {
                    sql.push(" AND l.active AND l.state IN (")
                        .bind_all(codes.iter().copied().map(str::to_owned))
                        .push(")");
                }
                FilterValue::Code(code) if filter.field == "redundancy" => {
                    let playing = i64::from(*code == Redundancy::Single.code());
                    sql.push(&format!(
                        " AND l.active AND l.owner = 'tv-channels' AND (SELECT count(*) FROM links o WHERE o.owner = l.owner \
                         AND o.item_id = l.item_id AND {MAY_PLAY}) = ",
                    ));
                    sql.bind(playing);
                }
                FilterValue::Code(code) => {
                    sql.push(&format!(" AND l.{} = ", filter.field)).bind(*code);
                }
                FilterValue::Text(host) => {
                    sql.push(" AND l.active AND l.host = ").bind(host.trim().to_lowercase());
                }
                _ => {}
            }
        }
        if let Some(text) = request.search.text() {
            sql.push(" AND ").push_like("l.title_key", text);
        }
    }
}
