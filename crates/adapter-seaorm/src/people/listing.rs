//! The list of users.

use domain_kernel::{FilterValue, ListQuery, Page, fold};
use domain_users::{ExpiryFilter, Person, Scope};
use ports::StoreError;
use sea_orm::{ConnectionTrait, DbBackend};

use super::{COLUMNS, SeaOrmPeople, person, push_scope};
use crate::{
    error::store_error,
    paging::{Order, PageWindow, number_of_all, ordered, page},
    sql::{Sql, like_pattern, match_phrase},
};

/// What looking a row up costs, in entries of an index walked over.
const LOOK_UP: u64 = 20;

/// Counted by shards (migration 14).
const EVERYBODY: &str = "SELECT CAST(coalesce(sum(total), 0) AS bigint) FROM users_counts";

/// The ids of the users who are found by this text. Three letters and more come out of the trigram index.
pub(crate) fn push_found(sql: &mut Sql, backend: DbBackend, text: &str) {
    let text = fold(text);
    match backend {
        DbBackend::Sqlite if text.chars().count() >= 3 => {
            sql.push("SELECT rowid FROM users_search WHERE users_search MATCH ").bind(match_phrase(&text));
        }
        DbBackend::Sqlite => {
            sql.push("SELECT f.id FROM users f WHERE instr(f.search_text, ").bind(text).push(") > 0");
        }
        _ => {
            sql.push("SELECT f.id FROM users f WHERE f.search_text LIKE ").bind(like_pattern(&text));
            sql.push(r" ESCAPE '\'");
        }
    }
}

/// Looks in the rows of a subtree one by one: they are few beside all who say the same.
fn push_says(sql: &mut Sql, backend: DbBackend, text: &str) {
    let text = fold(text);
    if backend == DbBackend::Sqlite {
        sql.push(" AND instr(m.search_text, ").bind(text).push(") > 0");
    } else {
        sql.push(" AND m.search_text LIKE ").bind(like_pattern(&text)).push(r" ESCAPE '\'");
    }
}

fn column(field: &str, backend: DbBackend) -> String {
    match (field, backend) {
        ("username", _) => "m.username_key".into(),
        ("fullName", _) => "m.full_name_key".into(),
        ("expirationDate", DbBackend::Sqlite) => "coalesce(m.expiration_date, '~')".into(),
        ("expirationDate", _) => "coalesce(m.expiration_date, 'infinity')".into(),
        ("saleCredits", _) => "m.sale_credits".into(),
        ("signIns", _) => "m.sign_ins".into(),
        ("createdDate", _) => "m.created_date".into(),
        ("updatedDate", _) => "m.updated_date".into(),
        (other, _) => format!("m.{other}"),
    }
}

impl SeaOrmPeople {
    pub(super) async fn page(
        &self,
        scope: &Scope,
        query: &ListQuery,
        deadline: Option<ExpiryFilter>,
    ) -> Result<Page<Vec<Person>>, StoreError> {
        let backend = self.0.backend();
        let connection = &self.0.reader;
        let counted = *scope == Scope::Everyone && query.search.is_none() && deadline.is_none();
        let mut sql = Sql::new(if counted {
            "SELECT CAST(coalesce(sum(m.total), 0) AS bigint) AS total FROM users_counts m"
        } else {
            "SELECT count(*) AS total FROM users m"
        });
        self.push_conditions(&mut sql, scope, query, deadline, false);
        // A search of everybody is counted by the search index alone.
        let alone = *scope == Scope::Everyone && deadline.is_none() && query.filters.is_empty();
        if let Some(text) = query.search.as_deref().filter(|text| alone && !fold(text).is_empty()) {
            sql = Sql::new("SELECT count(*) AS total FROM (");
            push_found(&mut sql, backend, text);
            sql.push(") found");
        }
        let (total, whole) = number_of_all(connection, sql, EVERYBODY).await?;
        let Some(stretch) = PageWindow::of(query, total) else {
            return page(query, Vec::new(), total, person);
        };

        // Whoever has a deadline has an expiration: the filter's own index is in that order.
        let column = |field: &str| match field {
            "expirationDate" if deadline.is_some() => "m.expiration_date".to_owned(),
            other => column(other, backend),
        };
        let mut order: Order = query.sort.iter().map(|sort| (column(&sort.field), sort.descending)).collect();
        let direction = order.last().is_some_and(|(_, descending)| *descending);
        order.push(("m.id".to_owned(), direction));
        let walks = self.walks(query, deadline, stretch, total, whole);
        let mut sql = Sql::new(format!("SELECT {COLUMNS} FROM (SELECT m.id AS id FROM users m"));
        self.push_conditions(&mut sql, scope, query, deadline, walks);
        sql.push(&format!(" ORDER BY {}", ordered(&order, stretch.from_end)));
        stretch.push(&mut sql);
        sql.push(") p JOIN users m ON m.id = p.id LEFT JOIN users r ON r.id = m.registered_by_id ORDER BY ");
        sql.push(&ordered(&order, false));
        let rows = connection.query_all_raw(sql.statement(backend)).await.map_err(store_error)?;
        page(query, rows, total, person)
    }

    /// Whether SQLite is kept from gathering all who fit and sorting them: walking along the order and testing is
    /// cheaper where many fit. (PostgreSQL knows from its statistics.)
    fn walks(
        &self,
        query: &ListQuery,
        deadline: Option<ExpiryFilter>,
        stretch: PageWindow,
        total: u64,
        whole: u64,
    ) -> bool {
        let narrows = deadline.is_some() || !query.filters.is_empty();
        let ordered =
            query.sort.first().is_some_and(|sort| sort.field == "expirationDate") && deadline.is_some();
        self.0.backend() == DbBackend::Sqlite
            && narrows
            && !ordered
            && stretch.walked().saturating_mul(whole) / total.max(1) * LOOK_UP < total
    }

    fn push_conditions(
        &self,
        sql: &mut Sql,
        scope: &Scope,
        query: &ListQuery,
        deadline: Option<ExpiryFilter>,
        walks: bool,
    ) {
        sql.push(" WHERE ");
        push_scope(sql, scope);
        // A plus keeps SQLite from leaving the order's index for the filter's.
        let keep = if walks { "+" } else { "" };
        if let Some(text) = query.search.as_deref().filter(|text| !fold(text).is_empty()) {
            if matches!(scope, Scope::SubtreeOf(_)) {
                push_says(sql, self.0.backend(), text);
            } else {
                sql.push(" AND m.id IN (");
                push_found(sql, self.0.backend(), text);
                sql.push(")");
            }
        }
        if let Some(deadline) = deadline {
            sql.push(&format!(" AND {keep}m.role = 'app' AND {keep}m.expiration_date < "))
                .bind(deadline.before());
            if let Some(from) = deadline.from() {
                sql.push(&format!(" AND {keep}m.expiration_date >= ")).bind(from);
            }
        }
        for filter in &query.filters {
            let column = if filter.field == "roleCode" { "role" } else { "status" };
            if let FilterValue::Code(code) = filter.value {
                sql.push(&format!(" AND {keep}m.{column} = ")).bind(code);
            }
        }
    }
}
