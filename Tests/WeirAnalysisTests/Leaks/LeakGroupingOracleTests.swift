import Testing
import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirTrace

/// Grouping of random snapshots, compared with a direct comparison of their texts.
struct LeakGroupingOracleTests {
    /// A snapshot of rings with a few kinds of objects, closures and lines.
    private func rings(_ random: inout SeededGenerator) -> TraceSnapshot {
        var made = HandMadeSnapshot()
        for _ in 0..<Int.random(in: 1...30, using: &random) {
            let types = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                ["Model", "View"].randomElement(using: &random) ?? ""
            }
            let objects = types.map { made.add($0) }
            let references = objects.indices.map { place in
                let index = Int.random(in: 0...9, using: &random)
                let line = Int.random(in: 1...2, using: &random)
                return made.refer(
                    objects[place], [".next", ".rows[\(index)]"].randomElement(using: &random) ?? "",
                    to: objects[(place + 1) % objects.count], at: index < 3 ? .login(line) : nil)
            }
            let start = Int.random(in: references.indices, using: &random)
            made.cycle(
                Array(references[start...] + references[..<start]), isProven: Bool.random(using: &random), bytes: 10)
        }
        return made.snapshot
    }

    /// A text that is equal for equal cycles, by definition: the smallest of all rotations.
    private func text(of cycle: SnapshotCycle, in snapshot: TraceSnapshot) -> String {
        let parts = cycle.references.map { place in
            let reference = snapshot.references[Int(place)]
            let label = reference.label.hasPrefix(".rows") ? ".rows[]" : reference.label
            let line = reference.site.map { " line \($0.line)" } ?? ""
            return "\(snapshot.objects[Int(reference.source)].type)\(label)\(line)"
        }
        let rotations = parts.indices.map { (parts[$0...] + parts[..<$0]).joined(separator: ", ") }
        return "\(cycle.isProven) \(rotations.min() ?? "")"
    }

    private func place(of cycles: LeakFinding.OtherCycles) -> Int {
        if case .cycle(let place) = cycles.example { place } else { -1 }
    }

    @Test func `cycles are grouped as the definition says`() {
        var random = SeededGenerator(seed: 3)
        var joined = 0
        for _ in 0..<300 {
            let snapshot = rings(&random)
            let counts = snapshot.cycles.reduce(into: [String: UInt64]()) {
                $0[text(of: $1, in: snapshot), default: 0] += 1
            }
            let found = LeakFindings(snapshot).found
            var reported: [String: UInt64] = [:]
            var changes: Set<String> = []
            for finding in found {
                guard case .cycle(let place) = finding.example else {
                    Issue.record("\(finding.example)")
                    continue
                }
                let cycles = [(place, finding.count)] + finding.otherCycles.map { (self.place(of: $0), $0.count) }
                for (other, count) in cycles {
                    let text = text(of: snapshot.cycles[other], in: snapshot)
                    #expect(reported.updateValue(count, forKey: text) == nil)
                    // The first one in the order of the snapshot.
                    #expect(snapshot.cycles.firstIndex { self.text(of: $0, in: snapshot) == text } == other)
                    #expect((finding.rule == .retainCycle) == snapshot.cycles[other].isProven)
                }
                #expect(finding.bytes == finding.count * 10)
                joined += finding.otherCycles.count
                guard finding.remedy.kind == .captureWeakly else { continue }
                let change = "\(finding.rule) \(finding.remedy)"
                #expect(changes.insert(change).inserted, "one change is the remedy of two findings")
            }
            #expect(reported == counts)
            #expect(Set(found.map(\.fingerprint)).count == found.count)
            #expect(zip(found, found.dropFirst()).allSatisfy { $0.severity >= $1.severity })
        }
        #expect(joined > 100, "hardly any cycles are broken by one change")
    }
}
