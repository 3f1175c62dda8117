@testable import WeirHeap

/// The references of an object, one line each: ".child Leaf", "weak .parent Branch"; `()` after the path of a closure.
func references(of object: AnyObject, showsKeys: Bool = false) -> [String] {
    let walker = HeapWalker()
    return walker.references(of: address(of: object), showsKeys: showsKeys).map { edge in
        let ownership = edge.ownership == .strong ? "" : "\(edge.ownership) "
        let call = edge.function == 0 ? "" : "()"
        let type = walker.plans.typeName(of: edge.target, isClosure: edge.function != 0)
        return "\(ownership)\(edge.label)\(call) \(type)"
    }
}

/// The references inside an object's storages and boxes, one line each.
func referencesInside(of object: AnyObject, showsKeys: Bool = false) -> [String] {
    let walker = HeapWalker()
    return walker.references(of: address(of: object)).flatMap { edge in
        walker.references(of: edge.target, showsKeys: showsKeys).map { inner in
            // A box looks like a context with a single capture.
            let isBox = edge.function == 0 && inner.label.hasPrefix("captures")
            let label = isBox ? String(inner.label.dropFirst("captures".count)) : inner.label
            return "\(edge.label)\(label) \(walker.typeName(of: inner.target))"
        }
    }
}

/// The limitations of a walk from an object.
func limitations(from object: AnyObject) -> [HeapLimitation] {
    HeapWalker().walk(from: [address(of: object)]).limitations
}

/// A target for references.
final class Leaf: Hashable {
    var number = 0

    static func == (left: Leaf, right: Leaf) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
