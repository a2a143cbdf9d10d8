//! Command lines with their settings; the example and the page list every setting.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
};

use clap::CommandFactory;

use super::*;

fn read(arguments: &[&str]) -> Result<Cli, String> {
    Cli::try_parse_from([&["cartelera"], arguments].concat()).map_err(|error| error.to_string())
}

#[test]
fn defaults_serve_on_loopback_from_an_embedded_database() {
    let settings = read(&[]).unwrap().settings;
    assert_eq!(settings.database_url, "sqlite://data/cartelera.db");
    assert_eq!(settings.public_url(), "http://127.0.0.1:8080");
    assert!(!settings.secure());
}

#[test]
fn zero_hours_between_probes_disable_probing() {
    for (hours, interval) in
        [("0", None), ("1", Some(TimeDelta::hours(1))), ("168", Some(TimeDelta::days(7)))]
    {
        let settings = read(&["--probe-hours", hours]).unwrap().settings;
        assert_eq!(settings.probe_interval(), interval, "{hours}");
    }
}

#[test]
fn a_bad_value_is_named() {
    for (flag, value) in [
        ("--database-url", "mysql://x"),
        ("--bind", "localhost"),
        ("--public-url", "cartelera.example"),
        ("--public-url", "https://tv.example/cartelera"),
        ("--public-url", "https://tv.example?panel"),
        ("--public-url", "https://tv.example/#panel"),
        ("--public-url", "https://ana@tv.example"),
        ("--admin-username", "no spaces"),
        ("--admin-password", "short"),
        ("--time-zone", "Madrid"),
        ("--country-calling-code", "+34"),
        ("--country-calling-code", "1234"),
        ("--trusted-proxies", "proxy"),
        ("--webhook-allow", "10.0.0.0/33"),
        ("--fetch-allow", "10.0.0.0/33"),
        ("--film-database-url", "ftp://x"),
        ("--probe-hours", "169"),
        ("--probe-connections", "9"),
        ("--probe-pause", "0"),
        ("--probe-switch-off", "perhaps"),
        ("--backup-every", "0"),
        ("--backup-keep", "0"),
        ("--max-connections", "0"),
        ("--max-connections-per-address", "many"),
        ("--metrics-bind", "9090"),
        ("--metrics-token", "short"),
        ("--log", "loud=very=much"),
        ("--log-format", "xml"),
    ] {
        let error = read(&[flag, value]).unwrap_err();
        assert!(error.contains(flag), "{error}");
    }
}

#[test]
fn cookies_are_secure_if_the_public_url_is() {
    assert!(read(&["--public-url", "https://tv.example/"]).unwrap().settings.secure());
}

#[test]
fn a_public_url_may_have_a_port_and_any_host() {
    for url in ["http://localhost:5173", "https://TV.example:443", "https://[2001:db8::1]:8443"] {
        assert_eq!(read(&["--public-url", url]).unwrap().settings.public_url(), url);
    }
}

#[test]
fn every_setting_is_in_the_documentation_and_in_the_example_with_its_default() {
    let example = include_str!("../../../../.env.example");
    let page = include_str!("../../../../docs/settings.md");
    let command = Cli::command();
    let in_example = example.lines().filter_map(|line| line.strip_prefix('#')?.split_once('='));
    let in_example: BTreeMap<_, _> = in_example.filter(|(name, _)| name.starts_with("CARTELERA_")).collect();
    let mut settings = BTreeSet::new();
    for argument in command.get_arguments() {
        let Some(name) = argument.get_env().and_then(OsStr::to_str) else { continue };
        let flag = argument.get_long().unwrap();
        let row = format!("| `{name}` | `--{flag}` |");
        assert!(page.contains(&row), "{name} is not in docs/settings.md");
        let default = argument.get_default_values().first().and_then(|value| value.to_str());
        assert_eq!(
            in_example.get(name).copied(),
            Some(default.unwrap_or_default()),
            "{name} in .env.example"
        );
        settings.insert(name);
    }
    assert_eq!(in_example.into_keys().collect::<BTreeSet<_>>(), settings, ".env.example");
}
