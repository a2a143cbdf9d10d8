//! Imported spreadsheets: uploaded (`uploading`), and run row by row as a bulk operation
//! (docs/spec/import-export.md#spreadsheets-in).

mod uploading;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use domain_catalogue::{Kind, SheetColumn, links_in_headings, names_in_row};
use domain_kernel::{
    Action, Actor, Cell, Code, Denied, Id, Locale, Permission, SheetRow, Violation, Violations, fold,
};
use domain_operations::{BulkOperation, OperationRow, Resource, SheetDefault, SheetImport};
use ports::{SheetLimits, SheetRepository, SliceOf, SliceWritten, StoreError, UserSheets};

pub use uploading::{Headings, Upload, UploadedColumn, UploadedSheet};

use crate::{
    Calendar, ContentServices, Error, UserService, issues,
    sheet_import_rows::{Named, RowOfDefaults, SlicePlan},
    sheet_import_users::{Registrars, UserSlicePlan, user_columns},
    users::USER,
};

/// Limits of an imported file.
pub const IMPORT_LIMITS: SheetLimits =
    SheetLimits { rows: 100_000, columns: 1_100, unpacked: 256 * 1024 * 1024 };
/// Maximum bytes of such a file.
pub const MAX_SHEET_BYTES: usize = 16 * 1024 * 1024;
/// Column key that no user's file has: the version of the item when the server generated its row.
pub(crate) const VERSION_COLUMN: &str = "version";
/// Column key that no user's file has: the ids of the playlist entries whose streams a channel's row changes.
pub(crate) const STREAMS_COLUMN: &str = "streams";
/// Links that a template has columns for.
const LINKS_OF_A_TEMPLATE: usize = 2;
/// Use cases of imported files.
pub struct SheetImportService {
    sheets: Arc<dyn SheetRepository>,
    contents: ContentServices,
    users: Arc<UserService>,
    user_sheets: Arc<dyn UserSheets>,
    calendar: Calendar,
}

impl SheetImportService {
    pub fn new(
        sheets: Arc<dyn SheetRepository>,
        contents: ContentServices,
        users: Arc<UserService>,
        user_sheets: Arc<dyn UserSheets>,
        calendar: Calendar,
    ) -> Self {
        Self { sheets, contents, users, user_sheets, calendar }
    }

    /// Columns that an import reads, for a number of links.
    fn import_columns(&self, resource: Resource, links: usize) -> Vec<SheetColumn> {
        match resource {
            Resource::Content(kind) => self.contents.import_columns(kind, links),
            Resource::Users => user_columns(&self.users.edits),
            Resource::Reports => Vec::new(),
        }
    }

    /// Columns of an empty file, with names instead of ids.
    pub fn template(&self, actor: &Actor, resource: Resource) -> Result<Vec<SheetColumn>, Error> {
        may_import(actor, resource)?;
        let mut columns = self.import_columns(resource, LINKS_OF_A_TEMPLATE);
        let named: HashSet<String> =
            columns.iter().filter_map(SheetColumn::names).map(|(field, _)| field.to_owned()).collect();
        columns.retain(|column| column.key != "id" && !named.contains(&column.key));
        Ok(columns)
    }

    /// Checks the permission to import, before the file is read.
    pub fn require(&self, actor: &Actor, resource: Resource) -> Result<(), Error> {
        may_import(actor, resource)
    }

    /// The import of an uploaded file of the actor with these columns, if valid. The chosen columns
    /// are stored for the next file.
    pub(crate) async fn import_of(
        &self,
        actor: &Actor,
        resource: Resource,
        id: Id,
        columns: Vec<Option<String>>,
        defaults: Vec<SheetDefault>,
    ) -> Result<SheetImport, Error> {
        let missing = || Error::NoSuch { what: "spreadsheet-imports", id };
        let found = self.sheets.find(id).await?.ok_or_else(missing)?;
        let is_own = found.sheet.created_by == actor.username.as_str() || actor.role.passes_every_check();
        if found.sheet.resource != resource || !is_own {
            return Err(missing());
        }
        let headings = &found.sheet.headings;
        let mut violations = Vec::new();
        if columns.len() != headings.len() {
            let fault = Violation::new("columns", Code::InvalidFormat);
            violations.push(fault);
        }
        if columns.iter().flatten().next().is_none() {
            violations.push(Violation::new("columns", Code::Required));
        }
        let known = self.import_columns(resource, links_in_columns(&columns));
        let mut seen = HashSet::new();
        for (index, key) in columns.iter().enumerate() {
            let Some(key) = key else { continue };
            let path = format!("columns[{index}]");
            if !known.iter().any(|column| column.key == *key) {
                let allowed: Vec<&str> = known.iter().map(|column| column.key.as_str()).collect();
                violations.push(Violation::new(path, Code::UnknownValue).with("allowed", allowed));
            } else if !seen.insert(key) {
                violations.push(Violation::new(path, Code::Duplicate));
            }
        }
        violations.extend(faults_of_defaults(&defaults, resource, &known));
        if !violations.is_empty() {
            return Err(Violations(violations).shortened().into());
        }
        let chosen = columns_by_heading(headings, &columns);
        self.sheets.choose_columns(&actor.username.key(), resource, chosen).await?;
        Ok(SheetImport { sheet: id, file_name: found.sheet.file_name, columns, defaults, rows: found.rows })
    }

