import Testing
import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

struct TurnTests {
    @Test func `a turn holds all that its stimulus caused, each below its cause`() {
        let turns = turns(EventScript.typing)
        #expect(turns.count == 2)
        #expect(turns[0].stimulus?.id == EventID(thread: 1, sequence: 2))
        #expect(turns[0].items.map(\.event.id.sequence) == [2, 3, 4, 5, 6, 7, 8, 10, 12])
        #expect(turns[0].items.map(\.level) == [0, 1, 2, 3, 4, 5, 4, 2, 1])
        #expect(turns[0].items.map(\.deliveryTicks) == [nil, nil, nil, nil, nil, nil, 1000, 1000, nil])
        #expect(turns[1].items.count == 1 && !turns[1].isEndMissing)
    }

    @Test func `a chain draws what came of each delivery`() {
        let turns = turns(EventScript.typing)
        #expect(
            chain(turns[0]) == [
                #"type \u{1B}[2Jname"#,
                #"├─ Login.username = "Maruko" · refreshed Login/Login.swift:40"#,
                "│  ╰─ Login.usernameValid = true · refreshed Login/Login.swift:41",
                "│     ╰─ combiner Login.swift:12 stops: waits for other inputs, or for the turn to settle",
                "╰─ Login.username stops: equal to the current value",
            ])
        #expect(chain(turns[1]) == ["Login.usernameValid = false"])
    }

    @Test func `a chain that is too long is cut and says so`() {
        let turns = turns(EventScript.typing, itemLimit: 8)
        #expect(turns[0].omitted == 1)
        #expect(
            chain(turns[0], limit: 2) == [
                #"type \u{1B}[2Jname → Login.username = "Maruko" · refreshed Login/Login.swift:40"#,
                "   … and 3 more",
            ])
    }

    @Test func `a feedback loop without end is kept up to the bound, and drawn within the page`() {
        var script = EventScript()
        for _ in 0..<3000 {
            script.emit(1, .void)
            script.deliver(1, isStamped: false)
        }
        var turns: [Turn] = []
        var assembler = TurnAssembler(itemLimit: 5000) { turns.append($0) }
        for event in script.events { assembler.take(event) }
        assembler.finish()
        #expect(turns.map(\.items.count) == [5000] && turns.map(\.omitted) == [1000])
        let lines = chain(turns[0])
        #expect(lines.count <= 103 && lines.allSatisfy { $0.count <= 120 })
    }

    @Test func `what feeds a node that makes nothing of it is drawn`() {
        var script = EventScript()
        script.emit(1, .string("a"))
        script.deliver(1, isStamped: false)
        script.endDeliveries(isStamped: false)
        #expect(
            chain(turns(script.events)[0]) == [
                #"Login.username = "a" → fed Login.usernameValid, which made nothing of it"#
            ])
    }

    @Test func `a superseded delivery belongs to the emission that it interrupts`() {
        var script = EventScript()
        script.emit(1, .string("a"))
        script.deliver(2)
        script.emit(1, .string("b"))
        script.deliver(2)
        script.endDeliveries()
        script.suppress(1, .superseded)
        script.endDeliveries()
        #expect(
            chain(turns(script.events)[0]) == [
                #"Login.username = "a""#,
                #"├─ refreshed Login/Login.swift:40 → Login.username = "b" · refreshed Login/Login.swift:40"#,
                "╰─ Login.username stops: superseded by a newer value of the same node",
            ])
    }

    @Test func `a refresh that takes long says so`() {
        var slow = EventScript.typing
        for index in 11..<slow.count { slow[index].ticks += 12_300_000 }
        slow[10].ticks += 12_300_000
        #expect(chain(turns(slow)[0])[1].hasSuffix("· refreshed Login/Login.swift:40 (12.3 ms)"))
    }

    @Test func `a recording that ends within a turn leaves it open`() {
        let turns = turns(Array(EventScript.typing.prefix(6)))
        #expect(turns.map(\.isEndMissing) == [true])
        #expect(chain(turns[0]).last == "   (the recording ends here)")
    }

    @Test func `a turn whose beginning was overwritten is told as such`() {
        let turns = turns(Array(EventScript.typing.dropFirst(4)))
        #expect(turns.map(\.isBeginningMissing) == [true, false])
        #expect(turns[0].stimulus == nil)
        #expect(chain(turns[0]).first == "(its beginning is missing)")
    }

    @Test func `any part of a trace gives turns that keep every kept event once and in order`() {
        let events = EventScript.typing
        for start in events.indices {
            for end in start..<events.count {
                let part = Array(events[start...end])
                let kept = turns(part).flatMap { $0.items.map(\.event.id) }
                #expect(kept == kept.sorted() && Set(kept).count == kept.count)
                let facts = part.filter { [.emitted, .stimulusBegan].contains($0.kind) }.map(\.id)
                #expect(Set(facts).isSubset(of: kept))
            }
        }
    }

    @Test func `threads have turns of their own`() {
        let other = EventScript.typing.map { event in
            var event = event
            event.id.thread = 2
            event.cause?.thread = 2
            return event
        }
        let mixed = zip(EventScript.typing, other).flatMap { [$0, $1] }
        let turns = turns(mixed)
        #expect(turns.map(\.thread).sorted() == [1, 1, 2, 2])
        #expect(Set(turns.map { chain($0) }).count == 2)
    }

    @Test func `short names lack their owners and modules`() {
        let chain = TurnChain(
            EventScript.definitions, timeScale: TimeScale(EventScript.header), hasShortNames: true)
        #expect(
            chain.lines(turns(EventScript.typing)[0])[1]
                == #"├─ username = "Maruko" · refreshed Login.swift:40"#)
    }

    @Test func `what is the only effect stands behind its cause, where there is room`() {
        let lines = [
            (0, "a"), (1, "b"), (2, "c"), (3, "d"), (2, "e"), (3, "f"), (4, "g"), (1, "h"), (2, "i"),
        ]
        .map { TurnChain.Line(level: $0.0, text: $0.1) }
        func joined(_ width: Int) -> [String] { TurnChain.draw(TurnChain.join(lines, width: width)) }
        #expect(joined(100) == ["a", "├─ b", "│  ├─ c → d", "│  ╰─ e → f → g", "╰─ h → i"])
        #expect(
            joined(9) == [
                "a", "├─ b", "│  ├─ c", "│  │  ╰─ d", "│  ╰─ e", "│     ╰─ f", "│        ╰─ g", "╰─ h → i",
            ])
        let chain = (0..<5).map { TurnChain.Line(level: $0, text: "\($0)") }
        #expect(TurnChain.draw(TurnChain.join(chain, width: 100)) == ["0 → 1 → 2 → 3 → 4"])
        var refreshing = chain
        refreshing[2].hasRefreshes = true
        #expect(TurnChain.draw(TurnChain.join(refreshing, width: 100)) == ["0 → 1 → 2", "╰─ 3 → 4"])
        #expect(TurnChain.join([], width: 9).isEmpty)
    }

    @Test func `branches join siblings across deeper lines`() {
        let levels = [(0, "a"), (1, "b"), (2, "c"), (3, "d"), (2, "e"), (1, "f"), (2, "g")]
        #expect(
            TurnChain.draw(levels.map { TurnChain.Line(level: $0.0, text: $0.1) }) == [
                "a", "├─ b", "│  ├─ c", "│  │  ╰─ d", "│  ╰─ e", "╰─ f", "   ╰─ g",
            ])
    }
}
