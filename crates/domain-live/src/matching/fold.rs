//! Folding: one spelling for equivalent letters.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Plain form of a letter, or of a look-alike, after NFKC and lower-casing.
fn plain(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'ı' => "i",
        'þ' => "th",
        'ŋ' => "n",
        'ə' => "e",
        // Arabic and Persian have different code points for the same letters.
        'ى' | 'ی' | 'ې' => "ي",
        'ک' | 'ڪ' => "ك",
        'ة' => "ه",
        'ٱ' => "ا",
        'ـ' | 'ء' => "",
        // Traditional characters of channel names, by their simplified forms.
        '電' => "电",
        '視' => "视",
        '臺' => "台",
        '頻' => "频",
        '衛' => "卫",
        '鳳' => "凤",
        '劇' => "剧",
        '國' => "国",
        '華' => "华",
        '東' => "东",
        '亞' => "亚",
        '財' => "财",
        '經' => "经",
        '聞' => "闻",
        '資' => "资",
        '訊' => "讯",
        '綜' => "综",
        '藝' => "艺",
        '樂' => "乐",
        '體' => "体",
        '廣' => "广",
        '龍' => "龙",
        '際' => "际",
        '兒' => "儿",
        '動' => "动",
        '畫' => "画",
        '緯' => "纬",
        '來' => "来",
        '歐' => "欧",
        '紀' => "纪",
        '實' => "实",
        '點' => "点",
        '線' => "线",
        '場' => "场",
        '戲' => "戏",
        '風' => "风",
        '無' => "无",
        '運' => "运",
        '購' => "购",
        _ => return None,
    })
}

/// The Latin look-alike of a Cyrillic or Greek letter.
fn latin_look_alike(letter: char) -> Option<char> {
    Some(match letter {
        'а' | 'α' => 'a',
        'в' | 'β' => 'b',
        'с' => 'c',
        'е' | 'ε' => 'e',
        'н' | 'η' => 'h',
        'і' | 'ι' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'м' | 'μ' => 'm',
        'ο' | 'о' => 'o',
        'р' | 'ρ' => 'p',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'у' => 'y',
        'х' | 'χ' => 'x',
        'ν' => 'v',
        'ζ' => 'z',
        _ => return None,
    })
}

/// Transliteration of a Cyrillic or Greek letter, as in IDs and lists: "Россия" is `rossiya`.
fn transliterated(letter: char) -> Option<&'static str> {
    Some(match letter {
        'а' | 'α' => "a",
        'б' => "b",
        'в' | 'β' => "v",
        'г' | 'ґ' | 'γ' => "g",
        'д' | 'δ' => "d",
        'е' | 'ё' | 'є' | 'э' | 'ε' => "e",
        'ж' => "zh",
        'з' | 'ζ' => "z",
        'и' | 'і' | 'ї' | 'η' | 'ι' => "i",
        'й' | 'ы' | 'υ' => "y",
        'к' | 'κ' => "k",
        'л' | 'λ' => "l",
        'м' | 'μ' => "m",
        'н' | 'ν' => "n",
        'о' | 'ο' | 'ω' => "o",
        'п' | 'π' => "p",
        'р' | 'ρ' => "r",
        'с' | 'σ' | 'ς' => "s",
        'т' | 'τ' => "t",
        'у' => "u",
        'ф' | 'φ' => "f",
        'х' => "kh",
        'χ' => "ch",
        'ц' => "ts",
        'ч' => "ch",
        'ш' => "sh",
        'щ' => "shch",
        'ъ' | 'ь' => "",
        'ю' => "yu",
        'я' => "ya",
        'ђ' => "dj",
        'ј' => "j",
        'љ' => "lj",
        'њ' => "nj",
        'ћ' => "c",
        'џ' => "dz",
        'ξ' => "x",
        'θ' => "th",
        'ψ' => "ps",
        _ => return None,
    })
}

/// Plain letters for full-width, superscript and styled ones; blanks for marks such as ™ and Ⓖ.
pub fn unstyled(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let without_signs = text.chars().map(|letter| match letter {
        '™' | '®' | '©' | '℠' | 'Ⓐ'..='ⓩ' | '\u{1F100}'..='\u{1F2FF}' | '\u{FE00}'..='\u{FE0F}' => {
            ' '
        }
        '\u{200B}'..='\u{200F}' | '\u{FEFF}' | '\u{00AD}' => '\u{2060}',
        other => other,
    });
    without_signs.filter(|letter| *letter != '\u{2060}').nfkc().collect()
}

/// Lower case, without accents, with one spelling per letter, and Cyrillic and Greek
/// transliterated. In words that mix Latin with Cyrillic or Greek, look-alikes become Latin.
pub fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut letters = String::with_capacity(word.len());
    for letter in word.nfd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase) {
        match plain(letter) {
            Some(replacement) => letters.push_str(replacement),
            None if is_combining_mark(letter) => {}
            None => letters.push(letter),
        }
    }
    let has_latin = letters.chars().any(|letter| letter.is_ascii_alphabetic());
    if letters.is_ascii() {
        return letters;
    }
    let mut latin = String::with_capacity(letters.len());
    for letter in letters.chars() {
        match (latin_look_alike(letter).filter(|_| has_latin), transliterated(letter)) {
            (Some(look_alike), _) => latin.push(look_alike),
            (None, Some(replacement)) => latin.push_str(replacement),
            (None, None) => latin.push(letter),
        }
    }
    latin
}
