import CWeir
import WeirTrace

/// The traced properties of one observable model; held by the model itself, as long as it lives, and by who writes through it.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class ModelRecord: @unchecked Sendable {
    /// Nil also where only reads of it are known.
    private(set) weak var model: AnyObject?
    private let type: Any.Type
    private let tracked: TrackedObject?
    /// What access lists know its registrars by.
    let registrars: [ObjectIdentifier]

    private let lock = SystemLock()
    private var path: String?
    private var properties: [AnyKeyPath: PropertyNode] = [:]
    private var names: [String: PropertyNode] = [:]
    private var unnamed: [ObjectIdentifier: Int] = [:]

    init(of model: AnyObject, registrars: [ObjectIdentifier]) {
        self.model = model
        self.registrars = registrars
        type = Swift.type(of: model)
        tracked = Registry.shared.tracked(model)
    }

    /// Of a model of which only reads are known.
    init(ofType type: Any.Type, registrar: ObjectIdentifier) {
        self.type = type
        tracked = nil
        registrars = [registrar]
    }

    /// Does nothing; a closure that calls it holds the record, in optimized code too.
    @inline(never)
    func stay() { lock.withLock { _ = unnamed.removeValue(forKey: ObjectIdentifier(ModelRecord.self)) } }

    /// The property's node, made if there is none.
    func property<Model, Value>(
        _ keyPath: KeyPath<Model, Value>, privacy: TracePrivacy? = nil, file: StaticString, line: UInt
    ) -> Property<Value> {
        if privacy == nil, let known = lock.withLock({ properties[keyPath] }) {
            return unsafeDowncast(known, to: Property<Value>.self)
        }
        let name = KeyPathName.of(keyPath)
        let new = Property(
            keyPath, name: name ?? unnamedProperty(Value.self, keyPath), in: self, typeName: typeName, file: file,
            line: line)
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
        if privacy == .private {
            property.becomePrivate()
            ModelRecords.shared.noteSecret()
        }
        if isNew { begin(property) }
        return property
    }

    private func begin(_ property: PropertyNode) {
        let path = lock.withLock { self.path }
        if let tracked {
            _ = Registry.shared.adopt(
                [(property, "\(path ?? typeName).\(property.name)")], by: tracked, isProvisional: path == nil)
        }
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
        if let known = lock.withLock({ properties[keyPath] }) { return known }
        return _openExistential(Swift.type(of: keyPath).valueType, do: typed)
    }

    private func unnamedProperty<Value>(_ type: Value.Type, _ keyPath: AnyKeyPath) -> String {
        lock.withLock {
            unnamed[ObjectIdentifier(type), default: 0] += 1
            return "<\(type) #\(unnamed[ObjectIdentifier(type), default: 1])>"
        }
    }

    private var typeName: String {
        tracked.flatMap { Registry.shared.label(of: $0) } ?? String(describing: type)
    }

    /// Gives the model the name that adoption found; returns its nodes, with their labels.
    func adopt(as path: String) -> [(node: Node, label: String)] {
        let nodes = lock.withLock {
            if self.path == nil { self.path = path }
            return names.sorted { $0.key < $1.key }
        }
        return nodes.map { ($0.value, "\(path).\($0.key)") }
    }
}
