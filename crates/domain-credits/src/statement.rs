//! The monthly statement of an agent: opening stock, sums by concept, closing stock
//! (docs/spec/credits.md#statement).

use chrono::{DateTime, Utc};
use domain_kernel::{UserRef, enumeration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::CreditType;

enumeration! {
    /// Concept of a change of an agent's stock.
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

/// Stock movements summed up in a statement: equal in all properties that determine the concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StockMovements {
    /// Whether the agent was the target, not the payer.
    pub is_target: bool,
    /// Type of the opposite balance: app credits, stock, or none where the issuer mints or burns.
    pub other: Option<CreditType>,
    /// Whether the stock increased.
    pub adds: bool,
    /// Whether they are reversals.
    pub is_reversal: bool,
    pub imported: bool,
}

impl StatementConcept {
    /// Concept of movements. Imported history has no counterparty, so it has concepts of its own; a reversal
    /// counts as such in the month in which it was done, regardless of what it reverses.
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

/// Sum of the movements of one concept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatementLine {
    /// Concept of the movements.
    pub concept: StatementConcept,
    /// Signed change of the stock.
    pub amount: i64,
    /// Number of movements.
    pub movements: u64,
}

/// Sums of the movements between the agent and one customer or other agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatementRow {
    /// Counterparty.
    pub user: UserRef,
    /// `NORMAL`: a customer's app credits; `SALE`: the stock of another agent.
    pub credit_type: CreditType,
    /// Credits transferred to the counterparty, without reversals.
    pub sold: i64,
    /// Credits received from the counterparty, without reversals.
    pub received: i64,
    /// Credits returned by reversals, signed.
    pub reversed: i64,
    /// Net transfer: `sold` less `received` less `reversed`.
    pub net: i64,
}

impl StatementRow {
    /// Sums of concepts for one other user.
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
    /// Agent of the statement.
    pub user: UserRef,
    /// Month: `2026-11`.
    pub month: String,
    /// Start of the month.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub from: DateTime<Utc>,
    /// Start of the next month.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub to: DateTime<Utc>,
    /// Time zone of the month.
    pub time_zone: String,
    /// Whether the month is over.
    pub complete: bool,
    /// Stock at the start of the month.
    pub opening: i64,
    /// Sums of every concept, in order. Added to the opening stock they result in the closing stock.
    pub lines: Vec<StatementLine>,
    /// Stock at the end of the month, or now.
    pub closing: i64,
    /// Sums by counterparty, by user name; the first 500. The file has all of them.
    pub rows: Vec<StatementRow>,
    /// Whether there are more rows.
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
    fn a_row_sums_sales_receipts_and_reversals_to_a_net() {
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
        // With any concept, a row adds what the stock lost, and subtracts what it gained.
        for concept in StatementConcept::ALL {
            if !matches!(concept, ReceivedFromAdmins | ReturnedToAdmins | ImportedIn | ImportedOut) {
                assert_eq!(row(&[line(*concept, 7)]).3, -7, "{concept:?}");
            }
        }
    }
}
