#!/usr/bin/env bash
# Builds one program in several ways, and compares what the heap walker says in each with verdicts.txt.
# `run.sh --update` writes that table anew. Nothing in it may be wrong: see `judge`.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tools/c_modules.sh

here=Tools/variants
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compile_c_modules "$work/CWeir"

# compile FOLDER MODULE SOURCES FLAGS…: one module, as an object file.
compile() {
    local folder=$work/$1 module=$2 sources=$3
    shift 3
    mkdir -p "$folder"
    find "$sources" -name '*.swift' -print0 | sort -z | xargs -0 swiftc -swift-version 6 -package-name weir -g "$@" \
        -wmo -module-name "$module" -I "$work/CWeir" -Xcc -ISources/CWeirCore/include -I "$folder" -c -o "$folder/$module.code.o" \
        -emit-module -emit-module-path "$folder/$module.swiftmodule"
}

# program FOLDER FLAGS…: the library, and the program that uses it.
program() {
    local folder=$1
    shift
    compile "$folder" Program "$here/Program" "$@"
}

# row NAME FOLDER FLAGS…: links what is in the folder, runs it, and prints what it says.
row() {
    local name=$1 folder=$work/$2
    shift 2
    swiftc "$folder"/*.o "$work"/CWeir/*.o "$@" -o "$folder/program"
    printf '%s\t%s\n' "$name" "$("$folder/program")"
}

without='-Xfrontend -disable-reflection-metadata'
{
    printf 'build\tclosure\tpartners\tinherited\tslot\tchoice\tonly\theld\tclean\tnames\tlimitations\n'
    for mode in debug release; do
        flags=-Onone
        [ "$mode" = release ] && flags=-O

        compile "$mode" WeirHeap Sources/WeirHeap -parse-as-library $flags
        compile "$mode" Shapes "$here/Shapes" -parse-as-library $flags
        program "$mode" $flags
        row "$mode" "$mode"
        row "$mode, stripped" "$mode" -Xlinker --strip-all
        row "$mode, static library" "$mode" -static-stdlib

        cp -r "$work/$mode" "$work/$mode-evolution"
        compile "$mode-evolution" Shapes "$here/Shapes" -parse-as-library $flags -enable-library-evolution
        program "$mode-evolution" $flags
        row "$mode, evolution" "$mode-evolution"

        cp -r "$work/$mode" "$work/$mode-bare"
        compile "$mode-bare" Shapes "$here/Shapes" -parse-as-library $flags $without
        row "$mode, library without reflection" "$mode-bare"
        program "$mode-bare" $flags $without
        row "$mode, program without reflection" "$mode-bare"
        compile "$mode-bare" WeirHeap Sources/WeirHeap -parse-as-library $flags $without
        row "$mode, all without reflection" "$mode-bare"
    done
} >"$work/verdicts.tsv"

# A leaked cycle must be proven, or weaker, but never 'silent', which means that there is none. A held cycle is never
# proven. If there is no cycle, none is reported.
judge() {
    awk -F '\t' '
        NR == 1 { next }
        { for (place = 2; place <= 7; place++) if ($place !~ /^(proven|held|unsure)$/) wrong = wrong " " $1 ": " $place ";" }
        $8 !~ /^(held|unsure)$/ || $9 !~ /^(silent|unsure)$/ || /WRONG/ { wrong = wrong " " $0 ";" }
        END { if (wrong) { print "wrong:" wrong; exit 1 } }' "$1"
}

awk -F '\t' '{ printf "%-37s", $1; for (place = 2; place <= 10; place++) printf "%-11s", $place; print $11 }' \
    "$work/verdicts.tsv" >"$work/verdicts.txt"
cat "$work/verdicts.txt"
judge "$work/verdicts.tsv"
if [ "${1:-}" = --update ]; then
    cp "$work/verdicts.txt" "$here/verdicts.txt"
else
    diff -u "$here/verdicts.txt" "$work/verdicts.txt"
fi
