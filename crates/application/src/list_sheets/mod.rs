//! Lists other than content as spreadsheets (docs/spec/import-export.md#other-lists): users,
//! reports, the ledger, visits, renewals, the audit log, keys, the trash, bulk operations and
//! deliveries of webhooks. The list decides permission and rows.

mod columns;

use std::{pin::Pin, sync::Arc};

use chrono::{DateTime, Utc};
use domain_audience::Visit;
use domain_audit::{AuditAction, AuditEntry};
use domain_catalogue::TrashEntry;
use domain_credits::LedgerLine;
use domain_integrations::{Delivery, Key};
use domain_issues::Report;
use domain_kernel::{
    Action, Actor, Cell, Code, Enumeration, Id, Labels, ListQuery, Locale, Permission, RoleCode, Subject,
    Violation, Violations,
};
use domain_operations::BulkOperation;
use domain_users::{Renewal, User};
use ports::{
    AuditFilter, AuditRepository, DeliveryFilter, IssueFilter, LedgerRows, ListRows, NewAuditEntry,
    OperationFilter, RenewalFilter, TrashFilter, UserFilter, VisitFilter,
};
use serde_json::{Map, json};

use self::columns::{
    AUDIT, CREDITS, DELIVERIES, ISSUE_REPORTS, KEYS, OPERATIONS, RENEWALS, TRASH, USERS, VISITS,
};
use crate::{
    AuditService, Calendar, CreditService, Error, IssueService, KeyService, MAX_SHEET_ROWS, OperationService,
    RenewalService, SheetRequest, TrashService, UserService, VisitService, WebhookService,
    sheets::{refuse_paging, require_rows},
};

/// Headings of the columns of users in a language, by column key.
pub fn user_headings<'a>(keys: impl Iterator<Item = &'a str>, locale: Locale) -> Vec<String> {
    let heading = |key: &'a str| {
        let column = USERS.iter().find(|column| column.key == key);
        column.map_or(key, |column| column.labels.in_language(locale)).to_owned()
    };
    keys.map(heading).collect()
}

/// Rows per read.
const ROWS_AT_ONCE: usize = 500;

/// A list other than content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SheetList {
    Users,
    /// Viewers' reports.
    IssueReports,
    /// The ledger, one line per operation.
    Credits,
    Visits,
    /// Customers by expiration.
    Renewals,
    Audit,
    /// Integrators' keys, without the secrets.
    IntegratorKeys,
    Trash,
    Operations,
    /// Deliveries of one webhook.
    WebhookDeliveries,
}

/// Permission for the files of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListAccess {
    /// Users with this permission.
    Permission(Permission),
    /// Superadmins and admins.
    Admins,
    Roles(&'static [RoleCode]),
}

impl SheetList {
    /// All lists.
    pub const ALL: [Self; 10] = [
        Self::Users,
        Self::IssueReports,
        Self::Credits,
        Self::Visits,
        Self::Renewals,
        Self::Audit,
        Self::IntegratorKeys,
        Self::Trash,
        Self::Operations,
        Self::WebhookDeliveries,
    ];

    /// Last segment of its paths, and its name in the audit log.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Users => "users",
            Self::IssueReports => "issue-reports",
            Self::Credits => "credits",
            Self::Visits => "visits",
            Self::Renewals => "renewals",
            Self::Audit => "audit",
            Self::IntegratorKeys => "integrator-keys",
            Self::Trash => "trash",
            Self::Operations => "operations",
            Self::WebhookDeliveries => "webhook-deliveries",
        }
    }

    /// Permission for its files: that of the list.
    pub fn access(self) -> ListAccess {
        let read = |subject| ListAccess::Permission(Permission::new(Subject(subject), Action::Read));
        match self {
            Self::Users => read("USER"),
            // Roles that sell, as in the list.
            Self::Renewals => ListAccess::Permission(Permission::new(Subject("USER"), Action::Update)),
            Self::IssueReports => read("ISSUES"),
            Self::Credits => read("CREDIT_HISTORY"),
            Self::Visits => read("VIEW_HISTORY"),
            Self::Audit => read("AUDIT"),
            Self::IntegratorKeys | Self::WebhookDeliveries => ListAccess::Admins,
            Self::Trash | Self::Operations => {
                ListAccess::Roles(&[RoleCode::Superadmin, RoleCode::Admin, RoleCode::ContentManager])
            }
        }
    }

    /// Columns of its files: keys and headings.
    pub fn columns(self) -> Vec<(&'static str, Labels)> {
        fn of<R>(columns: &[ListColumn<R>]) -> Vec<(&'static str, Labels)> {
            columns.iter().map(|column| (column.key, column.labels)).collect()
        }
        match self {
            Self::Users => of(USERS),
            Self::Renewals => of(RENEWALS),
            Self::IssueReports => of(ISSUE_REPORTS),
            Self::Credits => of(CREDITS),
            Self::Visits => of(VISITS),
            Self::Audit => of(AUDIT),
            Self::IntegratorKeys => of(KEYS),
            Self::Trash => of(TRASH),
            Self::Operations => of(OPERATIONS),
            Self::WebhookDeliveries => of(DELIVERIES),
        }
    }
}

