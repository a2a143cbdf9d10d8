//! Quotes of several sales, and sales by idempotency key.

use chrono::{DateTime, Utc};
use domain_credits::{Movement, Refusal, Renewal, quote_renewals};
use domain_kernel::{RoleCode, Username};
use ports::{CustomerQuote, Quoted, RenewalsQuoted, StoreError};
use sea_orm::ConnectionTrait;

use super::{
    SeaOrmLedger,
    history::{COLUMNS, JOINS, movement},
};
use crate::db::{error::store_error, sql::Sql};

impl SeaOrmLedger {
    pub(super) async fn renewals_quoted(
        &self,
        performer: &Username,
        renewals: &[(Username, i64)],
        now: DateTime<Utc>,
    ) -> Result<RenewalsQuoted, StoreError> {
        let names = [performer].into_iter().chain(renewals.iter().map(|(username, _)| username));
        let rows = self.unlocked(&names.map(Username::key).collect::<Vec<_>>()).await?;
        let Some(performing) = rows.iter().find(|row| row.is(performer)) else {
            let refused = CustomerQuote { expiration: None, quoted: Quoted::Refused(Refusal::NotActive) };
            return Ok(RenewalsQuoted { stock_before: None, customers: vec![refused; renewals.len()] });
        };
        let renewal = |(username, months): &(Username, i64)| {
            let target = rows.iter().find(|row| row.is(username)).filter(|row| performing.sees(row))?;
            let manages = performing.manages(target);
            Some(Renewal { target: target.summary(), manages, months: *months })
        };
        let known: Vec<Option<Renewal>> = renewals.iter().map(renewal).collect();
        let visible: Vec<Renewal> = known.iter().flatten().copied().collect();
        let mut quoted = quote_renewals(performing.summary(), &visible, now).into_iter();
        let customer = |known: Option<Renewal>| CustomerQuote {
            expiration: known.and_then(|renewal| renewal.target.app.expiration),
            quoted: match known.and_then(|_| quoted.next()) {
                None => Quoted::Hidden,
                Some(Ok(quote)) => Quoted::Quote(quote),
                Some(Err(refusal)) => Quoted::Refused(refusal),
            },
        };
        let customers = known.into_iter().map(customer).collect();
        let pays = performing.role == RoleCode::Agent;
        Ok(RenewalsQuoted { stock_before: pays.then_some(performing.stock), customers })
    }

    pub(super) async fn movements_under(
        &self,
        performer: &Username,
        keys: &[String],
    ) -> Result<Vec<(String, Movement)>, StoreError> {
        let mut sql = Sql::new(format!(
            "SELECT o.idempotency_key, {COLUMNS} FROM entries e{JOINS} WHERE e.leg = 0 AND o.performer_id = \
             (SELECT id FROM users WHERE username_key = "
        ));
        sql.bind(performer.key()).push(") AND o.idempotency_key IN (");
        sql.bind_all(keys.iter().map(String::as_str)).push(") ORDER BY e.id");
        let rows = self.database.reader.query_all_raw(sql.statement(self.backend())).await;
        let read = |row: &sea_orm::QueryResult| {
            Ok((row.try_get("", "idempotency_key").map_err(store_error)?, movement(row)?))
        };
        rows.map_err(store_error)?.iter().map(read).collect()
    }
}
