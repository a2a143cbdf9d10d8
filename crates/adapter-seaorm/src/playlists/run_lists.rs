//! Lists of a source's runs, and of a run's rejected lines.

use domain_kernel::{FilterValue, Id};
use domain_live::run::PlaylistRun;
use ports::{LeftOut, StoreError};
use sea_orm::{FromQueryResult, QueryResult};

use super::{SeaOrmPlaylists, member, run_of};
use crate::{
    db::{error::store_error, sql::Sql},
    entities::{playlist_run_lines as lines, playlist_runs::Model},
    list::{AccessPath, ListRequest, ListTable, rows_of_list},
};

/// The runs of a source.
pub(super) struct RunList(pub(super) Id);

impl ListTable for RunList {
    type Row = PlaylistRun;

    const TABLE: &'static str = "playlist_runs";
    const ALIAS: &'static str = "r";
    const COLUMNS: &'static str = "r.id, r.source_id, r.state, r.scheduled, r.file_name, r.accept_loss, r.attempt, \
         r.created_by, r.created_date, r.finished_date, r.fault, r.status_code, r.limit_value, r.counts, r.guides, \
         r.operations, r.waits_for_apply, r.apply_fault";
    const DEFAULT_ORDER: (&'static str, bool) = ("r.id", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> =
        |row| run_of(Model::from_query_result(row, "").map_err(store_error)?);

    fn push_conditions(&self, sql: &mut Sql, _request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE r.source_id = ").bind(self.0);
    }
}

/// The rejected lines of a run.
pub(super) struct LineList(pub(super) Id);

rows_of_list!(SeaOrmPlaylists, 0, Id, LeftOut, |store, run| LineList(*run));

impl ListTable for LineList {
    type Row = LeftOut;

    const TABLE: &'static str = "playlist_run_lines";
    const ALIAS: &'static str = "l";
    const COLUMNS: &'static str = "l.id, l.run_id, l.line, l.change, l.reason, l.name, l.of_line";
    const DEFAULT_ORDER: (&'static str, bool) = ("l.id", false);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = |row| {
        let row = lines::Model::from_query_result(row, "").map_err(store_error)?;
        let line = |line: i64| u32::try_from(line).unwrap_or_default();
        Ok(LeftOut {
            line: line(row.line),
            change: member(&row.change)?,
            reason: row.reason,
            name: row.name,
            of_line: row.of_line.map(line),
        })
    };

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE l.run_id = ").bind(self.0);
        for filter in &request.query.filters {
            if let FilterValue::Code(code) = filter.value {
                sql.push(" AND l.change = ").bind(code);
            }
        }
    }
}
