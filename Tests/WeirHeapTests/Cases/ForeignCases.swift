import Dispatch
import Synchronization
import Testing
import WeirHeap

private final class Tail: ManagedBuffer<Int, AnyObject> {}
private final class Header: ManagedBuffer<[() -> Void], Int> {}

private final class Holder: Counted, @unchecked Sendable {
    var tail: ManagedBuffer<Int, AnyObject>?
    var header: ManagedBuffer<[() -> Void], Int>?
    var pointer: UnsafeMutablePointer<AnyObject>?
    var buffer: UnsafeMutableBufferPointer<() -> Void>?
    var unmanaged: Unmanaged<AnyObject>?
    var timer: (any DispatchSourceTimer)?
    var work: DispatchWorkItem?
    var queue: DispatchQueue?

    func go() {}
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private final class LazyHolder: Counted {
    let reference = AtomicLazyReference<LazyHolder>()
}

private final class Registry: Counted, HeapOwner {
    private let places = UnsafeMutablePointer<Unmanaged<AnyObject>?>.allocate(capacity: 4)
    private var count = 0
    var name = "registry"

    override init() { places.initialize(repeating: nil, count: 4) }

    func add(_ object: AnyObject) {
        places[count] = .passRetained(object)
        count += 1
    }

    func visitHeapReferences(_ visit: (String, UnsafeRawPointer) -> Void) {
        for place in 0..<count {
            if let object = places[place] { visit("places[\(place)]", UnsafeRawPointer(object.toOpaque())) }
        }
    }

    deinit {
        for place in 0..<count { places[place]?.release() }
        places.deallocate()
    }
}

extension Corpus {
    mutating func plantForeign() {
        about("foreign and unseen memory")
        leaks("the header of a managed buffer", "Holder.header → Header.header[0] {} → Holder") {
            let holder = Holder()
            holder.header = Header.create(minimumCapacity: 4) { _ in [{ holder.go() }] }
            return Plant(holder)
        }
        leaks("raw memory that its owner names", "Registry.places[1] → PlantedNode.object → Registry") {
            let registry = Registry(), node = PlantedNode()
            registry.add(PlantedNode())
            registry.add(node)
            node.object = registry
            return Plant(registry)
        }
        silent("raw memory that its owner names, without a cycle") {
            let registry = Registry()
            registry.add(PlantedNode())
            return Plant(keeping: registry)
        }
        unseen("the tail of a managed buffer", limitations: [.unknownMemory]) {
            let holder = Holder()
            let tail = Tail.create(minimumCapacity: 2) { _ in 1 }
            tail.withUnsafeMutablePointerToElements { $0.initialize(to: holder) }
            holder.tail = tail
            return Plant(holder)
        }
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) {
            unseen("an object that is set once, by whoever comes first", limitations: [.unknownMemory]) {
                let holder = LazyHolder()
                _ = holder.reference.storeIfNil(holder)
                return Plant(holder)
            }
        }
        unseen("an object behind a pointer") {
            let holder = Holder()
            holder.pointer = .allocate(capacity: 1)
            holder.pointer?.initialize(to: holder)
            return Plant(holder)
        }
        unseen("a closure behind a buffer") {
            let holder = Holder()
            holder.buffer = .allocate(capacity: 2)
            holder.buffer?.initialize(repeating: { holder.go() })
            return Plant(holder)
        }
        unseen("an object that holds itself by hand") {
            let holder = Holder()
            holder.unmanaged = .passRetained(holder)
            return Plant(holder)
        }
        unseen("a timer of the system") {
            let holder = Holder()
            let timer = DispatchSource.makeTimerSource()
            timer.schedule(deadline: .distantFuture)
            timer.setEventHandler { holder.go() }
            timer.resume()
            holder.timer = timer
            return Plant(holder)
        }
        leaks("a work item of the system", "Holder.work → DispatchWorkItem._block {} → Holder") {
            let holder = Holder()
            holder.work = DispatchWorkItem { holder.go() }
            return Plant(holder)
        }
        leaks("a work item that has run, with several captures", "Holder.work → DispatchWorkItem._block {} → Holder") {
            let holder = Holder(), number = PlantedNode()
            holder.work = DispatchWorkItem { use((number, holder)) }
            holder.work?.perform()
            return Plant(holder)
        }
        unseen("a work item that a queue has yet to call", limitations: [.unknownMemory]) {
            let holder = Holder()
            let work = DispatchWorkItem { holder.go() }
            holder.work = work
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(100_000), execute: work)
            return Plant(holder)
        }
        silent("a work item whose closure captures weakly") {
            let holder = Holder()
            holder.work = DispatchWorkItem { [weak holder] in holder?.go() }
            return Plant(keeping: holder)
        }
        silent("a work item whose closure captures nothing") {
            let holder = Holder()
            holder.work = DispatchWorkItem {}
            return Plant(keeping: holder)
        }
        silent("a timer whose handler captures weakly") {
            let holder = Holder()
            let timer = DispatchSource.makeTimerSource()
            timer.schedule(deadline: .distantFuture)
            timer.setEventHandler { [weak holder] in holder?.go() }
            timer.resume()
            holder.timer = timer
            return Plant(keeping: holder)
        }
        silent("a queue of the system") {
            let holder = Holder()
            holder.queue = DispatchQueue(label: "planted")
            return Plant(keeping: holder)
        }
    }
}
