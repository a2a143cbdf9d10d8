//! The monthly statement of an agent: its stock at the beginning of the month, what moved it, and what was left
//! (docs/spec/credits.md#statement).

use chrono::{DateTime, Utc};
use domain_kernel::enumeration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CreditType, UserRef};

enumeration! {
    /// What moved the stock of an agent.
    pub enum StatementConcept {
        ReceivedFromAdmins = "RECEIVED_FROM_ADMINS" ("Recibido de administradores", "Received from admins"),
        ReceivedFromAgents = "RECEIVED_FROM_AGENTS" ("Recibido de agentes superiores", "Received from agents above"),
        ReturnedToAdmins = "RETURNED_TO_ADMINS" ("Devuelto a administradores", "Returned to admins"),
        ReturnedToAgents = "RETURNED_TO_AGENTS" ("Devuelto a agentes superiores", "Returned to agents above"),
        SoldToCustomers = "SOLD_TO_CUSTOMERS" ("Vendido a clientes", "Sold to customers"),
        GivenToAgents = "GIVEN_TO_AGENTS" ("Entregado a sus agentes", "Given to agents below"),
        TakenBackFromAgents = "TAKEN_BACK_FROM_AGENTS" ("Recuperado de sus agentes", "Taken back from agents below"),
        ReversedIn = "REVERSED_IN" ("Reversiones a favor", "Reversals, added"),
        ReversedOut = "REVERSED_OUT" ("Reversiones en contra", "Reversals, deducted"),
        ImportedIn = "IMPORTED_IN" ("Entradas importadas", "Imported, added"),
        ImportedOut = "IMPORTED_OUT" ("Salidas importadas", "Imported, deducted"),
    }
}

/// Movements of a stock that a statement adds up: alike in all that decides the concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StockMovements {
    /// Whether the agent was the target, not the payer.
    pub is_target: bool,
    /// Which balance moved the other way: app credits, somebody's stock, or none where the issuer mints or burns.
    pub other: Option<CreditType>,
    /// Whether the stock went up.
    pub adds: bool,
    /// Whether they reverse other operations.
    pub is_reversal: bool,
    /// Whether they were imported.
    pub imported: bool,
}

impl StatementConcept {
    /// Where movements stand in a statement. Imported history knows no counterparty, so it has concepts of its own; a
    /// reversal counts as such in the month in which it was done, whatever it reverses.
    pub const fn of(movements: StockMovements) -> Self {
        let StockMovements { is_target, other, adds, is_reversal, imported } = movements;
        if imported {
            return if adds { Self::ImportedIn } else { Self::ImportedOut };
        }
        if is_reversal {
            return if adds { Self::ReversedIn } else { Self::ReversedOut };
        }
        match (is_target, other, adds) {
            (_, None, true) => Self::ReceivedFromAdmins,
            (_, None, false) => Self::ReturnedToAdmins,
            (true, Some(_), true) => Self::ReceivedFromAgents,
            (true, Some(_), false) => Self::ReturnedToAgents,
            (false, Some(_), true) => Self::TakenBackFromAgents,
            (false, Some(CreditType::Normal), false) => Self::SoldToCustomers,
            (false, Some(CreditType::Sale), false) => Self::GivenToAgents,
        }
    }
}

/// What the movements of one concept add up to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatementLine {
    /// What moved the stock.
    pub concept: StatementConcept,
    /// By how much in all: negative where the stock went down.
    pub amount: i64,
    /// By how many movements.
    pub movements: u64,
}

/// What moved between the agent and one customer or other agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatementRow {
    /// With whom.
    pub user: UserRef,
    /// `NORMAL`: a customer's app credits; `SALE`: the stock of another agent.
    pub credit_type: CreditType,
    /// What went to them, without reversals.
    pub sold: i64,
    /// What came from them, without reversals.
    pub received: i64,
    /// What reversals brought back; negative where they took more than they brought.
    pub reversed: i64,
    /// What they have of it: `sold` less `received` less `reversed`.
    pub net: i64,
}

