import WeirTrace

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
