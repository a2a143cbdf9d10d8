//! Pages of lists that are read row by row: people, movements. (Lists of content are built as JSON by the database and
//! have their own machinery, `contents`.) A page costs two statements: the total, then the rows; rows are found along
//! a narrow index from the nearer end and looked up last. (The history of one person asks first whether they are seen.)

use domain_kernel::{ListQuery, Page};
use ports::StoreError;
use sea_orm::{ConnectionTrait, QueryResult};

use crate::{error::store_error, sql::Sql};

/// One column of an order: its SQL, and whether the largest comes first.
pub(crate) type Order = Vec<(String, bool)>;

/// `ORDER BY` in this order, or in its reverse.
pub(crate) fn ordered(order: &Order, reversed: bool) -> String {
    let part = |(column, descending): &(String, bool)| {
        format!("{column} {}", if *descending == reversed { "ASC" } else { "DESC" })
    };
    order.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// Where the rows of a page stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageWindow {
    /// Counted from the end of the list.
    pub(crate) from_end: bool,
    skipped: u64,
    size: u64,
}

impl PageWindow {
    /// The stretch that a query asks for; `None` past the end.
    pub(crate) fn of(query: &ListQuery, total: u64) -> Option<Self> {
        let offset = query.offset();
        if offset >= total {
            return None;
        }
        let size = u64::from(query.size).min(total - offset);
        let from_end = offset > total / 2;
        Some(Self { from_end, skipped: if from_end { total - offset - size } else { offset }, size })
    }

    /// How many rows are walked over to its end.
    pub(crate) const fn walked(self) -> u64 {
        self.skipped + self.size
    }

    /// ` LIMIT … OFFSET …`.
    pub(crate) fn push(self, sql: &mut Sql) {
        sql.push(" LIMIT ").bind(i64::try_from(self.size).unwrap_or(i64::MAX)).push(" OFFSET ");
        sql.bind(i64::try_from(self.skipped).unwrap_or(i64::MAX));
    }
}

/// The only number of the only row.
pub(crate) async fn number(
    connection: &impl ConnectionTrait,
    sql: Sql,
    column: &str,
) -> Result<u64, StoreError> {
    let statement = sql.statement(connection.get_database_backend());
    let row = connection.query_one_raw(statement).await.map_err(store_error)?;
    let row = row.ok_or_else(|| StoreError::Broken("a statement without a row".into()))?;
    let number: i64 = row.try_get("", column).map_err(store_error)?;
    Ok(u64::try_from(number).unwrap_or_default())
}

/// The same, and beside it how many rows there are in all: what a way is chosen by costs no statement of its own.
pub(crate) async fn number_of_all(
    connection: &impl ConnectionTrait,
    mut counting: Sql,
    all: &str,
) -> Result<(u64, u64), StoreError> {
    counting.text = format!("SELECT of.total, ({all}) AS in_all FROM ({}) of", counting.text);
    let statement = counting.statement(connection.get_database_backend());
    let row = connection.query_one_raw(statement).await.map_err(store_error)?;
    let row = row.ok_or_else(|| StoreError::Broken("a statement without a row".into()))?;
    let number = |column: &str| -> Result<u64, StoreError> {
        let number: i64 = row.try_get("", column).map_err(store_error)?;
        Ok(u64::try_from(number).unwrap_or_default())
    };
    Ok((number("total")?, number("in_all")?))
}

/// The page that holds these rows.
pub(crate) fn page<R>(
    query: &ListQuery,
    rows: Vec<QueryResult>,
    total: u64,
    read: impl Fn(&QueryResult) -> Result<R, StoreError>,
) -> Result<Page<Vec<R>>, StoreError> {
    let rows = rows.iter().map(read).collect::<Result<Vec<R>, StoreError>>()?;
    Ok(Page::of(query, rows, total))
}
