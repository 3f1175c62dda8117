import WeirTrace

/// What happened in one turn as the trace has it: a tree of facts, and what they say of handlers and combiners.
///
/// Deliveries are facts of their own: what happened in them lies below them. A single event outside of all frames is a
/// turn, too. Several turns may be put together, to be played again as one.
final class RecordedTurn {
    /// A named stimulus, with what it holds.
    final class Stimulus {
        let name: String
        let depth: Int
        /// It holds more than is kept.
        var isTooLong = false

        init(name: String, depth: Int) {
            self.name = name
            self.depth = depth
        }
    }

    struct Fact {
        let event: TraceEvent
        var children: [Int] = []
        /// Of a delivery: its recorded end.
        var endTicks: UInt64?
        var role = FactRole.nothing
        /// Of a refresh: its handler time.
        var ticks: UInt64 = 0
        /// Subscriptions or nodes begin or end in it, not counting deliveries further in.
        var hasStructure = false
    }

    struct DeliveryKey: Hashable {
        let subscription: Int
        let value: RecordedValue
    }

    struct Succession: Hashable {
        let node: Int
        let former: RecordedValue
        let next: RecordedValue
    }

    struct EvaluationFact {
        let node: Int
        let isNoop: Bool
    }

    let stimulus: Stimulus?
    var facts: [Fact] = []
    /// The facts that lie in no other.
    var roots: [Int] = []
    /// Its events were not kept.
    var isTooLong = false
    /// Something of it is missing.
    var isIncomplete = false

    // What `read(in:)` finds.
    /// The deliveries of values, in the order of the trace.
    var deliveries: [DeliveryKey: [Int]] = [:]
    /// How many values each subscription was given.
    var received: [Int: Int] = [:]
    /// The values that operators with a memory were given, and that nodes of such kinds gave out.
    var sequences: [Int: [RecordedValue]] = [:]
    /// What combiners made of the values of their inputs.
    var results: [Int: [[RecordedValue]: RecordedValue]] = [:]
    /// Combiners that gave two results for the same values.
    var fickle: Set<Int> = []
    /// Which value of a node followed which: they differ, also where their contents are not known.
    var successions: Set<Succession> = []
    var evaluations: [EvaluationFact] = []
    var figures = Figures()
    /// The values of nodes that changed, at the end.
    var endValues: [Int: RecordedValue] = [:]
    /// Nodes that gave out a value.
    var emitters: Set<Int> = []
    /// Where subscriptions began or ended, in order.
    var lives: [(subscription: Int, begins: Bool)] = []
    /// The value given last through each subscription.
    var lastDelivered: [Int: RecordedValue] = [:]
    /// Facts that opened frames, by event.
    var openers: [EventID: Int] = [:]
    var hasHops = false
    var marks = 0
    var releasedObjects: [UInt32] = []
    /// Objects that should be gone by the next checkpoint.
    var expectedObjects: [UInt32] = []
    /// Whether it has a checkpoint: what was expected before it counts as released from the next turn on.
    var endsExpectations = false
    var isRead = false
    /// What keeps it from being played again as it was recorded; set once it has been tried.
    var proof: Result<Void, Replay.Stop>?

    init(stimulus: Stimulus?) { self.stimulus = stimulus }

    var first: EventID { roots.first.map { facts[$0].event.id } ?? EventID(thread: 0, sequence: 0) }

    /// All of them as one, to be read anew.
    static func joined(_ turns: [RecordedTurn]) -> RecordedTurn {
        let result = RecordedTurn(stimulus: turns.first?.stimulus)
        for turn in turns {
            let offset = result.facts.count
            for fact in turn.facts {
                var moved = Fact(event: fact.event)
                moved.children = fact.children.map { $0 + offset }
                moved.endTicks = fact.endTicks
                result.facts.append(moved)
            }
            result.roots += turn.roots.map { $0 + offset }
            result.isTooLong = result.isTooLong || turn.isTooLong
            result.isIncomplete = result.isIncomplete || turn.isIncomplete
        }
        return result
    }
}
