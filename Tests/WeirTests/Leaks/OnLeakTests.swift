import Dispatch
import Foundation
import Testing
import WeirTrace

@testable import Weir

extension Everything {
    /// Objects whose release an app awaits: `Trace.onLeak`.
    @MainActor @Suite struct OnLeakTests {
        private final class Router { var history: [Screen] = [] }

        private final class Screen {
            weak var parent: Router?
            var onTap: (() -> Void)?
            let title = Observable("")
        }

        private enum Global { nonisolated(unsafe) static var router = Router() }

        @MainActor private final class Heard {
            var leaks: [TraceLeak] = []

            /// Waits until so many leaks were heard.
            func wait(_ count: Int = 1) async throws {
                for _ in 0..<60_000 where leaks.count < count { try await Task.sleep(for: .milliseconds(10)) }
            }
        }

        private func hear(after time: DispatchTimeInterval = .milliseconds(20)) -> Heard {
            let heard = Heard()
            Trace.onLeak(after: time) { heard.leaks.append($0) }
            return heard
        }

        private func close(_ screen: Screen) { Trace.expectReleased(screen) }

        @Test func `An object that is still held is reported once, with the path that holds it`() async throws {
            // Long enough for a busy machine to get through the calls of `close`, whose stacks hold the array.
            let heard = hear(after: .milliseconds(300))
            defer { Trace.onLeak(nil) }
            Global.router.history = [Screen()]
            defer { Global.router.history = [] }
            close(Global.router.history[0])
            close(Global.router.history[0])
            try await heard.wait()
            // A second one, so that a repeated report of the first would have come before.
            Global.router.history.append(Screen())
            close(Global.router.history[1])
            try await heard.wait(2)
            #expect(heard.leaks.count == 2)
            let leak = try #require(heard.leaks.first)
            #expect(leak.name == "Screen")
            #expect(leak.limitation == nil)
            #expect(
                leak.description.split(separator: "\n").map(String.init) == [
                    "Screen should have been released, but is alive",
                    "  static Everything.OnLeakTests.Global.router", "  Everything.OnLeakTests.Router",
                    "  ↓ .history[0]: Everything.OnLeakTests.Screen",
                ])
        }

        #if os(Linux)
        @Test func `An object whose walk was aborted is reported with the reason`() async throws {
            ForkedWalk.duringWalk = { kill(getpid(), SIGSEGV) }
            defer { ForkedWalk.duringWalk = nil }
            let heard = hear()
            defer { Trace.onLeak(nil) }
            Global.router.history = [Screen()]
            defer { Global.router.history = [] }
            close(Global.router.history[0])
            try await heard.wait()
            let leak = try #require(heard.leaks.first)
            #expect(leak.path.isEmpty)
            #expect(leak.limitation == "The heap walk was aborted: it was ended by SIGSEGV.")
        }
        #endif

        @Test func `An object that keeps itself alive is reported with its cycle`() async throws {
            let heard = hear()
            defer { Trace.onLeak(nil) }
            weak var leaked: Screen?
            do {
                let screen = Screen()
                screen.onTap = { _ = screen.title.value }
                Trace.track(screen, as: "Login")
                close(screen)
                leaked = screen
            }
            try await heard.wait()
            let leak = try #require(heard.leaks.first)
            #expect(leak.name == "Login")
            #expect(leak.path.first == "nothing outside: a cycle keeps it alive")
            #expect(leak.path.contains { $0.contains(".onTap") && $0.contains("closure #1") })
            #expect(leak.path.last?.hasSuffix("Screen (the same object)") == true)
            leaked?.onTap = nil
            #expect(leaked == nil)
        }

        @Test func `An object that is released in time is not reported`() async throws {
            let heard = hear()
            defer { Trace.onLeak(nil) }
            do { for _ in 0..<20 { close(Screen()) } }
            Global.router.history = [Screen()]
            defer { Global.router.history = [] }
            close(Global.router.history[0])
            try await heard.wait()
            #expect(heard.leaks.count == 1)
        }

