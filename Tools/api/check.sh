#!/usr/bin/env bash
# Fails if a public declaration of the products breaks its users since a release: `check.sh [TAG]`, by default the last tag. A break
# that is meant stands in Tools/api/allowed.txt, as the tool prints it, until the next release.
set -euo pipefail
cd "$(dirname "$0")/../.."
release=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
if [ -z "$release" ]; then
    echo 'There is no release yet.'
    exit 0
fi
allowed=()
if [ -f Tools/api/allowed.txt ]; then allowed=(--breakage-allowlist-path Tools/api/allowed.txt); fi
swift package --scratch-path .build/api diagnose-api-breaking-changes "$release" ${allowed[@]+"${allowed[@]}"}
