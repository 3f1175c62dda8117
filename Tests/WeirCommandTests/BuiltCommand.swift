import Foundation
import Testing

/// Runs the built programs as a user would.
struct BuiltCommand {
    struct Ended {
        let status: Int32
        let wasKilled: Bool
        let output: String
        let errors: String

        var outputLines: [Substring] { output.split(separator: "\n") }
    }

    /// A directory for one test; it is removed with the test.
    final class Folder {
        let path: String

        init() throws {
            path = NSTemporaryDirectory() + "weir-tests-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit {
            do { try FileManager.default.removeItem(atPath: path) } catch {
                Issue.record("\(path) cannot be removed: \(error)")
            }
        }

        func callAsFunction(_ name: String) -> String { path + "/" + name }

        func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
            try Data(bytes).write(to: URL(fileURLWithPath: self(name)))
            return self(name)
        }
    }

    /// The directory of the products: beside the test bundle.
    static let products: URL = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let tests = bundle ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return tests.standardizedFileURL.deletingLastPathComponent()
    }()

    static func product(_ name: String) -> String { products.appendingPathComponent(name).path }

    private let process = Process()
    private let folder: Folder

    /// Starts a program; its output goes to files, so that it never waits for a reader.
    init(
        _ program: String, _ arguments: [String], in folder: Folder, environment: [String: String] = [:],
        output: Pipe? = nil
    ) throws {
        self.folder = folder
        process.executableURL = URL(fileURLWithPath: program.hasPrefix("/") ? program : Self.product(program))
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        var variables = ProcessInfo.processInfo.environment
        for name in ["WEIR_TRACE", "WEIR_VALUES", "WEIR_LIMIT", "NO_COLOR", "COLUMNS"] { variables[name] = nil }
        // Tests request heap walks where they need them: at each round's checkpoint they would take too long.
        variables["WEIR_SNAPSHOTS"] = "none"
        variables.merge(environment) { _, new in new }
        process.environment = variables
        id = UUID().uuidString
        process.standardInput = FileHandle.nullDevice
        if let output {
            process.standardOutput = output
        } else {
            process.standardOutput = try Self.file(folder(id + ".out"))
        }
        process.standardError = try Self.file(folder(id + ".err"))
        try process.run()
    }

    private let id: String

    var processID: Int32 { process.processIdentifier }

    /// The output so far.
    func outputSoFar() throws -> String { try text(".out") }

    /// The standard error output so far.
    func errorsSoFar() throws -> String { try text(".err") }

    func wait() throws -> Ended {
        process.waitUntilExit()
        let hasFile = FileManager.default.fileExists(atPath: folder(id + ".out"))
        return Ended(
            status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
            output: hasFile ? try text(".out") : "", errors: try text(".err"))
    }

    /// Waits until `condition` holds; returns false if the program ended, or ten minutes passed, before that.
    func wait(until condition: (Self) throws -> Bool) throws -> Bool {
        for _ in 0..<60_000 {
            if try condition(self) { return true }
            if !process.isRunning { return try condition(self) }
            usleep(10_000)
        }
        return false
    }

    /// Runs `weir` to its end.
    static func weir(
        _ arguments: String..., in folder: Folder, environment: [String: String] = [:]
    ) throws -> Ended {
        try BuiltCommand("weir", arguments, in: folder, environment: environment).wait()
    }

    private func text(_ suffix: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder(id + suffix))), as: UTF8.self)
    }

    private static func file(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(fileURLWithPath: path))
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }
}
