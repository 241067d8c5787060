#!/usr/bin/env bash
# Checks the licences, versions and sources of every crate that Repose is built from; brings its own cargo-deny.
#   scripts/deny.sh [CHECK…]   (with an open network also: advisories)
set -euo pipefail

readonly VERSION=0.20.2

if [ "$(cargo deny --version 2>/dev/null)" != "cargo-deny $VERSION" ]; then
    cargo install --locked --quiet "cargo-deny@$VERSION"
fi
if [ $# -eq 0 ]; then set -- licenses bans sources; fi
exec cargo deny check --hide-inclusion-graph "$@"
