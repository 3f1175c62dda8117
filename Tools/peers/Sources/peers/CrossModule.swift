import Foundation

/// The same comparison with cross-module optimization: the libraries of all sides are built for it.
enum CrossModule {
    #if CROSS_MODULE
    static let title = "Weir and OpenCombine, all with cross-module optimization, medians"
    #else
    static let title = "Weir and OpenCombine, medians"
    #endif

    /// Builds this package anew, and runs the result with the same arguments.
    static func measure(_ arguments: Arguments) throws -> [Report.Section] {
        // Sources/peers/CrossModule.swift
        let package = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let scratch = package.appendingPathComponent(".build/cross-module").path
        let build = [
            "build", "--package-path", package.path, "--scratch-path", scratch, "-c", "release", "--product", "peers",
            "-Xswiftc", "-cross-module-optimization", "-Xswiftc", "-DCROSS_MODULE",
        ]
        guard try Child.output("swift", build) != nil else {
            throw BenchmarkError(
                "the build with cross-module optimization failed: swift \(build.joined(separator: " "))")
        }
        var words = ["--json"]
        if arguments.has("quick") { words.append("--quick") }
        for name in ["only", "directory"] {
            if let value = arguments.value(name) { words += ["--\(name)", value] }
        }
        guard let output = try Child.output("\(scratch)/release/peers", words) else {
            throw BenchmarkError("the program that was built with cross-module optimization failed")
        }
        return try JSONDecoder().decode(Report.self, from: Data(output.utf8)).sections
    }
}
