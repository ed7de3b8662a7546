# shellcheck shell=bash
# A container image of the server and the page.

image() {
    say "a container image"
    debian buildah || { echo "not installed: buildah" >&2 && exit 1; }
    packed
    built_for_browsers
    local context store file=$PWD/$offered/millbrain-$version-x86_64-image.tar name=millbrain:$version
    context=$(unpack x86_64-linux)
    store=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$store'" EXIT
    cp -r web/page/dist "$context/page"
    mkdir "$context/data"
    chmod -R u=rwX,go=rX "$context"
    local buildah=(buildah --storage-driver vfs --root "$store/root" --runroot "$store/run")
    "${buildah[@]}" build --quiet --isolation chroot --timestamp "$SOURCE_DATE_EPOCH" --tag "$name" \
        --label org.opencontainers.image.version="$version" --label org.opencontainers.image.revision="$commit" \
        --label org.opencontainers.image.licenses="MIT OR Apache-2.0" --file scripts/release-steps/Containerfile "$context" >/dev/null
    rm -f "$file" "$file.gz"
    "${buildah[@]}" push --quiet "$name" "oci-archive:$file:$name" 2>/dev/null
    # The layers in it are packed.
    ls -l "$file"
    [ "$(stat -c %s "$file")" -le 40000000 ] || { echo "expected 40 MB at most" >&2 && exit 1; }
    try_image "$store" "$file"
}

# Runs an image from its file alone: STORE FILE
try_image() {
    local buildah=(buildah --storage-driver vfs --root "$1/tried" --runroot "$1/run-tried") container server said=$1/said
    container=$("${buildah[@]}" from "oci-archive:$2" 2>/dev/null)
    "${buildah[@]}" inspect --format '{{.OCIv1.Config.User}} runs {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}' "$container"
    # The command of the image, at a port that is free here.
    "${buildah[@]}" run --isolation chroot "$container" -- /millbrain serve --address 127.0.0.1:0 --page /page \
        --archive /data/games.sqlite 2>"$said" &
    server=$!
    ask "$said" / /api/games
    # It runs as the user of the image, and ends when it is asked to.
    local process=$server child
    while child=$(pgrep -P "$process"); do process=$child; done
    ps -o uid=,args= -p "$process"
    kill -TERM "$process"
    wait $server
}
