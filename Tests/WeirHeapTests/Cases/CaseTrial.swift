import Foundation
import WeirHeap

/// Builds a case, walks it more than once, and compares the reports with what the case does.
///
/// A report is checked against three things: the cycles that the case expects; the objects that really survive once all holders
/// release theirs; and the report of the same case with one reference more, or with one counted as the caller's own.
struct CaseTrial {
    private let planted: PlantedCase
    private let walker: HeapWalker
    private let isTalkative: Bool
    /// The faults found so far.
    private(set) var faults: [String] = []

    init(_ planted: PlantedCase, walker: HeapWalker, isTalkative: Bool) {
        self.planted = planted
        self.walker = walker
        self.isTalkative = isTalkative
    }

    mutating func run() async {
        let before = Population.alive
        var plant = await planted.build()
        switch planted.verdict {
        case .leaked(let cycles):
            walk(plant, "at first", cycles: cycles, areProven: true)
            walkRetained(plant, cycles: cycles)
        case .held(let cycles):
            walk(plant, "at first", cycles: cycles, areProven: false)
        case .silent:
            walk(plant, "at first", cycles: [], areProven: false)
            walkPinned(plant)
        case .unseen:
            walkUnseen(plant)
        }
        plant.letGo()
        plant.kept = []
        await waitForPopulation(before)
        let survivors = Population.alive - before
        switch planted.verdict {
        case .leaked, .unseen:
            if survivors == 0 { faults.append("nothing survives, so it is no leak") }
        case .held(let cycles):
            if survivors == 0 {
                faults.append("nothing survives, so it is no leak")
            } else {
                plant.outside = [:]
                plant.watched.removeAll(where: plant.mortal.contains)
                walk(plant, "when let go", cycles: cycles, areProven: true)
            }
        case .silent:
            if survivors != 0 { faults.append("\(survivors) objects survive, so it is a leak") }
        }
    }

    /// A leak becomes a held cycle when something holds it, and a leak again when that reference does not count.
    private mutating func walkRetained(_ plant: Plant, cycles: [String]) {
        for address in plant.watched { Reference(address).retain() }
        var retained = plant
        for address in plant.watched { retained.outside[address, default: 0] += 1 }
        walk(retained, "when retained", cycles: cycles, areProven: false)
        walk(plant, "when retained by the caller", cycles: cycles, areProven: true, pins: 1)
        for address in plant.watched { Reference(address).release() }
    }

    /// An object that only the caller holds is garbage if the caller's references do not count.
    private mutating func walkPinned(_ plant: Plant) {
        guard plant.outside.values.allSatisfy({ $0 == 0 }), !plant.kept.isEmpty else { return }
        let report = walker.report(from: plant.watched.map { HeapRoot(address: $0, pins: plant.holds(of: $0)) })
        if !report.cycles.isEmpty { faults.append("when pinned: a cycle") }
        for object in report.objects where object.root != nil && !object.isGarbage {
            faults.append("when pinned: \(object.type) is no garbage, though nothing else holds it")
        }
    }

    private mutating func walkUnseen(_ plant: Plant) {
        let report = walker.report(from: roots(of: plant))
        tell(report)
        faults += ReportCheck(report).faults
        if report.cycles.contains(where: \.isProven) { faults.append("proven, though nobody can know") }
        for object in report.objects where object.root != nil && object.isGarbage {
            faults.append("\(object.type) is called garbage, though nobody can know")
        }
        checkLimitations(of: report, "at first")
    }

    private mutating func walk(_ plant: Plant, _ when: String, cycles: [String], areProven: Bool, pins: Int = 0) {
        let report = walker.report(from: roots(of: plant, pins: pins))
        tell(report)
        var found = report.cycles.map(report.description(of:))
        var missing: [String] = []
        for cycle in cycles {
            let pattern = CyclePattern(cycle)
            if let place = found.firstIndex(where: pattern.matches) {
                found.remove(at: place)
            } else {
                missing.append(cycle)
            }
        }
        if !missing.isEmpty { faults.append("\(when): not found: \(missing.joined(separator: ", "))") }
        if !found.isEmpty { faults.append("\(when): not expected: \(found.joined(separator: ", "))") }
        if report.cycles.contains(where: { $0.isProven != areProven }) {
            faults.append("\(when): a cycle is reported as \(areProven ? "held" : "proven")")
        }
        checkRoots(plant, of: report, when)
        checkLimitations(of: report, when)
        faults += ReportCheck(report).faults.map { "\(when): \($0)" }
    }

    private mutating func checkRoots(_ plant: Plant, of report: HeapReport, _ when: String) {
        for (place, address) in plant.watched.enumerated() {
            guard let object = report.objects.first(where: { $0.root == UInt64(place) }) else {
                faults.append("\(when): root \(place) is not in the report")
                continue
            }
            let extra = plant.outside[address, default: 0]
            let expected = extra == .max && object.outsideReferences != .max ? 1 : extra &+ plant.holds(of: address)
            if object.address != address { faults.append("\(when): root \(place) is another object") }
            if object.outsideReferences != expected {
                faults.append(
                    "\(when): \(object.type) has \(object.outsideReferences) outside references, not \(expected)")
            }
        }
    }

    private mutating func checkLimitations(of report: HeapReport, _ when: String) {
        let found = Set(report.limitations.map(\.reason))
        guard let expected = planted.limitations, found != expected else { return }
        faults.append("\(when): limitations \(report.limitations.map { "\($0.reason) \($0.subject)" })")
    }

    /// Objects may die a little later if another thread releases them.
    private func waitForPopulation(_ expected: Int) async {
        guard planted.verdict == .silent else { return }
        for _ in 0..<12_000 where Population.alive != expected { try? await Task.sleep(for: .milliseconds(5)) }
    }

    private func roots(of plant: Plant, pins: Int = 0) -> [HeapRoot] {
        plant.watched.enumerated().map { HeapRoot(address: $1, pins: pins, tag: UInt64($0)) }
    }

    private func tell(_ report: HeapReport) {
        guard isTalkative else { return }
        for cycle in report.cycles {
            print("    \(cycle.isProven ? "proven" : "held") \(report.description(of: cycle))")
        }
        for limitation in report.limitations { print("    limitation: \(limitation.reason) \(limitation.subject)") }
    }
}

extension Plant {
    /// The number of the test's own references to an object.
    func holds(of address: UInt) -> Int {
        kept.count { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) == address }
    }
}

/// A manual reference.
private struct Reference {
    private let object: Unmanaged<AnyObject>

    init(_ address: UInt) {
        guard let pointer = UnsafeRawPointer(bitPattern: address) else { preconditionFailure("no object at 0") }
        object = Unmanaged.fromOpaque(pointer)
    }

    @inline(never) func retain() { _ = object.retain() }
    @inline(never) func release() { object.release() }
}
