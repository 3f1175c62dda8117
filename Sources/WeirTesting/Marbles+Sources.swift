import Dispatch
import Weir

extension Marbles {
    /// A signal whose events come at the times of the diagram, whether or not anyone has subscribed; digits are their own values.
    public func hot(
        _ diagram: String, error: any Error = MarbleFailure(), file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Int> {
        hot(diagram, of: Int.self, error: error, file: file, line: line)
    }

    /// A hot signal of values that characters represent by themselves.
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

    /// A cold signal of values that characters represent by themselves.
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
        beginnings.append { marbles in
            for entry in timeline.entries {
                marbles.schedule(entry.time) {
                    switch entry.event {
                    case .next(let value): emitter.emit(value)
                    case .failed(let error): emitter.fail(error)
                    case .completed: emitter.complete()
                    }
                }
            }
        }
        // A marble test runs on one thread: no value leaves it.
        nonisolated(unsafe) let hot = emitter
        return source(file, line) { subscriber in
            nonisolated(unsafe) let subscriber = subscriber
            return hot.subscribeEvents(file: file, line: line) { subscriber.send($0) }
        }
    }

    private func makeCold<Value>(_ timeline: Timeline<Value>, _ file: StaticString, _ line: UInt) -> Signal<Value> {
        // A marble test runs on one thread: no value leaves it.
        nonisolated(unsafe) let timeline = timeline
        return source(file, line) { [scheduler] subscriber in
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

    /// A cold signal that records its subscriptions.
    private func source<Value>(
        _ file: StaticString, _ line: UInt, _ begin: @escaping @Sendable (Subscriber<Value>) -> Disposable
    ) -> Signal<Value> {
        let spans = Spans()
        let signal = Signal<Value>(file: file, line: line) { [scheduler] subscriber in
            let number = spans.begin(at: scheduler.now)
            let work = begin(subscriber)
            return Disposable {
                spans.end(number, at: scheduler.now)
                work.dispose()
            }
        }
        sources[ObjectIdentifier(signal)] = (signal, spans)
        return signal
    }

    private func events<Value>(
        _ text: String, _ value: (Character) -> Value?, _ error: any Error, _ file: StaticString, _ line: UInt
    ) -> Timeline<Value> {
        guard let diagram = read(text, .source, file, line) else { return Timeline() }
        return timeline(of: diagram, value, error, file, line) ?? Timeline()
    }
}
