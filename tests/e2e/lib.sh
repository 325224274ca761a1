# What the tests in a terminal share: a tmux server of their own, waiting for what is to
# be seen, TAP.
set -u
command -v tmux >/dev/null || {
    echo "tmux is not installed"
    exit 77
}
count=0
failed=0
folder=$(mktemp -d)
server=0
socket=$folder/tmux
spytop=${SPYTOP:?}
demo=${top_srcdir:?}/data/demo.json.gz
locale=$(locale -a 2>/dev/null | grep -i -m1 -E '^(C|en_US)\.utf-?8$' || true)
LC_ALL=${locale:-C}
export LC_ALL
unset NO_COLOR
trap 'tm kill-server 2>/dev/null; rm -rf "$folder"' EXIT

tm() {
    tmux -S "$socket" -f /dev/null "$@"
}

# start SIZE TERM COMMAND: in a new terminal; the command's status and the terminal's
# settings are shown after it.
start() {
    tm kill-server 2>/dev/null
    # A server of its own each time: the old one may still be on its way out.
    server=$((server + 1))
    socket=$folder/tmux$server
    size=$1 term=$2
    shift 2
    : >"$folder/raw"
    cat >"$folder/run" <<END
stty -a >"$folder/before"
until [ -e "$folder/go" ]; do sleep 0.05; done
TERM=$term; export TERM
$*
echo "status \$?" >"$folder/status"
stty -a >"$folder/after"
echo finished
exec sleep 1000
END
    rm -f "$folder/status" "$folder/after" "$folder/go"
    tm new-session -d -x "${size%x*}" -y "${size#*x}" "exec sh '$folder/run'"
    tm pipe-pane -o "cat >>'$folder/raw'"
    : >"$folder/go"
}

screen() {
    tm capture-pane -p
}

# shows TEXT: waits (up to half a minute) for it to be on the screen.
shows() {
    tries=0
    while [ $tries -lt 300 ]; do
        screen | grep -q -- "$1" && return 0
        tries=$((tries + 1))
        sleep 0.1
    done
    echo "'$1' is not on the screen:"
    screen
    return 1
}

# gone TEXT: waits for it to leave the screen.
gone() {
    tries=0
    while [ $tries -lt 300 ]; do
        screen | grep -q -- "$1" || return 0
        tries=$((tries + 1))
        sleep 0.1
    done
    echo "'$1' is still on the screen:"
    screen
    return 1
}

keys() {
    tm send-keys "$@"
}

# ended STATUS: the program has ended with it, and the terminal is as it was.
ended() {
    tries=0
    while [ $tries -lt 300 ] && [ ! -s "$folder/after" ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    grep -qx "status $1" "$folder/status" || {
        cat "$folder/status"
        return 1
    }
    # The size may have changed meanwhile.
    for when in before after; do
        sed 's/rows [0-9]*; columns [0-9]*;//' "$folder/$when" >"$folder/$when.settings"
    done
    cmp "$folder/before.settings" "$folder/after.settings" || return 1
    [ "$(tm display-message -p '#{alternate_on}')" = 0 ]
}

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

finish() {
    echo "1..$count"
    exit "$failed"
}
