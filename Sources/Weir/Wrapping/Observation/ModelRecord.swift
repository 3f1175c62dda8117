#if Recording
import CWeirCore
import WeirRecording

/// The traced properties of one observable model; held while that lives (`ModelRecords.keep`), and by code that writes through it.
///
/// If only reads of a model are known, the dependents of the reads hold the record. If that model is found later, the record
/// becomes the model's.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class ModelRecord: @unchecked Sendable {  // The lock guards the mutable state.
    private let lock = SystemLock()
    private weak var subject: AnyObject?
    private var type: Any.Type
    private var tracked: TrackedObject?
    /// The identity of the model, even after its release.
    private var identity: ObjectIdentifier?
    private var identities: [ObjectIdentifier]
    /// For a model of which only reads are known: keeps its registrar's identity from being reused.
    private var reservation: AccessList.Reservation?
    private var path: String?
    /// Adoption with another path replaces this one.
    private var isPathProvisional = false
    private var properties: [AnyKeyPath: PropertyNode] = [:]
    /// The entries of `properties` with recently used key paths: a key path literal in the program is always the same object,
    /// which is found faster than an equal one.
    private var recent: [(keyPath: AnyKeyPath, property: PropertyNode)] = []
    private var oldest = 0
    private static let mostRecent = 16
    private var names: [String: PropertyNode] = [:]
    private var unnamed: [ObjectIdentifier: Int] = [:]
    private var withUnknownIndex: [String: Int] = [:]
    private var rule: FollowRule?
    private var isHeld = false

    init(of model: AnyObject, registrars: [ObjectIdentifier]) {
        subject = model
        identities = registrars
        type = Swift.type(of: model)
        tracked = Registry.shared.tracked(model)
        identity = ObjectIdentifier(model)
    }

    deinit {
        for node in names.values.sorted(by: { $0.name < $1.name }) { node.modelEnds() }
        guard let identity else { return }
        if path != nil { ModelRecords.shared.note(identity, isFound: false) }
        if let tracked { Registry.shared.ended(tracked, identity: identity) }
    }

    /// Whether its model holds it, so that it ends with the model.
    var isHeldByModel: Bool { lock.withLock { isHeld } }

    func isHeld(byModel isHeld: Bool) {
        let (tracked, identity) = lock.withLock {
            self.isHeld = isHeld
            return (self.tracked, self.identity)
        }
        guard let tracked, let identity else { return }
        if isHeld {
            Registry.shared.expectsToBeNotified(of: tracked)
        } else {
            Registry.shared.ended(tracked, identity: identity)
        }
    }

    /// Whether its model has been released.
    var isOver: Bool { lock.withLock { tracked }?.isGone ?? false }

    /// The record of a model of which only reads are known.
    init(ofType type: Any.Type, registrar: ObjectIdentifier, reservation: AccessList.Reservation?) {
        self.type = type
        identities = [registrar]
        self.reservation = reservation
    }

    /// The model; nil also if only reads of it are known.
    var model: AnyObject? {
        lock.lock()
        defer { lock.unlock() }
        return subject
    }
    /// The identities of its registrars in access lists.
    var registrars: [ObjectIdentifier] { lock.withLock { identities } }
    /// Whether only reads are known.
    var isOfUnknownModel: Bool { lock.withLock { tracked == nil } }
    /// Whether its model is known to be of that class or of a subclass.
    func isOf(_ type: AnyClass) -> Bool {
        ObservedClasses.chain(lock.withLock { self.type }).contains(ObjectIdentifier(type))
    }

    /// Assigns the model that was read; false: the record already had one.
    func become(of model: AnyObject, registrars: [ObjectIdentifier]) -> Bool {
        let object = Registry.shared.tracked(model)
        let nodes = lock.withLock { () -> [PropertyNode]? in
            guard tracked == nil else { return nil }
            (subject, type, tracked, identities, reservation) = (model, Swift.type(of: model), object, registrars, nil)
            identity = ObjectIdentifier(model)
            return Array(names.values)
        }
        for node in nodes ?? [] { begin(node) }
        return nodes != nil
    }

    /// How all its properties are followed; nil: they are not.
    var followRule: FollowRule? { lock.withLock { rule } }

    /// Notes that all its properties are followed from now on; false: they were already.
    func begins(_ new: FollowRule) -> Bool {
        ModelRecords.shared.noteFollowed()
        return lock.withLock {
            defer { rule = rule ?? new }
            return rule == nil
        }
    }

    /// Does nothing; a closure that calls it holds the record, even in optimized code.
    @inline(never)
    func stay() { lock.withLock { _ = unnamed.removeValue(forKey: ObjectIdentifier(ModelRecord.self)) } }

    /// The property's node, made if it does not exist.
    func property<Model, Value>(
        _ keyPath: KeyPath<Model, Value>, privacy: TracePrivacy? = nil, file: StaticString, line: UInt
    ) -> Property<Value> {
        if let known = lock.withLock({ find(keyPath) }) {
            if privacy == .private { known.becomePrivate() }
            return unsafeDowncast(known, to: Property<Value>.self)
        }
        let model = model
        let element = model.flatMap { model in AccessList.untracked { ElementPath(keyPath, in: model) } }
        let name = (element?.name ?? KeyPathName.of(keyPath)).map(distinct)
        let new = Property(
            keyPath, name: name ?? unnamedProperty(Value.self, keyPath), in: self, typeName: typeName,
            element: element, file: file, line: line)
        if hides(new) { new.becomePrivate() }
        let (property, isNew) = lock.withLock { () -> (Property<Value>, Bool) in
            if let known = properties[keyPath] { return (unsafeDowncast(known, to: Property<Value>.self), false) }
            // The same property in a superclass has a different key path.
            if let known = names[new.name] as? Property<Value> {
                properties[keyPath] = known
                return (known, false)
            }
            properties[keyPath] = new
            names[new.name] = new
            return (new, true)
        }
        // Checked again: it may have been declared since.
        if privacy == .private || isNew && hides(property) { property.becomePrivate() }
        if isNew { begin(property) }
        return property
    }

    /// Whether a property of this name has been read, listed or declared private.
    func isKnown(_ name: String) -> Bool { lock.withLock { names[name] != nil } }

    /// Called inside the lock.
    private func find(_ keyPath: AnyKeyPath) -> PropertyNode? {
        for entry in recent where entry.keyPath === keyPath { return entry.property }
        guard let found = properties[keyPath] else { return nil }
        if recent.count < Self.mostRecent {
            recent.append((keyPath, found))
        } else {
            recent[oldest] = (keyPath, found)
            oldest = (oldest + 1) % Self.mostRecent
        }
        return found
    }

    private func begin(_ property: PropertyNode) {
        let (tracked, isProvisional) = lock.withLock { (self.tracked, path == nil || isPathProvisional) }
        if let tracked {
            _ = Registry.shared.adopt(
                [(property, label(of: property))], by: tracked, isProvisional: isProvisional)
        }
    }

    private func hides(_ property: PropertyNode) -> Bool {
        let type = lock.withLock { self.type }
        // Not by the node's own name, which may contain an index that other key paths do not reveal.
        return ObservedClasses.shared.hides(property.keyPath, named: KeyPathName.of(property.keyPath), of: type)
    }

    /// Hides the properties that are private in all models of the class.
    func hide() {
        for property in lock.withLock({ Array(names.values) }) where hides(property) { property.becomePrivate() }
    }

    /// The node of a read property; nil: the key path does not start at a class.
    func propertyRead(_ keyPath: AnyKeyPath, file: StaticString, line: UInt) -> PropertyNode? {
        func typed<Value>(_: Value.Type) -> PropertyNode? {
            func rooted<Root>(_: Root.Type) -> PropertyNode? {
                guard Root.self is AnyClass, let typed = keyPath as? KeyPath<Root, Value> else { return nil }
                return property(typed, file: file, line: line)
            }
            return _openExistential(Swift.type(of: keyPath).rootType, do: rooted)
        }
        if let known = lock.withLock({ find(keyPath) }) { return known }
        return _openExistential(Swift.type(of: keyPath).valueType, do: typed)
    }

    /// Gives different names to paths that differ only in their unknown indices: 'stock[…]', 'stock[… 2]'.
    private func distinct(_ name: String) -> String {
        guard name.contains(KeyPathName.unknownIndex) else { return name }
        let count = lock.withLock {
            withUnknownIndex[name, default: 0] += 1
            return withUnknownIndex[name, default: 1]
        }
        return count == 1
            ? name : name.replacing(KeyPathName.unknownIndex, with: "[… \(count)]", maxReplacements: 1)
    }

    private func unnamedProperty<Value>(_ type: Value.Type, _ keyPath: AnyKeyPath) -> String {
        let name = RuntimeNames.name(of: type)
        return lock.withLock {
            unnamed[ObjectIdentifier(type), default: 0] += 1
            return "<\(name) #\(unnamed[ObjectIdentifier(type), default: 1])>"
        }
    }

    private var typeName: String {
        let (tracked, type) = lock.withLock { (self.tracked, self.type) }
        return tracked.flatMap { Registry.shared.label(of: $0) } ?? RuntimeNames.distinctName(of: type)
    }

    /// The name of the model in traces.
    var label: String { lock.withLock { path } ?? typeName }
    var isLabelProvisional: Bool { lock.withLock { path == nil || isPathProvisional } }

    /// Gives the model the name that a walk has found.
    func call(_ path: String, isProvisional: Bool) {
        let identity = lock.withLock {
            guard self.path == nil || isPathProvisional && !isProvisional else { return ObjectIdentifier?.none }
            (self.path, isPathProvisional) = (path, isProvisional)
            return self.identity
        }
        if let identity { ModelRecords.shared.note(identity, isFound: true) }
    }

    /// Its nodes, with their labels.
    var labelledNodes: [(node: Node, label: String)] {
        lock.withLock { names.sorted { $0.key < $1.key } }.map { ($0.value, label(of: $0.value)) }
    }

    /// The name of a property in traces; a path to an element is written as in the source, because it has its own nodes.
    func label(of property: PropertyNode) -> String {
        (property.leadsToElement ? "\\" : "") + "\(label).\(property.name)"
    }
}
#endif
