//! Stable part of a stream's URL: without credentials and tokens, and without the host for paths
//! with a provider's stream number.

use std::{borrow::Cow, ops::Range};

/// Query parameters with credentials, tokens and times.
const CHANGING: &[&str] = &[
    "access_token",
    "advertisingid",
    "api_key",
    "apikey",
    "auth",
    "authtoken",
    "cdn_token",
    "clienttime",
    "deviceid",
    "e",
    "exp",
    "expire",
    "expires",
    "expiry",
    "hash",
    "hdnea",
    "hdntl",
    "hdnts",
    "hmac",
    "jwt",
    "key",
    "md5",
    "nimblesessionid",
    "nonce",
    "pass",
    "passwd",
    "password",
    "policy",
    "pwd",
    "s",
    "secret",
    "session",
    "session_id",
    "sessionid",
    "sid",
    "sig",
    "sign",
    "signature",
    "st",
    "t",
    "timestamp",
    "tkn",
    "token",
    "ts",
    "usr",
    "user",
    "username",
    "uuid",
    "validfrom",
    "validto",
    "wmsauthsign",
    "wmsauth",
];
/// Path segments before user and password in stream URLs of a provider's panel.
const PANEL_FOLDERS: &[&str] = &["live", "timeshift", "movie", "series"];
/// Path segments before user and password in playlist URLs of a panel.
const LIST_FOLDERS: &[&str] = &["playlist"];
/// First path segments that are not a panel's user.
const OTHER_FOLDERS: &[&str] = &["channel", "channels", "hls", "iptv", "play", "stream", "streams", "tv"];

/// URL without its changing parts. Equal for all URLs of one stream; equal results may be different
/// streams.
pub fn stable(url: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = url.split_once("://") else { return Cow::Borrowed(url) };
    let rest = rest.split('#').next().unwrap_or(rest);
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = place.split_at(place.find('/').unwrap_or(place.len()));
    if let Some(number) = stream_number(path) {
        let kept = kept_parameters(query);
        return Cow::Owned(format!("panel/{number}{kept}"));
    }
    let host = authority.rsplit('@').next().unwrap_or(authority);
    if query.is_empty() && host.len() == authority.len() && rest.len() + scheme.len() + 3 == url.len() {
        return Cow::Borrowed(&url[scheme.len() + 3..]);
    }
    Cow::Owned(format!("{host}{path}{}", kept_parameters(query)))
}

/// Result of `stable` without long path segments that look like tokens.
pub fn without_path_tokens(stable: &str) -> Cow<'_, str> {
    let end = stable.find('?').unwrap_or(stable.len());
    if !stable[..end].split('/').any(is_token) {
        return Cow::Borrowed(stable);
    }
    let parts = stable[..end].split('/').map(|part| if is_token(part) { "*" } else { part });
    Cow::Owned(parts.collect::<Vec<_>>().join("/") + &stable[end..])
}

pub(crate) fn is_token(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let fits = part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_=~%".contains(&byte));
    part.len() >= 16 && fits && digits >= 3 && digits < part.len()
}

/// Whether a query parameter of this name has credentials, tokens or times.
pub(crate) fn is_changing(name: &str) -> bool {
    CHANGING.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// User and password of `/live/USER/PASSWORD/123.ts` or `/USER/PASSWORD/123`.
pub(crate) fn panel_credentials(path: &str) -> Option<(&str, &str)> {
    stream_number(path)?;
    let mut parts = path.rsplit('/').skip(1);
    let password = parts.next()?;
    Some((parts.next()?, password))
}

/// Stream number of `/live/USER/PASSWORD/123.ts` or `/USER/PASSWORD/123`.
fn stream_number(path: &str) -> Option<&str> {
    let mut parts: Vec<&str> = path.split('/').skip(1).collect();
    let is_folder = |part: &str, known: &[&str]| known.iter().any(|folder| folder.eq_ignore_ascii_case(part));
    let in_folder = parts.len() == 4 && is_folder(parts[0], PANEL_FOLDERS);
    if in_folder {
        parts.remove(0);
    }
    let [user, password, file] = parts[..] else { return None };
    let (number, ending) = file.split_once('.').unwrap_or((file, ""));
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    // Without a known first segment, a path of three segments may be anything: `/hls/siete/1.m3u8`.
    let is_panel = in_folder
        || (["", "ts"].contains(&ending)
            && !is_folder(user, PANEL_FOLDERS)
            && !is_folder(user, OTHER_FOLDERS));
    (is_number && is_panel && !user.is_empty() && !password.is_empty()).then_some(number)
}

/// Stable parameters of a query, sorted, with the leading `?`.
fn kept_parameters(query: &str) -> String {
    let changes = |pair: &&str| is_changing(pair.split('=').next().unwrap_or(pair));
    let mut kept: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty() && !changes(pair)).collect();
    kept.sort_unstable();
    if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) }
}

