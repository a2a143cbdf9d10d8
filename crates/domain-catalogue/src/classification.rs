//! Age ratings. `PG-13` is taken and stored as `PG_13` (decisions.md "Catalogue").

use domain_kernel::enumeration;

enumeration! {
    /// The age rating of a film.
    pub enum MovieClassification {
        G = "G" ("G: todos los públicos", "G: general audiences"),
        Pg = "PG" ("PG: se sugiere compañía adulta", "PG: parental guidance"),
        Pg13 = "PG_13" ("PG-13: mayores de 13 años", "PG-13: over 13"),
        R = "R" ("R: restringida", "R: restricted"),
        Nc17 = "NC_17" ("NC-17: solo adultos", "NC-17: adults only"),
        Nr = "NR" ("NR: sin clasificar", "NR: not rated"),
        Xxx = "XXX" ("XXX: contenido explícito", "XXX: explicit content"),
    }
}
