#!/bin/sh
# Opens the sample, walks its iterations, searches, zooms, exports, quits.
. "${top_srcdir:?}/tests/e2e/lib.sh"

for size in 80x24 120x40; do
    rm -f "$folder/out.json"
    start $size xterm-256color "'$spytop' '$demo'"
    check "$size: opens" shows "5486 events"
    check "$size: has a table" shows "Kernels"
    keys "]"
    check "$size: first iteration" shows "1/8"
    keys "]" "]"
    check "$size: third iteration" shows "3/8"
    keys "["
    check "$size: back to the second" shows "2/8"
    keys + + 3
    check "$size: table of iterations" shows "to median"
    keys / softmax Enter 6
    check "$size: search" shows "aten::softmax"
    keys n n 5
    check "$size: event" shows "category"
    keys "?"
    check "$size: help" shows "pan a tenth"
    keys q
    check "$size: leaves the help" gone "pan a tenth"
    keys x
    check "$size: asks for a name" shows "export to"
    keys C-u
    keys -l "$folder/out.json"
    keys Enter
    check "$size: exports" shows "wrote "
    check "$size: a valid trace" "$spytop" --strict -q -r info "$folder/out.json"
    keys x C-u
    keys -l "$folder/out.json"
    keys Enter
    check "$size: asks before replacing" shows "replace it"
    keys n
    check "$size: and does not" shows "not written"
    keys q
    check "$size: quits, terminal as before" ended 0
done
finish
