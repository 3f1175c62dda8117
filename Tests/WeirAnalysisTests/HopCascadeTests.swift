import Testing
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

struct HopCascadeTests {
    @Test func `the work of a hop belongs to its cause, on another thread too, while that cascade goes on`() {
        let cascades = cascades(EventScript.searching)
        #expect(
            cascades.map { $0.items.map(\.event.id.description) } == [
                ["1:1", "1:2", "1:3"], ["1:6", "1:7", "1:8", "2:1", "2:2", "2:3", "2:5", "2:6"],
            ])
        #expect(cascades[1].items.map(\.level) == [0, 1, 2, 2, 3, 4, 3, 4])
        #expect(cascades.map(\.isContinuation) == [false, true] && cascades.map(\.thread) == [1, 1])
        #expect(cascades.flatMap(\.items).count { $0.deliveryTicks != nil } == 2)
        #expect(
            chain(cascades[0]) == [
                #"type → Login.username = "ma" → fed debounce Search.swift:12, which made nothing of it"#
            ])
        #expect(
            chain(cascades[1]) == [
                #"continued: debounce Search.swift:12, caused by 1:2 → debounce Search.swift:12 = "ma""#,
                "├─ fed deliver(on:) Search.swift:13, which made nothing of it",
                "╰─ hop: deliver(on:) Search.swift:13",
                #"   ├─ deliver(on:) Search.swift:13 = "ma" · refreshed Search/Search.swift:40"#,
                "   ╰─ deliver(on:) Search.swift:13 completed · notified Search/Search.swift:40",
            ])
    }

    @Test func `a cascade is given out when its last hop has ended, also where its root ended before`() {
        var root = EventScript()
        root.emit(1, .void)
        root.deliver(1, isStamped: false)
        var other = EventScript(thread: 2)
        other.hop(6, causedBy: EventID(thread: 1, sequence: 1))
        other.emit(6, .void, delivers: false)
        var third = EventScript(thread: 3)
        // Caused by completed work of another hop, in a cascade that continues.
        third.hop(5, causedBy: EventID(thread: 2, sequence: 1))
        var given: [Cascade] = []
        var assembler = CascadeAssembler { given.append($0) }
        func take(_ script: EventScript, from: Int) {
            for event in script.events[from...] {
                assembler.take(event)
                assembler.checkInvariants()
            }
        }
        take(root, from: 0)
        take(other, from: 0)
        other.endHop()
        take(other, from: 2)
        take(third, from: 0)
        root.endDeliveries()
        take(root, from: 2)
        #expect(given.isEmpty)
        third.emit(5, .void, delivers: false)
        third.endHop()
        take(third, from: 1)
        #expect(given.map { $0.items.map(\.event.id.description) } == [["1:1", "1:2", "2:1", "2:2", "3:1", "3:2"]])
        #expect(given.map { $0.items.map(\.level) } == [[0, 1, 1, 2, 2, 3]])
        #expect(given.map(\.isEndMissing) == [false])
    }

    @Test func `a hop that runs inside of another cascade is reported with its own cause, not there`() {
        var script = EventScript()
        script.stimulus("advance the clock")
        script.hop(5, causedBy: EventID(thread: 9, sequence: 1))
        script.emit(5, .void, delivers: false)
        script.endHop()
        script.hop(6, causedBy: nil)
        script.endHop()
        script.emit(1, .void, delivers: false)
        script.endStimulus()
        let cascades = cascades(script.events)
        #expect(cascades.map { $0.items.map(\.event.id.sequence) } == [[2, 3], [5], [1, 7]])
        #expect(cascades.map(\.isContinuation) == [true, false, false])
        #expect(
            cascades.map { chain($0)[0] } == [
                "continued: debounce Search.swift:12, caused by 9:1 → debounce Search.swift:12 = ()",
                "hop: deliver(on:) Search.swift:13", "advance the clock → Login.username = ()",
            ])
    }

    @Test func `a hop at once stands where it runs, and one of an earlier cause of the cascade below that`() {
        var script = EventScript()
        script.batch()
        script.emit(1, .void)
        script.deliver(5, isStamped: false)
        script.hop(5, causedBy: EventID(thread: 1, sequence: 2))
        script.emit(5, .bool(true), delivers: false)
        script.endHop()
        script.endDeliveries()
        script.hop(5, causedBy: EventID(thread: 1, sequence: 2))
        script.emit(5, .bool(false), delivers: false)
        script.endHop()
        script.hop(0, causedBy: EventID(thread: 1, sequence: 1))
        script.endHop()
        script.endBatch()
        let cascades = cascades(script.events)
        #expect(cascades.count == 1)
        #expect(
            chain(cascades[0]) == [
                "batch",
                "├─ Login.username = ()",
                "│  ├─ hop: debounce Search.swift:12 → debounce Search.swift:12 = true",
                "│  ╰─ hop: debounce Search.swift:12 → debounce Search.swift:12 = false",
                "╰─ hop",
            ])
    }

    @Test func `what waited for the turn to settle stands below the emission`() {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(2)
        script.settle()
        script.emit(2, .bool(true), delivers: false)
        script.emit(3, .bool(false), delivers: false)
        script.endDeliveries()
        script.emit(1, .void)
        script.settle()
        script.endDeliveries()
        let cascades = cascades(script.events)
        #expect(
            chain(cascades[0]) == [
                "Login.username = () · refreshed Login/Login.swift:40", "├─ Login.usernameValid = true",
                "╰─ combiner Login.swift:12 = false",
            ])
        #expect(chain(cascades[1]) == ["Login.username = ()"])
        #expect(cascades[1].items.map(\.deliveryTicks) == [nil, nil])
    }

    @Test func `failures are drawn with their errors`() {
        var script = EventScript()
        script.fail(1, .string("offline"))
        script.deliver(1, isStamped: false)
        script.fail(2, .string("offline"))
        script.deliver(4)
        script.endDeliveries()
        script.endDeliveries()
        #expect(
            chain(cascades(script.events)[0]) == [
                #"Login.username failed: "offline" → Login.usernameValid failed: "offline" · notified Login/Login.swift:41"#
            ])
    }

    @Test func `a hop whose end is missing ends with what is around it, or with what follows`() {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(1, isStamped: false)
        script.hop(5, causedBy: EventID(thread: 7, sequence: 7))
        script.endHop()
        script.deliver(2)
        script.endDeliveries()
        script.hop(6, causedBy: EventID(thread: 7, sequence: 8))
        script.endHop()
        script.hop(6, causedBy: EventID(thread: 7, sequence: 9))
        let cut = cascades(script.events.filter { $0.kind != .hopEnded })
        #expect(cut.map { $0.items.map(\.event.id.sequence) } == [[3], [1, 2, 5], [7], [9]])
        #expect(cut.map(\.isEndMissing) == [true, false, true, true])
    }

    @Test func `hops without end that cause each other are kept up to the bound, then one by one`() {
        var script = EventScript()
        script.stimulus("run for ever")
        var cause = script.last
        for _ in 0..<3000 {
            script.hop(5, causedBy: cause)
            cause = script.last
            script.emit(5, .void, delivers: false)
            script.endHop()
        }
        let cascades = cascades(script.events, itemLimit: 1000)
        let root = cascades[cascades.count - 1]
        #expect(root.items.count == 1000 && root.omitted == 3)
        #expect(chain(root).count <= 103)
        // Cascades cannot continue from omitted items.
        #expect(cascades.dropLast().allSatisfy { $0.isContinuation && $0.items.count == 2 })
        #expect(cascades.count == 2500)
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `whatever is lost of what hops, every fact is reported once and after what it belongs to`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let whole = EventScript.searching + Self.shifted(EventScript.searching, by: 2)
        let part = whole.filter { _ in Int.random(in: 0...3, using: &random) > 0 }
        let cascades = cascades(part)
        let reported = cascades.flatMap { $0.items.map(\.event.id) }
        #expect(Set(reported).count == reported.count)
        let openers: Set<EventKind> = [.emitted, .completed, .stimulusBegan, .hopBegan]
        #expect(Set(part.filter { openers.contains($0.kind) }.map(\.id)).isSubset(of: reported))
        for cascade in cascades {
            #expect(cascade.items.first?.level == 0)
            for (left, right) in zip(cascade.items, cascade.items.dropFirst()) {
                #expect(right.level <= left.level + 1)
            }
            #expect(!chain(cascade).isEmpty)
        }
    }

    private static func shifted(_ events: [TraceEvent], by threads: UInt32) -> [TraceEvent] {
        events.map { event in
            var event = event
            event.id.thread += threads
            event.cause?.thread += threads
            return event
        }
    }
}
