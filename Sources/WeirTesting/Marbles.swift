import Dispatch
import Weir
import WeirTrace

/// Runs a marble test: `body` makes sources and states what it expects of signals; then virtual time passes.
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
/// - Parameters:
///   - column: the time that one column represents.
///   - clock: the clock of a recording; it advances together with the test's time.
/// - Throws: `MarblesDiffer`, whose description shows the expected and the actual events, one above the other.
public func marbles(
    column: DispatchTimeInterval = .milliseconds(1), clock: VirtualClock? = nil, _ body: (Marbles) throws -> Void
) throws {
    let time = column.waitingTime
    precondition(time > 0 && time <= 3600 * 1_000_000_000, "marbles(column: \(column)): give a time of up to an hour")
    let marbles = Marbles(column: time, clock: clock)
    try body(marbles)
    let differences = marbles.run()
    if !differences.isEmpty { throw MarblesDiffer(differences: differences) }
}

/// A marble test: its sources, its expectations and its time.
public final class Marbles {
    /// The virtual time of the test; pass it to the code under test.
    public let scheduler: VirtualScheduler

    /// How many columns a test continues after the longest diagram, so that late events are detected.
    private static let overtime = 1000

    let column: UInt64
    var longest = 0
    var beginnings: [(Marbles) -> Void] = []
    var checks: [() -> String?] = []
    var problems: [String] = []
    var sources: [ObjectIdentifier: (signal: AnyObject, spans: Spans)] = [:]
    let subscriptions = DisposeBag()

    /// The times between which a source was subscribed to.
    final class Spans: @unchecked Sendable {  // The lock guards what is stored.
        private let lock = SystemLock()
        private var stored: [(begin: UInt64, end: UInt64?)] = []

        var all: [(begin: UInt64, end: UInt64?)] { lock.withLock { stored } }

        /// Returns the number of the new span.
        func begin(at time: UInt64) -> Int {
            lock.withLock {
                stored.append((time, nil))
                return stored.count - 1
            }
        }

        func end(_ number: Int, at time: UInt64) { lock.withLock { stored[number].end = time } }
    }

    init(column: UInt64, clock: VirtualClock?) {
        self.column = column
        scheduler = VirtualScheduler(clock: clock)
    }

    func run() -> [String] {
        beginnings.forEach { $0(self) }
        scheduler.advance(to: UInt64(longest + Self.overtime) * column)
        let differences = checks.compactMap { $0() }
        subscriptions.dispose()
        // Pending work holds the objects that it would use.
        scheduler.stop()
        return problems.isEmpty ? differences : problems
    }

    /// Runs `action` at a time, in columns; for example a user's action.
    public func at(_ time: Int, _ action: @escaping () -> Void) {
        precondition(time >= 0, "at(\(time)): a test begins at 0")
        longest = max(longest, time)
        beginnings.append { $0.schedule(UInt64(time) * $0.column, action) }
    }

    /// Runs `action` at `time`, in nanoseconds; now, if that has passed.
    func schedule(_ time: UInt64, _ action: @escaping () -> Void) {
        nonisolated(unsafe) let action = action
        let wait = Int(clamping: time - min(time, scheduler.now))
        do { _ = try scheduler.schedule(after: .nanoseconds(wait)) { action() } } catch {
            problems.append("the test's own scheduler refused: \(error)")
        }
    }

    // MARK: Diagrams

    func read(
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

    /// The events of a diagram; nil, after noting a problem, if a character has no value.
    func timeline<Value>(
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
                        "\(file):\(line): '\(character)' represents no \(Value.self): name it, as in "
                            + "[\"\(character)\": …]\n    \(diagram.text)")
                    return nil
                }
                event = .next(value)
            }
            timeline.entries.append(Timeline.Entry(time: UInt64(entry.time) * column, event: event))
        }
        return timeline
    }
}
