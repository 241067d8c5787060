#!/usr/bin/env bash
# Checks the packages in a folder: what is in them, that the .deb installs into an empty root, runs and goes again
# without touching a user's data, and that `repose` needs nothing of a desktop.
#   tests/packages.sh FOLDER
set -euo pipefail

readonly FOLDER=$1
readonly PROGRAMS=(usr/bin/repose usr/bin/repose-desktop usr/bin/repose-window)

fail() {
    printf 'packages: %s\n' "$*" >&2
    exit 1
}
# has LIST WHAT…: every one is in the list.
has() {
    local list=$1 what
    shift
    for what in "$@"; do grep -Eq "(^|/)${what#/}\$" <<<"$list" || fail "$what is missing in: $list"; done
}

deb=$(echo "$FOLDER"/*.deb)
rpm=$(echo "$FOLDER"/*.rpm)
tar=$(echo "$FOLDER"/*.tar.gz)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

has "$(dpkg-deb --fsys-tarfile "$deb" | tar --list)" "${PROGRAMS[@]}" usr/share/applications/Repose.desktop \
    usr/share/icons/hicolor/128x128/apps/repose-desktop.png
dpkg-deb --field "$deb" Depends | grep -q libwebkit2gtk-4.1-0 || fail "the .deb doesn't ask for WebKitGTK"
has "$(tar --list --file "$tar")" bin/repose bin/repose-desktop bin/repose-window share/applications/Repose.desktop
if command -v rpm >/dev/null; then
    has "$(rpm --query --list --package "$rpm" 2>/dev/null)" "${PROGRAMS[@]}" usr/share/applications/Repose.desktop
else
    echo 'packages: the .rpm was not looked into: there is no `rpm` here'
fi

mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/home/me/.local/state/repose"
touch "$root/var/lib/dpkg/status"
echo mine >"$root/home/me/.local/state/repose/state.db"
# Its dependencies are this machine's, not the empty root's.
package() { dpkg --root="$root" --force-not-root --force-depends --log=/dev/null "$@" >/dev/null; }
package --install "$deb"
for program in "${PROGRAMS[@]}"; do [ -x "$root/$program" ] || fail "$program was not installed"; done
"$root/usr/bin/repose" --version >/dev/null || fail "the installed repose doesn't run"
"$root/usr/bin/repose-desktop" --version >/dev/null || fail "the installed repose-desktop doesn't run"
for program in repose repose-desktop; do
    if ldd "$root/usr/bin/$program" | grep -Eq 'webkit|gtk'; then fail "$program loads a toolkit"; fi
done
ldd "$root/usr/bin/repose-window" | grep -q webkit || fail "repose-window has no WebKitGTK"

package --purge "$(dpkg-deb --field "$deb" Package)"
left=$(find "$root" -path "$root/var" -prune -o -path "$root/home" -prune -o -type f -print)
[ -z "$left" ] || fail "left after it was removed: $left"
[ "$(cat "$root/home/me/.local/state/repose/state.db")" = mine ] || fail "it touched a user's data"
echo 'packages: checked'
