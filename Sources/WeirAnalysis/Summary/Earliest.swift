import WeirTrace

/// The position of an event by time. It cannot order two events of different threads with the same ticks.
struct Mark: Comparable, Hashable {
    var ticks: UInt64 = 0
    /// 0: there is no event.
    var thread: UInt32 = 0
    var sequence: UInt64 = 0

    init(ticks: UInt64 = 0, thread: UInt32 = 0, sequence: UInt64 = 0) {
        (self.ticks, self.thread, self.sequence) = (ticks, thread, sequence)
    }

    init(_ event: TraceEvent) {
        self.init(ticks: event.ticks, thread: event.id.thread, sequence: event.id.sequence)
    }

    static func < (left: Mark, right: Mark) -> Bool {
        (left.ticks, left.thread, left.sequence) < (right.ticks, right.thread, right.sequence)
    }

    /// Whether times alone do not put all marks in order.
    static func areTied(_ sorted: [Mark]) -> Bool {
        zip(sorted, sorted.dropFirst()).contains { $0.ticks == $1.ticks && $0.thread != $1.thread }
    }
}

/// The highest of many figures, and the first event with it, found without an order of the events.
struct Earliest {
    private(set) var figure: UInt64 = 0
    private(set) var mark = Mark()
    /// The number of the event to report, on the same thread.
    private(set) var event: UInt64 = 0
    /// Whether an event of another thread had the same figure at the same time.
    private(set) var isTied = false

    var id: EventID? { mark.thread == 0 ? nil : EventID(thread: mark.thread, sequence: event) }

    /// Takes the figure of an event; returns whether it is the best so far.
    @inline(__always) @discardableResult
    mutating func offer(_ figure: UInt64, at mark: Mark, _ event: UInt64) -> Bool {
        if figure < self.figure || figure == self.figure && mark.ticks > self.mark.ticks, self.mark.thread != 0 {
            return false
        }
        return settle(figure, mark, event)
    }

    private mutating func settle(_ figure: UInt64, _ mark: Mark, _ event: UInt64) -> Bool {
        if figure == self.figure, mark.ticks == self.mark.ticks, self.mark.thread != 0 {
            if mark.thread != self.mark.thread { isTied = true }
            if mark >= self.mark { return false }
        } else {
            isTied = false
        }
        (self.figure, self.mark, self.event) = (figure, mark, event)
        return true
    }

    /// Takes the best figure of another part of the trace; returns whether it is better.
    @discardableResult
    mutating func offer(_ other: Earliest) -> Bool {
        guard other.mark.thread != 0 else { return false }
        guard offer(other.figure, at: other.mark, other.event) else { return false }
        isTied = isTied || other.isTied
        return true
    }
}

/// The latest of many events, found without an order of them.
struct Latest {
    private(set) var mark = Mark()
    /// Whether an event of another thread happened at the same time.
    private(set) var isTied = false

    var id: EventID? { mark.thread == 0 ? nil : EventID(thread: mark.thread, sequence: mark.sequence) }
    /// Its time; 0 if there is no event.
    var ticks: UInt64 { mark.ticks }

    func isBefore(_ other: Latest) -> Bool { mark < other.mark }

    /// Takes an event; returns whether it is the latest so far.
    @discardableResult
    mutating func offer(_ mark: Mark) -> Bool {
        guard mark.thread != 0, mark.ticks >= self.mark.ticks else { return false }
        isTied = self.mark.thread != 0 && mark.ticks == self.mark.ticks && (isTied || mark.thread != self.mark.thread)
        guard mark >= self.mark else { return false }
        self.mark = mark
        return true
    }

    /// Takes the latest event of another part of the trace.
    mutating func offer(_ other: Latest) {
        let wasTied = other.isTied && other.mark.ticks >= mark.ticks
        offer(other.mark)
        isTied = isTied || wasTied
    }
}
