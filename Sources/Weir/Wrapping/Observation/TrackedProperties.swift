#if Recording
import Observation
import WeirRecording

/// The stored properties that the macro `@Observable` tracks, with the key paths by which a model reports them.
///
/// The macro keeps 'name' in a stored '_name'; reflection shows only that. Weir finds the function with which key paths read
/// 'name' in the program's symbols, calls it once, and takes the key path from the list of reads.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
enum TrackedProperties {
    /// The properties of a class that can be followed, and the names of those that cannot.
    struct Found {
        fileprivate(set) var keyPaths: [AnyKeyPath] = []
        fileprivate(set) var unreadable: [String] = []
    }

    private static let lock = SystemLock()
    nonisolated(unsafe) private static var known: [ObjectIdentifier: Found] = [:]
    private static let symbolLock = SystemLock()
    /// Used inside its lock.
    nonisolated(unsafe) private static let symbols = HeapSymbols()

    /// The properties of the class of `model`, those of superclasses first.
    ///
    /// Properties that no code of the program uses are left out. Call it where the model may be read.
    static func all(of model: AnyObject, _ record: ModelRecord) -> Found {
        let type: AnyClass = Swift.type(of: model)
        if let found = lock.withLock({ known[ObjectIdentifier(type)] }) { return found }
        let found = find(in: model, record)
        return lock.withLock {
            known[ObjectIdentifier(type)] = found
            return found
        }
    }

    private static func find(in model: AnyObject, _ record: ModelRecord) -> Found {
        let classes = Array(sequence(first: Swift.type(of: model) as AnyClass) { _getSuperclass($0) }.reversed())
        var found = Found()
        for type in classes {
            let stored = StoredProperty.all(of: type)?.map(\.name) ?? []
            guard stored.contains("_$observationRegistrar"), stored.contains(where: mayBeTracked) else { continue }
            let properties = symbolLock.withLock { PropertyGetter.all(of: type, symbols) }
            found.unreadable += properties.unreadable
            let before = found.keyPaths.count
            for getter in properties.getters {
                guard let accesses = AccessList.accesses(of: { getter.read(model) }) else { break }
                found.keyPaths += accesses.filter { access in
                    record.registrars.contains(access.registrar)
                        && (accesses.count == 1 || KeyPathName.of(access.keyPath) == getter.name)
                }.map(\.keyPath)
            }
            if found.keyPaths.count == before, properties.unreadable.isEmpty {
                LeftOutModels.shared.noteUnlisted(
                    RuntimeNames.name(of: type), areReadsKnown: AccessList.isAvailable)
            }
        }
        return found
    }

    private static func mayBeTracked(_ name: String) -> Bool {
        name.hasPrefix("_") && name != "_$observationRegistrar"
    }
}

/// How to follow all properties of a model, and of the models that it holds.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class FollowRule: Sendable {
    let scheduler: any Scheduler
    let file: StaticString, line: UInt

    init(on scheduler: any Scheduler, file: StaticString, line: UInt) {
        self.scheduler = scheduler
        (self.file, self.line) = (file, line)
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
extension ModelRecord {
    /// Follows all stored properties, except some, and those of the models that this one holds, now or later.
    func followAll(by rule: FollowRule, except excepted: [AnyKeyPath] = []) {
        guard let model, begins(rule) else { return }
        let found = TrackedProperties.all(of: model, self)
        for keyPath in found.keyPaths {
            let name = KeyPathName.of(keyPath)
            if excepted.contains(where: { $0 == keyPath || name != nil && KeyPathName.of($0) == name }) { continue }
            propertyRead(keyPath, file: rule.file, line: rule.line)?.track(on: rule.scheduler)
        }
        let unreadable = found.unreadable.filter { name in
            !isKnown(name) && !excepted.contains { KeyPathName.of($0) == name }
        }
        LeftOutModels.shared.note(unreadable, of: RuntimeNames.name(of: type(of: model)))
    }
}
#endif
