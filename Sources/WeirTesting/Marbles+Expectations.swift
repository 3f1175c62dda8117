import Weir
import WeirTrace

extension Marbles {
    /// Subscribes to `signal` and expects exactly the events of the diagram; digits and letters are their own values.
    ///
    /// - Parameters:
    ///   - diagram: `^` marks the subscription (default: the beginning), `!` the disposal (default: the end of the test).
    ///     Events at the time of `^` are received, events at the time of `!` are not.
    ///   - error: the error that `#` represents; nil accepts any error.
    public func expect<Value: MarbleValue>(
        _ signal: Signal<Value>, _ diagram: String, error: (any Error)? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        let usual = diagram + "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        expect(
            signal, diagram, error, value: Value.init(marble:),
            name: { value in usual.first { ($0.isLetter || $0.isNumber) && Value(marble: $0) == value } }, file, line)
    }

    /// Subscribes to `signal` and expects exactly the events of the diagram, with the values that `values` names.
    public func expect<Value: Equatable & SendableMetatype>(
        _ signal: Signal<Value>, _ diagram: String, _ values: [Character: Value], error: (any Error)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        expect(
            signal, diagram, error, value: { values[$0] },
            name: { value in values.filter { $0.value == value }.keys.min() }, file, line)
    }

    private func expect<Value: Equatable & SendableMetatype>(
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
                heard.add(Timeline.Entry(time: scheduler.now, event: $0))
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
}

/// The events that an expectation has received.
private final class Heard<Value>: @unchecked Sendable {  // The lock guards what is stored.
    private let lock = SystemLock()
    private var stored = Timeline<Value>()

    var timeline: Timeline<Value> { lock.withLock { stored } }

    func add(_ entry: Timeline<Value>.Entry) { lock.withLock { stored.entries.append(entry) } }
}

/// Represents any error in an expectation.
private struct AnyError: Error, CustomStringConvertible {
    let description = "any error"
}

/// The error with which a `#` of a marble diagram fails, unless another is given.
public struct MarbleFailure: Error, Equatable {
    /// The error of a `#`.
    public init() {}
}

/// The differences between a marble test and its diagrams, or the reasons why a diagram cannot be read, as text.
public struct MarblesDiffer: Error, CustomStringConvertible {
    /// One text for each expectation that failed.
    public let differences: [String]

    /// The differences, with the diagrams above each other.
    public var description: String { differences.joined(separator: "\n") }
}
