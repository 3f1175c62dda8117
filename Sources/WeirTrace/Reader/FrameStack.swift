/// The frames that are open on one thread, innermost last: what nests in what, record by record.
///
/// Every pass over records uses it, and the reader of events gives each event its depth and cause by it. At most `limit` frames
/// are kept, so that no input makes the stack grow without bound. Frames further inside are only counted; the innermost kept
/// frame is the cause of their events.
///
/// Invariants:
/// - `top` and the first `count - 1` elements of `outer` are open; the other elements were, and their memory is used again;
/// - a frame's `places` give, for each kind of frame, the index of the innermost one up to it;
/// - frames are only counted while `limit` frames are kept, or if a context record says so.
@_spi(Records)
public struct FrameStack {
    /// The kind of a frame; the raw values are those of `context` records.
    @frozen public enum Opener: UInt8 {
        /// Added by a later version of the format.
        case unknown = 0
        /// A frame for a value, a completion or a failure.
        case emission = 1
        case stimulus = 2
        case hop = 3
        case batch = 4
    }

    /// An open frame.
    @frozen public struct Frame {
        /// The sequence number of the record that opened it.
        public let sequence: UInt64
        /// The subscription that receives the current delivery, or whose delivery scheduled a hop; 0: none.
        public var subscription: UInt32
        /// Its kind.
        public let opener: Opener
        /// Whether it delivers a completion or failure; unknown for a frame restored from a `context`.
        public let isEnding: Bool
        /// The innermost frames up to this one.
        public let places: Places

        @inlinable @inline(__always)
        init(_ opener: Opener, _ sequence: UInt64, _ subscription: UInt32, isEnding: Bool, _ places: Places) {
            self.opener = opener
            self.sequence = sequence
            self.subscription = subscription
            self.isEnding = isEnding
            self.places = places
        }
    }

    /// The index of the innermost frame of each kind; -1: none.
    @frozen public struct Places {
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public var emission: Int32 = -1, stimulus: Int32 = -1, hop: Int32 = -1, batch: Int32 = -1

        @inlinable init() {}

