#!/usr/bin/env bash
# Draws every picture in icons/ anew from its SVG. Needs rsvg-convert (Debian: librsvg2-bin); the pictures are kept in
# the repository, so only who changes a drawing runs this.
set -euo pipefail
cd "$(dirname "$0")/../icons"

draw() { rsvg-convert --width "$2" --height "$2" --output "$3" "$1"; }

for size in 32 64 128 256 512; do draw icon.svg "$size" "${size}x${size}.png"; done
for drawing in tray/*.svg; do
    for size in 16 22 32 48; do draw "$drawing" "$size" "${drawing%.svg}-$size.png"; done
done
