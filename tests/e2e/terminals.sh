#!/bin/sh
# All kinds of terminals and sizes.
. "${top_srcdir:?}/tests/e2e/lib.sh"

for term in xterm-256color screen linux vt100; do
    if ! infocmp "$term" >/dev/null 2>&1; then
        echo "# no description of $term here"
        continue
    fi
    start 80x24 $term "'$spytop' '$demo'"
    check "$term: opens" shows "5486 events"
    keys "]" 5
    check "$term: works" shows "ProfilerStep#0"
    keys q
    check "$term: quits" ended 0
done
start 80x24 dumb "'$spytop' '$demo'"
check "dumb: is refused with a hint" shows "reports"
check "dumb: status" ended 2

start 80x24 xterm-256color "LC_ALL=C '$spytop' '$demo'"
check "C locale: opens" shows "5486 events"
check "C locale: ASCII only" sh -c "! LC_ALL=C grep -q '[^ -~]' <<END
$(screen)
END"
keys q
check "C locale: quits" ended 0

start 80x24 xterm-256color "NO_COLOR=1 '$spytop' '$demo'"
check "NO_COLOR: opens" shows "5486 events"
check "NO_COLOR: no colour is set" sh -c "! tmux -S '$socket' capture-pane -p -e | grep -q '38;5\|48;5'"
keys q
check "NO_COLOR: quits" ended 0

for size in 40x10 250x80; do
    start $size xterm-256color "'$spytop' '$demo'"
    check "$size: opens" shows "5486 events"
    keys "]"
    check "$size: iterates" shows "ProfilerStep#0"
    keys q
    check "$size: quits" ended 0
done
start 30x6 xterm-256color "'$spytop' '$demo'"
check "too small: says so" shows "too small"
tm resize-window -x 100 -y 30
check "and goes on when it grows" shows "5486 events"
for i in 1 2 3 4 5 6 7 8 9; do
    tm resize-window -x $((50 + i * 9)) -y $((12 + i * 3))
done
tm resize-window -x 90 -y 28
check "resize storm" shows "5486 events"
keys q
check "quits after it" ended 0
finish
