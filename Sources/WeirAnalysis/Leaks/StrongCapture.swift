import WeirTrace

/// A closure of the program that captures an object strongly.
package struct StrongCapture: Sendable, Equatable {
    /// The place, among the references, of the one that leads to what is captured.
    package let place: Int
    /// Where the closure stands; nil: not known.
    package let site: TraceSite?
    /// Its name; nil: not known.
    package let function: String?
    /// The type of what it captures.
    package let type: String
    /// It captures the object in whose type it stands, and the circle goes on through a property of that: 'self'.
    package let isSelf: Bool

    /// Those along references, in order; a closure may be a reference of its own, or an object between two.
    package static func all(
        _ references: [SnapshotReference], in snapshot: TraceSnapshot, isCircle: Bool
    ) -> [StrongCapture] {
        references.indices.compactMap { place in
            let reference = references[place]
            var closure = reference
            if snapshot.objects[Int(reference.source)].kind == .closure, !reference.isClosure {
                // The reference that leads to the context says which closure it is; a circle may begin in between.
                guard place > 0 || isCircle else { return nil }
                closure = references[(place + references.count - 1) % references.count]
            }
            guard closure.isClosure, !closure.isHiddenClosure else { return nil }
            if snapshot.objects[Int(reference.target)].kind == .closure { return nil }
            // A captured variable is a box of its own.
            var captured = place
            let next = (place + 1) % references.count
            if snapshot.objects[Int(reference.target)].kind == .box, isCircle || next > 0 { captured = next }
            let after = references[(captured + 1) % references.count]
            let type = snapshot.objects[Int(references[captured].target)].type
            return StrongCapture(
                place: captured, site: closure.site, function: closure.function, type: type,
                isSelf: isCircle && after.label.hasPrefix(".") && standsIn(type, function: closure.function))
        }
    }

    /// Whether a closure of this name stands in this type: "closure #1 in LoginModel.init()" in "LoginModel".
    package static func standsIn(_ type: String, function: String?) -> Bool {
        let bare = type.prefix { $0 != "<" }
        guard !bare.isEmpty, let function else { return false }
        // Of "closure #1 in closure #2 in LoginModel.init()" the last part is the function that contains them.
        let home = function.split(separator: " in ").last ?? ""
        let path = home.prefix { $0 != "(" }.split(separator: ".")
        return path.dropLast().contains { $0.prefix { $0 != "<" } == bare }
    }
}
