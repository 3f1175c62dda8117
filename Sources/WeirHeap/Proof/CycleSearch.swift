/// Finds shortest cycles by searching from both ends until the searches meet in the middle.
///
/// Each step searches a whole level, on the side that has fewer references to follow. So the first meeting is a shortest path,
/// and an object with very many references is entered last.
final class CycleSearch {
    /// A cycle: reference `k` leads from object `k` to the next one, and the last one back to the first.
    struct Cycle: Equatable {
        var objects: [Int32]
        /// Indexes in the graph's `targets`.
        var references: [Int]
    }

    /// The number of references followed so far: the cost of the searches.
    private(set) var cost = 0

    private let rows: HeapRows
    private let components: CyclicComponents
    private let incoming: IncomingReferences
    private let marks: Column<Mark>
    private var forward: [Int32] = [], backward: [Int32] = []
    private var nextForward = 0, nextBackward = 0

    /// The state of an object in the current search.
    private struct Mark: BitwiseCopyable {
        /// The previous object on the path from the start, and the next one on the path to the goal, each plus one.
        ///
        /// 0: not reached from that side. -1: the start, or the goal.
        var before: Int32 = 0, after: Int32 = 0
        /// The index of the reference of `before` that leads here, and of the reference that leads from here to `after`.
        var numberBefore: Int32 = 0, numberAfter: Int32 = 0
    }

    init(_ rows: HeapRows, _ components: CyclicComponents, _ incoming: IncomingReferences) throws(NoMemory) {
        self.rows = rows
        self.components = components
        self.incoming = incoming
        marks = try Column(zeroed: rows.count)
    }

    /// A shortest cycle through an object of a cyclic component.
    func cycle(through object: Int32) -> Cycle? {
        guard let way = way(from: object, to: object) else { return nil }
        return Cycle(objects: way.objects.dropLast(), references: way.references)
    }

    /// A shortest cycle along the reference at `place`, which belongs to `source` and stays inside a component.
    func cycle(along place: Int, of source: Int32) -> Cycle? {
        let target = rows.targets[place]
        guard target != source else { return Cycle(objects: [source], references: [place]) }
        guard let way = way(from: target, to: source) else { return nil }
        return Cycle(objects: way.objects, references: way.references + [place])
    }

    /// A shortest path with at least one reference.
    private func way(from start: Int32, to goal: Int32) -> Cycle? {
        defer { forget() }
        forward.append(start)
        marks[start].before = -1
        backward.append(goal)
        marks[goal].after = -1
        while nextForward < forward.count, nextBackward < backward.count {
            let ahead = forward[nextForward...].reduce(0) { $0 + rows.places(of: $1).count }
            let behind = backward[nextBackward...].reduce(0) { $0 + incoming.places(to: $1).count }
            cost += min(ahead, behind) + forward.count - nextForward + backward.count - nextBackward
            if let meeting = ahead <= behind ? advance() : retreat() { return way(through: meeting) }
        }
        return nil
    }

    private func forget() {
        for object in forward { marks[object] = Mark() }
        for object in backward { marks[object] = Mark() }
        forward.removeAll(keepingCapacity: true)
        backward.removeAll(keepingCapacity: true)
        nextForward = 0
        nextBackward = 0
    }

    /// Searches one more level from the start. Returns a reference where both sides meet.
    private func advance() -> IncomingReferences.Incoming? {
        let component = components.component(of: forward[nextForward])
        let end = forward.count
        while nextForward < end {
            let object = forward[nextForward]
            nextForward += 1
            let places = rows.places(of: object)
            for place in places {
                let target = rows.targets[place]
                let number = Int32(truncatingIfNeeded: place - places.lowerBound)
                guard marks[target].after == 0 else { return .init(source: object, number: number) }
                guard marks[target].before == 0, components.component(of: target) == component else { continue }
                marks[target].before = object + 1
                marks[target].numberBefore = number
                forward.append(target)
            }
        }
        return nil
    }

    /// Searches one more level from the goal. Returns a reference where both sides meet.
    private func retreat() -> IncomingReferences.Incoming? {
        let component = components.component(of: backward[nextBackward])
        let end = backward.count
        while nextBackward < end {
            let object = backward[nextBackward]
            nextBackward += 1
            for place in incoming.places(to: object) {
                let reference = incoming[place]
                let source = reference.source
                guard marks[source].before == 0 else { return reference }
                guard marks[source].after == 0, components.component(of: source) == component else { continue }
                marks[source].after = object + 1
                marks[source].numberAfter = reference.number
                backward.append(source)
            }
        }
        return nil
    }

