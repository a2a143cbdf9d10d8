//! The history: movements as people read them, within a scope. The house's entries are not shown.

use chrono::{DateTime, Utc};
use domain_credits::{CreditType, Movement, Named, OperationType};
use domain_kernel::{Id, ListQuery, Page, Username, fold};
use domain_users::Scope;
use ports::StoreError;
use sea_orm::{ConnectionTrait, QueryResult};

use super::SeaOrmLedger;
use crate::{
    error::store_error,
    paging::{Order, Stretch, number, ordered, page},
    people::{find_in, push_scope, push_search, username},
    sql::Sql,
};

/// What is read of a movement `e`: its operation `o`, whose balance moved `t`, who did it `p`.
const COLUMNS: &str = "e.id, e.operation_id, e.operation_date, t.username AS target, t.full_name AS target_name, \
     p.username AS performer, p.full_name AS performer_name, e.account, e.delta, e.balance_before, e.balance_after, \
     o.reason, e.expiration_before, e.expiration_after, o.reverses_id, e.imported, \
     EXISTS (SELECT 1 FROM operations b WHERE b.reverses_id = o.id) AS reversed";
const JOINS: &str = "JOIN operations o ON o.id = e.operation_id JOIN users t ON t.id = e.user_id \
     JOIN users p ON p.id = e.performer_id";

fn movement(row: &QueryResult) -> Result<Movement, StoreError> {
    let text = |column: &str| row.try_get::<String>("", column).map_err(store_error);
    let number = |column: &str| row.try_get::<i64>("", column).map_err(store_error);
    let date = |column: &str| row.try_get::<Option<DateTime<Utc>>>("", column).map_err(store_error);
    let flag = |column: &str| row.try_get::<bool>("", column).map_err(store_error);
    let for_sale = text("account")? == "SALE";
    let delta = number("delta")?;
    Ok(Movement {
        id: number("id")?,
        operation_id: number("operation_id")?,
        operation_date: row.try_get("", "operation_date").map_err(store_error)?,
        target_user: Named { username: username(&text("target")?)?, full_name: text("target_name")? },
        performed_by_user: Named {
            username: username(&text("performer")?)?,
            full_name: text("performer_name")?,
        },
        operation_type: OperationType::of_change(for_sale, delta),
        credit_type: if for_sale { CreditType::Sale } else { CreditType::Normal },
        amount: delta.abs(),
        balance_before: number("balance_before")?,
        balance_after: number("balance_after")?,
        reason: row.try_get("", "reason").map_err(store_error)?,
        expiration_before: date("expiration_before")?,
        expiration_after: date("expiration_after")?,
        reverses_operation_id: row.try_get("", "reverses_id").map_err(store_error)?,
        reversed: flag("reversed")?,
        imported: flag("imported")?,
    })
}

/// A movement, whoever asks.
pub(super) async fn movement_of(
    connection: &impl ConnectionTrait,
    id: Id,
) -> Result<Option<Movement>, StoreError> {
    let mut sql = Sql::new(format!("SELECT {COLUMNS} FROM entries e {JOINS} WHERE e.id = "));
    sql.bind(id);
    let row = connection.query_one_raw(sql.statement(connection.get_database_backend())).await;
    row.map_err(store_error)?.as_ref().map(movement).transpose()
}

/// A condition on the movement `e`: of somebody in the scope, or of the agent themselves.
fn push_within(sql: &mut Sql, scope: &Scope) {
    let Scope::SubtreeOf(agent) = scope else {
        sql.push(if *scope == Scope::Everyone { "e.user_id IS NOT NULL" } else { "1 = 0" });
        return;
    };
    sql.push("e.user_id IN (SELECT m.id FROM users m WHERE ");
    push_scope(sql, scope);
    sql.push(" UNION ALL SELECT a.id FROM users a WHERE a.username_key = ").bind(agent.key()).push(")");
}

fn column(field: &str) -> &'static str {
    match field {
        "amount" => "abs(e.delta)",
        "operationDate" => "e.operation_date",
        _ => "e.id",
    }
}

