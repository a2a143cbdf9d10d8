//! The base URLs of channels and radio stations.

use std::sync::Arc;

use domain_catalogue::{BaseUrl, BaseUrlOf};
use domain_kernel::{Action, Actor, DraftReader};
use ports::{Setting, SettingRepository};

use crate::{Calendar, Error, body::parse};

/// Use cases of base URLs.
pub struct BaseUrlService {
    settings: Arc<dyn SettingRepository>,
    calendar: Calendar,
    reader: DraftReader<BaseUrl>,
}

impl BaseUrlService {
    pub fn new(settings: Arc<dyn SettingRepository>, calendar: Calendar) -> Self {
        Self { settings, calendar, reader: DraftReader::new() }
    }

    /// The base URL; `None` if it is not set.
    pub async fn find(&self, actor: &Actor, of: BaseUrlOf) -> Result<Option<String>, Error> {
        actor.require(of.permission(Action::Read))?;
        Ok(self.settings.find(of.name()).await?)
    }

    /// Prefix of the numbers of INTERNAL channels, for players.
    pub(crate) async fn of_channels(&self) -> Result<Option<String>, Error> {
        Ok(self.settings.find(BaseUrlOf::Channels.name()).await?)
    }

    /// Sets the base URL, or clears it.
    pub async fn set(&self, actor: &Actor, of: BaseUrlOf, body: &[u8]) -> Result<Option<String>, Error> {
        actor.require(of.permission(Action::Update))?;
        let BaseUrl { base_url } = self.reader.read(parse(body)?, &())?.into_inner();
        let (setting, edit) =
            (Setting { name: of.name(), resource: of.path() }, self.calendar.edit_by(actor));
        match &base_url {
            Some(url) => self.settings.set(setting, &url.0, &edit).await?,
            None => self.settings.clear(setting, &edit).await?,
        }
        Ok(base_url.map(|url| url.0))
    }
}
