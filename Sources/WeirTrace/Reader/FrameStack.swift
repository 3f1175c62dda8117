/// The emissions and stimuli that are open on one thread, innermost last.
///
/// No more than `limit` frames are kept, so that no input makes it grow without bound; those further in
/// are counted, and their events are told as caused by the innermost frame that is kept.
struct FrameStack {
    struct Frame {
        var isEmission: Bool
        /// The record that opened it.
        var sequence: UInt64
        /// The subscription that is being delivered to; 0 for none.
        var subscription: UInt32
        /// The place of the innermost emission up to this frame; -1 for none.
        fileprivate var innermostEmission: Int
        /// The place of the innermost stimulus up to this frame; -1 for none.
        fileprivate var innermostStimulus: Int
    }

    static let limit = 4096

    private var frames: [Frame] = []
    private var uncounted: UInt64 = 0

    /// All open frames, those that are only counted included.
    var depth: Int { frames.count + Int(clamping: uncounted) }

    var innermostEmission: Frame? {
        guard let last = frames.last, last.innermostEmission >= 0 else { return nil }
        return frames[last.innermostEmission]
    }

    /// The record that opened the innermost emission, else the innermost stimulus.
    var cause: UInt64? { innermostEmission?.sequence ?? frames.last?.sequence }

    mutating func removeAll() {
        frames.removeAll(keepingCapacity: true)
        uncounted = 0
    }

    mutating func open(isEmission: Bool, sequence: UInt64, subscription: UInt32 = 0) {
        guard uncounted == 0, frames.count < Self.limit else {
            uncounted &+= 1
            return
        }
        let place = frames.count
        frames.append(
            Frame(
                isEmission: isEmission, sequence: sequence, subscription: subscription,
                innermostEmission: isEmission ? place : frames.last?.innermostEmission ?? -1,
                innermostStimulus: isEmission ? frames.last?.innermostStimulus ?? -1 : place))
    }

    /// So many more frames are open, of which nothing else is known.
    mutating func openUnknown(_ count: UInt64) { uncounted = min(count, 1 << 32) }

    /// A delivery of the innermost emission begins; gives the subscription whose delivery ends thereby, or 0.
    mutating func beginDelivery(to subscription: UInt32) -> UInt32 {
        guard uncounted == 0, let last = frames.last, last.innermostEmission >= 0 else { return 0 }
        defer { frames[last.innermostEmission].subscription = subscription }
        return frames[last.innermostEmission].subscription
    }

    /// Closes the innermost frame of the kind, and what was left open in it; `nil` if there is none.
    mutating func close(emission: Bool) -> Frame? {
        if uncounted > 0 {
            uncounted &-= 1
            return nil
        }
        guard let last = frames.last else { return nil }
        let place = emission ? last.innermostEmission : last.innermostStimulus
        guard place >= 0 else { return nil }
        let closed = frames[place]
        frames.removeSubrange(place...)
        return closed
    }
}
