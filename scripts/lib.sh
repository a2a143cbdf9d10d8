# shellcheck shell=bash
# What the scripts share. Sourced, never run; expects `set -euo pipefail`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034 # for those who source this
target=${CARGO_TARGET_DIR:-$root/target}

say() { printf '\n\033[1m%s\033[0m\n' "$*" >&2; }
# Ends the script with what is wrong and, line by line, what to do about it.
fail() {
  printf '\n\033[1;31m%s\033[0m\n' "$1" >&2
  shift
  [ $# -eq 0 ] || printf '  %s\n' "$@" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# The file .env gives what the environment does not.
load_env() {
  local line key
  [ -f "$root/.env" ] || return 0
  while IFS= read -r line || [ -n "$line" ]; do
    [[ $line =~ ^[[:space:]]*(CARTELERA_[A-Z_]+)=(.*)$ ]] || continue
    key=${BASH_REMATCH[1]}
    [ -n "${!key+set}" ] || export "$key=${BASH_REMATCH[2]}"
  done <"$root/.env"
}

need_rust() {
  # rustup puts cargo where a shell opened before does not look yet.
  has cargo || PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
  has cargo || fail "Rust is missing." \
    "Install it from https://rustup.rs, open a new shell and run this again."
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

# The panel itself, when a source is newer than what was built from it.
panel_build() {
  local built=$root/frontend/build/index.html
  if [ -f "$built" ] && [ -z "$(cd "$root/frontend" &&
    find src index.html package.json package-lock.json vite.config.ts scripts/compress.ts -newer "$built" -print -quit)" ] &&
    [ -z "$(find "$root/frontend/public" -newer "$built" -print -quit 2>/dev/null)" ]; then
    return
  fi
  panel_packages || return 1
  say "Building the panel"
  (cd "$root/frontend" && npm run build) >&2 </dev/null
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

# Where files live that nobody needs for long: in memory where there is space for them, which spares tests the disk.
quick_folder() {
  local free
  free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) || free=0
  if [ -w /dev/shm ] && [ "${free:-0}" -gt $((4 * 1024 * 1024)) ]; then echo /dev/shm; else echo "${TMPDIR:-/tmp}"; fi
}