    /// Positions of the rows of a file of users, in an order with registrars before their users;
    /// `None` if the file has this order.
    pub(crate) async fn registrars_first(&self, import: &SheetImport) -> Result<Option<Vec<usize>>, Error> {
        let place = |key: &str| import.columns.iter().position(|column| column.as_deref() == Some(key));
        let registrar = place("registeredBy");
        let default = import.defaults.iter().find(|default| default.key == "registeredBy");
        let Some(name) = place("username").filter(|_| registrar.is_some() || default.is_some()) else {
            return Ok(None);
        };
        let default = default.map(|default| default.value.trim()).unwrap_or_default();
        let text = |row: &SheetRow, place: usize| {
            row.cells.get(place).map(|cell| cell.text(Locale::English).trim().to_owned()).unwrap_or_default()
        };
        // One slice at a time: only names are kept in memory.
        let mut names = Registrars::default();
        let mut number = 0;
        while names.rows() < import.rows {
            for row in self.sheets.rows(import.sheet, number).await? {
                let by = registrar.map(|place| text(&row, place)).filter(|by| !by.is_empty());
                names.add(&text(&row, name), by.as_deref().unwrap_or(default));
            }
            number += 1;
        }
        Ok(names.order())
    }

    /// Headings of a file that an operation imports.
    pub async fn headings(&self, import: &SheetImport) -> Result<Vec<String>, Error> {
        let found = self.sheets.find(import.sheet).await?;
        Ok(found.map(|found| found.sheet.headings).unwrap_or_default())
    }

    /// Cells of rows of a file, by their positions.
    pub async fn cells_of(
        &self,
        import: &SheetImport,
        rows: &[OperationRow],
    ) -> Result<HashMap<i64, Vec<Cell>>, Error> {
        let places: Vec<i64> = rows.iter().map(|row| row.position).collect();
        let rows = self.rows_at(import.sheet, &places).await?;
        Ok(rows.into_iter().map(|(place, row)| (place, row.cells)).collect())
    }

    /// The rows at these positions of a file, from 0.
    async fn rows_at(&self, sheet: Id, places: &[i64]) -> Result<HashMap<i64, SheetRow>, Error> {
        if places.is_empty() {
            return Ok(HashMap::new());
        }
        // All slices except for the last have the length of the first, which depends on the width
        // of the file and on the version that stored it.
        let first = self.sheets.rows(sheet, 0).await?.len().max(1);
        let size = i64::try_from(first).unwrap_or(i64::MAX);
        let wanted: HashSet<i64> = places.iter().copied().collect();
        let slices: BTreeSet<i64> = places.iter().map(|place| place / size).collect();
        let mut rows = HashMap::with_capacity(wanted.len());
        for number in slices {
            let slice = self.sheets.rows(sheet, number).await?;
            rows.extend((number * size..).zip(slice).filter(|(place, _)| wanted.contains(place)));
        }
        Ok(rows)
    }

    /// The items among these that an import added.
    pub(crate) async fn added_items(&self, operation: Id, items: &[Id]) -> Result<HashSet<Id>, Error> {
        Ok(self.sheets.added_items(operation, items).await?)
    }