/// A column of a list: key, heading, and the cell of a row.
struct ListColumn<R: 'static> {
    key: &'static str,
    labels: Labels,
    cell: fn(&R, &Cells) -> Cell,
}

/// Creates cells in the language of a file and the service's time zone.
struct Cells {
    locale: Locale,
    calendar: Calendar,
}

impl Cells {
    fn moment(&self, moment: DateTime<Utc>) -> Cell {
        Cell::Moment(self.calendar.local(moment))
    }

    fn optional_moment(&self, moment: Option<DateTime<Utc>>) -> Cell {
        moment.map_or(Cell::Empty, |moment| self.moment(moment))
    }

    fn code(&self, code: impl Enumeration) -> Cell {
        Cell::Text(code.labels().in_language(self.locale).to_owned())
    }
}

fn text(text: impl Into<String>) -> Cell {
    let text = text.into();
    if text.is_empty() { Cell::Empty } else { Cell::Text(text) }
}

fn optional(value: Option<impl ToString>) -> Cell {
    value.map_or(Cell::Empty, |value| text(value.to_string()))
}

/// Repositories of the lists.
pub struct ListSources {
    pub users: Arc<dyn ListRows<UserFilter, User>>,
    pub reports: Arc<dyn ListRows<IssueFilter, Report>>,
    pub lines: Arc<dyn ListRows<LedgerRows, LedgerLine>>,
    pub visits: Arc<dyn ListRows<VisitFilter, Visit>>,
    pub renewals: Arc<dyn ListRows<RenewalFilter, Renewal>>,
    pub entries: Arc<dyn ListRows<AuditFilter, AuditEntry>>,
    pub keys: Arc<dyn ListRows<(), Key>>,
    pub trash: Arc<dyn ListRows<TrashFilter, TrashEntry>>,
    pub operations: Arc<dyn ListRows<OperationFilter, BulkOperation>>,
    pub deliveries: Arc<dyn ListRows<DeliveryFilter, Delivery>>,
}

/// Use cases that decide which rows the actor may see.
#[derive(Clone)]
pub struct ListReaders {
    pub users: Arc<UserService>,
    pub issues: Arc<IssueService>,
    pub credits: Arc<CreditService>,
    pub visits: Arc<VisitService>,
    pub renewals: Arc<RenewalService>,
    pub audit: Arc<AuditService>,
    pub keys: Arc<KeyService>,
}

/// Use cases of spreadsheets of lists.
pub struct ListSheetService {
    readers: ListReaders,
    sources: ListSources,
    audit: Arc<dyn AuditRepository>,
    calendar: Calendar,
}

/// Progress of writing a list.
pub struct ListExport {
    /// Headings in the language of the file.
    pub headings: Vec<String>,
    rows: Box<dyn RowsInOrder>,
}

impl ListExport {
    /// The next rows; empty after the last.
    pub async fn next_rows(&mut self) -> Result<Vec<Vec<Cell>>, Error> {
        self.rows.next().await
    }
}

/// A pending read of rows.
type Reading<'a> = Pin<Box<dyn Future<Output = Result<Vec<Vec<Cell>>, Error>> + Send + 'a>>;

trait RowsInOrder: Send + Sync {
    fn next(&mut self) -> Reading<'_>;
}

struct Export<F: Sync, R: Send + 'static> {
    source: Arc<dyn ListRows<F, R>>,
    filter: F,
    ids: Vec<Id>,
    done: usize,
    columns: Vec<&'static ListColumn<R>>,
    cells: Cells,
}

impl<F: Send + Sync, R: Send + Sync + 'static> RowsInOrder for Export<F, R> {
    fn next(&mut self) -> Reading<'_> {
        Box::pin(self.read())
    }
}

impl<F: Send + Sync, R: Send + Sync + 'static> Export<F, R> {
    async fn read(&mut self) -> Result<Vec<Vec<Cell>>, Error> {
        while self.done < self.ids.len() {
            let end = self.ids.len().min(self.done + ROWS_AT_ONCE);
            let rows = self.source.rows(&self.filter, &self.ids[self.done..end]).await?;
            self.done = end;
            if !rows.is_empty() {
                let cells =
                    |row: &R| self.columns.iter().map(|column| (column.cell)(row, &self.cells)).collect();
                return Ok(rows.iter().map(cells).collect());
            }
        }
        Ok(Vec::new())
    }
}

impl ListSheetService {
    pub fn new(
        readers: ListReaders,
        sources: ListSources,
        audit: Arc<dyn AuditRepository>,
        calendar: Calendar,
    ) -> Self {
        Self { readers, sources, audit, calendar }
    }

    /// Columns of a list's files, after a check of the permission.
    pub fn columns(&self, actor: &Actor, list: SheetList) -> Result<Vec<(&'static str, Labels)>, Error> {
        match list.access() {
            ListAccess::Permission(permission) => actor.require(permission)?,
            ListAccess::Admins if actor.role.passes_every_check() => {}
            ListAccess::Roles(roles) if roles.contains(&actor.role) => {}
            ListAccess::Admins | ListAccess::Roles(_) => return Err(Error::Forbidden),
        }
        Ok(list.columns())
    }

