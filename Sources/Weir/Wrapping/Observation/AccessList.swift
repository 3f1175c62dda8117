import Observation
import WeirHeap

/// What a body reads of observable models, as the Observation module itself notes it on the thread while it tracks.
///
/// No public function tells it. It is read by reflection from where two functions of the module's library point, which
/// are found in its symbols; a trial shows first that it is there and of the shape that is known. Where it is not
/// (stripped libraries, Apple's), nothing is guessed: then only reads through ``TracedModel`` are known.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
struct AccessList: @unchecked Sendable {
    /// A property that was read: of which registrar, and which one.
    struct Access: Hashable {
        let registrar: ObjectIdentifier
        let keyPath: AnyKeyPath
    }

    private typealias Getter = @convention(c) () -> UnsafeMutableRawPointer?
    private typealias Setter = @convention(c) (UnsafeMutableRawPointer?) -> Void

    private let get: Getter
    private let set: Setter
    /// An optional list, copied from where the pointer points.
    private let copy: (UnsafeMutableRawPointer) -> Any

    private static let shared: AccessList? = {
        guard let found = AccessList(), found.passesTrial() else { return nil }
        return found
    }()

    /// Whether reads can be told.
    static var isAvailable: Bool { shared != nil }

    private init?() {
        let library = UInt(bitPattern: unsafeBitCast(ObservationRegistrar.self as Any.Type, to: UnsafeRawPointer.self))
        let symbols = HeapSymbols()
        guard
            let get = symbols.address(named: "_swift_observation_tls_get", inModuleAt: library),
            let set = symbols.address(named: "_swift_observation_tls_set", inModuleAt: library),
            let getter = UnsafeRawPointer(bitPattern: get), let setter = UnsafeRawPointer(bitPattern: set),
            let type = _typeByName("11Observation0A8TrackingV11_AccessListVSg")
        else { return nil }
        self.get = unsafeBitCast(getter, to: Getter.self)
        self.set = unsafeBitCast(setter, to: Setter.self)
        copy = Self.copying(type)
    }

    private static func copying<List>(_: List.Type) -> (UnsafeMutableRawPointer) -> Any {
        { $0.assumingMemoryBound(to: List.self).pointee }
    }

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

    private func accesses() -> [Access]? {
        guard let pointer = get(), let list = Mirror(reflecting: copy(pointer)).children.first?.value else { return [] }
        guard let entries = Mirror(reflecting: list).descendant("entries") else { return nil }
        var accesses: [Access] = []
        for pair in Mirror(reflecting: entries).children {
            let parts = Array(Mirror(reflecting: pair.value).children)
            guard parts.count == 2, let registrar = parts[0].value as? ObjectIdentifier,
                let keyPaths = Mirror(reflecting: parts[1].value).descendant("properties") as? Set<AnyKeyPath>
            else { return nil }
            accesses += keyPaths.map { Access(registrar: registrar, keyPath: $0) }
        }
        return accesses
    }
}
