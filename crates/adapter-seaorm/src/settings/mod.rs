//! The settings of the streaming app. They are one row; their lists are small tables ([`entries`]).

mod entries;
mod tables;
mod values;

use async_trait::async_trait;
use domain_audit::AuditAction;
use domain_kernel::{Version, difference};
use domain_settings::{AllowedPeriods, AppSettings, StoredAppSettings};
use garde::Valid;
use ports::{AppSettingsRepository, Edit, StoreError, Written};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, LockType},
};

pub use self::{entries::SeaOrmEntries, tables::EntryTable, values::SeaOrmSettings};
use crate::{
    Database,
    audit::{Record, fields_of, record_one},
    db::error::store_error,
    entities::app_settings::{ActiveModel, Column, Entity, Model},
};

/// The store of the settings of the streaming app.
#[derive(Debug, Clone)]
pub struct SeaOrmAppSettings(pub Database);

/// The id of the only row.
const ONLY_ROW: i64 = 1;

fn stored(row: Model) -> StoredAppSettings {
    StoredAppSettings {
        settings: AppSettings {
            items_per_page: row.items_per_page,
            monthly_credits_price: AppSettings::price(row.monthly_credits_price),
            annual_credits_price: AppSettings::price(row.annual_credits_price),
            allowed_periods: AllowedPeriods { months: row.allowed_months, years: row.allowed_years },
            max_transactions_per_agent: row.max_transactions_per_agent,
        },
        version: row.version,
        updated_date: row.updated_date,
    }
}

impl SeaOrmAppSettings {
    async fn read(&self, connection: &impl ConnectionTrait) -> Result<StoredAppSettings, StoreError> {
        let row = Entity::find().one(connection).await.map_err(store_error)?;
        row.map(stored).ok_or_else(|| StoreError::Broken("the app settings are missing".into()))
    }
}

#[async_trait]
impl AppSettingsRepository for SeaOrmAppSettings {
    async fn find(&self) -> Result<StoredAppSettings, StoreError> {
        self.read(&self.0.reader).await
    }

    async fn replace(
        &self,
        settings: Valid<AppSettings>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<StoredAppSettings>, StoreError> {
        let settings = settings.into_inner();
        let transaction = self.0.begin().await.map_err(store_error)?;
        let before =
            Entity::find().lock(LockType::NoKeyUpdate).one(&transaction).await.map_err(store_error)?;
        let Some(before) = before.map(stored) else { return Ok(Written::Missing) };
        if expected.is_some_and(|expected| expected != before.version) {
            return Ok(Written::Outdated(before));
        }
        let row = ActiveModel {
            updated_date: Set(edit.at),
            items_per_page: Set(settings.items_per_page),
            monthly_credits_price: Set(AppSettings::cents(settings.monthly_credits_price)),
            annual_credits_price: Set(AppSettings::cents(settings.annual_credits_price)),
            allowed_months: Set(settings.allowed_periods.months),
            allowed_years: Set(settings.allowed_periods.years),
            max_transactions_per_agent: Set(settings.max_transactions_per_agent),
            ..ActiveModel::default()
        };
        let update = Entity::update_many()
            .set(row)
            .col_expr(Column::Version, Expr::col(Column::Version).add(1))
            .filter(Column::Id.eq(ONLY_ROW));
        let mut rows = update.exec_with_returning(&transaction).await.map_err(store_error)?;
        let Some(after) = rows.pop().map(stored) else { return Ok(Written::Missing) };
        let change = Record {
            action: AuditAction::Updated,
            resource: "app-settings",
            item: String::new(),
            title: String::new(),
            version: Some(after.version),
            diff: difference(&fields_of(&before.settings), &fields_of(&after.settings)),
        };
        record_one(&transaction, edit, change).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(Written::Done(after))
    }
}
