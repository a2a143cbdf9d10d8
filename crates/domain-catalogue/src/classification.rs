//! Age ratings. `PG-13` is accepted and stored as `PG_13`
//! (docs/spec/enumerations.md#movieclassification).

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

enumeration! {
    /// The age rating of a documentary or a sports event.
    pub enum DocumentaryClassification {
        G = "G" ("G: todos los públicos", "G: general audiences"),
        Pg = "PG" ("PG: se sugiere compañía adulta", "PG: parental guidance"),
        Pg13 = "PG_13" ("PG-13: mayores de 13 años", "PG-13: over 13"),
        R = "R" ("R: restringida", "R: restricted"),
        Nc17 = "NC_17" ("NC-17: solo adultos", "NC-17: adults only"),
        Nr = "NR" ("NR: sin clasificar", "NR: not rated"),
    }
}

enumeration! {
    /// The age rating of a TV show.
    pub enum ShowClassification {
        G = "G" ("G: todos los públicos", "G: general audiences"),
        Pg = "PG" ("PG: se sugiere compañía adulta", "PG: parental guidance"),
        Pg13 = "PG_13" ("PG-13: mayores de 13 años", "PG-13: over 13"),
        Tv14 = "TV_14" ("TV-14: mayores de 14 años", "TV-14: over 14"),
        TvMa = "TV_MA" ("TV-MA: solo adultos", "TV-MA: mature audiences"),
        Nr = "NR" ("NR: sin clasificar", "NR: not rated"),
    }
}
