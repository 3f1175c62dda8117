import WeirTrace

/// One event on the path from a stimulus to the explained event, with all its causes.
package struct CauseStep: Sendable, Equatable {
    /// How its direct cause brought it about.
    package enum Way: Sendable, Equatable {
        /// It has no recorded cause: it is a root.
        case root
        /// It happened within a stimulus, hop or batch, whose beginning this is.
        case within(EventID)
        /// The emission with this id was being delivered through the subscription, to its node or to a handler.
        case delivery(of: EventID, through: UInt32)
        /// The emission with this id had been delivered, and the work waiting for it ran.
        case settling(of: EventID)
        /// It is a hop; this event gave the hop's work to a scheduler.
        case scheduled(by: EventID)

        /// The event that is the cause; nil if there is none.
        package var cause: EventID? {
            switch self {
            case .root: nil
            case .within(let id), .delivery(let id, _), .settling(let id), .scheduled(let id): id
            }
        }
    }

    /// The state of one input of a node that emitted or stopped a value.
    package struct Input: Sendable, Equatable {
        /// The part that an input played.
        package enum Role: Sendable, Equatable {
            /// Its delivery made the node run.
            case triggered
            /// It had changed since the node's previous emission: it had delivered a value or, for a combiner, held another one.
            ///
            /// For a node that anything may write: its delivery wrote the value that the node emits later, in a hop or at the end
            /// of a batch. For `deliver` and `delay`: the value that the hop delivers.
            case changed
            /// It was written in a batch that was still open: its value was used before it was emitted.
            case written
            /// For a command that refused: its value depends on that of this node, which a batch still held back.
            case heldBack
            /// It had not changed since then; only its value was used. For a node that anything may write: something else wrote
            /// the value.
            case tookPart
            /// For `zip`: a value that had waited for its partners, and that this emission paired with them.
            case paired
            /// For `zip`: its first value waits, too, for a partner.
            case waiting
            /// For `zip`: all its values have been paired, and the node waits for the next one.
            case missing
            /// For `flatMap`: the value that began the signal whose value the node emits, if the input gave later ones or if it had waited.
            case opened
            /// The value used is unknown: the trace lacks earlier events of the subscription, or the beginnings of several
            /// subscriptions to the node.
            case unknown

            /// Whether its emission is a cause.
            var isCause: Bool {
                switch self {
                case .triggered, .changed, .written, .paired, .opened: true
                case .heldBack, .tookPart, .waiting, .missing, .unknown: false
                }
            }
        }

        /// The id of the subscription that feeds the node.
        package let subscription: UInt32
        /// The id of the node that the subscription observes.
        package let source: UInt32
        /// The part that it played.
        package internal(set) var role: Role
        /// The value that it had: for a combiner, the value that it held, delivered or not; for `zip`, the one that was paired;
        /// for `flatMap`, the one that began the signal; for a hop, the one that was delivered then; otherwise the one delivered
        /// last.
        ///
        /// It is `.notRecorded` for a value that a batch holds back, and for an unknown one.
        package internal(set) var value: TraceValue
        /// The emission that set this value, or the write that a batch holds back.
        ///
        /// It is nil if the value is the initial one or was set before the recording.
        package internal(set) var emission: EventID?
        /// Whether it only triggers and gives no value.
        package let isTiming: Bool
        /// Whether it had completed, or its source was released: its last value stays.
        package internal(set) var isOver = false
    }

    /// A value that is yet to be looked up.
    enum Unread: Equatable {
        /// The one delivered before this many others.
        case delivery(later: Int)
        case emission(EventID)
    }

    /// The event.
    package let event: TraceEvent
    /// How its direct cause brought it about.
    package let way: Way
    /// The value that the node held before; nil if it is unknown, the node's kind holds none, or the subject is no node.
    package let heldValue: TraceValue?
    /// The cause to follow first: the direct cause, or else the input that changed last. For a value that a batch held back, the write.
    ///
    /// It is an input if the direct cause reached the node neither through one of its inputs nor as scheduled work, of the node
    /// itself or for the value of an input.
    package let mainCause: EventID?
    /// The inputs of the node that emitted or stopped a value, in the order in which they were connected.
    ///
    /// A cold node runs once for each subscription to it: the inputs are those of the run that emitted.
    package internal(set) var inputs: [Input]
    /// The inputs whose values are yet to be looked up, by index.
    var unread: [Int: Unread] = [:]

    /// The line of the program that wrote the node; nil if the recording has none, or if Weir wrote it.
    package internal(set) var writeSite: TraceWriteSite?

    /// The value that a new one replaced; nil if the event emits no new value or the old one is unknown.
    package var previous: TraceValue? { event.kind == .emitted && !event.isReplayed ? heldValue : nil }

    /// The emissions behind the inputs that changed: all actual causes, except a direct cause that came through no input.
    package var changedInputs: [EventID] {
        inputs.filter(\.role.isCause).compactMap(\.emission)
    }
}
