import WeirTrace

extension TraceSnapshot {
    /// The garbage objects that the program can still reach, each with the object that a weak reference leads to first.
    ///
    /// Whoever loads that weak reference may follow strong references from there, and cut the cycle. Linear in the references.
    func weaklyReached() -> [Int: Int] {
        var queue = objects.indices.filter { objects[$0].isGarbage && objects[$0].isWeaklyReferenced }
        guard !queue.isEmpty else { return [:] }
        var reached = Dictionary(uniqueKeysWithValues: queue.map { ($0, $0) })
        var targets: [Int: [Int]] = [:]
        for reference in references where reference.ownership == .strong {
            let target = Int(reference.target)
            guard object(target)?.isGarbage == true else { continue }
            targets[Int(reference.source), default: []].append(target)
        }
        var next = 0
        while next < queue.count {
            let source = queue[next]
            next += 1
            for target in targets[source] ?? [] where reached[target] == nil {
                reached[target] = reached[source]
                queue.append(target)
            }
        }
        return reached
    }
}
