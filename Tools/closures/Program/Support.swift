// The captures of the generated closures, and the check.
import WeirHeap

/// Something with values whose types follow from its own.
protocol Source {
    associatedtype Item
    associatedtype Failure: Error
    associatedtype Next: Source

    var item: Item { get }
    var failure: Failure { get }
    var next: Next { get }
}

protocol Items<Item> {
    associatedtype Item
    var item: Item { get }
}

/// Keeps a closure that captures it.
final class Owner {
    var action: (() -> Void)?
}

class Node { var number = 1 }

struct Fault: Error { var node = Node() }

struct Given<Item>: Source, Equatable {
    var item: Item
    var failure: Fault { Fault() }
    var next: Given<[Item]> { Given<[Item]>(item: [item]) }
    static func == (left: Given, right: Given) -> Bool { true }
}

final class Held<Item>: Source {
    enum Failure: Error { case offline(Int), broken(Node) }

    let item: Item
    init(_ item: Item) { self.item = item }
    var failure: Failure { .broken(Node()) }
    var next: Given<Item> { Given(item: item) }
}

enum Picked<Item>: Source {
    case one(Item), two(Item, Node)

    var item: Item {
        switch self {
        case .one(let item), .two(let item, _): item
        }
    }
    var failure: Boxed { Boxed() }
    var next: Held<Item?> { Held(item) }
}

struct Boxed: Error { var error: any Error = Fault() }

struct Carrier<Item>: Items { var item: Item; init(_ item: Item) { self.item = item } }
struct Pair<First, Second> { var first: First; var second: Second }
class Box<Value> { var value: Value; init(_ value: Value) { self.value = value } }
final class Derived<Value>: Box<Value> { var more: [Value] = [] }
indirect enum Choice<Value> { case nothing, one(Value), many([Value]), pair(Value, Box<Value>), nested(Choice<Value>) }
struct Several<each Value> {
    var values: (repeat each Value); init(_ value: repeat each Value) { values = (repeat each value) }
}
struct Mirrored<First, Second> { var types: (First.Type, Second.Type) = (First.self, Second.self) }
struct Restricted<Of: Source> where Of.Item: Any {
    var item: Of.Item; var of: Of; init(_ of: Of) { item = of.item; self.of = of }
}

struct Wrapper<Value> {
    enum Kind { case none, some(Value) }
    struct Inner<Second> { var first: Value; var second: Second }
    struct Slot { var value: Value; var node = Node() }

    var value: Value
    var slot: Slot { Slot(value: value) }
    init(_ value: Value) { self.value = value }
}

final class Dependent<Of: Source> {
    struct Part { var item: Of.Item; var next: Of.Next }

    var parts: [Part] = []
    init(_ of: Of) { parts = [Part(item: of.item, next: of.next)] }
}

struct Alone<Value>: ~Copyable {
    var value: Value
    init(_ value: Value) { self.value = value }
    deinit { use(1) }
}

func hidden<S: Source>(_ s: S) -> some Collection { [s.item] }
func equal<S: Source>(_ s: S) -> Given<S.Item> { Given(item: s.item) }
nonisolated(unsafe) var keptObjects: [AnyObject] = []
func kept<Object: AnyObject>(_ object: Object) -> Object {
    keptObjects.append(object)
    return object
}

@inline(never) func use<Value: ~Copyable>(_ value: borrowing Value) {}
@inline(never) func change<Value>(_ value: inout Value) {}

// MARK: - The check

struct Shape {
    let number: Int
    let make: (any Source, any Source, Owner) -> Void
}

enum Colour: Error { case red, green }
enum Load { case text(String), node(Node), both(String, Node), closure(() -> Void) }
struct Empty {}

/// Sources with items of fifty types.
nonisolated(unsafe) let sources: [any Source] = {
    func all<Item>(_ item: Item) -> [any Source] { [Given(item: item), Held(item), Picked.two(item, Node())] }
    var number = 0
    func one<Item>(_ item: Item) -> any Source {
        number += 1
        return all(item)[number % 3]
    }
    return [
        one(1), one("text"), one(Node()), one([Node()]), one(["key": Node()]), one((1, Node())), one({ () -> Void in }),
        one({ (_: Node) throws -> String in "" }), one(Optional(Node())), one(Optional<Node>.none), one(()),
        one(Empty()),
        one(Colour.red), one(Load.both("text", Node())), one(Load.closure {}), one(Node.self), one(Int.self),
        one(Fault() as any Error), one(Node() as AnyObject), one(1 as Any), one(Node() as Any),
        one(AnyHashable("text")),
        one(UInt8(1)), one(1.5), one(Float(1)), one(SIMD4<Float>(repeating: 1)), one(Character("c")),
        one("text"[...]), one([1, 2][...]), one(Set([1])), one(ContiguousArray([Node()])), one(["a": ["b": Node()]]),
        one(\Node.number), one(\[Int].count as AnyKeyPath), one(Result<Node, Fault>.success(Node())),
        one(Pair(first: Node(), second: "text")), one(Box(Node())), one(Derived(1)), one(Choice.many([Node()])),
        one(Given(item: Node()) as any Source), one([Given(item: 1), Held(Node())] as [any Source]),
        one(Optional(Optional(1))), one(ObjectIdentifier(Node.self)), one(Several(1, "text", Node())),
        one(Wrapper(Node()).slot), one(Unmanaged.passUnretained(kept(Node()))), one((name: "name", nodes: [Node()])),
        one(Int.max..<Int.max), one([Int: [Node?]]()), one(true), one(Optional<() -> Void>.none),
        one((Node(), (1, [Node()]))),
    ]
}()

@main enum Program {
    static func main() {
        var (proven, unsure, silent) = (0, 0, [Int]())
        var reasons: [String: Int] = [:]
        for shape in shapes {
            var roots: [HeapRoot] = []
            for place in sources.indices {
                let owner = Owner()
                shape.make(sources[place], sources[(place * 7 + 3) % sources.count], owner)
                roots.append(HeapRoot(address: UInt(bitPattern: Unmanaged.passUnretained(owner).toOpaque())))
            }
            let report = HeapWalker().report(from: roots)
            let found = Set(
                report.cycles.filter(\.isProven).flatMap(\.references).map { report.references[$0].target })
            let addresses = Set(found.map { report.objects[$0].address })
            let missing = roots.count { !addresses.contains($0.address) }
            proven += roots.count - missing
            for limitation in report.limitations { reasons[limitation.subject, default: 0] += 1 }
            if missing > 0, report.limitations.isEmpty { silent.append(shape.number) } else { unsure += missing }
        }
        let all = shapes.count * sources.count
        print(
            "\(shapes.count) shapes of \(sources.count) types: \(proven) of \(all) cycles proven, \(unsure) with a limitation"
        )
        for (reason, count) in reasons.sorted(by: { $0.value > $1.value }).prefix(30) {
            print("  \(count) × \(reason)")
        }
        guard silent.isEmpty else {
            print("silent: \(silent)")
            fatalError("a cycle was missed, and no limitation was reported")
        }
    }
}
