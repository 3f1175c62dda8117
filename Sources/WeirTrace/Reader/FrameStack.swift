/// The frames that are open on one thread, innermost last.
///
/// At most `limit` frames are kept, so that no input makes the stack grow without bound. Frames further inside are only
/// counted; the innermost kept frame is the cause of their events.
///
/// Invariants:
/// - a frame's `places` give, for each kind of frame, the index of the innermost one up to it;
/// - frames are only counted while `limit` frames are kept, or if a context record says so.
package struct FrameStack {
    /// The kind of a frame; the raw values are those of `context` records.
    package enum Opener: UInt8 {
        /// Added by a later version of the format.
        case unknown = 0
        /// A frame for a value, a completion or a failure.
        case emission = 1
        case stimulus = 2
        case hop = 3
        case batch = 4
    }

    package struct Frame {
        package var opener: Opener
        /// The sequence number of the record that opened it.
        package var sequence: UInt64
        /// The subscription that receives the current delivery; 0: none.
        package var subscription: UInt32
        /// Whether it delivers a completion or failure; unknown for a frame restored from a `context`.
        package var isEnding: Bool
        fileprivate var places: Places
    }

    /// The index of the innermost frame of each kind; -1: none.
    fileprivate struct Places {
        var emission: Int32 = -1
        var stimulus: Int32 = -1
        var hop: Int32 = -1
        var batch: Int32 = -1

        subscript(opener: Opener) -> Int32 {
            get {
                switch opener {
                case .emission: emission
                case .stimulus: stimulus
                case .hop: hop
                case .batch: batch
                case .unknown: -1
                }
            }
            set {
                switch opener {
                case .emission: emission = newValue
                case .stimulus: stimulus = newValue
                case .hop: hop = newValue
                case .batch: batch = newValue
                case .unknown: break
                }
            }
        }
    }

    static let limit = 4096

    private var frames: [Frame] = []
    private var uncounted: UInt64 = 0

    package init() {}

    /// The number of open frames, including those that are only counted.
    package var depth: Int { frames.count + Int(clamping: uncounted) }

    /// The innermost emission or hop, which takes precedence over any stimulus or batch as a cause.
    var causing: Frame? {
        guard let last = frames.last else { return nil }
        let place = Int(max(last.places.emission, last.places.hop))
        // Usually it is the innermost frame itself.
        return place == frames.count - 1 ? last : place < 0 ? nil : frames[place]
    }

    /// The innermost frame; the cause of events if no frame is `causing`.
    var innermost: Frame? { frames.last }

    package mutating func removeAll() {
        frames.removeAll(keepingCapacity: true)
        uncounted = 0
    }

    package mutating func open(_ opener: Opener, sequence: UInt64, subscription: UInt32 = 0, isEnding: Bool = false) {
        guard uncounted == 0, frames.count < Self.limit else {
            uncounted &+= 1
            return
        }
        var places = frames.last?.places ?? Places()
        places[opener] = Int32(frames.count)
        frames.append(
            Frame(
                opener: opener, sequence: sequence, subscription: subscription, isEnding: isEnding, places: places))
    }

    /// Notes further open frames of which only the number is known.
    package mutating func openUnknown(_ count: UInt64) { uncounted = min(count, 1 << 32) }

    /// Closes the frames left open in a delivery of the innermost emission, which begins or ends.
    package mutating func leaveDelivery() {
        guard uncounted == 0, let last = frames.last, last.places.emission >= 0 else { return }
        let inner = Int(last.places.emission) + 1
        if inner < frames.count { frames.removeSubrange(inner...) }
    }

    /// Begins a delivery of the innermost emission; returns the subscription of the delivery that this ends, or 0.
    mutating func beginDelivery(to subscription: UInt32) -> UInt32 {
        guard uncounted == 0, let last = frames.last, last.places.emission >= 0 else { return 0 }
        let place = Int(last.places.emission)
        defer { frames[place].subscription = subscription }
        return frames[place].subscription
    }

    /// Closes the innermost frame of the kind, and any frames left open in it; `nil` if there is none.
    package mutating func close(_ opener: Opener) -> Frame? {
        if uncounted > 0 {
            uncounted &-= 1
            return nil
        }
        guard let last = frames.last, last.places[opener] >= 0 else { return nil }
        let place = Int(last.places[opener])
        let closed = frames[place]
        frames.removeSubrange(place...)
        return closed
    }
}
