#!/bin/sh
# The viewer without a terminal.
. "${top_srcdir:?}/tests/cli/lib.sh"

cat >"$folder/walk" <<END
# a walk
next-iteration
search softmax
save-screen $folder/screen
END
check "script" run 0 --script="$folder/walk" --size=90x28 "$demo"
check "its screen" grep -q "ProfilerStep#0" "$folder/screen"
check "has the size" test "$(wc -l <"$folder/screen")" -eq 28
printf 'next-iteration\nnonsense\n' >"$folder/bad"
check "a bad command ends it" run 1 --script="$folder/bad" "$demo"
check "with its line" one_line "bad:2: "
printf 'search nothing_is_named_so\n' >"$folder/bad"
check "one that fails, too" run 1 --script="$folder/bad" "$demo"
hostile() {
    esc=$(printf '\033')
    printf '[{"ph":"X","name":"%s]52;c;QQ==\\u0007","cat":"kernel","ts":1,"dur":9}]' "$esc" >"$folder/h.json"
    echo "save-screen $folder/screen" >"$folder/walk"
    run 0 -q --script="$folder/walk" "$folder/h.json" || return 1
    ! grep -q "$esc" "$folder/screen" && ! grep -q "$(printf '\007')" "$folder/screen"
}
check "no escape sequence gets out" hostile
finish
