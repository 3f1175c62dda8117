// swift-tools-version: 6.2
import PackageDescription

// For Weir's own development: compares its cost with that of a peer library. Nobody who depends on Weir resolves this.
// Sources/peers/Support is a symbolic link to Tools/bench/Support: both measure and report in the same way.
let package = Package(
    name: "weir-peers",
    platforms: [.macOS(.v12)],
    dependencies: [
        .package(name: "weir", path: "../.."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    ],
    targets: [
        .executableTarget(
            name: "peers",
            dependencies: [
                .product(name: "Weir", package: "weir"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
