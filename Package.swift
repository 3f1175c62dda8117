// swift-tools-version: 6.2
import PackageDescription

// Modules form chains, left to right; what stands later imports what stands earlier, never the reverse:
//   in the app:  CWeir ← WeirTrace ← Weir,  CWeir ← WeirHeap ← Weir
//   in tests:    Weir, WeirAnalysis, WeirReport ← WeirTesting
//   offline:     CWeir ← WeirTrace ← WeirAnalysis ← WeirReport ← WeirCommand (the command `weir`)
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "weir",
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8)],
    products: [
        .library(name: "Weir", targets: ["Weir"]),
        .library(name: "WeirTrace", targets: ["WeirTrace"]),
        .library(name: "WeirHeap", targets: ["WeirHeap"]),
        .library(name: "WeirAnalysis", targets: ["WeirAnalysis"]),
        .library(name: "WeirReport", targets: ["WeirReport"]),
        .library(name: "WeirTesting", targets: ["WeirTesting"]),
        .executable(name: "weir", targets: ["WeirCommand"]),
        .executable(name: "login", targets: ["LoginApp"]),
        .executable(name: "dice", targets: ["DiceApp"]),
        .executable(name: "travel", targets: ["TravelApp"]),
        .executable(name: "form", targets: ["FormApp"]),
        .executable(name: "lookup", targets: ["LookupApp"]),
        .executable(name: "signin", targets: ["SignInApp"]),
    ],
    targets: [
        .target(name: "CWeir"),
        .target(name: "WeirTrace", dependencies: ["CWeir"], swiftSettings: strict),
        .target(name: "WeirHeap", dependencies: ["CWeir"], swiftSettings: strict),
        .target(name: "Weir", dependencies: ["CWeir", "WeirTrace", "WeirHeap"], swiftSettings: strict),
        .target(name: "WeirAnalysis", dependencies: ["WeirTrace"], swiftSettings: strict),
        .target(name: "WeirReport", dependencies: ["WeirAnalysis", "WeirTrace"], swiftSettings: strict),
        .target(name: "CWeirTesting"),
        .target(
            name: "WeirTesting",
            dependencies: ["CWeir", "CWeirTesting", "WeirTrace", "WeirHeap", "Weir", "WeirAnalysis", "WeirReport"],
            swiftSettings: strict),
        .executableTarget(
            name: "WeirCommand",
            dependencies: ["CWeir", "WeirTrace", "WeirAnalysis", "WeirReport", "Weir", "Login"],
            path: "Tools/weir", swiftSettings: strict),
        .executableTarget(
            name: "weir-bench",
            dependencies: ["CWeir", "WeirTrace", "WeirHeap", "Weir", "WeirReport", "WeirSoak", "WeirCrafted"],
            path: "Tools/bench",
            swiftSettings: strict),
        .target(name: "CWeirSoak", path: "Tools/soak/System"),
        .target(name: "WeirCrafted", path: "Tools/crafted", swiftSettings: strict),
        .target(
            name: "WeirSoak", dependencies: ["CWeir", "CWeirSoak", "WeirTrace", "Weir"], path: "Tools/soak/Soak",
            swiftSettings: strict),
        .target(name: "Login", dependencies: ["Weir"], path: "Samples/Login/Sources", swiftSettings: strict),
        .executableTarget(
            name: "LoginApp", dependencies: ["Login", "Weir"], path: "Samples/Login/App", swiftSettings: strict),
        .target(name: "Dice", dependencies: ["Weir"], path: "Samples/Dice/Sources", swiftSettings: strict),
        .executableTarget(
            name: "DiceApp", dependencies: ["Dice", "Weir"], path: "Samples/Dice/App", swiftSettings: strict),
        .target(name: "Travel", dependencies: ["Weir"], path: "Samples/Travel/Sources", swiftSettings: strict),
        .executableTarget(
            name: "TravelApp", dependencies: ["Travel", "Weir"], path: "Samples/Travel/App", swiftSettings: strict),
        .target(name: "Form", dependencies: ["Weir"], path: "Samples/Form/Sources", swiftSettings: strict),
        .executableTarget(
            name: "FormApp", dependencies: ["Form", "Weir"], path: "Samples/Form/App", swiftSettings: strict),
        .target(name: "Lookup", dependencies: ["Weir"], path: "Samples/Lookup/Sources", swiftSettings: strict),
        .executableTarget(
            name: "LookupApp", dependencies: ["Lookup", "Weir"], path: "Samples/Lookup/App", swiftSettings: strict),
        .target(name: "SignIn", dependencies: ["Weir"], path: "Samples/SignIn/Sources", swiftSettings: strict),
        .executableTarget(
            name: "SignInApp", dependencies: ["SignIn", "Weir"], path: "Samples/SignIn/App", swiftSettings: strict),
        .testTarget(
            name: "WeirTraceTests", dependencies: ["CWeir", "WeirTrace"], exclude: ["Frozen"], swiftSettings: strict),
        .target(name: "CWeirRemoteMirror", path: "Tests/CWeirRemoteMirror"),
        .executableTarget(
            name: "WeirPlainProgram", dependencies: ["Weir"], path: "Tests/WeirPlainProgram", swiftSettings: strict),
        .executableTarget(
            name: "WeirDialogProgram", dependencies: ["Weir"], path: "Tests/WeirDialogProgram", swiftSettings: strict),
        .testTarget(
            name: "WeirHeapTests", dependencies: ["CWeir", "WeirHeap", "CWeirRemoteMirror"], swiftSettings: strict),
        .testTarget(
            name: "WeirTests",
            dependencies: [
                "CWeir", "CWeirTesting", "Weir", "WeirTrace", "WeirHeap", "WeirAnalysis", "WeirReport", "WeirTesting",
                "WeirSoak", "WeirCrafted", "Login",
                "LoginApp", "Dice",
                "DiceApp",
                "Travel",
                "TravelApp",
                "Form", "FormApp", "Lookup", "LookupApp", "SignIn", "SignInApp", "WeirPlainProgram",
                "WeirDialogProgram",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WeirCommandTests",
            dependencies: ["WeirCommand", "WeirTrace", "WeirAnalysis", "WeirReport", "Weir", "LoginApp"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu11
)
