@_spi(Records) import WeirTrace

/// The open frames of one thread, with what the rules need of each.
///
/// It cannot be copied: a copy for each call of a function would cost more than the rules.
struct FlowThread: ~Copyable {
    let number: UInt32
    var stack = FrameStack()
    private var capacity = 16
    /// The facts that the rules need of each frame of `stack`. A frame that has just been closed is still there.
    private(set) var frames: UnsafeMutablePointer<FlowFrame>
    /// The request that the outermost hop answers.
    var request = Request.none
    /// The stimulus that the last outermost stimulus or hop follows from, in `RefreshCounts`, and the number of that event.
    var stimulus: (index: Int32, sequence: UInt64) = (0, 0)
    /// The beginning of the last emission outside of all frames.
    var emission = Occasion()
    /// The node whose emission or end has ended last; -1: there was none.
    var lastEnded: Int32 = -1
    /// The first and last of the latest records in a row that begin a subscription or make a node.
    private var beginnings: (first: UInt64, last: UInt64) = (0, 0)
    /// The latest outermost stimuli, and the outermost hops that follow from one, each with the numbers of its first and last event.
    private var stimuli: [(first: UInt64, last: UInt64, stimulus: UInt64)] = []
    private static let mostStimuli = 1024
    /// The executor spans of the thread.
    private let executorSpans: [ExecutorSpan]
    /// How many of these have begun.
    private var begun = 0
    private var nextExecutorSpan: UInt64
    /// The latest events outside of all frames, with their order.
    private var outermost: [(sequence: UInt64, order: UInt64)] = []
    private var hasForgotten = false
    private static let mostOutermost = 1024
    /// The number of the thread or executor that runs now.
    private(set) var runner: UInt32
    /// The handler time of all refreshes that have ended, in ticks.
    var handled: UInt64 = 0

    init(_ number: UInt32, _ executorSpans: [ExecutorSpan]) {
        self.number = number
        runner = number
        self.executorSpans = executorSpans
        nextExecutorSpan = executorSpans.first?.sequence ?? .max
        frames = .allocate(capacity: capacity)
    }

    /// Begins the executor spans up to an event.
    mutating func beginExecutorSpans(to sequence: UInt64) {
        if sequence < nextExecutorSpan { return }
        while begun < executorSpans.count, executorSpans[begun].sequence <= sequence {
            runner = executorSpans[begun].number
            begun += 1
        }
        nextExecutorSpan = begun < executorSpans.count ? executorSpans[begun].sequence : .max
    }

    /// Notes an event outside of all frames.
    mutating func noteOutermost(_ sequence: UInt64, _ order: UInt64) {
        if outermost.count >= 2 * Self.mostOutermost {
            outermost.removeFirst(Self.mostOutermost)
            hasForgotten = true
        }
        outermost.append((sequence, order))
    }

    /// The place of an event among all work of its runner; nil: it is forgotten.
    func runnerPosition(of sequence: UInt64) -> RunnerPosition? {
        let last = Self.count(outermost.count) { outermost[$0].sequence <= sequence }
        if last == 0, hasForgotten { return nil }
        let spans = Self.count(executorSpans.count) { executorSpans[$0].sequence <= sequence }
        return RunnerPosition(
            runner: spans > 0 ? executorSpans[spans - 1].number : number,
            order: last > 0 ? outermost[last - 1].order : 0, sequence: sequence)
    }

