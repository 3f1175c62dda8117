import Dispatch
import Foundation
import Observation
import Testing
import Weir
import WeirAnalysis
import WeirReport
import WeirTrace

@Observable
private final class Person {
    var first = ""
    var last = ""
    var fullName: String { "\(first) \(last)" }
}

extension Everything {
    /// From a running program to the findings: the recorder's output, and the rules' findings in it.
    @MainActor @Suite struct RecordedLeakTests {
        private final class Session {
            let user = Observable("")
            let tick = Emitter<Void>()
        }

        @MainActor private final class Screen {
            let title = Observable("")
            var shown = 0
            let bag = DisposeBag()

            /// Forgets to dispose.
            func show(_ session: Session) { session.user.subscribe { self.shown += $0.count } }

            func showRightly(_ session: Session) {
                session.user.subscribe { [weak self] in self?.shown += $0.count }.disposed(by: bag)
            }
        }

        private struct Judgement {
            let findings: LeakFindings
            let text: String

            init(_ file: TemporaryTrace) throws {
                let reader = try TraceReader(path: file.path)
                let pass = LeakPass(reader, Topology(try reader.definitions()))
                findings = LeakFindings(pass, reader, snapshot: reader.snapshot)
                text = LeakReport(pass, findings, snapshot: reader.snapshot).text()
            }
        }

        private func judge(_ body: () throws -> Void) throws -> Judgement {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, clock: VirtualClock())
            do {
                defer { Trace.stop() }
                try body()
            }
            return try Judgement(file)
        }

        /// In a build without optimization a hundred thousand screens, for most of which a snapshot has no room, take over a minute.
        #if DEBUG
        private nonisolated static let screenCounts = [1000, 5000]
        #else
        private nonisolated static let screenCounts = [1000, 100_000]
        #endif

        @Test(arguments: screenCounts)
        func `screens that forgotten subscriptions keep alive are one finding, however many`(_ count: Int) throws {
            let session = Session()
            let judgement = try judge {
                Trace.adopt(session)
                for _ in 0..<count {
                    let screen = Screen()
                    Trace.track(screen)
                    screen.show(session)
                    Trace.expectReleased(screen)
                }
                Trace.checkpoint("all closed")
                session.user.value = "Maruko"
                session.user.value = "Momoko"
            }
            // Objects that other tests of this process left behind are found by other rules.
            let found = judgement.findings.found.filter { $0.rule == .outlivedScope || $0.rule == .undisposed }
            #expect(found.count == 1, "\(judgement.text)")
            let finding = try #require(found.first)
            #expect(finding.rule == .outlivedScope && finding.severity == .error)
            #expect(finding.count == UInt64(count))
            #expect(finding.expectation?.deadline == .checkpoint("all closed"))
            let deliveries = try #require(finding.expectation?.deliveries)
            // For those without room in the snapshot, the receivers are unknown.
            let all = UInt64(2 * count)
            #expect(count > 10_000 ? (2000...all).contains(deliveries) : deliveries == all)
            // The line that made the subscription, and the path that holds the screens.
            let line = try #require(sourceLine(of: "func show(", in: "RecordedLeakTests.swift"))
            #expect(judgement.text.contains("RecordedLeakTests.swift:\(line)"), "\(judgement.text)")
            #expect(judgement.text.contains("Session"), "\(judgement.text)")
            #expect(judgement.text.contains(".user"), "\(judgement.text)")
            #expect(judgement.text.contains("\(Figures.count(count - 1)) more like it"), "\(judgement.text)")
            withExtendedLifetime(session) {}
        }

        @Test func `without a word of what should be gone, they are still reported`() throws {
            let session = Session()
            let judgement = try judge {
                for _ in 0..<20 {
                    let screen = Screen()
                    Trace.track(screen)
                    screen.show(session)
                }
                session.user.value = "Maruko"
            }
            let findings = judgement.findings.found.filter { $0.rule == .undisposed && $0.severity == .warning }
            #expect(findings.map(\.count) == [20], "\(judgement.text)")
            withExtendedLifetime(session) {}
        }

        @Test func `screens that dispose are not reported`() throws {
            let session = Session()
            let judgement = try judge {
                for _ in 0..<20 {
                    let screen = Screen()
                    Trace.track(screen)
                    screen.showRightly(session)
                    Trace.expectReleased(screen)
                }
                Trace.checkpoint("all closed")
                session.user.value = "Maruko"
            }
            let rules = Set(judgement.findings.found.map(\.rule))
            #expect(rules.isDisjoint(with: [.outlivedScope, .undisposed, .growth]), "\(judgement.text)")
            withExtendedLifetime(session) {}
        }

