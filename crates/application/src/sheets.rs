//! Lists as spreadsheets (docs/spec/import-export.md#spreadsheets).

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use chrono::DateTime;
use domain_audit::AuditAction;
use domain_catalogue::{Content, SheetColumn, SheetContext, Stored, has_links, sheet_columns};
use domain_kernel::{Action, Actor, Cell, Code, Id, Kind, ListQuery, Locale, Violation, Violations};
use ports::{AuditRepository, NewAuditEntry, StoreError};
use serde_json::{Map, Value, json};

use crate::{Calendar, ContentService, ContentServices, Error, body::to_json, read_query};

/// Maximum rows of one file.
pub const MAX_SHEET_ROWS: u64 = 1_000_000;
/// Rows per read.
const ROWS_AT_ONCE: usize = 500;
/// Stands for the columns of all links.
const LINKS: &str = "links";
/// Number of links with columns in an empty file.
const LINKS_OF_A_TEMPLATE: u64 = 2;

/// Parameters of a file.
#[derive(Debug)]
pub struct SheetRequest<'a> {
    /// List parameters: `search`, `_sort` and filters.
    pub pairs: &'a [(String, String)],
    /// Comma-separated columns; `None` for all. `links` stands for those of all links.
    pub columns: Option<&'a str>,
    /// Language of the file.
    pub locale: Locale,
    /// `csv` or `xlsx`, for the audit log.
    pub format: &'static str,
}

/// Progress of writing a list.
#[derive(Debug)]
pub struct SheetExport {
    kind: Kind,
    locale: Locale,
    /// Columns of the file.
    pub columns: Vec<SheetColumn>,
    ids: Vec<Id>,
    done: usize,
    names: HashMap<(Kind, Id), String>,
}

/// Files have no pages.
pub(crate) fn refuse_paging(pairs: &[(String, String)]) -> Result<(), Violations> {
    match pairs.iter().find(|(name, _)| name == "_page" || name == "_size") {
        Some((name, _)) => Err(Violations(vec![Violation::new(name, Code::UnknownField)])),
        None => Ok(()),
    }
}

/// Entry of the audit log for a file of so many rows of a list.
pub(crate) fn exported(resource: &'static str, rows: usize, request: &SheetRequest<'_>) -> NewAuditEntry {
    let mut after = Map::new();
    after.insert("format".into(), request.format.into());
    after.insert("rows".into(), json!(rows));
    after.extend(request.pairs.iter().map(|(name, value)| (name.clone(), json!(value))));
    NewAuditEntry {
        action: AuditAction::Exported,
        resource,
        item: String::new(),
        title: String::new(),
        after,
    }
}

/// Rejects a list that is too long for a file.
pub(crate) fn require_rows(rows: usize) -> Result<(), Violations> {
    if rows as u64 <= MAX_SHEET_ROWS {
        return Ok(());
    }
    Err(Violations(vec![Violation::new("search", Code::TooMany).with("max", MAX_SHEET_ROWS)]))
}

type Item = Map<String, Value>;

impl<C: Content> ContentService<C> {
    async fn sheet_columns(&self, query: &ListQuery) -> Result<Vec<SheetColumn>, Error> {
        let links = if has_links(&self.reader) { self.repository.most_links(query).await? } else { 0 };
        let links = links.max(LINKS_OF_A_TEMPLATE);
        Ok(sheet_columns(&self.reader, usize::try_from(links).unwrap_or(usize::MAX)))
    }

    async fn begin_sheet(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(Vec<SheetColumn>, Vec<Id>), Error> {
        actor.require(C::KIND.permission(Action::Read))?;
        refuse_paging(pairs)?;
        let query = read_query::<C>(&self.calendar, pairs)?;
        let ids = self.repository.matching_ids(&query, MAX_SHEET_ROWS + 1).await?;
        require_rows(ids.len())?;
        Ok((self.sheet_columns(&query).await?, ids))
    }

    async fn items_of_sheet(&self, ids: &[Id]) -> Result<Vec<(Id, Item)>, Error> {
        let found = self.repository.find_all(ids).await?;
        let item = |stored: Stored<C>| match to_json(&stored) {
            Ok(Value::Object(item)) => Ok((stored.id, item)),
            _ => Err(StoreError::Broken("content is not an object".into()).into()),
        };
        found.into_iter().map(item).collect()
    }
}

macro_rules! by_kind {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        impl ContentServices {
            async fn begin_sheet(
                &self,
                kind: Kind,
                actor: &Actor,
                pairs: &[(String, String)],
            ) -> Result<(Vec<SheetColumn>, Vec<Id>), Error> {
                match kind {
                    $(Kind::$kind => Box::pin(self.$field.begin_sheet(actor, pairs)).await,)+
                }
            }

            async fn items_of_sheet(&self, kind: Kind, ids: &[Id]) -> Result<Vec<(Id, Item)>, Error> {
                match kind {
                    $(Kind::$kind => Box::pin(self.$field.items_of_sheet(ids)).await,)+
                }
            }

            fn columns_of_template(&self, kind: Kind) -> Vec<SheetColumn> {
                let links = usize::try_from(LINKS_OF_A_TEMPLATE).unwrap_or_default();
                match kind {
                    $(Kind::$kind => sheet_columns(&self.$field.reader, links),)+
                }
            }
        }
    };
}
domain_catalogue::for_each_kind!(by_kind);

