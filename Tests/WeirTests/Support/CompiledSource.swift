import Foundation
import Testing

/// A small source, compiled against the modules that the build put next to the tests.
struct CompiledSource {
    /// The compiler's errors, without their locations.
    let errors: [String]
    let output: String

    init(_ text: String, options: [String] = []) throws {
        let build = URL(fileURLWithPath: try BuiltProgram("WeirPlainProgram").path).deletingLastPathComponent()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("weir-source-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("source.swift")
        try Data(("import Weir\n" + text).utf8).write(to: file)
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // The last checks, those of values that cross isolations, come after the types have been checked.
        process.arguments =
            [
                "swiftc", "-swift-version", "6", "-parse-as-library", "-emit-sil", "-o", "/dev/null",
                "-I", build.appendingPathComponent("Modules").path,
                "-Xcc", "-fmodule-map-file=\(build.appendingPathComponent("CWeirCore.build/module.modulemap").path)",
                "-Xcc", "-fmodule-map-file=\(build.appendingPathComponent("CWeir.build/module.modulemap").path)",
                "-Xcc", "-I\(DocumentationPage.root.appendingPathComponent("Sources/CWeirCore/include").path)",
                "-module-cache-path", build.appendingPathComponent("ModuleCache").path,
            ] + options + [file.path]
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        errors = output.split(separator: "\n").compactMap { line in
            guard !line.hasPrefix(" "), let mark = line.range(of: "error: ") else { return nil }
            return String(line[mark.upperBound...].prefix { $0 != "[" }).trimmingCharacters(in: .whitespaces)
        }
        #expect((process.terminationStatus == 0) == errors.isEmpty, "\(output)")
    }
}

/// A module that a `CompiledSource` can import, such as an app's; it exists as long as this value.
final class CompiledModule {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "weir-module-\(UUID().uuidString)")

    init(_ name: String, _ text: String, options: [String] = []) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("\(name).swift")
        try Data(text.utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "swiftc", "-swift-version", "6", "-parse-as-library", "-emit-module", "-module-name", name,
                "-emit-module-path", folder.appendingPathComponent("\(name).swiftmodule").path,
            ] + options + [file.path]
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The options with which a source can import it.
    var importOptions: [String] { ["-I", folder.path] }
}
