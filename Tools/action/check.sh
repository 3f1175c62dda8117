#!/usr/bin/env bash
# The GitHub Action: records the tests of the package in the current folder, and checks the traces. The variables are the
# inputs of action.yml. It ends with the exit code of `weir check`, or of the tests if these fail: their traces are checked, too.
set -euo pipefail

traces=${WEIR_TRACES:-.weir-traces}
mkdir -p "$traces"
tests=0
if [ -n "${WEIR_TEST-swift test}" ]; then
    # Only the tests are recorded, not the build: a program that the build runs may use Weir, too.
    swift build --build-tests
    WEIR_TRACE="$(cd "$traces" && pwd)/%p.weir" bash -c "${WEIR_TEST-swift test}" || tests=$?
    if [ "$tests" -ne 0 ]; then echo "The tests failed (exit code $tests). Their traces are checked all the same." >&2; fi
fi

options=()
if [ -n "${WEIR_POLICY-}" ]; then options+=(--policy "$WEIR_POLICY"); fi
if [ -n "${WEIR_BASELINE-}" ]; then options+=(--baseline "$WEIR_BASELINE"); fi
if [ -n "${WEIR_SARIF-}" ]; then options+=(--output "sarif=$WEIR_SARIF"); fi
if [ -n "${GITHUB_STEP_SUMMARY-}" ]; then options+=(--output "markdown=$GITHUB_STEP_SUMMARY"); fi
# Several options, separated by spaces.
read -ra further <<<"${WEIR_OPTIONS-}"
status=0
# The bash of macOS refuses an empty array without this form.
swift run weir check "$traces" --output github ${options[@]+"${options[@]}"} ${further[@]+"${further[@]}"} || status=$?
if [ -n "${WEIR_BASE-}" ] && [ -n "${GITHUB_STEP_SUMMARY-}" ]; then
    # A trace that cannot be read has failed the check already.
    swift run weir diff "$WEIR_BASE" "$traces" --format markdown >>"$GITHUB_STEP_SUMMARY" || true
fi
if [ "$tests" -ne 0 ]; then status=$tests; fi
exit "$status"
