import WeirTrace

/// The state of a node at one moment of a trace.
package struct NodeState: Sendable, Equatable {
    /// Whether it exists.
    package enum Life: UInt8, Sendable {
        /// Not mentioned so far: it is not made yet, or was made before the recording began.
        case unmentioned
        /// It was made, has emitted or stopped something, or a subscription from or to it has begun.
        case alive
        /// It was released.
        case released
    }

    /// Whether it exists.
    package internal(set) var life = Life.unmentioned
    /// The value that it emitted last, or else the one in its definition.
    package internal(set) var value: TraceValue
    /// The emission that set this value; nil if the value is the initial one or was set before the recording.
    package internal(set) var lastChange: EventID?
    /// The time of that emission, in ticks.
    package internal(set) var changeTicks: UInt64 = 0
    /// The position of that emission in the order of the trace, from 1; 0 if there was none.
    package internal(set) var changeOrder: UInt64 = 0
    /// The innermost open frame at that emission, if it was a batch: its end emitted the value, or evaluated the combiner.
    var changeBatch: EventID?
    /// The last completion or failure that ended it.
    package internal(set) var lastEnd: EventID?
    /// The last of its values that went no further.
    package internal(set) var lastSuppression: EventID?
    /// Why that value went no further, as the file numbers it; 0 if there was none.
    package internal(set) var suppressionReason: UInt8 = 0
    /// The write that an open batch holds back: the node has its value, and emits it when the batch ends.
    package internal(set) var heldWrite: EventID?
    /// The last value since its last change that it has and did not emit; nil: none.
    ///
    /// The view's side of a channel has the value that it sent. A property of `@Traced` stores a value that `==` calls equal; the
    /// trace does not hold it.
    package internal(set) var silentWrite: EventID?
    /// The time of that event, in ticks.
    package internal(set) var silentTicks: UInt64 = 0
    /// New values that it emitted.
    package internal(set) var emissions: UInt64 = 0
    /// Deliveries of its values to terminal subscriptions.
    package internal(set) var refreshes: UInt64 = 0
    /// Values that went no further.
    package internal(set) var suppressions: UInt64 = 0
    /// Live terminal subscriptions to it.
    package internal(set) var liveHandlers = 0
    /// Live subscriptions to it that feed other nodes.
    package internal(set) var liveEdges = 0

    init(value: TraceValue) { self.value = value }
}

/// A write that a batch held back.
struct HeldWrite: Sendable, Equatable {
    let id: EventID
    /// The emission during whose delivery it happened, and the subscription that received it; 0: it was no delivery.
    let cause: EventID?
    let subscription: UInt32

    init(_ event: TraceEvent) { (id, cause, subscription) = (event.id, event.cause, event.deliveringTo) }

    /// Whether it happened after the beginning of a frame on the same thread, or of a frame inside of that one.
    func isInside(_ frame: EventID) -> Bool { frame.thread == id.thread && frame.sequence < id.sequence }
}

/// The state of a subscription at one moment of a trace.
package struct SubscriptionState: Sendable, Equatable {
    /// Whether it exists.
    package enum Life: UInt8, Sendable {
        /// Not mentioned so far: it is not made yet, or was made before the recording began.
        case unmentioned
        /// It has begun, or something was delivered through it.
        case alive
        /// It has ended.
        case ended
    }

    /// A value for which a node subscribed to a further input.
    struct Opening: Sendable, Equatable {
        /// The id of the subscription that delivered the value.
        let input: UInt32
        let emission: EventID
        /// Whether the value had waited for earlier signals to end.
        var hadWaited = false
    }

    /// Whether it exists.
    package internal(set) var life = Life.unmentioned
    /// Its beginning; nil if it was not recorded.
    package internal(set) var start: EventID?
    /// The position of that event in the order of the trace, from 1; 0 if it was not recorded.
    package internal(set) var startOrder: UInt64 = 0
    /// For an input to which a flatMap subscribed for a value of another input: that value.
    var opening: Opening?
    /// Its end.
    package internal(set) var end: EventID?
    /// Why it ended, as the file numbers it; 0 if it has not ended.
    package internal(set) var endReason: UInt8 = 0
    /// Deliveries of values through it, without completions and failures.
    package internal(set) var deliveries: UInt64 = 0
    /// The last emission whose value was delivered.
    package internal(set) var lastEmission: EventID?
    /// The last delivered value.
    package internal(set) var lastValue = TraceValue.notRecorded
    /// The position of that delivery in the order of the trace, from 1; 0 if there was none.
    package internal(set) var deliveryOrder: UInt64 = 0
}

