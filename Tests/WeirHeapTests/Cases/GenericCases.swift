import Testing

private class Generic<Value>: Counted {
    var value: Value
    var handler: ((Value) -> Void)?
    var action: (() -> Void)?
    var many: [(Value, () -> Void)] = []

    init(_ value: Value) { self.value = value }

    @inline(never) func bind(_ other: Value) {
        handler = { [self] argument in
            use(value)
            use(other)
            use(argument)
        }
    }

    @inline(never) func bindWeakly(_ other: Value) {
        handler = { [weak self] argument in
            use(self?.value)
            use(other)
            use(argument)
        }
    }

    @inline(never) func bind<Other>(other: Other) {
        action = { [self] in
            use(value)
            use(other)
        }
    }
}

private final class IntGeneric: Generic<Int> {
    var extra = 7
}

private final class TwoGenerics<First, Second>: Generic<Second> {
    var first: First

    init(_ first: First, _ second: Second) {
        self.first = first
        super.init(second)
    }
}

private final class Constrained<Delegate: PlantedDelegate>: Counted {
    var delegate: Delegate?
    var delegates: [Delegate] = []
}

private final class Delegate: Counted, PlantedDelegate {
    var owner: AnyObject?

    func changed() {}
}

private struct Associated<Base: Sequence> {
    var base: Base
    var first: Base.Element?
    var iterator: Base.Iterator
}

private final class AssociatedHolder: Counted {
    var associated: Associated<[AssociatedHolder]>?
}

private protocol Visitor {
    associatedtype Visited

    func visit(_ visited: Visited)
}

private struct NodeVisitor: Visitor {
    var node: PlantedNode

    func visit(_ visited: Int) {}
}

private final class Visits: Counted {
    var action: (() -> Void)?

    @inline(never) func accept<Some: Visitor>(_ visitor: Some, _ visited: Some.Visited) {
        action = { [self] in
            visitor.visit(visited)
            use(self)
        }
    }

    @inline(never) func acceptLazily<Objects: Sequence>(_ objects: Objects) where Objects.Element: AnyObject {
        let mapped = objects.lazy.map { ($0, 1) }
        action = { [self] in
            use(mapped)
            use(self)
        }
    }

    @inline(never) func acceptPack<each Value>(_ value: repeat each Value) {
        action = { [self] in
            use(self)
            repeat use(each value)
        }
    }
}

@inline(never)
private func visiting<Some: Visitor>(_ visitor: Some, _ visited: Some.Visited) -> () -> Void {
    { visitor.visit(visited) }
}

private struct Refused: Error {}

private final class Throwing<Failure: Error>: Counted {
    var action: (() throws(Failure) -> Void)?
    var find: ((Int) throws(Failure) -> String)?

    func go() {}
}

private final class Bus: Counted {
    var handlers: [ObjectIdentifier: [Int: (Any) -> Void]] = [:]
    var count = 0

    @inline(never) func on<Event>(_ type: Event.Type, _ handler: @escaping (Event) -> Void) {
        handlers[ObjectIdentifier(type), default: [:]][1] = { any in
            if let event = any as? Event { handler(event) }
        }
    }

    @inline(never) func onEach<Events: Sequence>(_ events: Events, _ handler: @escaping (Events.Element) -> Void) {
        handlers[ObjectIdentifier(Events.self), default: [:]][1] = { _ in
            for event in events { handler(event) }
        }
    }
}

private struct Handler<Value> {
    let run: (Value) -> Void
    var tag: Value?
}

private final class Handlers<Value>: Counted {
    var handlers: [Handler<Value>] = []
    var table: [String: (Value, () -> Void)] = [:]

    func go() {}
}

extension PlantedProtocol {
    @inline(never) @_optimize(none)
    fileprivate func opened(_ node: PlantedNode) -> () -> Void {
        {
            self.perform()
            node.touch()
        }
    }