        @Test func `Nothing is held, neither by the expectation nor after the report`() async throws {
            let heard = hear()
            defer { Trace.onLeak(nil) }
            Global.router.history = [Screen()]
            weak let screen = Global.router.history[0]
            close(Global.router.history[0])
            try await heard.wait()
            #expect(screen != nil)
            Global.router.history = []
            #expect(screen == nil)
        }

        @Test func `Without a handler, and without a recording, nothing is awaited`() async throws {
            let screen = Screen()
            close(screen)
            let heard = hear()
            defer { Trace.onLeak(nil) }
            Global.router.history = [Screen()]
            defer { Global.router.history = [] }
            close(Global.router.history[0])
            try await heard.wait()
            #expect(heard.leaks.count == 1)
            withExtendedLifetime(screen) {}
        }

        @Test func `A handler that was removed hears nothing more`() async throws {
            let first = hear()
            Global.router.history = [Screen(), Screen()]
            defer { Global.router.history = [] }
            close(Global.router.history[0])
            let second = hear()
            defer { Trace.onLeak(nil) }
            close(Global.router.history[1])
            try await second.wait(2)
            #expect(first.leaks.isEmpty)
            #expect(second.leaks.count == 2)
        }

        @Test func `A recording holds the expectation, too`() async throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, snapshots: .none)
            let heard = hear()
            defer { Trace.onLeak(nil) }
            Global.router.history = [Screen()]
            defer { Global.router.history = [] }
            close(Global.router.history[0])
            try await heard.wait()
            Trace.stop()
            let recording = try Recording(reading: file.path)
            #expect(recording.count(.objectExpected) == 1)
            #expect(recording.count(.objectReleased) == 0)
            #expect(heard.leaks.count == 1)
        }

        @Test func `Each of several objects is reported with the cycle that keeps it alive`() async throws {
            final class Item {
                var other: Item?
                var held: Screen?
            }
            let heard = hear()
            defer { Trace.onLeak(nil) }
            weak var (own, item): (Screen?, Item?)
            do {
                let (screen, first, second, held) = (Screen(), Item(), Item(), Screen())
                screen.onTap = { _ = screen.title.value }
                (first.other, second.other, second.held) = (second, first, held)
                Trace.track(screen, as: "Own")
                Trace.track(held, as: "Held")
                // Known to another module, the objects of the cycle are not put on the stack by the optimiser.
                for item in [first, second] { Trace.track(item) }
                close(screen)
                close(held)
                (own, item) = (screen, first)
            }
            try await heard.wait(2)
            let paths = Dictionary(heard.leaks.map { ($0.name, $0.path) }) { first, _ in first }
            #expect(paths["Own"]?.contains { $0.contains(".onTap") } == true)
            #expect(paths["Own"]?.contains { $0.contains("Item") } == false)
            #expect(paths["Held"]?.contains { $0.contains(".onTap") } == false)
            #expect(paths["Held"]?.contains { $0.contains(".other") } == true)
            #expect(paths["Held"]?.last?.hasPrefix("↓ .held: ") == true, "\(paths)")
            own?.onTap = nil
            item?.other = nil
        }

        @Test func `A class named once covers each object that is detached from its parent`() async throws {
            final class Child { weak var parent: Router? }
            enum Held { nonisolated(unsafe) static var children: [Child] = [] }
            let heard = hear()
            defer { Trace.onLeak(nil) }
            Trace.expectReleased(whenDetached: Child.self) { $0.parent != nil }
            let router = Router()
            for _ in 0..<3 {
                let child = Child()
                child.parent = router
                Trace.track(child)
                Held.children.append(child)
            }
            // The main queue looks four times a second.
            try await Task.sleep(for: .milliseconds(600))
            #expect(heard.leaks.isEmpty)
            Held.children[1].parent = nil
            Held.children[2].parent = nil
            Held.children.removeLast()
            try await heard.wait()
            #expect(heard.leaks.map(\.name) == ["Child"])
            #expect(heard.leaks.first?.path.last == "↓ [1]: Everything.OnLeakTests.Child")
            Held.children = []
        }
    }
}
