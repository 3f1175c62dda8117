import CWeir

/// Words to look for in memory, at about 30 ms for 256 MiB, whatever their number.
///
/// `first(from:to:)` does not allocate.
final class WantedWords {
    private let words: UnsafeMutableBufferPointer<UInt>
    private let filter: UnsafeMutableBufferPointer<UInt64>

    /// - Parameter words: ascending.
    init(_ words: [UInt]) {
        self.words = .allocate(capacity: words.count)
        _ = self.words.initialize(from: words)
        filter = .allocate(capacity: Int(weir_filter_size(words.count)))
        filter.initialize(repeating: 0)
        weir_fill_filter(filter.baseAddress!, filter.count, self.words.baseAddress, words.count)
    }

    deinit {
        words.deallocate()
        filter.deallocate()
    }

    /// The first word in [`start`, `end`) that is one of them.
    func first(from start: UnsafePointer<UInt>, to end: UnsafePointer<UInt>) -> UnsafePointer<UInt>? {
        weir_find_word(start, end, words.baseAddress, words.count, filter.baseAddress!, filter.count)
    }
}
