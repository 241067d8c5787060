#!/usr/bin/env bash
# Says which version this is. With a tag: checks that it names this version.
#   scripts/version.sh [vVERSION]
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n '/^\[workspace.package\]/,/^\[/ s/^version = "\(.*\)"/\1/p' Cargo.toml)
if [ $# -gt 0 ] && [ "$1" != "v$version" ]; then
    echo "The tag $1 is not this version: Cargo.toml says $version." >&2
    exit 1
fi
echo "$version"
