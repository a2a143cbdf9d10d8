//! Renewals: customers by end of subscription, and the preview of renewals
//! (docs/spec/renewals.md#calls).

use actix_web::{
    http::Method,
    web::{Data, Json},
};
use application::{EntryService, RenewalPreview, RenewalService};
use chrono::{DateTime, NaiveDate, Utc};
use domain_credits::{MAX_RENEWALS, Movement, RenewalQuoteRequest, SalesRequest, Warning};
use domain_kernel::{Action, Enumeration, ErrorKind, Id, Locale, Page, Permission, Subject, Username};
use domain_settings::{RenewalMessage, StoredEntry};
use domain_users::{
    InternationalNumber, LastContact, Renewal, RenewalWindow, UserLanguage, UserStatus, international_number,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::list_parameters::filter_schema;
use crate::{
    caller::AuthUser,
    extract::{Body, Pairs},
    language::Language,
    openapi::Api,
    problem::Problem,
};

/// A customer whose subscription has ended or ends soon.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RenewalRow {
    /// Public ID of the customer.
    username: Username,
    /// Full name.
    full_name: String,
    /// E-mail address; empty if unknown.
    email: String,
    /// Phone number; empty if unknown.
    phone_number: String,
    /// Phone number with its calling code; null if unknown.
    international_number: Option<InternationalNumber>,
    /// Language in which the customer is written to; null if unknown.
    language: Option<UserLanguage>,
    /// Status of the account.
    status: UserStatus,
    /// App credits.
    credits: i64,
    /// End of the subscription.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    expiration_date: Option<DateTime<Utc>>,
    /// Whether the subscription has ended.
    expired: bool,
    /// Username of the registering user.
    registered_by: Option<Username>,
    /// The last contact; null if none is recorded.
    last_contact: Option<LastContact>,
    /// Day from which renewals list the customer again; null if the customer is not snoozed.
    snoozed_until: Option<NaiveDate>,
}

impl RenewalRow {
    fn new(renewal: Renewal, service: &RenewalService) -> Self {
        let Renewal { user, last_contact, snoozed_until } = renewal;
        let now = service.now();
        Self {
            last_contact,
            snoozed_until: snoozed_until.map(|until| service.day(until)),
            expired: user.expiration_date.is_some_and(|date| date < now),
            username: user.username,
            full_name: user.full_name,
            email: user.email,
            international_number: international_number(&user.phone_number, service.country()),
            phone_number: user.phone_number,
            language: user.language,
            status: user.status,
            credits: user.credits,
            expiration_date: user.expiration_date,
            registered_by: user.registered_by,
        }
    }
}

/// Number of customers of a window.
#[derive(Debug, Serialize, JsonSchema)]
struct RenewalCount {
    window: RenewalWindow,
    count: u64,
}

/// Preview of renewals of several customers, in order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RenewalQuote {
    /// Stock of the caller before; null for admins, who do not pay.
    stock_before: Option<i64>,
    /// Stock of the caller after all renewals that would not be refused; null for admins.
    stock_after: Option<i64>,
    /// Results for each customer, in the order of the request.
    customers: Vec<RenewalQuoteLine>,
}

/// Preview of a customer's renewal.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RenewalQuoteLine {
    username: String,
    /// The full name, of a customer of the filter; null for those whom the request names.
    full_name: Option<String>,
    /// By how many months.
    months: i64,
    /// Current end of the subscription, also of a refused renewal; null if none or not visible.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    expiration_before: Option<DateTime<Utc>>,
    /// New end of the subscription.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    expiration_after: Option<DateTime<Utc>>,
    /// Warnings before the renewal.
    warnings: Vec<RenewalNote>,
    /// Reason of a refusal; null if the renewal would not be refused.
    refusal: Option<RenewalNote>,
}

/// A warning or a refusal.
#[derive(Debug, Serialize, JsonSchema)]
struct RenewalNote {
    /// Stable code for clients.
    code: String,
    /// Text for users, in the language of the request.
    message: String,
}

/// A sale with an idempotency key.
#[derive(Debug, Serialize, JsonSchema)]
struct SaleUnderKey {
    /// The idempotency key.
    key: String,
    /// The customer's movement.
    movement: Movement,
}

const UPDATE: Permission = Permission::new(Subject("USER"), Action::Update);

const SNOOZED: &str = "Only snoozed customers, who are omitted otherwise.";

