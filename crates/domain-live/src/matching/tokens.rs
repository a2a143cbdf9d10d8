//! Tokens of a name or an ID: runs of letters and digits, their pieces, call signs.

use super::{fold::folded, lexicon};

pub(super) struct Token {
    pub(super) raw: String,
    pub(super) has_plus: bool,
    pub(super) is_capital: bool,
}

/// Runs of letters and digits; a call sign keeps its hyphen, a final `+` is a word.
pub(super) fn tokens_of(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut raw = String::new();
    let mut characters = text.chars().peekable();
    let close = |raw: &mut String, has_plus: bool, tokens: &mut Vec<Token>| {
        if !raw.is_empty() {
            let is_capital = raw.chars().next().is_some_and(|first| matches!(first, 'K' | 'W' | 'X' | 'C'));
            tokens.push(Token { raw: std::mem::take(raw), has_plus, is_capital });
        }
    };
    while let Some(letter) = characters.next() {
        match letter {
            _ if letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter) => {
                raw.push(letter);
            }
            'ー' => raw.push(letter),
            // "A+V" is "A V"; "LN+" and "Canal+ 1" have a plus.
            '+' if !raw.is_empty() => {
                let is_joined = characters.peek().is_some_and(|next| next.is_alphabetic());
                close(&mut raw, !is_joined, &mut tokens);
            }
            '+' if is_quality_alone(&characters.clone().collect::<String>()) => {
                close(&mut raw, false, &mut tokens);
                if let Some(last) = tokens.last_mut() {
                    last.has_plus = true;
                }
            }
            '-' if raw.len() == 4
                && raw.bytes().all(|byte| byte.is_ascii_uppercase())
                && matches!(raw.as_bytes()[0], b'K' | b'W' | b'X' | b'C') =>
            {
                raw.push('-');
            }
            '\'' | '’' | '`' | '´'
                if !raw.is_empty() && characters.peek().is_some_and(|next| next.is_alphanumeric()) =>
            {
                close(&mut raw, false, &mut tokens);
            }
            _ => close(&mut raw, false, &mut tokens),
        }
    }
    close(&mut raw, false, &mut tokens);
    tokens
}

/// Whether only quality words follow: "VTV + HD".
fn is_quality_alone(rest: &str) -> bool {
    rest.split_whitespace().all(|word| lexicon::is_quality(&folded(word)))
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Script {
    Digit,
    Latin,
    Kana,
    Han,
    Other,
}

fn script(letter: char) -> Option<Script> {
    Some(match letter {
        _ if letter.is_numeric() => Script::Digit,
        'ー' => return None,
        '\u{0000}'..='\u{02AF}' | '\u{1E00}'..='\u{1EFF}' => Script::Latin,
        '\u{3040}'..='\u{30FF}' => Script::Kana,
        '\u{3400}'..='\u{9FFF}' => Script::Han,
        _ if letter.is_alphabetic() => Script::Other,
        _ => return None,
    })
}

/// Pieces of one run: split at changes between letters, digits and scripts, and at "channel" in
/// Japanese and Chinese.
pub(super) fn pieces_of(token: &str) -> Vec<&str> {
    let mut pieces = Vec::with_capacity(2);
    let (mut start, mut current) = (0, None);
    for (at, letter) in token.char_indices() {
        if letter == '-' {
            if at > start {
                pieces.push(&token[start..at]);
            }
            start = at + 1;
            current = None;
            continue;
        }
        let Some(now) = script(letter) else { continue };
        if current.is_some_and(|before| {
            before != now
                && (before == Script::Digit
                    || now == Script::Digit
                    || before == Script::Latin
                    || now == Script::Latin)
        }) {
            // Letters of another script next to Latin are look-alikes within a word.
            let look_alike = matches!(
                (current, now),
                (Some(Script::Latin), Script::Other) | (Some(Script::Other), Script::Latin)
            );
            if !look_alike {
                pieces.push(&token[start..at]);
                start = at;
            }
        }
        current = Some(now);
    }
    if start < token.len() {
        pieces.push(&token[start..]);
    }
    pieces.into_iter().flat_map(split_channel).collect()
}

fn split_channel(piece: &str) -> Vec<&str> {
    if piece.is_ascii() {
        return vec![piece];
    }
    for suffix in ["チャンネル", "频道", "頻道", "電視台", "电视台"] {
        if let Some(at) = piece.find(suffix)
            && piece.len() > suffix.len()
        {
            let parts = [&piece[..at], suffix, &piece[at + suffix.len()..]];
            return parts.into_iter().filter(|part| !part.is_empty()).collect();
        }
    }
    vec![piece]
}

/// Licence letters of a definite call sign: `KABC-TV`, `WXYZ-DT2`, `XHJK-TDT`, or four capitals.
pub(super) fn call_sign(token: &str) -> Option<String> {
    let (letters, suffix) = token.split_once('-').unwrap_or((token, ""));
    if !(3..=5).contains(&letters.len()) || !letters.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let suffix_of_station = ["TV", "DT", "CD", "LD", "LP", "TDT"].iter().any(|known| {
        suffix.strip_prefix(known).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let form = match letters.as_bytes()[0] {
        b'K' | b'W' => letters.len() == 4 || (suffix_of_station && letters.len() == 3),
        b'X' => matches!(letters.as_bytes()[1], b'H' | b'E'),
        b'C' => {
            letters.len() == 4 && matches!(letters.as_bytes()[1], b'B' | b'F' | b'H' | b'I' | b'J' | b'K')
        }
        _ => false,
    };
    let certain =
        suffix_of_station || (suffix.is_empty() && !lexicon::is_no_call_sign(&letters.to_ascii_lowercase()));
    (form && certain).then(|| letters.to_ascii_lowercase())
}

/// The words of an ID: split at dots, hyphens, underscores and capitals.
pub(super) fn spaced(stem: &str) -> String {
    let mut text = String::with_capacity(stem.len() + 8);
    let characters: Vec<char> = stem.chars().collect();
    for (at, letter) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| characters[at]);
        let next = characters.get(at + 1);
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || (before.is_uppercase() && next.is_some_and(|next| next.is_lowercase()))
            });
        match letter {
            '.' | '_' => text.push(' '),
            _ => {
                if begins {
                    text.push(' ');
                }
                text.push(*letter);
            }
        }
    }
    text
}
