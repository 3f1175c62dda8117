import Foundation
import Testing
import WeirHeap
import WeirTrace

@testable import Weir
@testable import WeirTesting

nonisolated(unsafe) private var assigned: AnyObject?

extension Everything {
    /// `expectNoLeaks` and `expectNoGrowth`: their findings, their exceptions, and their messages.
    @Suite(.patience(4)) struct LeakExpectationTests {
        private final class Screen: @unchecked Sendable {
            let title = Observable("")
            var onClose: (() -> Void)?
            var shown = 0

            func close() { shown = 0 }
        }

        private final class Session {
            let user = Observable("")
            var screens: [Screen] = []
            nonisolated(unsafe) static let shared = Session()
        }

        /// So large that the allocator leaves its content in freed memory.
        private final class FormerOwner {
            let before = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
            var screen: Screen?
        }

        private func complaint(_ body: () throws -> Void) rethrows -> String? {
            try LeakScope().complaint(after: body)
        }

        /// After many tests, old memory may seem to contain a second holder; then the report names none.
        private func isHolderUnknown(_ complaint: String) -> Bool {
            complaint.contains("1 reference that the walk does not see")
        }

        @Test func `a task that cannot run during the wait is reported with what to write`() async throws {
            func leave() -> Task<Void, any Error> {
                let screen = Screen()
                return Task {
                    try await Task.sleep(nanoseconds: .max / 2)
                    screen.close()
                }
            }
            let hint = "Make the test async, and write `await expectNoLeaks`."
            var tasks: [Task<Void, any Error>] = []
            try LeakScope.$patience.withValue(2) {
                let blocking = try #require(complaint { tasks.append(leave()) })
                #expect(isHolderUnknown(blocking) || blocking.contains(hint), "\(blocking)")
            }
            try await LeakScope.$patience.withValue(2) {
                let suspending = try #require(
                    await LeakScope().complaint { () async in
                        await Task.yield()
                        tasks.append(leave())
                    })
                #expect(!suspending.contains(hint), "\(suspending)")
            }
            for task in tasks { task.cancel() }
        }

        /// Written as a user writes it: the body only starts a task, which needs this thread.
        @MainActor @Test func `an asynchronous test waits without blocking`() async {
            await expectNoLeaks {
                let screen = Screen()
                Task {
                    try? await Task.sleep(nanoseconds: 20_000_000)
                    screen.close()
                }
            }
            await expectNoLeaks {
                let screen = Screen()
                DispatchQueue.main.async { screen.close() }
            }
        }

        // MARK: Nothing leaks

        @Test func `what is gone is not reported`() {
            let complaint = complaint {
                let screen = Screen()
                screen.onClose = { [weak screen] in screen?.close() }
                let bag = DisposeBag()
                screen.title.subscribe { _ in }.disposed(by: bag)
                screen.title.value = "Login"
                screen.onClose?()
            }
            #expect(complaint == nil)
        }

        @Test func `what was there before may go on`() {
            let session = Session()
            let bag = DisposeBag()
            let complaint = complaint {
                session.user.subscribe { _ in }.disposed(by: bag)
                bag.dispose()
                session.user.value = "Maruko"
            }
            #expect(complaint == nil)
            withExtendedLifetime(session) {}
        }

        @Test func `a global that is first used inside is not reported`() {
            final class Settings {
                let theme = Observable("dark")
                nonisolated(unsafe) static let shared = Settings()
            }
            #expect(complaint { Settings.shared.theme.value = "light" } == nil)
        }

