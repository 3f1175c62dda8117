/// The algorithm of `CyclicComponents`: gives each object a state.
struct ComponentNumbering {
    /// The object has not been visited.
    static let unmet: Int32 = 0
    /// The object is done and is on no cycle.
    static let onNoCycle = Int32.max

    /// The number of components with a cycle so far.
    private(set) var components = 0

    private let rows: HeapRows
    /// While numbering, the least number reached from the object. Afterwards its component, counted down from `onNoCycle`.
    private let states: Column<Int32>
    private var nextNumber: Int32 = 1
    private var way: [Step] = []
    /// Objects that are done, but whose component is not: an earlier object is on a cycle with them.
    private var pending: [Int32] = []

    /// An object whose references are being followed.
    private struct Step {
        var object: Int32
        /// The least number reached from it.
        var least: Int32
        /// The reference to follow next.
        var place: Int
        /// Whether it refers to itself.
        var loops = false
    }

    /// - Parameter states: one for each object, all unmet.
    init(_ rows: HeapRows, _ states: Column<Int32>) {
        self.rows = rows
        self.states = states
    }

    @inline(__always)
    func isUnmet(_ object: Int32) -> Bool { states[object] == Self.unmet }

    /// Removes objects that no reference leads to, again and again.
    ///
    /// Returns how many objects are left, and for each object how many references from these lead to it.
    func peel(_ found: Column<Int32>) throws(NoMemory) -> (objects: Int, references: Column<Int32>) {
        let left = try Column<Int32>(unwritten: rows.count)
        left.values.update(from: found.values, count: rows.count)
        let queue = try Column<Int32>(unwritten: rows.count)
        var (next, end) = (0, 0)
        for object in 0..<Int32(truncatingIfNeeded: rows.count) where left[object] == 0 {
            queue[end] = object
            end += 1
        }
        while next < end {
            let object = queue[next]
            next += 1
            states[object] = Self.onNoCycle
            for place in rows.places(of: object) {
                let target = rows.targets[place]
                left[target] &-= 1
                guard left[target] == 0 else { continue }
                queue[end] = target
                end += 1
            }
        }
        return (rows.count - end, left)
    }

    /// Finds the component of an unmet object: the objects that it leads to and that lead back to it.
    mutating func search(from start: Int32, _ incoming: IncomingReferences) throws(NoMemory) {
        let component = Self.onNoCycle &- 1 &- Int32(truncatingIfNeeded: components)
        let isReached = try Column<Bool>(zeroed: rows.count)
        let queue = try Column<Int32>(unwritten: rows.count)
        var (next, end) = (0, 1)
        queue[0] = start
        isReached[start] = true
        while next < end {
            let object = queue[next]
            next += 1
            for place in rows.places(of: object) {
                let target = rows.targets[place]
                guard !isReached[target] else { continue }
                isReached[target] = true
                queue[end] = target
                end += 1
            }
        }
        // The start belongs to the component only if something leads back to it.
        (next, end) = (0, 1)
        queue[0] = start
        while next < end {
            let object = queue[next]
            next += 1
            for place in incoming.places(to: object) {
                let source = incoming[place].source
                guard isReached[source] else { continue }
                isReached[source] = false
                states[source] = component
                guard source != start else { continue }
                queue[end] = source
                end += 1
            }
        }
        if states[start] == component { components += 1 } else { states[start] = Self.onNoCycle }
    }

    /// Numbers the objects reachable from an unmet object.
    mutating func number(from start: Int32) {
        var step = begin(start)
        while true {
            let end = rows.places(of: step.object).upperBound
            var found: Int32?
            while step.place < end {
                let target = rows.targets[step.place]
                step.place &+= 1
                let state = states[target]
                if state == Self.unmet {
                    found = target
                    break
                }
                if state < step.least { step.least = state }
                if target == step.object { step.loops = true }
            }
            if let found {
                way.append(step)
                step = begin(found)
                continue
            }
            finish(step)
            let state = states[step.object]
            guard var before = way.popLast() else { return }
            if state < before.least { before.least = state }
            step = before
        }
    }

    private mutating func begin(_ object: Int32) -> Step {
        states[object] = nextNumber
        defer { nextNumber &+= 1 }
        return Step(object: object, least: nextNumber, place: rows.places(of: object).lowerBound)
    }

    private mutating func finish(_ step: Step) {
        guard states[step.object] == step.least else {
            states[step.object] = step.least
            pending.append(step.object)
            return
        }
        let state = Self.onNoCycle &- 1 &- Int32(truncatingIfNeeded: components)
        var isCyclic = step.loops
        while let object = pending.last, states[object] >= step.least {
            states[object] = state
            pending.removeLast()
            isCyclic = true
        }
        if isCyclic { components += 1 }
        states[step.object] = isCyclic ? state : Self.onNoCycle
    }
}
