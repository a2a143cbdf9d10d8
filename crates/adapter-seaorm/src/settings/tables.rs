//! The tables of the lists of the settings: columns, values of a row, and an entry from a row.

use domain_kernel::{Enumeration, WebUrl, order_key};
use domain_settings::{
    AlertMessage, BackgroundClassification, BackgroundImage, BackgroundType, Entry, RenewalMessage,
};
use ports::StoreError;
use sea_orm::{QueryResult, Value};

use crate::db::{error::store_error, values::member};

/// An entry that has a table.
pub trait EntryTable: Entry {
    /// The table.
    const TABLE: &'static str;

    /// The columns besides the common ones.
    const COLUMNS: &'static [&'static str];

    /// The values of these columns, in the same order.
    fn values(&self) -> Vec<Value>;

    /// An entry from a row with these columns.
    fn read(row: &QueryResult) -> Result<Self, StoreError>;

    /// The column for ordering or filtering by a field.
    fn column(field: &str) -> &'static str;
}

impl EntryTable for BackgroundImage {
    const TABLE: &'static str = "background_images";
    const COLUMNS: &'static [&'static str] = &[
        "type",
        "title",
        "title_key",
        "year",
        "genre",
        "duration",
        "classification",
        "is_kids_mode",
        "image_url",
    ];

    fn values(&self) -> Vec<Value> {
        vec![
            self.background_type.code().into(),
            self.title.clone().into(),
            order_key(&self.title).into(),
            self.year.into(),
            self.genre.clone().into(),
            self.duration.into(),
            self.classification.map(Enumeration::code).into(),
            self.is_kids_mode.into(),
            self.image_url.0.clone().into(),
        ]
    }

    fn read(row: &QueryResult) -> Result<Self, StoreError> {
        let text = |column: &str| row.try_get::<String>("", column).map_err(store_error);
        let classification: Option<String> = row.try_get("", "classification").map_err(store_error)?;
        Ok(Self {
            background_type: member::<BackgroundType>(&text("type")?)?,
            title: text("title")?,
            year: row.try_get("", "year").map_err(store_error)?,
            genre: row.try_get("", "genre").map_err(store_error)?,
            duration: row.try_get("", "duration").map_err(store_error)?,
            classification: classification.as_deref().map(member::<BackgroundClassification>).transpose()?,
            is_kids_mode: row.try_get("", "is_kids_mode").map_err(store_error)?,
            image_url: WebUrl(text("image_url")?),
        })
    }

    fn column(field: &str) -> &'static str {
        match field {
            "title" => "title_key",
            "type" => "type",
            "year" => "year",
            "isKidsMode" => "is_kids_mode",
            other => common(other),
        }
    }
}

impl EntryTable for AlertMessage {
    const TABLE: &'static str = "alert_messages";
    const COLUMNS: &'static [&'static str] = &["message", "message_key"];

    fn values(&self) -> Vec<Value> {
        vec![self.message.clone().into(), order_key(&self.message).into()]
    }

    fn read(row: &QueryResult) -> Result<Self, StoreError> {
        Ok(Self { message: row.try_get("", "message").map_err(store_error)? })
    }

    fn column(field: &str) -> &'static str {
        if field == "message" { "message_key" } else { common(field) }
    }
}

impl EntryTable for RenewalMessage {
    const TABLE: &'static str = "renewal_messages";
    const COLUMNS: &'static [&'static str] = &["name", "name_key", "spanish", "english"];

    fn values(&self) -> Vec<Value> {
        vec![
            self.name.clone().into(),
            order_key(&self.name).into(),
            self.spanish.clone().into(),
            self.english.clone().into(),
        ]
    }

    fn read(row: &QueryResult) -> Result<Self, StoreError> {
        let text = |column: &str| row.try_get::<String>("", column).map_err(store_error);
        Ok(Self { name: text("name")?, spanish: text("spanish")?, english: text("english")? })
    }

    fn column(field: &str) -> &'static str {
        if field == "name" { "name_key" } else { common(field) }
    }
}

fn common(field: &str) -> &'static str {
    match field {
        "createdDate" => "created_date",
        "updatedDate" => "updated_date",
        _ => "id",
    }
}