impl SeaOrmLedger {
    pub(super) async fn page(
        &self,
        scope: &Scope,
        of: Option<&Username>,
        query: &ListQuery,
    ) -> Result<Option<Page<Vec<Movement>>>, StoreError> {
        let connection = &self.database.reader;
        let backend = self.database.backend();
        if let Some(of) = of
            && find_in(connection, scope, of).await?.is_none()
        {
            return Ok(None);
        }
        let total = number(connection, self.total(scope, of, query), "total").await?;
        let Some(stretch) = Stretch::of(query, total) else {
            return page(query, Vec::new(), total, movement).map(Some);
        };
        let mut order: Order =
            query.sort.iter().map(|sort| (column(&sort.field).to_owned(), sort.descending)).collect();
        if order.is_empty() {
            order.push(("e.operation_date".into(), true));
        }
        let direction = order.last().is_none_or(|(_, descending)| *descending);
        order.push(("e.id".into(), direction));
        let mut sql = Sql::new(format!("SELECT {COLUMNS} FROM (SELECT e.id AS id FROM entries e"));
        self.push_conditions(&mut sql, scope, of, query);
        sql.push(&format!(" ORDER BY {}", ordered(&order, stretch.from_end)));
        stretch.push(&mut sql);
        sql.push(&format!(") x JOIN entries e ON e.id = x.id {JOINS} ORDER BY {}", ordered(&order, false)));
        let rows = connection.query_all_raw(sql.statement(backend)).await.map_err(store_error)?;
        page(query, rows, total, movement).map(Some)
    }

    /// How many there are: counted by shards for everybody, by the person's own counters for one, by rows for a search.
    fn total(&self, scope: &Scope, of: Option<&Username>, query: &ListQuery) -> Sql {
        let searches = query.search.is_some();
        match (of, scope) {
            (Some(of), _) if !searches => {
                let mut sql = Sql::new("SELECT app_seq + sale_seq AS total FROM users WHERE username_key = ");
                sql.bind(of.key());
                sql
            }
            (None, Scope::Everyone) if !searches => {
                Sql::new("SELECT CAST(coalesce(sum(total), 0) AS bigint) AS total FROM entries_counts")
            }
            _ => {
                let mut sql = Sql::new("SELECT count(*) AS total FROM entries e");
                self.push_conditions(&mut sql, scope, of, query);
                sql
            }
        }
    }

    fn push_conditions(&self, sql: &mut Sql, scope: &Scope, of: Option<&Username>, query: &ListQuery) {
        sql.push(" WHERE ");
        match of {
            // Asked before whether they may be seen.
            Some(of) => {
                sql.push("e.user_id = (SELECT id FROM users WHERE username_key = ").bind(of.key()).push(")");
            }
            None => push_within(sql, scope),
        }
        if let Some(text) = query.search.as_deref().filter(|text| !fold(text).is_empty()) {
            for (word, column) in [(" AND (", "e.user_id"), (" OR ", "e.performer_id")] {
                sql.push(word).push(column).push(" IN (SELECT m.id FROM users m WHERE ");
                push_search(sql, self.database.backend(), text);
                sql.push(")");
            }
            sql.push(")");
        }
    }

    pub(super) async fn count_of(&self, scope: &Scope, of: &Username) -> Result<Option<u64>, StoreError> {
        if find_in(&self.database.reader, scope, of).await?.is_none() {
            return Ok(None);
        }
        let mut sql = Sql::new("SELECT app_seq + sale_seq AS total FROM users WHERE username_key = ");
        sql.bind(of.key());
        number(&self.database.reader, sql, "total").await.map(Some)
    }

    pub(super) async fn movement(&self, scope: &Scope, id: Id) -> Result<Option<Movement>, StoreError> {
        let mut sql = Sql::new(format!("SELECT {COLUMNS} FROM entries e {JOINS} WHERE e.id = "));
        sql.bind(id).push(" AND ");
        push_within(&mut sql, scope);
        let row = self.database.reader.query_one_raw(sql.statement(self.database.backend())).await;
        row.map_err(store_error)?.as_ref().map(movement).transpose()
    }
}
