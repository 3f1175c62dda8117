import CWeir

/// Words to look for in memory, at about 0.1 s for 256 MiB, whatever their number.
///
/// `first(from:to:)` does not allocate. The words are in an array: a search of all memory finds them there, in an object that
/// refers to nothing.
struct WantedWords {
    private let words: [UInt]
    private let filter: [UInt64]

    /// - Parameter words: ascending.
    init(_ words: [UInt]) {
        let size = Int(weir_filter_size(words.count))
        var filter = [UInt64](repeating: 0, count: size)
        weir_fill_filter(&filter, size, words, words.count)
        (self.words, self.filter) = (words, filter)
    }

    /// The first word in [`start`, `end`) that is one of them.
    func first(from start: UnsafePointer<UInt>, to end: UnsafePointer<UInt>) -> UnsafePointer<UInt>? {
        weir_find_word(start, end, words, words.count, filter, filter.count)
    }
}
