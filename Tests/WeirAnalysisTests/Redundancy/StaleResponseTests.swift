import Foundation
import Testing
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis
@testable import WeirCrafted

/// Requests of one runner, which asks on one thread and then on another.
@Suite struct StaleResponseTests {
    private func staleAnswers(isOneRunner: Bool, answers: [Int]) throws -> [RuleTally] {
        try pass(isOneRunner: isOneRunner, answers: answers).pass.tallies.filter { $0.rule == .staleResponse }
    }

    @Test func `a burst that a stale answer ends is listed under the stale answer`() throws {
        let (pass, topology) = try self.pass(isOneRunner: true, answers: [1, 0])
        let found = Findings(pass, topology.definitions).found
        let stale = try #require(found.first { $0.rule == .staleResponse })
        let burst = try #require(found.first { $0.rule == .burst })
        #expect(stale.primary == nil && burst.primary == stale.fingerprint && burst.remedy == nil)
        let (inOrder, _) = try self.pass(isOneRunner: true, answers: [0, 1])
        #expect(Findings(inOrder, topology.definitions).found.first { $0.rule == .burst }?.primary == nil)
    }

    /// Thread 1 asks first, thread 2 second; the answers come in the given order of the requests.
    private func pass(isOneRunner: Bool, answers: [Int]) throws -> (pass: RedundancyPass, topology: Topology) {
        var file = CraftedFile()
        file.node(1, line: 1)
        file.node(2, kind: 5, line: 2)
        file.node(3, line: 3)
        file.subscription(1, 3, line: 4)
        // Numbers alone do not order the two.
        for _ in 0..<4 { file.emitted(3, 0) }
        var requests: [(thread: UInt32, sequence: UInt64)] = []
        for thread in [1, 2] as [UInt32] {
            if thread == 2, isOneRunner { file.mainQueueSpan(number: 1, on: 2) }
            requests.append((thread, file.nextSequence(thread)))
            file.emitted(1, Int(thread), on: thread)
        }
        for request in answers {
            file.hop(2, cause: requests[request], on: 3)
            file.emitted(3, 10 + request, to: [1], on: 3)
            file.hopEnded(on: 3)
        }
        let written = try TemporaryTrace()
        try Data(file.finish()).write(to: URL(fileURLWithPath: written.path))
        let reader = try TraceReader(path: written.path)
        let topology = Topology(try reader.definitions())
        return (RedundancyPass(reader, topology), topology)
    }

    @Test func `an answer to what one runner asked earlier on another thread is stale`() throws {
        let found = try staleAnswers(isOneRunner: true, answers: [1, 0])
        #expect(found.map(\.count) == [1])
        #expect(found.map(\.subscription) == [1])
    }

    @Test func `answers in the order of the requests are not stale`() throws {
        #expect(try staleAnswers(isOneRunner: true, answers: [0, 1]).isEmpty)
    }

    /// A thread that runs the main queue again after another one has done so begins no span of its own.
    @Test func `the main queue may return to a thread`() throws {
        var file = CraftedFile()
        file.node(1, line: 1)
        file.node(2, kind: 5, line: 2)
        file.node(3, line: 3)
        file.subscription(1, 3, line: 4)
        var requests: [(thread: UInt32, sequence: UInt64)] = []
        for thread in [2, 3, 2] as [UInt32] {
            if requests.count < 2 { file.mainQueueSpan(number: 1, on: thread) }
            if thread == 3 { for _ in 0..<4 { file.emitted(3, 0, on: 3) } }
            requests.append((thread, file.nextSequence(thread)))
            file.emitted(1, requests.count, on: thread)
        }
        for (value, request) in requests.enumerated() {
            file.hop(2, cause: request, on: 4)
            file.emitted(3, 10 + value, to: [1], on: 4)
            file.hopEnded(on: 4)
        }
        let written = try TemporaryTrace()
        try Data(file.finish()).write(to: URL(fileURLWithPath: written.path))
        let reader = try TraceReader(path: written.path)
        let tallies = RedundancyPass(reader, Topology(try reader.definitions())).tallies
        #expect(!tallies.contains { $0.rule == .staleResponse }, "\(tallies)")
    }

    @Test func `what two runners asked is not compared`() throws {
        #expect(try staleAnswers(isOneRunner: false, answers: [1, 0]).isEmpty)
        #expect(try staleAnswers(isOneRunner: false, answers: [0, 1]).isEmpty)
    }
}
