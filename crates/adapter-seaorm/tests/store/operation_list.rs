//! The list of bulk operations: filters, orders and pages, each along an index.

use std::sync::{Arc, Mutex};

use adapter_seaorm::SeaOrmOperations;
use domain_kernel::{Filter, FilterValue, Id, Kind, ListQuery, Sort};
use domain_operations::OperationState;
use ports::{Inserted, NewOperation, OperationFilter, OperationRepository};
use sea_orm::Statement;

use crate::{
    indexes::plan,
    operations::{begin, new_operation},
    support::{TestDb, after, edit, on_both},
};

on_both! {
    async fn operations_are_listed_in_pages_newest_first_of_a_kind_a_state_and_a_user(db: &TestDb) {
        let operations = SeaOrmOperations(db.database.clone());
        let add = async |kind: Kind, created_by: &str, dry_run: bool| {
            let created_date = after(if kind == Kind::Concerts { 5 } else { 0 });
            let new = new_operation(kind, vec![1], None);
            let new = NewOperation { created_by: created_by.into(), created_date, dry_run, ..new };
            match operations.insert(new, None).await.unwrap() {
                Inserted::New(operation) => operation.id,
                other => panic!("{other:?}"),
            }
        };
        let first = add(Kind::Movies, "Ana", false).await;
        add(Kind::Movies, "Ana", true).await;
        let second = add(Kind::Concerts, "Ana", false).await;
        let third = add(Kind::Movies, "eva", false).await;
        operations.end(second, OperationState::Cancelled, None, &edit(after(1))).await.unwrap();
        let list = async |created_by: Option<&str>, filter: Option<(&str, FilterValue)>, page: u64| {
            let of = OperationFilter { created_by: created_by.map(str::to_owned) };
            let filters = filter.map(|(field, value)| Filter { field: field.into(), value });
            let query = ListQuery { page, size: 2, filters: filters.into_iter().collect(), ..ListQuery::default() };
            let found = operations.list(&of, &query).await.unwrap();
            (found.content.iter().map(|operation| operation.id).collect::<Vec<_>>(), found.total_elements)
        };
        assert_eq!(list(None, None, 0).await, (vec![third, second], 3));
        assert_eq!(list(None, None, 1).await, (vec![first], 3), "the oldest is on the last page");
        assert_eq!(list(Some("ana"), None, 0).await, (vec![second, first], 2));
        assert_eq!(list(None, Some(("resource", FilterValue::Code("movies"))), 0).await, (vec![third, first], 2));
        assert_eq!(list(None, Some(("state", FilterValue::Code("CANCELLED"))), 0).await, (vec![second], 1));
        assert_eq!(list(None, Some(("createdBy", FilterValue::Text("ANA".into()))), 0).await, (vec![second, first], 2));
        let minute = |minute: i64| FilterValue::Moment(after(minute));
        assert_eq!(list(None, Some(("createdDateFrom", minute(1))), 0).await, (vec![second], 1));
        assert_eq!(list(None, Some(("createdDateTo", minute(1))), 0).await, (vec![third, first], 2));
        assert_eq!(list(Some("eva"), Some(("createdBy", FilterValue::Text("ana".into()))), 0).await, (vec![], 0));
    }

    async fn operations_are_listed_by_start_end_state_resource_and_number_of_items_along_indexes(db: &TestDb) {
        let noted = Arc::<Mutex<Vec<Statement>>>::default();
        let notes = Arc::clone(&noted);
        let watched = db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.clone()));
        let operations = SeaOrmOperations(watched);
        let mut ids = Vec::new();
        for (kind, items, minute) in [(Kind::Movies, 3, 2), (Kind::Concerts, 1, 1), (Kind::Sports, 2, 3)] {
            let new = NewOperation { created_date: after(minute), ..new_operation(kind, (1..=items).collect(), None) };
            match operations.insert(new, None).await.unwrap() {
                Inserted::New(operation) => ids.push(operation.id),
                other => panic!("{other:?}"),
            }
        }
        let (first, second, third) = (ids[0], ids[1], ids[2]);
        assert!(operations.end(first, OperationState::Cancelled, None, &edit(after(9))).await.unwrap());
        assert!(operations.end(second, OperationState::Failed, None, &edit(after(8))).await.unwrap());
        for (field, expected, index) in [
            ("createdDate", [second, first, third], "bulk_operations_by_date"),
            // The one that has not ended is first.
            ("finishedDate", [third, second, first], "bulk_operations_by_end"),
            ("state", [first, second, third], "bulk_operations_by_state"),
            ("resource", [second, first, third], "bulk_operations_by_kind"),
            ("total", [second, third, first], "bulk_operations_by_total"),
        ] {
            for descending in [false, true] {
                noted.lock().unwrap().clear();
                let sort = vec![Sort { field: field.into(), descending }];
                let query = ListQuery { sort, size: 3, ..ListQuery::default() };
                let found = operations.list(&OperationFilter { created_by: None }, &query).await.unwrap();
                let mut found: Vec<Id> = found.content.iter().map(|operation| operation.id).collect();
                if descending {
                    found.reverse();
                }
                assert_eq!(found, expected, "{field} {descending}");
                let statements = noted.lock().unwrap().clone();
                let of_page = |statement: &&Statement| statement.sql.contains("NOT o.dry_run") && statement.sql.contains("LIMIT");
                let page = statements.iter().find(of_page).unwrap();
                let plan = plan(db, page, true).await.join("\n");
                assert!(plan.contains(index), "{field}: {}\n{plan}", page.sql);
            }
        }
    }

    async fn each_filter_of_the_list_of_operations_has_its_index(db: &TestDb) {
        let noted = Arc::<Mutex<Vec<Statement>>>::default();
        let notes = Arc::clone(&noted);
        let watched = db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.clone()));
        let operations = SeaOrmOperations(watched);
        for _ in 0..3 {
            begin(db, Kind::Movies, vec![1], None).await.unwrap();
        }
        for (field, value, index) in [
            ("", FilterValue::Flag(true), None),
            ("resource", FilterValue::Code("movies"), Some("bulk_operations_by_kind")),
            ("state", FilterValue::Code("WAITING"), Some("bulk_operations_by_state")),
            ("createdBy", FilterValue::Text("ana".into()), Some("bulk_operations_by_user")),
        ] {
            noted.lock().unwrap().clear();
            let filter = Filter { field: field.into(), value };
            let filters = index.map(|_| filter).into_iter().collect();
            let query = ListQuery { filters, size: 1, ..ListQuery::default() };
            operations.list(&OperationFilter { created_by: None }, &query).await.unwrap();
            let statements = noted.lock().unwrap().clone();
            let of_list = statements.iter().filter(|statement| statement.sql.contains("NOT o.dry_run"));
            let mut seen = 0;
            for statement in of_list {
                seen += 1;
                let plan = plan(db, statement, true).await;
                let reported = || format!("{field}: {}\n{}", statement.sql, plan.join("\n"));
                let reads_all = |line: &String| line == "SCAN o" || line.contains("Seq Scan on bulk_operations");
                assert!(!plan.iter().any(reads_all), "{}", reported());
                let has_index = |name: &str| plan.iter().any(|line| line.contains(name));
                assert!(index.is_none_or(has_index), "{}", reported());
            }
            assert_eq!(seen, 2, "the total and the page: {statements:?}");
        }
        // A page in the order of ids may be found along these; what is counted is the range.
        noted.lock().unwrap().clear();
        let value = FilterValue::Moment(after(-1));
        let filters = vec![Filter { field: "createdDateFrom".into(), value }];
        let query = ListQuery { filters, size: 1, ..ListQuery::default() };
        operations.list(&OperationFilter { created_by: None }, &query).await.unwrap();
        let statements = noted.lock().unwrap().clone();
        let total = statements.iter().find(|statement| statement.sql.contains("count(*) AS total")).unwrap();
        let plan = plan(db, total, false).await;
        assert!(plan.iter().any(|line| line.contains("bulk_operations_by_date")), "{}\n{}", total.sql, plan.join("\n"));
    }
}
