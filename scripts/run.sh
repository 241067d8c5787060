#!/usr/bin/env bash
# Builds and starts Repose in the background, unless it runs, and says what to type next: the app where there is a
# display, else `repose serve`.
set -euo pipefail

if [ -n "${WAYLAND_DISPLAY:-}${DISPLAY:-}" ]; then
    scripts/setup.sh desktop
    cargo build --locked --release -p repose-app --features desktop --bins
    # One that runs already shows its window; a `repose serve` that runs makes room.
    readonly START=(target/release/repose-desktop) AGAIN=yes
else
    echo 'There is no display here, so `repose serve` is started and not the app.'
    cargo build --locked --release -p repose-app --bin repose
    readonly START=(target/release/repose serve) AGAIN=no
fi

readonly PROGRAM=$PWD/target/release/repose
readonly LOG=$PWD/target/serve.log
readonly TRIES=150 # of 0.1 s each: a start takes a fraction of a second; one before it has 10 s to make room

# The process of the runner that answers. Nothing: none does.
runner() { "$PROGRAM" status --json 2>/dev/null | tr -d '\n' | sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' || true; }

before=$(runner)
if [ "$AGAIN" = no ] && [ -n "$before" ]; then
    echo 'Repose is running already:'
else
    nohup "${START[@]}" </dev/null >"$LOG" 2>&1 &
    readonly STARTED=$!
    came=
    for ((try = 1; try <= TRIES; try++)); do
        now=$(runner)
        if [ "$now" = "$STARTED" ]; then
            came='Repose is running now:'
        elif ! kill -0 "$STARTED" 2>/dev/null; then
            # It has told the one that runs to show itself, or it has failed.
            if wait "$STARTED" && [ -n "$now" ]; then came='Repose is running already, and shows itself:'; else break; fi
        fi
        if [ -n "$came" ]; then break; fi
        sleep 0.1
    done
    if [ -z "$came" ] && [ -n "$before" ] && [ "$(runner)" = "$before" ] && kill -0 "$STARTED" 2>/dev/null; then
        came='Repose is running already, as a server that stays (`--stay`); the app shows it:'
    fi
    if [ -z "$came" ]; then
        echo "Repose did not start. Its last words ($LOG):" >&2
        tail -n 20 "$LOG" >&2
        exit 1
    fi
    echo "$came"
fi
"$PROGRAM" status
cat <<TEXT

Type next:
  alias repose=$PROGRAM
  repose add PATH/OF/A/REPO     then   repose ask NAME "…"   or   repose open NAME
  repose ls                     shows every repo; repose doctor says what is missing
  repose console                opens the console in the browser
TEXT
