import WeirTrace

/// One event on the way from a stimulus to what is to be explained, with all that made it happen.
public struct CauseStep: Sendable, Equatable {
    /// How its direct cause brought it about.
    public enum Way: Sendable, Equatable {
        /// Nothing recorded did: it is a root.
        case root
        /// It happened within a stimulus, hop or batch, of which this is the beginning.
        case within(EventID)
        /// The emission of this id was being delivered through the subscription, to its node or to a handler.
        case delivery(of: EventID, through: UInt32)
        /// The emission of this id had been delivered, and what waited for that ran.
        case settling(of: EventID)
        /// It is a hop, whose work this event gave to a scheduler.
        case scheduled(by: EventID)

        /// The event that is the cause; nil: there is none.
        public var cause: EventID? {
            switch self {
            case .root: nil
            case .within(let id), .delivery(let id, _), .settling(let id), .scheduled(let id): id
            }
        }
    }

    /// What a node that emitted or stopped a value had at one of its inputs.
    public struct Input: Sendable, Equatable {
        /// What an input had to do with it.
        public enum Role: Sendable, Equatable {
            /// Its delivery made the node run.
            case triggered
            /// It had delivered since the node's emission before this one.
            case changed
            /// It was written in a batch that was still open: its value was used, and is yet to be given out.
            case written
            /// It had not changed since then; its value was only used.
            case tookPart
        }

        /// The id of the subscription that feeds the node.
        public let subscription: UInt32
        /// The id of the node that it observes.
        public let source: UInt32
        /// What it had to do with it.
        public let role: Role
        /// The value that it had; not recorded of what a batch holds back.
        public let value: TraceValue
        /// The emission that gave it this value, or the write that a batch holds back; nil: the value it was made with, or
        /// one from before the recording.
        public let emission: EventID?
        /// It triggers and gives no value.
        public let isTiming: Bool
    }

    /// The event.
    public let event: TraceEvent
    /// How its direct cause brought it about.
    public let way: Way
    /// The value that the node held before; nil: its kind holds none, it is no event of a node, or it is not known.
    public let heldValue: TraceValue?
    /// The cause to follow first: the direct one, but where that reached the node neither through one of its inputs nor as
    /// its own work at a scheduler, the one of its changed inputs that changed last.
    public let mainCause: EventID?
    /// The inputs of the node that emitted or stopped a value, in the order in which they were connected.
    public let inputs: [Input]

    /// The value that a new one replaced; nil: it is no new value, or the old one is not known.
    public var previous: TraceValue? { event.kind == .emitted && !event.isReplayed ? heldValue : nil }

    /// The emissions behind the inputs that changed: all actual causes, but for a direct one that came by no input.
    public var changedInputs: [EventID] {
        inputs.filter { $0.role != .tookPart }.compactMap(\.emission)
    }
}
