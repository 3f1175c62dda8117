#!/usr/bin/env bash
# A project that depends on Weir, and its pull requests: `run.sh FOLDER [SCRIPT]` makes a scratch repository in FOLDER, whose CI runs
# the GitHub Action's script. Some of its targets have common names, which Weir must not use: SwiftPM rejects a package graph in
# which two packages declare targets with the same name. One pull request adds a leak and fails with an annotation at its line, also if its tests fail; one
# moves code and passes, and one cures the leak and passes. SCRIPT is the job for GitLab, which must pass, too. At last it runs the
# test with XCTest of the page 'Checking in CI'.
set -euo pipefail
weir=$(cd "$(dirname "$0")/../.." && pwd)
job=${2:+$(cd "$(dirname "$2")" && pwd)/$(basename "$2")}
project=$1
mkdir -p "$project/Sources/Screens" "$project/Tests/ScreensTests"
cd "$project"
git init -q
printf '.build\n.weir-traces\ntraces\nbase\nlog\nweir.sarif\nsummary.md\n' >.gitignore

cat >Package.swift <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "screens", platforms: [.macOS(.v12)],
    dependencies: [.package(name: "weir", path: "$weir")],
    targets: [
        .target(name: "Screens", dependencies: [.product(name: "Weir", package: "weir")]),
        .target(name: "Login"), .target(name: "Dice"), .target(name: "Travel"), .target(name: "Form"),
        .target(name: "Lookup"), .target(name: "SignIn"),
        .executableTarget(name: "bench", dependencies: ["Login", "Dice", "Travel", "Form", "Lookup", "SignIn", "Screens"]),
        .testTarget(name: "ScreensTests", dependencies: ["Screens", .product(name: "Weir", package: "weir")]),
    ])
END

mkdir Sources/bench
for name in Login Dice Travel Form Lookup SignIn; do
    mkdir "Sources/$name"
    echo "public let in$name = \"$name\"" >"Sources/$name/$name.swift"
    echo "import $name"
done >Sources/bench/main.swift
cat >>Sources/bench/main.swift <<'END'
import Screens
import Weir

let screen = Observable("")
for name in [inLogin, inDice, inTravel, inForm, inLookup, inSignIn] { screen.value = name }
precondition(screen.value == "SignIn")
CartScreen().show()
END

# The screen; $1 stands above its class, $2 is its capture list, $3 its file, $4 the name of a local.
screen() {
    cat >"${3:-Sources/Screens/CartScreen.swift}" <<END
import Weir
$1
@MainActor public final class CartScreen {
    public let count = Observable(0)
    public private(set) var title = ""

    public init() {
        count.subscribe { ${2}${4:-value} in
            let ${4:-value}Text = "\(${4:-value}) items"
            self${2:+?}.title = ${4:-value}Text
        }
    }

    public func show() { count.value = 1 }
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
echo '{"version": 1, "findings": []}' >weir-baseline.json
if [ -n "$job" ]; then
    bash -euo pipefail "$job"
    cp -R traces base
else
    ci 0
    cp -R .weir-traces base
fi
# The plugin is there, and needs the option that the documentation names.
if swift package weir --version </dev/null >log 2>&1; then exit 1; fi
grep -q -- '--allow-writing-to-package-directory' log
swift package --allow-writing-to-package-directory weir --version | grep '^weir '
swift run bench
git add -A
git -c user.name=ci -c user.email=ci@localhost commit -qm 'Begin'

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

echo '== the team accepts it for now; lines move, locals get other names, and the file goes to another folder'
swift run weir check .weir-traces --baseline weir-baseline.json --update-baseline
mkdir -p Sources/Screens/Cart
rm Sources/Screens/CartScreen.swift
screen '

// What is bought.
' '' Sources/Screens/Cart/CartScreen.swift number
rm -rf .weir-traces
ci 0

echo '== a pull request that cures it'
screen '' '[weak self] ' Sources/Screens/Cart/CartScreen.swift
rm -rf .weir-traces
ci 0 base
grep -q "of the baseline no longer fails" log

echo '== the test with XCTest on the page, and a leak'
awk '/^```swift$/ { inside = 1; next } /^```$/ { inside = 0 } inside' \
    "$weir/Sources/WeirReport/WeirReport.docc/CheckingInCI.md" | sed 's/import Shop/import Screens/' >Tests/ScreensTests/PageTests.swift
screen '' '' Sources/Screens/Cart/CartScreen.swift
rm -rf traces
mkdir traces
swift test --filter CartScreenTests
if swift run weir check traces >log; then exit 1; fi
tail -n 25 log
grep -q 'retain-cycle · error · at Sources/Screens/Cart/CartScreen.swift:8 · in traces/CartScreen.weir' log
