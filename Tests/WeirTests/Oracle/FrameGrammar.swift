import WeirTrace

/// One frame of a thread, according to the grammar of the format page: where it opens and closes.
struct NaiveFrame {
    /// Position of the event that opens it, in trace order.
    let opening: Int
    /// Position of the event that closes it; `Int.max` if none does.
    var closing = Int.max
    /// Position of each delivery that begins in it, and its subscription; 0 means settling.
    var deliveries: [(position: Int, subscription: UInt32)] = []
    let depth: Int
    /// The cause of the opening event.
    let cause: EventID?
}

/// The place of an event in the grammar.
struct NaivePlace: Equatable {
    var depth = 0
    /// The innermost open emission or hop, otherwise the innermost open stimulus or batch.
    var cause: EventID?
    /// The subscription to which the causing emission was being delivered; nil if the cause is no emission.
    var subscription: UInt32?
    /// The subscription that the hop names that is the cause; nil if the cause is no hop.
    var hop: UInt32?
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
        // An event at the end of a turn that ends nothing is ignored.
        while next < own.count {
            turns([])
            if next < own.count {
                places[own[next]] = NaivePlace()
                next += 1
            }
        }
    }

    /// Reads turns until another kind of event comes. `around` are the indices in `frames` of the open frames, outermost first.
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
        (place.cause, place.subscription, place.hop) = (events[frames[frame].opening].id, nil, nil)
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
        if event.kind == .hopBegan { (place.cause, place.subscription, place.hop) = (event.cause, nil, nil) }
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
            subscription: isEmission ? frames[cause].deliveries.last?.subscription ?? 0 : nil,
            hop: opener(cause).kind == .hopBegan ? opener(cause).scheduledBy : nil)
    }
}
