import Foundation
import Testing
import WeirTestSupport

/// A program that the build put next to the tests; or another build of it, in the folder `WEIR_PROGRAMS` of the environment.
struct BuiltProgram {
    let path: String

    init(_ name: String) throws {
        let folders = [Bundle.main.bundlePath, CommandLine.arguments[0]].map { $0 as NSString }
        let chosen = ProcessInfo.processInfo.environment["WEIR_PROGRAMS"].map { ["\($0)/\(name)"] } ?? []
        let candidates =
            chosen + folders.flatMap { ["\($0)/\(name)", "\($0.deletingLastPathComponent)/\(name)"] }
        guard let found = candidates.first(where: FileManager.default.isExecutableFile(atPath:)) else {
            throw NotBuilt(name: name, searched: candidates)
        }
        path = found
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - environment: added to this process's environment.
    ///   - isHeardWhole: whether its standard error is part of the answer.
    func run(
        _ arguments: [String] = [], environment: [String: String] = [:], isHeardWhole: Bool = false
    ) throws -> Answer {
        let (process, output) = (Process(), try OutputFile())
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output.handle
        if isHeardWhole { process.standardError = output.handle }
        try process.run()
        process.waitUntilExit()
        return Answer(
            text: try output.text, status: process.terminationStatus, isExit: process.terminationReason == .exit)
    }

    /// Its output; it must end successfully.
    func output(
        _ arguments: [String] = [], environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let answer = try run(arguments, environment: environment)
        #expect(answer.isExit && answer.status == 0, sourceLocation: sourceLocation)
        return answer.text
    }

    struct NotBuilt: Error {
        let name: String
        let searched: [String]
    }
}

/// The output of a program, and its exit.
struct Answer {
    let text: String
    /// Its exit code, or the signal that ended it.
    let status: Int32
    let isExit: Bool
}