impl StatementRow {
    /// What concepts add up to with one other user.
    pub fn new(user: UserRef, credit_type: CreditType, lines: &[StatementLine]) -> Self {
        let sum = |concepts: &[StatementConcept]| {
            lines.iter().filter(|line| concepts.contains(&line.concept)).map(|line| line.amount).sum::<i64>()
        };
        use StatementConcept as Concept;
        let reversed = sum(&[Concept::ReversedIn, Concept::ReversedOut]);
        let sold = -sum(&[Concept::SoldToCustomers, Concept::GivenToAgents, Concept::ReturnedToAgents]);
        let received = sum(&[Concept::TakenBackFromAgents, Concept::ReceivedFromAgents]);
        Self { user, credit_type, sold, received, reversed, net: sold - received - reversed }
    }
}

/// An agent's statement of one month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    /// Whose.
    pub user: UserRef,
    /// The month: `2026-11`.
    pub month: String,
    /// Its first moment.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub from: DateTime<Utc>,
    /// The first moment of the next month.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub to: DateTime<Utc>,
    /// The time zone that the month is of.
    pub time_zone: String,
    /// Whether the month is over.
    pub complete: bool,
    /// The stock at its beginning.
    pub opening: i64,
    /// What moved it: every concept, in order. With the opening stock they add up to the closing stock.
    pub lines: Vec<StatementLine>,
    /// The stock at its end, or now.
    pub closing: i64,
    /// With whom, by user name; the first 500. The file has all of them.
    pub rows: Vec<StatementRow>,
    /// Whether there are more.
    pub more_rows: bool,
}

#[cfg(test)]
mod tests {
    use StatementConcept::*;
    use domain_kernel::{Enumeration, Username};

    use super::*;

    #[test]
    fn each_movement_of_a_stock_has_one_concept() {
        let (app, stock) = (Some(CreditType::Normal), Some(CreditType::Sale));
        for (is_target, other, adds, expected) in [
            (true, None, true, ReceivedFromAdmins),
            (true, None, false, ReturnedToAdmins),
            (true, stock, true, ReceivedFromAgents),
            (true, stock, false, ReturnedToAgents),
            (false, app, false, SoldToCustomers),
            (false, stock, false, GivenToAgents),
            (false, stock, true, TakenBackFromAgents),
        ] {
            let of = |is_reversal, imported| {
                StatementConcept::of(StockMovements { is_target, other, adds, is_reversal, imported })
            };
            assert_eq!(of(false, false), expected);
            assert_eq!(of(true, false), if adds { ReversedIn } else { ReversedOut });
            assert_eq!(of(false, true), if adds { ImportedIn } else { ImportedOut });
        }
    }

    #[test]
    fn a_row_says_what_went_where_and_what_is_left_of_it() {
        let user = UserRef { username: Username::parse("ana_1").unwrap(), full_name: "Ana".into() };
        let line = |concept, amount| StatementLine { concept, amount, movements: 1 };
        let row = |lines: &[StatementLine]| {
            let row = StatementRow::new(user.clone(), CreditType::Sale, lines);
            (row.sold, row.received, row.reversed, row.net)
        };
        assert_eq!(row(&[line(SoldToCustomers, -12), line(ReversedIn, 2)]), (12, 0, 2, 10));
        assert_eq!(
            row(&[line(GivenToAgents, -30), line(TakenBackFromAgents, 5), line(ReversedOut, -5)]),
            (30, 5, -5, 30)
        );
        assert_eq!(row(&[line(ReceivedFromAgents, 20), line(ReturnedToAgents, -3)]), (3, 20, 0, -17));
        // Whatever the concept, a row gives what the stock lost, and takes what it gained.
        for concept in StatementConcept::ALL {
            if !matches!(concept, ReceivedFromAdmins | ReturnedToAdmins | ImportedIn | ImportedOut) {
                assert_eq!(row(&[line(*concept, 7)]).3, -7, "{concept:?}");
            }
        }
    }
}
