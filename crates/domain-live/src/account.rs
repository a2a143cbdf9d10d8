//! Provider account of a URL: providers allow one or two connections per account.

use crate::address::{is_changing, is_token, panel_credentials};

/// Query parameters with a user's identity.
const USERS: &[&str] = &["api_key", "apikey", "pass", "passwd", "password", "pwd", "user", "username", "usr"];
/// Query parameters that change over time, not part of the account.
const TIMES: &[&str] = &[
    "clienttime",
    "e",
    "exp",
    "expire",
    "expires",
    "expiry",
    "nonce",
    "st",
    "t",
    "timestamp",
    "ts",
    "validfrom",
    "validto",
];

/// Account of a URL: host and credentials. `None` for a URL without credentials.
pub fn account(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let rest = rest.split('#').next().unwrap_or(rest);
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = place.split_at(place.find('/').unwrap_or(place.len()));
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let credentials = [user.to_owned(), of_panel(path), of_query(query), of_path(path)];
    let credentials = credentials.into_iter().find(|credentials| !credentials.is_empty())?;
    Some(format!("{} {credentials}", without_port(host).to_lowercase()))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn of_panel(path: &str) -> String {
    panel_credentials(path).map_or_else(String::new, |(user, password)| format!("{user}:{password}"))
}

/// User parameters of a query, or its tokens without those.
fn of_query(query: &str) -> String {
    let pairs: Vec<(String, &str)> = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .collect();
    let of = |is_wanted: &dyn Fn(&str) -> bool| {
        let mut found: Vec<_> = pairs.iter().filter(|(name, _)| is_wanted(name)).collect();
        // `pass…` and `pwd` come before `user…`, regardless of the order in the URL.
        found.sort();
        found.iter().rev().map(|(_, value)| *value).collect::<Vec<_>>().join(":")
    };
    let users = of(&|name| USERS.contains(&name));
    if users.is_empty() { of(&|name| is_changing(name) && !TIMES.contains(&name)) } else { users }
}

fn of_path(path: &str) -> String {
    path.split('/').filter(|part| is_token(part)).collect::<Vec<_>>().join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_a_host_with_credentials_in_any_part_of_a_url() {
        for (one, other, same) in [
            ("http://h/live/ana/secret/7.ts", "http://h/live/ana/secret/8.ts", true),
            ("http://h/live/ana/secret/7.ts", "http://h/movie/ana/secret/8.mp4", true),
            ("http://h/ana/secret/7", "http://H:8080/live/ana/secret/8.ts", true),
            ("http://h/live/ana/secret/7.ts", "http://h/live/eva/secret/7.ts", false),
            ("http://h/live/ana/secret/7.ts", "http://i/live/ana/secret/7.ts", false),
            ("http://h/get.php?username=ana&password=secret", "http://h/ana/secret/7", true),
            ("http://h/7?PASSWORD=secret&username=ana&token=1", "http://ana:secret@h/8?token=2", true),
            ("http://h/7.m3u8?token=a&expires=1", "http://h/8.m3u8?expires=2&token=a", true),
            ("http://h/7.m3u8?token=a", "http://h/8.m3u8?token=b", false),
            ("http://h/9f8e7d6c5b4a39281706/7.m3u8", "http://h/9f8e7d6c5b4a39281706/8.m3u8", true),
            ("rtmp://ana:secret@[::1]:1935/live", "rtmp://ana:secret@[::1]/live", true),
        ] {
            assert!(account(one).is_some(), "{one}");
            assert_eq!(account(one) == account(other), same, "{one} {other}");
        }
        for none in ["http://h/7.m3u8", "http://h/7.m3u8?id=7&expires=1", "http://h/7?token=", "7.ts"] {
            assert_eq!(account(none), None, "{none}");
        }
    }
}