    /// Begins a file of the rows that the actor may see.
    pub async fn begin(
        &self,
        actor: &Actor,
        list: SheetList,
        request: &SheetRequest<'_>,
    ) -> Result<ListExport, Error> {
        let (readers, sources, pairs) = (&self.readers, &self.sources, request.pairs);
        let requested = RequestedExport { service: self, actor, list, request };
        match list {
            SheetList::Users => {
                let (filter, query) = readers.users.read_list(actor, pairs)?;
                requested.export(&sources.users, filter, &query, USERS).await
            }
            SheetList::IssueReports => {
                let (filter, query) = readers.issues.read_list(actor, pairs)?;
                requested.export(&sources.reports, filter, &query, ISSUE_REPORTS).await
            }
            SheetList::Credits => {
                let (filter, query) = readers.credits.read_lines(actor, pairs).await?;
                requested.export(&sources.lines, filter, &query, CREDITS).await
            }
            SheetList::Visits => {
                let (filter, query) = readers.visits.read_list(actor, pairs)?;
                requested.export(&sources.visits, filter, &query, VISITS).await
            }
            SheetList::Renewals => {
                let (filter, query) = readers.renewals.read_list(actor, pairs)?;
                requested.export(&sources.renewals, filter, &query, RENEWALS).await
            }
            SheetList::Audit => {
                let (filter, query) = readers.audit.read_list(actor, pairs)?;
                requested.export(&sources.entries, filter, &query, AUDIT).await
            }
            SheetList::IntegratorKeys => {
                let query = readers.keys.read_list(actor, pairs)?;
                requested.export(&sources.keys, (), &query, KEYS).await
            }
            SheetList::Trash => {
                let (filter, query) = TrashService::read_list(&self.calendar, actor, pairs)?;
                requested.export(&sources.trash, filter, &query, TRASH).await
            }
            SheetList::Operations => {
                let (filter, query) = OperationService::read_list(&self.calendar, actor, pairs)?;
                requested.export(&sources.operations, filter, &query, OPERATIONS).await
            }
            SheetList::WebhookDeliveries => {
                let (filter, query) = WebhookService::read_log(actor, pairs)?;
                requested.export(&sources.deliveries, filter, &query, DELIVERIES).await
            }
        }
    }
}

/// The parameters of an export.
struct RequestedExport<'a> {
    service: &'a ListSheetService,
    actor: &'a Actor,
    list: SheetList,
    request: &'a SheetRequest<'a>,
}

impl RequestedExport<'_> {
    async fn export<F: Send + Sync + 'static, R: Send + Sync + 'static>(
        &self,
        source: &Arc<dyn ListRows<F, R>>,
        filter: F,
        query: &ListQuery,
        all: &'static [ListColumn<R>],
    ) -> Result<ListExport, Error> {
        let Self { service, actor, list, request } = self;
        refuse_paging(request.pairs)?;
        let columns = chosen(all, request.columns)?;
        let ids = source.ids(&filter, query, MAX_SHEET_ROWS + 1).await?;
        require_rows(ids.len())?;
        let mut after = Map::new();
        after.insert("format".into(), request.format.into());
        after.insert("rows".into(), json!(ids.len()));
        after.extend(request.pairs.iter().map(|(name, value)| (name.clone(), json!(value))));
        let entry = NewAuditEntry {
            action: AuditAction::Exported,
            resource: list.path(),
            item: String::new(),
            title: String::new(),
            after,
        };
        service.audit.add(entry, service.calendar.edit_by(actor)).await?;
        let locale = request.locale;
        let headings = columns.iter().map(|column| column.labels.in_language(locale).to_owned()).collect();
        let cells = Cells { locale, calendar: service.calendar.clone() };
        let rows = Box::new(Export { source: source.clone(), filter, ids, done: 0, columns, cells });
        Ok(ListExport { headings, rows })
    }
}

fn chosen<R>(
    all: &'static [ListColumn<R>],
    keys: Option<&str>,
) -> Result<Vec<&'static ListColumn<R>>, Violations> {
    let Some(keys) = keys else { return Ok(all.iter().collect()) };
    let mut columns: Vec<&'static ListColumn<R>> = Vec::new();
    for key in keys.split(',').map(str::trim).filter(|key| !key.is_empty()) {
        let Some(column) = all.iter().find(|column| column.key == key) else {
            let allowed: Vec<&str> = all.iter().map(|column| column.key).collect();
            let fault = Violation::new("columns", Code::UnknownValue).with("allowed", allowed);
            return Err(Violations(vec![fault]));
        };
        if columns.iter().all(|known| known.key != key) {
            columns.push(column);
        }
    }
    if columns.is_empty() {
        return Err(Violations(vec![Violation::new("columns", Code::Required)]));
    }
    Ok(columns)
}
