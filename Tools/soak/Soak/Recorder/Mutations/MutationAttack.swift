import Foundation

/// Gives damaged traces to `weir`: it neither crashes nor takes more than 5 s of processor time or 500 MB.
final class MutationAttack: RecorderAttack {
    private static let mostSeconds = 5.0
    private static let mostMebibytes = 500e6 / 1_048_576

    private let place: SoakPlace
    private let weir: String
    private let samples: [SampleTrace]
    private var exits: [Int32: Int] = [:]
    private var longest = 0.0
    private var largest = 0.0

    init(_ place: SoakPlace) throws {
        self.place = place
        let folder = URL(fileURLWithPath: place.program).deletingLastPathComponent()
        weir = folder.appendingPathComponent("weir").path
        guard FileManager.default.isExecutableFile(atPath: weir) else {
            throw SoakError("\(weir) is missing: build it with swift build -c release")
        }
        samples = try SampleTrace.all(place)
    }

    var figures: String {
        let codes = exits.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        let time = (longest * 1000).rounded()
        return "exit codes \(codes); at most \(Int(time)) ms of a processor and \(Int(largest)) MiB"
    }

    func problems(seed: UInt64) throws -> [String] {
        let trace = MutatedTrace(seed: seed, of: samples)
        let path = place.path("mutated.weir")
        try Data(trace.bytes).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        let arguments = trace.arguments.map { $0 == "TRACE" ? path : $0 }
        // The address space exceeds the allowed memory: the memory limit is measured, and this bound protects the machine.
        let child = try SoakChild(
            weir, arguments, environment: [:],
            limits: SoakChild.Limits(memoryBytes: 4 << 30, cpuSeconds: UInt32(Self.mostSeconds) + 1),
            errors: place.path("errors"))
        let ending = child.end(by: SoakClock.now + 120)
        longest = max(longest, ending.cpuSeconds)
        largest = max(largest, ending.peakMebibytes)
        var problems: [String] = []
        if case .exit(let code) = ending.way, (0...5).contains(code) {
            exits[code, default: 0] += 1
        } else {
            problems.append("it \(ending.words): \(child.errors.suffix(1000))")
        }
        if ending.cpuSeconds > Self.mostSeconds { problems.append("it took \(ending.cpuSeconds) s of a processor") }
        if ending.peakMebibytes > Self.mostMebibytes { problems.append("it took \(Int(ending.peakMebibytes)) MiB") }
        guard !problems.isEmpty else { return [] }
        let kept = place.path("mutated-\(seed).weir")
        try? FileManager.default.removeItem(atPath: kept)
        try FileManager.default.moveItem(atPath: path, toPath: kept)
        let words = trace.arguments.map { $0 == "TRACE" ? kept : $0.contains(" ") ? "'\($0)'" : $0 }
        return ["weir \(words.joined(separator: " "))"] + problems + [
            "the trace is '\(trace.sample.name)', changed by \(trace.mutations.map { "\($0)" }.joined(separator: ", "))"
        ]
    }
}