    @inline(__always)
    fileprivate func inlined(_ node: PlantedNode, _ number: Int) -> (Int) -> Void {
        { argument in
            use(self)
            node.touch()
            use(number + argument)
        }
    }
}

private class Cell<Value> {
    final let value: Value
    init(_ value: Value) { self.value = value }
}

private final class Fixed: Counted {
    var cell: Cell<AnyObject?>?
    var cells: [Cell<() -> Void>] = []

    func go() {}
}

extension Corpus {
    mutating func plantGenerics() {
        about("generics")
        leaks("a field of a generic class", "Generic<Optional<AnyObject>>.value → Generic<Optional<AnyObject>>") {
            let object = Generic<AnyObject?>(nil)
            object.value = object
            return Plant(object)
        }
        leaks("a closure over a generic parameter, a number", "Generic<Int>.handler {} → Generic<Int>") {
            let object = Generic<Int>(1)
            object.bind(opaque(7))
            return Plant(object)
        }
        leaks(
            "a closure over a generic parameter, an object",
            "Generic<PlantedSubject>.handler {} → Generic<PlantedSubject>"
        ) {
            let object = Generic<PlantedSubject>(PlantedSubject())
            object.bind(PlantedSubject())
            return Plant(object)
        }
        leaks("a closure over a generic parameter, a string", "Generic<String>.handler {} → Generic<String>") {
            let object = Generic<String>("a text that is too long to be stored in place")
            object.bind("another text that is too long to be stored in place")
            return Plant(object)
        }
        leaks(
            "a closure over a generic parameter, a closure", "Generic<() -> ()>.handler {} → Generic<() -> ()>",
            "Generic<() -> ()>.action {} → Generic<() -> ()>"
        ) {
            let object = Generic<() -> Void>({})
            object.bind({})
            object.bind(other: "text")
            return Plant(object)
        }
        leaks("a closure over parameters of class and method", "Generic<Int>.action {} → Generic<Int>") {
            let object = Generic<Int>(1)
            object.bind(other: (opaque(1.5), PlantedNode()))
            return Plant(object)
        }
        leaks("a subclass that fixes the parameter", "IntGeneric.handler {} → IntGeneric") {
            let object = IntGeneric(1)
            object.bind(opaque(7))
            return Plant(object)
        }
        leaks(
            "a subclass with parameters of its own",
            "TwoGenerics<String, Array<Int>>.action {} → TwoGenerics<String, Array<Int>>"
        ) {
            let object = TwoGenerics<String, [Int]>("first", [1])
            object.bind(other: (opaque(1), PlantedNode()))
            return Plant(object)
        }
        leaks("a closure for a generic field", "Generic<Int>.handler {} → Generic<Int>") {
            let object = Generic<Int>(1)
            object.handler = { object.value = $0 }
            return Plant(object)
        }
        leaks("a tuple of the parameter and a closure", "Generic<String>.many[1].1 {} → Generic<String>") {
            let object = Generic<String>("text")
            object.many = [("first", {}), ("second", { object.action = nil })]
            return Plant(object)
        }
        leaks(
            "a parameter that must be a class",
            "Constrained<Delegate>.delegate → Delegate.owner → Constrained<Delegate>"
        ) {
            let object = Constrained<Delegate>(), delegate = Delegate()
            object.delegate = delegate
            delegate.owner = object
            return Plant(object)
        }
        leaks(
            "an array of a parameter that must be a class",
            "Constrained<Delegate>.delegates[1] → Delegate.owner → Constrained<Delegate>"
        ) {
            let object = Constrained<Delegate>(), delegate = Delegate()
            object.delegates = [Delegate(), delegate]
            delegate.owner = object
            return Plant(object)
        }
        leaks("fields of associated types", "AssociatedHolder.associated.…[0] → AssociatedHolder") {
            let holder = AssociatedHolder()
            let objects = [holder, AssociatedHolder()]
            holder.associated = Associated(base: objects, first: nil, iterator: objects.makeIterator())
            return Plant(holder)
        }
        leaks("a closure over an associated type", "Visits.action {} → Visits") {
            let visits = Visits()
            visits.accept(NodeVisitor(node: PlantedNode()), opaque(3))
            return Plant(visits)
        }
        leaks("a cycle through a captured generic value alone", "Visits.action {}… → PlantedNode.object → Visits") {
            let visits = Visits(), node = PlantedNode()
            node.object = visits
            visits.action = visiting(NodeVisitor(node: node), opaque(3))
            return Plant(visits)
        }
        leaks("a closure over a lazy map", "Visits.action {} → Visits") {
            let visits = Visits()
            visits.acceptLazily([PlantedNode(), PlantedNode()])
            return Plant(visits)
        }
        leaks("a closure over a parameter pack", "Visits.action {} → Visits", limitations: nil) {
            let visits = Visits()
            visits.acceptPack(1, PlantedNode(), "text")
            return Plant(visits)
        }
        leaks("a closure that throws a generic error", "Throwing<Refused>.action {} → Throwing<Refused>") {
            let object = Throwing<Refused>()
            object.action = { () throws(Refused) in object.go() }
            return Plant(object)
        }
        leaks("a closure that throws a generic error and returns", "Throwing<Refused>.find {} → Throwing<Refused>") {
            let object = Throwing<Refused>()
            object.find = { (number: Int) throws(Refused) -> String in
                object.go()
                return "\(number)"
            }
            return Plant(object)
        }
        leaks("a bus that wraps handlers of events", "Bus.handlers[key][key] {} → Bus") {
            let bus = Bus()
            bus.on(Int.self) { bus.count += $0 }
            bus.on(String.self) { [weak bus] in bus?.count += $0.count }
            return Plant(bus)
        }
        leaks("a bus whose event is an object", "Bus.handlers[key][key] {} → Bus") {
            let bus = Bus()
            bus.on(PlantedNode.self) { bus.count += $0.value }
            return Plant(bus)
        }
        leaks("a closure over a sequence and its elements' handler", "Bus.handlers[key][key] {} → Bus") {
            let bus = Bus()
            bus.onEach([1, 2, 3]) { bus.count += $0 }
            return Plant(bus)
        }
        leaks("a generic struct with a closure, in an array", "Handlers<String>.handlers[0].run {} → Handlers<String>")
        {
            let object = Handlers<String>()
            object.handlers = [
                Handler(
                    run: { text in
                        use(text)
                        object.go()
                    }, tag: nil)
            ]
            return Plant(object)
        }
        leaks("a dictionary of generic tuples", "Handlers<Array<Int>>.table[key].1 {} → Handlers<Array<Int>>") {
            let object = Handlers<[Int]>()
            object.table["entry"] = ([2], { object.go() })
            return Plant(object)
        }
        leaks("a closure of a protocol extension", "PlantedNode.handler {} → PlantedNode") {
            let node = PlantedNode()
            let value: any PlantedProtocol = opaque(SmallValue(object: nil) as any PlantedProtocol)
            node.handler = value.opened(node)
            return Plant(node)
        }
        leaks("an inlined closure of a protocol extension", "PlantedNode.handler {} → PlantedNode") {
            let node = PlantedNode()
            let inner = SmallValue(object: PlantedNode()).inlined(node, opaque(4))
            node.handler = { inner(1) }
            return Plant(node)
        }
        leaks("a generic cell of an optional", "Fixed.cell → Cell<Optional<AnyObject>>.value → Fixed") {
            let object = Fixed()
            object.cell = Cell(object)
            return Plant(object)
        }
        leaks(
            "a generic cell of a closure",
            "Fixed.cells[0] → Cell<() -> ()>.value {} → Fixed"
        ) {
            let object = Fixed()
            object.cells = [Cell { object.go() }]
            return Plant(object)
        }
        silent("a generic closure that captures weakly") {
            let object = Generic<String>("text")
            object.bindWeakly("another text that is too long to be stored in place")
            return Plant(keeping: object)
        }
    }
}
