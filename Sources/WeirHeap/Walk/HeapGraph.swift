/// What a walk found: objects by number, and the strong references between them, as compressed rows.
///
/// - Invariant: `firstReference` has one element more than `addresses`, never falls, and ends at `targets.count`.
/// - Invariant: the first objects are the roots, in order, without duplicates.
struct HeapGraph: Sendable {
    /// What is known of an object beyond its references.
    struct Traits: OptionSet, Sendable {
        let rawValue: UInt8

        /// What a closure has captured, in memory of its own.
        static let isClosure = Traits(rawValue: 1)
        /// The elements of a collection.
        static let isStorage = Traits(rawValue: 2)
        /// Part of it could not be read: it may hold more than was found.
        static let isIncomplete = Traits(rawValue: 4)
        /// A reference led here, but there is no object.
        static let isRejected = Traits(rawValue: 8)
        /// An instance of a class or an actor.
        static let isInstance = Traits(rawValue: 16)
        /// An instance of a class of Weir itself.
        static let isInternal = Traits(rawValue: 32)
        /// An instance of a module of the system that makes circles, and cuts them itself.
        static let isSelfCutting = Traits(rawValue: 128)
    }

    /// Where each object is.
    var addresses: [UInt]
    /// Where the references of each object begin in `targets`; one more than objects.
    var firstReference: [Int]
    /// The objects that references lead to; the same one several times if it is referred to several times.
    var targets: [Int32]
    /// Strong counts as they stood in the objects when they were walked; `.max`: immortal, or no object.
    var strongCounts: [Int32]
    /// What is known of each object.
    var traits: [Traits]
    /// Bytes of each object.
    var sizes: [Int32]
    /// Places in `targets`, ascending, of closures whose only capture is the target: they have no context of their own.
    var closureReferences: [Int]

    /// A graph of these parts.
    init(
        addresses: [UInt], firstReference: [Int], targets: [Int32], strongCounts: [Int32], traits: [Traits],
        sizes: [Int32], closureReferences: [Int] = []
    ) {
        self.addresses = addresses
        self.firstReference = firstReference
        self.targets = targets
        self.strongCounts = strongCounts
        self.traits = traits
        self.sizes = sizes
        self.closureReferences = closureReferences
    }

    /// Whether the reference at this place in `targets` is that of a closure to the one thing that it captured.
    func isClosureReference(_ reference: Int) -> Bool {
        var (low, high) = (0, closureReferences.count)
        while low < high {
            let middle = (low + high) / 2
            if closureReferences[middle] < reference { low = middle + 1 } else { high = middle }
        }
        return low < closureReferences.count && closureReferences[low] == reference
    }

    /// How many objects there are.
    var count: Int { addresses.count }

    /// The objects that the references of `object` lead to.
    func references(of object: Int) -> ArraySlice<Int32> {
        targets[firstReference[object]..<firstReference[object + 1]]
    }
}
