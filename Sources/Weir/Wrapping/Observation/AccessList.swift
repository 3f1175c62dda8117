#if Recording
import Observation
import WeirRecording

/// The properties of observable models that a body reads, as the Observation module registers them on a tracking thread.
///
/// No public function returns it. It is read through two functions of the module's library, which are found in its symbols, with
/// the layout that reflection reports. Apple's library does not name these functions: there an ``AccessSlot`` shows where the list
/// is. A trial first checks that the list exists and has the known shape. If it does not (a stripped library), nothing is guessed:
/// then only reads through ``TracedModel`` are known.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
struct AccessList: @unchecked Sendable {  // Has constants that point to code and to storage of the thread that asks.
    /// A read property, identified by its registrar and its key path.
    struct Access: Hashable {
        let registrar: ObjectIdentifier
        let keyPath: AnyKeyPath
        /// While this lives, no other registrar has that identity.
        var reservation: Reservation?

        static func == (left: Access, right: Access) -> Bool {
            left.registrar == right.registrar && left.keyPath == right.keyPath
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(registrar)
            hasher.combine(keyPath)
        }
    }

    /// Keeps an object's memory from being reused, without holding the object. A strong reference would keep its contents alive,
    /// and a heap walk would report cycles made by Weir.
    struct Reservation {
        /// Never read, because the object may have been released.
        private unowned let object: AnyObject

        /// - Precondition: the object with that identity is alive.
        init?(_ identity: ObjectIdentifier) {
            guard let address = UnsafeRawPointer(bitPattern: UInt(bitPattern: identity)) else { return nil }
            object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
        }
    }

    typealias Getter = @convention(c) () -> UnsafeMutableRawPointer?
    private typealias Setter = @convention(c) (UnsafeMutableRawPointer?) -> Void

    private let get: Getter
    /// Nil: unknown. Then an inner tracking keeps reads from an outer one, in some hundred nanoseconds.
    private let set: Setter?
    /// Reads the entries of the optional list to which the pointer points.
    private let read: (UnsafeMutableRawPointer) -> [Access]
    /// Moves the entries of one optional list, which is then nil, to another one; without that, it drops them.
    private let move: (UnsafeMutableRawPointer, UnsafeMutableRawPointer?) -> Void

    private static let shared: AccessList? = {
        guard let found = AccessList(), found.passesTrial() else { return nil }
        return found
    }()

    /// The functions of `shared` that need no reference counting.
    private static let threadAccess: (get: Getter, set: Setter?)? = shared.map { ($0.get, $0.set) }

    /// Whether reads can be determined.
    static var isAvailable: Bool { shared != nil }

    /// The function that returns the list of this thread, if reads are tracked on it.
    static var getter: Getter? { function(named: "_swift_observation_tls_get", as: Getter.self) ?? AccessSlot.getter }

    private static func function<Function>(named name: String, as: Function.Type) -> Function? {
        let library = UInt(bitPattern: unsafeBitCast(ObservationRegistrar.self as Any.Type, to: UnsafeRawPointer.self))
        let address = HeapSymbols().address(named: name, inModuleAt: library)
        return address.flatMap(UnsafeRawPointer.init(bitPattern:)).map { unsafeBitCast($0, to: Function.self) }
    }

    /// Nil if the list cannot be reached, or does not have the known shape.
    ///
    /// - Parameter usesSetter: whether to look for the function that replaces the list of a thread.
    init?(usesSetter: Bool = true) {
        guard let get = Self.getter,
            let optional = _typeByName("11Observation0A8TrackingV11_AccessListVSg"),
            let list = _typeByName("11Observation0A8TrackingV11_AccessListV"),
            let (read, move) = Self.functions(of: list, optional)
        else { return nil }
        self.get = get
        set = usesSetter ? Self.function(named: "_swift_observation_tls_set", as: Setter.self) : nil
        self.read = read
        self.move = move
    }

    /// A list is a dictionary from registrars to entries; an entry contains a set of key paths.
    private static func functions(of list: Any.Type, _ optional: Any.Type) -> (
        read: (UnsafeMutableRawPointer) -> [Access], move: (UnsafeMutableRawPointer, UnsafeMutableRawPointer?) -> Void
    )? {
        guard let parts = StoredProperty.all(of: list), parts.count == 1, parts[0].name == "entries",
            let entries = parts[0].type as? any AccessEntries.Type,
            let properties = StoredProperty.all(of: entries.entry)?.first(where: { $0.name == "properties" }),
            properties.type == Set<AnyKeyPath>.self, let offset = properties.offset,
            size(of: optional) == MemoryLayout<[ObjectIdentifier: Set<AnyKeyPath>]?>.size
        else { return nil }
        return (entries.reader(ofPropertiesAt: offset), entries.mover(ofPropertiesAt: offset))
    }

    private static func size<Value>(of _: Value.Type) -> Int { MemoryLayout<Value>.size }

    private final class Trial: Observation.Observable, Sendable {
        let registrar = ObservationRegistrar()
    }

