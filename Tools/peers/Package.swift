// swift-tools-version: 6.2
import PackageDescription

// For Weir's own development: compares its cost with that of a peer library, and tests the tracing of Combine's publishers
// with OpenCombine, which uses Combine's names. Packages that depend on Weir never resolve this one.
// Sources/peers/Support is a symbolic link to Tools/bench/Support: both measure and report in the same way.
// Sources/WeirOpenCombine/Combine links to Weir's support for Combine: the same files, compiled for OpenCombine.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let weir = ["Weir", "WeirTrace", "WeirTesting"].map {
    Target.Dependency.product(name: $0, package: "weir")
}
let openCombine = ["OpenCombine", "OpenCombineDispatch"].map {
    Target.Dependency.product(name: $0, package: "OpenCombine")
}

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
                "WeirOpenCombine",
                .product(name: "Weir", package: "weir"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            swiftSettings: strict),
        .target(
            name: "WeirOpenCombine",
            dependencies: [
                .product(name: "Weir", package: "weir"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            // These files say 'Combine', and are a part of Weir elsewhere.
            swiftSettings: strict + [
                .unsafeFlags([
                    "-module-alias", "Combine=OpenCombine", "-Xfrontend", "-import-module", "-Xfrontend", "Weir",
                ])
            ]),
        .testTarget(
            name: "WeirOpenCombineTests",
            dependencies: ["WeirOpenCombine", .product(name: "weir", package: "weir")] + weir + openCombine,
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
