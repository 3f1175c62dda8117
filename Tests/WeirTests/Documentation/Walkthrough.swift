import Foundation
import Testing
import WeirTestSupport

/// A walkthrough of the documentation: the app on it, the commands with their output, the cures, and the test.
struct Walkthrough {
    let page: DocumentationPage
    /// The name of the app's module.
    let app: String
    private let manifest: String
    /// The files of the app, as the page shows them first.
    private var files: [(name: String, lines: [String])] = []
    private var cures: [(file: String, lines: [String])] = []
    private let test: (name: String, lines: [String])
    /// How many lines of Swift the page has, and how many of them the app, its cures and its test take.
    let shownLines, usedLines: Int

    /// A command, and the output that the page shows.
    struct Command {
        let line: String
        var output: [String]
    }

    /// Each block of Swift stands after a paragraph that begins with the name of its file. The block of a cure stands after one
    /// that begins with 'In' and the file's name, or ends so; it replaces the declaration or statement that begins the same.
    init(_ path: String, app: String) throws {
        page = try DocumentationPage(path)
        self.app = app
        var (manifest, test): ([String], (String, [String])?) = ([], nil)
        var (paragraph, isCode) = ("", false)
        var (shown, used) = (0, 0)
        var blocks: [(paragraph: String, lines: [String])] = []
        for line in page.lines {
            if line.hasPrefix("```") {
                isCode.toggle()
                if isCode { blocks.append((paragraph, [])) }
            } else if isCode {
                blocks[blocks.count - 1].lines.append(line)
            } else if !line.isEmpty {
                paragraph = paragraph.hasSuffix("\n") ? line : paragraph + " " + line
            } else {
                paragraph += "\n"
            }
        }
        for block in blocks {
            shown += block.lines.count
            let name = try #require(DocumentationPage.code(in: block.paragraph).first { $0.hasSuffix(".swift") })
            if name == "Package.swift" {
                manifest = block.lines
            } else if name.hasSuffix("Tests.swift") {
                test = (name, block.lines)
            } else if block.paragraph.contains("In `\(name)`,") {
                cures.append((name, block.lines))
            } else {
                files.append((name, block.lines))
            }
        }
        self.manifest = manifest.joined(separator: "\n")
        self.test = try #require(test)
        used = manifest.count + self.test.lines.count
        used += (files.map(\.lines.count) + cures.map(\.lines.count)).reduce(0, +)
        (shownLines, usedLines) = (shown, used)
        try #require(!files.isEmpty && !cures.isEmpty && !manifest.isEmpty)
    }

    /// The commands with the outputs shown, in the order of the page.
    var commands: [Command] {
        var found: [Command] = []
        var isInside = false
        for line in page.lines {
            if line.hasPrefix("    $ ") {
                found.append(Command(line: String(line.dropFirst(6)), output: []))
                isInside = true
            } else if isInside, line.isEmpty || line.hasPrefix("    ") {
                found[found.count - 1].output.append(String(line.dropFirst(4)))
            } else {
                isInside = false
            }
        }
        return found
    }

    /// The files of the app, before or after the cures.
    func sources(isCured: Bool) throws -> [String: String] {
        var sources = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.lines) })
        for cure in isCured ? cures : [] {
            let lines = try #require(sources[cure.file])
            // Up to what differs: the name of a function, or of what a statement begins with.
            let head = cure.lines[0].prefix { !"{(=".contains($0) }
            let begin = try #require(lines.firstIndex { $0.hasPrefix(head) }, "\(head)")
            let indent = lines[begin].prefix { $0 == " " }
            let isWhole = lines[begin].filter { $0 == "{" }.count == lines[begin].filter { $0 == "}" }.count
            let end = isWhole ? begin : try #require(lines[begin...].firstIndex { $0 == "\(indent)}" })
            sources[cure.file] = Array(lines[..<begin] + cure.lines + lines[(end + 1)...])
        }
        return sources.mapValues { $0.joined(separator: "\n") + "\n" }
    }

    var testSource: String { test.lines.joined(separator: "\n") + "\n" }

    /// Whether SwiftPM accepts the manifest.
    func manifestIsValid() throws -> Bool {
        let folder = try WalkthroughFolder()
        try folder.write(manifest, "Package.swift")
        let answer = try folder.run("swift package dump-package 2>&1")
        return answer.status == 0 && answer.text.contains("\"name\" : \"\(app)\"")
    }

    /// Whether the output is as shown; a line of '…' matches any lines.
    static func matches(_ shown: [String], _ output: String) -> Bool {
        var rest = lines(output)[...]
        var parts = lines(shown.joined(separator: "\n")).split(omittingEmptySubsequences: false) {
            $0.trimmingCharacters(in: .whitespaces) == "…"
        }
        let last = parts.removeLast()
        if parts.isEmpty { return rest == last }
        for (number, part) in parts.enumerated() where !part.isEmpty {
            let place = rest.indices.first { rest[$0...].starts(with: part) }
            guard let place, number > 0 || place == rest.startIndex else { return false }
            rest = rest[(place + part.count)...]
        }
        return rest.count >= last.count && rest.suffix(last.count) == last
    }

    private static func lines(_ text: String) -> [String] {
        var lines = text.components(separatedBy: "\n").map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        while lines.last?.isEmpty ?? false { lines.removeLast() }
        return Array(lines.drop { $0.isEmpty })
    }
}

