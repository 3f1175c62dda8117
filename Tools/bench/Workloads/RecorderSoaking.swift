import Foundation
import WeirSoak

/// Attacks the recorder, as the command line says.
struct RecorderSoaking {
    private let arguments: Arguments
    private let parts: [RecorderSoak.Part]

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        let names = arguments.words.dropFirst()
        parts = try names.map { name in
            guard let part = RecorderSoak.Part(rawValue: name) else {
                let known = RecorderSoak.Part.allCases.map(\.rawValue).joined(separator: ", ")
                throw BenchmarkError("there is no part '\(name)' of the recorder's soak; name \(known)", isUsage: true)
            }
            return part
        }
    }

    /// The exit status.
    func run() throws -> Int32 {
        guard let program = Bundle.main.executablePath else {
            throw BenchmarkError("this program cannot find itself, so it cannot be run as the attacked one")
        }
        // Traces that show a failure stay in it.
        let directory = try TemporaryDirectory(in: arguments.value("directory"), suffix: "soak")
        var soak = RecorderSoak(program: program, folder: directory.folder)
        if !parts.isEmpty { soak.parts = parts }
        soak.seed = UInt64(try arguments.count("seed") ?? 1)
        soak.rounds = try arguments.count("rounds")
        soak.seconds = try arguments.number("minutes").map { $0 * 60 }
        soak.isBrief = arguments.has("quick")
        soak.countsAll = arguments.has("all")
        let isClean = try soak.run {
            print($0)
            fflush(nil)
        }
        if isClean { try directory.remove() } else { print("Failing traces are kept in \(directory.folder)") }
        return isClean ? 0 : 1
    }
}
