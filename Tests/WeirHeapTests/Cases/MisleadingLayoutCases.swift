import Testing

// Layouts whose bytes are easily read as one reference too many: spare bits, stale payloads, sizes that only the running program
// knows. The test also holds each object, so a reference too many or too few shows in its count.

private struct Pair<First, Second> {
    var first: First
    var second: Second
}

private struct Three: PlantedProtocol {
    var first: AnyObject
    var second: AnyObject
    var third: AnyObject

    func perform() {}
}

private enum TextOrObject {
    case text(String)
    case object(AnyObject)
    case list([Int])
    case none
}

private enum WithOptional {
    case first(PlantedNode?)
    case second, third, fourth
}

private enum WithNumber {
    case object(AnyObject)
    case node(PlantedNode)
    case number(UInt32)
    case flag(Bool)
}

private enum WithExistential {
    case value(any PlantedProtocol)
    case delegate(any PlantedDelegate)
    case object(AnyObject)
    case anything(Any)
    case nothing
}

private enum WithFunctions {
    case action(() -> Void)
    case mapping((Int) -> Int)
    case object(AnyObject)
    case text(String)
}

private enum WithUnowned {
    case unownedly(UnownedNode)
    case unmanaged(Unmanaged<PlantedNode>)
    case strongly(PlantedNode)
}

private struct UnownedNode {
    unowned var node: PlantedNode
}

private enum Dependent<Value> {
    case value(Value)
    case list([Value])
    case pair(Value, Value)
    case none
}

private enum NoCopy: ~Copyable {
    case none
    case node(PlantedNode)
    case number(Int)
}

private struct Nothing {}

nonisolated(unsafe) private var seed: AnyObject?

/// An object with a property whose type only the compiler knows.
private class Hidden: Counted {
    let made: some PlantedProtocol = SmallValue(object: seed)
    var owner: AnyObject?
    var handler: (() -> Void)?

    @discardableResult @inline(never) func bindDynamicSelf() -> Self {
        let type = type(of: self)
        handler = { use((self, type)) }
        return self
    }
}

private final class HiddenSub: Hidden {}

private class Generic<Value>: Counted {
    var before = Nothing()
    var void: Void = ()
    var small = UInt8(3)
    var value: Value
    var optional: Value?
    var dependent = Dependent<Value>.none
    var pair: Pair<UInt8, Value>?
    var after: AnyObject?

    init(_ value: Value) { self.value = value }
}

private final class Sub<Other>: Generic<Int> {
    final class Inner<Third>: Counted {
        var other: Other
        var third: Third
        var owner: AnyObject?

        init(_ other: Other, _ third: Third) {
            self.other = other
            self.third = third
        }
    }

    var own: Other
    var inner: Inner<String>?

    init(own: Other) {
        self.own = own
        super.init(1)
    }
}

private final class Holder: Counted {
    var three: Three?
    var value: (any PlantedProtocol)?
    var text = TextOrObject.none
    var optionalText: TextOrObject?
    var texts: [TextOrObject] = []
    var optional: WithOptional?
    var number: WithNumber?
    var numbers: [WithNumber?] = []
    var existential = WithExistential.nothing
    var functions: WithFunctions?
    var unowned: WithUnowned?
    var deep: Int???? = 3
    var deepObject: AnyObject???? = nil
    var object: AnyObject?
    var anything: Any = 0
    var pairs: [Pair<UInt8, AnyObject?>] = []
    var optionalPairs: ContiguousArray<(AnyObject, Int)?> = []
    var hidden: Hidden?
    var path: AnyKeyPath?
    var handler: (() -> Void)?
    var number128: Int128 = 1
    var typedThrows: ((Int) throws(PlantedError) -> Void)?
    var variadic: ((Int...) -> Void)?
    var sending: ((sending PlantedNode) -> Void)?
    var caller: (nonisolated(nonsending) () async -> Void)?
    var last: AnyObject?

    func go() {}
    subscript(key: PlantedKey) -> Int { key.reference?.value ?? 0 }
    subscript(first: Int, second: String) -> Int { first + second.count }

}

private final class NoCopyHolder: Counted {
    var noCopy = NoCopy.none
}

@inline(never)
private func plantLocalTypes(in node: PlantedNode) {
    struct Local<Value> {
        var value: Value
        var number = 3
    }
    final class Box: Counted {
        var local: Local<String>
        var node: PlantedNode

        init(_ local: Local<String>, _ node: PlantedNode) {
            self.local = local
            self.node = node
        }
    }
    node.object = Box(Local(value: opaque("a text that is too long to be stored in place")), node)
    let captured = opaque(Local(value: [node.value]))
    node.list = [PlantedNode()]
    node.list[0].handler = { use((captured, captured.number)) }
}

