import WeirTrace

/// A change that removes a leak.
public struct LeakRemedy: Sendable, Equatable {
    /// The change.
    public enum Kind: String, Sendable {
        /// A closure captures `subject` weakly: `[weak self]`.
        case captureWeakly
        /// A closure that calls itself through a variable that it captures becomes a function, or the variable is set to nil.
        case endRecursion
        /// The task that runs the closure is cancelled.
        case cancelTask
        /// A property holds its object weakly: `weak var delegate`.
        case holdWeakly
        /// A property of `subject` that is part of a cycle is cleared in time, or holds its object weakly inside its value: a
        /// collection, an enumeration, `Any`. Without a property, one of the cycle's references is.
        case breakCycle
        /// Combine's `assign(to:on:)` is replaced: it holds `subject`, the object that it writes to.
        case replaceAssign
        /// A subscription is disposed, or put into a bag that is released in time.
        case dispose
        /// The holder releases it.
        case letGo
        /// The code that makes more each time first ends the previous ones.
        case endEarlier
    }

    /// The change.
    public let kind: Kind
    /// The line to change: the closure's, else the subscription's; nil if unknown.
    public var site: TraceSite?
    /// The closure to change, if its line is unknown.
    public var function: String?
    /// The type that is captured or held.
    ///
    /// For `dispose` it is the type that the handler captures; with `property` it is the type that has the property.
    public var subject: String?
    /// The property that holds the object: "delegate", ".rows[…]".
    public var property: String?
    /// Whether the closure captures the object in whose type it is written.
    public var isSelf = false

    init(_ kind: Kind, site: TraceSite? = nil) {
        self.kind = kind
        self.site = site
    }
}
