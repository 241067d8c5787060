#!/usr/bin/env bash
# Installs what building Repose needs on Debian and Ubuntu, and checks for Rust and Node. Never asks anything.
#   scripts/setup.sh [desktop] [desktop-tests] [packages] [browser] [beside]
# A C compiler is for SQLite; Node builds the console's page and brings the real agent programs that the tests drive.
# `desktop` is what the app's window is built with, `desktop-tests` a screen, a bus and a driver for it, `packages` what looks
# into packages,
# `browser` what the console's page is tested in, `beside` what the bench compares it with: the one part that may be missing.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly RUST_NEEDED=1.95
readonly NODE_NEEDED=20.19

say() { printf 'setup: %s\n' "$*" >&2; }
stop() {
    say "$*"
    exit 1
}
# at_least HAVE NEED: compares versions.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

installed() { dpkg-query --show --showformat='${Status}\n' "$1" 2>/dev/null | grep -q ' installed$'; }

# can_install PACKAGE: whether it can be had without asking anybody.
can_install() {
    { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; } && apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'
}

missing=()
for part in "$@"; do
    case $part in
    desktop) wanted=(libwebkit2gtk-4.1-dev pkg-config) ;;
    desktop-tests) wanted=(xvfb dbus-daemon webkit2gtk-driver openbox xdotool wmctrl imagemagick x11-utils x11-xkb-utils xfce4-panel xfconf) ;;
    packages) wanted=(rpm desktop-file-utils) ;;
    browser)
        wanted=()
        if ! scripts/browser.sh >/dev/null 2>&1; then
            # Where that package is a snap it can't be used.
            if grep -qs '^ID=debian$' /etc/os-release; then wanted=(chromium); else stop "$(scripts/browser.sh 2>&1)"; fi
        fi
        ;;
    beside)
        wanted=()
        if ! command -v ttyd >/dev/null; then
            if can_install ttyd; then wanted=(ttyd); else say "ttyd isn't packaged here, or only root may install it: the bench goes without it"; fi
        fi
        ;;
    *) stop "There is no part $part: desktop, desktop-tests, packages, browser, beside." ;;
    esac
    for package in "${wanted[@]}"; do
        installed "$package" || missing+=("$package")
    done
done
command -v cc >/dev/null || missing+=(build-essential)
command -v git >/dev/null || missing+=(git)
if [ ${#missing[@]} -gt 0 ]; then
    command -v apt-get >/dev/null || stop "Missing here: ${missing[*]}. Install them, then run this again (only Debian and Ubuntu are done for you)."
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || stop "Missing here: ${missing[*]}. Run: sudo apt-get install -y ${missing[*]}"
        as_root=(sudo -n)
    fi
    say "installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >/dev/null
fi

command -v cargo >/dev/null || stop "Rust $RUST_NEEDED or newer is needed and there is no cargo on the path: https://rustup.rs"
rust=$(rustc --version | cut -d ' ' -f 2)
at_least "$rust" "$RUST_NEEDED" || stop "Rust $RUST_NEEDED or newer is needed; this is $rust. With rustup: rustup update stable"

command -v npm >/dev/null || stop "Node $NODE_NEEDED or newer with npm is needed and there is no npm on the path: https://nodejs.org"
node=$(node --version)
at_least "${node#v}" "$NODE_NEEDED" || stop "Node $NODE_NEEDED or newer is needed; this is $node."
