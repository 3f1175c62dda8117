import Testing

private enum OnePayload {
    case none
    case node(PlantedNode)
    case other
}

private enum ManyPayloads {
    case node(PlantedNode)
    case subject(PlantedSubject)
    case number(Int)
    case action(() -> Void)
    case nothing
}

private enum AllObjects {
    case left(PlantedNode)
    case right(PlantedSubject)
}

private enum Labelled {
    case named(name: String, node: PlantedNode)
    case flagged(Bool, PlantedNode?)
    case wide(Double, Double, PlantedNode)
}

private enum Mixed {
    case direct(Int)
    case near(PlantedNode)
    case nothing
    indirect case far(PlantedNode, Int, String)
}

private indirect enum Tree {
    case leaf
    case branch(PlantedNode, Tree, Tree)
}

private indirect enum Chain<Element> {
    case end
    case link(Element, Chain<Element>)
}

private enum Nested {
    case outer(ManyPayloads)
    case number(Int)
    case none
}

private enum Lone {
    case node(PlantedNode)
}

private enum Weakly {
    case weakly(WeakNode)
    case strongly(PlantedNode)
}

private struct WeakNode {
    weak var node: PlantedNode?
}

private enum Bytes {
    case small(UInt8)
    case medium(UInt32)
    case text(String)
    case node(PlantedNode)
}

private final class Holder: Counted {
    var one = OnePayload.none
    var many = ManyPayloads.nothing
    var optionalMany: ManyPayloads?
    var doubleOptional: ManyPayloads??
    var all: AllObjects?
    var labelled: Labelled?
    var mixed = Mixed.nothing
    var tree = Tree.leaf
    var chain = Chain<AnyObject>.end
    var nested = Nested.none
    var lone: Lone?
    var weakly: Weakly?
    var bytes: Bytes?
    var list: [ManyPayloads] = []
    var result: Result<PlantedNode, PlantedError>?
    var untyped: Result<AnyObject, any Error>?
    var node: PlantedNode?

    func go() {}
}

@inline(never)
private func pair() -> (Holder, PlantedNode) {
    let holder = Holder(), node = PlantedNode()
    node.object = holder
    return (holder, node)
}

extension Corpus {
    mutating func plantEnums() {
        about("enums")
        leaks("an enum with one payload", "Holder.one.node → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.one = .node(node)
            return Plant(holder)
        }
        leaks("an enum with many payloads", "Holder.many.node → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.many = .node(node)
            return Plant(holder)
        }
        leaks("a closure in an enum", "Holder.many.action {} → Holder") {
            let holder = Holder()
            holder.many = .action { holder.go() }
            return Plant(holder)
        }
        leaks("an optional of an enum with many payloads", "Holder.optionalMany.node → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.optionalMany = .node(node)
            return Plant(holder)
        }
        leaks("an optional of an optional of an enum", "Holder.doubleOptional.node → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.doubleOptional = .some(.some(.node(node)))
            return Plant(holder)
        }
        leaks("an enum of objects only", "Holder.all.left → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.all = .left(node)
            return Plant(holder)
        }
        leaks("the other case of an enum of objects only", "Holder.all.right → PlantedSubject.onChange {} → Holder") {
            let holder = Holder(), subject = PlantedSubject()
            subject.onChange = { holder.go() }
            holder.all = .right(subject)
            return Plant(holder)
        }
        leaks("a payload with labels", "Holder.labelled.named.node → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.labelled = .named(name: "a name that is too long to be stored in place", node: node)
            return Plant(holder)
        }
        leaks("an optional in a payload", "Holder.labelled.flagged.1 → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.labelled = .flagged(true, node)
            return Plant(holder)
        }
        leaks("an object behind numbers in a payload", "Holder.labelled.wide.2 → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.labelled = .wide(1, 2, node)
            return Plant(holder)
        }
        leaks("an indirect enum", "Holder.tree.branch… → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.tree = .branch(PlantedNode(), .leaf, .branch(node, .leaf, .leaf))
            return Plant(holder)
        }
        leaks("an indirect case among direct ones", "Holder.mixed.far… → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.mixed = .far(node, 3, "text")
            return Plant(holder)
        }
        leaks("a direct case beside an indirect one", "Holder.mixed.near → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.mixed = .near(node)
            return Plant(holder)
        }
        leaks("a generic indirect enum", "Holder.chain.link… → Holder") {
            let holder = Holder()
            holder.chain = .link(PlantedNode(), .link(holder, .end))
            return Plant(holder)
        }
        leaks("an enum in an enum", "Holder.nested.outer.node → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.nested = .outer(.node(node))
            return Plant(holder)
        }
        leaks("an enum with a single case", "Holder.lone.node → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.lone = .node(node)
            return Plant(holder)
        }
        leaks("the strong case beside a weak one", "Holder.weakly.strongly → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.weakly = .strongly(node)
            return Plant(holder)
        }
        leaks("an enum with payloads of all sizes", "Holder.bytes.node → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.bytes = .node(node)
            return Plant(holder)
        }
        leaks("enums in an array", "Holder.list[2].action {} → Holder") {
            let holder = Holder()
            holder.list = [.nothing, .number(77), .action { holder.go() }, .node(PlantedNode())]
            return Plant(holder)
        }
        leaks("a failed result", "Holder.result.failure.node → PlantedNode.object → Holder") {
            let (holder, node) = pair()
            holder.result = .failure(PlantedError(node: node))
            return Plant(holder)
        }
        leaks("a successful result with any error", "Holder.untyped.success → Holder") {
            let holder = Holder()
            holder.untyped = .success(holder)
            return Plant(holder)
        }
        silent("a number in an enum, which looks like an address") {
            let holder = Holder()
            let number = Int(bitPattern: Unmanaged.passUnretained(holder).toOpaque())
            holder.many = .number(number)
            holder.optionalMany = .number(number)
            holder.doubleOptional = .some(.some(.number(number)))
            holder.nested = .outer(.number(number))
            holder.mixed = .direct(number)
            holder.list = [.number(number), .nothing]
            holder.bytes = .medium(UInt32(truncatingIfNeeded: number))
            return Plant(keeping: holder)
        }
        silent("enums without payload") {
            let holder = Holder()
            holder.one = .other
            holder.optionalMany = .some(.nothing)
            holder.doubleOptional = .some(nil)
            return Plant(keeping: holder)
        }
        silent("a weak reference in an enum") {
            let (holder, node) = pair()
            holder.weakly = .weakly(WeakNode(node: node))
            return Plant(keeping: holder, node)
        }
    }
}
