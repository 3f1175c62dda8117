import Foundation

/// Counts what this program does, by running it again under valgrind.
///
/// The counts are of the whole process, all threads and the start of the program; the difference of two runs with
/// different numbers of operations is what the operations cost.
final class Valgrind {
    /// Instructions, or calls of the allocator.
    enum Count {
        case instructions, allocations
    }

    private let program: String

    /// Nil if valgrind is not installed.
    ///
    /// - Parameter directory: receives a copy of this program without debug information, on which old versions of valgrind abort.
    init?(in directory: TemporaryDirectory) throws {
        guard Child.find("valgrind") != nil, let own = Bundle.main.executablePath else { return nil }
        program = directory.path("stripped")
        guard try Child.run("strip", ["-g", "-o", program, own]) != nil else { return nil }
    }

    /// The cost of one operation; the number of operations is appended to `arguments`. Nil if a run failed.
    func perOperation(_ count: Count, _ operations: (fewer: Int, more: Int), _ arguments: [String]) throws
        -> Double?
    {
        guard let fewer = try total(count, arguments + [String(operations.fewer)]),
            let more = try total(count, arguments + [String(operations.more)])
        else { return nil }
        return (more - fewer) / Double(operations.more - operations.fewer)
    }

    private func total(_ count: Count, _ arguments: [String]) throws -> Double? {
        switch count {
        case .instructions:
            let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null", program]
            return number(after: "Collected : ", in: try Child.run("valgrind", options + arguments))
        case .allocations:
            let options = ["--tool=memcheck", "--undef-value-errors=no", program]
            return number(after: "total heap usage: ", in: try Child.run("valgrind", options + arguments))
        }
    }

    private func number(after mark: String, in output: String?) -> Double? {
        guard let output, let range = output.range(of: mark) else { return nil }
        let digits = output[range.upperBound...].prefix { $0.isNumber || $0 == "," }.filter(\.isNumber)
        return Double(digits)
    }
}
