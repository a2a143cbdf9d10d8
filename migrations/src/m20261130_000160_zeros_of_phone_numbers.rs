//! Users whose phone number has a 0 in parentheses after its calling code are found by the digits without it,
//! too, also where they were stored before.

use sea_orm::{Statement, Value};
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Users per batch.
const AT_ONCE: i64 = 2_000;

/// Calling codes after which a number keeps this 0.
const KEEPING_ZERO: [&str; 5] = ["39", "225", "229", "242", "378"];

/// The digits without this 0, as the program of this version adds them to `search_text` when it writes a user.
fn without_zero(phone_number: &str) -> Option<String> {
    let digits_of = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let text = phone_number.replace(' ', "");
    let (before, after) = text.split_once("(0)")?;
    let before = digits_of(before);
    let code = before.strip_prefix("00").unwrap_or(&before);
    let is_code = matches!(code.len(), 1..=3) && !code.starts_with('0');
    let digits = format!("{code}{}", digits_of(after));
    (is_code && !KEEPING_ZERO.contains(&code) && !digits_of(&text).contains(&digits)).then_some(digits)
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (db, backend) = (manager.get_connection(), manager.get_database_backend());
        let mut after = 0_i64;
        loop {
            let find = format!(
                "SELECT id, phone_number, search_text FROM users \
                 WHERE phone_number LIKE '%(%0%)%' AND id > {after} ORDER BY id LIMIT {AT_ONCE}"
            );
            let rows = db.query_all_raw(Statement::from_string(backend, find)).await?;
            if rows.is_empty() {
                return Ok(());
            }
            let (mut places, mut values) = (Vec::new(), Vec::new());
            for row in rows {
                after = row.try_get("", "id")?;
                let (phone_number, searched): (String, String) =
                    (row.try_get("", "phone_number")?, row.try_get("", "search_text")?);
                let Some(digits) = without_zero(&phone_number) else { continue };
                places.push(format!("(${}, ${})", values.len() + 1, values.len() + 2));
                values.extend([Value::from(after), Value::from(format!("{searched}\n{digits}"))]);
            }
            if values.is_empty() {
                continue;
            }
            let set = format!(
                "UPDATE users SET search_text = v.column2 FROM (VALUES {}) AS v WHERE users.id = v.column1",
                places.join(", ")
            );
            db.execute_raw(Statement::from_sql_and_values(backend, set, values)).await?;
        }
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        // A search that finds one more spelling does no harm.
        Ok(())
    }
}
