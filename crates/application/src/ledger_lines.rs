//! The ledger by operations: list and totals (docs/spec/credits.md#ledger).

use domain_credits::{LedgerLine, LedgerTotal, OperationType};
use domain_kernel::{
    Action, Actor, Code, Enumeration, FilterKind, FilterValue, ListQuery, Page, Permission, RoleCode,
    Subject, Username, Violation,
};
use domain_users::Scope;
use ports::{LedgerFilter, LedgerRows};

use crate::{
    CreditService, Error, ListShape,
    listing::{TimeRange, read_rest},
};

const READ: Permission = Permission::new(Subject("CREDIT_HISTORY"), Action::Read);
/// Filters besides those of every list.
const OWN_FILTERS: [&str; 5] = ["username", "performedBy", "operation", "from", "to"];

impl CreditService {
    /// List parameters of operations besides `username`, `performedBy`, `from` and `to`.
    pub fn ledger_shape() -> ListShape {
        ListShape {
            page_size: 10,
            sorts: vec!["id", "operationDate", "amount"],
            filters: &[("operation", FilterKind::Code(OperationType::CODES))],
        }
    }

    /// A page of the operations that the actor may see, newest first.
    pub async fn ledger(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<LedgerLine>>, Error> {
        actor.require(READ)?;
        let (filter, query) = self.read_ledger(pairs)?;
        let page = self.ledger.lines(&Scope::of(actor), &filter, &query).await?;
        let page = page.ok_or_else(|| hidden(&filter))?;
        if actor.role != RoleCode::Agent {
            return Ok(page);
        }
        let read = |line: LedgerLine| line.read_by_agent(&actor.username);
        Ok(page.map(|lines| lines.into_iter().map(read).collect()))
    }

    /// Reads the list parameters, limited to what the actor may see.
    pub(crate) async fn read_lines(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(LedgerRows, ListQuery), Error> {
        actor.require(READ)?;
        let (filter, query) = self.read_ledger(pairs)?;
        let scope = Scope::of(actor);
        if let Some(of) = &filter.of {
            self.ledger.count(&scope, of).await?.ok_or_else(|| hidden(&filter))?;
        }
        Ok((LedgerRows { scope, filter }, query))
    }

    /// Totals of the operations of a list.
    pub async fn ledger_totals(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Vec<LedgerTotal>, Error> {
        actor.require(READ)?;
        let (filter, _) = self.read_ledger(pairs)?;
        self.ledger.totals(&Scope::of(actor), &filter).await?.ok_or_else(|| hidden(&filter))
    }

    fn read_ledger(&self, pairs: &[(String, String)]) -> Result<(LedgerFilter, ListQuery), Error> {
        let mut violations = Vec::new();
        let TimeRange { from, to } = TimeRange::read(&self.calendar, pairs, &mut violations);
        let mut filter = LedgerFilter { from, to, ..LedgerFilter::default() };
        let mut rest = Vec::new();
        for (name, value) in pairs {
            let text = value.trim();
            match name.as_str() {
                "from" | "to" => {}
                "username" | "performedBy" if text.is_empty() => {}
                // An invalid user name matches no operation.
                "username" => {
                    let missing = || Error::NoSuchUser(text.to_owned());
                    filter.of = Some(Username::parse(text).ok_or_else(missing)?);
                }
                "performedBy" => match Username::parse(text) {
                    Some(name) => filter.performed_by = Some(name),
                    None => violations.push(Violation::new("performedBy", Code::InvalidFormat)),
                },
                _ => rest.push((name.clone(), value.clone())),
            }
        }
        let query = read_rest(&Self::ledger_shape(), &rest, &OWN_FILTERS, violations)?;
        filter.operation = query.filters.iter().find_map(|one| match one.value {
            FilterValue::Code(code) => OperationType::from_code(code),
            _ => None,
        });
        filter.search.clone_from(&query.search);
        Ok((filter, query))
    }
}

fn hidden(filter: &LedgerFilter) -> Error {
    Error::NoSuchUser(filter.of.as_ref().map(ToString::to_string).unwrap_or_default())
}
