import WeirTrace

/// What an expression gives at one moment.
public enum Judgement: Sendable, Equatable {
    /// This value; of a condition, true or false.
    case value(TraceValue)
    /// The trace does not tell.
    case unknown(Unknown)

    /// Why the trace does not tell.
    public struct Unknown: Sendable, Equatable {
        /// What is wrong with a value.
        public enum Reason: Sendable, Equatable {
            /// The node has given out no value so far.
            case noValueYet
            /// The value policy records none.
            case notRecorded
            /// The node is private.
            case isPrivate
            /// Only its fingerprint is recorded, or nothing at all of such a type.
            case notRecordable
            /// It was cut, and the rest decides.
            case isCut
            /// It is neither true nor false.
            case notATruth
            /// The two values have no order.
            case notComparable
        }

        /// The id of the node whose value is not told; nil: it is no node's.
        public let node: UInt32?
        /// Why.
        public let reason: Reason
    }

    /// Whether it is true; nil where the trace does not tell.
    public var truth: Bool? {
        guard case .value(.bool(let truth)) = self else { return nil }
        return truth
    }

    /// As a condition: true, false, or why that is unknown.
    func asTruth(of node: UInt32?) -> Judgement {
        guard case .value(let value) = self else { return self }
        if case .bool = value { return self }
        return .unknown(Unknown(node: node, reason: value.reasonUnknown ?? .notATruth))
    }
}

extension TraceValue {
    /// Why the value itself is unknown; nil: it is known, if perhaps only its beginning.
    var reasonUnknown: Judgement.Unknown.Reason? {
        switch self {
        case .notRecorded: .notRecorded
        case .withheld: .isPrivate
        case .opaque, .unknown, .fingerprint: .notRecordable
        default: nil
        }
    }
}
