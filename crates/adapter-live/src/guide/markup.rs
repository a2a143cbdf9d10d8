//! Attributes of XML elements, and entities in texts.

use std::borrow::Cow;

use quick_xml::{escape::resolve_html5_entity, events::BytesStart};

use super::characters::allowed;

/// An attribute of an element, by its local name.
pub(crate) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let [found] = attributes(start, [name]);
    found
}

/// Attributes of an element, by their local names. The first of equal names counts.
pub(super) fn attributes<const N: usize>(start: &BytesStart<'_>, names: [&str; N]) -> [Option<String>; N] {
    let mut values = [const { None }; N];
    for attribute in start.attributes().with_checks(false).flatten() {
        let name = attribute.key.local_name();
        let place = names.iter().position(|wanted| *wanted == name.as_ref());
        if let Some(value) = place.map(|place| &mut values[place])
            && value.is_none()
        {
            *value = Some(unescaped(&attribute.value));
        }
    }
    values
}

/// Value of an attribute; unknown entities stay unchanged.
fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.char_indices().take(34).find(|(_, letter)| *letter == ';').map(|(end, _)| end);
        if let Some((resolved, end)) = end.and_then(|end| Some((entity(&rest[1..end])?, end))) {
            text.push_str(&resolved);
            rest = &rest[end + 1..];
        } else {
            text.push('&');
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    match allowed(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(text) => text,
    }
}

/// Text of an entity: a character by its number, XML's five names and HTML's. Declared entities are
/// not supported.
pub(super) fn entity(name: &str) -> Option<Cow<'static, str>> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
            None => number.parse().ok()?,
        };
        let character = char::from_u32(code)?;
        return Some(character.to_string().into());
    }
    resolve_html5_entity(name).map(Cow::Borrowed)
}
