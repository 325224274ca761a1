#!/bin/sh
# Wrong usage and useless files: one clear line, the right status, nothing on standard
# output.
. "${top_srcdir:?}/tests/cli/lib.sh"

# fails NAME STATUS WORDS ARGUMENT...
fails() {
    name=$1 wanted=$2 words=$3
    shift 3
    check "$name" fails_so "$wanted" "$words" "$@"
}
fails_so() {
    wanted=$1 words=$2
    shift 2
    run "$wanted" "$@" && one_line "$words" && [ ! -s "$folder/out" ]
}

: >"$folder/empty.json"
echo '<html><body>login</body></html>' >"$folder/page.json"
head -c 5000 /dev/urandom | tr '{' '.' >"$folder/binary"
echo '{"a": 1}' >"$folder/other.json"
printf '{"schemaVersion": 1, "traceEv' >"$folder/cut.json"
mkdir "$folder/none"
esc=$(printf '\033')

fails "no trace" 2 "no trace"
fails "unknown option" 2 "nonsense" --nonsense
fails "bad report" 2 "xyz" -r xyz "$demo"
fails "missing value" 2 "-r" -r
fails "bad window" 2 "5" -r info -w 5 "$demo"
fails "bad time" 2 "1q" -r info -w 1q.. "$demo"
fails "bad pattern" 2 "(" -r slices -m '(' "$demo"
fails "no such iteration" 2 "99" -r info -i 99 "$demo"
fails "no terminal" 2 "-r" "$demo"
fails "missing file" 1 "nowhere.json" -r info "$folder/nowhere.json"
fails "folder without traces" 1 "none" -r info "$folder/none"
fails "empty file" 1 "empty" -r info "$folder/empty.json"
fails "page" 1 "not JSON" -r info "$folder/page.json"
fails "binary" 1 "not JSON" -r info "$folder/binary"
fails "other JSON" 1 "no trace events" -r info "$folder/other.json"
fails "cut before the events" 1 "cut off" -r info "$folder/cut.json"
fails "device" 1 "device" -r info /dev/zero
fails "hostile file name" 1 "2J" -r info "$folder/${esc}[2J"
check "no escape of a file name gets out" sh -c "! grep -q '$esc' '$folder/err'"
if [ "$(id -u)" -ne 0 ]; then
    cp "$demo" "$folder/secret.json.gz"
    chmod 000 "$folder/secret.json.gz"
    fails "unreadable file" 1 "ermission" -r info "$folder/secret.json.gz"
fi
check "help" run 0 --help
check "version" run 0 -V
finish
