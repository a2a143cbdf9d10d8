//! The base URLs of channels and radio stations.

use std::sync::Arc;

use domain_catalogue::{BaseUrl, BaseUrlOf};
use domain_kernel::{Action, Actor, DraftReader};
use ports::SettingRepository;

use crate::{Error, contents::parse};

/// The use cases around base URLs.
pub struct BaseUrlService {
    settings: Arc<dyn SettingRepository>,
    reader: DraftReader<BaseUrl>,
}

impl BaseUrlService {
    /// The use cases over a store.
    pub fn new(settings: Arc<dyn SettingRepository>) -> Self {
        Self { settings, reader: DraftReader::new() }
    }

    /// The base URL, or `None` where none is set.
    pub async fn find(&self, actor: &Actor, of: BaseUrlOf) -> Result<Option<String>, Error> {
        actor.require(of.permission(Action::Read))?;
        Ok(self.settings.find(of.name()).await?)
    }

    /// Sets the base URL.
    pub async fn set(&self, actor: &Actor, of: BaseUrlOf, body: &[u8]) -> Result<String, Error> {
        actor.require(of.permission(Action::Update))?;
        let BaseUrl { base_url } = self.reader.read(parse(body)?, &())?.into_inner();
        self.settings.set(of.name(), &base_url.0).await?;
        Ok(base_url.0)
    }
}
