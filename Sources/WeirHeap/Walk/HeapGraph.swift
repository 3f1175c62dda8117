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

/// A reference of an object that was read in detail.
struct HeapEdge: Equatable {
    /// The path inside the object: ".handler", "[3].value", "captures".
    var label: String
    /// The address of the target.
    var target: UInt
    /// Whether it keeps its target alive.
    var ownership: HeapReference.Ownership
    /// The closure's code, if the target is a closure's context; 0 otherwise. For an async closure, a pointer to its code.
    var function: UInt
}

/// Collects references of one object with their labels.
struct EdgeCollector: ReferenceVisitor {
    static var wantsLabels: Bool { true }

    private let plans: Plans
    private let showsKeys: Bool
    private let wants: (_ strongPlace: Int?, _ target: UInt) -> Bool
    private var way: [LabelStep] = []
    private(set) var edges: [HeapEdge] = []
    private(set) var strongCount = 0

    /// - Parameters:
    /// - showsKeys: whether labels may show the text of keys, which are values of the program.
    /// - wants: which references to collect. For a strong one it gets the index among the strong ones.
    init(_ plans: Plans, showsKeys: Bool, wants: @escaping (_ strongPlace: Int?, _ target: UInt) -> Bool) {
        self.plans = plans
        self.showsKeys = showsKeys
        self.wants = wants
    }

    mutating func visit(_ target: UInt, function: UInt) {
        // The walk skips these, and the indexes must match.
        if target & 7 != 0 { return }
        if wants(strongCount, target) {
            edges.append(HeapEdge(label: label, target: target, ownership: .strong, function: function))
        }
        strongCount += 1
    }

    mutating func visitOther(_ target: UInt, _ ownership: HeapReference.Ownership) {
        guard wants(nil, target) else { return }
        edges.append(HeapEdge(label: label, target: target, ownership: ownership, function: 0))
    }

    mutating func enter(_ step: LabelStep) { way.append(step) }
    mutating func leave() { way.removeLast() }
    mutating func visitUnseen(_ limitation: Int32) {}
    mutating func visitBroken() {}

    private var label: String {
        var text = ""
        for step in way {
            switch step {
            case .label(let number): text += plans.labels[Int(number)]
            case .text(let part): text += part
            case .index(let index): text += "[\(index)]"
            case .key(let place, let metadata): text += "[\(key(place, metadata))]"
            case .ofKey: text += "(key)"
            case .element: text += "[element]"
            }
        }
        return text
    }

    private func key(_ place: UInt, _ metadata: UInt) -> String {
        guard showsKeys, let pointer = UnsafeRawPointer(bitPattern: place) else { return "key" }
        if metadata == plans.string.address {
            let text = pointer.assumingMemoryBound(to: String.self).pointee
            return "\"\(text.prefix(40))\(text.count > 40 ? "…" : "")\""
        }
        if metadata == Metadata(Int.self).address { return "\(pointer.assumingMemoryBound(to: Int.self).pointee)" }
        return Metadata(metadata).name + " key"
    }
}
