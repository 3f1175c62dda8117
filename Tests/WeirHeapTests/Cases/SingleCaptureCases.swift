import Testing

// Closures with a single capture. If it is one reference, it is the context itself; otherwise the context is an object of its own.

private struct Lone {
    let object: AnyObject
}

private struct LoneUnmanaged {
    let unmanaged: Unmanaged<Holder>
}

private struct LoneWeak {
    weak var holder: Holder?
}

private enum LoneCase {
    case object(AnyObject)
}

private struct Phantom<Value> {
    let holder: Holder
}

private final class Holder: Counted, @unchecked Sendable {
    var handler: (() -> Void)?
    var task: Task<Void, Never>?
    var boxed: AnyObject?
    var number = 1

    func go() {}
}

private struct HolderError: Error, @unchecked Sendable {
    var holder: Holder
}

private final class Combination<Value, each Input>: Counted {
    let inputs: (repeat Source<each Input>)
    var handler: ((Value) -> Void)?
    var owner: AnyObject?

    init(_ inputs: repeat Source<each Input>) { self.inputs = (repeat each inputs) }
}

private final class Source<Value>: Counted {
    var value: Value
    var handler: ((Value) -> Void)?

    init(_ value: Value) { self.value = value }
}

@inline(never)
private func capture<Value>(_ value: Value, in holder: Holder) {
    holder.handler = { use(value) }
}

extension Corpus {
    mutating func plantSingleCaptures() {
        about("captures of one thing")
        leaks("an object", "Holder.handler {} → Holder") {
            let holder = Holder()
            holder.handler = { [object = opaque(holder as AnyObject)] in use(object) }
            return Plant(holder)
        }
        leaks("a struct of one reference", "Holder.handler {}… → Holder") {
            let holder = Holder()
            holder.handler = { [lone = opaque(Lone(object: holder))] in use(lone) }
            return Plant(holder)
        }
        leaks("an enum of one reference", "Holder.handler {}… → Holder") {
            let holder = Holder()
            holder.handler = { [lone = opaque(LoneCase.object(holder))] in use(lone) }
            return Plant(holder)
        }
        leaks("a generic struct of one reference", "Holder.handler {}… → Holder") {
            let holder = Holder()
            holder.handler = { [lone = opaque(Phantom<Int>(holder: holder))] in use(lone) }
            return Plant(holder)
        }
        leaks("an array", "Holder.handler {}[0] → Holder") {
            let holder = Holder()
            holder.handler = { [array = opaque([holder])] in use(array) }
            return Plant(holder)
        }
        leaks("a dictionary", "Holder.handler {}[key] → Holder") {
            let holder = Holder()
            holder.handler = { [table = opaque([1: holder])] in use(table) }
            return Plant(holder)
        }
        leaks("an error", "Holder.handler {}….holder → Holder") {
            let holder = Holder()
            holder.handler = { [error = opaque(HolderError(holder: holder) as any Error)] in use(error) }
            return Plant(holder)
        }
        leaks("a delegate", "Holder.handler {} → Follower.holder → Holder") {
            let holder = Holder()
            let follower = Follower(holder)
            holder.handler = { [delegate = opaque(follower as any PlantedDelegate)] in use(delegate) }
            return Plant(holder)
        }
        leaks("anything", "Holder.handler {} → Holder") {
            let holder = Holder()
            holder.handler = { [anything = opaque(holder as Any)] in use(anything) }
            return Plant(holder)
        }
        leaks("an optional array", "Holder.handler {}[0] → Holder") {
            let holder = Holder()
            holder.handler = { [array = opaque(Optional([holder]))] in use(array) }
            return Plant(holder)
        }
        leaks("a generic object", "Holder.handler {} → Holder") {
            let holder = Holder()
            capture(holder, in: holder)
            return Plant(holder)
        }
        leaks("a generic struct of one generic reference", "Holder.handler {}… → Holder") {
            let holder = Holder()
            capture(Phantom<String>(holder: holder), in: holder)
            return Plant(holder)
        }
        leaks("a generic optional", "Holder.handler {} → Holder") {
            let holder = Holder()
            capture(Optional(holder), in: holder)
            return Plant(holder)
        }
        leaks("a generic closure", "Holder.handler {} → Holder") {
            let holder = Holder()
            capture({ holder.go() }, in: holder)
            return Plant(holder)
        }
        leaks("a struct that is boxed as an object", "Holder.boxed → __SwiftValue… → Holder", limitations: nil) {
            let holder = Holder()
            holder.boxed = Lone(object: holder) as AnyObject
            return Plant(holder)
        }
        silent("an unmanaged reference") {
            let holder = Holder()
            holder.handler = { [unmanaged = opaque(Unmanaged.passUnretained(holder))] in use(unmanaged) }
            return Plant(keeping: holder)
        }
        silent("a struct of one unmanaged reference") {
            let holder = Holder()
            holder.handler = { [lone = opaque(LoneUnmanaged(unmanaged: .passUnretained(holder)))] in use(lone) }
            return Plant(keeping: holder)
        }
        silent("a struct of one weak reference") {
            let holder = Holder()
            holder.handler = { [lone = opaque(LoneWeak(holder: holder))] in use(lone) }
            return Plant(keeping: holder)
        }
        silent("an address") {
            let holder = Holder()
            let pointer = opaque(Unmanaged.passUnretained(holder).toOpaque())
            holder.handler = { use(pointer) }
            return Plant(keeping: holder)
        }
        silent("an identity") {
            let holder = Holder()
            holder.handler = { [identity = opaque(ObjectIdentifier(holder))] in use(identity) }
            return Plant(keeping: holder)
        }
        silent("a generic address") {
            let holder = Holder()
            capture(Unmanaged.passUnretained(holder), in: holder)
            return Plant(keeping: holder)
        }
        silent("a generic weak reference") {
            let holder = Holder()
            capture(LoneWeak(holder: holder), in: holder)
            return Plant(keeping: holder)
        }
        silent("a text") {
            let holder = Holder()
            holder.handler = { [text = opaque(String(repeating: "x", count: 99))] in use(text) }
            return Plant(keeping: holder)
        }
        silent("a function of C, captured") {
            let holder = Holder()
            let function: @convention(c) (Int) -> Int = opaque { $0 }
            holder.handler = { use(function) }
            return Plant(keeping: holder)
        }
        silent("a task", limitations: [.unknownMemory]) {
            let holder = Holder()
            let task = Task<Void, Never> {}
            await task.value
            holder.handler = { use(task) }
            return Plant(keeping: holder)
        }
        silent("a type") {
            let holder = Holder()
            holder.handler = { [type = opaque(Holder.self as Any.Type)] in use(type) }
            return Plant(keeping: holder)
        }
        leaks(
            "a tuple of generic objects, which a class stores",
            "Combination<Bool, Pack{Int, String}>.inputs… → Source<Int>.handler {} → Combination<Bool, Pack{Int, String}>",
            limitations: nil
        ) {
            let source = Source(1), text = Source("text")
            let combination = Combination<Bool, Int, String>(source, text)
            source.handler = { use((combination, $0)) }
            return Plant(combination)
        }
    }
}

private final class Follower: Counted, PlantedDelegate {
    let holder: Holder

    init(_ holder: Holder) { self.holder = holder }
    func changed() {}
}
