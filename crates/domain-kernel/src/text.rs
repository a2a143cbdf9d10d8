//! Text normalization: without case and accents.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Lower case, no accents, compatibility forms decomposed, single spaces: the key of searches and orders
/// (docs/spec/rest.md#search: "corazon" finds "Corazón"). Letters without a decomposition are transliterated.
pub fn fold(text: &str) -> String {
    if text.is_ascii() { fold_ascii(text) } else { fold_any(text) }
}

/// Fast path of [`fold_any`]: ASCII has no accents, no compatibility forms and no letters to transliterate.
fn fold_ascii(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    // All other ASCII white space are control characters.
    for word in text.split(|c: char| c == ' ' || c.is_ascii_control()).filter(|word| !word.is_empty()) {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded.make_ascii_lowercase();
    folded
}

fn fold_any(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut after_space = true;
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        if is_combining_mark(c) {
            continue; // "İ" lower-cases into "i" and a dot above.
        }
        if c.is_whitespace() || c.is_control() {
            if !after_space {
                folded.push(' ');
            }
            after_space = true;
            continue;
        }
        after_space = false;
        match c {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'đ' | 'ð' => folded.push('d'),
            'þ' => folded.push_str("th"),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            '’' | '‘' | 'ʼ' => folded.push('\''),
            other => folded.push(other),
        }
    }
    if folded.ends_with(' ') {
        folded.pop();
    }
    folded
}

/// Sort key: the folded text from its first letter or digit on, so that "¿Y dónde…" is sorted under Y.
pub fn order_key(text: &str) -> String {
    let mut folded = fold(text);
    let begin = folded.find(char::is_alphanumeric).unwrap_or_default();
    folded.drain(..begin);
    folded
}

/// Characters that are forbidden in texts of the catalogue: controls (PostgreSQL rejects NUL), and invisible
/// ones that make different texts look alike or reverse the reading direction. Multi-line texts may have line
/// breaks and tabs.
pub fn holds_forbidden_characters(text: &str, several_lines: bool) -> bool {
    text.chars().any(|c| match c {
        '\n' | '\r' | '\t' => !several_lines,
        '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => true,
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => true,
        '\u{2028}' | '\u{2029}' => !several_lines,
        other => other.is_control(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_removes_case_accents_and_spacing() {
        for (text, folded) in [
            ("Corazón Salvaje", "corazon salvaje"),
            ("  El  Niño\tPerdido ", "el nino perdido"),
            ("ÅNGSTRÖM", "angstrom"),
            ("Straße", "strasse"),
            ("Łódź", "lodz"),
            ("ﬁlm Ⅳ", "film iv"),
            ("İstanbul", "istanbul"),
            ("100% _raw_ \"x\"", "100% _raw_ \"x\""),
            ("Amélie’s", "amelie's"),
            ("東京物語", "東京物語"),
            ("", ""),
        ] {
            assert_eq!(fold(text), folded, "{text}");
        }
    }

    #[test]
    fn ascii_is_folded_like_any_text() {
        let check = |text: &str| assert_eq!(fold_ascii(text), fold_any(text), "{text:?}");
        let ascii = || (0..128_u8).map(char::from);
        check("");
        for first in ascii() {
            check(&String::from(first));
            for second in ascii() {
                check(&String::from_iter([first, second]));
            }
        }
        // A linear congruential generator: only its high bits are random enough.
        let mut state = 1_u64;
        let mut any = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(u8::try_from(state >> 57).unwrap())
        };
        for length in (0..50).cycle().take(5_000) {
            check(&(0..length).map(|_| any()).collect::<String>());
        }
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for text in ["Corazón", "  a  b ", "ÆØÅ", "ǅ", "ŉ"] {
            assert_eq!(fold(&fold(text)), fold(text));
        }
    }

    #[test]
    fn order_begins_at_the_first_letter_or_digit() {
        for (text, key) in [
            ("¿Y dónde?", "y donde?"),
            ("«Él»", "el»"),
            ("...", "..."),
            ("12 monos", "12 monos"),
            ("(500) days", "500) days"),
            ("", ""),
        ] {
            assert_eq!(order_key(text), key, "{text}");
        }
    }

    #[test]
    fn controls_and_invisible_characters_are_forbidden() {
        for bad in ["a\0b", "a\u{7}b", "a\u{202E}b", "a\u{200B}b", "\u{FEFF}a", "a\u{85}b"] {
            assert!(holds_forbidden_characters(bad, true), "{bad:?}");
        }
        assert!(holds_forbidden_characters("two\nlines", false));
        for good in ["two\nlines", "tab\there", "ñandú — «Dune»", "👨\u{200D}👩\u{200D}👧"] {
            assert!(!holds_forbidden_characters(good, true), "{good:?}");
        }
    }
}