    /// Whether a read of a known property is reported, an untracked read is not, and a collected one is for the outer tracking.
    func passesTrial() -> Bool {
        let trial = Trial()
        var reported: [Access]?
        var (inner, all, after): ([Access], [Access], [Access]?) = ([], [], nil)
        // An outer tracking on this thread must not register the trial's reads.
        detached {
            withObservationTracking {
                detached { trial.registrar.access(trial, keyPath: \.registrar.hashValue) }
                guard accesses() == [] else { return }
                trial.registrar.access(trial, keyPath: \.self)
                reported = accesses()
                inner = collect { trial.registrar.access(trial, keyPath: \.registrar.hashValue) }.reads
                all = accesses()
            } onChange: {
            }
            after = accesses()
        }
        guard let identity = Registrars.identity(of: trial.registrar) else { return false }
        let whole = Access(registrar: identity, keyPath: \Trial.self)
        let part = Access(registrar: identity, keyPath: \Trial.registrar.hashValue)
        return reported == [whole] && inner == [part] && Set(all) == [whole, part]
            && (set != nil || after.map(Set.init) == [whole, part])
    }

    // MARK: The calling thread

    /// The reads that the innermost tracking on this thread has registered so far, in no order; nil: unknown.
    static func current() -> [Access]? { shared?.accesses() }

    /// Runs `body`, whose reads no active tracking on this thread registers.
    static func untracked<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard let access = threadAccess, let list = access.get() else { return try body() }
        guard let set = access.set else {
            guard let shared else { return try body() }
            return try shared.detached { () -> Result<Value, Failure> in
                do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
            }.get()
        }
        set(nil)
        defer { set(list) }
        return try body()
    }

    /// The reads of `body`, which nothing tracks; nil: unknown.
    static func accesses(of body: () -> Void) -> [Access]? { untracked { collecting(body).reads } }

    /// Runs `body` and returns its reads, which a surrounding tracking registers as before; nil: unknown.
    ///
    /// Nothing is tracked here: a body may run any number of times between two changes.
    static func collecting<Result>(_ body: () -> Result) -> (result: Result, reads: [Access]?) {
        guard let shared else { return (body(), nil) }
        let (result, reads) = shared.collect(body)
        return (result, reads)
    }

    func collect<Result>(_ body: () -> Result) -> (result: Result, reads: [Access]) {
        let outer = get()
        return withUnsafeTemporaryAllocation(of: UInt.self, capacity: 1) { words in
            // An absent list: its first read makes it.
            words.initialize(repeating: 0)
            guard let own = words.baseAddress.map(UnsafeMutableRawPointer.init) else { return (body(), []) }
            let result: Result
            if let set {
                set(own)
                result = body()
                set(outer)
            } else {
                result = detached(body) { move($0, own) }
            }
            let reads = read(own)
            move(own, outer)
            return (result, reads)
        }
    }

    /// Runs `body` in a tracking of its own, whose list `end` empties. So nothing is tracked afterwards.
    private func detached<Result>(_ body: () -> Result, _ end: (UnsafeMutableRawPointer) -> Void) -> Result {
        withObservationTracking {
            let result = body()
            if let list = get() { end(list) }
            return result
        } onChange: {
        }
    }

    /// Runs `body`, whose reads are dropped.
    func detached<Result>(_ body: () -> Result) -> Result {
        guard let set else { return detached(body) { move($0, nil) } }
        let outer = get()
        set(nil)
        defer { set(outer) }
        return body()
    }

    func accesses() -> [Access] { get().map(read) ?? [] }
}

/// The dictionary in an access list: reads by registrar.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
private protocol AccessEntries {
    /// The type of an entry: the reads of one registrar's model.
    static var entry: Any.Type { get }

    /// Reads optional lists whose entries hold the key paths at `offset`.
    static func reader(ofPropertiesAt offset: Int) -> (UnsafeMutableRawPointer) -> [AccessList.Access]

    /// Moves optional lists into others.
    static func mover(ofPropertiesAt offset: Int) -> (UnsafeMutableRawPointer, UnsafeMutableRawPointer?) -> Void
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
extension Dictionary: AccessEntries where Key == ObjectIdentifier {
    fileprivate static var entry: Any.Type { Value.self }

    fileprivate static func reader(ofPropertiesAt offset: Int) -> (UnsafeMutableRawPointer) -> [AccessList.Access] {
        { place in
            guard let entries = place.load(as: Self?.self) else { return [] }
            var accesses: [AccessList.Access] = []
            for (registrar, entry) in entries {
                let keyPaths = withUnsafeBytes(of: entry) { $0.load(fromByteOffset: offset, as: Set<AnyKeyPath>.self) }
                let reservation = AccessList.Reservation(registrar)
                for keyPath in keyPaths {
                    accesses.append(
                        AccessList.Access(registrar: registrar, keyPath: keyPath, reservation: reservation))
                }
            }
            return accesses
        }
    }

    fileprivate static func mover(
        ofPropertiesAt offset: Int
    ) -> (UnsafeMutableRawPointer, UnsafeMutableRawPointer?) -> Void {
        { own, outer in
            let list = own.assumingMemoryBound(to: Self?.self)
            let moved = list.pointee
            list.pointee = nil
            guard let moved, let outer = outer?.assumingMemoryBound(to: Self?.self) else { return }
            guard var all = outer.pointee else { return outer.pointee = moved }
            all.merge(moved) { former, new in
                var both = former
                withUnsafeMutableBytes(of: &both) { both in
                    let keyPaths = withUnsafeBytes(of: new) {
                        $0.load(fromByteOffset: offset, as: Set<AnyKeyPath>.self)
                    }
                    guard let place = both.baseAddress?.advanced(by: offset) else { return }
                    place.assumingMemoryBound(to: Set<AnyKeyPath>.self).pointee.formUnion(keyPaths)
                }
                return both
            }
            outer.pointee = all
        }
    }
}
#endif
