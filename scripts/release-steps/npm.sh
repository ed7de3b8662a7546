# shellcheck shell=bash
# The packages of npm, and the page as an archive for any host of files.

npm_package() {
    say "the packages of npm and the page"
    built_for_browsers
    find_browser
    local package=$offered/millbrain-$version.tgz page=$offered/millbrain-$version-page.tar.gz
    local board=$offered/millbrain-board-$version.tgz packs=$offered/millbrain-packs-$version.tgz
    mkdir -p $offered target/tried
    npm --prefix web pack --silent --workspace engine --workspace packs --workspace board \
        --pack-destination "$PWD/$offered" >/dev/null
    # The licences of the crates that its modules are made of are in it.
    tar -tzf "$package" | grep -qx package/LICENSES-OF-CRATES.txt
    cp -r web/page/dist "target/tried/millbrain-$version-page"
    # That of the page itself, of its crates, and licenses.txt for its fonts and libraries, which Vite wrote.
    cp LICENSE-MIT LICENSE-APACHE web/engine/LICENSES-OF-CRATES.txt "target/tried/millbrain-$version-page/"
    grep -q '^## @fontsource' "target/tried/millbrain-$version-page/licenses.txt"
    pack_folder "target/tried/millbrain-$version-page" "$page"
    rm -r "target/tried/millbrain-$version-page"
    ls -l "$package" "$packs" "$board" "$page"
    try_npm "$PWD/$package"
    try_board "$PWD/$board"
}

# Installs a package into new projects and runs the first example of its README there: PACKAGE
try_npm() {
    local project=$PWD/target/tried/npm example
    rm -rf "$project" && mkdir -p "$project/site/public"
    # The first block of code, which shows what it found.
    example=$(sed -n '/^```js$/,/^```$/p' web/engine/README.md | sed '1d; /^```$/,$d')
    printf '%s\nconsole.log("move", move);\nengine.close();\n' "$example" >"$project/first.mjs"
    (
        cd "$project"
        npm init --yes >/dev/null
        npm install --silent --no-audit --no-fund "$1"
        echo "Node $(node --version)" && node first.mjs | tail -n 1
        printf 'position startpos\ngo depth 6\n' | npx millbrain | tail -n 1
        npm install --silent --no-audit --no-fund node@latest
        echo "Node $(node_modules/.bin/node --version)" && node_modules/.bin/node first.mjs | tail -n 1
    )
    say "a page made with Vite"
    printf '<!doctype html><title>new</title><script type="module" src="/main.js"></script>\n' >"$project/site/index.html"
    # As the README says for bundlers: the files beside the page, and their address.
    {
        echo 'const assets = new URL("engine/", document.baseURI).href;'
        echo "$example" | sed 's/create()/create({ assets })/'
        echo 'document.title = `move ${move}`;'
    } >"$project/site/main.js"
    cp -r "$project/node_modules/millbrain/data" "$project/site/public/engine"
    cp scripts/release-steps/visit.mjs "$project/"
    (
        cd "$project"
        npm install --silent --no-audit --no-fund vite@latest playwright-core
        npx vite build --logLevel error --base ./ site
        echo "Vite $(npx vite --version)"
        for header in "" "Origin, Accept-Encoding"; do node visit.mjs site/dist "$header"; done
    )
    say "the page of millbrain, from a host of files"
    for header in "" "Origin, Accept-Encoding"; do (cd "$project" && node visit.mjs "$OLDPWD/web/page/dist" "$header"); done
}

# Installs the package of the board into the project of the other one, and makes a page of its README's example: PACKAGE
try_board() {
    local project=$PWD/target/tried/npm site=$PWD/target/tried/npm/board
    say "the board, on a page made with Vite"
    rm -rf "$site" && mkdir -p "$site/public"
    # The first block of code, with the address of the engine's files, and a move to be seen.
    printf '<!doctype html><title>new</title>\n' >"$site/index.html"
    sed -n '/^```html$/,/^```$/p' web/board/README.md | sed '1d; /^```$/,$d' |
        sed 's|Rules.create()|Rules.create({ assets: new URL("engine/", document.baseURI).href })|
            s|^  show();$|&\n  board.press("d6");\n  document.title = `move ${game.moves[0]}, ${board.pieces.length} piece`;|' >>"$site/index.html"
    cp -r "$project/node_modules/millbrain/data" "$site/public/engine"
    (
        cd "$project"
        npm install --silent --no-audit --no-fund "$1"
        npx vite build --logLevel error --base ./ board
        node visit.mjs board/dist ""
    )
}
