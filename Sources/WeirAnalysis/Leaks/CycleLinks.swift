import WeirTrace

/// The links of a cycle: each leads from a stored property of one object of the program to the next object of the program.
///
/// A link may pass a collection, a value, or an object of Weir or of the system.
struct CycleLinks {
    /// A link.
    struct Link {
        /// How a property reaches its object.
        enum Form {
            /// The property refers to the object.
            case direct
            /// The property is a collection that contains the object.
            case collection
            /// The object is inside the property's value: a structure, a tuple, an enumeration, `Any`.
            case value
            /// The property refers to an object of Weir or of the system, which holds the object.
            case library
        }

        let source: Int, target: Int
        /// The name of the property.
        let name: String
        /// Where in the property the object is, with indexes as `[…]`: "rows", "rows[…].value".
        let place: String
        let form: Form
        /// The type that has the property, and that of the object that it leads to.
        let subject: String, held: String
    }

    private(set) var all: [Link] = []

    init(_ references: [SnapshotReference], in snapshot: TraceSnapshot) {
        let starts = references.indices.filter { Self.isOwner(snapshot.objects[Int(references[$0].source)]) }
        for (number, start) in starts.enumerated() {
            let end = number + 1 < starts.count ? starts[number + 1] : starts[0] + references.count
            let steps = (start..<end).map { references[$0 % references.count] }
            if let link = Self.link(steps, in: snapshot) { all.append(link) }
        }
        // The order must not depend on where the cycle begins.
        all.sort { ($0.subject, $0.place, $0.source) < ($1.subject, $1.place, $1.source) }
    }

    private static func link(_ steps: [SnapshotReference], in snapshot: TraceSnapshot) -> Link? {
        guard let first = steps.first, let last = steps.last, LeakRemedy.isPlain(first, in: snapshot) else {
            return nil
        }
        let between = steps.dropFirst().map { snapshot.objects[Int($0.source)] }
        guard !steps.contains(where: \.isClosure), !between.contains(where: { $0.kind == .closure || $0.kind == .task })
        else { return nil }
        let path = String(ReferenceLabel.withoutIndexes(steps.map(\.label).joined()).dropFirst())
        let name = String(path.prefix { $0 != "." && $0 != "[" })
        let isWeirs = between.contains { $0.isInternal }
        let isSystems = between.contains(where: \.isOfLibrary)
        // Deeper collections, as in `Any`, are values.
        let isCollection = path.count { $0 == "[" } == 1 && (isSystems || path.hasPrefix(name + "["))
        let form: Link.Form =
            if steps.count == 1, path == name {
                .direct
            } else if !isWeirs, isCollection {
                .collection
            } else if isWeirs || isSystems {
                .library
            } else {
                .value
            }
        // The inside of a collection of the system is not the program's.
        let place = form != .collection || isSystems || path == name + "[…]" ? name : path
        let (source, target) = (Int(first.source), Int(last.target))
        return Link(
            source: source, target: target, name: name, place: place, form: form,
            subject: snapshot.objects[source].type,
            held: snapshot.objects[target].type)
    }

    /// Whether it is an object whose class the program can change.
    private static func isOwner(_ object: SnapshotObject) -> Bool {
        object.kind == .instance && !object.isInternal && !object.isOfSystem
    }

    // MARK: - Back references

