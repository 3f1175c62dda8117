import Testing

@testable import WeirHeap

struct ReferenceTests {
    @Test func `properties are named, also those of superclasses`() {
        let derived = Derived()
        derived.inherited = Leaf()
        derived.own = Leaf()
        #expect(references(of: derived) == [".inherited Leaf", ".own Leaf"])
    }

    @Test func `a reference that does not hold is reported as such`() {
        let leaf = Leaf()
        let holder = Loose(leaf)
        #expect(
            references(of: holder) == ["weak .weakly Leaf", "unowned .unowned Leaf", "unmanaged .unsafely Leaf"])
        withExtendedLifetime(leaf) {}
    }

    @Test func `structs, tuples and enums are looked into`() {
        let values = Values()
        values.nested.inner.leaf = Leaf()
        values.pair = (1, Leaf())
        values.labelled = (number: 1, leaf: Leaf())
        values.choice = .second(Leaf(), 3)
        values.tree = .node(.leaf(Leaf()))
        values.result = .success(Leaf())
        values.twice = .some(.some(Leaf()))
        #expect(
            references(of: values).filter { !$0.contains(".tree") } == [
                ".nested.inner.leaf Leaf", ".pair.1 Leaf", ".labelled.leaf Leaf", ".choice.second.0 Leaf",
                ".result.success Leaf", ".twice Leaf",
            ])
        #expect(referencesInside(of: values).first { $0.contains(".tree") }?.hasPrefix(".tree.node") == true)
    }

    @Test func `a case without references has none`() {
        let values = Values()
        values.choice = .number(.max)
        values.twice = .some(nil)
        #expect(references(of: values) == [])
    }

    @Test func `existentials lead to what they hold`() {
        let boxes = Existentials()
        boxes.any = Leaf()
        boxes.object = Leaf()
        boxes.small = Small(leaf: Leaf())
        boxes.large = Large(leaf: Leaf())
        boxes.bound = Bound()
        boxes.error = Failure(leaf: Leaf())
        #expect(
            references(of: boxes) == [
                ".any Leaf", ".object Leaf", ".small.leaf Leaf", ".large box(Large)", ".bound Bound",
                ".error error(Failure)",
            ])
        #expect(referencesInside(of: boxes) == [".large.leaf Leaf", ".error.leaf Leaf"])
    }

    @Test func `collections lead to their elements`() {
        let lists = Lists()
        lists.array = [Leaf(), Leaf()]
        lists.structs = [Small(leaf: nil), Small(leaf: Leaf())]
        lists.slice = [Leaf(), Leaf(), Leaf()][1...]
        lists.set = [Leaf()]
        lists.table = ["back": Leaf()]
        lists.keys = [Leaf(): 1]
        #expect(
            referencesInside(of: lists) == [
                ".array[0] Leaf", ".array[1] Leaf", ".structs[1].leaf Leaf", ".slice[0] Leaf", ".slice[1] Leaf",
                ".slice[2] Leaf", ".set[element] Leaf", ".table[key] Leaf", ".keys(key) Leaf",
            ])
    }

    @Test func `keys are shown on demand only, and not in full`() {
        let lists = Lists()
        lists.table = [String(repeating: "x", count: 50): Leaf()]
        #expect(
            referencesInside(of: lists, showsKeys: true) == [
                ".table[\"\(String(repeating: "x", count: 40))…\"] Leaf"
            ])
        lists.table = ["back": Leaf()]
        #expect(referencesInside(of: lists, showsKeys: true) == [".table[\"back\"] Leaf"])
        #expect(referencesInside(of: lists) == [".table[key] Leaf"])
    }

    @Test func `a closure that captured one object leads to it`() {
        let closures = Closures()
        let leaf = Leaf()
        closures.plain = { leaf.number += 1 }
        #expect(references(of: closures) == [".plain() Leaf"])
    }

    @Test func `a closure that captured several things leads to each`() {
        let closures = Closures()
        plant(in: closures, Leaf(), Leaf(), 7)
        #expect(references(of: closures) == [".plain() closure(Leaf, Int, Leaf)"])
        #expect(referencesInside(of: closures) == [".plaincaptures #1 Leaf", ".plaincaptures #3 Leaf"])
    }

    @Test func `the captures of a closure that no reference to a function leads to have their numbers`() {
        let closures = Closures()
        let leaf = Leaf()
        let place = address(of: leaf)
        plant(in: closures, Leaf(), leaf, 7)
        let context = HeapWalker().references(of: address(of: closures))[0].target
        // As if memory of a task held the context.
        let report = HeapWalker().report(from: [
            HeapRoot(address: context, tag: 1), HeapRoot(address: place, pins: 1, tag: 2),
        ])
        #expect(report.objects.first { $0.address == context }?.kind == .closure)
        #expect(report.references.map(\.label) == ["captures #3"])
        withExtendedLifetime(leaf) {}
    }

    @Test func `weak captures do not hold`() {
        let closures = Closures()
        let leaf = Leaf()
        closures.plain = { [weak leaf] in use(leaf) }
        let walker = HeapWalker()
        let context = walker.references(of: address(of: closures))[0].target
        let captured = walker.references(of: context)
        #expect(captured.map(\.ownership) == [.weak])
        #expect(captured.map(\.target) == [address(of: leaf)])
    }

    @Test func `thunks and method references lead to what they hold`() {
        let closures = Closures()
        let leaf = Leaf()
        closures.generic = Generic<Int> { leaf.number += $0 }
        closures.method = closures.go
        closures.waits = { use(leaf) }
        let lines = references(of: closures)
        #expect(lines.contains(".method() Closures") || lines.contains(".method() closure(Closures)"))
        #expect(lines.contains(".waits() Leaf"))
        #expect(HeapWalker().walk(from: [address(of: closures)]).graph.addresses.contains(address(of: leaf)))
        closures.method = nil
    }

    @Test func `wrappers, lazy and observed properties are named as in the source`() {
        let wrapped = Wrapped()
        wrapped.value = Leaf()
        wrapped.hidden = Leaf()
        _ = wrapped.late
        #expect(references(of: wrapped) == [".value Leaf", ".hidden.stored Leaf", ".late Leaf", "._own Leaf"])
    }

    @Test func `generic classes are read with their arguments`() {
        let pair = Pair(Leaf(), [Leaf()])
        #expect(references(of: pair).first == ".left Leaf")
        #expect(referencesInside(of: pair) == [".right[0] Leaf"])
        let packs = Packs(Generic<Int> { _ in }, Generic<String> { _ in })
        #expect(references(of: packs) == [".elements.0 Generic<Int>", ".elements.1 Generic<String>"])
    }

    @Test func `noncopyable properties are analysed, or are a limitation where the program has no symbols`() {
        let holder = Unique()
        holder.single.leaf = Leaf()
        let lines = references(of: holder)
        #expect(lines == [".single.leaf Leaf"] || (lines == [] && limitations(from: holder).count == 1))
    }

    @Test func `an owner tells what metadata does not`() {
        let owner = Owner()
        #expect(
            references(of: owner) == [
                ".leaves _ContiguousArrayStorage<AnyObject>", ".slots[0] Leaf", ".slots[1] Leaf",
            ])
        #expect(limitations(from: owner) == [])
        let graph = HeapWalker().walk(from: [address(of: owner)]).graph
        let leaf = address(of: owner.leaves[0])
        #expect(graph.addresses.firstIndex(of: leaf).map { graph.strongCounts[$0] } == 2)
    }

    @Test func `nested types are named in full, without module`() {
        let pair = Pair(Outer.Inner(), Outer.Boxed<Int>())
        #expect(references(of: pair) == [".left Outer.Inner", ".right Outer.Boxed<Int>"])
    }

    @inline(never)
    private func plant(in closures: Closures, _ first: Leaf, _ second: Leaf, _ number: Int) {
        closures.plain = {
            first.number += number
            second.number += number
        }
    }
}

