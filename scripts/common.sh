# shellcheck shell=bash
# What several scripts do; they read it with `source`.

say() { printf '\n== %s\n' "$*"; }

# Installs Debian packages that are not there yet, where that is possible.
debian() {
    dpkg -s "$@" >/dev/null 2>&1 && return
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -yqq --no-install-recommends "$@" >/dev/null
}
