# What the tests of the command line share. TAP: `ok`, `not ok`, the plan at the end.
set -u
count=0
failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
spytop=${SPYTOP:?}
demo=${top_srcdir:?}/data/demo.json.gz

# check NAME COMMAND...: passes if the command succeeds.
check() {
    name=$1
    shift
    count=$((count + 1))
    if "$@" >"$folder/check.log" 2>&1; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        sed 's/^/# /' "$folder/check.log"
        failed=1
    fi
}

# run STATUS ARGUMENT...: spytop with these arguments ends with that status; what it
# prints is in $folder/out and $folder/err.
run() {
    expected=$1
    shift
    status=0
    "$spytop" "$@" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    [ "$status" -eq "$expected" ] && return 0
    echo "spytop $*: status $status, not $expected"
    cat "$folder/err"
    return 1
}

# Standard error is one line that holds the words (then, for wrong usage, the hint).
one_line() {
    [ "$(grep -vc "^Try 'spytop --help'\.$" "$folder/err")" -eq 1 ] && grep -q -- "$1" "$folder/err"
}

finish() {
    echo "1..$count"
    exit "$failed"
}
