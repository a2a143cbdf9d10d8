//! The dependencies between crates (docs/architecture.md), checked against the manifests, and
//! between the modules of each.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

#[path = "architecture/modules.rs"]
mod modules;
#[path = "architecture/references.rs"]
mod references;
#[path = "architecture/scripts.rs"]
mod scripts;

/// Dependencies of a crate, by table of its manifest.
struct Package {
    folder: PathBuf,
    needs: Vec<String>,
    needs_in_tests: Vec<String>,
}

/// Libraries allowed in the domain: types, rules and time. No runtime, no I/O.
const PURE: &[&str] = &[
    "chrono",
    "garde",
    "percent-encoding",
    "schemars",
    "serde",
    "serde_json",
    "smallvec",
    // String similarity: a pure function of two strings.
    "strsim",
    "thiserror",
    "unicode-normalization",
    "url",
    "ipnet",
    "uuid",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn packages() -> BTreeMap<String, Package> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.push(root().join("migrations"));
    folders.retain(|folder| folder.join("Cargo.toml").exists());
    folders.into_iter().map(|folder| read(&folder)).collect()
}

fn read(folder: &Path) -> (String, Package) {
    let manifest: toml::Table = fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap();
    let names = |table: &toml::Table, tables: &[&str]| -> Vec<String> {
        let tables = tables.iter().filter_map(|name| table.get(*name)?.as_table());
        tables
            .flat_map(|table| table.iter())
            .map(|(name, how)| how.get("package").and_then(toml::Value::as_str).unwrap_or(name).to_owned())
            .collect()
    };
    let mut needs = names(&manifest, &["dependencies", "build-dependencies"]);
    let mut needs_in_tests = names(&manifest, &["dev-dependencies"]);
    for target in
        manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(|all| all.values())
    {
        needs.extend(names(target.as_table().unwrap(), &["dependencies", "build-dependencies"]));
        needs_in_tests.extend(names(target.as_table().unwrap(), &["dev-dependencies"]));
    }
    let name = manifest["package"]["name"].as_str().unwrap().to_owned();
    (name, Package { folder: folder.to_owned(), needs, needs_in_tests })
}

/// Forbidden dependencies, as `from -> to`.
fn refused_dependencies(
    packages: &BTreeMap<String, Package>,
    from: impl Fn(&str) -> bool,
    allowed: impl Fn(&str, &str) -> bool,
) -> Vec<String> {
    let of_package = |(name, package): (&String, &Package)| {
        let refused = package.needs.iter().filter(|need| !allowed(name, need));
        refused.map(|need| format!("{name} -> {need}")).collect::<Vec<_>>()
    };
    let chosen: Vec<_> = packages.iter().filter(|(name, _)| from(name)).collect();
    assert!(!chosen.is_empty(), "no crate has that name: update this test");
    chosen.into_iter().flat_map(of_package).collect()
}

fn is_ours(packages: &BTreeMap<String, Package>, name: &str) -> bool {
    packages.contains_key(name)
}

const NONE: Vec<String> = Vec::new();

#[test]
fn domains_depend_on_the_kernel_and_pure_libraries_only() {
    let packages = packages();
    let wrong = refused_dependencies(
        &packages,
        |name| name.starts_with("domain-"),
        |name, need| PURE.contains(&need) || (need == "domain-kernel" && name != "domain-kernel"),
    );
    assert_eq!(wrong, NONE);
}

#[test]
fn ports_depend_on_domains() {
    let wrong = refused_dependencies(
        &packages(),
        |name| name == "ports",
        |_, need| {
            need.starts_with("domain-") || PURE.contains(&need) || ["async-trait", "mockall"].contains(&need)
        },
    );
    assert_eq!(wrong, NONE);
}

#[test]
fn use_cases_depend_on_ports_and_domains_and_no_technology() {
    let wrong = refused_dependencies(
        &packages(),
        |name| name == "application",
        |_, need| {
            need.starts_with("domain-")
                || PURE.contains(&need)
                // Streaming ports accept a trait of the ports.
                || ["ports", "async-trait", "chrono-tz", "sha2", "tracing"].contains(&need)
        },
    );
    assert_eq!(wrong, NONE);
}

#[test]
fn an_adapter_depends_on_ports_and_its_own_technology_and_no_other_adapter() {
    let packages = packages();
    let technology = |name: &str| -> &[&str] {
        match name {
            "adapter-seaorm" => &["sea-orm", "tokio"],
            // A timeout for a season with all its pages.
            "adapter-imdb" => &["moka", "reqwest", "tokio"],
            "adapter-argon2" => &["argon2", "tokio"],
            "adapter-live" => &[
                "chardetng",
                "chrono-tz",
                "encoding_rs",
                "flate2",
                "guarded-http",
                "lzma-rust2",
                "m3u8-rs",
                "memchr",
                "mpeg2ts-reader",
                "quick-xml",
                // Guides are received on one thread and parsed on another (ADR 32).
                "tokio",
                "reqwest",
            ],
            "adapter-sheets" => &["calamine", "csv", "encoding_rs", "rust_xlsxwriter", "zip"],
            "adapter-webhooks" => &["base64", "guarded-http", "hmac", "rand", "reqwest", "sha2"],
            _ => panic!("{name} is new: add its technology here"),
        }
    };
    let wrong = refused_dependencies(
        &packages,
        |name| name.starts_with("adapter-"),
        |name, need| {
            need == "ports"
                || need.starts_with("domain-")
                || PURE.contains(&need)
                || ["async-trait", "tracing"].contains(&need)
                || technology(name).contains(&need)
        },
    );
    assert_eq!(wrong, NONE);
    for (name, package) in packages.iter().filter(|(name, _)| name.starts_with("adapter-")) {
        for need in package.needs_in_tests.iter().filter(|need| is_ours(&packages, need)) {
            assert_eq!(need, "migrations", "the tests of {name} need no other crate");
        }
    }
}

