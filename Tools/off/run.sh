#!/usr/bin/env bash
# Builds an app with and without the trait `Recording`, and checks that without it nothing of the recorder, the heap walker and the
# environment's variables is left, and that the app prints the same. Takes about five minutes; `nm` and `strip` must be there.
set -euo pipefail
cd "$(dirname "$0")/../.."

app=Tools/off/App
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# build SIDE CONFIGURATION: prints the path of the program.
build() {
    local without=0 options
    [ "$1" = without ] && without=1
    options=(-c "$2" --package-path "$app" --scratch-path "$PWD/.build/off-$1")
    WITHOUT_RECORDING=$without swift build "${options[@]}" >"$work/$1-$2.log" 2>&1 || { cat "$work/$1-$2.log" >&2; return 1; }
    echo "$(WITHOUT_RECORDING=$without swift build "${options[@]}" --show-bin-path 2>/dev/null)/shop"
}

echo 'the app, in Swift 6 mode, isolated to the main actor by default:'
debug=$(build with debug)
echo '  debug, with the trait: built'
with=$(build with release)
echo '  release, with the trait: built'
without=$(build without release)
echo '  release, without the trait: built'

for program in "$debug" "$with" "$without"; do "$program"; done >"$work/all"
"$without" >"$work/without"
for program in "$debug" "$with"; do
    "$program" | diff - "$work/without" >"$work/difference" || { fail "$program prints something else:"; cat "$work/difference"; }
done
echo "all three print the same $(wc -l <"$work/without") lines"

