//! Detects groups for adults only by their names.

use domain_kernel::fold;

/// Words of such names in several languages, folded.
const WORDS: &[&str] = &[
    "adult",
    "adulta",
    "adultas",
    "adulte",
    "adultes",
    "adulti",
    "adulto",
    "adultos",
    "adults",
    "aikuisviihde",
    "doroslych",
    "erotic",
    "erotica",
    "erotico",
    "erotik",
    "erotika",
    "erotique",
    "erotisch",
    "erotismo",
    "erotyka",
    "erwachsene",
    "erwachsenen",
    "felnott",
    "hentai",
    "nsfw",
    "porn",
    "porno",
    "sex",
    "sexe",
    "sexo",
    "volwassenen",
    "voksen",
    "voksne",
    "vuxen",
    "vuxna",
    "xxx",
    "yetiskin",
    "взрослые",
    "взрослых",
    "эротика",
    "للكبار",
    "成人",
];

/// Whether a group's name has one of the words, or an age such as "+18".
#[must_use]
pub fn is_adult_group(name: &str) -> bool {
    let name = fold(name);
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    let mut ages = name.split(|letter: char| !letter.is_ascii_digit() && letter != '+');
    words.any(|word| WORDS.contains(&word))
        || ages.any(|age| matches!(age, "+18" | "18+"))
        || name.contains('🔞')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_groups_for_adults_are_recognized_in_several_languages_by_whole_words() {
        for name in [
            "XXX / Adultos",
            "XXX",
            "|ES| ADULTOS",
            "Adult",
            "For Adults",
            "+18",
            "18+",
            "Cine (+18)",
            "Adultos+18",
            "Érotique",
            "EROTIK",
            "Porno",
            "Erwachsene",
            "Dla dorosłych",
            "Для взрослых",
            "ᴬᴰᵁᴸᵀ",
            "🔞 Noche",
            "成人",
        ] {
            assert!(is_adult_group(name), "{name}");
        }
        for name in
            ["", "Cine", "Adulterio", "Essex", "118+", "18", "Canal 18", "Noticias 24+", "Sextante", "Xxxl"]
        {
            assert!(!is_adult_group(name), "{name}");
        }
        for word in WORDS {
            assert_eq!(fold(word), *word, "words are compared after folding");
        }
    }
}