    private func way(through meeting: IncomingReferences.Incoming) -> Cycle {
        var cycle = Cycle(objects: [meeting.source], references: [])
        var object = meeting.source
        while marks[object].before > 0 {
            let before = marks[object].before - 1
            cycle.objects.append(before)
            cycle.references.append(place(Int(marks[object].numberBefore), of: before))
            object = before
        }
        cycle.objects.reverse()
        cycle.references.reverse()
        cycle.references.append(place(Int(meeting.number), of: meeting.source))
        object = rows.targets[cycle.references[cycle.references.count - 1]]
        cycle.objects.append(object)
        while marks[object].after > 0 {
            cycle.references.append(place(Int(marks[object].numberAfter), of: object))
            object = marks[object].after - 1
            cycle.objects.append(object)
        }
        return cycle
    }

    private func place(_ number: Int, of object: Int32) -> Int { rows.places(of: object).lowerBound + number }
}

extension CycleSearch.Cycle {
    /// Equal for all rotations of the same cycle.
    var signature: [Int] {
        guard let least = references.indices.min(by: { references[$0] < references[$1] }) else { return [] }
        return Array(references[least...] + references[..<least])
    }

    /// Rotates the cycle so that it begins at its first root.
    ///
    /// Without a root, it begins at the first instance that is not storage, if possible one that is not internal to Weir; else at
    /// the first object.
    mutating func begin(in graph: HeapGraph, rootCount: Int) {
        func rank(_ object: Int32) -> (Int, Int32) {
            let traits = graph.traits[Int(object)]
            if object < rootCount { return (0, object) }
            guard traits.isInstanceInSource else { return (3, object) }
            return (traits.contains(.isInternal) ? 2 : 1, object)
        }
        guard let first = objects.indices.min(by: { rank(objects[$0]) < rank(objects[$1]) }) else { return }
        objects = Array(objects[first...] + objects[..<first])
        references = Array(references[first...] + references[..<first])
    }
}

/// The object or reference that a cycle must pass through.
struct CycleSeed {
    /// The object on the cycle.
    var object: Int32
    /// The reference of that object on the cycle, which belongs to a closure whose only capture is the target; nil for any.
    var reference: Int?
}

/// All seeds, in the order of the objects.
struct CycleSeeds {
    let graph: HeapGraph
    let rows: HeapRows
    let components: CyclicComponents
    let summaries: [ComponentSummary]

    init(
        _ graph: HeapGraph, _ rows: HeapRows, _ components: CyclicComponents, _ summaries: [ComponentSummary]
    ) {
        self.graph = graph
        self.rows = rows
        self.components = components
        self.summaries = summaries
    }

    /// Calls `body` with each seed and its component.
    func forEach(_ body: (CycleSeed, Int32) -> Void) {
        var closures = graph.closureReferences[...]
        for object in 0..<Int32(truncatingIfNeeded: rows.count) {
            let component = components.component(of: object)
            let places = rows.places(of: object)
            while let place = closures.first, place < places.upperBound {
                closures.removeFirst()
                guard component >= 0, graph.isClosure(place, inside: components, component) else { continue }
                body(CycleSeed(object: object, reference: place), component)
            }
            guard component >= 0, isSeed(graph.traits[Int(object)], summaries[Int(component)]) else { continue }
            body(CycleSeed(object: object), component)
        }
    }

    private func isSeed(_ traits: HeapGraph.Traits, _ summary: ComponentSummary) -> Bool {
        if summary.hasClosures { return traits.contains(.isClosure) }
        return !summary.hasInstances || traits.isInstanceInSource
    }
}

extension HeapGraph {
    /// Whether the closure reference at `place` stays inside `component` and does not lead to a context.
    ///
    /// A context is an object of its own and represents the closure.
    func isClosure(_ place: Int, inside components: CyclicComponents, _ component: Int32) -> Bool {
        let target = targets[place]
        return components.component(of: target) == component && !traits[Int(target)].contains(.isClosure)
    }
}

extension HeapGraph.Traits {
    /// An instance that the source names, not the storage of a collection.
    var isInstanceInSource: Bool { contains(.isInstance) && !contains(.isStorage) }
}
