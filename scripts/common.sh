# shellcheck shell=bash
# What several scripts do; they read it with `source`.

say() { printf '\n== %s\n' "$*"; }

# Installs Debian packages that are not there yet, where that is possible.
debian() {
    dpkg -s "$@" >/dev/null 2>&1 && return
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -yqq --no-install-recommends "$@" >/dev/null
}

# Names a Chromium in CHROMIUM, and installs one where that is possible.
find_browser() {
    # Debian's shell without windows passes the same tests in half the time.
    CHROMIUM=${CHROMIUM:-$(command -v chromium-headless-shell || command -v chromium || command -v chromium-browser ||
        command -v google-chrome || true)}
    [ -n "$CHROMIUM" ] || { debian chromium-headless-shell fonts-dejavu && CHROMIUM=$(command -v chromium-headless-shell); } ||
        { debian chromium fonts-dejavu && CHROMIUM=$(command -v chromium); } ||
        { echo "no Chromium, expected one in the path or named by CHROMIUM" >&2 && exit 2; }
    export CHROMIUM
}

# The file of the network that a variant has: one for all rules with flying, one for those without, one for the board with diagonals, and that of Smess.
network_of() {
    case $1 in
    smess) echo crates/core/src/smess/smess.net ;;
    mlyn | morabaraba) echo "crates/core/src/morris/$1.net" ;;
    morris | muehle | mylos | lasker) echo crates/core/src/morris/morris.net ;;
    *) echo "no variant $1" >&2 && return 2 ;;
    esac
}
