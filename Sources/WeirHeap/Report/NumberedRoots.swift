/// The roots of a walk by their numbers in its graph. They are its first objects.
struct NumberedRoots {
    /// For each number, the index of the first root that is this object.
    private(set) var places: [Int] = []
    /// The number of the caller's own references to each root that has any.
    private(set) var pins: [Int32: Int] = [:]
    /// The number of the caller's own weak references to each root that has any.
    private(set) var weakPins: [Int32: Int] = [:]
    /// The roots that represent handlers.
    private(set) var handlers: [Int32] = []
    /// The roots whose path is reported.
    private(set) var wanted: [Int32] = []
    /// The roots whose closures are all reported.
    private(set) var captured: [Int32] = []

    init(_ roots: [HeapRoot], in graph: HeapGraph) {
        var numbers: [UInt: Int32] = [:]
        for (place, root) in roots.enumerated() {
            let next = Int32(places.count)
            let number = numbers[root.address, default: next]
            if number == next {
                guard Int(next) < graph.count, graph.addresses[Int(next)] == root.address else { continue }
                numbers[root.address] = next
                places.append(place)
            }
            if root.pins > 0 { pins[number] = min(pins[number, default: 0] &+ root.pins, Int(Int32.max)) }
            if root.weakPins > 0 { weakPins[number] = root.weakPins }
            if root.isHandler { handlers.append(number) }
            if root.wantsHolder, wanted.last != number { wanted.append(number) }
            if root.wantsCaptures, captured.last != number { captured.append(number) }
        }
    }
}