@inline(never)
private func captureSizes<First, Second>(_ first: First, _ second: Second, _ owner: Holder) {
    let pair = Pair(first: first, second: second)
    let dependent = opaque(Dependent.pair(second, second))
    var changed = Pair(first: second, second: first)
    owner.handler = {
        use((pair, dependent))
        owner.go()
        changed.second = first
    }
    owner.anything = { use(changed) }
}

@inline(never)
private func consume(_ value: consuming NoCopy) {}

extension Corpus {
    mutating func plantMisleadingLayouts() {
        about("misleading layouts")
        silent("an object three times in an existential") {
            let holder = Holder(), node = PlantedNode()
            holder.value = Three(first: node, second: node, third: node)
            holder.three = Three(first: node, second: PlantedNode(), third: node)
            return Plant(keeping: holder, node)
        }
        silent("a cleared existential, whose bytes remain") {
            let holder = Holder(), node = PlantedNode()
            holder.value = Three(first: node, second: node, third: node)
            holder.value = nil
            holder.three = Three(first: node, second: node, third: node)
            holder.three = nil
            return Plant(keeping: holder, node)
        }
        silent("an enum of texts and objects, at each of its cases") {
            let holder = Holder(), node = PlantedNode()
            holder.text = .object(node)
            holder.optionalText = .some(.none)
            holder.texts = [.object(node), .text("short"), .list([1]), .text(String(repeating: "x", count: 99)), .none]
            return Plant(keeping: holder, node)
        }
        silent("an enum that was an object, and is a text") {
            let holder = Holder(), node = PlantedNode()
            holder.text = .object(node)
            holder.text = .text("short")
            holder.optionalText = .some(.object(node))
            holder.optionalText = nil
            return Plant(keeping: holder, node)
        }
        silent("an enum whose empty cases are patterns of its optional payload") {
            let holder = Holder(), node = PlantedNode()
            for value: WithOptional? in [.first(node), .first(nil), .second, .third, .fourth, nil, .first(node)] {
                holder.optional = value
            }
            return Plant(keeping: holder, node)
        }
        silent("an enum that was an object, and is a number in its lower half") {
            let holder = Holder(), node = PlantedNode()
            let word = UInt(bitPattern: Unmanaged.passUnretained(node).toOpaque())
            holder.number = .node(node)
            holder.number = .number(UInt32(truncatingIfNeeded: word))
            holder.numbers = [.object(node), .number(UInt32(truncatingIfNeeded: word)), .flag(true), nil, .node(node)]
            return Plant(keeping: holder, node)
        }
        silent("an enum of existentials, at each of its cases") {
            let holder = Holder(), node = PlantedNode()
            let cases: [WithExistential] = [
                .value(LargeValue(object: node)), .value(SmallValue(object: node)), .object(node),
                .anything((node as AnyObject, 1)), .nothing,
            ]
            holder.anything = cases
            for each in cases { holder.existential = each }
            return Plant(keeping: holder, node)
        }
        silent("an enum of functions and objects, at each of its cases") {
            let holder = Holder(), node = PlantedNode()
            let cases: [WithFunctions] = [
                .action { node.touch() }, .mapping { $0 + node.value }, .object(node), .text("short"), .action {},
            ]
            holder.anything = cases
            for each in cases { holder.functions = each }
            return Plant(keeping: holder, node)
        }
        silent("unowned and unmanaged payloads beside a strong one") {
            let holder = Holder(), node = PlantedNode()
            let cases: [WithUnowned] = [
                .unownedly(UnownedNode(node: node)), .unmanaged(.passUnretained(node)), .strongly(node),
            ]
            holder.anything = cases
            holder.unowned = cases[0]
            return Plant(keeping: holder, node)
        }
        silent("optionals of optionals") {
            let holder = Holder(), node = PlantedNode()
            holder.deepObject = .some(.some(.some(nil)))
            holder.deep = .some(.some(nil))
            holder.last = node
            return Plant(keeping: holder, node)
        }
        silent("generic values of all sizes") {
            let node = PlantedNode()
            let bytes = Generic<UInt8>(1), texts = Generic<String>("text"), objects = Generic<AnyObject>(node)
            let closures = Generic<() -> Void>({ node.touch() })
            bytes.pair = Pair(first: 1, second: 2)
            texts.dependent = .list(["one", "two"])
            objects.dependent = .pair(node, node)
            objects.optional = node
            objects.pair = Pair(first: 1, second: node)
            closures.dependent = .value { node.touch() }
            for generic in [bytes, texts, objects, closures] as [AnyObject] { _ = generic }
            bytes.after = texts
            texts.after = objects
            objects.after = closures
            closures.after = node
            return Plant(keeping: bytes, texts, objects, closures, node)
        }
        silent("a pair whose second field moves with the size of the first") {
            let holder = Holder(), node = PlantedNode()
            holder.pairs = [Pair(first: 1, second: node), Pair(first: 2, second: nil)]
            holder.anything = (
                Pair(first: UInt16(1), second: node as AnyObject), Pair(first: (1.5, true), second: node as AnyObject)
            )
            return Plant(keeping: holder, node)
        }
        silent("optional tuples in place") {
            let holder = Holder(), node = PlantedNode()
            holder.optionalPairs = [(node, 1), nil, (node, Int(bitPattern: Unmanaged.passUnretained(node).toOpaque()))]
            return Plant(keeping: holder, node)
        }
        silent("a key path that stores its arguments", limitations: [.unknownMemory]) {
            let holder = Holder()
            holder.path = \Holder.[3, "text"]
            return Plant(keeping: holder)
        }
        silent("an object in AnyHashable, held by the test too") {
            let holder = Holder(), key = PlantedKey()
            holder.anything = [AnyHashable(key): AnyHashable(key)]
            return Plant(keeping: holder, key)
        }
        silent("objects under weak, unowned and strong references at once") {
            let holder = Holder(), node = PlantedNode()
            weak let first = node
            unowned let second = node
            holder.handler = { [weak node] in use(node) }
            holder.anything = [{ use(first) }, { use(second) }, { [unowned(unsafe) node] in use(node) }]
            holder.last = node
            return Plant(keeping: holder, node)
        }
        silent("captures of generic sizes") {
            let holder = Holder(), node = PlantedNode()
            captureSizes(opaque(UInt8(1)), node, holder)
            let handler = holder.handler
            captureSizes(node as AnyObject, opaque((UInt16(1), "text")), holder)
            holder.handler = nil
            _ = handler
            return Plant(keeping: holder, node)
        }
        silent("a noncopyable enum") {
            let holder = NoCopyHolder(), node = PlantedNode()
            holder.noCopy = .node(node)
            return Plant(keeping: holder, node)
        }
        silent("a noncopyable enum that was emptied") {
            let holder = NoCopyHolder(), node = PlantedNode()
            holder.noCopy = .node(node)
            holder.noCopy = .number(Int(bitPattern: Unmanaged.passUnretained(node).toOpaque()))
            consume(.node(node))
            return Plant(keeping: holder, node)
        }
        silent("a property of an opaque type") {
            let holder = Holder(), node = PlantedNode()
            seed = node
            holder.hidden = Hidden()
            seed = nil
            return Plant(keeping: holder, node)
        }
        leaks("a property of an opaque type leads back", "PlantedNode.object → Hidden.made.object → PlantedNode") {
            let node = PlantedNode()
            seed = node
            node.object = Hidden()
            seed = nil
            return Plant(node)
        }
        leaks(
            "types that are local to a function", "PlantedNode.object → Box.node → PlantedNode"
        ) {
            let node = PlantedNode()
            plantLocalTypes(in: node)
            return Plant(node)
        }
        leaks("a nested generic class", "Sub<AnyObject>.inner → Sub.Inner<String>.owner → Sub<AnyObject>") {
            let sub = Sub<AnyObject>(own: PlantedNode())
            sub.inner = .init(PlantedNode(), "text")
            sub.inner?.owner = sub
            return Plant(sub)
        }
        leaks("a field after generic ones", "Generic<Pair<UInt8, String>>.after → Generic<Pair<UInt8, String>>") {
            let object = Generic(Pair(first: UInt8(1), second: "text"))
            object.dependent = .pair(object.value, object.value)
            object.after = object
            return Plant(object)
        }
        leaks("a captured pair whose size only the program knows", "Holder.handler {} → Holder") {
            let holder = Holder()
            captureSizes(opaque(UInt8(1)), opaque("text"), holder)
            return Plant(holder)
        }
        leaks("dynamic Self", "HiddenSub.handler {} → HiddenSub") {
            let holder = HiddenSub()
            holder.bindDynamicSelf()
            return Plant(holder)
        }
        leaks("a closure with typed errors", "Holder.typedThrows {} → Holder") {
            let holder = Holder()
            holder.typedThrows = { (number: Int) throws(PlantedError) in
                holder.go()
                use(number)
            }
            return Plant(holder)
        }
        leaks("a closure with any number of parameters", "Holder.variadic {} → Holder") {
            let holder = Holder()
            holder.variadic = { (numbers: Int...) in
                holder.go()
                use(numbers)
            }
            return Plant(holder)
        }
        leaks("a closure that is sent its parameter", "Holder.sending {} → Holder") {
            let holder = Holder()
            holder.sending = { _ in holder.go() }
            return Plant(holder)
        }
        leaks("an async closure that runs where its caller is", "Holder.caller {} → Holder") {
            let holder = Holder()
            holder.caller = { holder.go() }
            return Plant(holder)
        }
        unseen("a key path whose argument leads back", limitations: [.unknownMemory]) {
            let holder = Holder(), node = PlantedNode()
            node.object = holder
            holder.path = \Holder.[PlantedKey(node)]
            return Plant(holder)
        }
    }
}
