import Observation
import WeirHeap

/// What a body reads of observable models, as the Observation module itself notes it on the thread while it tracks.
///
/// No public function tells it. It is read from where two functions of the module's library point, which are found in its
/// symbols, by the layout that reflection tells; a trial shows first that it is there and of the shape that is known. Where it is not
/// (stripped libraries, Apple's), nothing is guessed: then only reads through ``TracedModel`` are known.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
struct AccessList: @unchecked Sendable {  // Has constants that point to code and to storage of the thread that asks.
    /// A property that was read: of which registrar, and which one.
    struct Access: Hashable {
        let registrar: ObjectIdentifier
        let keyPath: AnyKeyPath
        /// As long as this lives, no other registrar has that identity.
        var reservation: Reservation?

        static func == (left: Access, right: Access) -> Bool {
            left.registrar == right.registrar && left.keyPath == right.keyPath
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(registrar)
            hasher.combine(keyPath)
        }
    }

    /// Keeps an object's memory from being given to another one, and does not keep the object: what hangs on it would not be
    /// released, and a walk through the heap would tell circles of our own.
    struct Reservation {
        /// Never read, since the object may be gone.
        private unowned let object: AnyObject

        /// Of an object that lives.
        init?(_ identity: ObjectIdentifier) {
            guard let address = UnsafeRawPointer(bitPattern: UInt(bitPattern: identity)) else { return nil }
            object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
        }
    }

    typealias Getter = @convention(c) () -> UnsafeMutableRawPointer?
    private typealias Setter = @convention(c) (UnsafeMutableRawPointer?) -> Void

    private let get: Getter
    private let set: Setter
    /// What is on the list that the pointer points to, an optional one.
    private let read: (UnsafeMutableRawPointer) -> [Access]

    private static let shared: AccessList? = {
        guard let found = AccessList(), found.passesTrial() else { return nil }
        return found
    }()

    /// Whether reads can be told.
    static var isAvailable: Bool { shared != nil }

    /// What gives the list of this thread, if reads are tracked on it.
    static var getter: Getter? { function(named: "_swift_observation_tls_get", as: Getter.self) }

    private static func function<Function>(named name: String, as: Function.Type) -> Function? {
        let library = UInt(bitPattern: unsafeBitCast(ObservationRegistrar.self as Any.Type, to: UnsafeRawPointer.self))
        let address = HeapSymbols().address(named: name, inModuleAt: library)
        return address.flatMap(UnsafeRawPointer.init(bitPattern:)).map { unsafeBitCast($0, to: Function.self) }
    }

    private init?() {
        guard let get = Self.getter, let set = Self.function(named: "_swift_observation_tls_set", as: Setter.self),
            let optional = _typeByName("11Observation0A8TrackingV11_AccessListVSg"),
            let list = _typeByName("11Observation0A8TrackingV11_AccessListV"),
            let read = Self.reader(of: list, optional)
        else { return nil }
        self.get = get
        self.set = set
        self.read = read
    }

    /// A list is a dictionary from registrars to what was read of each, in which there is a set of key paths.
    private static func reader(of list: Any.Type, _ optional: Any.Type) -> ((UnsafeMutableRawPointer) -> [Access])? {
        guard let parts = StoredProperty.all(of: list), parts.count == 1, parts[0].name == "entries",
            let entries = parts[0].type as? any AccessEntries.Type,
            let properties = StoredProperty.all(of: entries.entry)?.first(where: { $0.name == "properties" }),
            properties.type == Set<AnyKeyPath>.self, let offset = properties.offset,
            size(of: optional) == MemoryLayout<[ObjectIdentifier: Set<AnyKeyPath>]?>.size
        else { return nil }
        return entries.reader(ofPropertiesAt: offset)
    }

    private static func size<Value>(of _: Value.Type) -> Int { MemoryLayout<Value>.size }

    private final class Trial: Observation.Observable, Sendable {
        let registrar = ObservationRegistrar()
    }

    /// Whether a read of a known property is told, and one that is not to be told is not.
    private func passesTrial() -> Bool {
        // Whoever is tracking here must not be told of it.
        let outer = get()
        set(nil)
        defer { set(outer) }
        let trial = Trial()
        var told: [Access]?
        withObservationTracking {
            let list = get()
            set(nil)
            trial.registrar.access(trial, keyPath: \.registrar.hashValue)
            set(list)
            guard accesses() == [] else { return }
            trial.registrar.access(trial, keyPath: \.self)
            told = accesses()
        } onChange: {
        }
        guard let identity = Registrars.identity(of: trial.registrar) else { return false }
        return told == [Access(registrar: identity, keyPath: \Trial.self)]
    }

    // MARK: Of the calling thread

    /// What the innermost tracking on this thread has noted so far, in no order; nil: that cannot be told.
    static func current() -> [Access]? { shared?.accesses() }

    /// Runs `body`, which reads for itself: no tracking that is under way on this thread notes it.
    static func untracked<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let shared, let list = shared.get() else { return try body() }
        shared.set(nil)
        defer { shared.set(list) }
        return try body()
    }

    /// What `body` reads, in a tracking of its own; nil: that cannot be told.
    static func accesses(of body: () -> Void) -> [Access]? {
        untracked {
            withObservationTracking {
                body()
                return current()
            } onChange: {
            }
        }
    }

    private func accesses() -> [Access] { get().map(read) ?? [] }
}

/// Of an access list: what was read, by registrars.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
private protocol AccessEntries {
    /// What was read of one registrar's model.
    static var entry: Any.Type { get }

    /// Reads optional lists, in whose entries the key paths lie at `offset`.
    static func reader(ofPropertiesAt offset: Int) -> (UnsafeMutableRawPointer) -> [AccessList.Access]
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
}
