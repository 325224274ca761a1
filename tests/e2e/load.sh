#!/bin/sh
# While a trace is being read, and after it was: progress, pipes, thrift, hostile names.
. "${top_srcdir:?}/tests/e2e/lib.sh"

"${GEN_TRACE:?}" --size=40M -o "$folder/big.json"

# A pipe that stops halfway: the load is under way as long as the test wants.
mkfifo "$folder/slow"
(
    head -c 20000000 "$folder/big.json"
    cat "$folder/more" >/dev/null
    tail -c +20000001 "$folder/big.json"
) >"$folder/slow" 2>/dev/null &
mkfifo "$folder/more"
start 80x24 xterm-256color "'$spytop' '$folder/slow'"
check "progress is shown" shows "reading:"
tm resize-window -x 100 -y 30
check "also after a resize" shows "reading:"
keys q
echo >"$folder/more"
check "q ends the load" ended 0

start 80x24 xterm-256color "cat '$folder/big.json' | '$spytop' -"
check "a trace from standard input" shows "Kernels"
keys "]"
check "with keys from the terminal" shows "1/"
keys q
check "quits" ended 0

start 80x24 xterm-256color "'$spytop' '$folder/none.json'"
check "a missing file" shows "No such file"
check "has its status" ended 1

start 100x30 xterm-256color "'$spytop' '$demo'"
check "the sample" shows "5486 events"
sleep 1
before=$(wc -c <"$folder/raw")
sleep 3
check "nothing is sent while nothing changes" test "$(wc -c <"$folder/raw")" -eq "$before"
keys j
sleep 1
sent=$(($(wc -c <"$folder/raw") - before))
echo "# a cursor key sends $sent bytes"
check "a cursor key sends little" test "$sent" -le 1500
keys q
check "quits too" ended 0

esc=$(printf '\033')
printf '[{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"%s[2Jt"}},
{"ph":"X","cat":"kernel","name":"%s]52;c;UUU\\u0007 \\u001b[31m","pid":1,"tid":1,"ts":1,"dur":9,
"args":{"%s[5m":"%s]0;title\\u0007"}}]' "$esc" "$esc" "$esc" "$esc" >"$folder/h${esc}]0;name.json"
start 100x30 xterm-256color "'$spytop' '$folder/h${esc}]0;name.json'"
check "hostile names" shows "52;c;UUU"
keys . 5 Tab G k k k
check "hostile arguments" shows "0;title"
check "no sequence of the trace gets out" sh -c "! grep -q -e '$esc]52' -e '$esc]0;' -e '${esc}.2Jt' -e '$esc.5m' '$folder/raw'"
keys q
check "quits as well" ended 0
finish
