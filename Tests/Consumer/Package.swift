// swift-tools-version: 6.2
import PackageDescription

// An app whose targets have common names. SwiftPM rejects a package graph in which two packages declare targets with the
// same name, so Weir must not use any of these names.
let package = Package(
    name: "consumer",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "weir", path: "../..")],
    targets: [
        .target(name: "Login"),
        .target(name: "Dice"),
        .target(name: "Travel"),
        .target(name: "Form"),
        .target(name: "Lookup"),
        .target(name: "SignIn"),
        .executableTarget(
            name: "bench",
            dependencies: [
                "Login", "Dice", "Travel", "Form", "Lookup", "SignIn", .product(name: "Weir", package: "weir"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
