import Testing

private final class Holder: Counted {
    weak var weakly: PlantedNode?
    unowned var unownedly: Holder?
    unowned(unsafe) var unsafely: PlantedNode?
    var unmanaged: Unmanaged<PlantedNode>?
    var unmanagedList: [Unmanaged<PlantedNode>] = []
    var boxes: [WeakBox] = []
    var structs: [WeakStruct] = []
    var optional: WeakStruct?
    var table: [String: WeakStruct] = [:]
    var existential: (any PlantedProtocol)?
    var anything: Any = 0
    var pointer: UnsafeMutableRawPointer?
    var identifier: ObjectIdentifier?
    var strong: PlantedNode?
    var handler: (() -> Void)?
    var other: (() -> Void)?

    func go() {}
}

private final class WeakBox {
    weak var node: PlantedNode?

    init(_ node: PlantedNode?) { self.node = node }
}

private struct WeakStruct: PlantedProtocol {
    weak var node: PlantedNode?
    var number = 1

    func perform() {}
}

private struct UnownedStruct {
    unowned var holder: Holder
    unowned(unsafe) var unsafely: Holder
}

nonisolated(unsafe) private weak var observer: PlantedNode?
nonisolated(unsafe) private var unownedObserver: UnownedStruct?

/// A holder that holds a node, which may hold it back in a way that does not count.
@inline(never)
private func pair() -> (Holder, PlantedNode) {
    let holder = Holder(), node = PlantedNode()
    node.object = holder
    return (holder, node)
}

extension Corpus {
    mutating func plantWeak() {
        about("weak, unowned, unmanaged")
        silent("a weak field") {
            let (holder, node) = pair()
            holder.weakly = node
            return Plant(keeping: holder, node)
        }
        silent("an unowned field") {
            let holder = Holder()
            holder.unownedly = holder
            return Plant(keeping: holder)
        }
        silent("an unsafe unowned field") {
            let (holder, node) = pair()
            holder.unsafely = node
            return Plant(keeping: holder, node)
        }
        silent("an unmanaged field") {
            let (holder, node) = pair()
            holder.unmanaged = .passUnretained(node)
            holder.unmanagedList = [.passUnretained(node), .passUnretained(node)]
            return Plant(keeping: holder, node)
        }
        silent("weak references in objects and structs of lists") {
            let (holder, node) = pair()
            holder.boxes = [WeakBox(node), WeakBox(nil)]
            holder.structs = [WeakStruct(node: node), WeakStruct(node: nil)]
            holder.optional = WeakStruct(node: node)
            holder.table["key"] = WeakStruct(node: node)
            return Plant(keeping: holder, node)
        }
        silent("weak references in existentials") {
            let (holder, node) = pair()
            holder.existential = WeakStruct(node: node)
            holder.anything = [WeakStruct(node: node)]
            return Plant(keeping: holder, node)
        }
        silent("unowned references in Any") {
            let holder = Holder()
            holder.anything = UnownedStruct(holder: holder, unsafely: holder)
            return Plant(keeping: holder)
        }
        silent("a closure that captures weakly") {
            let holder = Holder()
            holder.handler = { [weak holder] in holder?.go() }
            return Plant(keeping: holder)
        }
        silent("a closure that captures weakly, beside other captures") {
            let holder = Holder()
            let text = opaque("a text that is too long to be stored in place"), node = PlantedNode()
            holder.handler = { [weak holder] in
                use((text, node))
                holder?.go()
            }
            return Plant(keeping: holder)
        }
        silent("a closure that captures unowned") {
            let holder = Holder()
            holder.handler = { [unowned holder] in holder.go() }
            return Plant(keeping: holder)
        }
        silent("a closure that captures unowned, beside other captures") {
            let holder = Holder()
            let number = opaque(3), node = PlantedNode()
            holder.handler = { [unowned holder] in
                use((number, node))
                holder.go()
            }
            return Plant(keeping: holder)
        }
        silent("a closure that captures unsafely") {
            let holder = Holder()
            holder.handler = { [unowned(unsafe) holder] in holder.go() }
            return Plant(keeping: holder)
        }
        silent("a captured weak variable") {
            let holder = Holder()
            weak var variable: Holder? = holder
            holder.handler = {
                variable?.go()
                variable = nil
            }
            holder.other = { use(variable) }
            return Plant(keeping: holder)
        }
        silent("a captured unowned variable") {
            let holder = Holder()
            unowned var variable = holder
            holder.handler = { variable.go() }
            holder.other = { if let other = variable.unownedly { variable = other } }
            return Plant(keeping: holder)
        }
        silent("a captured weak existential") {
            let holder = Holder(), delegate = StrongDelegate()
            delegate.holder = holder
            let existential: any PlantedDelegate = opaque(delegate as any PlantedDelegate)
            holder.handler = { [weak existential] in existential?.changed() }
            return Plant(keeping: holder, delegate)
        }
        silent("self, made strong inside of a weak closure") {
            let holder = Holder()
            holder.handler = { [weak holder] in
                guard let holder else { return }
                let inner = { holder.go() }
                inner()
                use(inner)
            }
            holder.handler?()
            return Plant(keeping: holder)
        }
        silent("a captured variable that was emptied") {
            let holder = Holder()
            var variable: Holder? = holder
            holder.handler = { variable?.go() }
            holder.other = { variable = nil }
            holder.other?()
            return Plant(keeping: holder)
        }
        silent("addresses of objects") {
            let holder = Holder()
            holder.pointer = Unmanaged.passUnretained(holder).toOpaque()
            holder.identifier = ObjectIdentifier(holder)
            holder.anything = (ObjectIdentifier(holder), Unmanaged.passUnretained(holder))
            return Plant(keeping: holder)
        }
        silent("a weak reference to an object that is gone") {
            let holder = Holder()
            do {
                let node = PlantedNode()
                holder.weakly = node
                holder.structs = [WeakStruct(node: node)]
            }
            return Plant(keeping: holder)
        }
        silent("an unowned reference to an object that is gone") {
            let holder = Holder()
            do {
                let other = Holder()
                holder.unownedly = other
                holder.handler = { [unowned other] in other.go() }
            }
            return Plant(keeping: holder)
        }
        leaks("a ring that a weak reference observes", "PlantedNode.next → PlantedNode.next → PlantedNode") {
            let first = PlantedNode(), second = PlantedNode()
            first.next = second
            second.next = first
            observer = first
            return Plant(first)
        }
        leaks("a ring that unowned references observe", "Holder.handler {} → Holder") {
            let holder = Holder()
            unownedObserver = UnownedStruct(holder: holder, unsafely: holder)
            holder.handler = { holder.go() }
            return Plant(holder)
        }
        leaks(
            "a strong way beside weak and unowned ones", "Holder.strong → PlantedNode.object → Holder"
        ) {
            let (holder, node) = pair()
            holder.weakly = node
            holder.unsafely = node
            holder.unownedly = holder
            holder.unmanaged = .passUnretained(node)
            holder.structs = [WeakStruct(node: node)]
            holder.strong = node
            return Plant(holder)
        }
    }
}

private final class StrongDelegate: Counted, PlantedDelegate {
    var holder: Holder?

    func changed() {}
}
