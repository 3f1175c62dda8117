import WeirTrace

/// A closure of the program that captures an object strongly.
package struct StrongCapture: Sendable, Equatable {
    /// The index of the reference that leads to the captured object.
    package let place: Int
    /// The line of the closure; nil if unknown.
    package let site: TraceSite?
    /// The closure's name; nil if unknown.
    package let function: String?
    /// Whether the closure is the autoclosure of an argument, which has no capture list.
    package let isOfAutoclosure: Bool
    /// Whether closures inside it may run concurrently and capture something.
    package let hasConcurrentClosures: Bool
    /// The type of the captured object.
    package let type: String
    /// Whether it captures 'self': the object in whose type it is written, and through whose property the cycle continues.
    package let isSelf: Bool

    /// The captures along references, in order; a closure may be a reference itself, or an object between two.
    package static func all(
        _ references: [SnapshotReference], in snapshot: TraceSnapshot, isCycle: Bool
    ) -> [StrongCapture] {
        references.indices.compactMap { place in
            let reference = references[place]
            var closure = reference
            if snapshot.objects[Int(reference.source)].kind == .closure, !reference.isClosure {
                // The reference that leads to the context identifies the closure; a cycle may begin in between.
                guard place > 0 || isCycle else { return nil }
                closure = references[(place + references.count - 1) % references.count]
            }
            guard closure.isClosure, !closure.isHiddenClosure else { return nil }
            if snapshot.objects[Int(reference.target)].kind == .closure { return nil }
            // A captured variable has a box of its own.
            var captured = place
            let next = (place + 1) % references.count
            if snapshot.objects[Int(reference.target)].kind == .box, isCycle || next > 0 { captured = next }
            let after = references[(captured + 1) % references.count]
            let type = snapshot.objects[Int(references[captured].target)].type
            return StrongCapture(
                place: captured, site: closure.site, function: closure.function,
                isOfAutoclosure: closure.functionKind == .autoclosure,
                hasConcurrentClosures: closure.hasConcurrentClosures, type: type,
                isSelf: isCycle && after.label.hasPrefix(".") && standsIn(type, function: closure.function))
        }
    }

    /// Whether a closure with this name is written in this type: "closure #1 in LoginModel.init()" in "LoginModel".
    package static func standsIn(_ type: String, function: String?) -> Bool {
        let bare = type.prefix { $0 != "<" }
        guard !bare.isEmpty, let function else { return false }
        // The last part of "closure #1 in closure #2 in LoginModel.init()" is the function that contains the closures.
        let home = function.split(separator: " in ").last ?? ""
        let path = home.prefix { $0 != "(" }.split(separator: ".")
        return path.dropLast().contains { $0.prefix { $0 != "<" } == bare }
    }
}
