//! Columns that an import of users reads, and their names in files of other panels
//! (docs/spec/import-export.md#users-in-spreadsheets).

use domain_catalogue::{OtherHeading, SheetColumn};
use domain_kernel::{DraftReader, FieldShape, Locale};
use domain_users::UserEdit;

/// Parts of the headings of columns that are not stored, without case and accents, and words that
/// identify them alone.
const SECRET_PARTS: [&str; 5] = ["passw", "contrasen", "clave", "pwd", "hash"];
const SECRET_WORDS: [&str; 3] = ["pass", "pin", "secret"];

const ES: Option<Locale> = Some(Locale::Spanish);
const EN: Option<Locale> = Some(Locale::English);

/// Names of user columns in files of other panels, without case and accents.
pub(crate) const OTHER_USER_HEADINGS: &[OtherHeading<'_>] = &[
    ("login", "username", EN),
    ("user", "username", EN),
    ("user_name", "username", EN),
    ("nombre de usuario", "username", ES),
    ("name", "fullName", EN),
    ("nombre", "fullName", ES),
    ("email", "email", None),
    ("correo", "email", ES),
    ("phone", "phoneNumber", EN),
    ("whatsapp", "phoneNumber", None),
    ("movil", "phoneNumber", ES),
    ("celular", "phoneNumber", ES),
    ("tel", "phoneNumber", None),
    ("tel.", "phoneNumber", None),
    ("telephone", "phoneNumber", EN),
    ("mobile", "phoneNumber", EN),
    ("mobile phone", "phoneNumber", EN),
    ("cell", "phoneNumber", EN),
    ("cell phone", "phoneNumber", EN),
    ("exp_date", "expirationDate", EN),
    ("expires", "expirationDate", EN),
    ("expiry", "expirationDate", EN),
    ("expiration date", "expirationDate", EN),
    ("vence", "expirationDate", ES),
    ("caduca", "expirationDate", ES),
    ("caducidad", "expirationDate", ES),
    ("fecha de vencimiento", "expirationDate", ES),
    ("fecha de expiracion", "expirationDate", ES),
    ("owner", "registeredBy", EN),
    ("reseller", "registeredBy", EN),
    ("agent", "registeredBy", EN),
    ("agente", "registeredBy", ES),
    ("revendedor", "registeredBy", ES),
    ("propietario", "registeredBy", ES),
    ("creado por", "registeredBy", ES),
    ("created by", "registeredBy", EN),
    ("credits", "credits", EN),
    ("creditos", "credits", ES),
    ("months", "credits", EN),
    ("meses", "credits", ES),
    ("notes", "comment", EN),
    ("notas", "comment", ES),
];

/// Columns that an import of users reads: the writable ones of their export.
pub(crate) fn user_columns(edits: &DraftReader<UserEdit>) -> Vec<SheetColumn> {
    let shape = |field: &str| edits.shape(field).unwrap_or(FieldShape::Text);
    [
        ("username", FieldShape::Text),
        ("fullName", FieldShape::Text),
        ("email", FieldShape::Text),
        ("phoneNumber", FieldShape::Text),
        ("language", shape("language")),
        ("address", FieldShape::Text),
        ("comment", FieldShape::Text),
        ("role", shape("roleCode")),
        ("status", shape("status")),
        ("credits", FieldShape::Integer),
        ("saleCredits", FieldShape::Integer),
        ("expirationDate", FieldShape::Date),
        ("registeredBy", FieldShape::Text),
    ]
    .map(|(field, shape)| SheetColumn::of_field(field, shape))
    .into()
}

/// Whether the cells of a heading are secrets, which are not stored.
pub(crate) fn is_secret(heading: &str) -> bool {
    let heading = domain_kernel::fold(heading);
    let mut words = heading.split(|character: char| !character.is_alphanumeric());
    SECRET_PARTS.iter().any(|part| heading.contains(part)) || words.any(|word| SECRET_WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use domain_catalogue::{ColumnNames, match_headings};

    use super::*;

    #[test]
    fn these_headings_are_the_phone_number() {
        let columns = [SheetColumn::of_field("phoneNumber", FieldShape::Text)];
        let names =
            ColumnNames { columns: &columns, spanish: &[], english: &[], others: OTHER_USER_HEADINGS };
        for heading in [
            "Tel",
            "Tel.",
            "TEL:",
            "Móvil",
            "Celular",
            "Mobile",
            "Mobile Phone",
            "Cell phone",
            "cell_phone",
            "Cell",
            "Telephone",
            "WhatsApp",
            "Phone",
        ] {
            let none = HashMap::<String, Option<String>>::new();
            let (matched, _) = match_headings(&names, &[heading.to_owned()], &none, Locale::Spanish);
            assert_eq!(matched[0].key.as_deref(), Some("phoneNumber"), "{heading}");
        }
    }

    #[test]
    fn cells_of_these_headings_are_secrets() {
        for heading in ["Password", " Contraseña ", "CLAVE", "passwordHash"] {
            assert!(is_secret(heading), "{heading}");
        }
        for heading in ["Usuario", "Pasaporte", "Opinión", "Compás"] {
            assert!(!is_secret(heading), "{heading}");
        }
    }
}
