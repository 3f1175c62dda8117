import WeirTrace

/// What would cure a leak.
public struct LeakRemedy: Sendable, Equatable {
    /// The change.
    public enum Kind: String, Sendable {
        /// A closure captures `subject` weakly: `[weak self]`.
        case captureWeakly
        /// A property holds its object weakly: `weak var delegate`.
        case holdWeakly
        /// Combine's `assign(to:on:)` is replaced: it holds `subject`, the object that it writes to.
        case replaceAssign
        /// A subscription is disposed, or put into a bag that is released in time.
        case dispose
        /// What holds it lets go.
        case letGo
        /// Whoever makes more of it each time ends what was made before.
        case endEarlier
    }

    /// The change.
    public let kind: Kind
    /// The line to change: of the closure, else of the subscription; nil: not known.
    public var site: TraceSite?
    /// The closure to change, where its line is not known.
    public var function: String?
    /// The type of what is captured or held, of `dispose` of what the handler captures; with `property` the type that has
    /// the property.
    public var subject: String?
    /// The property that holds it: "delegate", ".rows[…]".
    public var property: String?
    /// The closure captures the object in whose type it stands.
    public var isSelf = false

    init(_ kind: Kind, site: TraceSite? = nil) {
        self.kind = kind
        self.site = site
    }
}
