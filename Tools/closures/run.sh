#!/usr/bin/env bash
# Builds a program of generated closures, debug and release, and walks from each with fifty type arguments: no walk may end in a
# crash, and each cycle is proven, or else the walk names what it could not analyse. `run.sh [COUNT [SEED]]`.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tools/c_modules.sh

count=${1:-2000} seed=${2:-1}
here=Tools/closures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/shapes"
compile_c_modules "$work/CWeir"
swiftc -swift-version 6 -parse-as-library "$here/Generate.swift" -o "$work/generate"
"$work/generate" "$work/shapes" "$seed" "$count"

# The walker is the same in both; what differs is how the closures are compiled.
swiftc -swift-version 6 -package-name weir -O -wmo -parse-as-library -module-name WeirHeap -I "$work/CWeir" -Xcc -ISources/CWeirCore/include \
    $(find Sources/WeirHeap -name '*.swift' | sort) -c -o "$work/WeirHeap.o" \
    -emit-module -emit-module-path "$work/WeirHeap.swiftmodule"
for flags in -Onone -O; do
    swiftc -swift-version 5 -suppress-warnings -parse-as-library -module-name Closures "$flags" -I "$work/CWeir" -Xcc -ISources/CWeirCore/include -I "$work" \
        "$here"/Program/*.swift "$work"/shapes/*.swift "$work/WeirHeap.o" "$work"/CWeir/*.o -o "$work/closures"
    echo "$flags"
    "$work/closures"
done
