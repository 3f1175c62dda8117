import Foundation
import Testing
import Weir
import WeirTesting
import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

extension Everything {
    /// A finding of `cross-thread` names the handlers that ran on several threads.
    @Suite struct CrossThreadHandlerTests {
        @Test func `handlers behind operators are named, those behind a hop and those of one thread are not`() throws {
            let file = try TemporaryTrace()
            let time = VirtualScheduler()
            try Trace.start(writingTo: file.path)
            let progress = Observable(0)
            let lines = (direct: #line + 1, mapped: #line + 2, late: #line + 7)
            progress.subscribe { _ in }
            let mapped = progress.map { "\($0) %" }.subscribe { _ in }
            let delivered = progress.deliver(on: time).subscribe { _ in }
            let other = Observable(0)
            other.subscribe { _ in }
            progress.value = 1
            onAnotherThread { progress.value = 2 }
            progress.subscribe { _ in }
            time.runUntilIdle()
            progress.value = 3
            mapped.dispose()
            delivered.dispose()
            Trace.stop()

            let reader = try TraceReader(path: file.path)
            let definitions = try reader.definitions()
            let findings = Findings(RedundancyPass(reader, Topology(definitions)), definitions).found
            let finding = try #require(findings.first { $0.rule == .crossThread })
            let sites = finding.tallies[0].handlers.map { definitions.subscriptions[$0]?.site?.line }
            #expect(Set(sites) == [lines.direct, lines.mapped])
            let reported = FindingLines(
                definitions: definitions, timeScale: TimeScale(reader.header), style: .plain, frame: 16_700_000
            ) { Evidence(of: $0, in: reader) }.lines(finding, number: 1)
            let here = "WeirTests/CrossThreadHandlerTests.swift"
            #expect(
                reported.contains(
                    "     Handlers that ran on several threads: \(here):\(lines.direct), \(here):\(lines.mapped)"))
            #expect(!reported.joined().contains(":\(lines.late)"))
        }

        private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
            let done = DispatchSemaphore(value: 0)
            Thread {
                body()
                done.signal()
            }.start()
            done.wait()
        }
    }
}
