import CWeirCore
import WeirRecording

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The observable-model work in progress on one thread; made when the thread first needs it.
///
/// No two accesses to a property overlap: foreign code never runs inside one.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class ObservedThread {
    /// Renders that should run at once, and wait until the value is stored.
    @exclusivity(unchecked) var due: [() -> Void] = []
    /// The number of open announcements: inside one, the new value is not stored yet.
    @exclusivity(unchecked) var announcements = 0
    /// The number of writes through wrappers in progress, recorded or not.
    @exclusivity(unchecked) var wrappedWrites = 0

    static var current: ObservedThread {
        if let known = pthread_getspecific(key) { return Unmanaged.fromOpaque(known).takeUnretainedValue() }
        let new = ObservedThread()
        pthread_setspecific(key, Unmanaged.passRetained(new).toOpaque())
        return new
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { value in
            let opaque: UnsafeMutableRawPointer? = value
            if let opaque { Unmanaged<ObservedThread>.fromOpaque(opaque).release() }
        }
        return key
    }()

    /// Runs `write`, and then the renders that run at once when its value is stored.
    func wrapping(_ write: () -> Void) {
        wrappedWrites += 1
        write()
        wrappedWrites -= 1
        while wrappedWrites == 0, announcements == 0, !due.isEmpty { due.removeFirst()() }
    }

    #if Recording
    /// A write through a wrapper in progress.
    struct Write {
        let property: PropertyNode
        /// Whether the model has announced it.
        var isAnnounced = false
    }

    /// A class, because copies of a struct would make more weak references.
    private final class Announced {
        private(set) weak var property: PropertyNode?
        /// The number of open frames.
        @exclusivity(unchecked) var depth: UInt32

        init(_ property: PropertyNode, depth: UInt32) {
            self.property = property
            self.depth = depth
        }
    }

    /// The writes through wrappers in progress, the innermost last.
    @exclusivity(unchecked) var writes: [Write] = []
    /// The bodies that are running, the innermost last.
    @exclusivity(unchecked) var bodies: [RunningBody] = []
    /// Properties whose writes have been announced here and are not yet recorded.
    @exclusivity(unchecked) private var announced: [Announced] = []
    @exclusivity(unchecked) private var mostAnnounced = 32
    /// The observables of Weir that are read; nil: reads are not collected.
    @exclusivity(unchecked) private var valueReads: [Node]?

    /// Notes a tracked read of an observable of Weir: it is a read of the property that is being computed, or else of the body.
    func noteRead(of observable: Node) {
        if valueReads != nil { valueReads?.append(observable) } else { bodies.last?.note(observable) }
        if observable.isPrivate { bodies.last?.hasReadSecret = true }
    }

    /// Runs `read`, and returns the observables of Weir that it has read.
    func collectingValues<Value>(_ read: () -> Value) -> (value: Value, read: [Node]) {
        let outer = valueReads
        valueReads = []
        let value = read()
        let found = valueReads ?? []
        valueReads = outer
        return (value, found)
    }

    /// Makes everything private that `read` reads: traced properties, and properties of known observable models.
    func makePrivate(_ read: () -> Void) {
        let (accesses, observables) = collectingValues { AccessList.accesses(of: read) ?? [] }
        for observable in observables { observable.becomePrivate() }
        for access in accesses {
            guard let record = ModelRecords.shared.record(ofRegistrar: access.registrar) else { continue }
            record.propertyRead(access.keyPath, file: #fileID, line: #line)?.becomePrivate()
        }
    }

    /// Makes a write through a wrapper.
    func writing(_ property: PropertyNode, _ perform: () -> Void) {
        writes.append(Write(property: property))
        perform()
        writes.removeLast()
    }

    /// Whether the announcement belongs to the current write through a wrapper; true once for each.
    func takeAnnouncement(of property: PropertyNode) -> Bool {
        guard let last = writes.last, last.property === property, !last.isAnnounced else { return false }
        writes[writes.count - 1].isAnnounced = true
        return true
    }

    /// The body that is running here, if it has read the property.
    func bodyThatHasRead(_ property: PropertyNode) -> Node? {
        bodies.last.flatMap { $0.hasRead(property) ? $0.node : nil }
    }

    /// The body that is running here, if it has read the observable.
    func bodyThatHasRead(_ observable: Node) -> Node? {
        bodies.last.flatMap { $0.hasRead(observable) ? $0.node : nil }
    }

    func announce(_ property: PropertyNode, depth: UInt32) {
        // The property that was announced last is often announced again.
        if let last = announced.last, last.property === property {
            last.depth = depth
            return
        }
        if announced.count >= mostAnnounced { sweep() }
        announced.append(Announced(property, depth: depth))
    }

    /// Removes properties that were recorded elsewhere, which most are; keeps the last announcement of each property.
    private func sweep() {
        var seen: Set<ObjectIdentifier> = []
        announced = Array(
            announced.reversed().filter { announced in
                guard let property = announced.property, property.isAnnounced else { return false }
                return seen.insert(ObjectIdentifier(property)).inserted
            }.reversed())
        mostAnnounced = max(32, 2 * announced.count)
    }

    /// Records the completed writes that were announced at this depth of frames or deeper.
    ///
    /// Computed properties are left out unless `isAllOver`: computing one would read properties that may be in the middle of a
    /// change in place.
    func settle(depth: UInt32, isAllOver: Bool = false) {
        guard !announced.isEmpty else { return }
        let over = announced.filter { $0.depth >= depth }.compactMap(\.property)
        announced = announced.filter { $0.depth < depth || !isAllOver && $0.property?.isComputed == true }
        for property in over where !property.isComputed { property.settle() }
        for property in over where isAllOver && property.isComputed { property.settle() }
        if MainQueue.isCurrent { for property in over { property.lookForModels() } }
    }
    #endif
}

#if Recording
/// The properties that a running body has read through wrappers so far.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class RunningBody {
    let node: Node
    /// Whether it has read a private observable of Weir.
    var hasReadSecret = false
    private(set) var read: [PropertyNode] = []
    /// The observables of Weir that it has read so far.
    private(set) var values: [Node] = []
    private var known: Set<ObjectIdentifier> = []
    /// The reads made only by the computed properties that the body read.
    var inner: Set<AccessList.Access> = []

    init(of node: Node) { self.node = node }

    func note(_ property: PropertyNode) {
        if known.insert(ObjectIdentifier(property)).inserted { read.append(property) }
    }

    func note(_ observable: Node) {
        if known.insert(ObjectIdentifier(observable)).inserted { values.append(observable) }
    }

    func hasRead(_ observable: Node) -> Bool { known.contains(ObjectIdentifier(observable)) }

    func hasRead(_ property: PropertyNode) -> Bool {
        known.contains(ObjectIdentifier(property))
            || AccessList.current()?.contains { property.isKnown(by: $0) } ?? false
    }
}
#endif