        @Test func `what is given to a global that is first used inside is reported`() throws {
            final class Store {
                let user = Observable("")
                var screens: [Screen] = []
                nonisolated(unsafe) static let subscribed = Store()
                nonisolated(unsafe) static let listed = Store()
            }
            let subscribed = try #require(
                complaint {
                    Store.subscribed.user.value = "Maruko"
                    let screen = Screen()
                    Store.subscribed.user.subscribe { _ in screen.shown += 1 }
                })
            #expect(subscribed.contains("╰→") && subscribed.contains("Screen"), "\(subscribed)")
            let listed = try #require(
                complaint {
                    let screen = Screen()
                    Store.listed.screens.append(screen)
                })
            #expect(listed.contains(".screens"), "\(listed)")
        }

        @Test(arguments: Globals.cases.map(\.key))
        func `an object that is assigned to a global is reported`(name: String) throws {
            let assign = try #require(Globals.cases.first { $0.key == name }).value
            defer { Globals.clear() }
            let text = try #require(complaint { assign() })
            #expect(text.contains("\(name)"), "\(text)")
        }

        @Test func `the object that one pattern of globals begins with is not reported`() {
            #expect(complaint { _ = Globals.secondOfTwo.shown } == nil)
        }

        @Test func `an object that replaces the one of a global is reported, not what it holds`() throws {
            defer { Globals.clear() }
            Globals.current = Screen()
            let text = try #require(complaint { Globals.current = Screen() })
            #expect(text.contains("Remedy: remove it from static") && text.contains("Globals.current"), "\(text)")
            #expect(!text.contains(".title"), "\(text)")
        }

        @Test func `an object that replaces the one of a global that computes its first is reported`() throws {
            _ = Globals.computed.shown
            let text = try #require(complaint { Globals.computed = Screen() })
            #expect(text.contains("Globals.computed"), "\(text)")
        }

        @Test func `a global's first object is not reported for being assigned to another one, too`() {
            defer { Globals.clear() }
            #expect(complaint { Globals.current = Globals.first } == nil)
        }

        /// Variables that hold screens.
        private enum Globals {
            nonisolated(unsafe) static var current: Screen?
            nonisolated(unsafe) private static var hidden: Screen?
            nonisolated(unsafe) static var anything: Any?
            nonisolated(unsafe) static var computed = Screen()
            static let first = Screen()
            static let (firstOfTwo, secondOfTwo) = (Screen(), Screen())

            static let cases: KeyValuePairs<String, @Sendable () -> Void> = [
                "Globals.current": { current = Screen() },
                "Globals.hidden": { hidden = Screen() },
                "Globals.anything": { anything = Screen() },
                "global assigned": { assigned = Screen() },
            ]

            static func clear() {
                (current, hidden, anything, assigned) = (nil, nil, nil, nil)
            }
        }

        /// It waits as long as the other thread needs on a machine that is busy.
        @Test(.patience(100_000)) func `what another thread is about to let go of is waited for`() {
            let complaint = complaint {
                let screen = Screen()
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { withExtendedLifetime(screen) {} }
            }
            #expect(complaint == nil)
        }

        @Test func `errors pass through`() {
            struct Failed: Error {}
            #expect(throws: Failed.self) { try complaint { throw Failed() } }
        }

        // MARK: Something does

        @Test func `a forgotten subscription to a timer is named by its line, not by a line of Weir`() throws {
            let text = complaint {
                let screen = Screen()
                // It must not fire: the recording of another test would have it.
                Signal<Int>.interval(.seconds(100_000), on: .main).subscribe { [weak screen] in screen?.shown = $0 }
            }
            let complaint = try #require(text)
            let remedy = try #require(complaint.split(separator: "\n").last { $0.contains("Remedy:") })
            #expect(remedy.contains("dispose the subscription made at"), "\(complaint)")
            #expect(remedy.contains("LeakExpectationTests.swift"), "\(complaint)")
        }

        @Test func `a closure that captures its owner is proven, with its line`() throws {
            // Not inside a macro: its argument is compiled from a generated file.
            let text = complaint {
                let screen = Screen()
                screen.onClose = { screen.close() }
            }
            let complaint = try #require(text)
            #expect(complaint.contains("retain-cycle"), "\(complaint)")
            #expect(complaint.contains("proven: nothing outside holds"), "\(complaint)")
            #expect(complaint.contains(".onClose"), "\(complaint)")
            #if DEBUG  // An optimized program may merge closures that do the same; those have no line.
            #expect(complaint.contains("LeakExpectationTests.swift:"), "\(complaint)")
            #endif
        }

        @Test(
            arguments: [
                { Trace.expectReleased($0) }, { Trace.track($0) }, { Trace.adopt($0) },
                {
                    Trace.track($0)
                    Trace.adopt($0)
                    Trace.expectReleased($0)
                },
            ] as [@Sendable (AnyObject) -> Void])
        func `a cycle of an object that the program tracks is proven, too`(_ track: @Sendable (AnyObject) -> Void)
            throws
        {
            var leaked: Unmanaged<Screen>?
            let text = complaint {
                let screen = Screen()
                screen.onClose = { screen.close() }
                track(screen)
                leaked = .passUnretained(screen)
            }
            // Otherwise the next recording would contain it, as all that is tracked while nothing is recorded.
            leaked?.takeUnretainedValue().onClose = nil
            let complaint = try #require(text)
            #expect(complaint.contains("proven: nothing outside holds"), "\(complaint)")
            #expect(!complaint.contains("weak reference"), "\(complaint)")
        }

        @Test func `a weak reference of the program to a tracked object still counts`() throws {
            final class Watcher { weak var screen: Screen? }
            let watcher = Watcher()
            let text = complaint {
                let screen = Screen()
                screen.onClose = { screen.close() }
                watcher.screen = screen
                Trace.track(screen)
            }
            watcher.screen?.onClose = nil
            let complaint = try #require(text)
            #expect(complaint.contains("A weak reference from elsewhere still reaches"), "\(complaint)")
        }

        @Test func `a forgotten subscription is reported with what holds it`() throws {
            let session = Session()
            // The optimizer must not remove it.
            let outside = Unmanaged.passRetained(session)
            defer { outside.release() }
            let complaint = try #require(
                complaint {
                    let screen = Screen()
                    session.user.subscribe { _ in screen.shown += 1 }
                })
            #expect(complaint.contains("outlived-scope"), "\(complaint)")
            #expect(complaint.contains("Screen"), "\(complaint)")
            let isUnknown = isHolderUnknown(complaint)
            #expect(isUnknown || complaint.contains("Session"), "\(complaint)")
            #expect(isUnknown || complaint.contains(".user"), "\(complaint)")
        }

        @Test func `what is left of a freed object holds nothing`() throws {
            let session = Session()
            var former = (0..<2000).map { _ in FormerOwner() }
            let complaint = try #require(
                complaint {
                    let screen = Screen()
                    for owner in former { owner.screen = screen }
                    former = []
                    session.screens = [screen]
                })
            #expect(complaint.contains("outlived-scope"), "\(complaint)")
            #expect(!complaint.contains("FormerOwner"), "\(complaint)")
            #expect(!complaint.contains("more references"), "\(complaint)")
            withExtendedLifetime(session) {}
        }

        @Test func `hundreds of them are one finding`() throws {
            let session = Session()
            let complaint = try #require(
                complaint {
                    for _ in 0..<300 {
                        let screen = Screen()
                        session.user.subscribe { _ in screen.shown += 1 }
                    }
                })
            #expect(complaint.components(separatedBy: "outlived-scope").count == 2, "\(complaint)")
            #expect(complaint.contains("299 more like it"), "\(complaint)")
            withExtendedLifetime(session) {}
        }

        @Test func `what a global keeps is reported with the global's name`() throws {
            _ = Session.shared
            let complaint = try #require(complaint { Session.shared.screens.append(Screen()) })
            let isUnknown = isHolderUnknown(complaint)
            #expect(isUnknown || complaint.contains("static") && complaint.contains("Session.shared"), "\(complaint)")
            #expect(isUnknown || complaint.contains(".screens"), "\(complaint)")
            Session.shared.screens = []
        }

        @Test func `what the handler of a dispatch timer captures is reported`() throws {
            final class Clock {
                var timer: (any DispatchSourceTimer)?
                var ticks = 0
            }
            var timers: [any DispatchSourceTimer] = []
            let text = complaint {
                let clock = Clock()
                let timer = DispatchSource.makeTimerSource()
                timer.schedule(deadline: .distantFuture)
                timer.setEventHandler { clock.ticks += 1 }
                clock.timer = timer
                timer.resume()
                timers.append(timer)
            }
            let complaint = try #require(text)
            #expect(complaint.contains("outlived-scope") && complaint.contains("Clock"), "\(complaint)")
            for timer in timers { timer.cancel() }
        }

        @Test func `what work for later on a queue captures is reported`() throws {
            let text = complaint {
                let screen = Screen()
                DispatchQueue.global().asyncAfter(deadline: .now() + 1000) { screen.shown += 1 }
            }
            let complaint = try #require(text)
            #expect(complaint.contains("outlived-scope") && complaint.contains("Screen"), "\(complaint)")
        }

        @Test func `a variable that a closure captures, and that holds the closure`() throws {
            let complaint = complaint {
                var again: (() -> Void)?
                again = { if again == nil { again?() } }
            }
            #expect(complaint?.contains("retain-cycle") == true, "\(complaint ?? "nothing")")
        }

        #if os(Linux)
        @Test func `a walk that was aborted is reported with its reason`() throws {
            ForkedWalk.duringWalk = { kill(getpid(), SIGSEGV) }
            defer { ForkedWalk.duringWalk = nil }
            let reason = "Heap walk aborted: it crashed (SIGSEGV). The program was not affected."
            let session = Session()
            let held = complaint { session.screens = [Screen(), Screen()] }
            #expect(
                held
                    == "not everything that was made here is gone: 2 Observable<String>, 2 Screen. "
                    + "What holds them cannot be said: \(reason)")
            let round = GrowthScope(rounds: 3).complaint { session.screens.append(Screen()) }
            #expect(round?.hasSuffix("Screen. What holds them cannot be said: \(reason)") == true, "\(round ?? "")")
            // No object of a class of the program survives, but there may be a cycle.
            let cycle = complaint {
                var again: (() -> Void)?
                again = { if again == nil { again?() } }
            }
            #expect(cycle == "cannot judge whether anything leaks: \(reason)")
            #expect(complaint { _ = session.user.value } == nil)
            withExtendedLifetime(session) {}
        }
        #endif

        @Test(arguments: [
            ([], ""),
            (
                [SnapshotLimitation(.unknownMemory, "Screen.image")],
                " Screen.image has memory that no metadata describes."
            ),
        ])
        func `survivors of which a whole walk shows none are reported`(
            _ limitations: [SnapshotLimitation], _ reason: String
        ) throws {
            let screens = [Screen(), Screen()]
            let addresses = screens.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) }
            let report = SurvivorReport(addresses, since: VariableCopy()) { _ in
                var snapshot = TraceSnapshot()
                snapshot.limitations = limitations
                return snapshot
            }
            #expect(
                report.text == "not everything that was made here is gone: 2 Screen. "
                    + "What holds them cannot be said: The heap walk shows none of them.\(reason)")
            withExtendedLifetime(screens) {}
        }

        // MARK: Waiting

        @Test func `what waits is judged too`() async throws {
            let clean = await LeakScope().complaint {
                let screen = Screen()
                await Task.yield()
                let task = Task { @Sendable in 7 }
                _ = await task.value
                screen.shown = 1
            }
            #expect(clean == nil)
            let leaky = await LeakScope().complaint {
                await Task.yield()
                let screen = Screen()
                screen.onClose = { screen.close() }
            }
            #expect(leaky?.contains("retain-cycle") == true, "\(leaky ?? "nothing")")
        }

        @Test @MainActor func `on the main actor`() async {
            await expectNoLeaks { @MainActor in
                let screen = Screen()
                await Task.yield()
                screen.close()
            }
            await expectNoLeaks {
                let screen = Screen()
                screen.close()
            }
        }

        @Test func `what runs beside the scope does not belong to it`() async {
            let session = Session()
            let complaint = await LeakScope().complaint {
                await Task.detached { @Sendable in Session.shared.screens.append(Screen()) }.value
            }
            #expect(complaint == nil)
            Session.shared.screens = []
            withExtendedLifetime(session) {}
        }

        // MARK: Growth

        @Test func `what each round leaves is growth`() throws {
            let session = Session()
            let complaint = try #require(
                GrowthScope(rounds: 4).complaint { session.screens.append(Screen()) })
            #expect(complaint.contains("each of 4 rounds"), "\(complaint)")
            #expect(complaint.contains("Screen"), "\(complaint)")
            withExtendedLifetime(session) {}
        }

        @Test func `a cache that is filled once does not grow`() {
            let session = Session()
            let complaint = GrowthScope(rounds: 3).complaint {
                if session.screens.isEmpty { session.screens.append(Screen()) }
            }
            #expect(complaint == nil)
            withExtendedLifetime(session) {}
        }

        @Test func `a list that is emptied now and then does not grow`() {
            let session = Session()
            let complaint = GrowthScope(rounds: 6).complaint {
                session.screens.append(Screen())
                if session.screens.count == 3 { session.screens = [] }
            }
            #expect(complaint == nil)
        }

        // MARK: Issues

        @Test func `the issue stands at the caller's line`() {
            withKnownIssue {
                expectNoLeaks {
                    let screen = Screen()
                    screen.onClose = { screen.close() }
                }
            } matching: { issue in
                issue.sourceLocation?.fileName == "LeakExpectationTests.swift"
                    && issue.comments.contains { $0.rawValue.contains("retain-cycle") }
            }
        }
    }

    @Suite(.noLeaks) struct NoLeaksTraitTests {
        @Test func `a test that leaves nothing`() {
            let name = Observable("")
            let length = name.map(\.count)
            let bag = DisposeBag()
            length.subscribe { _ in }.disposed(by: bag)
            name.value = "Maruko"
        }

        @Test func `a test that waits, and leaves nothing`() async {
            let name = Observable("")
            await Task.yield()
            name.value = "Maruko"
        }
    }
}

/// How often a test waits for survivors. Most tests here expect some, and would each wait half a second for nothing.
private struct PatienceTrait: SuiteTrait, TestTrait, TestScoping {
    let tries: Int

    func provideScope(
        for test: Test, testCase: Test.Case?, performing run: @Sendable () async throws -> Void
    ) async throws {
        try await LeakScope.$patience.withValue(tries) { try await run() }
    }
}

extension Trait where Self == PatienceTrait {
    fileprivate static func patience(_ tries: Int) -> Self { PatienceTrait(tries: tries) }
}
