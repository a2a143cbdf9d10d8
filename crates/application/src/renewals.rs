//! Renewals: customers by expiration, a preview of sales to several of them, and completed sales
//! (docs/spec/renewals.md).

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};
use domain_credits::{
    MAX_RENEWALS, Movement, Quote, Refusal, RenewalQuoteRequest, RenewalRequest, SalesRequest,
};
use domain_kernel::{
    Action, Actor, Code, DraftReader, Enumeration, FilterKind, FilterValue, ListQuery, Page, Permission,
    Sort, Subject, Username, Violation, Violations,
};
use domain_users::{CallingCode, Renewal, RenewalWindow, Scope};
use ports::{CustomerQuote, Ledger, Quoted, RenewalFilter, RenewalRepository};
use serde_json::{Map, Value};

use crate::{
    Calendar, Error, ListShape, OperationRefusal,
    body::parse,
    listing::searched_phone,
    operations::{in_filter, pairs_of},
    read_list_query,
};

const READ: Permission = Permission::new(Subject("USER"), Action::Read);
/// Permission to sell credits: that of changing the customer.
const SELL: Permission = Permission::new(Subject("USER"), Action::Update);

/// Use cases of renewals.
pub struct RenewalService {
    renewals: Arc<dyn RenewalRepository>,
    ledger: Arc<dyn Ledger>,
    calendar: Calendar,
    country: Option<CallingCode>,
    quotes: DraftReader<RenewalQuoteRequest>,
    sales: DraftReader<SalesRequest>,
}

/// Preview of renewing customers one after the other.
#[derive(Debug)]
pub struct RenewalsPreview {
    /// The agent's sale credits before and after; `None` for admins, who have no stock.
    pub stock: Option<(i64, i64)>,
    /// Previews by customer, in the order of the request.
    pub customers: Vec<RenewalPreview>,
}

/// Preview of renewing a customer, or why it would be rejected.
#[derive(Debug)]
pub struct RenewalPreview {
    /// User name as in the request.
    pub username: String,
    /// Their full name, where the list was read for it.
    pub full_name: Option<String>,
    /// By how many months.
    pub months: i64,
    /// Current end of the subscription, also of a refused renewal; `None` if the user is not visible.
    pub expiration: Option<DateTime<Utc>>,
    /// The previewed sale.
    pub outcome: Result<Quote, Error>,
}

impl RenewalService {
    /// List parameters.
    pub fn list_shape() -> ListShape {
        ListShape {
            page_size: 25,
            sorts: vec!["expirationDate"],
            filters: &[("window", FilterKind::Code(RenewalWindow::CODES)), ("snoozed", FilterKind::Flag)],
        }
    }

    /// `country` is that of phone numbers without one.
    pub fn new(
        renewals: Arc<dyn RenewalRepository>,
        ledger: Arc<dyn Ledger>,
        calendar: Calendar,
        country: Option<CallingCode>,
    ) -> Self {
        Self { renewals, ledger, calendar, country, quotes: DraftReader::new(), sales: DraftReader::new() }
    }

    /// Country of phone numbers without one.
    pub fn country(&self) -> Option<CallingCode> {
        self.country
    }

    /// A page of the visible customers of a window, by default next or latest expiration first.
    /// Snoozed customers have their own list. `pairs` are those of the query string.
    pub async fn list(&self, actor: &Actor, pairs: &[(String, String)]) -> Result<Page<Vec<Renewal>>, Error> {
        let (RenewalFilter { scope, window, snoozed }, query) = self.read_list(actor, pairs)?;
        let now = self.calendar.now();
        let page = self.renewals.list(&scope, window, snoozed, &query).await?;
        let current = |renewal: Renewal| Renewal {
            snoozed_until: renewal.snoozed_until.filter(|until| *until > now),
            ..renewal
        };
        Ok(page.map(|renewals| renewals.into_iter().map(current).collect()))
    }

    /// Reads the list parameters, limited to customers whom the actor sees.
    pub(crate) fn read_list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(RenewalFilter, ListQuery), Error> {
        require(actor)?;
        let mut query = self.read_query(&Self::list_shape(), pairs)?;
        let snoozed = wants_snoozed(&query);
        let window = query.filters.drain(..).find_map(|filter| match filter.value {
            FilterValue::Code(code) => RenewalWindow::from_code(code),
            _ => None,
        });
        let Some(window) = window else {
            return Err(Violations(vec![Violation::new("window", Code::Required)]).into());
        };
        if query.sort.is_empty() {
            let descending = window == RenewalWindow::Expired;
            query.sort = vec![Sort { field: "expirationDate".into(), descending }];
        }
        Ok((RenewalFilter { scope: Scope::of(actor), window: self.calendar.ending(window), snoozed }, query))
    }

    fn read_query(&self, shape: &ListShape, pairs: &[(String, String)]) -> Result<ListQuery, Violations> {
        let query = read_list_query(shape, pairs)?;
        Ok(ListQuery { phone_digits: searched_phone(&query, self.country), ..query })
    }

