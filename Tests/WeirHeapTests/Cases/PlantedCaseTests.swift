import Foundation
import Testing
import WeirHeap

/// Every planted case, walked and judged.
///
/// `WEIR_CASE=part of a name` in the environment runs only those cases, and prints their results.
@Suite(.serialized) struct PlantedCaseTests {
    @Test func `every planted case is reported as it is`() async {
        let wanted = ProcessInfo.processInfo.environment["WEIR_CASE"]
        let walker = HeapWalker()
        var table = VerdictTable()
        for planted in Corpus.all.cases where wanted.map(planted.name.contains) ?? true {
            if wanted != nil { print("\(planted.topic): \(planted.name)") }
            var trial = CaseTrial(planted, walker: walker, isTalkative: wanted != nil)
            await trial.run()
            table.count(planted, isWrong: !trial.faults.isEmpty)
            if !trial.faults.isEmpty {
                Issue.record(
                    "\(planted.name): \(trial.faults.joined(separator: "; "))", sourceLocation: planted.location)
            }
        }
        print(table)
        #expect(table.wrong == 0)
    }

    @Test func `there are enough cases, and no two have the same name`() {
        let names = Corpus.all.cases.map(\.name)
        #expect(names.count >= 100)
        #expect(Set(names).count == names.count)
    }
}

/// The number of cases of each topic, by verdict.
private struct VerdictTable: CustomStringConvertible {
    private struct Row {
        var cases = 0, proven = 0, held = 0, silent = 0, unseen = 0, wrong = 0
    }

    private var topics: [String] = []
    private var rows: [String: Row] = [:]
    private(set) var wrong = 0

    mutating func count(_ planted: PlantedCase, isWrong: Bool) {
        if rows[planted.topic] == nil { topics.append(planted.topic) }
        var row = rows[planted.topic] ?? Row()
        row.cases += 1
        if isWrong {
            row.wrong += 1
            wrong += 1
        } else {
            switch planted.verdict {
            case .leaked: row.proven += 1
            case .held: row.held += 1
            case .silent: row.silent += 1
            case .unseen: row.unseen += 1
            }
        }
        rows[planted.topic] = row
    }

    var description: String {
        var lines = [Self.line("", ["cases", "proven", "held", "silent", "unseen", "wrong"])]
        var sum = [Int](repeating: 0, count: 6)
        for topic in topics {
            guard let row = rows[topic] else { continue }
            let numbers = [row.cases, row.proven, row.held, row.silent, row.unseen, row.wrong]
            sum = zip(sum, numbers).map(+)
            lines.append(Self.line(topic, numbers.map(String.init)))
        }
        lines.append(Self.line("all", sum.map(String.init)))
        return lines.joined(separator: "\n")
    }

    private static func line(_ topic: String, _ cells: [String]) -> String {
        topic.padding(toLength: 34, withPad: " ", startingAt: 0)
            + cells.map { String(repeating: " ", count: max(0, 8 - $0.count)) + $0 }.joined()
    }
}
