import Testing
import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

struct CascadeTests {
    @Test func `a cascade holds all that its stimulus caused, each below its cause`() {
        let cascades = cascades(EventScript.typing)
        #expect(cascades.count == 2)
        #expect(cascades[0].stimulus?.id == EventID(thread: 1, sequence: 2))
        #expect(cascades[0].items.map(\.event.id.sequence) == [2, 3, 4, 5, 6, 7, 8, 10, 12])
        #expect(cascades[0].items.map(\.level) == [0, 1, 2, 3, 4, 5, 4, 2, 1])
        #expect(cascades[0].items.map(\.deliveryTicks) == [nil, nil, nil, nil, nil, nil, 1000, 1000, nil])
        #expect(cascades[1].items.count == 1 && !cascades[1].isEndMissing)
    }

    @Test func `a chain draws what came of each delivery`() {
        let cascades = cascades(EventScript.typing)
        #expect(
            chain(cascades[0]) == [
                #"type \u{1B}[2Jname"#,
                #"├─ Login.username = "Maruko" · refreshed Login/Login.swift:40"#,
                "│  ╰─ Login.usernameValid = true · refreshed Login/Login.swift:41",
                "│     ╰─ combiner Login.swift:12 stops: waits for other inputs, or for the turn to settle",
                "╰─ Login.username stops: equal to the current value",
            ])
        #expect(chain(cascades[1]) == ["Login.usernameValid = false"])
    }

    @Test func `a chain that is too long is cut and says so`() {
        let cascades = cascades(EventScript.typing, itemLimit: 8)
        #expect(cascades[0].omitted == 1)
        #expect(
            chain(cascades[0], limit: 2) == [
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
        var cascades: [Cascade] = []
        var assembler = CascadeAssembler(itemLimit: 5000) { cascades.append($0) }
        for event in script.events { assembler.take(event) }
        assembler.finish()
        #expect(cascades.map(\.items.count) == [5000] && cascades.map(\.omitted) == [1000])
        let lines = chain(cascades[0])
        #expect(lines.count <= 103 && lines.allSatisfy { $0.count <= 120 })
    }

    @Test func `what feeds a node that makes nothing of it is drawn`() {
        var script = EventScript()
        script.emit(1, .string("a"))
        script.deliver(1, isStamped: false)
        script.endDeliveries(isStamped: false)
        #expect(
            chain(cascades(script.events)[0]) == [
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
            chain(cascades(script.events)[0]) == [
                #"Login.username = "a""#,
                #"├─ refreshed Login/Login.swift:40 → Login.username = "b" · refreshed Login/Login.swift:40"#,
                "╰─ Login.username stops: superseded by a newer value of the same node",
            ])
    }

    @Test func `a refresh that takes long says so`() {
        var slow = EventScript.typing
        for index in 11..<slow.count { slow[index].ticks += 12_300_000 }
        slow[10].ticks += 12_300_000
        #expect(chain(cascades(slow)[0])[1].hasSuffix("· refreshed Login/Login.swift:40 (12.3 ms)"))
    }

    @Test func `a recording that ends within a cascade leaves it open`() {
        let cascades = cascades(Array(EventScript.typing.prefix(6)))
        #expect(cascades.map(\.isEndMissing) == [true])
        #expect(chain(cascades[0]).last == "   (the recording ends here)")
    }

    @Test func `a cascade whose beginning was overwritten says so`() {
        let cascades = cascades(Array(EventScript.typing.dropFirst(4)))
        #expect(cascades.map(\.isBeginningMissing) == [true, false])
        #expect(cascades[0].stimulus == nil)
        #expect(chain(cascades[0]).first == "(its beginning is missing)")
    }

    @Test func `any part of a trace gives cascades that keep every kept event once and in order`() {
        let events = EventScript.typing
        for start in events.indices {
            for end in start..<events.count {
                let part = Array(events[start...end])
                let kept = cascades(part).flatMap { $0.items.map(\.event.id) }
                #expect(kept == kept.sorted() && Set(kept).count == kept.count)
                let facts = part.filter { [.emitted, .stimulusBegan].contains($0.kind) }.map(\.id)
                #expect(Set(facts).isSubset(of: kept))
            }
        }
    }

    @Test func `threads have cascades of their own`() {
        let other = EventScript.typing.map { event in
            var event = event
            event.id.thread = 2
            event.cause?.thread = 2
            return event
        }
        let mixed = zip(EventScript.typing, other).flatMap { [$0, $1] }
        let cascades = cascades(mixed)
        #expect(cascades.map(\.thread).sorted() == [1, 1, 2, 2])
        #expect(Set(cascades.map { chain($0) }).count == 2)
    }

    @Test func `short names lack their owners and modules`() {
        let chain = CascadeTree(
            EventScript.definitions, timeScale: TimeScale(EventScript.header), hasShortNames: true)
        #expect(
            chain.lines(cascades(EventScript.typing)[0])[1]
                == #"├─ username = "Maruko" · refreshed Login.swift:40"#)
    }

    @Test func `what is the only effect stands behind its cause, where there is room`() {
        let lines = [
            (0, "a"), (1, "b"), (2, "c"), (3, "d"), (2, "e"), (3, "f"), (4, "g"), (1, "h"), (2, "i"),
        ]
        .map { CascadeTree.Line(level: $0.0, text: $0.1) }
        func joined(_ width: Int) -> [String] { CascadeTree.draw(CascadeTree.join(lines, width: width)) }
        #expect(joined(100) == ["a", "├─ b", "│  ├─ c → d", "│  ╰─ e → f → g", "╰─ h → i"])
        #expect(
            joined(9) == [
                "a", "├─ b", "│  ├─ c", "│  │  ╰─ d", "│  ╰─ e", "│     ╰─ f", "│        ╰─ g", "╰─ h → i",
            ])
        let chain = (0..<5).map { CascadeTree.Line(level: $0, text: "\($0)") }
        #expect(CascadeTree.draw(CascadeTree.join(chain, width: 100)) == ["0 → 1 → 2 → 3 → 4"])
        var refreshing = chain
        refreshing[2].hasRefreshes = true
        #expect(CascadeTree.draw(CascadeTree.join(refreshing, width: 100)) == ["0 → 1 → 2", "╰─ 3 → 4"])
        #expect(CascadeTree.join([], width: 9).isEmpty)
    }

    @Test func `branches join siblings across deeper lines`() {
        let levels = [(0, "a"), (1, "b"), (2, "c"), (3, "d"), (2, "e"), (1, "f"), (2, "g")]
        #expect(
            CascadeTree.draw(levels.map { CascadeTree.Line(level: $0.0, text: $0.1) }) == [
                "a", "├─ b", "│  ├─ c", "│  │  ╰─ d", "│  ╰─ e", "╰─ f", "   ╰─ g",
            ])
    }
}