#[test]
fn guarded_http_depends_on_the_rule_of_addresses_and_no_adapter() {
    let wrong = refused_dependencies(
        &packages(),
        |name| name == "guarded-http",
        |_, need| {
            PURE.contains(&need)
                || ["domain-integrations", "hyper", "reqwest", "rustls", "tokio"].contains(&need)
        },
    );
    assert_eq!(wrong, NONE);
}

#[test]
fn the_rest_interface_depends_on_no_adapter_except_in_its_tests() {
    let packages = packages();
    let wrong = refused_dependencies(
        &packages,
        |name| name == "api",
        |_, need| {
            let is_inner = need == "application" || need == "ports" || need.starts_with("domain-");
            let technology =
                ["sea-orm", "sea-orm-migration", "sqlx", "reqwest", "argon2", "moka"].contains(&need);
            is_inner || (!is_ours(&packages, need) && !technology)
        },
    );
    assert_eq!(wrong, NONE);
}

#[test]
fn the_composition_depends_on_its_parts_and_no_technology() {
    let wrong = refused_dependencies(
        &packages(),
        |name| name == "composition",
        |_, need| {
            ["adapter-", "domain-"].iter().any(|prefix| need.starts_with(prefix))
                || ["api", "application", "ports"].contains(&need)
                || ["anyhow", "async-trait", "chrono-tz"].contains(&need)
        },
    );
    assert_eq!(wrong, NONE);
}

#[test]
fn the_server_and_the_tests_of_the_interface_share_a_composition() {
    let composes = |needs: &[String]| needs.iter().any(|need| need == "composition");
    for (name, package) in &packages() {
        assert_eq!(composes(&package.needs), name == "server", "{name}");
        assert_eq!(composes(&package.needs_in_tests), name == "api", "the tests of {name}");
    }
}

#[test]
fn every_dependency_is_named_in_the_sources_of_its_crate() {
    let unused = packages().into_iter().flat_map(|(name, package)| {
        let of = |needs: Vec<String>, parts: &[&str]| {
            let code: String = parts.iter().map(|part| code_in(&package.folder.join(part))).collect();
            let is_named = |need: &str| {
                let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
                code.split(|letter: char| !is_word(letter)).any(|word| word == need.replace('-', "_"))
            };
            needs.into_iter().filter(|need| !is_named(need)).collect::<Vec<_>>()
        };
        let mut unused = of(package.needs.clone(), &["src", "build.rs"]);
        unused.extend(of(package.needs_in_tests.clone(), &["src", "tests", "examples", "benches"]));
        unused.into_iter().map(move |need| format!("{name} -> {need}"))
    });
    assert_eq!(unused.collect::<Vec<_>>(), NONE);
}

/// The lines of a file, or of all files of a folder, without comments.
fn code_in(path: &Path) -> String {
    if path.is_dir() {
        let files = fs::read_dir(path).unwrap().map(|entry| code_in(&entry.unwrap().path()));
        return files.collect();
    }
    if path.extension().is_none_or(|extension| extension != "rs") || !path.exists() {
        return String::new();
    }
    let text = fs::read_to_string(path).unwrap();
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn panel_and_migrations_are_leaves() {
    let packages = packages();
    let wrong = refused_dependencies(
        &packages,
        |name| name == "panel" || name == "migrations",
        |_, need| !is_ours(&packages, need),
    );
    assert_eq!(wrong, NONE);
}

#[test]
fn nothing_depends_on_the_server_nor_on_a_benchmark() {
    let packages = packages();
    for (name, package) in &packages {
        for need in package.needs.iter().chain(&package.needs_in_tests) {
            assert!(need != "server" && !need.starts_with("bench-"), "{name} -> {need}");
        }
    }
}

#[test]
fn every_crate_is_checked() {
    for name in packages().keys() {
        let known =
            ["ports", "application", "api", "composition", "panel", "migrations", "server", "guarded-http"]
                .contains(&name.as_str())
                || ["domain-", "adapter-", "bench-"].iter().any(|prefix| name.starts_with(prefix));
        assert!(known, "{name} is a new kind of crate: add its allowed dependencies here");
    }
}

#[test]
fn every_crate_has_documentation() {
    for (name, package) in packages() {
        let source = package.folder.join("src");
        let file = ["lib.rs", "main.rs"].map(|file| source.join(file)).into_iter().find(|file| file.exists());
        let text =
            fs::read_to_string(file.unwrap_or_else(|| panic!("{name} has neither lib.rs nor main.rs")))
                .unwrap();
        assert!(text.starts_with("//! "), "{name} must begin with a line of documentation");
    }
}

#[test]
fn sibling_modules_have_no_circular_dependencies() {
    let circles = packages().into_iter().flat_map(|(name, package)| {
        let circles = modules::circles_of(&package.folder.join("src"));
        circles.into_iter().map(move |circle| format!("{name}::{circle}"))
    });
    assert_eq!(circles.collect::<Vec<_>>(), NONE);
}
