import Testing
import WeirAnalysis

struct SourceTreeTests {
    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription
        /* .target(name: "Commented") */
        let package = Package(
            name: "app", dependencies: [.package(path: "../weir")],
            targets: [
                .target(name: "Login", dependencies: ["Model", .target(name: "Theme", condition: nil)]), // .target(name: "Not")
                .target(
                    name: "Model",
                    dependencies: [.product(name: "Weir", package: "weir")],
                    path: "./Core/../Shared/Model/"
                ),
                .executableTarget(name: "my-tool", swiftSettings: [.define("path: \\"x\\"")]),
                .testTarget(name: "LoginTests"),
                .binaryTarget(name: "Binary", path: "Binary.xcframework"),
            ]
        )
        """

    @Test func `the targets of a manifest are its outermost calls, with their folders`() {
        let targets = SourceTarget.targets(inManifest: Self.manifest, at: "apps/one")
        let folders = ["Sources", "Source", "src", "srcs"]
        #expect(
            targets == [
                SourceTarget(module: "Login", folders: folders.map { "apps/one/\($0)/Login" }),
                SourceTarget(module: "Model", folders: ["apps/one/Shared/Model"]),
                SourceTarget(module: "my_tool", folders: folders.map { "apps/one/\($0)/my-tool" }),
                SourceTarget(module: "LoginTests", folders: (["Tests"] + folders).map { "apps/one/\($0)/LoginTests" }),
            ])
    }

    @Test(arguments: [
        "", "(", ".target(", #".target(name: "A"#, #".target(name: "A", path: "\"#, "/* ", "\"", ".target(name:",
    ])
    func `a manifest that breaks off is scanned to its end`(_ text: String) {
        #expect(SourceTarget.targets(inManifest: text, at: "").count <= 1)
    }

    private let tree = SourceTree(
        files: [
            "Sources/Login/Views/LoginView.swift", "Sources/Settings/LoginView.swift", "Shared/Model/User.swift",
            "Shared/Model/Old/User.swift", "App/Home/HomeView.swift", "App/Other/HomeView.swift", "App/Root.swift",
            "Sources/Login/Root.swift", "Legacy/Cart/Cell.swift", "Legacy/Shop/Cell.swift", "Legacy/Only.swift",
            "Sources/Login/Hidden.swift",
        ],
        targets: [
            SourceTarget(module: "Login", folders: ["Sources/Login"]),
            SourceTarget(module: "Settings", folders: ["Sources/Settings"]),
            SourceTarget(module: "Model", folders: ["Shared/Model"]),
        ],
        compiled: ["Shop": ["Legacy/Cart/Cell.swift", "Deleted.swift"]])

    @Test(arguments: [
        ("Login/LoginView.swift", SourceTree.Resolution.path("Sources/Login/Views/LoginView.swift")),
        ("Settings/LoginView.swift", .path("Sources/Settings/LoginView.swift")),
        ("Model/User.swift", .ambiguous(["Shared/Model/Old/User.swift", "Shared/Model/User.swift"])),
        // No manifest declares the module: the name of a folder decides.
        ("Home/HomeView.swift", .path("App/Home/HomeView.swift")),
        ("Elsewhere/HomeView.swift", .ambiguous(["App/Home/HomeView.swift", "App/Other/HomeView.swift"])),
        // A file of another module does not count.
        ("App/Root.swift", .path("App/Root.swift")), ("App/Hidden.swift", .unknown),
        // The compiler's own list comes before the names of folders.
        ("Shop/Cell.swift", .path("Legacy/Cart/Cell.swift")), ("App/Only.swift", .path("Legacy/Only.swift")),
        ("App/Nothing.swift", .unknown), ("Shop/Deleted.swift", .unknown), ("LoginView.swift", .unknown),
        ("", .unknown),
    ])
    func `a file ID is resolved by the compiler's list, the manifests, folders, and its name alone`(
        _ fileID: String, _ resolution: SourceTree.Resolution
    ) {
        #expect(tree.resolve(fileID) == resolution)
    }
}
