/// The facts that a summary needs of an open frame: its place in a chain of emissions, and the delivery that is under way.
struct OpenEmission {
    struct Delivery {
        var subscription: UInt32
        /// Deliveries of the same emission up to this one.
        var ordinal: UInt32
        /// The event that began it, and its time.
        var began: UInt64
        var beganTicks: UInt64
        /// The slot of the node whose value is delivered.
        var source: Int32?
        /// Whether the exact tick of its beginning is known.
        var isTimed: Bool
        /// Whether it is a terminal delivery of a value that the handler has not carried on so far.
        var isUncarried: Bool
    }

    /// The link of an emission; nil for a frame that is none, or whose beginning is unknown.
    var link: ChainLink?
    var delivery: Delivery?
}
