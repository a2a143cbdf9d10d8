# shellcheck shell=bash
# What the scripts share. Sourced, never run; expects `set -euo pipefail`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034 # for those who source this
target=${CARGO_TARGET_DIR:-$root/target}
# Not every caller sets it (cron, systemd).
export HOME=${HOME:-~}

say() { printf '\n\033[1m%s\033[0m\n' "$*" >&2; }
# Ends the script with what is wrong and, line by line, what to do about it.
fail() {
  printf '\n\033[1;31m%s\033[0m\n' "$1" >&2
  shift
  [ $# -eq 0 ] || printf '  %s\n' "$@" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# The file .env gives what the environment does not. A value goes to the end of its line, without the quotes around it.
load_env() {
  local line number=0 key value
  [ -f "$root/.env" ] || return 0
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    line=${line%$'\r'}
    if [[ $line =~ ^[[:space:]]*(export[[:space:]]+)?(CARTELERA_[A-Z_]+)=(.*)$ ]]; then
      key=${BASH_REMATCH[2]} value=${BASH_REMATCH[3]}
      if [[ $value =~ ^\"(.*)\"$ || $value =~ ^\'(.*)\'$ ]]; then value=${BASH_REMATCH[1]}; fi
      [ -n "${!key+set}" ] || export "$key=$value"
    elif [[ $line =~ ^[[:space:]]*(export[[:space:]]+)?CARTELERA_ ]]; then
      fail ".env, line $number is no setting." "Write CARTELERA_NAME=value, without a space before or after the =."
    fi
  done <"$root/.env"
}

# Whether cargo is at least of a version.
rust_is() { printf '%s\n' "$1" "$(cargo --version 2>/dev/null | cut -d ' ' -f 2)" | sort -CV; }

need_rust() {
  local wanted
  wanted=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$root/Cargo.toml")
  # rustup puts cargo where a shell opened before does not look yet; a system's package is often older.
  rust_is "$wanted" || PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
  has cargo || fail "Rust is missing: this is built with Rust $wanted or newer." \
    "Install it from https://rustup.rs, open a new shell and run this again."
  rust_is "$wanted" || fail "Rust $wanted or newer is needed, but cargo says: $(cargo --version 2>&1 | head -n 1)" \
    "Install it from https://rustup.rs (rustup update), open a new shell and run this again."
  has cc || apt_install gcc libc6-dev || fail "A C compiler is missing: SQLite is compiled with one." \
    "Install the packages gcc and libc6-dev (Debian, Ubuntu), and run this again."
}

need_nextest() {
  has cargo-nextest || fail "cargo-nextest is missing: it runs the workspace's tests." \
    "Install the program from https://nexte.st/docs/installation (a minute), or compile it" \
    "(cargo install --locked cargo-nextest), and run this again."
}

need_node() {
  if ! has node || ! has npm; then
    fail "Node.js is missing: the panel is built with Node 20.19 or newer, and npm." \
      "Install it from https://nodejs.org or with your system's package manager, and run this again."
  fi
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
    fail "Node.js $(node --version) is too old: the panel is built with Node 20.19 or newer." \
      "Install a newer one from https://nodejs.org, and run this again."
}

# Whether all of these processes run; `kill -0` with several is content with one.
all_run() {
  local pid
  for pid; do kill -0 "$pid" 2>/dev/null || return 1; done
}

# Fails where something listens on an address already: that is known before a long build.
need_port() {
  local host=${1%:*} port=${1##*:}
  host=${host#[}
  if [ "$port" != 0 ] && (exec 3<>"/dev/tcp/${host%]}/$port") 2>/dev/null; then
    fail "Another program listens on $1." "Choose another address with CARTELERA_BIND, such as CARTELERA_BIND=127.0.0.1:8081."
  fi
}

# Installs Debian packages, where this is Debian and we may. Succeeds only if they are there afterwards.
apt_install() {
  has apt-get && [ "$(id -u)" = 0 ] || return 1
  say "Installing $*"
  (
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q && apt-get install -qy --no-install-recommends "$@"
  ) >&2 </dev/null
}

# The panel's packages, when the lock file changed since they were installed.
panel_packages() {
  need_node
  [ "$root/frontend/node_modules/.package-lock.json" -nt "$root/frontend/package-lock.json" ] && return
  say "Installing the panel's packages"
  (cd "$root/frontend" && npm ci --no-fund --no-audit) >&2 </dev/null
}

# The panel itself, when a source is newer than what was built from it, one that its folder had is gone, or what the binary
# embeds is.
panel_build() {
  local built=$root/frontend/build/.built
  if [ -f "$built" ] && [ -n "$(ls "$root/frontend/dist" 2>/dev/null)" ] && [ -z "$(cd "$root/frontend" &&
    find src index.html package.json package-lock.json tsconfig.json vite.config.ts scripts/*.ts -newer "$built" -print -quit)" ] &&
    [ -z "$(find "$root/frontend/public" -newer "$built" -print -quit 2>/dev/null)" ]; then
    return
  fi
  panel_packages || return 1
  say "Building the panel"
  panel_build_anew >&2
}

# The build empties the folder first: the mark says that it came to its end, with the compressed files.
panel_build_anew() {
  (cd "$root/frontend" && npm run --silent build) </dev/null || return 1
  touch "$root/frontend/build/.built"
}

# Builds target/debug/cartelera with the features of `cargo test --workspace`, so that nothing is compiled twice: one
# test as a target turns on the features that only tests need.
build_binary() { cargo build "$@" --locked --workspace --bin cartelera --test architecture; }

# Prints where a Chromium is; installs one where it can. The shell without windows is a sixth faster.
find_chromium() {
  local name
  for name in "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome-stable google-chrome; do
    [ -n "$name" ] && type -P "$name" && return
  done
  for name in chromium-headless-shell chromium; do
    apt_install "$name" && type -P "$name" && return
  done
}

# The folder of short-lived files: in memory where it has space, so that tests write less to the disk.
quick_folder() {
  local free
  free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) || free=0
  if [ -w /dev/shm ] && [ "${free:-0}" -gt $((4 * 1024 * 1024)) ]; then echo /dev/shm; else echo "${TMPDIR:-/tmp}"; fi
}
