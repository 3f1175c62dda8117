import CWeir
import WeirTrace

/// The traced properties of one observable model; held by the model itself, as long as it lives, and by who writes through it.
///
/// Of a model of which only reads are known, by what is computed from it; if that model comes up, the record becomes its.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class ModelRecord: @unchecked Sendable {  // The lock guards what varies.
    private let lock = SystemLock()
    private weak var subject: AnyObject?
    private var type: Any.Type
    private var tracked: TrackedObject?
    /// The model's, also when that is gone.
    private var identity: ObjectIdentifier?
    private var identities: [ObjectIdentifier]
    /// Of a model of which only reads are known: keeps its registrar's identity from being given to another.
    private var reservation: AccessList.Reservation?
    private var path: String?
    /// Adoption that gives another path wins.
    private var isPathProvisional = false
    private var properties: [AnyKeyPath: PropertyNode] = [:]
    /// Of `properties`, by key paths that were used last: one that is written in the program is always the same object,
    /// which is found faster than an equal one.
    private var recent: [(keyPath: AnyKeyPath, property: PropertyNode)] = []
    private var oldest = 0
    private static let mostRecent = 16
    private var names: [String: PropertyNode] = [:]
    private var unnamed: [ObjectIdentifier: Int] = [:]
    private var withUnknownIndex: [String: Int] = [:]

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

    /// It will live as long as its model does.
    func isHeldByModel() {
        if let tracked = lock.withLock({ tracked }) { Registry.shared.expectsToBeTold(of: tracked) }
    }

    /// Of a model of which only reads are known.
    init(ofType type: Any.Type, registrar: ObjectIdentifier, reservation: AccessList.Reservation?) {
        self.type = type
        identities = [registrar]
        self.reservation = reservation
    }

    /// The model; nil also where only reads of it are known.
    var model: AnyObject? { lock.withLock { subject } }
    /// What access lists know its registrars by.
    var registrars: [ObjectIdentifier] { lock.withLock { identities } }
    /// Whether no more than reads is known.
    var isOfUnknownModel: Bool { lock.withLock { tracked == nil } }
    /// Whether its model is of that class, or of a subclass, as far as is known.
    func isOf(_ type: AnyClass) -> Bool {
        ObservedClasses.chain(lock.withLock { self.type }).contains(ObjectIdentifier(type))
    }

    /// The model that was read has come up; false: it has been one before.
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

    /// Does nothing; a closure that calls it holds the record, in optimized code too.
    @inline(never)
    func stay() { lock.withLock { _ = unnamed.removeValue(forKey: ObjectIdentifier(ModelRecord.self)) } }

    /// The property's node, made if there is none.
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
            // The same property of a superclass has another key path.
            if let known = names[new.name] as? Property<Value> {
                properties[keyPath] = known
                return (known, false)
            }
            properties[keyPath] = new
            names[new.name] = new
            return (new, true)
        }
        // Asked again: it may have been declared in the meantime.
        if privacy == .private || isNew && hides(property) { property.becomePrivate() }
        if isNew { begin(property) }
        return property
    }

    /// Inside the lock.
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
        // Not by its own name, which may hold an index that others do not tell.
        return ObservedClasses.shared.hides(property.keyPath, named: KeyPathName.of(property.keyPath), of: type)
    }

    /// Makes those properties private that are private in all models of the class.
    func hide() {
        for property in lock.withLock({ Array(names.values) }) where hides(property) { property.becomePrivate() }
    }

    /// The node of a property that was read; nil: it is not of a class.
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

    /// Paths that differ in what is not told of them have names of their own: 'stock[…]', 'stock[… 2]'.
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
        return tracked.flatMap { Registry.shared.label(of: $0) } ?? RuntimeNames.name(of: type)
    }

    /// What traces call the model, and whether another name may come.
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

    /// What traces call a property of the model; a path to an element as in the source, as that has nodes of its own.
    func label(of property: PropertyNode) -> String {
        (property.leadsToElement ? "\\" : "") + "\(label).\(property.name)"
    }
}
