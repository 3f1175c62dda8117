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
