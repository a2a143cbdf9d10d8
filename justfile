# Cartelera's tasks. `just` alone lists them; most are scripts in scripts/, which also work without just.

# List the tasks.
_default:
    @just --list --unsorted --list-heading $'Cartelera: just TASK\n'

# Build panel and binary and serve both from embedded SQLite; --demo loads the demo catalogue.
run *flags:
    ./scripts/run {{ flags }}

# API and panel with reload, and a mock of the film database.
dev *flags:
    ./scripts/dev {{ flags }}

# The binary for a package: smaller than a release build, and slower to build (target/dist/cartelera).
dist:
    ./scripts/dist

# Every test; ends with how many passed and failed.
test:
    ./scripts/test

# What a push does not run: more input, every look and language (docs/contributing.md).
test-nightly *parts:
    ./scripts/test nightly {{ parts }}

# Within a minute: format, types, the tests of domain and use cases, and those of changed panel files.
quick:
    ./scripts/quick

# The tests of one crate, or those whose names contain FILTER: `just t api sign_in`.
t crate *filter:
    {{ if crate =~ '^(adapter-seaorm|api|server)$' { "./scripts/with-pg" } else { "" } }} ./scripts/nextest -p {{ crate }} {{ filter }}

# The workspace's tests, on SQLite and PostgreSQL.
test-rust:
    ./scripts/test rust

# The ledger against its model, for a given number of random histories.
ledger-machine sequences="2000":
    CARTELERA_MACHINE_SEQUENCES={{ sequences }} ./scripts/with-pg ./scripts/nextest --workspace --locked -E 'test(/^ledger_machine::/)'

# Edits, bulk changes, imports, undos and restorations against their model, for a given number of random sequences.
operations-machine sequences="10000":
    CARTELERA_MACHINE_SEQUENCES={{ sequences }} ./scripts/with-pg ./scripts/nextest --workspace --locked --profile nightly -E 'test(/^operations_machine::/)'

# The panel's tests, its build and the size of its first page.
test-web:
    ./scripts/test web

# The whole product in a real browser.
test-browser:
    ./scripts/test browser

# The binary under load: killed, stopped, on full disks, beside other processes, with PostgreSQL away, backed up. Minutes to hours.
reliability *parts:
    ./scripts/reliability {{ parts }}

# Format, lints, types, style, and generated files that are up to date.
check:
    ./scripts/test check

# Write what is made from the code: OpenAPI document, error list, the panel's types and rules.
generate:
    ./scripts/generate

# Measure lists, searches and writes at growing sizes; writes docs/benchmarks.md.
bench *flags:
    ./scripts/bench {{ flags }}

# Measure the reading of playlists and the recognition of their entries (docs/benchmarks.md#playlists).
bench-playlist entries="200000":
    cargo run --locked --release -q -p adapter-live --example measure_playlist {{ entries }}

# Measure playlists, guides, matching and the schedule against baselines of the same run (docs/benchmarks.md#live-tv).
bench-live *flags:
    cargo build --locked --release -p adapter-live --example measure_live
    ./scripts/bench-live target/release/cartelera target/release/examples/measure_live {{ flags }}

# Real playlists and guides (FOLDER…, or samples) read, read again, published and read by an empty installation, on both databases.
check-live-data *folders:
    ./scripts/build
    ./scripts/with-pg ./scripts/check-live-data target/release/cartelera {{ folders }}

# Feed mutated playlists to their reader.
fuzz-playlist seconds="600":
    ./scripts/fuzz-playlist {{ seconds }}

# Feed mutated guides to their reader.
fuzz-guide seconds="600":
    ./scripts/fuzz-guide {{ seconds }}

# Measure users, credits and dashboards at growing sizes; writes its part of docs/benchmarks.md.
bench-people *flags:
    ./scripts/bench-people {{ flags }}

# The release binary with the panel inside: target/release/cartelera.
build:
    ./scripts/build
