/// A reference of an object that was looked at closely.
struct HeapEdge: Equatable {
    /// The way inside of the object: ".handler", "[3].value", "captures".
    var label: String
    /// Where it leads.
    var target: UInt
    /// Whether it keeps its target alive.
    var ownership: HeapReference.Ownership
    /// The code of the closure whose context the target is; 0: it is no closure's.
    var function: UInt
}

/// Collects the references of one object with their labels.
struct EdgeCollector: ReferenceVisitor {
    static var wantsLabels: Bool { true }

    let plans: Plans
    /// Whether the texts of keys may be shown, which are values of the program.
    let showsKeys: Bool
    private var way: [LabelStep] = []
    private(set) var edges: [HeapEdge] = []

    init(_ plans: Plans, showsKeys: Bool) {
        self.plans = plans
        self.showsKeys = showsKeys
    }

    mutating func visit(_ target: UInt, function: UInt) {
        edges.append(
            HeapEdge(label: label, target: target, ownership: .strong, function: plans.memory.code(at: function)))
    }

    mutating func visitOther(_ target: UInt, _ ownership: HeapReference.Ownership) {
        edges.append(HeapEdge(label: label, target: target, ownership: ownership, function: 0))
    }

    mutating func enter(_ step: LabelStep) { way.append(step) }
    mutating func leave() { way.removeLast() }
    mutating func visitUnseen(_ doubt: Int32) {}
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
        return Metadata(metadata).name(qualified: false) + " key"
    }
}

extension MemoryMap {
    /// The code that the word beside a closure's context leads to: of an asynchronous closure by a relative pointer.
    func code(at function: UInt) -> UInt {
        guard function != 0, isCode(function) == false, isReadable(function, 8) else { return function }
        let code = Memory.relative(function)
        return isCode(code) == true ? code : function
    }
}