    /// The links that may lead back to an owner; one, if that is decided.
    ///
    /// Nothing may depend on where the cycle begins.
    func back(expected: [UInt32], in snapshot: TraceSnapshot) -> [Link] {
        guard all.count <= Self.mostLinks else { return all }
        let held = heldFromOutside(in: snapshot)
        // An object that only the cycle holds would be gone at once.
        let safe = held.isEmpty ? all : all.filter { held.contains($0.target) }
        if safe.count < 2 { return safe.isEmpty ? all : safe }
        let anchor = anchor(expected: expected, in: snapshot)
        let named = safe.filter { Self.isBack($0.name) }
        let forward = anchor.map { anchor in safe.filter { $0.source != anchor } } ?? safe
        if named.count == 1, let found = named.first {
            guard let anchor, found.source == anchor else { return withAdapter(found, safe, anchor) }
            // The object should be gone and would own what its own property leads to; the name says the opposite.
            let into = safe.filter { $0.target == anchor && $0.source != anchor }
            return into.contains { $0.form == .direct } ? into + named : named
        }
        let candidates = forward.isEmpty ? safe : forward
        if candidates.count == 1 { return candidates }
        for names in [Self.roles, anchor == nil ? [] : Self.looseRoles] {
            let found = candidates.filter { names.contains($0.name) || names == Self.roles && isRole($0) }
            if found.count == 1 { return found }
        }
        // What Weir and the system hold for an object belongs to it.
        let own = candidates.filter { $0.form != .library }
        return own.isEmpty ? candidates : own
    }

    /// A link whose name says that its object owns; with the next link, if that object may be an adapter.
    ///
    /// Nothing else may hold an adapter, so that it would be gone at once; then its own reference leads back.
    private func withAdapter(_ link: Link, _ links: [Link], _ anchor: Int?) -> [Link] {
        guard all.count > 2, link.target != anchor else { return [link] }
        return links.filter { next in
            next.source == link.source
                || next.source == link.target && next.form == .direct && (anchor == nil || next.target == anchor)
        }
    }

    /// In a longer cycle, nothing is decided.
    private static let mostLinks = 64

    /// The objects that something besides the cycle holds; empty if none is known to be.
    private func heldFromOutside(in snapshot: TraceSnapshot) -> Set<Int> {
        let sources = Set(all.map(\.source))
        return sources.filter { place in
            let object = snapshot.objects[place]
            if object.isGarbage { return false }
            guard let holder = object.holder else { return object.outsideReferences > 0 }
            return !isInside(Int(snapshot.references[Int(holder)].source), sources, snapshot)
        }
    }

    /// Whether the path from outside to an object passes an object of the cycle.
    private func isInside(_ place: Int, _ sources: Set<Int>, _ snapshot: TraceSnapshot) -> Bool {
        sources.contains(place) || snapshot.way(to: place).contains { sources.contains(Int($0.source)) }
    }

    /// The one object of the cycle that was expected to be gone; else the one that is tracked.
    private func anchor(expected: [UInt32], in snapshot: TraceSnapshot) -> Int? {
        let tracked = Set(all.flatMap { [$0.source, $0.target] }).filter { snapshot.objects[$0].trackedObject != nil }
        let overdue = tracked.filter { snapshot.objects[$0].trackedObject.map(expected.contains) ?? false }
        if overdue.count == 1 { return overdue.first }
        return overdue.isEmpty && tracked.count == 1 ? tracked.first : nil
    }

    /// Whether a name says that its object owns the one that has the property.
    private static func isBack(_ name: String) -> Bool {
        ["delegate", "delegates", "owner", "superview", "previous", "prev"].contains(name)
            || name.hasSuffix("Delegate") || name.hasSuffix("Delegates") || name.hasSuffix("Owner")
            || name == "parent" || name.hasSuffix("Parent")
            || name.hasPrefix("parent") && name.dropFirst(6).first?.isUppercase == true
    }

    /// Names of objects that usually own those that refer to them.
    private static let roles: Set<String> = ["coordinator", "coord", "output"]
    /// Names that say nothing unless another property is known to own.
    private static let looseRoles: Set<String> = [
        "dataSource", "controller", "viewController", "presenter", "target", "host", "container", "router", "flow",
        "back",
    ]

    /// Whether the name of a property says that its object may own the one that has the property.
    static func mayLeadBack(_ name: String) -> Bool {
        isBack(name) || roles.contains(name) || looseRoles.contains(name) || name == "view"
            || name.hasSuffix("Coordinator")
    }

    /// Whether it is a coordinator, or the view of a presenter.
    private func isRole(_ link: Link) -> Bool {
        if link.name.hasSuffix("Coordinator") { return true }
        return link.name == "view"
            && all.contains { $0.target == link.source && ["presenter", "viewModel", "interactor"].contains($0.name) }
    }
}
