//! Splits a written name into its prefix, brackets and the rest.

/// Prefix and rest of a name: split at `:`, `|`, `▎`, ` - ` or a closing bracket.
pub(super) fn front_mark(text: &str) -> Option<(&str, &str)> {
    let first = text.chars().next()?;
    let closing = match first {
        '|' => Some('|'),
        '[' => Some(']'),
        '(' => Some(')'),
        '{' => Some('}'),
        '┃' => Some('┃'),
        '▎' => Some('▎'),
        _ => None,
    };
    if let Some(closing) = closing {
        let inner = &text[first.len_utf8()..];
        let end = inner.find(closing)?;
        return Some((&inner[..end], &inner[end + closing.len_utf8()..]));
    }
    for (at, letter) in text.char_indices().take(24) {
        match letter {
            ':' | '|' | '▎' | '┃' | '»' | '★' | '✦' | '●' => {
                return Some((&text[..at], &text[at + letter.len_utf8()..]));
            }
            '-' | '–' | '—' if text[..at].ends_with(' ') => {
                return Some((&text[..at], &text[at + letter.len_utf8()..]));
            }
            _ => {}
        }
    }
    None
}

/// Text outside of brackets, and the text of each pair.
pub(super) fn split_brackets(text: &str) -> (String, Vec<String>) {
    if !text.contains(['(', '[', '{', '（', '［', '【', '「']) {
        return (text.to_owned(), Vec::new());
    }
    let mut outside = String::with_capacity(text.len());
    let (mut brackets, mut inner, mut depth) = (Vec::new(), String::new(), 0_usize);
    for letter in text.chars() {
        match letter {
            '(' | '[' | '{' | '【' | '「' => {
                depth += 1;
                outside.push(' ');
            }
            ')' | ']' | '}' | '】' | '」' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    brackets.push(std::mem::take(&mut inner));
                }
            }
            _ if depth > 0 => inner.push(letter),
            _ => outside.push(letter),
        }
    }
    if !inner.trim().is_empty() {
        brackets.push(inner);
    }
    (outside, brackets)
}

/// The name without the description that Japanese lists append after a blank, in words joined by
/// middle dots.
pub(super) fn without_description(text: &str) -> &str {
    let mut start = 0;
    for part in text.split_inclusive([' ', '\u{3000}']) {
        let is_joined = part.contains(['・', '･', '·']) && !part.is_ascii();
        if is_joined && !text[..start].trim().is_empty() {
            return &text[..start];
        }
        start += part.len();
    }
    text
}

/// Whether a bracket repeats the name in another script: "QVC（キューヴィーシー）".
pub(super) fn is_other_script(bracket: &str, outside: &str) -> bool {
    let latin = |text: &str| text.chars().filter(char::is_ascii_alphabetic).count();
    let other =
        |text: &str| text.chars().filter(|letter| letter.is_alphabetic() && !letter.is_ascii()).count();
    (latin(outside) >= 2 && other(outside) == 0 && other(bracket) > latin(bracket))
        || (other(outside) >= 2 && latin(outside) == 0 && latin(bracket) >= 4 && other(bracket) == 0)
}
