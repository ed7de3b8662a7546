# shellcheck shell=bash
# Programs for each system: compiled, packed with what goes with them, and tried where nothing but them is installed.

# Installs the tools that compile for other systems: Zig has a C compiler, a linker and C libraries, cargo-zigbuild
# passes them to cargo, cargo-auditable writes the list of crates into the program.
tools() {
    local venv=target/tools/venv
    if [ ! -e target/tools/.installed ] || [ scripts/release-steps/programs.sh -nt target/tools/.installed ]; then
        say "tools"
        [ -x $venv/bin/python ] || python3 -m venv $venv
        $venv/bin/python -m pip install --quiet --disable-pip-version-check 'cargo-zigbuild==0.24.1' 'ziglang==0.17.1'
        cargo install --quiet --locked --root target/tools cargo-auditable@0.7.7
        touch target/tools/.installed
    fi
    export PATH=$PWD/$venv/bin:$PWD/target/tools/bin:$PATH
}

# No path of this machine: the same source gives the same file in any folder.
without_paths() {
    local sysroot home=${CARGO_HOME:-$HOME/.cargo}
    sysroot=$(rustc --print sysroot)
    RUSTFLAGS="--remap-path-prefix=$PWD=. --remap-path-prefix=$home=/cargo --remap-path-prefix=$sysroot=/rust"
    CFLAGS="-O3 -ffile-prefix-map=$home=/cargo -ffile-prefix-map=$PWD=."
    export RUSTFLAGS CFLAGS CARGO_INCREMENTAL=0 CARGO_PROFILE_RELEASE_STRIP=symbols MILLBRAIN_COMMIT=$commit
}

# Builds the program for a target: TARGET
compile() {
    tools
    without_paths
    local build=(cargo auditable zigbuild --locked --release --quiet --features serve --target "$1")
    # Linking takes Apple's SDK, and so a Mac with its own compiler.
    [[ $1 != *apple* ]] || build[2]=build
    if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$1" ] && ! rustup target add "$1" 2>/dev/null; then
        # The standard library from its source.
        export RUSTC_BOOTSTRAP=1
        build+=(-Zbuild-std=std,panic_unwind)
    fi
    "${build[@]}"
}

# The archive of a program: PLATFORM
archive() {
    case $1 in
    *windows) echo "$offered/millbrain-$version-$1.zip" ;;
    *) echo "$offered/millbrain-$version-$1.tar.gz" ;;
    esac
}

# Packs a program with the files that go with it: PLATFORM TARGET [COMMAND]. COMMAND runs it, or another build of the
# same source.
pack() {
    local folder name=millbrain-$version-$1 program=target/$2/release/millbrain
    local run=("${@:3}")
    [ $# -gt 2 ] || run=("$program")
    folder=$(mktemp -d)/$name
    mkdir -p "$folder/completions" $offered
    cp LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md protocol.md "$folder/"
    licences "$2" --features serve >"$folder/LICENSES-OF-CRATES.txt"
    case $1 in
    *windows)
        cp "$program.exe" "$folder/"
        "${run[@]}" completions powershell >"$folder/completions/millbrain.ps1"
        ;;
    *)
        cp "$program" "$folder/"
        "${run[@]}" man >"$folder/millbrain.1"
        "${run[@]}" completions bash >"$folder/completions/millbrain.bash"
        "${run[@]}" completions zsh >"$folder/completions/_millbrain"
        "${run[@]}" completions fish >"$folder/completions/millbrain.fish"
        ;;
    esac
    chmod -R u=rwX,go=rX "$folder"
    pack_folder "$folder" "$(archive "$1")"
    rm -r "$(dirname "$folder")"
    ls -l "$(archive "$1")"
}

# Packs a folder so that the same files give the same bytes: FOLDER ARCHIVE, which ends in .zip or .tar.gz
pack_folder() {
    python3 - "$@" <<'END'
import gzip, os, sys, tarfile, time, zipfile
from pathlib import Path

folder, archive = map(Path, sys.argv[1:])
moment = int(os.environ["SOURCE_DATE_EPOCH"])
paths = [folder, *sorted(folder.rglob("*"))]


def plain(entry):
    entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = moment, 0, 0, "", ""
    return entry


if archive.suffix == ".zip":
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in filter(Path.is_file, paths):
            entry = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), time.gmtime(moment)[:6])
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            packed.writestr(entry, path.read_bytes())
else:
    with open(archive, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as stream:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as packed:
            for path in paths:
                packed.add(path, path.relative_to(folder.parent), recursive=False, filter=plain)
END
}

