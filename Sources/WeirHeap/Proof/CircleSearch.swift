/// Finds shortest circles by searching from both ends, which meet in the middle.
///
/// From each end whole levels are searched, always on the side that has fewer references to follow, so that the first
/// meeting is a shortest way, and an object with very many references is entered last.
final class CircleSearch {
    /// A circle: reference `k` leads from object `k` to the next one, the last back to the first.
    struct Circle: Equatable {
        var objects: [Int32]
        /// Places in the graph's `targets`.
        var references: [Int]
    }

    /// References that were followed so far: what the searches cost.
    private(set) var cost = 0

    private let rows: HeapRows
    private let components: CyclicComponents
    private let incoming: IncomingReferences
    /// Of each object that was met: the reference that leads to it from the start, or from it on to the goal.
    private var forward: Side, backward: Side

    init(_ rows: HeapRows, _ components: CyclicComponents, _ incoming: IncomingReferences) {
        self.rows = rows
        self.components = components
        self.incoming = incoming
        forward = Side(objects: rows.count)
        backward = Side(objects: rows.count)
    }

    /// A shortest circle through an object of a cyclic component.
    func circle(through object: Int32) -> Circle? {
        guard let way = way(from: object, to: object) else { return nil }
        return Circle(objects: way.objects.dropLast(), references: way.references)
    }

    /// A shortest circle that goes along the reference at `place`, which lies inside of a component and is that of `source`.
    func circle(along place: Int, of source: Int32) -> Circle? {
        let target = rows.targets[place]
        guard target != source else { return Circle(objects: [source], references: [place]) }
        guard let way = way(from: target, to: source) else { return nil }
        return Circle(objects: way.objects, references: way.references + [place])
    }

    /// A shortest way that has at least one reference.
    private func way(from start: Int32, to goal: Int32) -> Circle? {
        defer {
            forward.forget()
            backward.forget()
        }
        forward.begin(at: start, references: rows.places(of: start).count)
        backward.begin(at: goal, references: incoming.places(to: goal).count)
        while forward.hasMore, backward.hasMore {
            let meeting = forward.referencesToFollow <= backward.referencesToFollow ? advance() : retreat()
            if let meeting { return way(through: meeting) }
        }
        return nil
    }

    /// A reference where both sides met.
    private struct Meeting {
        var source: Int32, place: Int, target: Int32
    }

    private func advance() -> Meeting? {
        let component = components.component(of: forward.met[forward.next])
        for _ in 0..<forward.beginLevel() {
            let object = forward.take()
            let places = rows.places(of: object)
            cost += places.count
            for place in places {
                let target = rows.targets[place]
                if backward.hasMet(target) { return Meeting(source: object, place: place, target: target) }
                guard !forward.hasMet(target), components.component(of: target) == component else { continue }
                forward.meet(target, by: place, from: object, references: rows.places(of: target).count)
            }
        }
        return nil
    }

    private func retreat() -> Meeting? {
        for _ in 0..<backward.beginLevel() {
            let object = backward.take()
            let places = incoming.places(to: object)
            cost += places.count
            for reference in places.lazy.map({ [incoming] in incoming[$0] }) {
                let source = reference.source
                let place = rows.places(of: source).lowerBound + Int(reference.number)
                if forward.hasMet(source) { return Meeting(source: source, place: place, target: object) }
                guard !backward.hasMet(source) else { continue }
                backward.meet(source, by: place, from: object, references: incoming.places(to: source).count)
            }
        }
        return nil
    }

    private func way(through meeting: Meeting) -> Circle {
        var circle = Circle(objects: [meeting.source], references: [])
        while let step = forward.before(circle.objects[circle.objects.count - 1]) {
            circle.objects.append(step.object)
            circle.references.append(step.place)
        }
        circle.objects.reverse()
        circle.references.reverse()
        circle.objects.append(meeting.target)
        circle.references.append(meeting.place)
        while let step = backward.before(circle.objects[circle.objects.count - 1]) {
            circle.objects.append(step.object)
            circle.references.append(step.place)
        }
        return circle
    }
}

/// What was met from one end.
private struct Side {
    private static let notMet: Int32 = -2
    private static let isEnd: Int32 = -1

    /// The objects that were met, in order.
    private(set) var met: [Int32] = []
    /// The one to go on from.
    private(set) var next = 0
    /// References of the objects of the level that comes next.
    private(set) var referencesToFollow = 0
    private let neighbors: Column<Int32>
    private let places: Column<Int>

    init(objects: Int) {
        neighbors = Column(repeating: Self.notMet, count: objects)
        places = Column(unwritten: objects)
    }

    var hasMore: Bool { next < met.count }

    mutating func begin(at object: Int32, references: Int) {
        met.append(object)
        neighbors[object] = Self.isEnd
        referencesToFollow = references
    }

    /// How many objects the level has.
    mutating func beginLevel() -> Int {
        referencesToFollow = 0
        return met.count - next
    }

    mutating func take() -> Int32 {
        defer { next += 1 }
        return met[next]
    }

    @inline(__always)
    func hasMet(_ object: Int32) -> Bool { neighbors[object] != Self.notMet }

    mutating func meet(_ object: Int32, by place: Int, from neighbor: Int32, references: Int) {
        met.append(object)
        neighbors[object] = neighbor
        places[object] = place
        referencesToFollow += references
    }

    /// The step from `object` towards the end; nil: it is the end.
    func before(_ object: Int32) -> (object: Int32, place: Int)? {
        let neighbor = neighbors[object]
        return neighbor == Self.isEnd ? nil : (neighbor, places[object])
    }

    mutating func forget() {
        for object in met { neighbors[object] = Self.notMet }
        met.removeAll(keepingCapacity: true)
        next = 0
        referencesToFollow = 0
    }
}
