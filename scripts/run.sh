#!/usr/bin/env bash
# Starts `repose serve` in the background, unless one runs, and says what to type next.
set -euo pipefail

readonly PROGRAM=$PWD/target/release/repose
readonly LOG=$PWD/target/serve.log
readonly TRIES=100 # of 0.1 s each: a start takes a fraction of a second; adopting holders 2 s each at most

if "$PROGRAM" status >/dev/null 2>&1; then
    echo 'Repose is running already:'
else
    nohup "$PROGRAM" serve </dev/null >"$LOG" 2>&1 &
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
TEXT