# What must not be there, in readable symbols. Each pattern must be found with the trait, or it would check nothing.
patterns=(
    'the trace file' '\bWeirTrace\b'
    'the heap walker' '\bWeirHeap\b|HeapProbe|ForkedWalk|WalkingChild|PinnedRoots|PendingSnapshots|visitHeapReferences'
    'the registries' '\bWeir\.(Registry|LiveRegistry|TrackedObject|AdoptedModels|ModelWalk|ReleaseWatch|LeftOut\w+)'
    'the recorder' '\bWeir\.(ThreadLog|EndFrame|TaskHop|CallbackProbes|ForkHandlers)|[Rr]ecord(ed|s|ing)?[A-Z(]|\w+Recorded\b'
    'what follows observable models' '\bWeir\.(PropertyNode|Property|ModelRecord|ModelRecords|ViewBodies|AccessList)\b'
    'the environment' 'Bootstrap|TraceEnvironment|EnvironmentError|weir_environment'
)
for side in with without; do nm "${!side}" | swift demangle >"$work/$side.symbols"; done
# The C functions that only recording needs have no prefix of their own.
nm "$(dirname "$with")"/CWeir.build/*.o | awk 'NF == 3 && $2 ~ /[A-Z]/ && $2 != "U" { print $3 }' | grep weir_ | sort -u >"$work/c"

printf '\n%-34s %8s %8s\n' 'symbols' 'with' 'without'
row() {
    printf '%-34s %8d %8d\n' "$1" "$2" "$3"
    [ "$2" -gt 0 ] || fail "with the trait, the pattern for $1 finds nothing"
    [ "$3" -eq 0 ] || { fail "$3 symbols of $1 are left:"; head -10 "$work/found"; }
}
for ((index = 0; index < ${#patterns[@]}; index += 2)); do
    for side in with without; do
        grep -E "${patterns[index + 1]}" "$work/$side.symbols" >"$work/found" || :
        declare "count_$side=$(wc -l <"$work/found")"
    done
    row "${patterns[index]}" "$count_with" "$count_without"
done
for side in with without; do
    awk '{ print $NF }' "$work/$side.symbols" | grep -Fxf "$work/c" >"$work/found" || :
    declare "count_$side=$(wc -l <"$work/found")"
done
row 'C functions of the recorder' "$count_with" "$count_without"
for side in with without; do
    grep -aoE 'WEIR_[A-Z]+' "${!side}" >"$work/found" || :
    declare "count_$side=$(wc -l <"$work/found")"
done
row 'texts WEIR_…' "$count_with" "$count_without"
printf '%-34s %8d %8d\n' 'all symbols' "$(wc -l <"$work/with.symbols")" "$(wc -l <"$work/without.symbols")"

# The public declarations are the same on both sides. In place of types of WeirTrace, Weir has its own; the rest is no user's: other
# modules of the package call it.
digester=$(command -v swift-api-digester || :)
if [ -n "$digester" ]; then
    for side in with without; do
        folder=$(dirname "${!side}")
        options=(-I "$folder/Modules" -swift-version 6 -avoid-location -abort-on-module-fail -sdk "${SDKROOT:-/}")
        for module in CWeirCore CWeir; do
            map=$folder/$module.build/module.modulemap
            [ -f "$map" ] && options+=(-Xcc "-fmodule-map-file=$map" -Xcc "-ISources/$module/include")
        done
        "$digester" -dump-sdk -module Weir -o "$work/$side.json" "${options[@]}"
    done
    "$digester" -diagnose-sdk -input-paths "$work/with.json" -input-paths "$work/without.json" 2>&1 |
        grep -vE '^(/\*.*)?$|visitHeapReferences|forgetReleasedModels|HeapProbe|InternalHeapOwner' |
        grep -vxE 'TypeAlias (RedundancyRule|TraceTechnique|TraceValueConvertible) has been removed' >"$work/found" || :
    if [ -s "$work/found" ]; then
        fail 'the public declarations differ:'
        cat "$work/found"
    else
        echo 'the public declarations are the same'
    fi
fi

# The app's own code calls only what does something without a recording.
nm "$(dirname "$without")"/shop.build/*.o | swift demangle | grep -oE '\bU .*Weir\.Trace\.\w+' | sed 's/.*Weir\.Trace\.//' |
    sort -u >"$work/called"
echo "functions of Trace that the app calls without the trait: $(paste -sd ' ' "$work/called")"
if grep -vxE 'task|detached|carryingCause|wrap|render|onUnhandledFailure' "$work/called"; then
    fail 'these have nothing to do without a recording'
fi

for side in with without; do
    strip -S -o "$work/$side" "${!side}"
    declare "bytes_$side=$(wc -c <"$work/$side")"
done
printf '\n%-34s %8d %8d\n' 'bytes, without debug information' "$bytes_with" "$bytes_without"

# Neither the environment nor the app can start a recording.
WEIR_TRACE=$work/environment-with.weir "$with" >/dev/null
WEIR_TRACE=$work/environment-without.weir "$without" >/dev/null
"$with" start "$work/started-with.weir" >"$work/start"
"$without" start "$work/started-without.weir" >>"$work/start"
for way in environment started; do
    [ -s "$work/$way-with.weir" ] || fail "with the trait, nothing was recorded ($way)"
    [ ! -e "$work/$way-without.weir" ] || fail "without the trait, there is a trace ($way)"
done
echo "started by the app: $(paste -sd ',' "$work/start")"

# instructions SIDE LOOP COUNT. Debug information is newer than what valgrind reads.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/$1" "$2" "$3" 2>&1 | sed -n 's/.*Collected : //p'
}
if command -v valgrind >/dev/null; then
    printf '\n%-34s %8s %8s\n' 'instructions for a write' 'with' 'without'
    for loop in writes combined; do
        for side in with without; do
            few=$(instructions "$side" "$loop" 1000)
            many=$(instructions "$side" "$loop" 101000)
            declare "count_$side=$(((many - few) / 100000))"
        done
        printf '%-34s %8d %8d\n' "$loop" "$count_with" "$count_without"
        [ "$count_without" -le "$count_with" ] || fail 'a write costs more without the trait'
    done
else
    echo 'valgrind is not installed: no instructions were counted'
fi

[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
