//! Line of a URL: the URL and, after `|`, the headers for players.

use domain_catalogue::StreamUrl;
use domain_kernel::{LONGEST_ADDRESS, holds_forbidden_characters};
use domain_live::playlist::LineFault;

/// Splits `http://host/7.m3u8|User-Agent=x&Referer=y`.
pub(super) fn split(line: &str) -> (&str, Vec<(&str, &str)>) {
    let Some((address, rest)) = line.split_once('|').filter(|(_, rest)| rest.contains('=')) else {
        return (line, Vec::new());
    };
    let headers = rest.split('&').filter_map(|part| part.split_once('='));
    let headers =
        headers.map(|(name, value)| (name.trim(), value.trim())).filter(|(name, _)| !name.is_empty());
    (address.trim_end(), headers.collect())
}

/// Validates a URL for players.
pub(super) fn check(address: &str) -> Result<(), LineFault> {
    if address.len() > LONGEST_ADDRESS && address.chars().count() > LONGEST_ADDRESS {
        return Err(LineFault::AddressTooLong);
    }
    let scheme = scheme_of(address).ok_or(LineFault::InvalidAddress)?;
    if !StreamUrl::SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
        return Err(LineFault::UnknownScheme);
    }
    let clean = || !holds_forbidden_characters(address, false);
    if is_plain(&address[scheme.len()..]) || (clean() && StreamUrl::check(address).is_ok()) {
        Ok(())
    } else {
        Err(LineFault::InvalidAddress)
    }
}

/// Text before the first colon, if it may be a scheme.
fn scheme_of(address: &str) -> Option<&str> {
    let (scheme, _) = address.split_once(':')?;
    let mut bytes = scheme.bytes();
    let letter = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let fits = bytes.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    (letter && fits).then_some(scheme)
}

/// Whether a URL has the common form, which is valid without parsing it.
fn is_plain(after_scheme: &str) -> bool {
    let Some(rest) = after_scheme.strip_prefix("://") else { return false };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (host, port) = host.split_once(':').unwrap_or((host, ""));
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case("xn--"))
    };
    // A host whose last label begins with a letter can't be an IPv4 address.
    let is_name = host
        .rsplit('.')
        .next()
        .is_some_and(|last| last.as_bytes().first().is_some_and(u8::is_ascii_alphabetic));
    is_name
        && port.len() < 5
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && host.split('.').all(is_label)
        && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}

/// Default name of an entry: the last segment of its path, or its host.
pub(super) fn last_part(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
    // A host without a path: the name must not include user and password.
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(user, host)| if user.is_empty() { authority } else { host });
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_of_streams_and_a_host() {
        for (address, expected) in [
            ("http://host.example/7.m3u8", Ok(())),
            ("HTTPS://host.example:8443/7?a=b#c", Ok(())),
            ("http://10.0.0.1:8080/user/password/7", Ok(())),
            ("http://[2001:db8::1]/7", Ok(())),
            ("https://ejemplo.españa/ñ.m3u8", Ok(())),
            ("udp://@239.0.0.1:1234", Ok(())),
            ("rtp://@239.0.0.1:5000", Ok(())),
            ("srt://host.example:9000?mode=caller", Ok(())),
            ("rtmps://host.example/live/7", Ok(())),
            ("mms://host.example/7", Ok(())),
            ("http://999.1.1.1/7", Err(LineFault::InvalidAddress)),
            ("http:/host/7", Err(LineFault::InvalidAddress)),
            ("http://host.example/a b", Err(LineFault::InvalidAddress)),
            ("http://host.example\\7", Err(LineFault::InvalidAddress)),
            ("7.m3u8", Err(LineFault::InvalidAddress)),
            ("../live/7.m3u8", Err(LineFault::InvalidAddress)),
            ("hhttps://host.example/7", Err(LineFault::UnknownScheme)),
            ("javascript:alert(1)", Err(LineFault::UnknownScheme)),
            ("file:///etc/passwd", Err(LineFault::UnknownScheme)),
            ("plugin://plugin.video.x/?a=b", Err(LineFault::UnknownScheme)),
        ] {
            assert_eq!(check(address), expected, "{address}");
            // Plain URLs are valid in the complete check, too.
            assert_eq!(StreamUrl::check(address).is_ok(), expected.is_ok(), "{address}");
        }
        let of_length = |length: usize| format!("http://e.com/{}", "x".repeat(length - 13));
        assert_eq!(check(&of_length(2048)), Ok(()));
        assert_eq!(check(&of_length(2049)), Err(LineFault::AddressTooLong));
    }

    #[test]
    fn an_address_with_an_invisible_character_is_none() {
        assert_eq!(check("http://host.example/7\u{feff}"), Err(LineFault::InvalidAddress));
        assert_eq!(check("http://host.example/7\u{202e}8"), Err(LineFault::InvalidAddress));
    }

    #[test]
    fn headers_follow_a_vertical_bar() {
        let line = "http://h/7.m3u8|User-Agent=VLC/3 (a=b)&Referer=http://x/";
        assert_eq!(
            split(line),
            ("http://h/7.m3u8", vec![("User-Agent", "VLC/3 (a=b)"), ("Referer", "http://x/")])
        );
        assert_eq!(split("http://h/a|b"), ("http://h/a|b", vec![]));
    }

    #[test]
    fn an_address_without_a_name_is_called_by_its_last_part() {
        for (address, name) in [
            ("http://h/live/siete.m3u8?token=1", "siete.m3u8"),
            ("http://h/live/siete/", "siete"),
            ("http://h.example", "h.example"),
            ("http://ana:secret@h.example", "h.example"),
            ("http://ana:secret@h.example/", "h.example"),
            ("udp://@239.0.0.1:1234", "@239.0.0.1:1234"),
        ] {
            assert_eq!(last_part(address), name);
        }
    }
}