/// Use cases of spreadsheets.
pub struct SheetService {
    contents: ContentServices,
    audit: Arc<dyn AuditRepository>,
    calendar: Calendar,
}

impl SheetService {
    pub fn new(contents: ContentServices, audit: Arc<dyn AuditRepository>, calendar: Calendar) -> Self {
        Self { contents, audit, calendar }
    }

    /// Columns of a kind.
    pub fn columns(&self, actor: &Actor, kind: Kind) -> Result<Vec<SheetColumn>, Error> {
        actor.require(kind.permission(Action::Read))?;
        Ok(self.contents.columns_of_template(kind))
    }

    /// Begins a file of the list's current items, in its order. Items changed meanwhile are written
    /// with their values at the time of their row.
    pub async fn begin(
        &self,
        actor: &Actor,
        kind: Kind,
        request: &SheetRequest<'_>,
    ) -> Result<SheetExport, Error> {
        let (all, ids) = self.contents.begin_sheet(kind, actor, request.pairs).await?;
        let columns = match request.columns {
            Some(keys) => chosen(&all, keys)?,
            None => all,
        };
        let entry = exported(kind.path(), ids.len(), request);
        self.audit.add(entry, self.calendar.edit_by(actor)).await?;
        Ok(SheetExport { kind, locale: request.locale, columns, ids, done: 0, names: HashMap::new() })
    }

    /// The next rows; empty after the last.
    pub async fn next_rows(&self, export: &mut SheetExport) -> Result<Vec<Vec<Cell>>, Error> {
        while export.done < export.ids.len() {
            let end = export.ids.len().min(export.done + ROWS_AT_ONCE);
            let ids = &export.ids[export.done..end];
            let found = self.contents.items_of_sheet(export.kind, ids).await?;
            let mut found: HashMap<Id, Item> = found.into_iter().collect();
            let items: Vec<Item> = ids.iter().filter_map(|id| found.remove(id)).collect();
            export.done = end;
            if items.is_empty() {
                continue;
            }
            self.read_names(export, &items).await?;
            let context = SheetContext {
                locale: export.locale,
                name: &|kind, id| export.names.get(&(kind, id)).cloned(),
                local_time: &|moment: DateTime<_>| self.calendar.local(moment),
            };
            let row = |item: &Item| export.columns.iter().map(|column| column.cell(item, &context)).collect();
            return Ok(items.iter().map(row).collect());
        }
        Ok(Vec::new())
    }

    /// Reads the names of referenced items, each once.
    async fn read_names(&self, export: &mut SheetExport, items: &[Item]) -> Result<(), Error> {
        let mut wanted: HashMap<Kind, HashSet<Id>> = HashMap::new();
        for (column, item) in
            export.columns.iter().flat_map(|column| items.iter().map(move |item| (column, item)))
        {
            for reference in column.references(item) {
                if !export.names.contains_key(&reference) {
                    wanted.entry(reference.0).or_default().insert(reference.1);
                }
            }
        }
        for (kind, ids) in wanted {
            let ids: Vec<Id> = ids.into_iter().collect();
            for (id, item) in self.contents.items_of_sheet(kind, &ids).await? {
                export.names.insert((kind, id), name_of(&item, export.locale));
            }
        }
        Ok(())
    }
}

/// Name of an item in a language.
fn name_of(item: &Item, locale: Locale) -> String {
    let text = |field: &str| item.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    let english = if locale == Locale::English { text("englishDescription") } else { None };
    english.or_else(|| text("description")).or_else(|| text("title")).unwrap_or_default().to_owned()
}

fn chosen(all: &[SheetColumn], keys: &str) -> Result<Vec<SheetColumn>, Violations> {
    let mut columns: Vec<SheetColumn> = Vec::new();
    for key in keys.split(',').map(str::trim).filter(|key| !key.is_empty()) {
        let found =
            all.iter().filter(|column| if key == LINKS { column.is_of_link() } else { column.key == key });
        let before = columns.len();
        for column in found {
            if !columns.contains(column) {
                columns.push(column.clone());
            }
        }
        let is_known = columns.len() > before || columns.iter().any(|column| column.key == key);
        if !is_known {
            let allowed: Vec<&str> = all.iter().map(|column| column.key.as_str()).collect();
            return Err(Violations(vec![
                Violation::new("columns", Code::UnknownValue).with("allowed", allowed),
            ]));
        }
    }
    if columns.is_empty() {
        return Err(Violations(vec![Violation::new("columns", Code::Required)]));
    }
    Ok(columns)
}
