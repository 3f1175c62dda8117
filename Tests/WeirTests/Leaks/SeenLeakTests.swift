import Testing
import Weir
import WeirAnalysis
import WeirReport
import WeirTrace

extension Everything {
    /// Leaks, and healthy programs, in the shapes of real applications.
    @MainActor @Suite struct SeenLeakTests {
        @MainActor private final class Router { var coordinator: Coordinator? }

        @MainActor private final class Coordinator {
            let router = Router()
            var screen: Screen?
            init() { router.coordinator = self }
        }

        @MainActor private final class Screen {
            let title = Observable("")
            let bag = DisposeBag()
        }

        @MainActor private final class Player { let position = Observable(0) }

        @MainActor private final class Page {
            var next: Page?
            let number = Observable(0)
        }

        @MainActor private enum Cache {
            static var pages: [Page] = []
            static var screen: Screen?
            static var otherScreen: Screen?
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

        // MARK: Weak references

        @MainActor private enum Front { static weak var screen: Coordinator? }

        private func showCoordinator(inFront: Bool) {
            let coordinator = Coordinator()
            Trace.adopt(coordinator)
            if inFront { Front.screen = coordinator }
        }

        @Test func `A cycle that a weak reference from elsewhere reaches may still be broken`() throws {
            for isInFront in [true, false] {
                let judged = try judge {
                    showCoordinator(inFront: isInFront)
                    Trace.checkpoint("closed")
                }
                #expect(judged.findings.found.map(\.rule) == [.retainCycle])
                let isSaid = judged.text.contains("A weak reference from elsewhere still reaches")
                #expect(isSaid == isInFront, Comment(rawValue: judged.text))
                #expect(judged.text.contains("· proven: nothing outside holds") != isInFront, "\(judged.text)")
                #expect(judged.findings.found.map(\.severity) == [isInFront ? .warning : .error])
                Front.screen?.router.coordinator = nil
            }
        }

        @MainActor private final class Entry {
            let coordinator = Coordinator()
            var own: Entry?
            init() { own = self }
        }

        @MainActor private enum Back { static weak var entry: Entry? }

        private func showEntry() {
            let entry = Entry()
            Trace.adopt(entry.coordinator)
            Back.entry = entry
        }

        @Test func `A cycle that garbage holds, which a weak reference reaches, may still be broken`() throws {
            let judged = try judge {
                showEntry()
                Trace.checkpoint("closed")
            }
            Back.entry?.coordinator.router.coordinator = nil
            Back.entry?.own = nil
            let cycle = try #require(judged.findings.found.first { $0.rule == .retainCycle }, "\(judged.text)")
            #expect(cycle.severity == .warning && cycle.weakEntry != nil, "\(judged.text)")
            #expect(!judged.text.contains("proven: nothing outside holds"), "\(judged.text)")
        }

        private final class Child { weak var parent: Parent? }
        private final class Parent {
            let child = Child()
            var own: Parent?
        }

        private func makeFamily() {
            let parent = Parent()
            parent.child.parent = parent
            parent.own = parent
            Trace.adopt(parent)
        }

        @Test func `A weak reference within the garbage reaches nothing`() throws {
            let judged = try judge {
                makeFamily()
                Trace.checkpoint("closed")
            }
            #expect(judged.findings.found.map(\.rule) == [.retainCycle])
            #expect(!judged.text.contains("weak reference"))
        }

        // MARK: Cycles beside the expected object

        private func closeCoordinated() {
            let coordinator = Coordinator()
            let screen = Screen()
            coordinator.screen = screen
            Trace.track(screen)
            Trace.expectReleased(screen)
        }

        @Test func `a cycle that only the search for holders finds is proven`() throws {
            let judgement = try judge {
                closeCoordinated()
                Trace.checkpoint("closed")
            }
            let cycle = try #require(judgement.findings.found.first { $0.rule == .retainCycle }, "\(judgement.text)")
            #expect(cycle.severity == .error && cycle.companions == 1)
            #expect(judgement.text.contains("Router weakly: `weak var coordinator`"), "\(judgement.text)")
            #expect(!judgement.findings.found.contains { $0.rule == .outlivedScope }, "\(judgement.text)")
        }

