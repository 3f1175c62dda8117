#!/usr/bin/env bash
# A project that depends on Weir, and its pull requests: `run.sh FOLDER [SCRIPT]` makes a scratch repository in FOLDER, whose CI runs
# the GitHub Action's script. One pull request adds a leak and fails with an annotation at its line, also if its tests fail; one
# moves code and passes, and one cures the leak and passes. SCRIPT is another job that must pass, such as the one for GitLab.
set -euo pipefail
weir=$(cd "$(dirname "$0")/../.." && pwd)
job=${2:+$(cd "$(dirname "$2")" && pwd)/$(basename "$2")}
project=$1
mkdir -p "$project/Sources/Screens" "$project/Tests/ScreensTests"
cd "$project"
git init -q
printf '.build\n.weir-traces\ntraces\nbase\nweir.sarif\nsummary.md\n' >.gitignore

cat >Package.swift <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "screens", platforms: [.macOS(.v12)],
    dependencies: [.package(name: "weir", path: "$weir")],
    targets: [
        .target(name: "Screens", dependencies: [.product(name: "Weir", package: "weir")]),
        .testTarget(name: "ScreensTests", dependencies: ["Screens", .product(name: "Weir", package: "weir")]),
    ])
END

# The screen; \$1 stands above its class, \$2 is its capture list.
screen() {
    cat >"${3:-Sources/Screens/CartScreen.swift}" <<END
import Weir
$1
@MainActor public final class CartScreen {
    public let count = Observable(0)
    public private(set) var title = ""

    public init() {
        count.subscribe { ${2}value in
            self${2:+?}.title = "\(value) items"
        }
    }
}
END
}

cat >Tests/ScreensTests/CartScreenTests.swift <<'END'
import Screens
import Testing
import Weir

@MainActor @Test func closing() {
    var screen: CartScreen? = CartScreen()
    Trace.adopt(screen!)
    Trace.stimulus("add") { screen!.count.value = 1 }
    Trace.expectReleased(screen!)
    screen = nil
    Trace.checkpoint("closed")
}
END

# What CI runs, with the exit code that it must have and a base; the log is printed, so that a failure here shows it.
ci() {
    local status=0
    WEIR_BASELINE=weir-baseline.json WEIR_BASE=${2-} GITHUB_STEP_SUMMARY=summary.md "$weir/Tools/action/check.sh" >log 2>&1 || status=$?
    tail -n 25 log
    echo "exit code $status"
    [ "$status" -eq "$1" ]
}

screen '' '[weak self] '
swift build --build-tests
mkdir -p .weir-traces
WEIR_TRACE="$PWD/.weir-traces/%p.weir" swift test
swift run weir check .weir-traces --baseline weir-baseline.json --update-baseline
cp -R .weir-traces base
git add -A
git -c user.name=ci -c user.email=ci@localhost commit -qm 'Begin'
if [ -n "$job" ]; then bash -euo pipefail "$job"; else ci 0; fi

echo '== a pull request that adds a leak'
screen '' ''
rm -rf .weir-traces
ci 1 base
grep -q '^::error file=Sources/Screens/CartScreen.swift,line=8,' log
grep -q '^### weir check: failed' summary.md
grep -q '^### weir diff' summary.md
grep -qF '**New findings**' summary.md

echo '== its tests fail, too'
rm summary.md
WEIR_TEST='exit 7' ci 7
grep -q '^The tests failed (exit code 7)' log
grep -q '^::error file=Sources/Screens/CartScreen.swift,line=8,' log
grep -q '^### weir check: failed' summary.md

echo '== the team accepts it for now; lines move, and the file goes to another folder'
swift run weir check .weir-traces --baseline weir-baseline.json --update-baseline
mkdir -p Sources/Screens/Cart
rm Sources/Screens/CartScreen.swift
screen '

// What is bought.
' '' Sources/Screens/Cart/CartScreen.swift
rm -rf .weir-traces
ci 0

echo '== a pull request that cures it'
screen '' '[weak self] ' Sources/Screens/Cart/CartScreen.swift
rm -rf .weir-traces
ci 0 base
grep -q "of the baseline no longer fails" log