        /// The index for a kind of frame.
        @inlinable
        public subscript(opener: Opener) -> Int32 {
            @inline(__always) get {
                switch opener {
                case .emission: emission
                case .stimulus: stimulus
                case .hop: hop
                case .batch: batch
                case .unknown: -1
                }
            }
            @inline(__always) set {
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

    /// The most frames that are kept.
    @inlinable public static var limit: Int { 4096 }

    /// The innermost kept frame, apart from the others: most frames open and close without touching the array. Meaningless if no
    /// frame is kept.
    @usableFromInline var top = Frame(.unknown, 0, 0, isEnding: false, Places())
    /// The frames around it, outermost first.
    @usableFromInline var outer: [Frame] = []
    @usableFromInline var kept = 0
    @usableFromInline var uncounted: UInt64 = 0

    /// The number of frames that are kept.
    @inlinable public var count: Int { kept }

    /// No open frames.
    @inlinable public init() {}

    /// The number of open frames, including those that are only counted.
    @inlinable public var depth: Int { kept &+ Int(truncatingIfNeeded: uncounted) }

    /// Whether more frames are open than are kept: the current event belongs to none of the kept ones.
    @inlinable public var isTooDeep: Bool { uncounted > 0 }

    /// The frame at an index; 0: the outermost one.
    @inlinable public subscript(place: Int) -> Frame { place == kept &- 1 ? top : outer[place] }

    /// The innermost frames of each kind below an index.
    @inlinable @inline(__always)
    public func places(below place: Int) -> Places { place > 0 ? self[place &- 1].places : Places() }

    /// The innermost frames of each kind.
    @inlinable public var places: Places {
        @inline(__always) get { kept > 0 ? top.places : Places() }
    }

    /// The innermost frame; the cause of events if no frame is `causing`.
    @inlinable public var innermost: Frame? { kept > 0 ? top : nil }

    /// The index of the innermost emission or hop, which takes precedence over any stimulus or batch as a cause; -1: none.
    @inlinable public var causingPlace: Int { Int(max(places.emission, places.hop)) }

    /// The innermost emission or hop.
    @inlinable public var causing: Frame? {
        let place = causingPlace
        return place < 0 ? nil : self[place]
    }

    // MARK: Opening and closing

    /// Opens a frame; false: too many are open, and it is only counted.
    @inlinable @inline(__always) @discardableResult
    public mutating func open(
        _ opener: Opener, sequence: UInt64, subscription: UInt32 = 0, isEnding: Bool = false
    ) -> Bool {
        guard uncounted == 0, kept < Self.limit else {
            if uncounted < 1 << 32 { uncounted &+= 1 }
            return false
        }
        var places = places
        places[opener] = Int32(truncatingIfNeeded: kept)
        if kept > 0 { if _fastPath(kept &- 1 < outer.count) { outer[kept &- 1] = top } else { outer.append(top) } }
        top = Frame(opener, sequence, subscription, isEnding: isEnding, places)
        kept &+= 1
        return true
    }

    /// Closes all frames but the first `outermost`.
    @inlinable @inline(__always)
    mutating func closeAll(but outermost: Int) {
        guard outermost < kept else { return }
        kept = outermost
        if outermost > 0 { top = outer[outermost &- 1] }
    }

    /// Closes the innermost frame.
    @inlinable @inline(__always)
    public mutating func closeInnermost() { closeAll(but: kept &- 1) }

    /// Closes the frames left open in a delivery of the innermost emission, which begins or ends; returns the index of that
    /// emission, or -1.
    @inlinable @inline(__always) @discardableResult
    public mutating func leaveDelivery() -> Int {
        guard uncounted == 0 else { return -1 }
        let place = Int(places.emission)
        if place >= 0 { closeAll(but: place &+ 1) }
        return place
    }

    /// Begins a delivery of the innermost emission; returns the subscription of the delivery that this ends, or 0.
    @inlinable @inline(__always) @discardableResult
    public mutating func beginDelivery(to subscription: UInt32) -> UInt32 {
        guard leaveDelivery() >= 0 else { return 0 }
        defer { top.subscription = subscription }
        return top.subscription
    }

    /// Closes the innermost frame of the kind, and any frames left open in it; `nil` if there is none.
    @inlinable @inline(__always) @discardableResult
    public mutating func close(_ opener: Opener) -> Frame? {
        if uncounted > 0 {
            uncounted &-= 1
            return nil
        }
        let place = Int(places[opener])
        guard place >= 0 else { return nil }
        let closed = self[place]
        closeAll(but: place)
        return closed
    }

    // MARK: Rare records

    /// Opens or closes the frame that a record of a rare kind begins or ends; false: it is a `context` that cannot be read, or that
    /// does not list all open frames.
    package mutating func take(rare cursor: RecordCursor) -> Bool {
        switch cursor.kind {
        case .context:
            guard let open = cursor.openFrames, open.deeper == 0 else { return false }
            removeAll()
            restore(open)
        case .stimulusBegan: open(.stimulus, sequence: cursor.sequence)
        case .hopBegan: open(.hop, sequence: cursor.sequence, subscription: cursor.hopSubscription)
        case .batchBegan: open(.batch, sequence: cursor.sequence)
        case .stimulusEnded: close(.stimulus)
        case .hopEnded: close(.hop)
        case .batchEnded: close(.batch)
        default: break
        }
        return true
    }

    // MARK: The start of a chunk

    /// Closes all frames: a chunk begins, and only its `context` record lists the open frames.
    @inlinable
    public mutating func removeAll() {
        kept = 0
        uncounted = 0
    }

    /// Restores the frames that a `context` record lists.
    package mutating func restore(_ open: ContextFrames) {
        for frame in open.frames[closeUnlisted(open)...] { self.open(frame) }
        noteDeeper(open)
    }

    /// Closes the frames that a `context` record does not list. Returns the number of those that stay open: the first ones
    /// of the list.
    package mutating func closeUnlisted(_ open: ContextFrames) -> Int {
        uncounted = 0
        let known = zip(0..<count, open.frames).prefix {
            self[$0].sequence == $1.sequence && self[$0].opener == $1.opener
        }.count
        closeAll(but: known)
        return known
    }

    /// Opens a frame that a `context` record lists.
    package mutating func open(_ frame: ContextFrames.Frame) {
        let hasSubscription = frame.opener == .emission || frame.opener == .hop
        open(frame.opener, sequence: frame.sequence, subscription: hasSubscription ? frame.subscription : 0)
    }

    /// Counts the frames inside those that a `context` record lists.
    package mutating func noteDeeper(_ open: ContextFrames) {
        if open.deeper > 0 { uncounted = min(open.deeper, 1 << 32) }
    }
}
