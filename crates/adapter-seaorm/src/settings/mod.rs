//! What staff set for the streaming app. The settings are one row; the lists that belong to them are small tables
//! ([`entries`]).

mod entries;
mod tables;
mod values;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Version;
use domain_settings::{AllowedPeriods, AppSettings, StoredAppSettings};
use garde::Valid;
use ports::{AppSettingsRepository, SettingsWritten, StoreError};
use sea_orm::{ConnectionTrait, QueryResult};

pub use self::{entries::SeaOrmEntries, tables::EntryTable, values::SeaOrmSettings};
use crate::{
    Database,
    db::{error::store_error, sql::Sql},
};

/// Keeps the settings of the streaming app.
#[derive(Debug, Clone)]
pub struct SeaOrmAppSettings(pub Database);

const COLUMNS: &str = "version, updated_date, items_per_page, monthly_credits_price, annual_credits_price, \
     allowed_months, allowed_years, max_transactions_per_agent";

fn stored(row: &QueryResult) -> Result<StoredAppSettings, StoreError> {
    let price = |column: &str| row.try_get("", column).map(AppSettings::price).map_err(store_error);
    let flag = |column: &str| row.try_get::<bool>("", column).map_err(store_error);
    let number = |column: &str| row.try_get::<i32>("", column).map_err(store_error);
    Ok(StoredAppSettings {
        settings: AppSettings {
            items_per_page: number("items_per_page")?,
            monthly_credits_price: price("monthly_credits_price")?,
            annual_credits_price: price("annual_credits_price")?,
            allowed_periods: AllowedPeriods {
                months: flag("allowed_months")?,
                years: flag("allowed_years")?,
            },
            max_transactions_per_agent: number("max_transactions_per_agent")?,
        },
        version: row.try_get("", "version").map_err(store_error)?,
        updated_date: row.try_get("", "updated_date").map_err(store_error)?,
    })
}

impl SeaOrmAppSettings {
    async fn read(&self, connection: &impl ConnectionTrait) -> Result<StoredAppSettings, StoreError> {
        let sql = Sql::new(format!("SELECT {COLUMNS} FROM app_settings"));
        let row = connection.query_one_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        stored(&row.ok_or_else(|| StoreError::Broken("the app settings are gone".into()))?)
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
        now: DateTime<Utc>,
    ) -> Result<SettingsWritten, StoreError> {
        let settings = settings.into_inner();
        let mut sql = Sql::new("UPDATE app_settings SET version = version + 1, updated_date = ");
        sql.bind(now).push(", items_per_page = ").bind(settings.items_per_page);
        sql.push(", monthly_credits_price = ").bind(AppSettings::cents(settings.monthly_credits_price));
        sql.push(", annual_credits_price = ").bind(AppSettings::cents(settings.annual_credits_price));
        sql.push(", allowed_months = ").bind(settings.allowed_periods.months);
        sql.push(", allowed_years = ").bind(settings.allowed_periods.years);
        sql.push(", max_transactions_per_agent = ").bind(settings.max_transactions_per_agent);
        sql.push(" WHERE id = 1");
        if let Some(expected) = expected {
            sql.push(" AND version = ").bind(expected);
        }
        sql.push(&format!(" RETURNING {COLUMNS}"));
        let rows = self.0.writer.query_all_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        match rows.first() {
            Some(row) => stored(row).map(SettingsWritten::Done),
            None => self.read(&self.0.writer).await.map(SettingsWritten::Outdated),
        }
    }
}
