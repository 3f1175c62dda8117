// swift-tools-version: 6.2
import PackageDescription

// Modules form chains, left to right; what stands later imports what stands earlier, never the reverse:
//   in the app:  CWeirCore ← Weir,  CWeirCore ← CWeir ← WeirTrace, WeirHeap ← WeirRecording ← Weir
//   in tests:    Weir, WeirAnalysis, WeirReport ← WeirTesting
//   offline:     CWeir ← WeirTrace ← WeirAnalysis ← WeirReport ← WeirCommand (the command `weir`)
// SwiftPM requires target names to be unique across an app and all its dependencies. Every name here therefore begins with
// Weir, CWeir or weir-: an app with a target `Login` of its own can depend on Weir. Tools/project/run.sh makes such an app.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let recording: TargetDependencyCondition? = .when(traits: ["Recording"])

let package = Package(
    name: "weir",
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8)],
    products: [
        .library(name: "Weir", targets: ["Weir"]),
        .library(name: "WeirTrace", targets: ["WeirTrace"]),
        .library(name: "WeirHeap", targets: ["WeirHeap"]),
        .library(name: "WeirTesting", targets: ["WeirTesting"]),
        .executable(name: "weir", targets: ["WeirCommand"]),
        .plugin(name: "WeirPlugin", targets: ["WeirPlugin"]),
    ],
    traits: [
        .trait(
            name: "Recording",
            description: "Whether an app can record. Without it, the calls remain, and nothing behind them."),
        .default(enabledTraits: ["Recording"]),
    ],
    targets: [
        .target(name: "CWeirCore"),
        .target(name: "CWeir", dependencies: ["CWeirCore"]),
        .target(name: "WeirTrace", dependencies: ["CWeir"], swiftSettings: strict),
        .target(name: "WeirHeap", dependencies: ["CWeir"], swiftSettings: strict),
        .target(
            name: "WeirRecording",
            dependencies: [
                .target(name: "CWeir", condition: recording), .target(name: "WeirTrace", condition: recording),
                .target(name: "WeirHeap", condition: recording),
            ],
            swiftSettings: strict),
        .target(
            name: "Weir", dependencies: ["CWeirCore", "WeirRecording"], swiftSettings: strict + [.define("InWeir")]),
        .target(name: "WeirAnalysis", dependencies: ["CWeir", "WeirTrace"], swiftSettings: strict),
        .target(
            name: "WeirReport", dependencies: ["CWeirPage", "WeirAnalysis", "WeirTrace"], swiftSettings: strict),
        .target(name: "CWeirPage", exclude: ["Resources"]),
        .target(name: "CWeirTesting"),
        .target(
            name: "WeirTesting",
            dependencies: ["CWeir", "CWeirTesting", "WeirTrace", "WeirHeap", "Weir", "WeirAnalysis", "WeirReport"],
            swiftSettings: strict),
        .executableTarget(
            name: "WeirCommand",
            dependencies: ["CWeir", "WeirTrace", "WeirAnalysis", "WeirReport", "Weir", "WeirLogin"],
            path: "Tools/weir", swiftSettings: strict),
        .plugin(
            name: "WeirPlugin",
            capability: .command(
                intent: .custom(
                    verb: "weir", description: "Run weir, which reads the traces of this package's programs"),
                permissions: [.writeToPackageDirectory(reason: "weir writes baselines, policies and reports")]),
            path: "Tools/plugin"),
        .executableTarget(
            name: "weir-bench",
            dependencies: ["CWeir", "WeirTrace", "WeirHeap", "Weir", "WeirReport", "WeirSoak", "WeirCrafted"],
            path: "Tools/bench",
            swiftSettings: strict),
        .target(name: "CWeirSoak", path: "Tools/soak/System"),
        .target(name: "WeirCrafted", path: "Tools/crafted", swiftSettings: strict),
        .target(
            name: "WeirSoak", dependencies: ["CWeir", "CWeirSoak", "WeirTrace", "WeirReport", "Weir"],
            path: "Tools/soak/Soak",
            swiftSettings: strict),
        .target(name: "WeirLogin", dependencies: ["Weir"], path: "Samples/Login/Sources", swiftSettings: strict),
        .executableTarget(
            name: "weir-login", dependencies: ["WeirLogin", "Weir"], path: "Samples/Login/App", swiftSettings: strict),
        .target(name: "WeirDice", dependencies: ["Weir"], path: "Samples/Dice/Sources", swiftSettings: strict),
        .executableTarget(
            name: "weir-dice", dependencies: ["WeirDice", "Weir"], path: "Samples/Dice/App", swiftSettings: strict),
        .target(name: "WeirTravel", dependencies: ["Weir"], path: "Samples/Travel/Sources", swiftSettings: strict),
        .executableTarget(
            name: "weir-travel", dependencies: ["WeirTravel", "Weir"], path: "Samples/Travel/App",
            swiftSettings: strict),
        .target(name: "WeirForm", dependencies: ["Weir"], path: "Samples/Form/Sources", swiftSettings: strict),
        .executableTarget(
            name: "weir-form", dependencies: ["WeirForm", "Weir"], path: "Samples/Form/App", swiftSettings: strict),
        .target(name: "WeirLookup", dependencies: ["Weir"], path: "Samples/Lookup/Sources", swiftSettings: strict),
        .executableTarget(
            name: "weir-lookup", dependencies: ["WeirLookup", "Weir"], path: "Samples/Lookup/App",
            swiftSettings: strict),
        .target(name: "WeirSignIn", dependencies: ["Weir"], path: "Samples/SignIn/Sources", swiftSettings: strict),
        .executableTarget(
            name: "weir-signin", dependencies: ["WeirSignIn", "Weir"], path: "Samples/SignIn/App",
            swiftSettings: strict),
        .testTarget(
            name: "WeirTraceTests", dependencies: ["CWeir", "WeirTrace", "WeirTestSupport"], exclude: ["Frozen"],
            swiftSettings: strict),
        .target(name: "CWeirRemoteMirror", path: "Tests/CWeirRemoteMirror"),
        .target(name: "WeirTestSupport", path: "Tests/WeirTestSupport", swiftSettings: strict),
        .executableTarget(
            name: "WeirPlainProgram", dependencies: ["Weir"], path: "Tests/WeirPlainProgram", swiftSettings: strict),
        .executableTarget(
            name: "WeirDialogProgram", dependencies: ["Weir"], path: "Tests/WeirDialogProgram", swiftSettings: strict),
        .executableTarget(
            name: "WeirHealthyPrograms", dependencies: ["Weir"], path: "Tests/WeirHealthyPrograms",
            swiftSettings: strict),
        .executableTarget(
            name: "WeirLeakyPrograms", dependencies: ["Weir"], path: "Tests/WeirLeakyPrograms", swiftSettings: strict),
        .testTarget(
            name: "WeirHeapTests", dependencies: ["CWeir", "WeirHeap", "CWeirRemoteMirror", "WeirTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "WeirTests",
            dependencies: [
                "CWeir", "CWeirTesting", "Weir", "WeirTrace", "WeirHeap", "WeirAnalysis", "WeirReport", "WeirTesting",
                "WeirTestSupport", "WeirSoak", "WeirCrafted", "WeirLogin", "weir-login", "WeirDice", "weir-dice",
                "WeirTravel",
                "weir-travel", "WeirForm", "weir-form", "WeirLookup", "weir-lookup", "WeirSignIn", "weir-signin",
                "WeirPlainProgram", "WeirDialogProgram", "WeirLeakyPrograms",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WeirAnalysisTests",
            dependencies: ["WeirTrace", "WeirAnalysis", "WeirReport", "WeirCrafted", "WeirTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "WeirReportTests", dependencies: ["WeirTrace", "WeirAnalysis", "WeirReport", "WeirCrafted"],
            swiftSettings: strict),
        .testTarget(
            name: "WeirCommandTests",
            dependencies: [
                "WeirCommand", "WeirTrace", "WeirAnalysis", "WeirReport", "Weir", "weir-login", "WeirHealthyPrograms",
                "WeirCrafted", "WeirTestSupport",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu11
)

// `WEIR_TESTS=WeirTests,WeirHeapTests swift build --build-tests` builds these test targets only. In an optimised build the tests
// compile file by file, on all cores: as a whole module `WeirTests` takes one core a quarter of an hour.
if let chosen = Context.environment["WEIR_TESTS"]?.split(separator: ",").map(String.init) {
    package.targets.removeAll { $0.type == .test && !chosen.contains($0.name) }
    for target in package.targets where target.type == .test {
        target.swiftSettings?.append(
            .unsafeFlags(["-no-whole-module-optimization", "-enable-batch-mode"], .when(configuration: .release)))
    }
}
