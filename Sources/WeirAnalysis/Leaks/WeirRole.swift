import WeirTrace

/// The role of an object of one of Weir's own classes that findings and drawings must know.
///
/// A snapshot holds only the name of the class, so all that depends on such a name is here.
package enum WeirRole {
    /// A bag of subscriptions.
    case bag
    case combiner
    /// The record of a combiner about an input; Weir clears it when the combiner is released.
    case input
    case subscription
}

extension SnapshotObject {
    /// Its role; nil if it belongs to no class of Weir, or to one without a role.
    package var role: WeirRole? {
        guard isInternal else { return nil }
        switch type.prefix(while: { $0 != "<" }) {
        case "DisposeBag": return .bag
        case "Combiner": return .combiner
        case "InputCell": return .input
        case "subscription": return .subscription
        case let name where name.hasSuffix("Sink"): return .subscription
        default: return nil
        }
    }
}
