/// Passes the events of one subscription to a scheduler in order; each event is a hop of its own.
///
/// While events wait, the scheduler holds this object, which holds the sink after the operator; at other times neither holds
/// anything. So the sender must hold this object.
@usableFromInline
final class Handover<Value>: Sendable {
    @usableFromInline
    enum Item {
        case value(Value)
        case end(Ending)

        /// Delivers the item as a hop.
        @inlinable
        func deliver(_ hop: Hop, _ links: SourceLinks<Value>) {
            switch self {
            case .value(let value): hop.run(of: links.downstream) { links.downstream.emit(value) }
            // No handler receives it, so no hop is recorded.
            case .end(let ending) where ending.isReleased: links.finish(ending)
            case .end(let ending): hop.run(of: links.downstream) { links.finish(ending) }
            }
        }
    }

    @usableFromInline
    struct State {
        @usableFromInline var waiting = Queue<(item: Item, hop: Hop)>()
        /// The number of events that wait or are being delivered.
        @usableFromInline var undelivered = 0
        /// Set while that number is not zero.
        @usableFromInline var links: SourceLinks<Value>?
        @usableFromInline var isOver = false

        @inlinable
        init() {}
    }

    @usableFromInline let scheduler: any Scheduler
    @usableFromInline let state = Guarded(State())

    @inlinable
    init(on scheduler: any Scheduler) { self.scheduler = scheduler }

    /// Delivers `item` on the scheduler; if it refuses, the signal fails at once.
    @inlinable
    func send(_ item: Item, _ links: SourceLinks<Value>, hop: Hop = Hop()) {
        let isFirst = state.withState { $0.undelivered == 0 }
        // No subscriber is notified of it, so it only must not overtake a value.
        if isFirst, case .end(let ending) = item, ending.isReleased { return links.finish(ending) }
        let isTooLate = state.withState { state in
            if state.isOver { return true }
            state.waiting.append((item, hop))
            state.undelivered += 1
            state.links = links
            return false
        }
        if isTooLate { return }
        do { _ = try scheduler.schedule { self.deliverNext() } } catch { links.finish(.failed(error)) }
    }

    /// Delivers the first event; if the scheduler runs two pieces of work at once, one after the other.
    @inlinable
    func deliverNext() {
        guard let links = state.withState({ $0.links }) else { return }
        links.serializer.run { self.deliverNext(links) }
    }

    @usableFromInline
    func deliverNext(_ links: SourceLinks<Value>) {
        guard let next = state.withState({ $0.waiting.popFirst() }) else { return }
        next.item.deliver(next.hop, links)
        state.withState {
            $0.undelivered -= 1
            // This is not the last reference: `links` is another.
            if $0.undelivered == 0 { $0.links = nil }
        }
    }

    /// Releases all waiting events.
    @usableFromInline
    func letGo() {
        var dropped = State()
        dropped.isOver = true
        state.withState { swap(&$0, &dropped) }
        while let next = dropped.waiting.popFirst() {
            if case .value = next.item { dropped.links?.downstream.suppress(.disposed) }
        }
    }
}
