#!/usr/bin/env bash
# Builds what is handed out into target/packages: a .deb, an .rpm and a .tar.gz, each with `repose`, `repose-desktop` and
# `repose-window`; then checks them. The page must be built (`make package` does both).
#   scripts/package.sh [--debug]   (of the development build: quick, to try the packaging itself)
# An AppImage is configured in tauri.conf.json too, and is built where its tools are.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly OUT=target/packages
readonly CLI=scripts/package/node_modules/.bin/tauri

npm ci --prefix scripts/package --prefer-offline --no-audit --no-fund --loglevel=error
if [ "${1:-}" = --debug ]; then
    "$CLI" build --ci --debug --bundles deb,rpm -- --locked
    built=target/debug
else
    "$CLI" build --ci --bundles deb,rpm -- --locked --profile dist
    built=target/dist
fi

rm -rf "$OUT"
mkdir -p "$OUT"
version=$(scripts/version.sh)
cp "$built"/bundle/deb/*"$version"*.deb "$built"/bundle/rpm/*"$version"*.rpm "$OUT"

name=repose-$version-$(uname -m)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/$name/bin" "$tree/$name/share/applications"
cp "$built"/{repose,repose-desktop,repose-window} "$tree/$name/bin"
cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$tree/$name"
for size in 32 64 128 256 512; do
    folder=$tree/$name/share/icons/hicolor/${size}x$size/apps
    mkdir -p "$folder"
    cp "icons/${size}x$size.png" "$folder/repose-desktop.png"
done
cat >"$tree/$name/share/applications/Repose.desktop" <<'ENTRY'
[Desktop Entry]
Type=Application
Name=Repose
Comment=Keeps coding agents in your repos, and gives their memory back
Exec=repose-desktop
Icon=repose-desktop
Categories=Development;
StartupWMClass=repose-desktop
Terminal=false
ENTRY
tar --create --gzip --owner=0 --group=0 --directory "$tree" --file "$OUT/$name.tar.gz" "$name"

tests/packages.sh "$OUT"
(cd "$OUT" && sha256sum -- *.deb *.rpm *.tar.gz >SHA256SUMS)
ls -l "$OUT"
