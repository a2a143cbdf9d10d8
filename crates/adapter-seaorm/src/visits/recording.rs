//! Adding visits: a batch of an integrator, or one sign-in with its counts.

use std::collections::BTreeMap;

use chrono::{DateTime, SubsecRound, Utc};
use domain_audience::{VisitKind, VisitReport, Watched, kept_device};
use domain_kernel::{Enumeration, RoleCode, fold};
use ports::{IdempotencyKey, Inserted, StoreError};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait},
};

use super::{SeaOrmVisits, name_key};
use crate::{
    db::{
        error::{is_overtaken, store_error},
        retries::tried,
        transaction::Transaction,
    },
    entities::{users, visits},
    idempotency::{inserted_before, keep_answer},
};

/// A visit to insert.
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

/// Adds visits in one statement, so that their counts are updated by one statement, too.
pub(crate) async fn insert(
    transaction: &Transaction,
    visits: impl IntoIterator<Item = NewVisit<'_>>,
) -> Result<(), DbErr> {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let rows = visits.into_iter().map(|visit| visits::ActiveModel {
        occurred_at: Set(visit.occurred_at),
        kind: Set(visit.kind.code().to_owned()),
        username: Set(visit.username.to_owned()),
        username_key: Set(name_key(visit.username)),
        full_name: Set(owned(visit.full_name)),
        address: Set(owned(visit.address)),
        device: Set(owned(visit.device)),
        content_type: Set(owned(visit.content.map(|content| content.content_type.code()))),
        content_id: Set(visit.content.and_then(|content| content.content_id)),
        content_title: Set(visit.content.and_then(|content| content.title.clone())),
        source: Set(owned(visit.source)),
        search_text: Set(visit.folded_search_text()),
        ..visits::ActiveModel::default()
    });
    visits::Entity::insert_many(rows).exec_without_returning(transaction).await.map(drop)
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
        if let Some(before) = inserted_before(&transaction, once).await? {
            return Ok(Ok(before));
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

    /// The usernames of registered users.
    async fn names_of(
        &self,
        transaction: &Transaction,
        keys: &BTreeMap<String, i64>,
    ) -> Result<BTreeMap<String, String>, DbErr> {
        let names = users::Entity::find()
            .select_only()
            .columns([users::Column::UsernameKey, users::Column::FullName])
            .filter(users::Column::UsernameKey.is_in(keys.keys()))
            .into_tuple::<(String, String)>();
        Ok(names.all(transaction).await?.into_iter().collect())
    }

    /// Counts viewers' sign-ins; those of staff are counted when they sign in here. In the order of
    /// usernames, so that concurrent batches do not deadlock.
    async fn count_sign_ins(
        &self,
        transaction: &Transaction,
        keys: &BTreeMap<String, i64>,
    ) -> Result<(), DbErr> {
        for (name, times) in keys.iter().filter(|(_, times)| **times > 0) {
            users::Entity::update_many()
                .col_expr(users::Column::SignIns, Expr::col(users::Column::SignIns).add(*times))
                .filter(users::Column::Role.eq(RoleCode::App.code()))
                .filter(users::Column::UsernameKey.eq(name.as_str()))
                .exec(transaction)
                .await?;
        }
        Ok(())
    }
}
