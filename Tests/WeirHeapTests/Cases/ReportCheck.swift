import WeirHeap

/// The rules that every report obeys, by the definitions of `HeapReport`.
struct ReportCheck {
    private let report: HeapReport
    /// The violations found so far.
    private(set) var faults: [String] = []

    init(_ report: HeapReport) {
        self.report = report
        for cycle in report.cycles { check(cycle) }
        for (place, object) in report.objects.enumerated() { check(object, at: place) }
        checkOrder()
    }

    private mutating func check(_ cycle: HeapCycle) {
        let references = cycle.references.map { report.references[$0] }
        guard let first = references.first, let last = references.last else {
            faults.append("an empty cycle")
            return
        }
        if zip(references, references.dropFirst()).contains(where: { $0.target != $1.source })
            || last.target != first.source
        {
            faults.append("a cycle that does not close")
        }
        if references.contains(where: { $0.ownership != .strong }) { faults.append("a cycle that holds nothing") }
        let objects = references.map { report.objects[$0.source] }
        if objects.contains(where: { $0.isGarbage != cycle.isProven }) {
            faults.append("a cycle that is partly garbage")
        }
        if Set(references.map(\.source)).count != references.count { faults.append("a cycle that crosses itself") }
        let begin = objects[0]
        if objects.contains(where: { $0.root != nil }) {
            if begin.root == nil { faults.append("a cycle that does not begin at its root") }
        } else if objects.contains(where: { $0.kind == .instance }), begin.kind != .instance {
            faults.append("a cycle that does not begin at an instance")
        }
        if cycle.componentObjects < objects.count { faults.append("a component smaller than its cycle") }
        if cycle.retainedSize < cycle.componentBytes { faults.append("a component that retains less than itself") }
    }

    private mutating func check(_ object: HeapObject, at place: Int) {
        if object.type.isEmpty { faults.append("an object without a type") }
        if object.size <= 0 { faults.append("\(object.type) of \(object.size) bytes") }
        if object.isGarbage {
            if object.outsideReferences != 0 { faults.append("garbage that is held from outside") }
            if object.holder != nil { faults.append("garbage that has a holder") }
            return
        }
        var current = place
        for _ in 0...report.objects.count {
            let object = report.objects[current]
            if object.outsideReferences != 0 { return }
            guard let holder = object.holder else {
                faults.append("\(object.type) is alive, and nothing holds it")
                return
            }
            let reference = report.references[holder]
            if reference.target != current || reference.ownership != .strong {
                faults.append("\(object.type) has a holder that does not hold it")
                return
            }
            current = reference.source
        }
        faults.append("\(object.type) is held by itself")
    }

    private mutating func checkOrder() {
        let proven = report.cycles.map(\.isProven)
        if proven.drop(while: { $0 }).contains(true) { faults.append("proven cycles are not first") }
        let sets = report.cycles.map { Set($0.references) }
        if Set(sets).count != sets.count { faults.append("a cycle is reported twice") }
        if Set(report.limitations).count != report.limitations.count { faults.append("a limitation is reported twice") }
    }
}
