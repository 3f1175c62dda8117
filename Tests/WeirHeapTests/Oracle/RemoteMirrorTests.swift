import Testing

@testable import WeirHeap

/// Compares the references found in objects with those that the toolchain's own reflection library finds.
extension PlantedCaseTests {
    @Test(.enabled(if: RemoteMirror.path != nil, "the toolchain's reflection library is not installed"))
    func `the toolchain's reflection library sees the same references`() async throws {
        let mirror = try #require(RemoteMirror())
        let walker = HeapWalker()
        var comparison = MirrorComparison(mirror, walker)
        for planted in Corpus.all.cases {
            var plant = await planted.build()
            comparison.compare(walker.walk(from: plant.watched).graph.addresses)
            plant.letGo()
            plant.kept = []
        }
        print(comparison)
        #expect(comparison.different == [])
        #expect(comparison.same > 200)
        #expect(comparison.explained.count > 3)
    }
}

/// Compares objects, one of each kind.
private struct MirrorComparison: CustomStringConvertible {
    private typealias Place = RemoteMirror.Place

    private let mirror: RemoteMirror
    private let walker: HeapWalker
    private var seen: Set<UInt> = []
    /// The number of kinds of objects on which both agree, and of those that the library does not know.
    private(set) var same = 0, unknown = 0
    /// The number of differences for each reason.
    private(set) var explained: [String: Int] = [:]
    /// Kinds of objects with unexplained differences.
    private(set) var different: [String] = []

    init(_ mirror: RemoteMirror, _ walker: HeapWalker) {
        self.mirror = mirror
        self.walker = walker
    }

    mutating func compare(_ objects: [UInt]) {
        for object in objects where walker.plans.isObject(object) && seen.insert(Memory.word(object)).inserted {
            compare(object)
        }
    }

    private mutating func compare(_ object: UInt) {
        let plan = walker.plans.plan(for: object).pointee
        guard plan.kind == .instance || plan.kind == .context, let theirs = mirror.places(of: object) else {
            unknown += 1
            return
        }
        let ours = plan.operations.map { Place(offset: $0.offset, kind: kind($0.kind)) }
        let type = walker.typeName(of: object)
        let metadata = Metadata(Memory.word(object))
        let isIsolated = plan.kind == .context && walker.plans.firstBindings[metadata.address] ?? 16 > 16
        let inherited = plan.kind == .instance ? metadata.superclass?.instanceSize ?? 0 : 0
        var isSame = true, rest: [String] = []
        for place in Set(ours).symmetricDifference(theirs).sorted() {
            isSame = false
            if isIsolated {
                explained["the library does not know the isolation before bindings", default: 0] += 1
                continue
            }
            let own = ours.first { $0.offset == place.offset }?.kind
            let other = theirs.first { $0.offset == place.offset }?.kind
            if let reason = Self.reason(own, other, isInherited: place.offset < inherited)
                ?? Self.known[type]?[place.offset]
            {
                explained[reason, default: 0] += 1
            } else {
                rest.append(
                    "\(type) at \(place.offset): \(own.map(\.rawValue) ?? "-"), the library: \(other.map(\.rawValue) ?? "-")"
                )
            }
        }
        if isSame { same += 1 }
        different += rest
    }

    /// The reason why our kind of reference differs from the library's; nil if there is none.
    private static func reason(_ own: Place.Kind?, _ other: Place.Kind?, isInherited: Bool) -> String? {
        switch (own, other) {
        case (_, nil) where isInherited: "the library lists the properties of the last class only"
        case (.bridge, nil): "the library takes bridge objects for plain bits"
        case (.enumeration, .strong), (.enumeration, .weak), (.enumeration, .function):
            "an enum of one payload is for the library that payload"
        case (.weak, .strong), (.unowned, .strong), (.unmanaged, .strong):
            "the library takes all references to protocols for strong"
        case (nil, .unmanaged): "we leave out an optional unmanaged reference"
        case (.unseen, _): "we say that we do not know"
        default: nil
        }
    }

    /// Known differences in single types.
    private static let known: [String: [UInt: String]] = [
        // `Middle` has 56 bytes, and the properties of `Bottom` begin there, as its metadata says.
        "Bottom": Dictionary(
            uniqueKeysWithValues: [64, 72, 80, 88].map {
                ($0, "the library begins a subclass at a multiple of 16 bytes")
            }),
        "Worker": [80: "an unsafe continuation owns nothing"],
        "Holder": [64: "we leave out an optional unmanaged reference"],
        "closure(InlineArray<3, Optional<() -> ()>>)": [16: "the library does not know inline arrays"],
    ]

    private func kind(_ kind: WeirHeap.Operation.Kind) -> Place.Kind {
        switch kind {
        case .strong: .strong
        case .bridge: .bridge
        case .function: .function
        case .existential: .existential
        case .optional, .enumeration, .fixedArray: .enumeration
        case .weak: .weak
        case .unowned: .unowned
        case .unmanaged: .unmanaged
        case .unseen, .block: .unseen
        }
    }

    var description: String {
        let lines = explained.sorted { $0.key < $1.key }.map { "\n\($0.value) places: \($0.key)" }
        return "\(same) kinds of objects are the same to the reflection library, \(unknown) are unknown to it;"
            + lines.joined()
    }
}
