#!/usr/bin/env bash
# Prints where a ttyd is, for the bench to compare with: the one on the path, or one that is built from its source.
# Prints nothing, and says why on stderr, where neither can be had.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly VERSION=1.7.7
readonly SOURCE=https://github.com/tsl0922/ttyd
readonly FOLDER=target/ttyd-$VERSION

skip() {
    echo "ttyd: skipped, $*" >&2
    exit 0
}

if command -v ttyd; then exit 0; fi
if [ ! -x "$FOLDER/build/ttyd" ]; then
    [ "$(id -u)" -eq 0 ] || skip "none is on the path, and building one needs root for its packages"
    rm -rf "$FOLDER"
    git clone --quiet --depth 1 --branch "$VERSION" "$SOURCE" "$FOLDER" 2>/dev/null ||
        skip "none is on the path, and its source can't be fetched from $SOURCE"
    {
        env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            cmake build-essential libwebsockets-dev libjson-c-dev libuv1-dev zlib1g-dev </dev/null &&
            cmake -S "$FOLDER" -B "$FOLDER/build" -DCMAKE_BUILD_TYPE=Release &&
            cmake --build "$FOLDER/build"
    } >"$FOLDER/build.log" 2>&1 || skip "it doesn't build here: $FOLDER/build.log"
fi
realpath "$FOLDER/build/ttyd"
