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
