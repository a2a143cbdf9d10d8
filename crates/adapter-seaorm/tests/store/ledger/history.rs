//! The scope of movements, and their search, order and pages.

use domain_credits::{Movement, OperationType};
use domain_kernel::{ListQuery, Sort};
use domain_users::Scope;
use ports::Ledger;

use crate::{
    fixture::{ROOT, TestUsers, done, name, order, subtree},
    ledger::test_users,
    support::{TestDb, after, on_both},
};
use OperationType::AddCredits;

async fn history(
    fixture: &TestUsers,
    scope: &Scope,
    of: Option<&str>,
    query: &ListQuery,
) -> Option<(u64, Vec<Movement>)> {
    let of = of.map(name);
    let page = fixture.ledger.history(scope, of.as_ref(), query).await.unwrap()?;
    Some((page.total_elements, page.content))
}

on_both! {
    async fn the_history_is_limited_to_the_scope(db: &TestDb) {
        let fixture = test_users(db).await;
        fixture.post("ana_1", AddCredits, "ana_app", 1).await;
        fixture.post("eva_1", AddCredits, "eva_app", 1).await;
        fixture.stock("rival_1", 10).await;
        let rivals = fixture.post("rival_1", AddCredits, "rival_app", 1).await;
        let all = ListQuery { size: 1000, ..ListQuery::default() };
        let whose = async |scope: &Scope, of: Option<&str>| {
            let (total, movements) = history(&fixture, scope, of, &all).await?;
            assert_eq!(total, movements.len() as u64);
            let names: Vec<String> = movements.iter().map(|one| one.target_user.username.to_string()).collect();
            Some(names.join(" "))
        };
        let reported = |text: &str| Some(text.to_owned());
        // Newest first; at the same time, by descending ID.
        assert_eq!(
            whose(&Scope::Everyone, None).await,
            reported("rival_1 rival_app rival_1 eva_1 eva_app ana_1 ana_app eva_1 ana_1")
        );
        assert_eq!(whose(&subtree("ana_1"), None).await, reported("eva_1 eva_app ana_1 ana_app eva_1 ana_1"));
        assert_eq!(whose(&subtree("eva_1"), None).await, reported("eva_1 eva_app eva_1"));
        assert_eq!(whose(&Scope::Nobody, None).await, reported(""));
        assert_eq!(whose(&subtree("ana_1"), Some("ANA_1")).await, reported("ana_1 ana_1"));
        assert_eq!(whose(&subtree("ana_1"), Some("eva_app")).await, reported("eva_app"));
        assert_eq!(whose(&Scope::Everyone, Some("manager_1")).await, reported(""));
        for hidden in ["rival_app", "rival_1", ROOT, "nobody"] {
            assert_eq!(whose(&subtree("ana_1"), Some(hidden)).await, None, "{hidden}");
            assert_eq!(fixture.ledger.count(&subtree("ana_1"), &name(hidden)).await.unwrap(), None);
        }
        assert_eq!(fixture.ledger.count(&subtree("ana_1"), &name("eva_1")).await.unwrap(), Some(2));
        assert_eq!(fixture.ledger.find(&subtree("ana_1"), rivals.id).await.unwrap(), None);
        assert_eq!(fixture.ledger.find(&subtree("rival_1"), rivals.id).await.unwrap(), Some(rivals));
        assert_eq!(fixture.ledger.find(&Scope::Everyone, 4711).await.unwrap(), None);
        let issuer = db.number("SELECT id AS number FROM entries WHERE account = 'HOUSE' ORDER BY id LIMIT 1").await;
        assert_eq!(fixture.ledger.find(&Scope::Everyone, issuer).await.unwrap(), None);
    }

    async fn the_history_is_searched_ordered_and_paged(db: &TestDb) {
        let fixture = test_users(db).await;
        for minute in 0..12 {
            let (performer, target) = if minute % 3 == 0 { ("eva_1", "eva_app") } else { ("ana_1", "ana_app") };
            let order = order(performer, AddCredits, target, 1 + minute % 4);
            done(fixture.ledger.post(&order, after(minute)).await.unwrap());
        }
        let whole = ListQuery { size: 1000, ..ListQuery::default() };
        let (total, movements) = history(&fixture, &Scope::Everyone, None, &whole).await.unwrap();
        assert_eq!((total, movements.len()), (26, 26));
        for (field, descending) in [("operationDate", false), ("operationDate", true), ("amount", false), ("amount", true), ("id", false), ("id", true)] {
            let sorted = ListQuery { sort: vec![Sort { field: field.into(), descending }], ..whole.clone() };
            let (_, found) = history(&fixture, &Scope::Everyone, None, &sorted).await.unwrap();
            let mut expected = movements.clone();
            expected.sort_by_key(|one| match field {
                "operationDate" => (one.operation_date.timestamp_millis(), one.id),
                "amount" => (one.amount, one.id),
                _ => (one.id, 0),
            });
            if descending {
                expected.reverse();
            }
            assert_eq!(found, expected, "{field} {descending}");
            let mut paged = Vec::new();
            for page in 0..6 {
                let query = ListQuery { page, size: 5, ..sorted.clone() };
                let (total, found) = history(&fixture, &Scope::Everyone, None, &query).await.unwrap();
                assert_eq!(total, 26);
                paged.extend(found);
            }
            assert_eq!(paged, expected);
        }
        for (search, scope, of, total) in [
            ("eva_app", Scope::Everyone, None, 4),
            // As target and as performer.
            ("eva_1", Scope::Everyone, None, 9),
            ("EVA", subtree("ana_1"), None, 9),
            ("rival", Scope::Everyone, None, 0),
            ("Raíz", Scope::Everyone, None, 2),
            ("_", Scope::Everyone, None, 26),
            ("%", Scope::Everyone, None, 0),
            ("eva", Scope::Everyone, Some("ana_app"), 0),
            ("ana", Scope::Everyone, Some("ana_app"), 8),
            ("   ", subtree("ana_1"), None, 26),
        ] {
            let query = ListQuery { search: Some(search.into()), ..whole.clone() };
            let (counted, found) = history(&fixture, &scope, of, &query).await.unwrap();
            assert_eq!((counted, found.len()), (total, usize::try_from(total).unwrap()), "{search}");
        }
    }
}
