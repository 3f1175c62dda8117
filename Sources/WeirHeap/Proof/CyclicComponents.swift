/// The strongly connected components that have a circle: more than one object, or one that refers to itself.
///
/// What nothing on a circle comes before is peeled off first, mostly in the order of the objects, which is that of memory;
/// the rest is numbered without recursion. Sources: Tarjan, 'Depth-first search and linear graph algorithms', 1972; with
/// one number an object as in Pearce, 'A space-efficient algorithm for finding strongly connected components', 2016.
struct CyclicComponents {
    /// How many there are.
    let count: Int
    /// At the end `.max` for objects on no circle, and below it, downwards, the component.
    private let states: Column<Int32>

    /// The component that `object` lies in; -1: it lies on no circle.
    @inline(__always)
    func component(of object: Int32) -> Int32 { .max &- 1 &- states[object] }

    /// - Parameter found: how many references lead to each object.
    init(_ rows: HeapRows, found: Column<Int32>) {
        var numbering = Numbering(rows)
        numbering.peel(found)
        for object in 0..<Int32(truncatingIfNeeded: rows.count) where numbering.states[object] == Numbering.unmet {
            numbering.number(from: object)
        }
        states = numbering.states
        count = numbering.components
    }
}

private struct Numbering {
    /// An object whose references are being followed.
    struct Step {
        var object: Int32
        /// The least number that was met from it.
        var least: Int32
        /// The reference to follow next.
        var place: Int
        /// It refers to itself.
        var loops = false
    }

    static let unmet: Int32 = 0
    static let onNoCircle = Int32.max

    let rows: HeapRows
    /// `unmet`; or while numbering the least number met from the object; or in the end its component.
    let states: Column<Int32>
    var components = 0
    private var nextNumber: Int32 = 1
    private var way: [Step] = []
    /// Objects that are done, but whose component is not: something before them is on a circle with them.
    private var pending: [Int32] = []

    init(_ rows: HeapRows) {
        self.rows = rows
        states = Column(repeating: Self.unmet, count: rows.count)
    }

    /// Takes off what no reference leads to, again and again.
    func peel(_ found: Column<Int32>) {
        let left = Column<Int32>(unwritten: rows.count)
        left.values.update(from: found.values, count: rows.count)
        let queue = Column<Int32>(unwritten: rows.count)
        var (next, end) = (0, 0)
        for object in 0..<Int32(truncatingIfNeeded: rows.count) where left[object] == 0 {
            queue[end] = object
            end += 1
        }
        while next < end {
            let object = queue[next]
            next += 1
            states[object] = Self.onNoCircle
            for place in rows.places(of: object) {
                let target = rows.targets[place]
                left[target] &-= 1
                guard left[target] == 0 else { continue }
                queue[end] = target
                end += 1
            }
        }
    }

    /// Numbers what can be reached from an object that was not met yet.
    mutating func number(from start: Int32) {
        var step = begin(start)
        while true {
            let places = rows.places(of: step.object)
            while step.place < places.upperBound {
                let target = rows.targets[step.place]
                step.place &+= 1
                let state = states[target]
                if state == Self.unmet {
                    way.append(step)
                    step = begin(target)
                    break
                }
                if state < step.least { step.least = state }
                if target == step.object { step.loops = true }
            }
            guard step.place >= rows.places(of: step.object).upperBound else { continue }
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
        let isFirst = states[step.object] == step.least
        guard isFirst else {
            states[step.object] = step.least
            pending.append(step.object)
            return
        }
        var state = Self.onNoCircle &- 1 &- Int32(truncatingIfNeeded: components)
        var isCyclic = step.loops
        while let object = pending.last, states[object] >= step.least {
            states[object] = state
            pending.removeLast()
            isCyclic = true
        }
        if isCyclic { components += 1 } else { state = Self.onNoCircle }
        states[step.object] = state
    }
}