        private func closeRecursive() {
            let screen = Screen()
            Trace.track(screen)
            var again: (() -> Void)?
            again = { if screen.title.value == "again" { again?() } }
            again?()
            Trace.expectReleased(screen)
        }

        @Test
        func
            `each object is reported with the cycle that keeps it, and a closure that calls itself has its own remedy`()
            throws
        {
            let judgement = try judge {
                closeCoordinated()
                closeRecursive()
                Trace.checkpoint("closed")
            }
            let cycles = judgement.findings.found.filter { $0.rule == .retainCycle }
            #expect(cycles.map(\.companions) == [1, 1], "\(judgement.text)")
            #expect(cycles.contains { $0.remedy.kind == .endRecursion }, "\(judgement.text)")
            #expect(!judgement.text.contains("capture closure"), "\(judgement.text)")
        }

        // MARK: Healthy programs

        @Test func `a stack of screens that was closed is no growth`() throws {
            let player = Player()
            let judgement = try judge {
                Trace.adopt(player)
                var stack: [Screen] = []
                func push() {
                    let screen = Screen()
                    Trace.track(screen)
                    player.position.subscribe { [weak screen] in screen?.title.value = "at \($0)" }
                        .disposed(by: screen.bag)
                    stack.append(screen)
                }
                for position in 1...3 {
                    push()
                    player.position.value = position
                    Trace.checkpoint("pushed")
                }
                stack = []
                push()
                push()
                player.position.value = 4
                Trace.checkpoint("end")
                stack = []
            }
            #expect(!judgement.findings.found.contains { $0.rule == .growth }, "\(judgement.text)")
            #expect(!judgement.findings.hasFaults, "\(judgement.text)")
        }

        @Test func `a stack of screens that stays is a growth`() throws {
            let player = Player()
            var stack: [Screen] = []
            let judgement = try judge {
                for _ in 1...4 {
                    let screen = Screen()
                    Trace.track(screen)
                    stack.append(screen)
                    Trace.checkpoint("shown")
                }
            }
            let growth = try #require(judgement.findings.found.first { $0.rule == .growth }, "\(judgement.text)")
            #expect(growth.severity == .warning)
            withExtendedLifetime((player, stack)) {}
        }

        private func fillCache() {
            let (first, second) = (Page(), Page())
            (first.next, second.next) = (second, first)
            Trace.track(first)
            Cache.pages = [first, second]
        }

        @Test func `a cycle that a static array holds is a note, and names the array`() throws {
            defer {
                for page in Cache.pages { page.next = nil }
                Cache.pages = []
            }
            let judgement = try judge {
                fillCache()
                Trace.checkpoint("filled")
            }
            let cycle = try #require(judgement.findings.found.first { $0.rule == .heldCycle }, "\(judgement.text)")
            #expect(cycle.severity == .note, "\(judgement.text)")
            #expect(judgement.text.contains("Cache.pages"), "\(judgement.text)")
        }

        // MARK: Bags and lists

        @MainActor private final class Cell {
            let name = Observable("a")
            let bag = DisposeBag()

            func show(in label: Observable<String>, capturing model: Cell) {
                Observable.combine(model.name) { [model] in "\($0) \(ObjectIdentifier(model).hashValue % 2)" }
                    .subscribe { label.value = $0 }.disposed(by: bag)
            }
        }

        @MainActor private enum Open { static var cells: [Cell] = [] }

        private func showCell(capturing isOwn: Bool) {
            let (cell, model) = (Cell(), Cell())
            Trace.adopt(cell)
            Trace.adopt(model)
            cell.show(in: Observable(""), capturing: isOwn ? cell : model)
            Open.cells = [cell]
        }

