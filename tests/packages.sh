#!/usr/bin/env bash
# Checks the packages in a folder: what is in them, that each installs into an empty root and runs from there, that the
# .deb asks for every library and goes again without touching a user's data, and that `repose` needs nothing of a desktop.
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

# runs FOLDER: the programs there run, and each loads what it should.
runs() {
    local program
    for program in repose repose-desktop; do
        "$1/$program" --version >/dev/null || fail "$1/$program doesn't run"
        if ldd "$1/$program" | grep -Eq 'webkit|gtk'; then fail "$program loads a toolkit"; fi
    done
    ldd "$1/repose-window" | grep -q webkit || fail "repose-window has no WebKitGTK"
}

# asked_for PACKAGE…: what these packages bring along, with themselves.
asked_for() {
    local -A seen=()
    local next=("$@") package
    while [ ${#next[@]} -gt 0 ]; do
        package=${next[-1]}
        unset 'next[-1]'
        [ -z "${seen[$package]:-}" ] || continue
        seen[$package]=1
        mapfile -t -O "${#next[@]}" next < <(dpkg-query --show --showformat '${Depends}\n${Pre-Depends}\n' "$package" 2>/dev/null |
            tr ',|' '\n' | sed 's/^ *//; s/[ :(].*//; /^$/d')
    done
    printf '%s\n' "${!seen[@]}"
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
    # Its dependencies are this machine's, which knows none of them by Fedora's names.
    rpm --root "$root/rpm" --initdb
    rpm --root "$root/rpm" --install --nodeps --noscripts --nosignature --ignorearch "$rpm" 2>/dev/null
    runs "$root/rpm/usr/bin"
else
    echo 'packages: the .rpm was not looked into: there is no `rpm` here'
fi
mkdir "$root/tar"
tar --extract --file "$tar" --directory "$root/tar" --strip-components 1
runs "$root/tar/bin"

# Every library that a program names is in a package that the .deb asks for, or that one of those does.
mapfile -t depends < <(dpkg-deb --field "$deb" Depends | tr ',|' '\n' | sed 's/^ *//; s/[ :(].*//; /^$/d')
asked=$(asked_for "${depends[@]}" libc6)
for library in $(for program in repose repose-desktop repose-window; do readelf --dynamic "$root/tar/bin/$program"; done |
    sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u); do
    # More than one package may have it, and a package that is missing here is none of them.
    owners=$(dpkg --search "*/$library" 2>/dev/null | sed -n 's/:.*//p' | tr -d ' ' | tr ',' '\n' | sort -u) || true
    grep -Fxq -f <(printf '%s\n' "${owners:-none}") <<<"$asked" ||
        fail "the .deb doesn't ask for $library (in ${owners:-no package})"
done

mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/home/me/.local/state/repose"
touch "$root/var/lib/dpkg/status"
echo mine >"$root/home/me/.local/state/repose/state.db"
# Its dependencies are this machine's, not the empty root's.
package() { dpkg --root="$root" --force-not-root --force-depends --log=/dev/null "$@" >/dev/null; }
package --install "$deb"
for program in "${PROGRAMS[@]}"; do [ -x "$root/$program" ] || fail "$program was not installed"; done
runs "$root/usr/bin"
if command -v desktop-file-validate >/dev/null; then
    desktop-file-validate "$root/usr/share/applications/Repose.desktop" "$root/tar/share/applications/Repose.desktop"
else
    echo 'packages: the desktop entries were not validated: there is no `desktop-file-validate` here'
fi

package --purge "$(dpkg-deb --field "$deb" Package)"
left=$(find "$root" \( -path "$root/var" -o -path "$root/home" -o -path "$root/rpm" -o -path "$root/tar" \) -prune -o -type f -print)
[ -z "$left" ] || fail "left after it was removed: $left"
[ "$(cat "$root/home/me/.local/state/repose/state.db")" = mine ] || fail "it touched a user's data"
echo 'packages: checked'
