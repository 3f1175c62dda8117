/// A value for each of some indexes; changes of a turn that cannot be replayed are undone.
struct Ledger<Value> {
    private let places: PlaceSet
    private var values: [Value?]
    private var changes: [(rank: Int32, former: Value?)] = []

    init(_ places: PlaceSet) {
        self.places = places
        values = .init(repeating: nil, count: places.count)
    }

    /// The value at one of the indexes.
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

    /// All values that are set.
    var all: some Sequence<Value> { values.lazy.compactMap(\.self) }

    /// Keeps the changes made so far.
    mutating func commit() { changes.removeAll(keepingCapacity: changes.count < 256) }

    /// Undoes the changes since the last commit.
    mutating func takeBack() { while let change = changes.popLast() { values[Int(change.rank)] = change.former } }
}