pub(crate) fn register(api: &mut Api) {
    register_messages(api);
    let row = api.schemas.response::<RenewalRow>();
    let page = api.schemas.page_of("RenewalPage", "A page of customers.", &row);
    let shape = RenewalService::list_shape();
    drop(
        api.route(Method::GET, "/renewals", "listRenewals", list)
            .about("renewals", "List customers by end of subscription")
            .explained("Next ends first; in `EXPIRED`, last ends first. Days are those of the service's time zone; a window includes the shorter ones. Agents get the customers of their subtree. `search` applies to usernames, names, phone numbers and e-mail addresses.")
            .requires(UPDATE)
            .lists(&shape)
            .requires_query("window", filter_schema(shape.filters[0].1), "Window of the end.")
            .query("snoozed", json!({"type": "boolean"}), SNOOZED)
            .answers(200, "A page of rows.", page)
            .fails(&[ErrorKind::Invalid]),
    );
    let count = api.schemas.response::<RenewalCount>();
    drop(
        api.route(Method::GET, "/renewals/counts", "countRenewals", count_windows)
            .about("renewals", "Count the customers of each window")
            .requires(UPDATE)
            .query("search", json!({"type": "string", "maxLength": 200}), "Substring to look for.")
            .query("snoozed", json!({"type": "boolean"}), SNOOZED)
            .answers(
                200,
                "A number for each window.",
                json!({"type": "array", "items": count, "maxItems": RenewalWindow::ALL.len()}),
            )
            .fails(&[ErrorKind::Invalid]),
    );
    let (request, answer) =
        (api.schemas.request::<RenewalQuoteRequest>(), api.schemas.response::<RenewalQuote>());
    drop(
        api.route(Method::POST, "/renewals/quote", "quoteRenewals", quote)
            .about("renewals", "Preview renewals of several customers")
            .explained("The results of `POST /credits/add` for each customer, in this order, each with the remaining stock of those before it. With a filter, for the customers that it lists now, in the order of the list. Nothing is stored.")
            .requires(UPDATE)
            .takes(request)
            .answers(200, "The results and refusals.", answer)
            .fails(&[ErrorKind::Conflict]),
    );
    let (request, sale) = (api.schemas.request::<SalesRequest>(), api.schemas.response::<SaleUnderKey>());
    drop(
        api.route(Method::POST, "/renewals/sales", "findRenewalSales", sales)
            .about("renewals", "Find the caller's sales by idempotency key")
            .explained("For clients that were interrupted during a sale: a key that is missing from the response has no sale.")
            .requires(UPDATE)
            .takes(request)
            .answers(200, "A sale for each used key.", json!({"type": "array", "items": sale, "maxItems": MAX_RENEWALS})),
    );
}

/// A message to remind a customer of the end of the subscription.
#[derive(Debug, Serialize, JsonSchema)]
struct MessageForSellers {
    /// ID of the message.
    id: Id,
    /// Name of the message.
    name: String,
    /// Text in Spanish.
    spanish: String,
    /// Text in English.
    english: String,
}

fn register_messages(api: &mut Api) {
    let message = api.schemas.response::<MessageForSellers>();
    drop(
        api.route(Method::GET, "/renewals/messages", "listMessagesForSellers", messages)
            .about("renewals", "List the messages to customers, by name")
            .explained("`{name}`, `{username}`, `{end}`, `{expires}` and `{months}` in a text are placeholders for values of the customer. `{expires}` is the end with what precedes it: “ends on 5 May 2027”, or “ended on 5 May 2026” where that is over. Admins change them (`/renewal-messages`).")
            .requires(UPDATE)
            .answers(200, "The messages.", json!({"type": "array", "items": message})),
    );
}

async fn messages(
    caller: AuthUser,
    service: Data<EntryService<RenewalMessage>>,
) -> Result<Json<Vec<MessageForSellers>>, Problem> {
    let message = |stored: StoredEntry<RenewalMessage>| {
        let RenewalMessage { name, spanish, english } = stored.entry;
        MessageForSellers { id: stored.id, name, spanish, english }
    };
    Ok(Json(service.for_sellers(&caller).await?.into_iter().map(message).collect()))
}

type Renewals = Data<RenewalService>;

async fn list(
    caller: AuthUser,
    service: Renewals,
    pairs: Pairs,
) -> Result<Json<Page<Vec<RenewalRow>>>, Problem> {
    let page = service.list(&caller, &pairs.0).await?;
    Ok(Json(page.map(|rows| rows.into_iter().map(|row| RenewalRow::new(row, &service)).collect())))
}

async fn count_windows(
    caller: AuthUser,
    service: Renewals,
    pairs: Pairs,
) -> Result<Json<Vec<RenewalCount>>, Problem> {
    let counts = service.count(&caller, &pairs.0).await?;
    Ok(Json(counts.into_iter().map(|(window, count)| RenewalCount { window, count }).collect()))
}

async fn quote(
    caller: AuthUser,
    service: Renewals,
    language: Language,
    body: Body,
) -> Result<Json<RenewalQuote>, Problem> {
    let preview = service.quote(&caller, &body.0).await?;
    Ok(Json(RenewalQuote {
        stock_before: preview.stock.map(|(before, _)| before),
        stock_after: preview.stock.map(|(_, after)| after),
        customers: preview.customers.into_iter().map(|one| line(one, language.0)).collect(),
    }))
}

fn line(preview: RenewalPreview, locale: Locale) -> RenewalQuoteLine {
    let RenewalPreview { username, full_name, months, expiration, outcome } = preview;
    match outcome {
        Ok(quote) => RenewalQuoteLine {
            username,
            full_name,
            months,
            expiration_before: expiration,
            expiration_after: quote.transfer.target.expiration,
            warnings: quote.warnings.iter().map(|warning| warned(*warning, locale)).collect(),
            refusal: None,
        },
        Err(error) => {
            let (code, message) = Problem::from(error).code_and_message(locale);
            RenewalQuoteLine {
                username,
                full_name,
                months,
                expiration_before: expiration,
                expiration_after: None,
                warnings: Vec::new(),
                refusal: Some(RenewalNote { code: code.as_str().to_owned(), message }),
            }
        }
    }
}

fn warned(warning: Warning, locale: Locale) -> RenewalNote {
    RenewalNote { code: warning.code().to_owned(), message: warning.labels().in_language(locale).to_owned() }
}

async fn sales(caller: AuthUser, service: Renewals, body: Body) -> Result<Json<Vec<SaleUnderKey>>, Problem> {
    let sales = service.sales(&caller, &body.0).await?;
    Ok(Json(sales.into_iter().map(|(key, movement)| SaleUnderKey { key, movement }).collect()))
}
