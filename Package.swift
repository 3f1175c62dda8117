// swift-tools-version: 6.2
import PackageDescription

// Modules form chains, left to right; what stands later imports what stands earlier, never the reverse:
//   in the app:  CWeir ← WeirTrace ← Weir
//   offline:     CWeir ← WeirTrace ← WeirAnalysis ← WeirReport ← WeirCommand (the command `weir`)
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "weir",
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8)],
    products: [
        .library(name: "Weir", targets: ["Weir"]),
        .library(name: "WeirTrace", targets: ["WeirTrace"]),
        .library(name: "WeirAnalysis", targets: ["WeirAnalysis"]),
        .library(name: "WeirReport", targets: ["WeirReport"]),
        .executable(name: "weir", targets: ["WeirCommand"]),
        .executable(name: "login", targets: ["LoginApp"]),
    ],
    targets: [
        .target(name: "CWeir"),
        .target(name: "WeirTrace", dependencies: ["CWeir"], swiftSettings: strict),
        .target(name: "Weir", dependencies: ["CWeir", "WeirTrace"], swiftSettings: strict),
        .target(name: "WeirAnalysis", dependencies: ["WeirTrace"], swiftSettings: strict),
        .target(name: "WeirReport", dependencies: ["WeirAnalysis", "WeirTrace"], swiftSettings: strict),
        .executableTarget(
            name: "WeirCommand",
            dependencies: ["WeirTrace", "WeirAnalysis", "WeirReport", "Weir", "Login"],
            path: "Tools/weir", swiftSettings: strict),
        .executableTarget(
            name: "bench", dependencies: ["CWeir", "WeirTrace", "Weir"], path: "Tools/bench", swiftSettings: strict),
        .target(name: "Login", dependencies: ["Weir"], path: "Samples/Login/Sources", swiftSettings: strict),
        .executableTarget(
            name: "LoginApp", dependencies: ["Login", "Weir"], path: "Samples/Login/App", swiftSettings: strict),
        .testTarget(
            name: "WeirTraceTests", dependencies: ["CWeir", "WeirTrace"], exclude: ["Frozen"], swiftSettings: strict),
        .testTarget(
            name: "WeirTests", dependencies: ["CWeir", "Weir", "WeirTrace", "Login", "LoginApp"], swiftSettings: strict),
        .testTarget(
            name: "WeirCommandTests",
            dependencies: ["WeirCommand", "WeirTrace", "WeirAnalysis", "WeirReport", "Weir", "LoginApp"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu11
)
