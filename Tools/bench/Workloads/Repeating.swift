import Foundation
import Weir
import WeirSoak

/// Records each of some random programs in several processes, whose hash seeds differ, and compares the files.
struct Repeating {
    let seed: UInt64
    let programs: Int
    let runs: Int
    let directory: TemporaryDirectory

    /// One run, in a process of its own.
    static func record(seed: UInt64, to path: String) throws {
        try SoakProgram.random(seed: seed, mostActions: 12).record(to: path, History())
    }

    /// The exit status.
    func run() throws -> Int32 {
        for seed in seed..<seed + UInt64(programs) {
            let first = try recorded(seed)
            for run in 1..<runs {
                let next = try recorded(seed)
                guard next != first else { continue }
                let place = zip(first, next).enumerated().first { $1.0 != $1.1 }?.offset ?? min(first.count, next.count)
                print("Run \(run + 1) of program \(seed) has another trace than the first, from byte \(place) on.")
                print("Repeat it with: weir-bench soak --repeated --seed \(seed) --schedules 1 --runs \(runs)")
                return 1
            }
        }
        print("\(programs) programs from seed \(seed), \(runs) runs each: the same bytes")
        return 0
    }

    private func recorded(_ seed: UInt64) throws -> Data {
        let path = directory.path("repeated.weir")
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["soak", "--record", path, "--seed", "\(seed)"]
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw BenchmarkError("program \(seed) ended with status \(process.terminationStatus)")
        }
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }
}
