import Testing
import WeirHeap

/// A small program with a known fault, or with none, and the expected result of a walk.
struct PlantedCase {
    /// The expected result.
    enum Verdict: Equatable {
        /// These cycles, all of them proven, while nothing is kept.
        case leaked([String])
        /// These cycles, none of them proven; proven once their holders release them.
        case held([String])
        /// No cycle.
        case silent
        /// It leaks through memory that nobody can read: no cycle may be proven, and no root may be called garbage.
        case unseen
    }

    var topic: String
    var name: String
    var verdict: Verdict
    /// The reasons of the limitations that the walk has, and no others; nil if it may have any.
    var limitations: Set<HeapLimitation.Reason>?
    var location: SourceLocation
    var build: () async -> Plant
}

/// The result of building a case: the roots of the walk, and what the test holds during it.
struct Plant {
    /// The roots of the walk, as addresses, so that no reference of the test remains.
    var watched: [UInt]
    /// The objects that the test itself holds. Each element counts as one outside reference.
    var kept: [AnyObject] = []
    /// Outside references of watched objects besides those of `kept`. `Int.max`: one, or the object is immortal.
    var outside: [UInt: Int] = [:]
    /// Watched objects that die once everything is released, although the cycle does not.
    var mortal: [UInt] = []
    /// Releases whatever else holds the watched objects.
    var letGo: () -> Void = {}

    /// Watches objects that nothing holds anymore.
    init(_ watched: AnyObject...) { self.watched = watched.map(address(of:)) }

    /// Watches objects, some of which the test holds.
    init(watching watched: [AnyObject] = [], keeping kept: AnyObject...) {
        self.watched = []
        for address in (watched.isEmpty ? kept : watched).map(address(of:)) where !self.watched.contains(address) {
            self.watched.append(address)
        }
        self.kept = kept
    }

    /// The same plant, with `object` held by `count` references that the walk does not see, until `letGo` is called.
    func holding(_ object: AnyObject, by count: Int = 1, letGo: @escaping () -> Void) -> Plant {
        var plant = self
        plant.outside[address(of: object)] = count
        plant.letGo = letGo
        return plant
    }

    /// The same plant, with `object` as a static one: it has one outside reference, or is immortal.
    func keepingStatic(_ object: AnyObject) -> Plant {
        var plant = self
        plant.outside[address(of: object)] = .max
        return plant
    }

    /// The same plant, in which `object` dies once everything is released, although the cycle does not.
    func losing(_ object: AnyObject) -> Plant {
        var plant = self
        plant.mortal.append(address(of: object))
        return plant
    }
}

/// The planted cases, in the order in which they were written.
struct Corpus {
    var cases: [PlantedCase] = []
    private var topic = ""

    /// Sets the topic of the following cases.
    mutating func about(_ topic: String) { self.topic = topic }

    /// A leak: nothing is kept, and the walk must report exactly these cycles, proven.
    mutating func leaks(
        _ name: String, _ cycles: String..., limitations: Set<HeapLimitation.Reason>? = [],
        location: SourceLocation = #_sourceLocation, build: @escaping () async -> Plant
    ) { add(name, .leaked(cycles), limitations, location, build) }

    /// A leak whose cycles are given as a list.
    mutating func leaks(
        _ name: String, cycles: [String], location: SourceLocation = #_sourceLocation,
        build: @escaping () async -> Plant
    ) { add(name, .leaked(cycles), [], location, build) }

    /// Exactly these cycles, held from outside.
    mutating func holds(
        _ name: String, _ cycles: String..., limitations: Set<HeapLimitation.Reason>? = [],
        location: SourceLocation = #_sourceLocation, build: @escaping () async -> Plant
    ) { add(name, .held(cycles), limitations, location, build) }

    /// No cycle, and nothing survives once the test releases it.
    mutating func silent(
        _ name: String, limitations: Set<HeapLimitation.Reason>? = [], location: SourceLocation = #_sourceLocation,
        build: @escaping () async -> Plant
    ) { add(name, .silent, limitations, location, build) }

    /// A leak through memory that nobody can read. It must not be proven, and nothing else may be reported wrongly.
    mutating func unseen(
        _ name: String, limitations: Set<HeapLimitation.Reason>? = [], location: SourceLocation = #_sourceLocation,
        build: @escaping () async -> Plant
    ) { add(name, .unseen, limitations, location, build) }

    private mutating func add(
        _ name: String, _ verdict: PlantedCase.Verdict, _ limitations: Set<HeapLimitation.Reason>?,
        _ location: SourceLocation,
        _ build: @escaping () async -> Plant
    ) {
        cases.append(
            PlantedCase(
                topic: topic, name: name, verdict: verdict, limitations: limitations, location: location, build: build))
    }
}
