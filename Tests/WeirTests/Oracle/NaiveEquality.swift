import WeirTrace

@testable import WeirAnalysis

/// The provable relation of two values in a trace.
enum NaiveEquality: Equatable {
    case equal
    case different
    case notKnown(UnjudgedTally.Reason)

    init(_ former: TraceValue, _ latter: TraceValue) {
        let hidden = [former, latter].compactMap(Self.hidden)
        for reason in [UnjudgedTally.Reason.withheld, .notRecorded, .unrecordable] where hidden.contains(reason) {
            self = .notKnown(reason)
            return
        }
        switch (former, latter) {
        case (.double(let one), .double(let other)):
            self = one == other || one.isNaN && other.isNaN ? .equal : .different
        case (.float(let one), .float(let other)): self = one == other || one.isNaN && other.isNaN ? .equal : .different
        case (.cutString(_, let one), .cutString(_, let other)): self = one == other ? .equal : .different
        case (.described(let one), .described(let other)):
            self = one == other ? .notKnown(.sameDescription) : .different
        case (.cutDescription(_, let one), .cutDescription(_, let other)):
            self = one == other ? .notKnown(.sameDescription) : .different
        case (.hashedDescription(_, _, let one), .hashedDescription(_, _, let other)):
            self = one == other ? .equal : .different
        case (.enumCase(_, .fingerprint(let one)), .enumCase(_, .fingerprint(let other))):
            self = one == other ? .equal : .different
        case (.enumCase(let one, .unknown), .enumCase(let other, .unknown)),
            (.enumCase(let one, .noneOfAnyEnum), .enumCase(let other, .noneOfAnyEnum)):
            self = one == other ? .notKnown(.unrecordable) : .different
        default: self = former == latter ? .equal : .different
        }
    }

    private static func hidden(_ value: TraceValue) -> UnjudgedTally.Reason? {
        switch value {
        case .withheld: .withheld
        case .notRecorded: .notRecorded
        case .opaque, .unknown: .unrecordable
        default: nil
        }
    }
}
