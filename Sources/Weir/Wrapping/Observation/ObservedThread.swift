import CWeir
import WeirTrace

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What is under way on one thread with observable models; made when first needed there.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class ObservedThread {
    /// A write through a wrapper that is being made.
    struct Write {
        let property: PropertyNode
        /// Whether the model has announced it.
        var isAnnounced = false
    }

    private struct Announced {
        weak var property: PropertyNode?
        /// How many frames were open.
        let depth: UInt32
    }

    /// The writes through wrappers that are being made, the innermost last.
    var writes: [Write] = []
    /// The bodies that are running, the innermost last.
    var bodies: [RunningBody] = []
    /// Properties whose writes have been announced here, and are not recorded yet.
    private var announced: [Announced] = []
    private var mostAnnounced = 32
    /// Renders that are to run at once, and have to wait until the value is stored.
    var due: [() -> Void] = []
    /// The observables of Weir's own that are read; nil: that is not asked for.
    private var valueReads: [Node]?
    /// Inside an announcement: the new value is not there yet.
    var announcements = 0
    /// Writes through wrappers that are being made, recorded or not.
    var wrappedWrites = 0

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

    /// An observable of Weir's own is read, and the read is tracked.
    func noteRead(of observable: Node) {
        valueReads?.append(observable)
        if observable.isPrivate { bodies.last?.hasReadSecret = true }
    }

    /// Makes private what `read` reads: traced properties, and properties of observable models that are known.
    func makePrivate(_ read: () -> Void) {
        let outer = valueReads
        valueReads = []
        let accesses = AccessList.accesses(of: read) ?? []
        let observables = valueReads ?? []
        valueReads = outer
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

    /// Whether what is announced is the write through a wrapper that is being made; once for each.
    func takeAnnouncement(of property: PropertyNode) -> Bool {
        guard let last = writes.last, last.property === property, !last.isAnnounced else { return false }
        writes[writes.count - 1].isAnnounced = true
        return true
    }

    /// The body that is running here, if it has read the property.
    func bodyThatHasRead(_ property: PropertyNode) -> Node? {
        bodies.last.flatMap { $0.hasRead(property) ? $0.node : nil }
    }

    func announce(_ property: PropertyNode, depth: UInt32) {
        if announced.last?.property === property { announced.removeLast() }
        if announced.count >= mostAnnounced { sweep() }
        announced.append(Announced(property: property, depth: depth))
    }

    /// Forgets what was recorded elsewhere, which most is; of each property the last announcement stays.
    private func sweep() {
        var seen: Set<ObjectIdentifier> = []
        announced = Array(
            announced.reversed().filter { announced in
                guard let property = announced.property, property.isAnnounced else { return false }
                return seen.insert(ObjectIdentifier(property)).inserted
            }.reversed())
        mostAnnounced = max(32, 2 * announced.count)
    }

    /// Records the writes that were announced at this depth of frames or deeper, which are over.
    ///
    /// What is computed is left out, unless all is over: it would read properties that may be in the middle of a change in place.
    func settle(depth: UInt32, isAllOver: Bool = false) {
        guard !announced.isEmpty else { return }
        let over = announced.filter { $0.depth >= depth }.compactMap(\.property)
        announced.removeAll { $0.depth >= depth && (isAllOver || $0.property?.isComputed != true) }
        for property in over where !property.isComputed { property.settle() }
        for property in over where isAllOver && property.isComputed { property.settle() }
        if MainQueue.isCurrent { for property in over { property.lookForModels() } }
    }

    /// Runs `write`, and then what is to run at once when its value is stored.
    func wrapping(_ write: () -> Void) {
        wrappedWrites += 1
        write()
        wrappedWrites -= 1
        while wrappedWrites == 0, announcements == 0, !due.isEmpty { due.removeFirst()() }
    }
}

/// What a running body has read so far through wrappers.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class RunningBody {
    let node: Node
    /// It has read a private observable of Weir's own.
    var hasReadSecret = false
    private(set) var read: [PropertyNode] = []
    private var known: Set<ObjectIdentifier> = []
    /// What only the computed properties that it read have read.
    var inner: Set<AccessList.Access> = []

    init(of node: Node) { self.node = node }

    func note(_ property: PropertyNode) {
        if known.insert(ObjectIdentifier(property)).inserted { read.append(property) }
    }

    func hasRead(_ property: PropertyNode) -> Bool {
        known.contains(ObjectIdentifier(property))
            || AccessList.current()?.contains { property.isKnown(by: $0) } ?? false
    }
}
