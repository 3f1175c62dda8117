/// The result of a walk: objects by number, and the strong references between them, as compressed rows.
///
/// - Invariant: `firstReference` has one element more than `addresses`, never falls, and ends at `targets.count`.
/// - Invariant: the first objects are the roots, in order, without duplicates.
struct HeapGraph: Sendable {
    /// Facts about an object besides its references.
    struct Traits: OptionSet, Sendable {
        let rawValue: UInt8

        /// The captures of a closure, in memory of their own.
        static let isClosure = Traits(rawValue: 1)
        /// The elements of a collection.
        static let isStorage = Traits(rawValue: 2)
        /// Part of it could not be read, so it may hold more than was found.
        static let isIncomplete = Traits(rawValue: 4)
        /// A reference led here, but there is no object.
        static let isRejected = Traits(rawValue: 8)
        /// An instance of a class or an actor.
        static let isInstance = Traits(rawValue: 16)
        /// An instance of a class of Weir itself.
        static let isInternal = Traits(rawValue: 32)
        /// An instance of a system module that makes cycles and breaks them itself.
        static let isSelfCutting = Traits(rawValue: 128)
    }

    /// The address of each object.
    var addresses: [UInt]
    /// The index in `targets` of each object's first reference; one element more than objects.
    var firstReference: [Int]
    /// The target of each reference. An object occurs once for each reference to it.
    var targets: [Int32]
    /// Strong counts of the objects at the time of the walk; `.max` if immortal, or if there is no object.
    var strongCounts: [Int32]
    /// The traits of each object.
    var traits: [Traits]
    /// The size of each object in bytes.
    var sizes: [Int32]
    /// Indexes in `targets`, ascending, of closures whose only capture is the target: they have no context of their own.
    var closureReferences: [Int]

    /// Makes a graph of these parts.
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

    /// Whether the reference at this index in `targets` belongs to a closure that captured only its target.
    func isClosureReference(_ reference: Int) -> Bool {
        var (low, high) = (0, closureReferences.count)
        while low < high {
            let middle = (low + high) / 2
            if closureReferences[middle] < reference { low = middle + 1 } else { high = middle }
        }
        return low < closureReferences.count && closureReferences[low] == reference
    }

    /// The number of objects.
    var count: Int { addresses.count }

    /// The objects that the references of `object` lead to.
    func references(of object: Int) -> ArraySlice<Int32> {
        targets[firstReference[object]..<firstReference[object + 1]]
    }
}
