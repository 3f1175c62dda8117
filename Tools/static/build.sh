#!/usr/bin/env bash
# Builds the command as one file that needs no Swift on the machine where it runs, and says its size.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${1:-.build/weir}

link=(--static-swift-stdlib)
# Apple's systems contain the Swift runtime.
if [ "$(uname)" = Darwin ]; then link=(); fi
swift build -c release --product weir --scratch-path .build/static ${link[@]+"${link[@]}"}
cp "$(swift build -c release --product weir --scratch-path .build/static --show-bin-path)/weir" "$target"
strip "$target"
"$target" --version
if [ "$(uname)" != Darwin ] && ldd "$target" | grep -q swift; then
    echo "$target needs the Swift runtime" >&2
    exit 1
fi
echo "$target: $(($(wc -c <"$target") / 1048576)) MiB"
