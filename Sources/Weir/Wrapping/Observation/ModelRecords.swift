#if Recording
import CWeirCore
import Observation
import WeirRecording

/// The records of all known observable models.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class ModelRecords: @unchecked Sendable {  // The lock guards the mutable state; `hasSecrets` is atomic.
    static let shared = ModelRecords()

    private struct Entry {
        weak var record: ModelRecord?
    }

    private let lock = SystemLock()
    private var byModel: [ObjectIdentifier: Entry] = [:]
    private var byRegistrar: [ObjectIdentifier: Entry] = [:]
    /// The models that a walk has visited.
    private var found: Set<ObjectIdentifier> = []
    private var limit = 64
    /// Records whose models do not hold them, since nothing is recorded.
    private var kept: [ModelRecord] = []
    private var mostKept = 64
    @exclusivity(unchecked) private var hasSecrets = false
    /// Whether any property was declared private.
    var hasPrivate: Bool { weir_load_bool(&hasSecrets) }
    func noteSecret() { weir_store_bool(&hasSecrets, true) }
    @exclusivity(unchecked) private var followsWholes = false
    func noteFollowed() { weir_store_bool(&followsWholes, true) }

    /// The record of the model, made if it does not exist; `path`: the name that a walk gives the model.
    func record(of model: AnyObject, as path: String? = nil, isProvisional: Bool = false) -> ModelRecord {
        if let known = known(model) {
            if let path { known.call(path, isProvisional: isProvisional) }
            return known
        }
        let registrars = Registrars.all(of: model)
        let identities = registrars.compactMap(Registrars.identity)
        // Reads by bodies so far keep their nodes.
        let read = identities.lazy.compactMap { self.record(ofRegistrar: $0) }.first
        let isRead = read?.become(of: model, registrars: identities) == true
        let new = isRead ? read : nil
        let made = new ?? ModelRecord(of: model, registrars: identities)
        if let path { made.call(path, isProvisional: isProvisional) }
        let record = lock.withLock { () -> ModelRecord in
            if let known = byModel[ObjectIdentifier(model)]?.record, known.model === model { return known }
            byModel[ObjectIdentifier(model)] = Entry(record: made)
            for registrar in identities { byRegistrar[registrar] = Entry(record: made) }
            return made
        }
        if record === made {
            if !registrars.isEmpty { keep(made) }
            ObservedClasses.shared.apply(to: made)
        }
        sweep()
        return record
    }

    /// Names an observable model as a walk has found it; returns its labelled nodes. For any other object: none.
    static func nodes(of model: AnyObject, as path: String, isProvisional: Bool) -> [(node: Node, label: String)] {
        guard model is any Observation.Observable else { return [] }
        return shared.record(of: model, as: path, isProvisional: isProvisional).labelledNodes
    }

    /// Follows all properties of the models in a walk whose holders are followed so.
    static func followHeld(in walk: ModelWalk) {
        guard weir_load_bool(&shared.followsWholes) else { return }
        var rules: [FollowRule?] = []
        for found in walk.models {
            let record = found.model is any Observation.Observable ? shared.known(found.model) : nil
            let held = found.holder.flatMap { rules[$0] }
            if let held { record?.followAll(by: held) }
            rules.append(record?.followRule ?? held)
        }
    }

    /// The indices of the models that no walk has visited.
    static func notFound(among models: [ObjectIdentifier]) -> [Int] {
        shared.lock.withLock { models.indices.filter { !shared.found.contains(models[$0]) } }
    }

    /// Notes that a walk has visited the model, or that it has been released.
    func note(_ model: ObjectIdentifier, isFound: Bool) {
        // Released outside of the lock.
        let other = lock.withLock { () -> ModelRecord? in
            let other = isFound ? nil : byModel[model]?.record
            if isFound {
                found.insert(model)
            } else if other == nil {
                // Otherwise another model has taken its place in memory.
                found.remove(model)
            }
            return other
        }
        withExtendedLifetime(other) {}
    }

    /// The records of all known models of that class and its subclasses; nil: of any class.
    func all(of type: AnyClass?) -> [ModelRecord] {
        lock.withLock { (Array(byModel.values) + Array(byRegistrar.values)).compactMap(\.record) }.filter { record in
            type.map(record.isOf) ?? true
        }
    }

    private func known(_ model: AnyObject) -> ModelRecord? {
        let found = lock.withLock { byModel[ObjectIdentifier(model)]?.record }
        return found?.model === model ? found : nil
    }

    /// The record for a registrar from an access list.
    func record(ofRegistrar registrar: ObjectIdentifier) -> ModelRecord? {
        let known = lock.withLock { byRegistrar[registrar]?.record }
        return known?.isOver == true ? nil : known
    }

    /// A record for a model of which only this read is known.
    func unknownRecord(of access: AccessList.Access) -> ModelRecord {
        let new = ModelRecord(
            ofType: type(of: access.keyPath).rootType, registrar: access.registrar, reservation: access.reservation)
        lock.withLock { byRegistrar[access.registrar] = Entry(record: new) }
        sweep()
        return new
    }

    // MARK: Lifetimes

    /// Keeps the record while its model lives. In a recording, the model's registrar holds it, and so its end is known at once.
    /// Otherwise it is held here: a registrar that has anybody to notify makes every write of the model slower.
    private func keep(_ record: ModelRecord) {
        let (isKept, areMany) = lock.withLock {
            // A recording that begins after this will wake it.
            guard weir_recording() == 0 else { return (false, false) }
            kept.append(record)
            return (true, kept.count > mostKept)
        }
        if areMany { forgetReleased() }
        if !isKept { hold(record) }
    }

    /// Releases the records of released models that are held here.
    func forgetReleased() {
        // Judged and released outside of the lock: either may run any code.
        let old = Set(lock.withLock { kept }.filter(\.isOver).map(ObjectIdentifier.init))
        let forgotten = lock.withLock {
            let firstOld = kept.partition { old.contains(ObjectIdentifier($0)) }
            defer {
                kept.removeSubrange(firstOld...)
                mostKept = max(64, 2 * kept.count)
            }
            return Array(kept[firstOld...])
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Called when a recording has begun.
    func wake() {
        let records = lock.withLock {
            defer { kept = [] }
            return kept
        }
        for record in records { hold(record) }
    }

    /// Called while nothing is recorded: the model need not hold its record any longer.
    func letGo(of record: ModelRecord) {
        guard record.isHeldByModel, let model = record.model, let registrar = Registrars.all(of: model).first else {
            return
        }
        record.isHeld(byModel: false)
        func change<Model: Observation.Observable>(_ model: Model) { registrar.willSet(model, keyPath: \.self) }
        if let model = model as? any Observation.Observable { change(model) }
        keep(record)
    }

    /// Lets the model's registrar hold the record: as the reaction to a change of the whole model, which only `letGo` reports.
    private func hold(_ record: ModelRecord) {
        guard let model = record.model, let registrar = Registrars.all(of: model).first else { return }
        func track<Model: Observation.Observable>(_ model: Model) {
            AccessList.untracked {
                withObservationTracking {
                    registrar.access(model, keyPath: \.self)
                } onChange: {
                    record.stay()
                }
            }
        }
        guard let model = model as? any Observation.Observable else { return }
        track(model)
        record.isHeld(byModel: true)
    }

    /// Removes released records from time to time.
    private func sweep() {
        // To ask for a record holds it, and may so release it last: outside of the lock.
        let asked = lock.withLock { () -> [ModelRecord] in
            guard byModel.count + byRegistrar.count > limit else { return [] }
            var asked: [ModelRecord] = []
            func isThere(_ entry: Entry) -> Bool {
                guard let record = entry.record else { return false }
                asked.append(record)
                return true
            }
            byModel = byModel.filter { isThere($0.value) }
            byRegistrar = byRegistrar.filter { isThere($0.value) }
            limit = max(64, 2 * (byModel.count + byRegistrar.count))
            return asked
        }
        withExtendedLifetime(asked) {}
    }
}

extension Trace {
    /// Releases what Weir keeps of models that were released while nothing was recorded.
    package static func forgetReleasedModels() {
        if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) { ModelRecords.shared.forgetReleased() }
    }
}
#endif
