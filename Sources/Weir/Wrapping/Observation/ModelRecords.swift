import CWeir
import Observation
import WeirTrace

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
                    record.stay()
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