private class Base {
    var inherited: Leaf?
}

private final class Derived: Base {
    var text = "a text that is too long to be kept in place"
    var own: Leaf?
}

private final class Loose {
    weak var weakly: Leaf?
    unowned var unowned: Leaf
    unowned(unsafe) var unsafely: Leaf

    init(_ leaf: Leaf) {
        weakly = leaf
        unowned = leaf
        unsafely = leaf
    }
}

private enum Choice {
    case none
    case first(Leaf)
    case second(Leaf, Int)
    case number(Int)
}

private indirect enum Tree {
    case empty
    case leaf(Leaf)
    case node(Tree)
}

private final class Values {
    struct Nested {
        struct Inner {
            var number = 0
            var leaf: Leaf?
        }
        var inner = Inner()
    }
    var nested = Nested()
    var pair: (Int, Leaf)?
    var labelled: (number: Int, leaf: Leaf)?
    var choice = Choice.none
    var tree = Tree.empty
    var result: Result<Leaf, Failure>?
    var twice: Leaf??
}

private protocol Shape {}
private protocol BoundShape: AnyObject {}
private struct Small: Shape { var leaf: Leaf? }
private struct Large: Shape {
    var numbers = (1, 2, 3)
    var leaf: Leaf?
}
private final class Bound: BoundShape {}
private struct Failure: Error, @unchecked Sendable {
    var number = 1
    var leaf: Leaf
}

