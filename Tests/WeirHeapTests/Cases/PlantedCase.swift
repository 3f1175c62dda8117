import Testing
import WeirHeap

/// A small program with a known fault, or with none, and what a walk must say of it.
struct PlantedCase {
    /// What a walk must say.
    enum Verdict: Equatable {
        /// These circles, all of them proven, while nothing is kept.
        case leaked([String])
        /// These circles, none of them proven; proven when what holds them has let go.
        case held([String])
        /// No circle.
        case silent
        /// It leaks by memory that nobody can read: no circle must be proven, and no root be called garbage.
        case unseen
    }

    var topic: String
    var name: String
    var verdict: Verdict
    /// The reasons of the doubts that the walk has, and only those; nil: it may have any.
    var doubts: Set<HeapDoubt.Reason>?
    var location: SourceLocation
    var build: () async -> Plant
}

/// What a case has built: where the walk begins, and what is held meanwhile.
struct Plant {
    /// The roots of the walk: addresses, so that no reference of the test remains.
    var watched: [UInt]
    /// What the test itself holds; each place counts as one outside reference.
    var kept: [AnyObject] = []
    /// Outside references of watched objects beyond those of `kept`; `Int.max`: one, or it can never die.
    var outside: [UInt: Int] = [:]
    /// Watched objects that die when everything lets go, though the circle does not.
    var mortal: [UInt] = []
    /// Lets go whatever else holds the watched objects.
    var letGo: () -> Void = {}

    /// Watches objects that nothing holds any more.
    init(_ watched: AnyObject...) { self.watched = watched.map(address(of:)) }

    /// Watches objects, of which the test holds some.
    init(watching watched: [AnyObject] = [], keeping kept: AnyObject...) {
        self.watched = []
        for address in (watched.isEmpty ? kept : watched).map(address(of:)) where !self.watched.contains(address) {
            self.watched.append(address)
        }
        self.kept = kept
    }

    /// The same plant; `object` is held by `count` references that the walk does not see, until `letGo` is called.
    func holding(_ object: AnyObject, by count: Int = 1, letGo: @escaping () -> Void) -> Plant {
        var plant = self
        plant.outside[address(of: object)] = count
        plant.letGo = letGo
        return plant
    }

    /// The same plant; `object` is a static one, which has one outside reference, or can never die.
    func keepingStatic(_ object: AnyObject) -> Plant {
        var plant = self
        plant.outside[address(of: object)] = .max
        return plant
    }

    /// The same plant; `object` dies when everything lets go, though the circle does not.
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

    /// What follows is of that topic.
    mutating func about(_ topic: String) { self.topic = topic }

    /// A leak: nothing is kept, and the walk must tell exactly these circles, proven.
    mutating func leaks(
        _ name: String, _ circles: String..., doubts: Set<HeapDoubt.Reason>? = [],
        location: SourceLocation = #_sourceLocation, build: @escaping () async -> Plant
    ) { add(name, .leaked(circles), doubts, location, build) }

    /// A leak with as many circles as a list has.
    mutating func leaks(
        _ name: String, circles: [String], location: SourceLocation = #_sourceLocation,
        build: @escaping () async -> Plant
    ) { add(name, .leaked(circles), [], location, build) }

    /// Exactly these circles, and something outside holds them.
    mutating func holds(
        _ name: String, _ circles: String..., doubts: Set<HeapDoubt.Reason>? = [],
        location: SourceLocation = #_sourceLocation, build: @escaping () async -> Plant
    ) { add(name, .held(circles), doubts, location, build) }

    /// No circle, and nothing survives once the test has let go.
    mutating func silent(
        _ name: String, doubts: Set<HeapDoubt.Reason>? = [], location: SourceLocation = #_sourceLocation,
        build: @escaping () async -> Plant
    ) { add(name, .silent, doubts, location, build) }

    /// A leak that goes through memory nobody can read: it must not be proven, nor may anything else be told wrongly.
    mutating func unseen(
        _ name: String, doubts: Set<HeapDoubt.Reason>? = [], location: SourceLocation = #_sourceLocation,
        build: @escaping () async -> Plant
    ) { add(name, .unseen, doubts, location, build) }

    private mutating func add(
        _ name: String, _ verdict: PlantedCase.Verdict, _ doubts: Set<HeapDoubt.Reason>?, _ location: SourceLocation,
        _ build: @escaping () async -> Plant
    ) {
        cases.append(
            PlantedCase(
                topic: topic, name: name, verdict: verdict, doubts: doubts, location: location, build: build))
    }
}
