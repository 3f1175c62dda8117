/// Combiners that wait for the turn to settle: a heap with the lowest first, and by order of arrival for equal heights.
struct WaitingCombiners {
    private struct Entry {
        let rank: Int
        let arrival: Int
        let node: Int

        static func < (left: Entry, right: Entry) -> Bool {
            (left.rank, left.arrival) < (right.rank, right.arrival)
        }
    }

    private var entries: [Entry] = []
    private var waiting: Set<Int> = []
    private var arrivals = 0

    var isEmpty: Bool { entries.isEmpty }

    func contains(_ node: Int) -> Bool { waiting.contains(node) }

    /// Adds a combiner, unless it is waiting already.
    mutating func add(_ node: Int, height: Int) {
        guard waiting.insert(node).inserted else { return }
        arrivals += 1
        entries.append(Entry(rank: height, arrival: arrivals, node: node))
        var place = entries.count - 1
        while place > 0, entries[place] < entries[(place - 1) / 2] {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func popFirst() -> (node: Int, height: Int)? {
        guard let first = entries.first else { return nil }
        waiting.remove(first.node)
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var place = 0
        while true {
            var least = 2 * place + 1
            if least + 1 < entries.count, entries[least + 1] < entries[least] { least += 1 }
            guard least < entries.count, entries[least] < entries[place] else { return (first.node, first.rank) }
            entries.swapAt(place, least)
            place = least
        }
    }
}
