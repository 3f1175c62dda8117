/// An object with a field of each kind that may lead back.
final class PlantedNode: Counted {
    var next: PlantedNode?
    var any: Any = 0
    var object: AnyObject?
    var list: [PlantedNode] = []
    var table: [String: PlantedNode] = [:]
    var handler: (() -> Void)?
    var value = 0

    func touch() { value += 1 }
}

/// An object that others subscribe to.
final class PlantedSubject: Counted {
    var value = 0
    var name = "a name that is too long to be stored in place, and so is on the heap"
    var subscribers: [(Int) -> Void] = []
    var onChange: (() -> Void)?
    var plain: () -> Void = {}

    @inline(never) func subscribe(_ handler: @escaping (Int) -> Void) { subscribers.append(handler) }
    @inline(never) func bump() { value += 1 }
}

/// A key that is an object.
final class PlantedKey: Counted, Hashable {
    var reference: PlantedNode?

    init(_ reference: PlantedNode? = nil) { self.reference = reference }

    static func == (left: PlantedKey, right: PlantedKey) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// An error that carries an object.
struct PlantedError: Error, @unchecked Sendable {
    var node: PlantedNode
    var text = "an error"
}

/// A protocol without a class constraint.
protocol PlantedProtocol {
    func perform()
}

/// A protocol of classes.
protocol PlantedDelegate: AnyObject {
    func changed()
}

/// A value that fits into an existential.
struct SmallValue: PlantedProtocol {
    var object: AnyObject?

    func perform() {}
}

/// A value that does not fit into an existential.
struct LargeValue: PlantedProtocol {
    var numbers = (1, 2, 3, 4)
    var object: AnyObject?

    func perform() {}
}
