/// An array without checks, for elements that own nothing. Its creator must free it.
struct GrowingBuffer<Element: BitwiseCopyable> {
    private(set) var start: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity: Int

    /// An empty buffer.
    init(capacity: Int = 1024) {
        self.capacity = max(capacity, 1)
        start = .allocate(capacity: self.capacity)
    }

    /// Frees the memory.
    func free() { start.deallocate() }

    @inline(__always) mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (start + count).initialize(to: element)
        count &+= 1
    }

    @inline(never) private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: start, count: count)
        start.deallocate()
        start = larger
        capacity *= 2
    }

    @inline(__always) subscript(place: Int) -> Element {
        get { start[place] }
        nonmutating set { start[place] = newValue }
    }

    /// The elements as an array.
    var array: [Element] { Array(UnsafeBufferPointer(start: start, count: count)) }
}
