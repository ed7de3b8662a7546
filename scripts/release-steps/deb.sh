# shellcheck shell=bash
# A Debian package of the server, the page and what goes with the program.

# The archive and the built page as a Debian package.
deb() {
    say "a Debian package"
    packed
    built_for_browsers
    local root from doc package=$PWD/$offered/millbrain_${version}_amd64.deb
    root=$(mktemp -d) from=$root/from doc=$root/deb/usr/share/doc/millbrain
    mkdir -p "$from" "$doc" "$root"/deb/{DEBIAN,usr/bin,usr/share/{man/man1,millbrain,fish/vendor_completions.d}} \
        "$root"/deb/usr/share/{bash-completion/completions,zsh/vendor-completions} "$root"/deb/{etc/default,usr/lib/systemd/system}
    tar -xzf "$(archive x86_64-linux)" -C "$from" --strip-components=1
    cd "$root/deb"
    cp "$from/millbrain" usr/bin/
    gzip -9nc "$from/millbrain.1" >usr/share/man/man1/millbrain.1.gz
    cp "$from/completions/millbrain.bash" usr/share/bash-completion/completions/millbrain
    cp "$from/completions/_millbrain" usr/share/zsh/vendor-completions/
    cp "$from/completions/millbrain.fish" usr/share/fish/vendor_completions.d/
    cp -r "$OLDPWD/web/page/dist" usr/share/millbrain/page
    cp "$from/README.md" "$from/protocol.md" "$OLDPWD/docs/server.md" "$doc/"
    gzip -9nc "$from/CHANGELOG.md" >"$doc/changelog.gz"
    cat "$from/LICENSE-MIT" "$from/LICENSE-APACHE" "$from/LICENSES-OF-CRATES.txt" >"$doc/copyright"
    cp "$OLDPWD"/scripts/release-steps/debian/millbrain.{service,socket} usr/lib/systemd/system/
    cp "$OLDPWD/scripts/release-steps/debian/default" etc/default/millbrain
    cp "$OLDPWD/scripts/release-steps/debian/reload" DEBIAN/postinst
    cp "$OLDPWD/scripts/release-steps/debian/reload" DEBIAN/postrm
    cp "$OLDPWD/scripts/release-steps/debian/stop" DEBIAN/prerm
    echo /etc/default/millbrain >DEBIAN/conffiles
    cat >DEBIAN/control <<CONTROL
Package: millbrain
Version: $version
Architecture: amd64
Maintainer: the developers of millbrain <noreply@example.org>
Installed-Size: $(du -sk --exclude=DEBIAN . | cut -f1)
Section: games
Priority: optional
Description: engine for Nine Men's Morris and Smess
 Plays and analyses six rule sets of Nine Men's Morris and Smess, at the terminal, for other programs by a line
 protocol, or for browsers as a service, which is off until it is enabled.
CONTROL
    chmod -R u=rwX,go=rX .
    find . -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build . "$package" >/dev/null
    cd "$OLDPWD"
    rm -r "$root"
    ls -l "$package"
    try_deb "$package"
}

# Installs a package, tries its program and its service, and removes it: PACKAGE
try_deb() {
    [ "$(id -u)" = 0 ] || { echo "not installed: that takes root" && return; }
    local files left archive
    dpkg --install "$1" >/dev/null
    mapfile -t files < <(dpkg -L millbrain)
    millbrain --version
    # What of it is for this machine's manager of services; others have complaints about their own.
    systemd-analyze verify /usr/lib/systemd/system/millbrain.{service,socket} 2>&1 | grep millbrain && exit 1
    # The service's command, as a user who may write to nothing but its archive.
    archive=$(mktemp -d)
    chown nobody "$archive"
    # shellcheck disable=SC2016
    setpriv --reuid=nobody --clear-groups --no-new-privs sh -c '
        $(sed -n "s/^ExecStart=//; s|/var/lib/millbrain|$1|; s/ .SERVE$/ --address 127.0.0.1:0/p" "$2") 2>"$1/told" & echo $! >"$1/pid"
    ' sh "$archive" /usr/lib/systemd/system/millbrain.service
    ask "$archive/told" / /api/games
    kill "$(cat "$archive/pid")"
    [ -e "$archive/games.sqlite" ]
    rm -rf "$archive"
    dpkg --purge millbrain >/dev/null 2>&1
    left=$(for file in "${files[@]}"; do [ -d "$file" ] || [ ! -e "$file" ] || echo "$file"; done)
    [ -z "$left" ] || { echo "left behind: $left" && exit 1; }
    echo "installed, tried, removed: nothing is left"
}

