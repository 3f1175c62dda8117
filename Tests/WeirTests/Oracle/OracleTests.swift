import Testing
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

/// The streaming analysis, compared with a naive one that looks back over the whole list of events each time.
@Suite struct OracleTests {
    // Recorded once: a process can record to only one file at a time.
    private static let recorded = Task(priority: .high) {
        try await RecorderTurn.take { try Repeats.seeds(60).map { try RandomProgram(seed: $0) } }
    }

    /// Hundreds of small recorded programs. Not for tests that have the recorder themselves.
    static func programs() async throws -> [RandomProgram] { try await recorded.value }

    @Test func `random programs do something of every kind, for every reason, on several threads`() async throws {
        let events = try await Self.programs().flatMap(\.events)
        let kinds = Set(events.map(\.kind))
        let expected: Set<EventKind> = [
            .emitted, .suppressed, .deliveryBegan, .deliveryNext, .deliveryEnded, .subscriptionStarted,
            .subscriptionEnded, .nodeCreated, .nodeReleased, .completed, .failed, .stimulusBegan, .stimulusEnded,
            .frame, .checkpoint, .hopBegan, .hopEnded, .batchBegan, .batchEnded,
        ]
        #expect(kinds == expected)
        let reasons = Set(events.compactMap(\.suppressionReason))
        #expect(
            reasons.isSuperset(of: [
                .equal, .filtered, .waiting, .batched, .superseded, .afterCompletion, .disposed,
            ]))
        #expect(events.contains { $0.isSettling })
        #expect(events.contains { $0.isReplayed && $0.delivers })
        #expect(events.contains { $0.deliversEnd })
        #expect(events.contains { $0.kind == .hopBegan && $0.cause?.thread != $0.id.thread && $0.cause != nil })
        #expect(Set(events.map(\.id.thread)).count > 2)
    }
}