/// A frame that is open at one moment of a trace: an emission, a stimulus, a hop or a batch.
package struct OpenFrame: Sendable, Equatable {
    /// The event that opened it.
    package let id: EventID
    /// The kind of the event that opened it: an emission, completion or failure, a stimulus, a hop or a batch.
    package let opener: EventKind
    /// The node that emitted or hopped; 0 if there is none.
    package let node: UInt32
    /// The value of an emission.
    package let value: TraceValue
    /// The name of a stimulus.
    package let text: String
    /// The number of the stimulus in the trace, from 1; 0 if it is no stimulus.
    package let stimulusNumber: UInt64
    /// The event that caused it.
    package let cause: EventID?
    /// How many frames were open around it.
    package let depth: Int
    /// The subscription that receives the delivery; 0 before the first one, and while the turn settles.
    package internal(set) var subscription: UInt32 = 0

    /// The frame that `event` opens, with the number of a stimulus.
    init(_ event: TraceEvent, stimulusNumber: UInt64 = 0) {
        id = event.id
        self.stimulusNumber = stimulusNumber
        opener = event.kind
        node = event.kind == .stimulusBegan || event.kind == .batchBegan ? 0 : event.subject
        value = event.value
        text = event.text
        cause = event.cause
        depth = event.depth
    }
}

/// How many values of each input of `zip` wait for their partners, event by event.
///
/// A row takes the first waiting value of each input. An input whose delivery completes a row had none waiting before, so from
/// then on its count is known, even if the recording lacks its beginning. The same holds for one of two inputs while a value of
/// the other has to wait.
struct WaitingValues: Sendable {
    /// By number of the input; nil: unknown.
    private var counts: [Int?]
    /// The number of the last event of each thread.
    private var sequences: [UInt64] = []

    init(_ runs: SubscriptionRuns) { counts = .init(repeating: nil, count: runs.laneCount) }

    /// The number of waiting values of an input, the current one included; nil: unknown.
    subscript(lane: Int) -> Int? {
        get { counts[lane] }
        set { counts[lane] = newValue }
    }

    /// A value has arrived through an input.
    mutating func add(_ lane: Int) { if let count = counts[lane] { counts[lane] = count + 1 } }

    /// Events may be missing before the current one.
    mutating func forget() { for lane in counts.indices { counts[lane] = nil } }

    /// Notices a gap in the events of a thread, by its place among the threads.
    mutating func follow(_ event: TraceEvent, onThread place: Int) {
        while sequences.count <= place { sequences.append(0) }
        if event.id.sequence != sequences[place] &+ 1 || event.kind == .eventsLost { forget() }
        sequences[place] = event.id.sequence
    }

    /// A zip has emitted a row, or a value has to wait, because of a delivery through `input`; nil: in a hop.
    mutating func take(_ event: TraceEvent, _ inputs: ArraySlice<Int>, through input: Int?, _ runs: SubscriptionRuns) {
        for subscription in inputs {
            guard let lane = runs.lane(ofInput: subscription) else { continue }
            if Self.isEmptied(subscription, by: event, inputs, through: input) {
                counts[lane] = 0
            } else if event.kind == .emitted, let count = counts[lane] {
                counts[lane] = count - 1
            }
        }
    }

    /// Whether no value of an input waits after an event of the zip.
    static func isEmptied(
        _ subscription: Int, by event: TraceEvent, _ inputs: ArraySlice<Int>, through input: Int?
    ) -> Bool {
        guard let input else { return false }
        if event.kind == .emitted { return subscription == input }
        return event.suppressionReason == .waiting && inputs.count == 2 && subscription != input
    }
}
