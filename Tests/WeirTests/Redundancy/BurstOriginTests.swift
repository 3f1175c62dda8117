import Testing
import Weir
import WeirTestSupport
import WeirTesting
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// Bursts of refreshes that a callback or another actor began.
    @MainActor @Suite struct BurstOriginTests {
        private final class Label {
            var number = 0
        }

        private actor Meter {
            let level = Observable(0)

            func run() async {
                for value in 1...4 {
                    level.value = value
                    await Task.yield()
                }
            }
        }

        private func findings(_ recorded: RecordedFile) throws -> [Finding] {
            let reader = try TraceReader(path: recorded.file.path)
            let definitions = try reader.definitions()
            return Findings(RedundancyPass(reader, Topology(definitions)), definitions).found
        }

        @Test(arguments: [false, true])
        func `Calls of a callback are stimuli of their own for work that they cause later`(isDirect: Bool) throws {
            let recorded = try RecordedFile {
                let time = VirtualScheduler()
                let (level, bag) = (Observable(0), DisposeBag())
                let shown = isDirect ? level.current : level.delay(.milliseconds(3), on: time)
                shown.subscribe { _ in }.disposed(by: bag)
                for value in 1...3 {
                    try withTracing("didScroll", value) {
                        let write = Trace.carryingCause { level.value = value }
                        if isDirect { _ = try time.schedule(after: .milliseconds(3)) { write() } } else { write() }
                    }
                    time.advance(by: .milliseconds(5))
                }
            }
            #expect(try findings(recorded).map(\.rule).filter { $0 == .burst } == [])
        }

        @Test(arguments: [false, true])
        func `A handler that shows the values of an actor writes nothing that feeds it`(hasSecond: Bool) async throws {
            let recorded = try await RecordedFile.ofTask {
                let (meter, bag, label) = (Meter(), DisposeBag(), Label())
                meter.level.subscribe { label.number = $0 }.disposed(by: bag)
                if hasSecond { meter.level.map { $0 / 10 }.subscribe { @Sendable _ in }.disposed(by: bag) }
                await Trace.stimulus("measure") { await meter.run() }
                while label.number < 4 { await Task.yield() }
            }
            let remedies = try findings(recorded).compactMap(\.remedy?.kind)
            #expect(!remedies.contains(.cutLaterLoop), "\(remedies)")
        }
    }
}
