import Foundation

/// A program that the build put beside the tests.
struct BuiltProgram {
    let path: String

    init(_ name: String) throws {
        let folders = [Bundle.main.bundlePath, CommandLine.arguments[0]].map { $0 as NSString }
        let candidates = folders.flatMap {
            ["\($0)/\(name)", "\($0.deletingLastPathComponent)/\(name)"]
        }
        guard let found = candidates.first(where: FileManager.default.isExecutableFile(atPath:)) else {
            throw NotBuilt(name: name, searched: candidates)
        }
        path = found
    }

    struct NotBuilt: Error {
        let name: String
        let searched: [String]
    }
}
