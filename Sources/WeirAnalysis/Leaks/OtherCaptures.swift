import WeirTrace

/// The lines of all closures of the program that capture objects strongly, by object.
///
/// A finding draws the path through one of them; the others hold the object as well.
struct OtherCaptures {
    private var sites: [UInt32: Set<TraceSite>] = [:]
    private let snapshot: TraceSnapshot

    /// Between an object and the reference that identifies a closure are at most the context and the box of a variable.
    private static let mostSteps = 3

    /// The findings, with the lines of the other closures that capture their objects.
    static func noted(in findings: [LeakFinding], _ snapshots: [UInt32?: TraceSnapshot]) -> [LeakFinding] {
        var noted = findings
        for (number, snapshot) in snapshots {
            let places = findings.indices.filter { findings[$0].snapshot == number && findings[$0].object != nil }
            if places.isEmpty { continue }
            let captures = OtherCaptures(of: places.compactMap { findings[$0].object }, in: snapshot)
            for place in places { noted[place].otherCaptures = findings[place].object.map(captures.sites) ?? [] }
        }
        return noted
    }

    /// Looks for the closures that capture some objects; linear in the number of references.
    init(of objects: some Sequence<Int>, in snapshot: TraceSnapshot) {
        self.snapshot = snapshot
        // The objects, contexts and boxes whose references this round looks for, each with the objects that it leads to.
        var captured: [UInt32: Set<UInt32>] = [:]
        for place in objects where snapshot.object(place) != nil { captured[UInt32(place)] = [UInt32(place)] }
        for _ in 0..<Self.mostSteps where !captured.isEmpty {
            var next: [UInt32: Set<UInt32>] = [:]
            for reference in snapshot.references {
                guard let held = captured[reference.target] else { continue }
                if reference.isClosure {
                    guard !reference.isHiddenClosure, let site = reference.site else { continue }
                    for object in held { sites[object, default: []].insert(site) }
                } else if let source = snapshot.object(reference.source), source.kind == .closure || source.kind == .box
                {
                    next[reference.source, default: []].formUnion(held)
                }
            }
            captured = next
        }
    }

    /// The lines of the closures that capture an object and are not on the path to it, in order.
    func sites(of place: Int) -> [TraceSite] {
        let drawn = Set(snapshot.way(to: place).filter(\.isClosure).compactMap(\.site))
        return (sites[UInt32(place)] ?? []).subtracting(drawn).sorted { ($0.file, $0.line) < ($1.file, $1.line) }
    }
}
