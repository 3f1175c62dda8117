import CWeir
import Observation
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

/// The records of all observable models that are known.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class ModelRecords: @unchecked Sendable {
    static let shared = ModelRecords()

    private struct Entry {
        weak var record: ModelRecord?
    }

    private let lock = SystemLock()
    private var byModel: [ObjectIdentifier: Entry] = [:]
    private var byRegistrar: [ObjectIdentifier: Entry] = [:]
    private var limit = 64
    @exclusivity(unchecked) private var hasSecrets = false
    /// Whether any property was declared private.
    var hasPrivate: Bool { weir_load_bool(&hasSecrets) }
    func noteSecret() { weir_store_bool(&hasSecrets, true) }

    /// The record of the model, made if there is none.
    func record(of model: AnyObject) -> ModelRecord {
        if let known = known(model) { return known }
        let registrars = Registrars.all(of: model)
        let new = ModelRecord(of: model, registrars: registrars.compactMap(Registrars.identity))
        let record = lock.withLock { () -> ModelRecord in
            if let known = byModel[ObjectIdentifier(model)]?.record, known.model === model { return known }
            byModel[ObjectIdentifier(model)] = Entry(record: new)
            for registrar in new.registrars { byRegistrar[registrar] = Entry(record: new) }
            return new
        }
        if record === new, let registrar = registrars.first { hold(new, by: registrar, model) }
        sweep()
        return record
    }

    /// Names an observable model as adoption does; returns its nodes, with their labels. Of any other object: none.
    static func nodes(ofAdopted model: AnyObject, as path: String) -> [(node: Node, label: String)] {
        model is any Observation.Observable ? shared.record(of: model).adopt(as: path) : []
    }

    private func known(_ model: AnyObject) -> ModelRecord? {
        let found = lock.withLock { byModel[ObjectIdentifier(model)]?.record }
        return found?.model === model ? found : nil
    }

    /// The record of whose registrar an access list tells.
    func record(ofRegistrar registrar: ObjectIdentifier) -> ModelRecord? {
        lock.withLock { byRegistrar[registrar]?.record }
    }

    /// A record for a model of which no more is known.
    func unknownRecord(_ type: Any.Type, registrar: ObjectIdentifier) -> ModelRecord {
        let new = ModelRecord(ofType: type, registrar: registrar)
        lock.withLock { byRegistrar[registrar] = Entry(record: new) }
        return new
    }

    /// Lets the model's registrar hold the record: as what happens at a change of the whole model, which never comes.
    private func hold(_ record: ModelRecord, by registrar: ObservationRegistrar, _ model: AnyObject) {
        func track<Model: Observation.Observable>(_ model: Model) {
            AccessList.untracked {
                withObservationTracking {
                    registrar.access(model, keyPath: \.self)
                } onChange: {
                    withExtendedLifetime(record) {}
                }
            }
        }
        if let model = model as? any Observation.Observable { track(model) }
    }

    /// Forgets what is gone, now and then.
    private func sweep() {
        lock.withLock {
            guard byModel.count + byRegistrar.count > limit else { return }
            byModel = byModel.filter { $0.value.record != nil }
            byRegistrar = byRegistrar.filter { $0.value.record != nil }
            limit = max(64, 2 * (byModel.count + byRegistrar.count))
        }
    }
}
