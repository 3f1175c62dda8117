/// The frames that are open on one thread, innermost last.
///
/// No more than `limit` frames are kept, so that no input makes it grow without bound; those further in
/// are counted, and their events are told as caused by the innermost frame that is kept.
///
/// Invariants:
/// - a frame's `places` tell, for each kind of frame, the innermost one up to it;
/// - frames are counted only while `limit` frames are kept, or where a context said so.
package struct FrameStack {
    /// What opened a frame; the numbers are those of `context` records.
    package enum Opener: UInt8 {
        /// Of a later version of the format.
        case unknown = 0
        /// Of a value, or of a completion or failure.
        case emission = 1
        case stimulus = 2
        case hop = 3
        case batch = 4
    }

    package struct Frame {
        package var opener: Opener
        /// The record that opened it.
        package var sequence: UInt64
        /// The subscription that is being delivered to; 0 for none.
        package var subscription: UInt32
        /// It delivers a completion or failure; not known of a frame that a `context` restored.
        package var isEnding: Bool
        fileprivate var places: Places
    }

    /// The place of the innermost frame of each kind; -1 for none.
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

    /// All open frames, those that are only counted included.
    package var depth: Int { frames.count + Int(clamping: uncounted) }

    /// The innermost emission or hop, whichever is further in: what causes events before any stimulus or batch does.
    var causing: Frame? {
        guard let last = frames.last else { return nil }
        let place = Int(max(last.places.emission, last.places.hop))
        // Nearly always it is the innermost frame itself.
        return place == frames.count - 1 ? last : place < 0 ? nil : frames[place]
    }

    /// The innermost frame; where nothing is `causing`, it causes what happens now.
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

    /// So many more frames are open, of which nothing else is known.
    package mutating func openUnknown(_ count: UInt64) { uncounted = min(count, 1 << 32) }

    /// A delivery of the innermost emission begins or ends: closes what was left open inside of it.
    package mutating func leaveDelivery() {
        guard uncounted == 0, let last = frames.last, last.places.emission >= 0 else { return }
        let inner = Int(last.places.emission) + 1
        if inner < frames.count { frames.removeSubrange(inner...) }
    }

    /// A delivery of the innermost emission begins; gives the subscription whose delivery ends thereby, or 0.
    mutating func beginDelivery(to subscription: UInt32) -> UInt32 {
        guard uncounted == 0, let last = frames.last, last.places.emission >= 0 else { return 0 }
        let place = Int(last.places.emission)
        defer { frames[place].subscription = subscription }
        return frames[place].subscription
    }

    /// Closes the innermost frame of the kind, and what was left open in it; `nil` if there is none.
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
