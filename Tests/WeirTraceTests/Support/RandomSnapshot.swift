@testable import WeirTrace

/// Valid random snapshots.
struct RandomSnapshot {
    private var generator: SeededGenerator
    private(set) var snapshot = TraceSnapshot()

    init(seed: UInt64, objects: Int) {
        generator = SeededGenerator(state: seed)
        for _ in 0..<objects { snapshot.objects.append(object()) }
        if objects > 0 {
            for place in 0..<pick(0...2 * objects) { addReference(place) }
            for place in 0..<objects where pick(0...2) > 0 { hold(place) }
            for _ in 0..<pick(0...4) { addCycle() }
        }
        for _ in 0..<pick(0...3) {
            snapshot.limitations.append(SnapshotLimitation(SnapshotLimitation.Reason.allCases[pick(0...10)], words()))
        }
        (snapshot.walkedObjects, snapshot.walkedReferences) = (number(), number())
        (snapshot.walkedBytes, snapshot.omittedObjects) = (number(), number())
        snapshot.omittedCycles = number()
    }

    private mutating func pick<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) -> Number {
        .random(in: range, using: &generator)
    }

    private mutating func number() -> UInt64 { pick(0...UInt64.max) >> pick(0...63) }

    private mutating func words() -> String {
        ["", "Node", "closure(Int, LoginModel)", ".rows[3].value", "Größe\u{1F30A}", "Login/LoginModel.swift"][
            pick(0...5)]
    }

    private mutating func site() -> TraceSite? {
        pick(0...1) == 0 ? nil : TraceSite(file: words(), line: pick(0...99_999))
    }

    private mutating func object() -> SnapshotObject {
        var object = SnapshotObject(kind: SnapshotObject.Kind(rawValue: pick(1...7))!, type: words())
        object.identity = [.none, .node(pick(1...9)), .subscription(pick(1...UInt32.max)), .object(7)][pick(0...3)]
        object.label = pick(0...1) == 0 ? nil : words()
        object.site = site()
        (object.size, object.retainedSize) = (number(), number())
        object.outsideReferences = pick(0...3) == 0 ? .max : pick(0...9)
        object.outsideHolder = pick(0...1) == 0 ? outsideHolder() : nil
        if object.isHolderGuessed {
            object.otherHolders = (0..<pick(0...2)).map { _ in outsideHolder() }.filter(\.isGuess)
        }
        (object.isGarbage, object.isHeldByHandlersOnly) = (pick(0...1) == 0, pick(0...1) == 0)
        (object.isIncomplete, object.isInternal) = (pick(0...1) == 0, pick(0...1) == 0)
        return object
    }

    private mutating func outsideHolder() -> OutsideHolder {
        switch pick(0...4) {
        case 0: return .closure(TraceSite(file: words(), line: pick(0...99_999)))
        case 1: return .taskResult
        case 2, 3:
            let tasks = (0..<pick(0...3)).map { _ in
                TaskWork(
                    function: words(), kind: FunctionKind(rawValue: pick(0...3))!, site: site(), madeAt: site(),
                    wait: TaskWork.Wait(rawValue: pick(0...6))!)
            }
            return .task(tasks)
        default: return .variable(words())
        }
    }

    private mutating func addReference(_ place: Int) {
        var reference = SnapshotReference(
            source: UInt32(pick(0...snapshot.objects.count - 1)), target: UInt32(pick(0...snapshot.objects.count - 1)),
            label: words(), ownership: SnapshotReference.Ownership(rawValue: pick(1...4))!)
        reference.isClosure = pick(0...1) == 0
        reference.function = pick(0...1) == 0 ? words() : nil
        if reference.function != nil { reference.functionKind = FunctionKind(rawValue: pick(1...3))! }
        reference.hasConcurrentClosures = pick(0...1) == 0
        reference.isInternal = pick(0...1) == 0
        reference.isOfSystem = pick(0...1) == 0
        reference.site = site()
        snapshot.references.append(reference)
    }

    /// An object with a lower index holds it, so no path is endless.
    private mutating func hold(_ place: Int) {
        guard place > 0 else { return }
        snapshot.objects[place].holder = UInt32(snapshot.references.count)
        snapshot.references.append(
            SnapshotReference(source: UInt32(pick(0...place - 1)), target: UInt32(place), label: words()))
    }

    private mutating func addCycle() {
        let places = (0..<pick(1...5)).map { _ in UInt32(pick(0...snapshot.objects.count - 1)) }
        var steps: [UInt32] = []
        for (place, object) in places.enumerated() {
            steps.append(UInt32(snapshot.references.count))
            snapshot.references.append(
                SnapshotReference(source: object, target: places[(place + 1) % places.count], label: words()))
        }
        var cycle = SnapshotCycle(
            references: steps, isProven: pick(0...1) == 0, componentObjects: number(), componentBytes: number())
        cycle.retainedSize = number()
        snapshot.cycles.append(cycle)
    }
}
