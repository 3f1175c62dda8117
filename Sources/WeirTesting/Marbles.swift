import Dispatch
import Weir

/// Runs a marble test: `body` makes sources and says what is expected of signals; then virtual time passes.
///
/// ```swift
/// try marbles { m in
///     let source = m.hot("  --1--2--3--|")
///     m.expect(source.filter { $0 != 2 }, "--1-----3--|")
///     m.expect(subscriptionsOf: source, "  ^----------!")
/// }
/// ```
/// One character, or one group in parentheses, is one column of time; spaces are ignored. See <doc:MarbleTests>.
///
/// - Parameter column: the time that a column stands for.
/// - Throws: `MarblesDiffer`, whose description shows what was expected and what came, one above the other.
public func marbles(
    column: DispatchTimeInterval = .milliseconds(1), clock: VirtualClock? = nil, _ body: (Marbles) throws -> Void
) throws {
    let marbles = Marbles(column: max(1, column.waitingTime), clock: clock)
    try body(marbles)
    let differences = marbles.run()
    if !differences.isEmpty { throw MarblesDiffer(differences: differences) }
}

/// A marble test: its sources, its expectations and its time.
public final class Marbles {
    /// The virtual time of the test; give it to what is tested.
    public let scheduler: VirtualScheduler

    /// How long after the longest diagram a test goes on, so that what comes too late is seen; in columns.
    private static let overtime = 1000

    private let column: UInt64
    private var longest = 0
    private var beginnings: [() -> Void] = []
    private var checks: [() -> String?] = []
    private var problems: [String] = []
    private var sources: [ObjectIdentifier: (signal: AnyObject, spans: Spans)] = [:]
    private let subscriptions = DisposeBag()

    /// From when to when a source was subscribed to.
    private final class Spans {
        var all: [(begin: UInt64, end: UInt64?)] = []
    }

    private final class Heard<Value> {
        var timeline = Timeline<Value>()
    }

    init(column: UInt64, clock: VirtualClock?) {
        self.column = column
        scheduler = VirtualScheduler(clock: clock)
    }

    func run() -> [String] {
        beginnings.forEach { $0() }
        scheduler.advance(to: UInt64(longest + Self.overtime) * column)
        let differences = checks.compactMap { $0() }
        subscriptions.dispose()
        // What still waits holds what it would use.
        scheduler.stop()
        return problems.isEmpty ? differences : problems
    }

    /// Runs `action` at a time, in columns: what a user does, for example.
    public func at(_ time: Int, _ action: @escaping () -> Void) {
        precondition(time >= 0, "at(\(time)): a test begins at 0")
        longest = max(longest, time)
        beginnings.append { [self] in schedule(UInt64(time) * column, action) }
    }

    /// Runs `action` at `time`, in nanoseconds; now, if that has passed.
    private func schedule(_ time: UInt64, _ action: @escaping () -> Void) {
        nonisolated(unsafe) let action = action
        let wait = Int(clamping: time - min(time, scheduler.now))
        do { _ = try scheduler.schedule(after: .nanoseconds(wait)) { action() } } catch {
            problems.append("the test's own scheduler refused: \(error)")
        }
    }

    // MARK: Sources

