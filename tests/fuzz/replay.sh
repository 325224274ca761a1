#!/bin/sh
# Every input that a fuzz target keeps in its corpus goes through that target
# once: what a fuzzer once found stays found.
set -u

folder=${top_srcdir:-.}/tests/fuzz/corpus
count=0
for target in ${FUZZ_TARGETS-}; do
    name=$(basename "$target")
    name=${name#fuzz_}
    [ -d "$folder/$name" ] || continue
    count=$((count + 1))
    if "${top_builddir:-.}/$target" "$folder/$name" >"replay-$name.log" 2>&1; then
        echo "ok $count - $name"
    else
        tail -n 20 "replay-$name.log" | sed 's/^/# /'
        echo "not ok $count - $name"
    fi
    rm -f "replay-$name.log"
done
if [ "$count" -eq 0 ]; then
    echo "1..0 # SKIP no fuzz targets with a corpus here"
else
    echo "1..$count"
fi