    /// Runs a slice of an import: consecutive rows, or those at these positions.
    pub(crate) async fn run_slice(
        &self,
        actor: &Actor,
        operation: &BulkOperation,
        import: &SheetImport,
        slice: SliceOf,
        places: Option<Vec<i64>>,
    ) -> Result<SliceWritten, Error> {
        let resource = operation.resource;
        let dry_run = operation.dry_run;
        let found = self.sheets.find(import.sheet).await?;
        let found = found.ok_or_else(|| StoreError::Broken("an import lacks its file".into()))?;
        let rows = match &places {
            None => self.sheets.rows(import.sheet, slice.number).await?,
            Some(places) => {
                let mut found = self.rows_at(import.sheet, places).await?;
                let lacking = || StoreError::Broken("a file lacks a row".into());
                let rows = places.iter().map(|place| found.remove(place).ok_or_else(lacking));
                rows.collect::<Result<Vec<SheetRow>, StoreError>>()?
            }
        };
        let known = self.import_columns(resource, links_in_columns(&import.columns));
        let column = |key: &Option<String>| {
            let key = key.as_ref()?;
            known.iter().find(|column| column.key == *key).cloned()
        };
        let columns: Vec<Option<SheetColumn>> = import.columns.iter().map(column).collect();
        let default_columns: Vec<Option<SheetColumn>> =
            import.defaults.iter().map(|default| column(&Some(default.key.clone()))).collect();
        let cells = import.defaults.iter().map(|default| Cell::Text(default.value.clone())).collect();
        let defaults = RowOfDefaults { columns: default_columns, cells };
        let kind = match resource {
            Resource::Content(kind) => kind,
            Resource::Users => {
                let in_order = || (slice.first_position..).take(rows.len()).collect();
                let plan = UserSlicePlan {
                    slice,
                    places: places.unwrap_or_else(in_order),
                    rows: &rows,
                    columns: &columns,
                    defaults: &defaults,
                    locale: found.sheet.locale,
                    sheets: &*self.sheets,
                    store: &*self.user_sheets,
                    dry_run,
                };
                return self.users.import_slice(actor, &plan).await;
            }
            Resource::Reports => {
                return Err(StoreError::Broken("an import of a kind that can't be imported".into()).into());
            }
        };
        let names = self.names_of(&columns, &defaults, &rows).await?;
        let plan = SlicePlan {
            slice,
            rows: &rows,
            columns: &columns,
            defaults: &defaults,
            version_column: import.columns.iter().position(|key| key.as_deref() == Some(VERSION_COLUMN)),
            streams_column: import.columns.iter().position(|key| key.as_deref() == Some(STREAMS_COLUMN)),
            locale: found.sheet.locale,
            names: &names,
            sheets: &*self.sheets,
            dry_run,
        };
        self.contents.import_slice(kind, actor, &plan).await
    }

    /// The items named by the rows, by kind.
    async fn names_of(
        &self,
        columns: &[Option<SheetColumn>],
        defaults: &RowOfDefaults,
        rows: &[SheetRow],
    ) -> Result<Vec<Named>, Error> {
        let mut wanted: HashMap<Kind, HashSet<String>> = HashMap::new();
        let of_defaults = names_in_row(&defaults.columns, &defaults.cells);
        let of_rows = rows.iter().flat_map(|row| names_in_row(columns, &row.cells));
        for (kind, name) in of_rows.chain(of_defaults) {
            wanted.entry(kind).or_default().insert(name);
        }
        let mut named = Vec::new();
        for (kind, names) in wanted {
            let items = self.contents.items_named(kind, names.into_iter().collect()).await?;
            named.extend(items.into_iter().map(|(id, item)| Named::of(kind, id, &item)));
        }
        Ok(named)
    }
}

/// The columns to remember for headings. Which of equal headings a column was is not remembered.
fn columns_by_heading(headings: &[String], columns: &[Option<String>]) -> HashMap<String, Option<String>> {
    let folded: Vec<String> = headings.iter().map(|heading| fold(heading)).collect();
    let mut times: HashMap<&str, usize> = HashMap::new();
    for heading in &folded {
        *times.entry(heading).or_default() += 1;
    }
    let is_known = |heading: &str| !heading.is_empty() && times.get(heading) == Some(&1);
    let chosen = folded.iter().zip(columns).filter(|(heading, _)| is_known(heading));
    chosen.map(|(heading, key)| (heading.clone(), key.clone())).collect()
}

/// Columns that get no default in new items.
fn is_of_its_row(resource: Resource, key: &str) -> bool {
    let names = if resource == Resource::Users { ["id", "username"] } else { ["id", "imdbId"] };
    names.contains(&key) || key.starts_with("link")
}

fn faults_of_defaults(
    defaults: &[SheetDefault],
    resource: Resource,
    known: &[SheetColumn],
) -> Vec<Violation> {
    let mut keys = HashSet::new();
    let mut faults = Vec::new();
    let is_allowed =
        |key: &str| !is_of_its_row(resource, key) && known.iter().any(|column| column.key == key);
    for (index, SheetDefault { key, .. }) in defaults.iter().enumerate() {
        let path = format!("defaults[{index}].key");
        if !is_allowed(key) {
            let allowed: Vec<&str> =
                known.iter().map(|column| column.key.as_str()).filter(|key| is_allowed(key)).collect();
            faults.push(Violation::new(path, Code::UnknownValue).with("allowed", allowed));
        } else if !keys.insert(key) {
            faults.push(Violation::new(path, Code::Duplicate));
        }
    }
    faults
}

fn links_in_columns(columns: &[Option<String>]) -> usize {
    links_in_headings(columns.iter().flatten().map(String::as_str))
}

/// Rows add and change items, so both permissions are required for every file. Users are imported
/// by admins.
pub(crate) fn may_import(actor: &Actor, resource: Resource) -> Result<(), Error> {
    let permission = |action| match resource {
        Resource::Content(kind) => kind.permission(action),
        Resource::Users => Permission::new(USER, action),
        Resource::Reports => Permission::new(issues::ISSUES, action),
    };
    let is_for_admins = resource != Resource::Users || actor.role.passes_every_check();
    for action in [Action::Create, Action::Update] {
        if !is_for_admins || !actor.may(permission(action)) {
            return Err(Error::Denied(Denied(permission(action))));
        }
    }
    Ok(())
}
