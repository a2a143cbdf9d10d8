//! The history: movements as people read them, within a scope. The issuer's entries are not shown.

use chrono::{DateTime, Utc};
use domain_credits::{CreditType, Movement, Named, OperationType};
use domain_kernel::{Id, ListQuery, Page, Username, fold};
use domain_users::Scope;
use ports::StoreError;
use sea_orm::{ConnectionTrait, QueryResult};

use super::SeaOrmLedger;
use crate::{
    error::store_error,
    paging::{Order, PageWindow, number, number_of_all, ordered, page},
    people::{find_in, push_found, push_scope, username},
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

/// The same, for entries that are walked along: each is tested against the scope, and none is sorted.
fn push_is_within(sql: &mut Sql, scope: &Scope) {
    let Scope::SubtreeOf(agent) = scope else { return push_within(sql, scope) };
    sql.push("EXISTS (SELECT 1 FROM users m WHERE m.id = +e.user_id AND (");
    push_scope(sql, scope);
    sql.push(" OR m.username_key = ").bind(agent.key()).push("))");
}

fn column(field: &str) -> &'static str {
    match field {
        "amount" => "abs(e.delta)",
        "operationDate" => "e.operation_date",
        _ => "e.id",
    }
}

const WHOLE: &str = "SELECT CAST(coalesce(sum(total), 0) AS bigint) AS total FROM entries_counts";

/// Which of the movements that a search finds, and how.
#[derive(Clone, Copy)]
enum Part {
    /// Those of people who are found.
    Targets,
    /// Those of others, made by people who are found.
    Performers,
    /// All, each tested along the order: good where many fit.
    Tested,
    /// All, gathered and then put in order: good where few do.
    Gathered,
    /// No search: each entry in order is tested for its owner, which is fast for the first of many.
    Walked,
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
        // What a search and an agent's history choose their way by is how many there are in all.
        let counting = self.total(scope, of, query);
        let narrow = query.search.is_some() || (of.is_none() && *scope != Scope::Everyone);
        let (total, whole) = if narrow {
            number_of_all(connection, counting, WHOLE).await?
        } else {
            (number(connection, counting, "total").await?, 0)
        };
        let Some(stretch) = PageWindow::of(query, total) else {
            return page(query, Vec::new(), total, movement).map(Some);
        };
        let mut order: Order =
            query.sort.iter().map(|sort| (column(&sort.field).to_owned(), sort.descending)).collect();
        if order.is_empty() {
            order.push(("e.operation_date".into(), true));
        }
        let direction = order.last().is_none_or(|(_, descending)| *descending);
        order.push(("e.id".into(), direction));
        let walks = stretch.walked().saturating_mul(whole) / total.max(1) < total;
        let mut sql = Sql::new(format!("SELECT {COLUMNS} FROM (SELECT e.id AS id FROM entries e WHERE "));
        let part = match query.search {
            None if walks && narrow => Part::Walked,
            Some(_) if !walks => Part::Gathered,
            _ => Part::Tested,
        };
        self.push_conditions(&mut sql, scope, of, query, part);
        sql.push(&format!(" ORDER BY {}", ordered(&order, stretch.from_end)));
        stretch.push(&mut sql);
        sql.push(&format!(") x JOIN entries e ON e.id = x.id {JOINS} ORDER BY {}", ordered(&order, false)));
        let rows = connection.query_all_raw(sql.statement(backend)).await.map_err(store_error)?;
        page(query, rows, total, movement).map(Some)
    }

    /// How many there are: counted by shards for everybody, by the person's own counters for one, by rows for a search.
    fn total(&self, scope: &Scope, of: Option<&Username>, query: &ListQuery) -> Sql {
        if query.search.as_deref().is_some_and(|text| !fold(text).is_empty()) {
            // Targets, and performers on other targets: two stretches of two indexes, where one condition would read
            // every entry.
            let mut sql = Sql::new("SELECT (SELECT count(*) FROM entries e WHERE ");
            self.push_conditions(&mut sql, scope, of, query, Part::Targets);
            sql.push(") + (SELECT count(*) FROM entries e WHERE ");
            self.push_conditions(&mut sql, scope, of, query, Part::Performers);
            sql.push(") AS total");
            return sql;
        }
        match (of, scope) {
            (Some(of), _) => {
                let mut sql = Sql::new("SELECT app_seq + sale_seq AS total FROM users WHERE username_key = ");
                sql.bind(of.key());
                sql
            }
            (None, Scope::Everyone) => Sql::new(WHOLE),
            (None, _) => {
                let mut sql = Sql::new("SELECT count(*) AS total FROM entries e WHERE ");
                push_within(&mut sql, scope);
                sql
            }
        }
    }

    fn push_conditions(
        &self,
        sql: &mut Sql,
        scope: &Scope,
        of: Option<&Username>,
        query: &ListQuery,
        part: Part,
    ) {
        match of {
            // Tested before their visibility.
            Some(of) => {
                sql.push("e.user_id = (SELECT id FROM users WHERE username_key = ").bind(of.key()).push(")");
            }
            // Entries found by user are not the issuer's; stated twice, it would lead SQLite to the wrong index.
            None if *scope == Scope::Everyone && matches!(part, Part::Targets | Part::Gathered) => {
                sql.push("1 = 1");
            }
            None if matches!(part, Part::Walked) => push_is_within(sql, scope),
            None => push_within(sql, scope),
        }
        let Some(text) = query.search.as_deref().filter(|text| !fold(text).is_empty()) else { return };
        let backend = self.database.backend();
        let found = |sql: &mut Sql, before: &str| {
            sql.push(before).push(" (");
            push_found(sql, backend, text);
            sql.push(")");
        };
        match part {
            Part::Targets => found(sql, " AND e.user_id IN"),
            Part::Performers => {
                found(sql, " AND e.performer_id IN");
                found(sql, " AND e.user_id NOT IN");
            }
            Part::Tested => {
                // The plus keeps SQLite on the index of the order.
                found(sql, " AND (+e.user_id IN");
                found(sql, " OR +e.performer_id IN");
                sql.push(")");
            }
            Part::Gathered => {
                found(sql, " AND e.id IN (SELECT t.id FROM entries t WHERE t.user_id IN");
                found(
                    sql,
                    " UNION SELECT p.id FROM entries p WHERE p.user_id IS NOT NULL AND p.performer_id IN",
                );
                sql.push(")");
            }
            // Without a search there is nothing more to ask.
            Part::Walked => {}
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
