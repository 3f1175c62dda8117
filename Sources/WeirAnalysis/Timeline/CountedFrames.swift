import WeirTrace

/// The frames that are open within one chunk, by kind.
struct CountedFrames {
    enum Kind: UInt8 {
        case other = 0
        case emission = 1
        case stimulus = 2
        case hop = 3
        case batch = 4
        /// A completion or failure.
        case ending = 5
    }

    // The reader only counts frames beyond this depth.
    private static let limit = 4096
    private var kinds: [Kind] = []
    /// The numbers of the open stimuli, outermost first.
    private(set) var stimuli: [UInt64] = []
    private(set) var isTooDeep = false

    init() { kinds.reserveCapacity(64) }

    var depth: Int { kinds.count }

    mutating func removeAll() {
        kinds.removeAll(keepingCapacity: true)
        stimuli.removeAll(keepingCapacity: true)
    }

    mutating func restore(_ open: [ContextFrames.Frame]) {
        removeAll()
        for frame in open {
            let kind = frame.opener <= Kind.batch.rawValue ? Kind(rawValue: frame.opener) ?? .other : .other
            self.open(kind, frame.sequence)
        }
    }

    @inline(__always)
    mutating func open(_ kind: Kind, _ sequence: UInt64 = 0) {
        if kinds.count >= Self.limit { isTooDeep = true }
        kinds.append(kind)
        if kind == .stimulus { stimuli.append(sequence) }
    }

    /// Begins a delivery: closes the frames left open inside the previous one, and returns the kind of what is delivered.
    @inline(__always)
    mutating func beginDelivery() -> Kind {
        guard let last = kinds.last else { return .other }
        if last == .emission || last == .ending { return last }
        return beginDeliveryBelow()
    }

    private mutating func beginDeliveryBelow() -> Kind {
        guard let place = kinds.lastIndex(where: { $0 == .emission || $0 == .ending }) else { return .other }
        truncate(to: place + 1)
        return kinds[place]
    }

    @inline(__always)
    mutating func endDeliveries() {
        let kind = beginDelivery()
        if kind == .emission || kind == .ending { kinds.removeLast() }
    }

    mutating func close(_ kind: Kind) {
        guard let place = kinds.lastIndex(of: kind) else { return }
        truncate(to: place)
    }

    private mutating func truncate(to count: Int) {
        while kinds.count > count { if kinds.removeLast() == .stimulus { stimuli.removeLast() } }
    }
}
