#!/usr/bin/env bash
# Everything that is tested, part by part; the first part that fails stops the rest. A part whose system packages can't be
# installed here is left out, with a word; not in CI, where nothing may be left out.
set -euo pipefail
cd "$(dirname "$0")/.."

# part PACKAGES…: runs `make PART`, which those parts of setup.sh are for.
left_out=()
part() {
    local part=$1
    shift
    printf '\n== make %s\n' "$part"
    if [ $# -gt 0 ] && ! scripts/setup.sh "$@"; then
        [ -z "${CI:-}" ] || exit 1
        left_out+=("$part")
        return
    fi
    make --no-print-directory "$part"
}

part rust
part e2e browser
part app desktop desktop-tests
for part in "${left_out[@]}"; do
    printf 'SKIPPED: `make %s`, since what it needs could not be installed (setup.sh said why above).\n' "$part"
done
