#!/usr/bin/env bash
# Makes the pictures of the README from the samples: a light and a dark one of each, in Tools/pictures/made.
#   Tools/pictures/run.sh [FOLDER]
# The samples run under a virtual clock, so the pictures change only when the samples or the drawing do.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-Tools/pictures/made}
weir=$PWD/.build/debug/weir
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"
WEIR_CLOCK=virtual WEIR_TRACE="$work/login.weir" .build/debug/weir-login published >/dev/null
"$weir" graph "$work/login.weir" --format svg -o "$work/graph.svg" --width 1400
for theme in light dark; do
    python3 Tools/pictures/theme.py "$theme" "$work/graph.svg" >"$folder/graph-$theme.svg"
done
"$weir" leaks "$work/login.weir" --color never >"$work/leaks.txt" || true
for theme in light dark; do
    python3 Tools/pictures/terminal.py "$theme" 'weir leaks login.weir' "$work/leaks.txt" 5 10 >"$folder/leaks-$theme.svg"
done
python3 Tools/pictures/screen.py "$weir" "$work/login.weir" $'g1:92\r' 'event 92' >"$work/replay.txt"
for theme in light dark; do
    python3 Tools/pictures/terminal.py "$theme" 'weir replay login.weir' "$work/replay.txt" 1 21 >"$folder/replay-$theme.svg"
done
"$weir" view "$work/login.weir" -o "$work/login.html" >/dev/null
python3 Tools/pictures/page.py "$work/login.html" "$folder"
