//! Reasons for and against a match, as codes with sentences.

use domain_kernel::enumeration;

enumeration! {
    /// Reason for or against a match. `ID_…` and names are compared after parsing
    /// (docs/matching.md).
    pub enum MatchReason {
        IdEqual = "ID_EQUAL" ("El ID de EPG del canal es el de la guía", "The channel's EPG ID is the guide's"),
        IdEqualWithoutFeed = "ID_EQUAL_WITHOUT_FEED" (
            "El ID de EPG del canal es el de la guía salvo la variante, los puntos o la calidad",
            "The channel's EPG ID is the guide's apart from the feed, dots or quality"
        ),
        NameEqual = "NAME_EQUAL" ("Los nombres son iguales", "The names are equal"),
        NameEqualWithoutQuality = "NAME_EQUAL_WITHOUT_QUALITY" (
            "Los nombres son iguales salvo la calidad o las notas",
            "The names are equal apart from quality or remarks"
        ),
        Alias = "ALIAS" (
            "Coincide con otro nombre del mismo canal",
            "It matches another name of the same channel"
        ),
        CallSign = "CALL_SIGN" ("El indicativo de la estación es el mismo", "The station's call sign is the same"),
        Words = "WORDS" (
            "Las palabras que distinguen al canal coinciden",
            "The words that distinguish the channel are the same"
        ),
        Letters = "LETTERS" (
            "Las letras se parecen: puede ser una errata o una abreviatura",
            "The letters are similar: it may be a typing error or an abbreviation"
        ),
        CountryAgrees = "COUNTRY_AGREES" ("El país coincide", "The country is the same"),
        NumberDiffers = "NUMBER_DIFFERS" (
            "El número es distinto, así que es otro canal",
            "The number differs, so it is another channel"
        ),
        ShiftDiffers = "SHIFT_DIFFERS" (
            "El desfase horario es distinto (+1, Este u Oeste)",
            "The time shift differs (+1, East or West)"
        ),
        CallSignDiffers = "CALL_SIGN_DIFFERS" (
            "El indicativo es de otra estación",
            "The call sign is another station's"
        ),
        CountryDiffers = "COUNTRY_DIFFERS" ("El país es distinto", "The country differs"),
        RegionDiffers = "REGION_DIFFERS" (
            "La región o el idioma es distinto",
            "The region or the language differs"
        ),
        IdContradictsName = "ID_CONTRADICTS_NAME" (
            "El ID de EPG es de un canal con otro nombre",
            "The EPG ID belongs to a channel with another name"
        ),
        SecondTooNear = "SECOND_TOO_NEAR" (
            "Otro canal de la guía encaja casi igual de bien",
            "Another channel of the guide fits almost as well"
        ),
        DecidedBefore = "DECIDED_BEFORE" (
            "Alguien decidió antes lo contrario",
            "Somebody decided otherwise before"
        ),
    }
}

enumeration! {
    /// Level of a match.
    pub enum MatchLevel {
        Auto = "AUTO" ("Se enlaza sin preguntar", "Linked without asking"),
        Review = "REVIEW" ("Espera a que alguien decida", "Waits for a decision"),
        None = "NONE" ("Sin canal en la guía", "No channel in the guide"),
    }
}