# Unpacks a program into an empty folder, which it prints: PLATFORM
unpack() {
    local folder=$PWD/target/tried/$1
    rm -rf "$folder"
    mkdir -p "$folder"
    case $1 in
    *windows) python3 -m zipfile -e "$(archive "$1")" "$folder" && mv "$folder"/*/* "$folder" ;;
    *) tar -xzf "$(archive "$1")" -C "$folder" --strip-components=1 ;;
    esac
    echo "$folder"
}

# Tries a program: FOLDER COMMAND ..., the command that runs it in its folder. A match starts it by the words of
# PROGRAM.
try() {
    local folder=$1 run=("${@:2}") nodes said
    # As a program of one name, for the tests and for what starts it.
    printf '#!/bin/sh\ncd %s && exec %s "$@"\n' "$folder" "${run[*]@Q}" >target/tried/millbrain
    chmod +x target/tried/millbrain
    run=("$PWD/target/tried/millbrain")
    # The files that transcripts name.
    mkdir -p "$folder/tests"
    cp -r tests/data "$folder/tests/"
    said=$("${run[@]}" --version)
    echo "$said"
    grep -qx "commit $commit" <<<"$said" || { echo "expected commit $commit" >&2 && exit 1; }
    # The program that the tests are made with, and their transcripts, which the packed one replays.
    local expected=target/debug/millbrain
    MILLBRAIN_TESTED=${run[0]} cargo test --locked --quiet --features serve --package millbrain --test it protocol::
    beside "$folder" $expected
    nodes=$("${run[@]}" bench | tail -n 1)
    echo "$nodes"
    [ "${nodes%% *}" = "$($expected bench | sed -n '$s/ .*//p')" ] || { echo "expected as many as $expected has" >&2 && exit 1; }
    "${run[@]}" tablebase build --sectors 4-4 --out tables >/dev/null 2>&1
    $expected tablebase build --sectors 4-4 --out "$folder/expected" >/dev/null 2>&1
    diff -r --exclude=locks "$folder/tables" "$folder/expected"
    echo "tables of 4-4 are the same"
    # shellcheck disable=SC2086
    "${run[@]}" match --engine name=A cmd=$PROGRAM depth=3 --engine name=B cmd=$PROGRAM depth=2 --rounds 2 \
        --openings plies=4 seed=1 | grep '^Games 4'
    # A server, until it is interrupted.
    said=$folder/said
    "${run[@]}" serve --address 127.0.0.1:0 --archive games.sqlite 2>"$said" &
    local server=$!
    ask "$said" /api/games
    # What Ctrl+C at a terminal sends.
    kill -INT $server
    wait $server || { echo "interrupted it said $?, expected 0" >&2 && exit 1; }
    echo "a server, interrupted"
}

# Whether manual page and completions are what a program of this commit prints: FOLDER PROGRAM
beside() {
    local file shell
    while read -r file shell; do
        [ -e "$1/$file" ] || continue
        # shellcheck disable=SC2086
        "$2" $shell | cmp - "$1/$file" || exit 1
        echo "$file is of this commit"
    done <<'END'
millbrain.1 man
completions/millbrain.bash completions bash
completions/_millbrain completions zsh
completions/millbrain.fish completions fish
completions/millbrain.ps1 completions powershell
END
}

# How to enter a root with nothing else in it: FOLDER
enter() {
    [ "$(id -u)" = 0 ] && echo "chroot $1" || echo "unshare --map-root-user chroot $1"
}

build() {
    say "Linux on x86_64"
    (compile x86_64-unknown-linux-musl)
    pack x86_64-linux x86_64-unknown-linux-musl
}

x86_64() {
    build
    local folder
    folder=$(unpack x86_64-linux)
    python3 scripts/release-steps/contents.py "$folder" "$version"
    # shellcheck disable=SC2046
    (PROGRAM=/millbrain try "$folder" $(enter "$folder") /millbrain)
}

aarch64() {
    say "Linux on aarch64"
    debian qemu-user-static || { echo "not installed: qemu-user-static" >&2 && exit 1; }
    (compile aarch64-unknown-linux-musl)
    pack aarch64-linux aarch64-unknown-linux-musl qemu-aarch64-static target/aarch64-unknown-linux-musl/release/millbrain
    local folder
    folder=$(unpack aarch64-linux)
    python3 scripts/release-steps/contents.py "$folder" "$version"
    cp "$(command -v qemu-aarch64-static)" "$folder/emulator"
    # shellcheck disable=SC2046
    (PROGRAM="/emulator args=/millbrain" try "$folder" $(enter "$folder") /emulator /millbrain)
}

# Makes Wine ready, with what Debian's lacks of Windows: a source of random numbers.
ready_wine() {
    export WINEPREFIX=$PWD/target/tools/wine WINEDEBUG=-all
    local library=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
    [ ! -e "$library" ] || return 0
    /usr/lib/wine/wine64 wineboot --init
    tools
    python -m ziglang cc -target x86_64-windows-gnu -shared -O2 -x c -o "$library" - -ladvapi32 <<'END'
unsigned char __stdcall SystemFunction036(void *bytes, unsigned long count);
__declspec(dllexport) int ProcessPrng(unsigned char *bytes, unsigned long long count) {
    return SystemFunction036(bytes, (unsigned long)count);
}
END
}

windows() {
    say "Windows on x86_64"
    debian wine64 || { echo "not installed: wine64" >&2 && exit 1; }
    (compile x86_64-pc-windows-gnu)
    ready_wine
    pack x86_64-windows x86_64-pc-windows-gnu /usr/lib/wine/wine64 target/x86_64-pc-windows-gnu/release/millbrain.exe
    local folder
    folder=$(unpack x86_64-windows)
    python3 scripts/release-steps/contents.py "$folder" "$version"
    (PROGRAM=./millbrain.exe try "$folder" /usr/lib/wine/wine64 ./millbrain.exe)
}

macos() {
    local architecture folder
    architecture=$(uname -m | sed s/arm64/aarch64/)
    say "macOS on $architecture"
    [ "$(uname)" = Darwin ] || { echo "linking for macOS takes Apple's SDK, expected a Mac" >&2 && exit 1; }
    (compile "$architecture-apple-darwin")
    pack "$architecture-macos" "$architecture-apple-darwin"
    folder=$(unpack "$architecture-macos")
    python3 scripts/release-steps/contents.py "$folder" "$version"
    (PROGRAM=./millbrain try "$folder" ./millbrain)
}
