// swift-tools-version: 6.2
import PackageDescription

// A trait does not know debug from release, so the environment decides: `WITHOUT_RECORDING=1 swift build -c release`.
let recording: Set<Package.Dependency.Trait> = Context.environment["WITHOUT_RECORDING"] == "1" ? [] : [.defaults]

let package = Package(
    name: "shop",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "weir", path: "../../..", traits: recording)],
    targets: [
        .executableTarget(
            name: "shop", dependencies: [.product(name: "Weir", package: "weir")],
            swiftSettings: [.defaultIsolation(MainActor.self), .treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
