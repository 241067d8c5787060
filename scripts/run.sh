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
readonly TRIES=100 # of 0.1 s each: a start takes a fraction of a second; adopting holders 2 s each at most

if [ "$AGAIN" = no ] && "$PROGRAM" status >/dev/null 2>&1; then
    echo 'Repose is running already:'
else
    nohup "${START[@]}" </dev/null >"$LOG" 2>&1 &
    serve=$!
    for ((try = 1; ; try++)); do
        "$PROGRAM" status >/dev/null 2>&1 && break
        if ! kill -0 "$serve" 2>/dev/null || [ "$try" -ge "$TRIES" ]; then
            echo "Repose did not start. Its last words ($LOG):" >&2
            tail -n 20 "$LOG" >&2
            exit 1
        fi
        sleep 0.1
    done
    echo 'Repose is running now:'
fi
"$PROGRAM" status
cat <<TEXT

Type next:
  alias repose=$PROGRAM
  repose add PATH/OF/A/REPO     then   repose ask NAME "…"   or   repose open NAME
  repose ls                     shows every repo; repose doctor says what is missing
  repose console                opens the console in the browser
TEXT
