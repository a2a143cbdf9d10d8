//! What refers to one item is made to refer to another.

use domain_kernel::Id;
use ports::{Edit, StoreError};
use sea_orm::{ConnectionTrait, DbBackend};

use super::{
    SeaOrmContents,
    table::{ContentTable, ReferringColumn},
};
use crate::db::{
    error::{is_serialization_failure, store_error},
    retries::tried,
    sql::Sql,
};

/// Items changed by one statement, so that nobody waits long for it.
const BATCH: i64 = 500;

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn move_all(&self, from: Id, to: Id, edit: &Edit) -> Result<u64, StoreError> {
        let mut moved = 0;
        for (referrer, by) in
            T::referrers().into_iter().filter_map(|referrer| referrer.by.map(|by| (referrer, by)))
        {
            loop {
                let sql = self.batch(super::table(referrer.kind), by, (from, to), edit);
                let statement = sql.statement(self.database.backend());
                let writer = &self.database.writer;
                let changed = tried(is_serialization_failure, || writer.execute_raw(statement.clone())).await;
                let changed = changed.map_err(store_error)?.rows_affected();
                moved += changed;
                if changed == 0 {
                    break;
                }
            }
        }
        Ok(moved)
    }

    fn batch(&self, table: &str, by: ReferringColumn, (from, to): (Id, Id), edit: &Edit) -> Sql {
        let mut sql = Sql::new(format!("UPDATE {table} SET version = version + 1, updated_date = "));
        sql.bind(edit.at).push(", updated_by = ").bind(edit.by.clone());
        match by {
            ReferringColumn::Id(column) => {
                sql.push(&format!(", {column} = ")).bind(to);
                sql.push(&format!(" WHERE id IN (SELECT o.id FROM {table} o WHERE o.{column} = ")).bind(from);
                sql.push(" ORDER BY o.id LIMIT ").bind(BATCH).push(")");
            }
            ReferringColumn::Categories => {
                sql.push(", categories = ");
                self.push_exchanged(&mut sql, table, from, to);
                sql.push(
                    " WHERE id IN (SELECT o.channel_id FROM tv_channel_categories o WHERE o.category_id = ",
                );
                sql.bind(from).push(" ORDER BY o.channel_id LIMIT ").bind(BATCH).push(")");
            }
        }
        sql
    }

    /// The array with one id in the place of another, in its order, each id once.
    fn push_exchanged(&self, sql: &mut Sql, table: &str, from: Id, to: Id) {
        if self.database.backend() == DbBackend::Sqlite {
            sql.push("(SELECT json_group_array(g.id) FROM (SELECT CASE e.value WHEN ").bind(from);
            sql.push(" THEN ").bind(to).push(" ELSE e.value END AS id FROM json_each(");
            sql.push(&format!("{table}.categories) e GROUP BY 1 ORDER BY min(e.key)) g)"));
        } else {
            sql.push(
                "(SELECT jsonb_agg(g.id ORDER BY g.place) FROM (SELECT CASE CAST(e.value AS bigint) WHEN ",
            );
            sql.bind(from).push(" THEN ").bind(to).push(" ELSE CAST(e.value AS bigint) END AS id, ");
            sql.push(&format!(
                "min(e.place) AS place FROM jsonb_array_elements_text({table}.categories) \
                 WITH ORDINALITY e(value, place) GROUP BY 1) g)"
            ));
        }
    }
}