    /// Numbers of customers by window, among those matching the search.
    pub async fn count(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Vec<(RenewalWindow, u64)>, Error> {
        require(actor)?;
        let shape = ListShape { filters: &[("snoozed", FilterKind::Flag)], ..Self::list_shape() };
        let query = self.read_query(&shape, pairs)?;
        let windows: Vec<_> = RenewalWindow::ALL.iter().map(|window| self.calendar.ending(*window)).collect();
        let (scope, snoozed) = (Scope::of(actor), wants_snoozed(&query));
        let counts = self.renewals.count(&scope, &windows, snoozed, &query).await?;
        Ok(RenewalWindow::ALL.iter().copied().zip(counts).collect())
    }

    /// Previews renewals by the rules of the sales. A filter is evaluated at the time of the preview.
    pub async fn quote(&self, actor: &Actor, body: &[u8]) -> Result<RenewalsPreview, Error> {
        require(actor)?;
        let request = self.quotes.read(parse(body)?, &())?.into_inner();
        let wanted = match &request.filter {
            Some(filter) => {
                self.matching(actor, filter, request.months.unwrap_or(1), request.expected_count).await?
            }
            None => request.customers.into_iter().map(|one| (one, None)).collect(),
        };
        // An invalid user name matches no customer.
        let name = |text: &str| Username::parse(text);
        let known: Vec<_> =
            wanted.iter().filter_map(|(one, _)| Some((name(&one.username)?, one.months))).collect();
        let quoted = self.ledger.quote_renewals(&actor.username, &known, self.calendar.now()).await?;
        let stock = quoted.stock_before.zip(quoted.stock_after());
        let mut outcomes = quoted.customers.into_iter();
        let mut customers = Vec::with_capacity(wanted.len());
        for (one, full_name) in wanted {
            let quoted = name(&one.username).and_then(|_| outcomes.next());
            let hidden = CustomerQuote { expiration: None, quoted: Quoted::Hidden };
            let CustomerQuote { expiration, quoted } = quoted.unwrap_or(hidden);
            let outcome = match quoted {
                Quoted::Quote(quote) => Ok(quote),
                Quoted::Hidden => Err(Error::NoSuchUser(one.username.clone())),
                Quoted::Refused(Refusal::NotActive) => return Err(Refusal::NotActive.into()),
                Quoted::Refused(refusal) => Err(refusal.into()),
            };
            let RenewalRequest { username, months } = one;
            customers.push(RenewalPreview { username, full_name, months, expiration, outcome });
        }
        Ok(RenewalsPreview { stock, customers })
    }

    /// The customers that the list shows by a filter, with their full names. Fails if their number is not the
    /// one that the user has confirmed, or exceeds the maximum of a renewal.
    async fn matching(
        &self,
        actor: &Actor,
        filter: &Map<String, Value>,
        months: i64,
        expected: Option<i64>,
    ) -> Result<Vec<(RenewalRequest, Option<String>)>, Error> {
        let (RenewalFilter { scope, window, snoozed }, query) =
            self.read_list(actor, &pairs_of(filter)?).map_err(in_filter)?;
        let all = ListQuery { page: 0, size: u32::try_from(MAX_RENEWALS).unwrap_or(u32::MAX), ..query };
        let page = self.renewals.list(&scope, window, snoozed, &all).await?;
        let count = i64::try_from(page.total_elements).unwrap_or(i64::MAX);
        if expected.is_some_and(|expected| expected != count) {
            return Err(Error::Operation(OperationRefusal::CountChanged(count)));
        }
        if page.total_elements > page.content.len() as u64 {
            let fault = Violation::new("filter", Code::TooMany).with("max", MAX_RENEWALS);
            return Err(Violations(vec![fault]).into());
        }
        let wanted = page.content.into_iter().map(|Renewal { user, .. }| {
            (RenewalRequest { username: user.username.to_string(), months }, Some(user.full_name))
        });
        Ok(wanted.collect())
    }

    /// The sales that the actor made under these idempotency keys. Keys without a sale are omitted.
    pub async fn sales(&self, actor: &Actor, body: &[u8]) -> Result<Vec<(String, Movement)>, Error> {
        require(actor)?;
        let request = self.sales.read(parse(body)?, &())?.into_inner();
        Ok(self.ledger.done_under(&actor.username, &request.keys).await?)
    }

    /// Time for the subscription status.
    pub fn now(&self) -> DateTime<Utc> {
        self.calendar.now()
    }

    /// The day of a moment in the service's time zone.
    pub fn day(&self, moment: DateTime<Utc>) -> NaiveDate {
        self.calendar.local(moment).date()
    }
}

fn wants_snoozed(query: &ListQuery) -> bool {
    query.filters.iter().any(|filter| filter.value == FilterValue::Flag(true))
}

fn require(actor: &Actor) -> Result<(), Error> {
    actor.require(READ)?;
    actor.require(SELL)?;
    Ok(())
}
