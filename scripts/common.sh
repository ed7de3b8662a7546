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

# Prints the file of a variant's network. Variants with flying share one.
network_of() {
    case $1 in
    smess) echo crates/core/src/smess/smess.net ;;
    lasker | mlyn | morabaraba) echo "crates/core/src/morris/$1.net" ;;
    morris | muehle | mylos) echo crates/core/src/morris/morris.net ;;
    *) echo "no variant $1" >&2 && return 2 ;;
    esac
}

# Prints the licences of all crates in a build, of Rust's standard library and of the system's libraries: TARGET OPTION
# ..., as for cargo. Includes crates that only other packages of the workspace need by some feature, as the lists of
# parts do.
licences() {
    cargo metadata --locked --format-version 1 --filter-platform "$@" | python3 -c '
import json, sys
from pathlib import Path

data = json.load(sys.stdin)
nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
used, todo = set(), [data["resolve"]["root"]]
while todo:
    if (name := todo.pop()) not in used:
        used.add(name)
        todo += [dep["pkg"] for dep in nodes[name]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]

def texts(package):
    folder = Path(package["manifest_path"]).parent
    names = ("LICEN", "COPYING", "UNLICEN", "NOTICE")
    return sorted(path for path in folder.iterdir() if path.name.upper().startswith(names) and path.is_file())

packages = sorted(data["packages"], key=lambda package: (package["name"], package["version"]))

# Crates of one repository may have one text, which not all of them bring.
def beside(package):
    others = (texts(other) for other in packages if other["repository"] == package["repository"] is not None)
    return next(filter(None, others), [])

# Most crates have the same texts: each is printed once.
first = {}
for package in packages:
    if package["id"] not in used or package["source"] is None:
        continue
    name = package["name"] + " " + package["version"]
    print("=" * 80, name + " - " + package["license"].replace("/", " OR "), sep="\n")
    for path in texts(package) or beside(package):
        text, here = path.read_text(errors="replace").strip(), f"{path.name} of {name}"
        known = first.setdefault(" ".join(text.split()), here)
        print("-" * 80, text if known == here else f"The same text as {known}.", sep="\n")
'
    local bar zig="" libraries=()
    bar=$(printf '=%.0s' {1..80})
    [[ $1 == wasm* || $1 == *apple* ]] || zig=$(python -c 'import ziglang; print(*ziglang.__path__)')/lib
    case $1 in
    *musl) libraries=("musl" "$zig/libc/musl/COPYRIGHT" "LLVM's libunwind" "$zig/libunwind/LICENSE.TXT") ;;
    *linux-gnu) libraries=("LLVM's libunwind" "$zig/libunwind/LICENSE.TXT") ;;
    *windows*) libraries=("mingw-w64" "$zig/libc/mingw/COPYING" "LLVM's libunwind" "$zig/libunwind/LICENSE.TXT") ;;
    esac
    printf '%s\nthe standard library of Rust\n%s\n' "$bar" "$bar"
    sed 's/<[^>]*>//g; /^[[:space:]]*$/d' "$(rustc --print sysroot)/share/doc/rust/COPYRIGHT-library.html"
    set -- "${libraries[@]}"
    while [ $# -gt 0 ]; do
        printf '%s\n%s\n%s\n' "$bar" "$1" "$bar" && cat "$2"
        shift 2
    done
}

# Builds a wheel for distribution: TARGET FOLDER [OPTION ...], for maturin. It has the licences of its crates, absolute
# links and no path of this machine. Needs maturin, wheel and, for Linux, ziglang in the path.
wheel_for_others() {
    local licences=python/licenses/LICENSES-OF-CRATES.txt made
    made=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$licences' '$made'" EXIT
    licences "$1" --manifest-path python/Cargo.toml >$licences
    maturin build --quiet --locked --target "$1" --manifest-path python/Cargo.toml --out "$made" "${@:3}"
    python -m wheel unpack --dest "$made" "$made"/*.whl >/dev/null
    # Its list of crates has the folder that they were built in.
    sed -i.bak "s|path+file://$PWD|path+file:|g" "$made"/*/*.dist-info/sboms/*.json && rm "$made"/*/*.dist-info/sboms/*.bak
    python scripts/guide/texts.py python/README.md "$made"/*/*.dist-info/METADATA
    mkdir -p "$2"
    python -m wheel pack --dest-dir "$2" "$made"/millbrain-*/ >/dev/null
}