    /// How many elements in ascending order are not beyond a limit.
    private static func count(_ all: Int, _ isWithin: (Int) -> Bool) -> Int {
        var (low, high) = (0, all)
        while low < high {
            let middle = (low + high) / 2
            if isWithin(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func deallocate() { frames.deallocate() }

    @inline(__always)
    var top: UnsafeMutablePointer<FlowFrame>? { stack.count > 0 ? innermost : nil }

    /// The innermost frame. Requires one.
    @inline(__always)
    var innermost: UnsafeMutablePointer<FlowFrame> { frames + (stack.count &- 1) }

    /// The innermost emission of a value (not a completion or failure) below an index; nil if there is none.
    @inline(__always)
    func valueEmission(below place: Int) -> UnsafeMutablePointer<FlowFrame>? {
        var found = Int(stack.places(below: place).emission)
        while found >= 0, frames[found].isEnding { found = Int(stack.places(below: found).emission) }
        return found >= 0 ? frames + found : nil
    }

    /// The innermost emission, unless a hop lies further in; it causes the current event.
    @inline(__always)
    var causingEmission: UnsafeMutablePointer<FlowFrame>? {
        let places = stack.places
        return places.emission > places.hop ? frames + Int(places.emission) : nil
    }

    /// The frame at an index, to be changed.
    ///
    /// The compiler's thread sanitizer fails on a change by subscript of a pointer that a type without copies holds (Swift 6.3).
    @inline(__always)
    func frame(_ place: Int) -> UnsafeMutablePointer<FlowFrame> { frames + place }

    /// The node that first emitted an unchanged value, from which the emission at an index follows; `node` if it is that itself.
    @inline(__always)
    func unchangedOrigin(_ node: Int32, below place: Int) -> Int32 {
        var (origin, place) = (node, place)
        while place > 0 {
            let around = stack.places(below: place)
            guard around.emission > around.hop else { break }
            place = Int(around.emission)
            guard frames[place].isUnchanged, !frames[place].isEnding else { break }
            origin = frames[place].node
        }
        return origin
    }

    /// Whether an emission follows from an event, `()`, a value of an emitter, an element of an asynchronous sequence or the call of a
    /// callback from outside, through operators that make events of events.
    ///
    /// Operators with several sources do so for those of their values that an event has caused; combineLatest and startWith, whose
    /// values are a state, if that event is `()`.
    @inline(__always)
    func followsEvent(_ frame: UnsafeMutablePointer<FlowFrame>, _ tables: FlowTables) -> Bool {
        var place = frame - frames
        var isState = false
        while frames[place].node >= 0, !frames[place].isEnding {
            let traits = tables.nodes[Int(frames[place].node)].traits
            if frames[place].value.isVoid { return true }
            if traits.contains(.emitter) { return !isState }
            if traits.contains(.isSequence) || traits.contains(.isCallback) && place == 0 { return !isState }
            let around = stack.places(below: place)
            isState = isState || traits.contains(.repeatsState)
            guard !traits.isDisjoint(with: [.passesEvents, .repeatsState]), around.emission > around.hop else {
                return false
            }
            place = Int(around.emission)
        }
        return false
    }

    /// Whether the outermost frame directly contains a stimulus.
    @inline(__always)
    var hasStimulusInside: Bool { stack.count > 1 && (frames + 1).pointee.opener == .stimulus }

    /// A key for the innermost handler, stimulus or hop that contains the current emission and an earlier one of this order; nil: a
    /// batch contains both.
    func scene(since former: UInt64) -> Int32? {
        var place = stack.count - 1
        while place >= 0 {
            let frame = frames + place
            place -= 1
            // Opened later, or delivering to another subscription than then.
            if frame.pointee.order >= former { continue }
            switch frame.pointee.opener {
            case .stimulus: return frame.pointee.name
            case .hop: return frame.pointee.hopNode &+ 2 | 1 << 30
            case .batch: return nil
            case .unknown: continue
            case .emission:
                guard frame.pointee.isRefreshing, frame.pointee.deliveryOrder < former else { continue }
                return frame.pointee.subscription &+ 1
            }
        }
        return 1 << 30
    }

    /// Notes a record that begins a subscription or makes a node.
    mutating func noteBeginning(_ sequence: UInt64) {
        if beginnings.last == 0 || sequence != beginnings.last &+ 1 { beginnings.first = sequence }
        beginnings.last = sequence
    }

    /// Whether a source gives a value while a subscription to it begins: directly after, or from a value replayed to it.
    func isInBeginning(_ emission: UnsafeMutablePointer<FlowFrame>, of subscription: EventID) -> Bool {
        isInBeginning(emission.pointee.sequence, below: emission - frames, of: subscription)
    }

    /// The same for an emission that is not replayed, inside the frames below an index.
    func isInBeginning(_ emission: UInt64, below place: Int, of subscription: EventID) -> Bool {
        guard subscription.thread == number, emission > subscription.sequence else { return false }
        var outermost = place
        while outermost > 0, frames[outermost - 1].sequence > subscription.sequence { outermost -= 1 }
        if outermost < place { return frames[outermost].isReplayed }
        return emission == beginnings.last &+ 1 && beginnings.first <= subscription.sequence
    }

    /// Whether the innermost frame is the outermost one, not counting a stimulus.
    @inline(__always)
    var isOutermost: Bool { stack.count == 1 || stack.count == 2 && frames.pointee.opener == .stimulus }

    @inline(__always)
    var isInHop: Bool { stack.places.hop >= 0 }

    /// Whether a scheduler delivers what is emitted now: a hop is open that does not only carry the cause of a task.
    ///
    /// A hop of that kind is the outermost frame.
    @inline(__always)
    var isScheduled: Bool { stack.places.hop > 0 || stack.places.hop == 0 && !frames.pointee.carriesCause }

    /// The turn of the current event, which has this order.
    @inline(__always)
    func turn(_ order: UInt64) -> UInt64 {
        Meaning.turn(around: top?.pointee.turn ?? 0, own: order)
    }

    /// The outermost stimulus, by the order of its beginning; 0 if there is none.
    @inline(__always)
    var occasion: UInt64 { stack.count > 0 && frames.pointee.isStimulus ? frames.pointee.order : 0 }

    /// The named stimulus that the current event is in, or that the outermost hop follows from; 0 if there is none.
    @inline(__always)
    var namedStimulus: UInt64 { stack.count > 0 ? frames.pointee.stimulus : 0 }

    /// Notes that the outermost frame is a stimulus, or a hop that follows from one.
    mutating func beginStimulus(_ sequence: UInt64, _ stimulus: UInt64) {
        frames.pointee.stimulus = stimulus
        if stimuli.count >= 2 * Self.mostStimuli { stimuli.removeFirst(Self.mostStimuli) }
        stimuli.append((sequence, .max, stimulus))
    }

    /// Notes the last event of the outermost stimulus or hop.
    mutating func endStimulus(_ sequence: UInt64) {
        if stimuli.last?.last == .max { stimuli[stimuli.count - 1].last = sequence }
    }

    /// The stimulus that an event is in or follows from, as `namedStimulus`; 0 if there is none, or if it is forgotten.
    func stimulus(around sequence: UInt64) -> UInt64 {
        let count = Self.count(stimuli.count) { stimuli[$0].first <= sequence }
        guard count > 0, case let found = stimuli[count - 1], sequence <= found.last else { return 0 }
        // A chunk may have begun without the end of its frames.
        let isOpen = stack.count > 0 && frames.pointee.sequence == found.first
        return found.last < .max || isOpen ? found.stimulus : 0
    }

    /// The stimulus that the current event follows from, in `RefreshCounts`; 0: none.
    var openStimulus: Int32 {
        stack.count > 0 && frames.pointee.opener != .emission && frames.pointee.sequence == stimulus.sequence
            ? stimulus.index : 0
    }

    /// Whether the outermost open frame contains a refresh.
    func outermostContains(_ refresh: LastRefresh) -> Bool {
        stack.count > 0 && refresh.origin.thread == number && refresh.order > frames.pointee.order
    }

    /// The occasion of the current event: the outermost stimulus, or else the turn, or else `mark`.
    func occasion(_ order: UInt64, outside mark: UInt64) -> Occasion {
        let began = stack.count == 0 ? mark : occasion != 0 ? occasion : turn(order)
        return began == emission.order ? emission : Occasion(other: began, order: began)
    }

    /// Opens and returns a frame; nil if too many are open and this one is only counted.
    @inline(__always)
    mutating func open(
        _ opener: FrameStack.Opener, _ sequence: UInt64, node: Int32 = -1, isEnding: Bool = false
    ) -> UnsafeMutablePointer<FlowFrame>? {
        let place = stack.count
        let around = Int(stack.places.emission)
        guard stack.open(opener, sequence: sequence, isEnding: isEnding) else { return nil }
        if place == capacity { grow() }
        let new = frames + place
        new.initialize(to: FlowFrame(opener, sequence, node: node, isEnding: isEnding))
        (new.pointee.written, new.pointee.loop) =
            around >= 0 ? (frames[around].written, frames[around].loop) : (node, -1)
        if place > 0 {
            let around = new - 1
            new.pointee.outerRefresh =
                around.pointee.isRefreshing ? Int32(truncatingIfNeeded: place - 1) : around.pointee.outerRefresh
        }
        return new
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<FlowFrame>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: frames, count: capacity)
        frames.deallocate()
        frames = larger
        capacity *= 2
    }
}

/// The threads of a trace, by number; it owns their memory.
final class FlowThreads {
    @exclusivity(unchecked) private var all: [UInt32: UnsafeMutablePointer<FlowThread>] = [:]
    /// How many numbers `first` has room for.
    static let direct: UInt32 = 64
    /// The threads with low numbers, which are nearly all, by number.
    let first = UnsafeMutablePointer<UnsafeMutablePointer<FlowThread>?>.allocate(capacity: Int(direct))
    /// The last thread with a high number.
    @exclusivity(unchecked) private var last: UnsafeMutablePointer<FlowThread>?
    private let definitions: TraceDefinitions

    init(_ definitions: TraceDefinitions) {
        self.definitions = definitions
        first.initialize(repeating: nil, count: Int(Self.direct))
    }

    deinit {
        for thread in all.values {
            thread.pointee.deallocate()
            thread.deinitialize(count: 1)
            thread.deallocate()
        }
        first.deallocate()
    }

    /// The thread with a number, if it is known.
    subscript(number: UInt32) -> UnsafeMutablePointer<FlowThread>? { all[number] }

    func forEach(_ body: (UnsafeMutablePointer<FlowThread>) -> Void) { all.values.forEach(body) }

    /// The thread with a number; a new one if it is not known yet.
    @inline(never)
    func furtherThread(_ number: UInt32) -> UnsafeMutablePointer<FlowThread> {
        if let last, last.pointee.number == number { return last }
        let found = all[number] ?? newThread(number)
        last = found
        return found
    }

    private func newThread(_ number: UInt32) -> UnsafeMutablePointer<FlowThread> {
        let new = UnsafeMutablePointer<FlowThread>.allocate(capacity: 1)
        new.initialize(to: FlowThread(number, definitions.executorSpans[number] ?? []))
        all[number] = new
        if number < Self.direct { first[Int(number)] = new }
        return new
    }
}

/// The beginning of an occasion; they compare as in the order of the trace.
///
/// Emissions of several threads may be judged in another order, but not before or after a record of another kind.
struct Occasion: Comparable {
    /// The order of the last record that is no emission, suppression or delivery, up to the beginning.
    var other: UInt64 = 0
    /// The time and thread, if it began with an emission.
    var ticks: UInt64 = 0
    var thread: UInt32 = 0
    var order: UInt64 = 0

    static func < (left: Occasion, right: Occasion) -> Bool {
        (left.other, left.ticks, left.thread, left.order) < (right.other, right.ticks, right.thread, right.order)
    }
}

/// The place of an event among all work of a runner, which may run on several threads in turn.
struct RunnerPosition: Equatable {
    /// The number of the thread or executor.
    var runner: UInt32 = 0
    /// The order of the last event of its thread, up to it, that was outside of all frames.
    var order: UInt64 = 0
    /// The number of the event on its thread.
    var sequence: UInt64 = 0

    func isBefore(_ other: RunnerPosition) -> Bool { (order, sequence) < (other.order, other.sequence) }
}
