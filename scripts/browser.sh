#!/usr/bin/env bash
# Says where the browser is that the page is tested in; without one, what to install. Playwright drives any Chromium, but
# no snap: a snap sees neither the profile nor the pictures' folder.
set -euo pipefail

for name in chromium google-chrome google-chrome-stable microsoft-edge; do
    path=$(command -v "$name") || continue
    case $(readlink -f "$path") in */snap | /snap/*) continue ;; esac
    echo "$path"
    exit 0
done
echo 'There is no browser here to test the page in. On Debian: apt-get install chromium. On Ubuntu, where Chromium is a snap: the .deb from https://www.google.com/chrome.' >&2
exit 1
