import WeirTrace

/// One frame of a thread as the grammar of the format page has it: where it opens and where it is over.
struct NaiveFrame {
    /// Position of the event that opens it, in the order of the trace.
    let opening: Int
    /// Position of the event that closes it; `Int.max`: none does.
    var closing = Int.max
    /// Position of each delivery that begins in it, and its subscription; 0: settling.
    var deliveries: [(position: Int, subscription: UInt32)] = []
    let depth: Int
    /// The cause of what opens it.
    let cause: EventID?
}

/// Where an event stands by the grammar alone.
struct NaivePlace: Equatable {
    var depth = 0
    /// The innermost open emission or hop, whichever is further in, else the innermost open stimulus or batch.
    var cause: EventID?
    /// What the emission that is the cause was being delivered to; nil: that is no emission.
    var subscription: UInt32?
}

/// Reads the events of one thread by recursive descent: `turn = emission | stimulus | batch | hop | fact`.
///
/// Only for threads that were recorded without loss from their first event on.
struct FrameGrammar {
    private(set) var frames: [NaiveFrame] = []
    private(set) var places: [Int: NaivePlace] = [:]
    private let events: [TraceEvent]
    private let own: [Int]
    private var next = 0

    init(_ events: [TraceEvent], thread: UInt32) {
        self.events = events
        own = events.indices.filter { events[$0].id.thread == thread }
        // What stands at the end of a turn and ends nothing is ignored.
        while next < own.count {
            turns([])
            if next < own.count {
                places[own[next]] = NaivePlace()
                next += 1
            }
        }
    }

    /// Reads turns until something comes that is none. `around` are the places in `frames` of what is open, outermost first.
    private mutating func turns(_ around: [Int]) {
        while next < own.count {
            switch events[own[next]].kind {
            case .stimulusBegan: nested(.stimulusEnded, around)
            case .batchBegan: nested(.batchEnded, around)
            case .hopBegan: nested(.hopEnded, around)
            case .emitted where events[own[next]].delivers, .completed where events[own[next]].delivers,
                .failed where events[own[next]].delivers:
                emission(around)
            case .deliveryBegan, .deliveryNext, .deliveryEnded, .stimulusEnded, .batchEnded, .hopEnded: return
            default:
                places[own[next]] = place(in: around)
                next += 1
            }
        }
    }

    private mutating func nested(_ end: EventKind, _ around: [Int]) {
        let frame = open(around)
        turns(around + [frame])
        guard next < own.count, events[own[next]].kind == end else { return }
        var place = place(in: around)
        (place.cause, place.subscription) = (events[frames[frame].opening].id, nil)
        places[own[next]] = place
        close(frame)
    }

    private mutating func emission(_ around: [Int]) {
        let frame = open(around)
        let emission = events[frames[frame].opening].id
        var delivered: UInt32 = 0
        while next < own.count {
            let event = events[own[next]]
            var place = NaivePlace(depth: around.count + 1, cause: emission, subscription: delivered)
            switch event.kind {
            case .deliveryBegan, .deliveryNext:
                delivered = event.subject
                frames[frame].deliveries.append((own[next], delivered))
                place.subscription = delivered
                places[own[next]] = place
                next += 1
                turns(around + [frame])
            case .deliveryEnded:
                places[own[next]] = place
                return close(frame)
            default: return
            }
        }
    }

    private mutating func open(_ around: [Int]) -> Int {
        var place = place(in: around)
        let event = events[own[next]]
        // The cause of a hop is the record that it names.
        if event.kind == .hopBegan { (place.cause, place.subscription) = (event.cause, nil) }
        places[own[next]] = place
        frames.append(NaiveFrame(opening: own[next], depth: around.count, cause: place.cause))
        next += 1
        return frames.count - 1
    }

    private mutating func close(_ frame: Int) {
        frames[frame].closing = own[next]
        next += 1
    }

    private func place(in around: [Int]) -> NaivePlace {
        func opener(_ frame: Int) -> TraceEvent { events[frames[frame].opening] }
        let isWeak: (Int) -> Bool = { opener($0).kind == .stimulusBegan || opener($0).kind == .batchBegan }
        guard let cause = around.last(where: { !isWeak($0) }) ?? around.last else { return NaivePlace() }
        let isEmission = opener(cause).kind != .hopBegan && !isWeak(cause)
        return NaivePlace(
            depth: around.count, cause: opener(cause).id,
            subscription: isEmission ? frames[cause].deliveries.last?.subscription ?? 0 : nil)
    }
}