private final class Existentials {
    var any: Any = 0
    var object: AnyObject?
    var small: (any Shape)?
    var large: (any Shape)?
    var bound: (any BoundShape)?
    var error: (any Error)?
}

private final class Lists {
    var array: [Leaf] = []
    var structs: [Small] = []
    var slice: ArraySlice<Leaf> = []
    var set: Set<Leaf> = []
    var table: [String: Leaf] = [:]
    var keys: [Leaf: Int] = [:]
}

private final class Generic<Value> {
    let handler: (Value) -> Void

    init(_ handler: @escaping (Value) -> Void) { self.handler = handler }
}

private final class Closures {
    var plain: (() -> Void)?
    var generic: Generic<Int>?
    var method: (() -> Void)?
    var waits: (() async -> Void)?

    func go() {}
}

@propertyWrapper private struct Plain<Value> {
    var wrappedValue: Value
}

@propertyWrapper private struct Hidden<Value> {
    private var stored: Value
    var wrappedValue: Value {
        get { stored }
        set { stored = newValue }
    }

    init(wrappedValue: Value) { stored = wrappedValue }
}

private final class Wrapped {
    @Plain var value: Leaf?
    @Hidden var hidden: Leaf?
    lazy var late = Leaf()
    var _own = Leaf()
}

private final class Pair<Left, Right> {
    let left: Left
    let right: Right

    init(_ left: Left, _ right: Right) {
        self.left = left
        self.right = right
    }
}

private final class Packs<each Element> {
    let elements: (repeat Generic<each Element>)

    init(_ elements: repeat Generic<each Element>) { self.elements = (repeat each elements) }
}

private struct Single: ~Copyable {
    var leaf: Leaf?
}

private final class Unique {
    var single = Single()
}

private final class Owner: HeapOwner {
    let leaves = [Leaf(), Leaf()]
    private let slots: UnsafeMutablePointer<Unmanaged<Leaf>>

    init() {
        slots = .allocate(capacity: 2)
        for place in 0..<2 { (slots + place).initialize(to: .passRetained(leaves[place])) }
    }

    deinit {
        for place in 0..<2 { slots[place].release() }
        slots.deallocate()
    }

    func visitHeapReferences(_ visit: (String, UnsafeRawPointer) -> Void) {
        for place in 0..<2 { visit("slots[\(place)]", UnsafeRawPointer(slots[place].toOpaque())) }
    }
}

private enum Outer {
    final class Inner {}
    final class Boxed<Value> {}
}
