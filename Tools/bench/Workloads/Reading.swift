import Foundation

/// Counts the events of traces and hashes the same files, in turn.
struct Reading {
    let isQuick: Bool
    /// In order of size, so that each is compared with the one before.
    let paths: [String]

    private var rounds: Int { isQuick ? 3 : 9 }

    func measure() throws -> Report.Section {
        var section = Report.Section(title: "Counting events per node, medians")
        var peak: Double?
        for path in paths {
            let last = peak
            peak = try Self.peakMemory(counting: path)
            section.rows.append(try row(path, peak: peak, last: last))
        }
        return section
    }

    private func row(_ path: String, peak: Double?, last: Double?) throws -> Report.Row {
        var (reading, hashing) = (Sample(), Sample())
        let count = try EventCount(path)
        for _ in 0..<rounds {
            var again: EventCount?
            reading.add(try Stopwatch.nanoseconds { again = try EventCount(path) } / 1e6)
            guard again?.perNode == count.perNode else { throw BenchmarkError("\(path): the counts differ") }
            let start = Stopwatch.now
            guard try Child.run("sha256sum", [path]) != nil else { continue }
            hashing.add(Double(Stopwatch.now - start) / 1e6)
        }
        let hash = hashing.values.isEmpty ? nil : hashing.median
        return Report.Row(
            name: "\(count.total) events of \(count.perNode.count) nodes",
            figures: [
                Figure("size", Double(count.bytes) / Double(count.total), "bytes/event"),
                Figure("reading", reading.median, "ms"), Figure("sha256sum", hash, "ms"),
                Figure("reading/sha256sum", hash.map { reading.median / $0 }, "", atMost: 1),
                Figure("pace", Double(count.total) / reading.median / 1000, "million/s"),
                Figure("peak memory", peak, "MiB"),
                // The index of chunks grows by 24 bytes for each 64 KiB of file, and by nothing else.
                Figure("growth", peak.flatMap { peak in last.map { peak - $0 } }, "MiB", atMost: 1),
            ])
    }

    private static let mark = "peak memory: "

    /// The memory in MiB of a process that does nothing else; nil if it could not run.
    private static func peakMemory(counting path: String) throws -> Double? {
        guard let own = Bundle.main.executablePath, let output = try Child.run(own, ["count", path]),
            let range = output.range(of: mark)
        else { return nil }
        return Double(output[range.upperBound...].prefix { $0.isNumber }).map { $0 / 1024 }
    }

    /// Counts, and reports the memory of the process on standard error.
    static func single(_ path: String) throws {
        let count = try EventCount(path)
        print("\(count.total) events, \(count.others) of them of no node")
        for (node, events) in count.perNode.sorted(by: { $0.key < $1.key }) {
            print("node \(node): \(events)")
        }
        var usage = rusage()
        #if os(Linux)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        Console.error("\(mark)\(UInt64(usage.peakKibibytes)) KiB")
    }
}