        /// The bag of `isOwn` belongs to what the closure captures, so that nothing releases it.
        @Test(arguments: [true, false])
        func `a cycle that the bag of an open screen cuts is not reported, and is none later`(_ isOwn: Bool) throws {
            let open = try judge {
                showCell(capturing: isOwn)
                Trace.checkpoint("open")
            }
            #expect(open.findings.found.contains { $0.rule == .heldCycle } == isOwn, "\(open.text)")
            Open.cells = []
            let closed = try judge {
                showCell(capturing: isOwn)
                Open.cells = []
                Trace.checkpoint("closed")
            }
            #expect(closed.findings.found.map(\.rule) == (isOwn ? [.retainCycle] : []), "\(closed.text)")
        }

        @MainActor private final class Hub {
            var handlers: [() -> Void] = []
        }

        private func openPage(in hub: Hub) {
            let page = Page()
            hub.handlers.append { page.number.value += 1 }
            Trace.track(page)
            Trace.expectReleased(page)
        }

        @Test func `what a closure in a list holds until the end is no work to await`() throws {
            let judgement = try judge {
                var hub: Hub? = Hub()
                if let hub { openPage(in: hub) }
                Trace.checkpoint("closed")
                hub = nil
            }
            let finding = try #require(judgement.findings.found.first, "\(judgement.text)")
            #expect(finding.expectation?.late == 1, "\(judgement.text)")
            #expect(finding.remedy.kind == .captureWeakly, "\(judgement.text)")
        }

        // MARK: Several causes

        private func fillScreens() {
            (Cache.screen, Cache.otherScreen) = (Screen(), Screen())
            for screen in [Cache.screen, Cache.otherScreen].compactMap(\.self) {
                Trace.track(screen)
                Trace.expectReleased(screen)
            }
        }

        @Test func `objects that two globals hold are two findings`() throws {
            defer { (Cache.screen, Cache.otherScreen) = (nil, nil) }
            let judgement = try judge {
                fillScreens()
                Trace.checkpoint("closed")
            }
            let found = judgement.findings.found.filter { $0.rule == .outlivedScope }
            #expect(found.map(\.count) == [1, 1], "\(judgement.text)")
            #expect(judgement.text.contains("Cache.screen\n") || judgement.text.contains("Cache.screen."))
            #expect(judgement.text.contains("Cache.otherScreen"), "\(judgement.text)")
        }

        // MARK: Values

        @Test func `a value that passes operators is received once`() throws {
            let player = Player()
            let judgement = try judge {
                func show() {
                    let screen = Screen()
                    Trace.track(screen)
                    player.position.map { $0 + 1 }.filter { $0 > 0 }.map { "\($0)" }.subscribe(owner: screen) {
                        screen.title.value = $0
                    }
                    Trace.expectReleased(screen)
                }
                show()
                Trace.checkpoint("closed")
                for position in 1...50 { player.position.value = position }
            }
            let found = try #require(judgement.findings.found.first { $0.rule == .outlivedScope }, "\(judgement.text)")
            #expect(found.expectation?.deliveries == 50, "\(judgement.text)")
            withExtendedLifetime(player) {}
        }

        @Test func `values that come through a second subscription of the object count`() throws {
            let (player, title) = (Player(), Observable(""))
            let judgement = try judge {
                func show() {
                    let screen = Screen()
                    Trace.adopt(screen)
                    player.position.subscribe { screen.title.value = "\($0)" }
                    title.bind(to: screen.title)
                    Trace.expectReleased(screen)
                }
                show()
                Trace.checkpoint("closed")
                for number in 1...50 { title.value = "\(number)" }
            }
            let found = try #require(judgement.findings.found.first { $0.rule == .outlivedScope }, "\(judgement.text)")
            #expect(found.expectation?.deliveries == 50, "\(judgement.text)")
            #expect(judgement.text.contains("received 50 values after that"), "\(judgement.text)")
            withExtendedLifetime((player, title)) {}
        }
    }
}
