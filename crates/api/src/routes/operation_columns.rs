//! The columns of an operation's imported file.

use application::{OperationService, SheetImportService};
use domain_catalogue::SheetColumn;
use domain_kernel::Id;
use domain_operations::SheetImport;

use crate::{caller::AuthUser, problem::Problem};

/// The columns of the imported file of an operation.
pub(super) struct FileColumns {
    pub(super) headings: Vec<String>,
    pub(super) import: SheetImport,
}

impl FileColumns {
    pub(super) async fn of(
        caller: &AuthUser,
        service: &OperationService,
        imports: &SheetImportService,
        id: Id,
    ) -> Result<Option<Self>, Problem> {
        let Some(import) = service.find(caller, id).await?.import else { return Ok(None) };
        Ok(Some(Self { headings: imports.headings(&import).await?, import }))
    }

    /// The heading of the column of a field.
    pub(super) fn heading_of(&self, field: &str) -> Option<&str> {
        let key = SheetColumn::key_of(field);
        let name = format!("{key}.name");
        let is_of = |wanted: &String| self.import.columns.iter().position(|key| key.as_ref() == Some(wanted));
        let index = is_of(&key).or_else(|| is_of(&name))?;
        self.headings.get(index).map(String::as_str)
    }
}
