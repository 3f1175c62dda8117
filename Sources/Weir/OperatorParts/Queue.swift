/// First in, first out. Appending and taking cost constant time on average, and no allocation after it has grown.
@usableFromInline
struct Queue<Element> {
    /// Nil: already taken.
    @usableFromInline var items: [Element?] = []
    @usableFromInline var head = 0

    @inlinable
    init() {}

    @inlinable
    init(_ elements: [Element]) { items = elements }

    @inlinable
    var isEmpty: Bool { head == items.count }

    @inlinable
    var first: Element? { head < items.count ? items[head] : nil }

    @inlinable
    mutating func append(_ element: Element) { items.append(element) }

    @inlinable
    mutating func popFirst() -> Element? {
        guard head < items.count else { return nil }
        var first: Element?
        swap(&items[head], &first)
        head += 1
        if head == items.count {
            items.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 32, head * 2 >= items.count {
            items.removeFirst(head)
            head = 0
        }
        return first
    }
}
