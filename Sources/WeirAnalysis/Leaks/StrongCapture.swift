import WeirTrace

/// A closure of the program that captures an object strongly.
package struct StrongCapture: Sendable, Equatable {
    /// Where the closure stands; nil: not known.
    package let site: TraceSite?
    /// Its name; nil: not known.
    package let function: String?
    /// The type of what it captures.
    package let type: String
    /// It stands in the type of what it captures.
    package let isOwnType: Bool

    /// Those along references, in order; a closure may be a reference of its own, or an object between two.
    static func all(_ references: [SnapshotReference], in snapshot: TraceSnapshot) -> [StrongCapture] {
        references.indices.compactMap { place in
            let reference = references[place]
            // A captured variable is a box of its own.
            let next = references[(place + 1) % references.count]
            let isBox = snapshot.objects[Int(reference.target)].kind == .box && next.source == reference.target
            let captured = isBox ? next.target : reference.target
            let source = snapshot.objects[Int(reference.source)]
            if source.kind == .closure, !reference.isClosure {
                // The reference that leads to the context says which closure it is; a circle may begin in between.
                let before = place > 0 ? references[place - 1] : references[references.count - 1]
                return before.target == reference.source && before.isClosure
                    ? StrongCapture(before, captured, snapshot) : nil
            }
            let target = snapshot.objects[Int(reference.target)]
            return reference.isClosure && target.kind != .closure
                ? StrongCapture(reference, captured, snapshot) : nil
        }
    }

    /// Nil: a closure of Weir's own.
    private init?(_ closure: SnapshotReference, _ captured: UInt32, _ snapshot: TraceSnapshot) {
        guard !closure.isHiddenClosure else { return nil }
        site = closure.site
        function = closure.function
        type = snapshot.objects[Int(captured)].type
        isOwnType = Self.standsIn(type, function: closure.function)
    }

    /// Whether a closure of this name stands in this type: "closure #1 in LoginModel.init()" in "LoginModel".
    package static func standsIn(_ type: String, function: String?) -> Bool {
        let bare = type.prefix { $0 != "<" }
        guard !bare.isEmpty, let function else { return false }
        // Of "closure #1 in closure #2 in LoginModel.init()" the last part is the function that contains them.
        let home = function.split(separator: " in ").last ?? ""
        return home.hasPrefix(bare + ".") || home.hasPrefix(bare + "<") || home.contains("." + bare + ".")
    }
}
