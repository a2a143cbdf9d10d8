//! Characters that are invalid in XML 1.0. Standard parsers reject a whole guide with one of them.

use std::borrow::Cow;

const fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// The text without invalid characters.
pub(super) fn allowed(text: &str) -> Cow<'_, str> {
    // Control characters, or the first byte of U+FFFE and U+FFFF.
    let is_suspect = text.bytes().any(|byte| byte < b' ' || byte == 0xef);
    if is_suspect && !text.chars().all(is_allowed) {
        return text.chars().filter(|character| is_allowed(*character)).collect();
    }
    Cow::Borrowed(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_invalid_in_xml_are_removed() {
        for (text, expected) in [
            ("Línea 1\nLínea 2\t", "Línea 1\nLínea 2\t"),
            ("Cap\u{b}í\0tulo\u{1f}", "Capítulo"),
            ("\u{feff}Ñ\u{fffd}\u{ffff}\u{fffe}\u{10000}", "\u{feff}Ñ\u{fffd}\u{10000}"),
        ] {
            assert_eq!(allowed(text), expected);
        }
    }
}
