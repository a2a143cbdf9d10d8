//! Files with stored rows.

use domain_kernel::{Cell, SheetRow};
use domain_operations::{OperationRow, SheetImport, Verdict};
use ports::MockSheetRepository;

use crate::support::sheet_imports;

fn row(position: i64) -> OperationRow {
    OperationRow {
        position,
        item: 0.into(),
        title: String::new(),
        verdict: Verdict::Refused,
        before: serde_json::Map::new(),
        after: serde_json::Map::new(),
        problems: Vec::new(),
        sheet_row: None,
    }
}

/// A file stored before an update of the server has other slices than files stored now.
#[tokio::test]
async fn the_cells_of_a_row_are_found_whatever_the_size_of_its_slices() {
    for size in [100, 250] {
        let mut sheets = MockSheetRepository::new();
        sheets.expect_rows().returning(move |_, slice| {
            let rows = slice * size..((slice + 1) * size).min(620);
            Ok(rows.map(|number| SheetRow { number, cells: vec![Cell::Integer(number)] }).collect())
        });
        let import = SheetImport {
            sheet: 1,
            file_name: "canales.csv".into(),
            columns: Vec::new(),
            defaults: Vec::new(),
            rows: 620,
        };
        let positions = [0, 99, 100, 249, 250, 619];
        let found = sheet_imports(sheets).cells_of(&import, &positions.map(row)).await.unwrap();
        assert_eq!(found.len(), positions.len());
        for position in positions {
            assert_eq!(found[&position], [Cell::Integer(position)]);
        }
    }
}
