import WeirRecording

/// Subscribes to one signal after another, to the next when the previous one has completed; implements `concat`.
///
/// The depth of the stack does not grow with the number of signals, even if all complete while they are being subscribed to.
@usableFromInline
final class Succession<Element, Output>: @unchecked Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var waiting: Queue<Element>
        /// Returns the signal for an element; nil: it has been released. Set only while elements wait, because it may hold the
        /// subscribed signal, and so the sink that holds this object.
        @usableFromInline var open: ((Element) throws -> Signal<Output>?)?
        /// Whether a signal is subscribed to, or the caller that has set this will subscribe to one.
        @usableFromInline var isBusy = false
        /// The number of signals to subscribe to, one after the other, by the call that made it 1.
        @usableFromInline var due = 0
        /// The key of the subscribed signal; 0 is for the source of elements.
        @usableFromInline var lastKey = 0
        /// The end of the source of elements.
        @usableFromInline var ending: Ending?

        @inlinable
        init() { waiting = Queue() }
    }

    @usableFromInline let links: SourceLinks<Output>
    @usableFromInline let downstream: Sink<Output>
    /// Whether the signals are made from the elements, and so are as private as they are.
    @usableFromInline let makesSignals: Bool
    @usableFromInline let state: OperatorState<State>

    @inlinable
    init(feeding downstream: Sink<Output>, makesSignals: Bool) {
        self.makesSignals = makesSignals
        let state = OperatorState(State())
        self.state = state
        self.downstream = downstream
        links = SourceLinks(feeding: downstream) {
            var former = State()
            state.withState {
                swap(&$0.waiting, &former.waiting)
                swap(&$0.open, &former.open)
            }
            withExtendedLifetime(former) {}
        }
    }

    /// Subscribes to `elements`; no others are added.
    @inlinable
    func start(_ elements: [Element], open: @escaping (Element) throws -> Signal<Output>?) {
        links.serializer.run { [self] in
            state.value.waiting = Queue(elements)
            state.value.open = open
            state.value.isBusy = true
            state.value.ending = .completed
            advance()
        }
    }

    /// Subscribes to the signal for `element` when all earlier ones have completed.
    @inlinable
    func add(_ element: Element, open: @escaping (Element) throws -> Signal<Output>?) {
        let isNext = state.withState { state in
            state.waiting.append(element)
            state.open = open
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isNext { advance() } else { downstream.suppress(.waiting) }
    }

    /// Called when the source of elements has ended.
    @inlinable
    func end(_ ending: Ending) {
        if case .failed = ending { return links.finish(ending) }
        links.cut(0)
        let isLast = state.withState {
            $0.ending = ending
            return !$0.isBusy
        }
        if isLast { links.finish(ending) }
    }

    @inlinable
    func advance() {
        let isFirst = state.withState {
            $0.due += 1
            return $0.due == 1
        }
        // A call further down this stack is subscribing, and will process it.
        guard isFirst else { return }
        var isDue = true
        while isDue {
            subscribeToNext()
            isDue = state.withState {
                $0.due -= 1
                return $0.due > 0
            }
        }
    }

    @inlinable
    func subscribeToNext() {
        var open: ((Element) throws -> Signal<Output>?)?
        let (next, key, ending) = state.withState { state -> (Element?, Int, Ending?) in
            let element = state.waiting.popFirst()
            if element == nil { state.isBusy = false }
            open = state.open
            if state.waiting.isEmpty { state.open = nil }
            state.lastKey += 1
            return (element, state.lastKey, state.ending)
        }
        guard let element = next, let open else {
            if let ending { links.finish(ending) }
            return
        }
        guard downstream.isHeard else { return }
        do {
            let made = makesSignals ? try downstream.made { try open(element) } : try open(element)
            guard let signal = made else { return links.finish(.released) }
            let sink = InputSink<Output, Output>(
                feeding: downstream, next: { [downstream] in downstream.emit($0) },
                end: { [self] ending in
                    guard case .completed = ending else { return links.finish(ending) }
                    links.cut(key)
                    advance()
                },
                cancelled: { [self] _ in
                    links.cut(key)
                    advance()
                })
            if makesSignals {
                links.attach(sink, toMade: signal, key: key)
            } else {
                links.attach(sink, to: signal, key: key)
            }
        } catch {
            links.finish(.failed(error))
        }
    }
}