/// URL with masked credentials, for users without permission to change sources.
pub fn masked(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (rest, fragment) = rest.split_once('#').map_or((rest, ""), |(rest, _)| (rest, "#***"));
    let (place, query) = rest.split_once('?').map_or((rest, None), |(place, query)| (place, Some(query)));
    let (authority, path) = place.split_at(place.find('/').unwrap_or(place.len()));
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let user = if host.len() == authority.len() { "" } else { "***@" };
    let parts: Vec<&str> = path.split('/').collect();
    let secret = credential_parts(&parts);
    let mask = |(at, part): (usize, &&str)| {
        if secret.contains(&at) || is_token(part) { "***".to_owned() } else { (*part).to_owned() }
    };
    let path = parts.iter().enumerate().map(mask).collect::<Vec<_>>().join("/");
    // Any parameter may have credentials, so every value is masked.
    let query = query.map(|query| {
        let mask = |pair: &str| {
            pair.split_once('=').map_or_else(|| "***".to_owned(), |(name, _)| format!("{name}=***"))
        };
        query.split('&').map(mask).collect::<Vec<_>>().join("&")
    });
    let query = query.map_or_else(String::new, |query| format!("?{query}"));
    format!("{scheme}://{user}{host}{path}{query}{fragment}")
}

/// Range of path segments that may be user and password: after a panel's segment, or before the
/// stream number. The first segment is empty. Masks more than [`stream_number`] matches, to be on
/// the safe side.
fn credential_parts(parts: &[&str]) -> Range<usize> {
    let is_folder = |known: &[&str]| {
        parts.get(1).is_some_and(|part| known.iter().any(|folder| folder.eq_ignore_ascii_case(part)))
    };
    let number = parts.last().and_then(|file| file.split('.').next()).unwrap_or_default();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if (is_folder(PANEL_FOLDERS) && parts.len() > 4) || (is_folder(LIST_FOLDERS) && parts.len() > 3) {
        2..4
    } else if parts.len() == 4 && is_number && !is_folder(OTHER_FOLDERS) && !is_folder(PANEL_FOLDERS) {
        1..3
    } else {
        0..0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stable_url_keeps_the_stream() {
        for (one, other, same) in [
            ("http://h/7.m3u8?token=a&id=7", "https://h/7.m3u8?id=7&TOKEN=b", true),
            ("http://u:p@h/7.m3u8", "http://h/7.m3u8", true),
            ("http://a.example/live/u/p/123.ts", "http://b.example:8080/u2/p2/123", true),
            ("http://a.example/live/u/p/123.ts", "http://a.example/live/u/p/124.ts", false),
            ("http://a.example/u/p/123", "http://b.example/u2/p2/123.ts", true),
            ("http://a.example/hls/siete/1.ts", "http://a.example/hls/ocho/1.ts", false),
            ("http://a.example/x/siete/1.m3u8", "http://a.example/x/ocho/1.m3u8", false),
            ("http://h/7.m3u8?id=7", "http://h/7.m3u8?id=8", false),
            ("http://a/7.m3u8", "http://b/7.m3u8", false),
            ("udp://@239.0.0.1:1234", "udp://@239.0.0.1:1235", false),
        ] {
            assert_eq!(stable(one) == stable(other), same, "{one} {other}");
        }
    }

    #[test]
    fn long_parts_of_a_path_that_change_are_removed() {
        let one = without_path_tokens("h/live/9f8e7d6c5b4a39281706/siete/index.m3u8");
        assert_eq!(one, "h/live/*/siete/index.m3u8");
        assert_eq!(without_path_tokens("h/siete-noticias/index.m3u8"), "h/siete-noticias/index.m3u8");
    }

    #[test]
    fn credentials_are_masked_in_every_part_of_a_url() {
        for (url, shown) in [
            ("http://ana:secret@h/7.m3u8", "http://***@h/7.m3u8"),
            ("http://h:80/live/ana/secret/7.ts", "http://h:80/live/***/***/7.ts"),
            ("http://h/ana/secret/7", "http://h/***/***/7"),
            ("http://h/7.m3u8?x=secret&y", "http://h/7.m3u8?x=***&***"),
            ("http://h/9f8e7d6c5b4a39281706/7.m3u8", "http://h/***/7.m3u8"),
            ("http://h/canal/7.m3u8", "http://h/canal/7.m3u8"),
            ("http://h/hls/siete/7.m3u8", "http://h/hls/siete/7.m3u8"),
            ("http://h/live/siete/index.m3u8", "http://h/live/siete/index.m3u8"),
            ("http://h/ana/secret/7.m3u8", "http://h/***/***/7.m3u8"),
            ("http://h/playlist/ana/secret/m3u_plus", "http://h/playlist/***/***/m3u_plus"),
            ("http://h/playlist/siete.m3u8", "http://h/playlist/siete.m3u8"),
            ("http://h/playlist/ana/secret", "http://h/playlist/***/***"),
            (
                "http://h/timeshift/ana/secret/60/2026-11-20:10-00/7.ts",
                "http://h/timeshift/***/***/60/2026-11-20:10-00/7.ts",
            ),
            ("http://h/7.m3u8#token=secret", "http://h/7.m3u8#***"),
            ("http://ana:secret@h", "http://***@h"),
        ] {
            assert_eq!(masked(url), shown);
        }
    }
}
