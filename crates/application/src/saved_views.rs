//! Saved views of lists (docs/spec/screens.md#saved-views).

use std::sync::Arc;

use domain_kernel::{Actor, Code, DraftReader, Id, Violation, Violations};
use domain_settings::{MOST_SAVED_VIEWS, SavedView, StoredSavedView};
use ports::{SavedViewConflict, SavedViewRepository, Written};

use crate::{Calendar, Error, body::parse, staff::require_staff};

/// Use cases of saved views.
pub struct SavedViewService {
    views: Arc<dyn SavedViewRepository>,
    calendar: Calendar,
    reader: DraftReader<SavedView>,
}

impl SavedViewService {
    pub fn new(views: Arc<dyn SavedViewRepository>, calendar: Calendar) -> Self {
        Self { views, calendar, reader: DraftReader::new() }
    }

    /// The actor's views, and those shared with their role.
    pub async fn list(&self, actor: &Actor) -> Result<Vec<StoredSavedView>, Error> {
        require_staff(actor)?;
        Ok(self.views.list(actor).await?)
    }

    /// Creates a view, or replaces one of the actor's.
    pub async fn save(&self, actor: &Actor, id: Option<Id>, body: &[u8]) -> Result<StoredSavedView, Error> {
        require_staff(actor)?;
        let view = self.reader.read(parse(body)?, &())?.into_inner();
        if !view.may_be_saved_by(actor) {
            return Err(Error::Forbidden);
        }
        let violation = match self.views.save(actor, id, &view, self.calendar.now()).await? {
            Written::Done(stored) | Written::Outdated(stored) => return Ok(stored),
            Written::Missing => return Err(id.map_or(Error::NotAuthenticated, missing)),
            Written::Conflict(SavedViewConflict::NameTaken) => Violation::new("name", Code::Duplicate),
            Written::Conflict(SavedViewConflict::TooMany) => {
                Violation::new("list", Code::TooMany).with("max", MOST_SAVED_VIEWS)
            }
        };
        Err(Violations(vec![violation]).into())
    }

    /// Deletes a view of the actor; admins may also delete shared ones.
    pub async fn delete(&self, actor: &Actor, id: Id) -> Result<(), Error> {
        let view = self.visible(actor, id).await?;
        if !view.may_be_deleted_by(actor) {
            return Err(Error::Forbidden);
        }
        Ok(self.views.delete(actor, &view, self.calendar.now()).await?)
    }

    /// Sets or clears the actor's default view of a list.
    pub async fn set_default(&self, actor: &Actor, id: Id, is_default: bool) -> Result<(), Error> {
        let view = self.visible(actor, id).await?;
        if self.views.set_default(actor, &view, is_default).await? { Ok(()) } else { Err(missing(id)) }
    }

    async fn visible(&self, actor: &Actor, id: Id) -> Result<StoredSavedView, Error> {
        require_staff(actor)?;
        self.views.find(actor, id).await?.ok_or_else(|| missing(id))
    }
}

fn missing(id: Id) -> Error {
    Error::NoSuch { what: "saved-views", id }
}
