import WeirTrace

/// The result of an expression at one moment.
package enum Judgement: Sendable, Equatable {
    /// A value; true or false for a condition.
    case value(TraceValue)
    /// The trace does not contain the value.
    case unknown(Unknown)

    /// Why the value is unknown.
    package struct Unknown: Sendable, Equatable {
        /// The reasons why a value is unknown.
        package enum Reason: Sendable, Equatable {
            /// The node has emitted no value so far.
            case noValueYet
            /// The value policy records none.
            case notRecorded
            /// The node is private.
            case isPrivate
            /// Only its fingerprint is recorded, or nothing because of its type.
            case notRecordable
            /// It was cut, and the result depends on the rest.
            case isCut
            /// It is neither true nor false.
            case notATruth
            /// The two values have no order.
            case notComparable
        }

        /// The id of the node whose value is unknown; nil if the value is not a node's.
        package let node: UInt32?
        /// The reason.
        package let reason: Reason
    }

    /// Whether the result is true; nil if it is unknown or neither true nor false.
    package var truth: Bool? {
        guard case .value(.bool(let truth)) = self else { return nil }
        return truth
    }

    /// The result as a condition: true, false, or why that is unknown.
    func asTruth(of node: UInt32?) -> Judgement {
        guard case .value(let value) = self else { return self }
        if case .bool = value { return self }
        return .unknown(Unknown(node: node, reason: value.reasonUnknown ?? .notATruth))
    }
}

extension TraceValue {
    /// Why the value is unknown; nil if it is known, at least its beginning.
    var reasonUnknown: Judgement.Unknown.Reason? {
        switch self {
        case .notRecorded: .notRecorded
        case .withheld: .isPrivate
        case .opaque, .unknown, .fingerprint: .notRecordable
        default: nil
        }
    }
}
