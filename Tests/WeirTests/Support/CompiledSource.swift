import Foundation
import Testing
import WeirTestSupport

/// A small source, compiled against the modules that the build put next to the tests.
struct CompiledSource {
    /// The compiler's errors, without their locations.
    let errors: [String]
    let output: String

    init(_ text: String, options: [String] = []) throws {
        let folder = try CompilerFolder()
        let answer = try folder.compile([folder.write("source", text)], options)
        output = answer.output
        errors = answer.errors.map(\.text)
        #expect(answer.isSuccess == errors.isEmpty, "\(output)")
    }

    /// Sources that have nothing to do with each other, compiled together: a compiler needs most of its time for what they import.
    ///
    /// The last checks, those of values that cross isolations, come only when all types are right. So sources without an error are
    /// compiled once more, without the others.
    static func each(of texts: [String]) throws -> [CompiledSource] {
        let folder = try CompilerFolder()
        // A type of its own for each, as they use the same names.
        let files = try texts.enumerated().map { number, text in
            try folder.write("Source\(number)", "enum Source\(number) {\n\(text)\n}")
        }
        func errors(of answer: CompilerFolder.Answer, in number: Int) -> [String] {
            answer.errors.filter { $0.file == "Source\(number)" }
                .map { $0.text.replacingOccurrences(of: "Source\(number).", with: "") }
        }
        let first = try folder.compile(files)
        let rest = texts.indices.filter { errors(of: first, in: $0).isEmpty }
        let second = try rest.isEmpty ? nil : folder.compile(rest.map { files[$0] })
        return texts.indices.map { number in
            let answer = rest.contains(number) ? second ?? first : first
            return CompiledSource(errors: errors(of: answer, in: number), output: answer.output)
        }
    }

    private init(errors: [String], output: String) { (self.errors, self.output) = (errors, output) }
}

/// A folder with sources, and the compiler.
private final class CompilerFolder {
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent("weir-source-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ name: String, _ text: String) throws -> String {
        let file = url.appendingPathComponent("\(name).swift")
        try Data(("import Weir\n" + text).utf8).write(to: file)
        return file.path
    }

    struct Answer {
        let output: String
        let isSuccess: Bool

        /// The errors, without their lines.
        var errors: [(file: String, text: String)] {
            output.split(separator: "\n").compactMap { line in
                guard !line.hasPrefix(" "), let mark = line.range(of: "error: ") else { return nil }
                let file = line[..<mark.lowerBound].prefix { $0 != ":" }
                return (
                    URL(fileURLWithPath: String(file)).deletingPathExtension().lastPathComponent,
                    String(line[mark.upperBound...].prefix { $0 != "[" }).trimmingCharacters(in: .whitespaces)
                )
            }
        }
    }

    func compile(_ files: [String], _ options: [String] = []) throws -> Answer {
        let build = URL(fileURLWithPath: try BuiltProgram("WeirPlainProgram").path).deletingLastPathComponent()
        let (process, output) = (Process(), try OutputFile())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // The last checks, those of values that cross isolations, come after the types have been checked.
        process.arguments =
            [
                "swiftc", "-swift-version", "6", "-parse-as-library", "-wmo", "-emit-sil", "-o", "/dev/null",
                "-I", build.appendingPathComponent("Modules").path,
                "-Xcc", "-fmodule-map-file=\(build.appendingPathComponent("CWeirCore.build/module.modulemap").path)",
                "-Xcc", "-fmodule-map-file=\(build.appendingPathComponent("CWeir.build/module.modulemap").path)",
                "-Xcc", "-I\(DocumentationPage.root.appendingPathComponent("Sources/CWeirCore/include").path)",
                "-module-cache-path", build.appendingPathComponent("ModuleCache").path,
            ] + options + files
        process.standardOutput = output.handle
        process.standardError = output.handle
        try process.run()
        process.waitUntilExit()
        return Answer(output: try output.text, isSuccess: process.terminationStatus == 0)
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