    /// A signal whose events come at the times of the diagram, whoever has subscribed by then; digits are their own values.
    public func hot(
        _ diagram: String, error: any Error = MarbleFailure(), file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Int> {
        hot(diagram, of: Int.self, error: error, file: file, line: line)
    }

    /// A hot signal of values that characters stand for by themselves.
    public func hot<Value: MarbleValue>(
        _ diagram: String, of type: Value.Type, error: any Error = MarbleFailure(), file: StaticString = #fileID,
        line: UInt = #line
    ) -> Signal<Value> {
        makeHot(events(diagram, Value.init(marble:), error, file, line), file, line)
    }

    /// A hot signal of the values that `values` gives to characters.
    public func hot<Value>(
        _ diagram: String, _ values: [Character: Value], error: any Error = MarbleFailure(),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        makeHot(events(diagram, { values[$0] }, error, file, line), file, line)
    }

    /// A signal that begins the diagram anew for every subscription; digits are their own values.
    public func cold(
        _ diagram: String, error: any Error = MarbleFailure(), file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Int> {
        cold(diagram, of: Int.self, error: error, file: file, line: line)
    }

    /// A cold signal of values that characters stand for by themselves.
    public func cold<Value: MarbleValue>(
        _ diagram: String, of type: Value.Type, error: any Error = MarbleFailure(), file: StaticString = #fileID,
        line: UInt = #line
    ) -> Signal<Value> {
        makeCold(events(diagram, Value.init(marble:), error, file, line), file, line)
    }

    /// A cold signal of the values that `values` gives to characters.
    public func cold<Value>(
        _ diagram: String, _ values: [Character: Value], error: any Error = MarbleFailure(),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        makeCold(events(diagram, { values[$0] }, error, file, line), file, line)
    }

    private func makeHot<Value>(_ timeline: Timeline<Value>, _ file: StaticString, _ line: UInt) -> Signal<Value> {
        let emitter = Emitter<Value>(file: file, line: line)
        beginnings.append { [self] in
            for entry in timeline.entries {
                schedule(entry.time) {
                    switch entry.event {
                    case .next(let value): emitter.emit(value)
                    case .failed(let error): emitter.fail(error)
                    case .completed: emitter.complete()
                    }
                }
            }
        }
        return source(file, line) { subscriber in
            emitter.subscribeEvents(file: file, line: line) { subscriber.send($0) }
        }
    }

    private func makeCold<Value>(_ timeline: Timeline<Value>, _ file: StaticString, _ line: UInt) -> Signal<Value> {
        source(file, line) { [scheduler] subscriber in
            let tickets = DisposeBag()
            for entry in timeline.entries {
                if entry.time == 0 {
                    subscriber.send(entry.event)
                    continue
                }
                nonisolated(unsafe) let send = { subscriber.send(entry.event) }
                do {
                    try scheduler.schedule(after: .nanoseconds(Int(entry.time))) { send() }.disposed(by: tickets)
                } catch {
                    subscriber.fail(error)
                }
            }
            return Disposable { tickets.dispose() }
        }
    }

    /// A cold signal whose subscriptions are noted.
    private func source<Value>(
        _ file: StaticString, _ line: UInt, _ begin: @escaping (Subscriber<Value>) -> Disposable
    ) -> Signal<Value> {
        let spans = Spans()
        let signal = Signal<Value>(file: file, line: line) { [scheduler] subscriber in
            let number = spans.all.count
            spans.all.append((scheduler.now, nil))
            let work = begin(subscriber)
            return Disposable {
                spans.all[number].end = scheduler.now
                work.dispose()
            }
        }
        sources[ObjectIdentifier(signal)] = (signal, spans)
        return signal
    }

    // MARK: Expectations

    /// Subscribes to `signal` and expects of it exactly the events of the diagram; digits and letters are their own values.
    ///
    /// - Parameters:
    ///   - diagram: `^` is where to subscribe, else the beginning; `!` where to dispose, else the end of the test. What
    ///     happens at the time of `^` is heard, what happens at the time of `!` is not.
    ///   - error: the error of a `#`; nil: any.
    public func expect<Value: MarbleValue>(
        _ signal: Signal<Value>, _ diagram: String, error: (any Error)? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        let usual = diagram + "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        expect(
            signal, diagram, error, value: Value.init(marble:),
            name: { value in usual.first { ($0.isLetter || $0.isNumber) && Value(marble: $0) == value } }, file, line)
    }

    /// Subscribes to `signal` and expects of it exactly the events of the diagram, with the values that `values` names.
    public func expect<Value: Equatable>(
        _ signal: Signal<Value>, _ diagram: String, _ values: [Character: Value], error: (any Error)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        expect(
            signal, diagram, error, value: { values[$0] },
            name: { value in values.filter { $0.value == value }.keys.min() }, file, line)
    }

    private func expect<Value: Equatable>(
        _ signal: Signal<Value>, _ text: String, _ error: (any Error)?, value: (Character) -> Value?,
        name: @escaping (Value) -> Character?, _ file: StaticString, _ line: UInt
    ) {
        guard let diagram = read(text, .expectation, file, line),
            let expected = timeline(of: diagram, value, error ?? AnyError(), file, line)
        else { return }
        let heard = Heard<Value>()
        let subscription = DisposeBag()
        subscriptions.add(Disposable { subscription.dispose() })
        let subscribe = { [scheduler] in
            signal.subscribeEvents(file: file, line: line) {
                heard.timeline.entries.append(Timeline.Entry(time: scheduler.now, event: $0))
            }.disposed(by: subscription)
        }
        let begin = diagram.time(of: .subscribed).map { UInt64($0) * column }
        let end = diagram.time(of: .disposed).map { UInt64($0) * column }
        if let begin, begin > 0 { schedule(begin, subscribe) } else { subscribe() }
        if let end { schedule(end) { subscription.dispose() } }
        checks.append { [column] in
            let heard = heard.timeline
            let isSame = heard.entries.elementsEqual(expected.entries) { heard, expected in
                if case (.failed, .failed(is AnyError)) = (heard.event, expected.event) {
                    return heard.time == expected.time
                }
                return heard.time == expected.time && heard.event == expected.event
            }
            if isSame { return nil }
            let shown = heard.diagram(column: column, from: begin, to: end) { name($0) ?? "?" }
            return """
                \(file):\(line): the signal did not deliver what was expected
                    expected  \(text.filter { $0 != " " })
                    actual    \(shown ?? "(does not fit into columns)")
                    expected: \(expected.list)
                    actual:   \(heard.list)
                """
        }
    }

    /// Expects that a source of this test was subscribed to at each `^`, until `!`; one diagram for each subscription.
    public func expect<Value>(
        subscriptionsOf source: Signal<Value>, _ diagrams: String..., file: StaticString = #fileID, line: UInt = #line
    ) {
        guard let spans = sources[ObjectIdentifier(source)]?.spans else {
            problems.append("\(file):\(line): not a source of this test: give a signal that 'hot' or 'cold' has made")
            return
        }
        let expected = diagrams.compactMap { read($0, .subscription, file, line) }
        checks.append { [column] in
            let wanted = expected.map { diagram in
                [MarbleDiagram.Mark.subscribed, .disposed].map { diagram.time(of: $0).map { UInt64($0) * column } }
            }
            if spans.all.map({ [$0.begin, $0.end] }) == wanted { return nil }
            let words = spans.all.map { span in
                "from \(milliseconds(span.begin)) " + (span.end.map { "to \(milliseconds($0))" } ?? "on")
            }
            return """
                \(file):\(line): the source was not subscribed to as expected
                    expected  \(diagrams.isEmpty ? "no subscription" : diagrams.joined(separator: "  and  "))
                    actual:   \(words.isEmpty ? "no subscription" : words.joined(separator: ", "))
                """
        }
    }

    // MARK: Diagrams

    private func read(
        _ text: String, _ use: MarbleDiagram.Use, _ file: StaticString, _ line: UInt
    ) -> MarbleDiagram? {
        do {
            let diagram = try MarbleDiagram(text, use)
            longest = max(longest, diagram.length)
            return diagram
        } catch {
            problems.append("\(file):\(line): \(error)")
            return nil
        }
    }

    /// The events of a diagram; nil, and a problem noted: a character has no value.
    private func timeline<Value>(
        of diagram: MarbleDiagram, _ value: (Character) -> Value?, _ error: any Error, _ file: StaticString,
        _ line: UInt
    ) -> Timeline<Value>? {
        var timeline = Timeline<Value>()
        for entry in diagram.entries {
            let event: Event<Value>
            switch entry.mark {
            case .completed: event = .completed
            case .failed: event = .failed(error)
            case .subscribed, .disposed: continue
            case .value(let character):
                guard let value = value(character) else {
                    problems.append(
                        "\(file):\(line): '\(character)' stands for no \(Value.self): name it, as in "
                            + "[\"\(character)\": …]\n    \(diagram.text)")
                    return nil
                }
                event = .next(value)
            }
            timeline.entries.append(Timeline.Entry(time: UInt64(entry.time) * column, event: event))
        }
        return timeline
    }

    private func events<Value>(
        _ text: String, _ value: (Character) -> Value?, _ error: any Error, _ file: StaticString, _ line: UInt
    ) -> Timeline<Value> {
        guard let diagram = read(text, .source, file, line) else { return Timeline() }
        return timeline(of: diagram, value, error, file, line) ?? Timeline()
    }
}

/// Of an expectation: whatever error it is.
private struct AnyError: Error, CustomStringConvertible {
    let description = "any error"
}
