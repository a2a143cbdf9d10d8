//! Adding visits: a batch of a program's, or one sign-in along with its bookkeeping.

use std::collections::BTreeMap;

use chrono::{DateTime, SubsecRound, Utc};
use domain_audience::{VisitKind, VisitReport, Watched, kept_device};
use domain_kernel::{Enumeration, fold};
use ports::{IdempotencyKey, Inserted, StoreError};
use sea_orm::{ConnectionTrait, DbErr};

use super::{SeaOrmVisits, name_key};
use crate::{
    db::{
        error::{is_overtaken, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
    },
    idempotency::{Earlier, answered, keep_answer},
};

/// A visit on its way in.
pub(crate) struct NewVisit<'a> {
    pub(crate) occurred_at: DateTime<Utc>,
    pub(crate) kind: VisitKind,
    pub(crate) username: &'a str,
    pub(crate) full_name: Option<&'a str>,
    pub(crate) address: Option<&'a str>,
    pub(crate) device: Option<&'a str>,
    pub(crate) content: Option<&'a Watched>,
    pub(crate) source: Option<&'a str>,
}

impl NewVisit<'_> {
    fn folded_search_text(&self) -> String {
        let content = self.content.and_then(|content| content.title.as_deref());
        let seen = [Some(self.username), self.full_name, self.device, content];
        seen.into_iter().flatten().map(fold).collect::<Vec<_>>().join("\n")
    }
}

/// Adds visits in one statement: their counts are then kept by one statement too.
pub(crate) async fn insert(
    transaction: &Transaction,
    visits: impl IntoIterator<Item = NewVisit<'_>>,
) -> Result<(), DbErr> {
    let mut sql = Sql::new(
        "INSERT INTO visits (occurred_at, kind, username, username_key, full_name, address, device, content_type, \
         content_id, content_title, source, search_text) VALUES ",
    );
    for (index, visit) in visits.into_iter().enumerate() {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        sql.push(if index == 0 { "(" } else { ", (" });
        sql.bind(visit.occurred_at).push(", ").bind(visit.kind.code()).push(", ");
        sql.bind(visit.username).push(", ").bind(name_key(visit.username)).push(", ");
        sql.bind(owned(visit.full_name)).push(", ").bind(owned(visit.address)).push(", ");
        sql.bind(owned(visit.device)).push(", ");
        sql.bind(owned(visit.content.map(|content| content.content_type.code()))).push(", ");
        sql.bind(visit.content.and_then(|content| content.content_id)).push(", ");
        sql.bind(visit.content.and_then(|content| content.title.clone())).push(", ");
        sql.bind(owned(visit.source)).push(", ").bind(visit.folded_search_text()).push(")");
    }
    transaction.execute_raw(sql.statement(transaction.get_database_backend())).await.map(drop)
}

impl SeaOrmVisits {
    pub(super) async fn add(
        &self,
        visits: &[VisitReport],
        source: &str,
        now: DateTime<Utc>,
        once: &IdempotencyKey,
    ) -> Result<Inserted<u64>, StoreError> {
        tried(is_overtaken, || self.try_add(visits, source, now, once))
            .await
            .unwrap_or_else(|error| Err(store_error(error)))
    }

    async fn try_add(
        &self,
        visits: &[VisitReport],
        source: &str,
        now: DateTime<Utc>,
        once: &IdempotencyKey,
    ) -> Result<Result<Inserted<u64>, StoreError>, DbErr> {
        let transaction = self.0.begin().await?;
        match answered(&transaction, once).await? {
            Some(Earlier::KeyReused) => return Ok(Ok(Inserted::KeyReused)),
            Some(Earlier::Replayed(answer)) => {
                let count = answer.parse().map_err(|_| StoreError::Broken(format!("no count: {answer}")));
                return Ok(count.map(Inserted::Replayed));
            }
            None => {}
        }
        let mut signed_in = BTreeMap::new();
        for visit in visits {
            let times = signed_in.entry(name_key(&visit.username)).or_insert(0_i64);
            *times += i64::from(visit.kind == VisitKind::SignIn);
        }
        let names = self.names_of(&transaction, &signed_in).await?;
        self.count_sign_ins(&transaction, &signed_in).await?;
        let devices: Vec<Option<String>> =
            visits.iter().map(|visit| visit.device.as_deref().map(kept_device)).collect();
        let rows = visits.iter().zip(&devices).map(|(visit, device)| NewVisit {
            occurred_at: visit.occurred_at.unwrap_or(now).trunc_subsecs(3),
            kind: visit.kind,
            username: &visit.username,
            full_name: names.get(&name_key(&visit.username)).map(String::as_str),
            address: visit.address.as_deref(),
            device: device.as_deref(),
            content: visit.content.as_ref(),
            source: Some(source),
        });
        insert(&transaction, rows).await?;
        keep_answer(&transaction, once, visits.len().to_string(), now).await?;
        transaction.commit().await?;
        Ok(Ok(Inserted::New(visits.len() as u64)))
    }

    /// The names of those who are registered.
    async fn names_of(
        &self,
        transaction: &Transaction,
        users: &BTreeMap<String, i64>,
    ) -> Result<BTreeMap<String, String>, DbErr> {
        let mut sql = Sql::new("SELECT username_key, full_name FROM users WHERE username_key IN (");
        sql.bind_all(users.keys().cloned()).push(")");
        let rows = transaction.query_all_raw(sql.statement(self.0.backend())).await?;
        rows.iter().map(|row| Ok((row.try_get("", "username_key")?, row.try_get("", "full_name")?))).collect()
    }

    /// Viewers' sign-ins; those of staff happen here, and are counted here. In the order of names, so that two batches
    /// never wait for each other crosswise.
    async fn count_sign_ins(
        &self,
        transaction: &Transaction,
        users: &BTreeMap<String, i64>,
    ) -> Result<(), DbErr> {
        for (name, times) in users.iter().filter(|(_, times)| **times > 0) {
            let mut sql = Sql::new("UPDATE users SET sign_ins = sign_ins + ");
            sql.bind(*times).push(" WHERE role = 'app' AND username_key = ").bind(name.as_str());
            transaction.execute_raw(sql.statement(self.0.backend())).await?;
        }
        Ok(())
    }
}
