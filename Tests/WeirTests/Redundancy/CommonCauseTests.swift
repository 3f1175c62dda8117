import Testing
import Weir
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// Findings with one cause are listed under the worst of them.
    @Suite struct CommonCauseTests {
        private func findings(_ body: (Scene) throws -> Void) throws -> (Findings, TraceDefinitions) {
            let file = try TemporaryTrace()
            let scene = Scene(recordingTo: file.path, values: .scalars)
            defer { scene.end() }
            do {
                defer { Trace.stop() }
                try scene.record()
                try body(scene)
            }
            let reader = try TraceReader(path: file.path)
            let topology = Topology(try reader.definitions())
            return (Findings(RedundancyPass(reader, topology), topology.definitions), topology.definitions)
        }

        @Test func `An unchanged write is the cause of all that follows from it`() throws {
            let (findings, definitions) = try findings { scene in
                let source = scene.name("source", Observable(0))
                let state = scene.name("state", source.map { _ in "b" })
                let shared = state.share()
                let count = scene.name("count", shared.map(\.count))
                let title = scene.name("title", shared.map { "<\($0)>" })
                shared.subscribe { _ in }.disposed(by: scene.bag)
                count.subscribe { _ in }.disposed(by: scene.bag)
                title.subscribe { _ in }.disposed(by: scene.bag)
                for number in 1...3 { scene.act("write") { source.value = number } }
            }
            let primaries = findings.primaries
            #expect(primaries.count == 1)
            #expect(primaries.first.flatMap(\.cause).map(definitions.name) == "Model.state")
            #expect(primaries.first?.remedy?.kind == .removeDuplicates)
            let outputs = definitions.subscriptions.values.filter {
                definitions.name(ofNode: $0.source) == "Model.state"
            }
            #expect(Set(primaries.first?.remedy?.subscriptions ?? []) == Set(outputs.map(\.id)))
            let others = primaries.first.map(findings.others) ?? []
            #expect(others.count == findings.found.count - 1 && others.count >= 4)
            #expect(others.allSatisfy { $0.remedy == nil && $0.cause == primaries.first?.cause })
        }

        @Test func `Buttons of one class, each with a handler of its own, are causes of their own`() throws {
            func groups(_ handle: (Scene, Emitter<Void>, Observable<Int>) -> Void) throws -> [Finding] {
                try findings { scene in
                    let taps = (0..<2).map { _ in Emitter<Void>() }
                    let shown = ["first", "second"].map { scene.name($0, Observable(0)) }
                    shown[0].subscribe { _ in }.disposed(by: scene.bag)
                    shown[1].subscribe { _ in }.disposed(by: scene.bag)
                    handle(scene, taps[0], shown[0])
                    taps[1].subscribe { [weak second = shown[1]] in
                        second?.value += 1
                        second?.value += 1
                    }.disposed(by: scene.bag)
                    for tap in taps { scene.act("tap") { tap.emit(()) } }
                }.0.primaries.filter { $0.rule == .burst }
            }
            let apart = try groups { scene, taps, shown in
                taps.subscribe { [weak shown] in
                    shown?.value += 1
                    shown?.value += 1
                }.disposed(by: scene.bag)
            }
            #expect(apart.count == 2)
            #expect(Set(apart.compactMap(\.remedy?.subscriptions)).count == 2)
        }

        @Test func `A loop is one finding, with all that only the loop makes`() throws {
            var lines: Range<Int> = 0..<0
            let (findings, definitions) = try findings { scene in
                let celsius = scene.name("celsius", Observable(0))
                let fahrenheit = scene.name("fahrenheit", Observable(32))
                let message = scene.name("message", Observable(""))
                let from = #line
                celsius.subscribe { [weak fahrenheit] value in
                    message.value = "\(value)"
                    fahrenheit?.value = value * 9 / 5 + 31
                }.disposed(by: scene.bag)
                fahrenheit.subscribe { [weak celsius] in celsius?.value = ($0 - 32) * 5 / 9 }.disposed(by: scene.bag)
                lines = from..<#line
                message.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("type") { celsius.value = 7 }
                scene.act("type") { celsius.value = 40 }
            }
            #expect(findings.found.filter { $0.rule == .feedback }.count == 2)
            #expect(findings.found.contains { $0.rule == .glitch })
            let primary = try #require(findings.primaries.first)
            #expect(findings.primaries.count == 1 && primary.rule == .feedback && primary.remedy?.kind == .cutLoop)
            #expect(primary.remedy?.site.map { lines.contains($0.line) } == true)
            let nodes = primary.tallies[0].loop.compactMap { definitions.subscriptions[$0]?.source }
            #expect(Set(nodes.map(definitions.name)) == ["Model.celsius", "Model.fahrenheit"])
        }

        @Test func `Two loops are two findings`() throws {
            let (findings, _) = try findings { scene in
                for name in ["first", "second"] {
                    let text = scene.name(name, Observable(""))
                    if name == "first" {
                        text.subscribe { [weak text] in text?.value = $0.filter { $0 != " " } }.disposed(by: scene.bag)
                    } else {
                        text.subscribe { [weak text] in text?.value = $0.filter { $0 != "-" } }.disposed(by: scene.bag)
                    }
                    scene.act("type") { text.value = " -" }
                }
            }
            #expect(findings.primaries.filter { $0.rule == .feedback }.count == 2)
        }

        @Test func `Answers out of order are one finding, whatever they refresh`() throws {
            var line = 0
            let (findings, definitions) = try findings { scene in
                let query = scene.name("query", Observable(0))
                let shown = scene.name("shown", Observable(""))
                line = #line + 1
                let answers = query.flatMap(.merge) { number in
                    Signal.just("results for \(number)").delay(.milliseconds(400 / number), on: scene.time)
                }
                let shared = answers.deliver(on: scene.time).share()
                shared.subscribe { shown.value = $0 }.disposed(by: scene.bag)
                shared.map(\.count).subscribe { _ in }.disposed(by: scene.bag)
                shared.subscribe { _ in }.disposed(by: scene.bag)
                shown.subscribe { _ in }.disposed(by: scene.bag)
                for number in 1...2 {
                    scene.act("type") { query.value = number }
                    scene.time.advance(by: .milliseconds(50))
                }
                scene.time.advance(by: .milliseconds(500))
            }
            let stale = findings.found.filter { $0.rule == .staleResponse }
            #expect(stale.count >= 3)
            let primaries = findings.primaries.filter { $0.rule == .staleResponse }
            #expect(primaries.count == 1)
            #expect(primaries.first?.remedy?.kind == .latestRequest && primaries.first?.remedy?.site?.line == line)
            #expect(primaries.first.flatMap(\.cause).flatMap { definitions.nodes[$0]?.kind } == .flatMap)
        }

        @Test func `A change that a node loses has its cause in that node`() throws {
            let (findings, definitions) = try findings { scene in
                let state = scene.name("state", Observable("a"))
                let count = scene.name("count", state.map(\.count))
                count.subscribe { _ in }.disposed(by: scene.bag)
                for text in ["b", "c", "d"] { scene.act("write") { state.value = text } }
            }
            #expect(findings.primaries.map { $0.cause.map(definitions.name) } == ["Model.count"])
            #expect(Set(findings.found.map(\.rule)) == [.repeatedValue, .noopEvaluation])
        }

        @Test func `Operators that a generic function makes for several types are one cause`() throws {
            let (findings, definitions) = try findings { scene in
                let state = scene.name("state", Observable(0))
                func select<Part: Hashable & Sendable>(_ part: @escaping @Sendable (Int) -> Part) -> Signal<Part> {
                    state.map(part)
                }
                select { _ in "name" }.subscribe { _ in }.disposed(by: scene.bag)
                select { _ in 7 }.subscribe { _ in }.disposed(by: scene.bag)
                for number in 1...3 { scene.act("write") { state.value = number } }
            }
            let repeated = findings.found.filter { $0.rule == .repeatedValue }
            #expect(repeated.count == 2 && findings.primaries.count == 1)
            let outputs = definitions.subscriptions.values.filter { definitions.nodes[$0.source]?.kind == .map }
            #expect(outputs.count == 2)
            #expect(Set(findings.primaries.first?.remedy?.subscriptions ?? []) == Set(outputs.map(\.id)))
        }

        @Test func `Nothing more is asked for where a removeDuplicates follows the cause`() throws {
            let (findings, definitions) = try findings { scene in
                let state = scene.name("state", Observable(0))
                func select<Part: Hashable & Sendable>(_ part: @escaping @Sendable (Int) -> Part) -> Signal<Part> {
                    state.map(part).removeDuplicates()
                }
                select { _ in "name" }.subscribe { _ in }.disposed(by: scene.bag)
                select { _ in 7 }.subscribe { _ in }.disposed(by: scene.bag)
                for number in 1...3 { scene.act("write") { state.value = number } }
            }
            #expect(findings.found.map(\.rule) == [.noopEvaluation, .noopEvaluation])
            #expect(findings.found.compactMap(\.cause).map { definitions.nodes[$0]?.kind } == [.map, .map])
            #expect(findings.found.allSatisfy { $0.remedy == nil && $0.primary == nil })
        }

        @Test func `A removeDuplicates is asked for on the paths of a cause that have none`() throws {
            let (findings, definitions) = try findings { scene in
                let state = scene.name("state", Observable(0))
                let kind = scene.name("kind", state.map { _ in "b" })
                kind.removeDuplicates().subscribe { _ in }.disposed(by: scene.bag)
                kind.map(\.count).subscribe { _ in }.disposed(by: scene.bag)
                for number in 1...3 { scene.act("write") { state.value = number } }
            }
            let primary = try #require(findings.primaries.first)
            #expect(findings.primaries.count == 1 && primary.cause.map(definitions.name) == "Model.kind")
            let changed = primary.remedy?.subscriptions.compactMap { definitions.subscriptions[$0] } ?? []
            #expect(changed.map { $0.target.flatMap { definitions.nodes[$0]?.kind } } == [.map])
            #expect(changed.map(\.source) == [primary.cause])
        }

        @Test func `Operators that are chained on one line are causes of their own`() throws {
            let (findings, _) = try findings { scene in
                let state = scene.name("state", Observable(0))
                func chain(_ divisor: Int) -> Signal<String> { state.map { $0 % divisor }.map { "\($0 * 0)" } }
                chain(1).subscribe { _ in }.disposed(by: scene.bag)
                chain(2).subscribe { _ in }.disposed(by: scene.bag)
                for number in 1...4 { scene.act("write") { state.value = number } }
            }
            #expect(findings.primaries.count { $0.rule == .repeatedValue } == 2)
        }

        @Test func `The writes of one loop are one cause`() throws {
            let (findings, definitions) = try findings { scene in
                let items = scene.name("items", Observable<[Int]>([]))
                let count = scene.name("count", items.map(\.count))
                let button = scene.name("button", Emitter<Void>())
                items.subscribe { _ in }.disposed(by: scene.bag)
                count.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("add") { for number in 1...5 { items.value.append(number) } }
                withExtendedLifetime(button) {}
            }
            #expect(findings.primaries.map(\.rule) == [.burst])
            #expect(findings.primaries.first?.remedy?.kind == .batch)
            #expect(findings.primaries.first?.remedy?.subscriptions.count == 2)
            #expect(findings.primaries.first?.cause.map(definitions.name) == "Model.items")
            #expect(findings.found.count == 2)
        }

        @Test func `A batch needs settled combiners for what it writes, and for what joins that with its sources`()
            throws
        {
            let (findings, definitions) = try findings { scene in
                let (price, count) = (scene.name("price", Observable(1)), scene.name("count", Observable(1)))
                let total = scene.name("total", Observable.combine(price, count) { $0 * $1 })
                let shipping = scene.name("shipping", Observable.combine(total, count) { $0 > 90 ? 0 : $1 })
                total.subscribe { scene.show($0, on: "total") }
                for number in 2...4 {
                    scene.act("order") {
                        price.value = number
                        count.value = number
                    }
                }
                withExtendedLifetime(shipping) {}
            }
            let remedy = findings.primaries.first { $0.rule == .burst }?.remedy
            #expect(remedy?.kind == .batch)
            #expect(remedy?.joins.map(\.node).map(definitions.name) == ["Model.total", "Model.shipping"])
        }

        @Test func `No batch joins what a combineLatest makes of events`() throws {
            for isOfEvents in [false, true] {
                let (findings, definitions) = try findings { scene in
                    let row = scene.name("row", Observable(1))
                    let (seat, taps) = (Observable(1), Emitter<Int>())
                    let second: Signal<Int> = isOfEvents ? taps : seat.current
                    scene.name("place", row.current.combineLatest(second) { $0 * 10 + $1 })
                        .subscribe { scene.show($0, on: "place") }.disposed(by: scene.bag)
                    for number in 2...4 {
                        scene.act("pick") {
                            row.value = number
                            if isOfEvents { taps.emit(number) } else { seat.value = number }
                        }
                    }
                }
                let remedy = findings.primaries.first { $0.rule == .burst }?.remedy
                #expect(remedy?.kind == (isOfEvents ? .throttle : .batch))
                #expect(remedy?.joins.map(\.node).map(definitions.name) == (isOfEvents ? [] : ["Model.place"]))
            }
        }

        @Test func `Two nodes that lose a change are two causes`() throws {
            let (findings, definitions) = try findings { scene in
                let source = scene.name("source", Observable(0))
                let one = scene.name("one", source.map { _ in 1 })
                let other = scene.name("other", source.map { _ in 2 })
                one.subscribe { _ in }.disposed(by: scene.bag)
                other.subscribe { _ in }.disposed(by: scene.bag)
                for number in 1...3 { scene.act("write") { source.value = number } }
            }
            let causes = findings.primaries.map { $0.cause.map(definitions.name) }
            #expect(Set(causes) == ["Model.one", "Model.other"] && causes.count == 2)
            #expect(findings.found.count == 4)
        }
    }
}
