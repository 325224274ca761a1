#!/bin/sh
# Reports and exports from the command line: statuses, pipes, files.
. "${top_srcdir:?}/tests/cli/lib.sh"

gzip -dc "$demo" >"$folder/demo.json"
head -c 700000 "$folder/demo.json" >"$folder/cut.json"

for kind in info summary iterations gaps slices launches breakdown averages; do
    for format in text json csv; do
        check "$kind as $format" run 0 -r $kind -f $format "$demo"
    done
done
check "diff" run 0 -r diff -f json "$demo" "$folder/demo.json"

check "damage is told" run 0 -r info "$folder/cut.json"
check "with its place" grep -q "cut.json:[0-9]*:[0-9]*: warning: .*(byte [0-9]*)$" "$folder/err"
check "not with -q" run 0 -q -r info "$folder/cut.json"
check "nothing on standard error" test ! -s "$folder/err"
check "an error with --strict" run 1 --strict -r info "$folder/cut.json"
check "no error without damage" run 0 --strict -r info "$demo"

pipe() {
    "$spytop" -r slices -f csv "$demo" 2>"$folder/err" | head -1 >"$folder/out"
    [ ! -s "$folder/err" ] && [ -s "$folder/out" ]
}
check "a reader may leave" pipe
same_input() {
    "$spytop" -r summary -f json - <"$demo" >"$folder/a" &&
        cat "$demo" | "$spytop" -r summary -f json - >"$folder/b" &&
        "$spytop" -r summary -f json "$folder/demo.json" >"$folder/c" &&
        cmp "$folder/a" "$folder/b" && cmp "$folder/a" "$folder/c"
}
check "file, pipe and plain text give the same" same_input
same_threads() {
    "$spytop" -t 1 -r info -f json "$folder/cut.json" >"$folder/a" 2>/dev/null &&
        "$spytop" -t 4 -r info -f json "$folder/cut.json" >"$folder/b" 2>/dev/null &&
        cmp "$folder/a" "$folder/b"
}
check "threads make no difference" same_threads

check "output to a file" run 0 -r summary -f json -o "$folder/report.json" "$demo"
check "which is there" test -s "$folder/report.json"
check "not over the trace" run 1 -r summary -o "$folder/demo.json" "$folder/demo.json"
check "the trace is whole" run 0 --strict -r info "$folder/demo.json"
if [ -e /dev/full ]; then
    check "a full disk is an error" run 1 -r slices -o /dev/full "$demo"
fi

check "export" run 0 -x "$folder/part.json" -i 2 "$demo"
check "is a valid trace" run 0 --strict -r info "$folder/part.json"
check "export packed" run 0 -x "$folder/part.json.gz" -i 2 "$demo"
check "is a valid trace too" run 0 --strict -r info "$folder/part.json.gz"
check "not over a file" run 1 -x "$folder/part.json" -i 3 "$demo"
check "unless told to" run 0 --force -x "$folder/part.json" -i 3 "$demo"
check "never over the source" run 1 --force -x "$folder/demo.json" -i 3 "$folder/demo.json"
check "no rest is left" sh -c "! ls '$folder' | grep -q 'json\..*\.......$'"

mkdir "$folder/run"
cp "$demo" "$folder/run/host_1.1700000000000.pt.trace.json.gz"
check "a folder" run 0 -r info "$folder/run"
# The sample lies beside a program built in the source tree, or where it is installed.
if [ -e "$(dirname "$spytop")/data/demo.json.gz" ]; then
    check "the sample" run 0 -r info --demo
else
    check "the sample is missed in one line" run 1 -r info --demo
fi
finish
