#!/bin/sh
# Whatever ends the program, the terminal is as it was.
. "${top_srcdir:?}/tests/e2e/lib.sh"

program() {
    tries=0
    while [ $tries -lt 100 ]; do
        pid=$(pgrep -n -f "^$spytop ")
        [ -n "$pid" ] && break
        tries=$((tries + 1))
        sleep 0.1
    done
    echo "$pid"
}

for named in TERM:15 HUP:1 INT:2 QUIT:3 SEGV:11 ABRT:6; do
    signal=${named%:*} number=${named#*:}
    start 80x24 xterm-256color "ulimit -c 0; '$spytop' '$demo' 2>/dev/null"
    check "$signal: opens" shows "5486 events"
    kill -"$number" "$(program)"
    check "$signal: ends by it, terminal as before" ended $((128 + number))
done

start 80x24 xterm-256color "exec sh -i"
tm send-keys "PS1='prompt: '; '$spytop' '$demo'" Enter
check "under a shell" shows "5486 events"
keys C-z
check "Ctrl-Z suspends" shows "prompt:"
keys fg Enter
check "fg brings it back" shows "5486 events"
keys q
check "and it quits" gone "5486 events"
finish
