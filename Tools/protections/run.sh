#!/usr/bin/env bash
# Removes the protections of the core in turn, each alone, and lets random programs find out: `run.sh [SCHEDULES] [NAME]`.
# Prints the rule that is broken first. Exits with 1 if the programs notice nothing, or if the whole core fails.
#
# Four more have unit tests, since these programs never need them: `Who is disposed after the list has grown during a delivery …`
# (isActive in Slot.sink), `A transform that writes its own input …` (the guard in Evaluation.evaluate), `A value that is written
# during a comparison …` (the loop in ReadOnlyObservable.write) and `A change during which another value is written …` (the stamp
# in ReadOnlyObservable.change).
#
# protections.txt has four lines for each protection, and an empty one: its name, a file, what stands there once, and what
# stands there without the protection.
set -euo pipefail
cd "$(dirname "$0")/../.."

schedules=${1:-20000}
only=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/weir"
git ls-files -co --exclude-standard -z | tar -c --null -T - | tar -x -C "$work/weir"
table=$PWD/Tools/protections/protections.txt
cd "$work/weir"

# judge NAME: builds the core as it stands, and prints what the programs say of it. Fails if they say nothing.
judge() {
    # Code that is never reached without the protection is a warning, and must not end the build.
    if ! swift build -c release --product weir-bench -Xcc -DWEIR_YIELD -Xswiftc -no-warnings-as-errors \
        >"$work/build.log" 2>&1; then
        printf '%-70sdoes not compile:\n' "$1"
        grep -m 5 'error:' "$work/build.log" || tail -n 5 "$work/build.log"
        missed=1
        return 0
    fi
    local status=0
    timeout 600 .build/release/weir-bench soak --scheduled --schedules "$schedules" >"$work/soak.log" 2>&1 || status=$?
    local said
    said=$(grep -m 1 ' × ' "$work/soak.log" || { [ "$status" -eq 0 ] && echo '  nothing'; } || echo "  ended with status $status")
    printf '%-70s%s\n' "$1" "${said#  }"
    # The soak itself reports a deadlock: a run that is only too slow has noticed nothing.
    if [ "$status" -eq 124 ]; then missed=1; fi
    [ "$status" -ne 0 ]
}

missed=0
if [ -z "$only" ] && judge 'the whole core'; then missed=1; fi
while IFS= read -r name && IFS= read -r file && IFS= read -r text && IFS= read -r without; do
    IFS= read -r _ || true
    [ -z "$only" ] || [ "$name" = "$only" ] || continue
    cp "$file" "$work/kept"
    TEXT=$text WITHOUT=$without perl -0pi -e 's/\Q$ENV{TEXT}\E/$ENV{WITHOUT}/ == 1 or die "not found\n"' "$file"
    judge "$name" || missed=1
    cp "$work/kept" "$file"
done <"$table"
exit "$missed"
