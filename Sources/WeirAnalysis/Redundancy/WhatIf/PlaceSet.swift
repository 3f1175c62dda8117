/// Places of nodes or subscriptions, as bits: whether one is among them costs no hash.
struct PlaceSet {
    private let words: [UInt64]
    /// How many places the words before each hold.
    private let ranks: [Int32]
    let count: Int

    init(_ places: Set<Int>) {
        var words = [UInt64](repeating: 0, count: (places.max() ?? -1) / 64 + (places.isEmpty ? 0 : 1))
        for place in places { words[place / 64] |= 1 << UInt64(place % 64) }
        var ranks: [Int32] = []
        var count = 0
        for word in words {
            ranks.append(Int32(count))
            count += word.nonzeroBitCount
        }
        (self.words, self.ranks, self.count) = (words, ranks, count)
    }

    var isEmpty: Bool { count == 0 }

    @inline(__always)
    func contains(_ place: Int) -> Bool {
        place >= 0 && place >> 6 < words.count && words[place >> 6] & 1 << UInt64(place & 63) != 0
    }

    /// How many of the places are lower than one of them.
    @inline(__always)
    func rank(of place: Int) -> Int {
        let lower: UInt64 = 1 << UInt64(place & 63) &- 1
        return Int(ranks[place >> 6]) + (words[place >> 6] & lower).nonzeroBitCount
    }

    /// The places, ascending.
    var places: [Int] {
        words.indices.flatMap { word in (0..<64).filter { words[word] & 1 << UInt64($0) != 0 }.map { word * 64 + $0 } }
    }
}

/// A value for each of some places; a turn that cannot be played takes back what it has changed.
struct Ledger<Value> {
    private let places: PlaceSet
    private var values: [Value?]
    private var changes: [(rank: Int32, former: Value?)] = []

    init(_ places: PlaceSet) {
        self.places = places
        values = .init(repeating: nil, count: places.count)
    }

    /// The value of one of the places.
    subscript(place: Int) -> Value? {
        @inline(__always)
        get { values[places.rank(of: place)] }
        @inline(__always)
        set {
            let rank = places.rank(of: place)
            changes.append((Int32(rank), values[rank]))
            values[rank] = newValue
        }
    }

    /// All values there are.
    var all: some Sequence<Value> { values.lazy.compactMap(\.self) }

    /// What was changed so far stays.
    mutating func commit() { changes.removeAll(keepingCapacity: changes.count < 256) }

    /// Takes back what was changed since the last commit.
    mutating func takeBack() { while let change = changes.popLast() { values[Int(change.rank)] = change.former } }
}
