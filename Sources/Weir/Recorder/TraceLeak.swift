import WeirRecording

/// An object that should have been released, and what holds it; ``Trace/onLeak(after:_:)`` reports it.
public struct TraceLeak: Sendable, CustomStringConvertible {
    /// The name under which the object was tracked, or else its type, without the module.
    public let name: String
    /// The lines of a drawing: from the outermost holder to the object, or around the cycle that keeps it alive.
    ///
    /// Empty if the heap could not be walked; `limitation` then says why.
    public let path: [String]
    /// Why the path is unknown, or may lack something; nil: it is complete.
    public let limitation: String?

    /// The headline, and the path below it.
    public var description: String {
        ([headline] + path.map { "  " + $0 } + (limitation.map { ["  " + $0] } ?? [])).joined(separator: "\n")
    }

    private var headline: String { "\(name) should have been released, but is alive" }
}

#if Recording
extension TraceLeak {
    init(name: String, limitation: String) {
        (self.name, self.path, self.limitation) = (name, [], limitation)
    }

    /// The finding about the object with that `identity` in `snapshot`.
    init(name: String, _ identity: SnapshotObject.Identity, in snapshot: TraceSnapshot) {
        self.name = name
        let place = snapshot.objects.firstIndex { $0.identity == identity }
        let path = place.map { LeakPath(snapshot).lines(to: $0) } ?? []
        self.path = path
        if let abort = snapshot.limitations.first(where: \.reason.isAborted) {
            limitation = "The heap walk was aborted: \(Self.words(abort))."
        } else {
            limitation = path.isEmpty ? "The heap walk did not find it." : nil
        }
    }

    private static func words(_ limitation: SnapshotLimitation) -> String {
        switch limitation.reason {
        case .unknownLayout: "the memory layout of this runtime is not known"
        case .tooManyObjects: "there are too many objects"
        case .walkCrashed: "it was ended by \(limitation.subject)"
        case .walkTimedOut: "it took longer than \(limitation.subject)"
        case .walkBlocked: "a lock was held for \(limitation.subject)"
        case .outOfMemory: "there was no memory for it"
        default: limitation.subject
        }
    }
}

/// Draws paths of a snapshot; Weir's own objects, the storage of collections and captured variables are folded.
private struct LeakPath {
    private let snapshot: TraceSnapshot
    private static let mostLines = 24

    init(_ snapshot: TraceSnapshot) { self.snapshot = snapshot }

    func lines(to place: Int) -> [String] {
        let object = snapshot.objects[place]
        let lines = object.isGarbage ? cycle(around: place) : path(to: place)
        let omitted = lines.count - Self.mostLines
        guard omitted > 1 else { return lines }
        return Array(lines.prefix(Self.mostLines / 2)) + ["… \(omitted) more lines"] + lines.suffix(Self.mostLines / 2)
    }

    private func path(to place: Int) -> [String] {
        var (place, references): (Int, [SnapshotReference]) = (place, [])
        while let holder = snapshot.objects[place].holder, references.count < snapshot.objects.count {
            let reference = snapshot.references[Int(holder)]
            references.append(reference)
            place = Int(reference.source)
        }
        return [outside(snapshot.objects[place]), type(snapshot.objects[place])] + steps(references.reversed())
    }

    private func outside(_ object: SnapshotObject) -> String {
        if let holder = object.outsideHolder { return holder.description }
        if object.outsideReferences == .max { return "a static object, which is never released" }
        if object.outsideReferences == 0 { return "a holder that the walk did not find" }
        return "something that the walk does not see: a variable on a stack, a task, or memory that it cannot read"
    }

    private func cycle(around place: Int) -> [String] {
        let cycles = snapshot.cycles.map { $0.references.map { snapshot.references[Int($0)] } }
        let cyclic = Set(cycles.joined().map { Int($0.source) })
        let path = nearest(of: cyclic, to: place)
        let source = path.first.map { Int($0.source) } ?? place
        guard let around = cycles.first(where: { $0.contains { Int($0.source) == source } }),
            let start = around.firstIndex(where: { Int($0.source) == source })
        else { return ["a cycle that the walk does not show"] }
        var lines = ["nothing outside: a cycle keeps it alive", type(snapshot.objects[source])]
        lines += steps(Array(around[start...] + around[..<start]))
        lines[lines.count - 1] += " (the same object)"
        return lines + steps(path)
    }

    /// The shortest path from one of these objects to the object at `place`; empty if that is one of them, or if there is none.
    private func nearest(of sources: Set<Int>, to place: Int) -> [SnapshotReference] {
        let holders = Dictionary(grouping: snapshot.references.filter { $0.ownership == .strong }) { Int($0.target) }
        /// The references that lead from other objects to it.
        var next: [Int: SnapshotReference] = [:]
        var found = [place], first = 0
        while first < found.count, !sources.contains(found[first]) {
            for reference in holders[found[first], default: []] {
                let holder = Int(reference.source)
                guard holder != place, next[holder] == nil else { continue }
                next[holder] = reference
                found.append(holder)
            }
            first += 1
        }
        guard first < found.count else { return [] }
        var path: [SnapshotReference] = []
        while let reference = next[path.last.map { Int($0.target) } ?? found[first]] { path.append(reference) }
        return path
    }

    private func steps(_ references: [SnapshotReference]) -> [String] {
        var (lines, label): ([String], String) = ([], "")
        for (place, reference) in references.enumerated() {
            label += reference.label
            let target = snapshot.objects[Int(reference.target)]
            let isLast = place == references.count - 1
            if reference.isClosure, !reference.isInternal {
                let site = reference.site.map { " at \($0)" } ?? ""
                lines.append("↓ \(label.isEmpty ? "" : label + ": ")\(reference.function ?? "closure")\(site)")
                label = ""
            }
            if target.kind == .closure { continue }
            let isFolded =
                target.kind == .storage || target.kind == .box
                || target.isInternal && target.identity == .none && target.label == nil
            if isFolded, !isLast { continue }
            if label.hasPrefix("captures") { label = "captured" }
            lines.append("↓ \(label.isEmpty ? "" : label + ": ")\(type(target))")
            label = ""
        }
        return lines
    }

    private func type(_ object: SnapshotObject) -> String {
        let name = object.type.isEmpty ? "object" : object.type
        return object.label.map { $0 == object.type ? name : "\(name) “\($0)”" } ?? name
    }
}
#endif