/// A folder in which a walkthrough's app is built and runs.
final class WalkthroughFolder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("weir-walkthrough-\(UUID().uuidString)")
    /// Where the build put its modules.
    private let build: URL

    init() throws {
        build = URL(fileURLWithPath: try BuiltProgram("WeirPlainProgram").path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, _ name: String) throws {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Runs a line of the shell in the folder; it finds the command `weir` that was built.
    func run(_ line: String, environment: [String: String] = [:]) throws -> Answer {
        let (process, output) = (Process(), try OutputFile())
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        process.currentDirectoryURL = url
        var variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        variables["PATH"] = "\(build.path):\(variables["PATH"] ?? "")"
        process.environment = variables
        process.standardOutput = output.handle
        process.standardError = output.handle
        try process.run()
        process.waitUntilExit()
        return Answer(
            text: try output.text, status: process.terminationStatus, isExit: process.terminationReason == .exit)
    }

    /// Compiles with the modules of the build; fails the test with the compiler's output.
    private func compile(_ module: String, _ options: String) throws {
        let core = DocumentationPage.root.appendingPathComponent("Sources/CWeirCore/include").path
        let maps = ["CWeirCore", "CWeir", "CWeirTesting", "CWeirPage"].map {
            "-Xcc -fmodule-map-file='\(build.path)/\($0).build/module.modulemap'"
        }.joined(separator: " ")
        let answer = try run(
            """
            swiftc -swift-version 6 -parse-as-library -g -module-name \(module) -I . \
            -module-cache-path '\(build.path)/ModuleCache' \
            -I '\(build.path)/Modules' \(maps) -Xcc -I'\(core)' \(options)
            """)
        try #require(answer.status == 0, "\(answer.text)")
    }

    /// The objects of these modules that the build linked into its tests.
    private func objects(of modules: [String]) throws -> String {
        let list = build.appendingPathComponent("weirPackageTests.product/Objects.LinkFileList")
        let all = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
        return all.filter { line in modules.contains { line.contains("/\($0).build/") } }.joined(separator: " ")
    }

    private static let recording = ["CWeirCore", "CWeir", "WeirTrace", "WeirHeap", "WeirRecording", "Weir"]

    /// Builds a stand-in for a library of Apple, from `Tests/StandIns`.
    func build(standIn: String) throws {
        let source = DocumentationPage.root.appendingPathComponent("Tests/StandIns/\(standIn).swift").path
        try compile(
            standIn,
            "-emit-module -emit-module-path \(standIn).swiftmodule -emit-library -static -o lib\(standIn).a '\(source)'"
        )
    }

    /// Builds the app, as `app`.
    func build(_ walkthrough: Walkthrough, standIn: String, isCured: Bool) throws {
        let sources = try walkthrough.sources(isCured: isCured)
        for (name, text) in sources { try write(text, "Sources/\(walkthrough.app)/\(name)") }
        let files = sources.keys.sorted().map { "Sources/\(walkthrough.app)/\($0)" }.joined(separator: " ")
        // Its entry point has another name: the tests import the app, and have a `main` of their own.
        try compile(
            walkthrough.app,
            """
            -enable-testing -Xfrontend -entry-point-function-name -Xfrontend app_main -emit-module \
            -emit-module-path \(walkthrough.app).swiftmodule -emit-library -static -o lib\(walkthrough.app).a \(files)
            """)
        try compile(
            walkthrough.app,
            """
            -o app lib\(walkthrough.app).a lib\(standIn).a \(try objects(of: Self.recording)) \
            -Xlinker -u -Xlinker app_main -Xlinker --defsym=main=app_main
            """)
    }

    /// Builds the walkthrough's test against the app that was built last, and runs it.
    func test(_ walkthrough: Walkthrough, standIn: String) throws -> Answer {
        try write(walkthrough.testSource, "Tests/Tests.swift")
        try write(
            """
            import Testing
            @main struct Runner { static func main() async { await Testing.__swiftPMEntryPoint() as Never } }
            """, "Tests/Runner.swift")
        let more = ["CWeirTesting", "WeirTesting", "WeirAnalysis", "WeirReport", "CWeirPage"]
        try compile(
            "\(walkthrough.app)Tests",
            """
            -o tests Tests/Tests.swift Tests/Runner.swift lib\(walkthrough.app).a lib\(standIn).a \
            \(try objects(of: Self.recording + more))
            """)
        return try run("./tests --testing-library swift-testing")
    }
}
