/// A node of a random object graph: an object with a property of every shape that can hold another one.
final class FuzzNode: FuzzBase {
    let number: Int
    /// Notified when the node dies; not part of the graph.
    private unowned(unsafe) let census: FuzzCensus

    var plain: FuzzNode?
    var list: [FuzzNode] = []
    var slice: ArraySlice<FuzzNode> = []
    var byNumber: [Int: FuzzNode] = [:]
    var choice = FuzzChoice.none
    var choices: [FuzzChoice] = []
    var anything: Any = 0
    var anyObject: AnyObject?
    var anyHolder: (any FuzzHolder)?
    var anyKey: AnyHashable?
    var result: Result<FuzzNode, FuzzError>?
    var error: (any Error)?
    var optionalTuple: (Int, FuzzNode)?
    var tuples: [(String, FuzzNode)] = []
    var twiceOptional: FuzzNode??
    var keys: Set<FuzzKey> = []
    var nested: [String: [(FuzzNode?, () -> Void)]] = [:]
    var box: FuzzBox<FuzzNode>?
    var boxOfNumber: FuzzBox<Int>?
    var boxOfFunction: FuzzBox<(Int) -> Int>?
    var handlers: [() -> Void] = []
    var asyncHandlers: [() async -> Void] = []
    lazy var lazyHandler: () -> Void = { [unowned self] in fuzzUse(self.number) }

    weak var weakly: FuzzNode?
    unowned var unownedly: FuzzNode?
    unowned(unsafe) var unsafely: FuzzNode?
    var unmanaged: Unmanaged<FuzzNode>?
    var weakHolders: [FuzzWeakHolder] = []

    var padding: UInt8 = 3
    var text = "a text that is longer than fifteen bytes"

    init(_ number: Int, _ census: FuzzCensus) {
        self.number = number
        self.census = census
        census.alive.insert(number)
    }

    deinit { census.alive.remove(number) }

    @inline(never)
    func touch() { fuzzUse(number) }

    /// Releases everything that the node holds.
    func clear() {
        basePlain = nil
        baseHandler = nil
        plain = nil
        list = []
        slice = []
        byNumber = [:]
        choice = .none
        choices = []
        anything = 0
        anyObject = nil
        anyHolder = nil
        anyKey = nil
        result = nil
        error = nil
        optionalTuple = nil
        tuples = []
        twiceOptional = nil
        keys = []
        nested = [:]
        box = nil
        boxOfNumber = nil
        boxOfFunction = nil
        handlers = []
        asyncHandlers = []
    }
}

/// The inherited properties of a node.
class FuzzBase {
    var basePlain: FuzzNode?
    var baseHandler: (() -> Void)?
}

/// The nodes that are alive.
final class FuzzCensus {
    var alive: Set<Int> = []
}

protocol FuzzHolder {}

struct FuzzSmall: FuzzHolder {
    var node: FuzzNode
}

struct FuzzLarge: FuzzHolder {
    var first = 1, second = 2, third = 3
    var node: FuzzNode
    var other: FuzzNode?
}

enum FuzzChoice {
    case none
    case one(FuzzNode)
    case two(FuzzNode, FuzzNode)
    case function(() -> Void)
    case number(Int)
    case text(String)
    indirect case deep(FuzzNode, Int)
}

final class FuzzKey: Hashable {
    let node: FuzzNode

    init(_ node: FuzzNode) { self.node = node }

    static func == (left: FuzzKey, right: FuzzKey) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

final class FuzzBox<Value> {
    var value: Value
    var handler: ((Value) -> Void)?

    init(_ value: Value) { self.value = value }

    @inline(never)
    func bind<Other>(_ other: Other) {
        handler = { value in
            fuzzUse(value)
            fuzzUse(other)
        }
    }
}

struct FuzzError: Error, @unchecked Sendable {
    var node: FuzzNode
    var code = 1
}

struct FuzzWeakHolder {
    weak var node: FuzzNode?
    var code = 3
}

/// Keeps the optimizer from removing what only tests look at.
@inline(never) @_optimize(none)
func fuzzUse<Value>(_ value: Value) {}
