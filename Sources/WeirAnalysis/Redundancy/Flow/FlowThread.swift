import WeirTrace

/// The open frames of one thread.
///
/// It keeps as many frames as the reader of events does, and only counts those further in.
struct FlowThread {
    static let limit = 4096

    let number: UInt32
    private(set) var count = 0
    private var uncounted: UInt64 = 0
    private var capacity = 16
    private(set) var frames: UnsafeMutablePointer<FlowFrame>
    /// The executor spans of the thread.
    private let stints: [TraceStint]
    /// How many of these have begun.
    private var begun = 0
    private var nextStint: UInt64
    private var currentRunner: UInt32

    init(_ number: UInt32, _ stints: [TraceStint]) {
        self.number = number
        currentRunner = number
        self.stints = stints
        nextStint = stints.first?.sequence ?? .max
        frames = .allocate(capacity: capacity)
    }

    /// The number of the thread or executor that runs at an event. Events must be requested in order.
    @inline(__always)
    mutating func runner(at sequence: UInt64) -> UInt32 {
        if sequence >= nextStint { takeStints(to: sequence) }
        return currentRunner
    }

    private mutating func takeStints(to sequence: UInt64) {
        while begun < stints.count, stints[begun].sequence <= sequence {
            currentRunner = stints[begun].number
            begun += 1
        }
        nextStint = begun < stints.count ? stints[begun].sequence : .max
    }

    func deallocate() { frames.deallocate() }

    /// Whether more frames are open than are kept: the current event belongs to none of the kept ones.
    var isTooDeep: Bool { uncounted > 0 }

    @inline(__always)
    var top: UnsafeMutablePointer<FlowFrame>? { count > 0 ? frames + (count - 1) : nil }

    /// The innermost emission of a value (not a completion or failure) below an index; nil if there is none.
    @inline(__always)
    func valueEmission(below place: Int) -> UnsafeMutablePointer<FlowFrame>? {
        var found = place > 0 ? Int(frames[place - 1].places.emission) : -1
        while found >= 0, frames[found].isEnding {
            found = found > 0 ? Int(frames[found - 1].places.emission) : -1
        }
        return found >= 0 ? frames + found : nil
    }

    /// The innermost emission, unless a hop lies further in; it causes the current event.
    @inline(__always)
    var causingEmission: UnsafeMutablePointer<FlowFrame>? {
        guard let top, top.pointee.places.emission > top.pointee.places.hop else { return nil }
        return frames + Int(top.pointee.places.emission)
    }

    var isInHop: Bool { top.map { $0.pointee.places.hop >= 0 } ?? false }

    /// The turn of the current event, which has this order.
    @inline(__always)
    func turn(_ order: UInt64) -> UInt64 {
        guard let top, top.pointee.turn != 0 else { return order }
        return top.pointee.turn
    }

    /// The outermost stimulus, by the order of its beginning; 0 if there is none.
    var occasion: UInt64 { count > 0 && frames.pointee.opener == .stimulus ? frames.pointee.order : 0 }

    /// Opens and returns a frame; nil if too many are open and this one is only counted.
    @inline(__always)
    mutating func open(_ opener: FlowFrame.Opener) -> UnsafeMutablePointer<FlowFrame>? {
        guard uncounted == 0, count < Self.limit else {
            uncounted &+= 1
            return nil
        }
        if count == capacity { grow() }
        let place = Int32(truncatingIfNeeded: count)
        let new = frames + count
        new.initialize(to: FlowFrame(opener: opener))
        if count > 0 {
            let around = frames + (count - 1)
            new.pointee.places = around.pointee.places
            if around.pointee.isRefreshing { new.pointee.places.refresh = place - 1 }
        }
        switch opener {
        case .emission: new.pointee.places.emission = place
        case .stimulus: new.pointee.places.stimulus = place
        case .hop: new.pointee.places.hop = place
        case .batch: new.pointee.places.batch = place
        case .unknown: break
        }
        count += 1
        return new
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<FlowFrame>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: frames, count: count)
        frames.deallocate()
        frames = larger
        capacity *= 2
    }

    /// The index of the innermost frame of a kind; -1 if there is none.
    func place(of opener: FlowFrame.Opener) -> Int {
        guard let places = top?.pointee.places else { return -1 }
        return switch opener {
        case .emission: Int(places.emission)
        case .stimulus: Int(places.stimulus)
        case .hop: Int(places.hop)
        case .batch: Int(places.batch)
        case .unknown: -1
        }
    }

    /// Removes the frames from an index on; the caller has closed them already.
    @inline(__always)
    mutating func truncate(to place: Int) { count = place }

    /// Ends a frame that was only counted; false if there is none.
    mutating func closeUncounted() -> Bool {
        guard uncounted > 0 else { return false }
        uncounted &-= 1
        return true
    }

    mutating func openUnknown(_ more: UInt64) { uncounted = min(more, 1 << 32) }
    mutating func forgetUncounted() { uncounted = 0 }
}
