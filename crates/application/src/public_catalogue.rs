//! The catalogue for streaming apps, by key: active items only, with URLs for players.

use domain_catalogue::{Content, Kind};
use domain_kernel::{Code, Id, Integrator, KeyScope, Page, Violation, Violations};
use ports::{Rows, StoreError};
use serde_json::{Value, value::RawValue};

use crate::{ContentService, Error, StreamService, body::to_json, children::of_this_show, read_query};

/// Items per chunk of an export.
const CHUNK: u32 = 500;

/// A part of an export.
#[derive(Debug)]
pub struct ExportChunk {
    /// One item per line.
    pub lines: String,
    /// Id of the last item; the next part begins after it. `None` at the end.
    pub next: Option<Id>,
}

impl<C: Content> ContentService<C> {
    /// A page of the active items: the staff's list with the filter `active`.
    pub async fn list_public(
        &self,
        by: &Integrator,
        streams: &StreamService,
        pairs: &[(String, String)],
    ) -> Result<Page<Rows>, Error> {
        by.require(KeyScope::CatalogueRead)?;
        // Items of a show are listed through the show: a list of all of them could not exclude
        // those of hidden shows.
        if matches!(C::KIND, Kind::Seasons | Kind::Episodes) {
            return Err(Error::Forbidden);
        }
        self.public_page(streams, pairs).await
    }

    async fn public_page(
        &self,
        streams: &StreamService,
        pairs: &[(String, String)],
    ) -> Result<Page<Rows>, Error> {
        if pairs.iter().any(|(name, value)| name == "active" && !["", "true"].contains(&value.trim())) {
            let violation = Violation::new("active", Code::UnknownValue).with("allowed", vec!["true"]);
            return Err(Violations(vec![violation]).into());
        }
        // The last editor is only visible to staff.
        if pairs.iter().any(|(name, _)| name == "updatedBy") {
            let known = C::FILTERS.iter().map(|(name, _)| *name).filter(|name| *name != "updatedBy");
            let violation = Violation::new("updatedBy", Code::UnknownFilter);
            return Err(Violations(vec![violation.with("allowed", known.collect::<Vec<_>>())]).into());
        }
        let mut pairs: Vec<_> = pairs.iter().filter(|(name, _)| name != "active").cloned().collect();
        pairs.push(("active".to_owned(), "true".to_owned()));
        let page = self.repository.list(&read_query::<C>(&self.calendar, &pairs)?).await?;
        // Lists have no links; only URLs of channels are completed.
        if C::KIND != Kind::TvChannels {
            return Ok(page);
        }
        let mut rows: Vec<Value> = serde_json::from_str(page.content.0.get()).map_err(broken)?;
        streams.to_public_views(C::KIND, &mut rows).await?;
        let rows = RawValue::from_string(serde_json::to_string(&rows).map_err(broken)?).map_err(broken)?;
        Ok(Page { content: Rows(rows), ..page })
    }

    /// The active items of a show; none of a hidden one.
    pub async fn list_public_of_show(
        &self,
        by: &Integrator,
        streams: &StreamService,
        show: Id,
        pairs: &[(String, String)],
    ) -> Result<Page<Rows>, Error> {
        by.require(KeyScope::CatalogueRead)?;
        if !self.references.is_active(Kind::TvShows, show).await? {
            return Err(Error::Missing { kind: Kind::TvShows, id: show });
        }
        self.public_page(streams, &of_this_show(pairs, show)?).await
    }

    /// One active item with all fields, and its entity tag: its version, and for a channel the
    /// other dependencies of its URL. A hidden item, or one of a hidden show, does not exist.
    pub async fn find_public(
        &self,
        by: &Integrator,
        streams: &StreamService,
        id: Id,
    ) -> Result<(Value, String), Error> {
        by.require(KeyScope::CatalogueRead)?;
        let missing = Error::Missing { kind: C::KIND, id };
        let Some(stored) = self.repository.find(id).await?.filter(|stored| stored.content.active()) else {
            return Err(missing);
        };
        for reference in stored.content.references() {
            if reference.kind == Kind::TvShows
                && !self.references.is_active(reference.kind, reference.id).await?
            {
                return Err(missing);
            }
        }
        let mut item = [to_json(&stored)?];
        let address = streams.to_public_views(C::KIND, &mut item).await?;
        let [item] = item;
        let version = stored.version;
        Ok((
            item,
            address.map_or_else(|| format!("\"{version}\""), |address| format!("\"{version}-{address}\"")),
        ))
    }

    /// Active items after an id, by id.
    pub async fn export(
        &self,
        by: &Integrator,
        streams: &StreamService,
        after: Id,
    ) -> Result<ExportChunk, Error> {
        by.require(KeyScope::Export)?;
        let items = self.repository.active_after(after, CHUNK).await?;
        let full = u32::try_from(items.len()).is_ok_and(|count| count == CHUNK);
        let next = items.last().map(|item| item.id).filter(|_| full);
        let mut views = items.iter().map(to_json).collect::<Result<Vec<Value>, Error>>()?;
        streams.to_public_views(C::KIND, &mut views).await?;
        let mut lines = String::new();
        for view in &views {
            lines.push_str(&view.to_string());
            lines.push('\n');
        }
        Ok(ExportChunk { lines, next })
    }
}

fn broken(error: serde_json::Error) -> Error {
    StoreError::Broken(error.to_string()).into()
}
