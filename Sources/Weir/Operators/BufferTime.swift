import Dispatch
import WeirRecording

extension Signal where Value: Sendable {
    /// Arrays of the values that arrive within `time` after a first value, or of `count` values if that many arrive earlier.
    ///
    ///     source:               -1-2-----3-|
    ///     buffer(time: 3, on:): ----[1,2]--([3]|)
    ///
    /// With a time of zero, an array holds the values that arrive until the scheduler runs: two properties that change in one
    /// turn of the main queue reload a table once.
    /// ```swift
    /// posts.merge(allPostsLoaded).buffer(time: .seconds(0), on: .main).subscribe { _ in reload() }
    /// ```
    /// At completion the remaining values are delivered at once; at a failure, and when the source is released, they are lost.
    /// Everything is delivered on `scheduler`; if it refuses, the signal fails with its error.
    ///
    /// - Parameter count: the maximum number of values in an array.
    /// - Precondition: `count` is positive.
    @inlinable
    public func buffer(
        time: DispatchTimeInterval, count: Int = .max, on scheduler: some Scheduler, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Signal<[Value]> {
        precondition(count > 0, "buffer(time:count: \(count)): an array has to hold at least one value")
        let buffer = BufferTime<Value>(time: time.waitingTime, count: count, scheduler: scheduler)
        return Operator(.buffer, buffer, to: self, file: file, line: line)
    }
}

@usableFromInline
struct BufferTime<Value>: Operation {
    @usableFromInline let time: UInt64
    @usableFromInline let count: Int
    @usableFromInline let scheduler: any Scheduler

    @inlinable
    init(time: UInt64, count: Int, scheduler: any Scheduler) {
        self.time = time
        self.count = count
        self.scheduler = scheduler
    }

    @inlinable
    func attach(_ downstream: Sink<[Value]>, to source: Signal<Value>) -> Disposable {
        let waiting = Waiting<[Value]>(on: scheduler)
        let links = waiting.links(feeding: downstream)
        let sink = InputSink<Value, [Value]>(feeding: downstream) { [time, count] value in
            let hop = Hop()
            let due = waiting.alarm.now.addingWait(time)
            waiting.perform(waiting.state.withState { $0.append(value, until: due, most: count, hop) }, links)
        } end: {
            waiting.end($0, keepsLast: true, links)
        }
        return links.token { links.attach(sink, to: source, key: 0, isSerial: false) }
    }
}

extension Waiting.State {
    /// Adds `element` to the array that waits, which is full with `most` of them; a new array waits until `due`.
    @inlinable
    mutating func append<Element>(
        _ element: Element, until due: UInt64, most: Int, _ hop: Hop
    ) -> Waiting.Action where Value == [Element] {
        if most == 1 { return .handOver([element], hop) }
        guard case .waiting(var elements, let due, let first) = self else {
            return keep([element], until: due, postpones: false, hop)
        }
        // First, so that this is the only reference to the array, which is not copied.
        self = .taken(next: due)
        elements.append(element)
        if elements.count == most { return .handOver(elements, hop) }
        self = .waiting(elements, due: due, first)
        return .none
    }
}
