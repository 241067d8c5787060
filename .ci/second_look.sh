# Looks at what failed once more. `run` sources it, and so does its test (tests/second_look.rs).
# `log` names the file that has what the last command said.

step() { printf '\n== %s\n' "$*"; "$@"; }

logged() { "$@" 2>&1 | tee "$log"; }

# What that log says of what failed. Each of these prints a line for each.

# rust_failed: tests of Rust's, by name.
rust_failed() { sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$log" | sed 's/ - should panic$//' | sort -u; }

# Node's, in TAP: which escapes two characters, and names a file that broke outside its stories by its path.
tap_failed() { sed -n 's/^not ok [0-9]* - //p' "$log" | sed 's/\\\([\\#]\)/\1/g' | sort -u; }

# stories_failed: stories of the page, by name.
stories_failed() { tap_failed | while IFS= read -r name; do [[ -f $name ]] || printf '%s\n' "$name"; done; }

# files_failed: files of stories that broke as a whole. Which of their stories ran can't be told.
files_failed() { tap_failed | while IFS= read -r name; do [[ ! -f $name ]] || printf '%s\n' "$name"; done; }

# broke_off: programs of tests that ended otherwise than by telling which failed, which is status 101.
broke_off() { sed -n '/(exit status: 101)/d; s/^ *process didn.t exit successfully: //p' "$log"; }

# passed: how many tests passed, of all kinds.
passed() {
    sed -n 's/^test result: .* \([0-9]*\) passed;.*/\1/p; s/^# pass \([0-9]*\)$/\1/p' "$log" | awk '{ sum += $1 } END { print sum + 0 }'
}

# as_pattern: names on lines, as one pattern that matches those alone.
as_pattern() { sed 's/[][\\.*^$+?(){}|/]/\\&/g' | paste -sd'|' | sed 's/.*/^(&)$/'; }

# second_look COUNT COMMAND…: it has to pass, and with so many tests at least: a look that ran none of them saw nothing.
second_look() {
    local count=$1
    shift
    step logged "$@"
    (($(passed) >= count)) && return
    printf '\n== The second look ran %s of %s tests\n' "$(passed)" "$count"
    return 1
}

# last_part: the part of `make test` that ran last: `rust`, `e2e` or `app`.
last_part() { sed -n 's/^== make //p' "$log" | tail -n 1; }

# go_on PART: looks again at this part, which failed, and runs what comes after it.
go_on() {
    local failed=${1:-} part after=
    for part in rust e2e app; do
        if [[ -n $after ]]; then
            step logged make "$part" || again "$part"
        elif [[ $part == "$failed" ]]; then
            again "$part"
            after=yes
        fi
    done
    # It broke before its first part.
    [[ -n $after ]] || step make test
}

# A failure is looked at twice: one that doesn't come back is a flaky test, and the log says so for who mends it. The
# failed ones alone run again. Where the log doesn't name what failed, all of the part runs again.
again() {
    local part=$1 tests stories files broken
    mapfile -t tests < <(rust_failed)
    mapfile -t stories < <(stories_failed)
    mapfile -t files < <(files_failed)
    mapfile -t broken < <(broke_off)
    printf '\n== FAILED ONCE: looking again at\n'
    printf '%s\n' "${broken[@]}" "${tests[@]}" "${files[@]}" "${stories[@]}"
    if ((${#broken[@]} + ${#files[@]} > 0 || ${#tests[@]} + ${#stories[@]} == 0)); then
        step make "$part"
    elif [[ $part == rust ]]; then
        second_look ${#tests[@]} cargo test --locked --workspace -- --exact "${tests[@]}"
    elif [[ $part == app ]]; then
        second_look ${#tests[@]} make app ONLY="--exact ${tests[*]}"
    else
        STORIES=$(printf '%s\n' "${stories[@]}" | as_pattern) second_look ${#stories[@]} make e2e
    fi
    printf '\n== FLAKY: what failed in the first look passed in the second\n'
}