        @Test func `a round trip that leaves more behind each time grows`() throws {
            let session = Session()
            let judgement = try judge {
                for _ in 0..<4 {
                    let screen = Screen()
                    screen.show(session)
                    Trace.checkpoint("back at home")
                }
            }
            let growth = judgement.findings.found.filter { $0.rule == .growth }
            #expect(!growth.isEmpty, "\(judgement.text)")
            #expect(growth.allSatisfy { $0.count == 3 && $0.severity == .warning }, "\(judgement.text)")
            withExtendedLifetime(session) {}
        }

        @Test(arguments: [false, true])
        func `what follows a model that lives on is no cycle`(throughWrapper: Bool) throws {
            let model = Person()
            let judgement = try judge {
                Trace.adopt(model)
                Trace.observe(model, \.first, \.fullName, on: .immediate)
                let form = Trace.wrap(model)
                form.first = "Maruko"
                if throughWrapper { _ = form.fullName } else { _ = model.fullName }
                Trace.checkpoint("shown")
            }
            // Earlier tests may have left cycles.
            #expect(!judgement.text.contains("Person"), "\(judgement.text)")
            withExtendedLifetime(model) {}
        }

        private func sourceLine(of text: String, in file: String) -> Int? {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            guard let source = try? String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8) else {
                return nil
            }
            return source.split(separator: "\n", omittingEmptySubsequences: false)
                .firstIndex { $0.contains(text) }.map { $0 + 1 }
        }

        /// Keeps an object that should be gone, and what it owns.
        nonisolated(unsafe) private static var kept: AnyObject?

        @MainActor private final class Player {
            let position = Observable(0)
            var shown = 0
            private let bag = DisposeBag()

            init() { position.subscribe { [weak self] in self?.shown = $0 }.disposed(by: bag) }
        }

        @Test func `subscriptions in the bag of what is reported are reported with it`() throws {
            defer { Self.kept = nil }
            let judgement = try judge {
                let player = Player()
                Trace.adopt(player)
                Self.kept = player
                Trace.expectReleased(player)
                Trace.checkpoint("closed")
            }
            // Cycles that earlier tests left may be reported, too.
            let rules = judgement.findings.found.map(\.rule).filter { $0 != .retainCycle && $0 != .heldCycle }
            #expect(rules == [.outlivedScope], "\(judgement.text)")
        }

        #if os(Linux)
        // In processes of their own: where many tests have run, their remains may seem to hold something, too.

        @Test func `what a timer's handler keeps is reported with the line of the handler`() throws {
            let text = try textAboutLateObject("heldByTimer")
            let line = try #require(
                sourceLine(of: "timer.setEventHandler {", in: "../../WeirPlainProgram/LateObject.swift"))
            let closure = "the closure at WeirPlainProgram/LateObject.swift:\(line)"
            #expect(text.contains("\(closure), which a timer"), "\(text)")
            let place = "WeirPlainProgram/LateObject.swift:\(line)"
            #expect(
                text.contains(
                    "Remedy: cancel what calls the closure at \(place) when this should go, and capture Stopwatch weakly in it."
                ),
                "\(text)")
        }

        @Test func `what the closure of a task holds is reported with the line that captures`() throws {
            let text = try textAboutLateObject("heldByClosureOfTask")
            #expect(text.contains("Remedy: cancel the task made at WeirPlainProgram/LateObject.swift:"), "\(text)")
            #expect(text.contains("when this should go, and hold Stopwatch weakly in its loop."), "\(text)")
        }

        @Test func `what the loop of a task holds is reported as held by a task`() throws {
            let text = try textAboutLateObject("heldByLoopOfTask")
            #expect(text.contains("│  a task that runs the closure at WeirPlainProgram/LateObject.swift:"), "\(text)")
            #expect(text.contains("Remedy: cancel the task made at WeirPlainProgram/LateObject.swift:"), "\(text)")
            #expect(text.contains("when this should go, and hold Stopwatch weakly in its loop."), "\(text)")
        }

        /// The report on a program in which one object is overdue.
        private func textAboutLateObject(_ name: String) throws -> String {
            let file = try TemporaryTrace()
            _ = try BuiltProgram("WeirPlainProgram").output([name], environment: ["WEIR_TRACE": file.path])
            let text = try Judgement(file).text
            #expect(text.contains("1 finding") && text.contains("outlived-scope · error"), "\(text)")
            return text
        }
        #endif
    }
}
