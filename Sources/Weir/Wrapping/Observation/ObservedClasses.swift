#if Recording
import CWeirCore
import Observation
import WeirRecording

/// The program's declarations for all instances of an observable class: which properties are followed, and which are private.
///
/// A declaration for a class also applies to its subclasses. Privacy is declared by key path, because optimized programs have no
/// names.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class ObservedClasses: @unchecked Sendable {  // The lock guards the mutable state.
    static let shared = ObservedClasses()

    /// A property as the program declared it.
    struct Declaration {
        let keyPath: AnyKeyPath
        /// Follows it in one model.
        let follow: (ModelRecord) -> Void
        /// Reads it from one model.
        let read: (AnyObject) -> Void

        init<Model: AnyObject, Value>(
            _ keyPath: KeyPath<Model, Value>, on scheduler: any Scheduler, file: StaticString, line: UInt
        ) {
            self.keyPath = keyPath
            follow = { $0.property(keyPath, file: file, line: line).track(on: scheduler) }
            read = { if let model = $0 as? Model { _ = model[keyPath: keyPath] } }
        }
    }

    private struct Properties {
        private(set) var keyPaths: Set<AnyKeyPath> = []
        private(set) var names: Set<String> = []
        /// Whether one name is unknown: in an optimized program, it may be any.
        private(set) var hasUnnamed = false

        /// False: it already contains the key path.
        mutating func insert(_ keyPath: AnyKeyPath) -> Bool {
            guard keyPaths.insert(keyPath).inserted else { return false }
            if let name = KeyPathName.of(keyPath) { names.insert(name) } else { hasUnnamed = true }
            return true
        }

        func contains(_ keyPath: AnyKeyPath, named name: String?) -> Bool {
            keyPaths.contains(keyPath) || name.map(names.contains) ?? false
        }
    }

    private struct Facts {
        let type: AnyClass
        var followed: [Declaration] = []
        var hidden = Properties()
        var shown = Properties()
        var hidesOthers = false
        /// How all properties of each model are followed.
        var rule: FollowRule?
        /// Private properties whose names in the macro's code no model has revealed so far.
        var unresolved: [Declaration] = []
    }

    private let lock = SystemLock()
    private var facts: [ObjectIdentifier: Facts] = [:]
    /// The names of properties, of any class, at the missing end of a private path.
    private var unreachedNames: Set<String> = []
    /// Private paths with a missing end whose names are unknown.
    private var unreached: [AnyKeyPath] = []
    @exclusivity(unchecked) private var isUsed = false
    @exclusivity(unchecked) private var followsModels = false
    /// Whether models are followed wherever they are found.
    var followsAny: Bool { weir_load_bool(&followsModels) }

    // MARK: Declaring

    /// Declares facts for all models of a class from now on, including known ones.
    func declare(
        of type: AnyClass, followed: [Declaration], hidden: [Declaration], hidesOthers: Bool
    ) {
        hide(hidden, of: type)
        weir_store_bool(&isUsed, true)
        lock.withLock {
            var facts = facts[ObjectIdentifier(type)] ?? Facts(type: type)
            for declaration in followed { _ = facts.shown.insert(declaration.keyPath) }
            facts.hidesOthers = facts.hidesOthers || hidesOthers
            // An element or an unwrapped value may be missing in a model: reading it could end the program.
            facts.followed += (followed + hidden).filter { !KeyPathName.mayTrap($0.keyPath) }
            self.facts[ObjectIdentifier(type)] = facts
            if !facts.followed.isEmpty { weir_store_bool(&followsModels, true) }
        }
        if hidesOthers { ModelRecords.shared.noteSecret() }
        for record in ModelRecords.shared.all(of: type) { apply(to: record) }
    }

    /// Declares that all properties of a class's models are followed from now on.
    func declare(of type: AnyClass, _ rule: FollowRule) {
        weir_store_bool(&isUsed, true)
        lock.withLock {
            var facts = facts[ObjectIdentifier(type)] ?? Facts(type: type)
            facts.rule = facts.rule ?? rule
            self.facts[ObjectIdentifier(type)] = facts
        }
        weir_store_bool(&followsModels, true)
        for record in ModelRecords.shared.all(of: type) { apply(to: record) }
    }

    /// Declares that these are private in all models of a class; `model`: the one that is being declared.
    func hide(_ hidden: [Declaration], of type: AnyClass, model: AnyObject? = nil) {
        if hidden.isEmpty { return }
        let new = lock.withLock {
            var facts = facts[ObjectIdentifier(type)] ?? Facts(type: type)
            let new = hidden.filter { facts.hidden.insert($0.keyPath) }
            facts.unresolved += new
            self.facts[ObjectIdentifier(type)] = facts
            return new
        }
        weir_store_bool(&isUsed, true)
        ModelRecords.shared.noteSecret()
        if let model { resolve(new, of: type, in: model) }
        if new.isEmpty { return }
        for record in ModelRecords.shared.all(of: type) { record.hide() }
    }

    // MARK: Asking

    /// Whether a property's values are private; `name`: its name, if known.
    func hides(_ keyPath: AnyKeyPath, named name: String?, of type: Any.Type) -> Bool {
        guard weir_load_bool(&isUsed) else { return false }
        return lock.withLock {
            let chain = Self.chain(type).compactMap { facts[$0] }
            if chain.contains(where: { $0.hidden.contains(keyPath, named: name) }) { return true }
            if chain.contains(where: \.hidesOthers), !chain.contains(where: { $0.shown.contains(keyPath, named: name) })
            {
                return true
            }
            return isUnreached(keyPath, named: name) || mayBeHidden(keyPath, of: type)
        }
    }

    /// Whether the property of that name is or may be private, if only its name is known.
    func mayHide(_ property: String, of type: Any.Type) -> Bool {
        guard weir_load_bool(&isUsed) else { return false }
        return lock.withLock {
            let chain = Self.chain(type).compactMap { facts[$0] }
            if chain.contains(where: { $0.hidden.hasUnnamed || $0.hidden.names.contains(property) }) { return true }
            return chain.contains(where: \.hidesOthers) && !chain.contains { $0.shown.names.contains(property) }
        }
    }

    /// The private stored properties of models of a class.
    func secrecy(of type: Any.Type) -> HeapRoot.Secrecy {
        guard weir_load_bool(&isUsed) else { return .none }
        return lock.withLock {
            let chain = Self.chain(type).compactMap { facts[$0] }
            if chain.contains(where: { $0.hidesOthers || $0.hidden.hasUnnamed }) {
                return .othersThan(Set(chain.flatMap { $0.shown.names.map(Self.storedProperty) }))
            }
            let names = Set(chain.flatMap { $0.hidden.names.map(Self.storedProperty) }).union(unreachedNames)
            return names.isEmpty ? .none : .properties(names)
        }
    }

    /// The stored property at which a path begins.
    private static func storedProperty(_ name: String) -> String { String(name.prefix { !".[?!".contains($0) }) }

    /// Whether it may be the one that a subclass declares private, if no model has revealed that yet. Called inside the lock.
    private func mayBeHidden(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool {
        facts.values.contains { facts in
            facts.unresolved.contains { Swift.type(of: $0.keyPath).valueType == Swift.type(of: keyPath).valueType }
                && facts.type != type && Self.chain(facts.type).contains(ObjectIdentifier(type))
        }
    }

    /// Whether it may be at the missing end of a private path. Called inside the lock.
    private func isUnreached(_ keyPath: AnyKeyPath, named name: String?) -> Bool {
        let type = Swift.type(of: keyPath).valueType
        return name.map(unreachedNames.contains) ?? !unreachedNames.isEmpty
            || unreached.contains {
                let end = Swift.type(of: $0).valueType
                return end == type || (end as? any OptionalModel.Type)?.wrapped == type
            }
    }

    /// A private path continues in a missing model: until that exists, properties that may be on the path are private in each
    /// class.
    private func hideUnreached(_ keyPath: AnyKeyPath) {
        let names = KeyPathName.namesAfterOptional(of: keyPath)
        lock.withLock { names.isEmpty ? unreached.append(keyPath) : unreachedNames.formUnion(names) }
        for record in ModelRecords.shared.all(of: nil) { record.hide() }
    }

    /// A class and its superclasses.
    static func chain(_ type: Any.Type) -> [ObjectIdentifier] {
        Array(sequence(first: type as? AnyClass) { $0.flatMap { _getSuperclass($0) } }.prefix { $0 != nil })
            .compactMap { $0.map(ObjectIdentifier.init) }
    }

    // MARK: Models

    /// Applies the declarations of its class to a model.
    func apply(to record: ModelRecord) {
        guard weir_load_bool(&isUsed), let model = record.model else { return }
        let chain = Self.chain(Swift.type(of: model))
        let (unresolved, followed, rule) = lock.withLock {
            (
                chain.flatMap { identity in (facts[identity]?.unresolved ?? []).map { (identity, $0) } },
                chain.flatMap { facts[$0]?.followed ?? [] }, chain.compactMap { facts[$0]?.rule }.first
            )
        }
        for (identity, declaration) in unresolved where !KeyPathName.mayTrap(declaration.keyPath) {
            guard let type = lock.withLock({ facts[identity]?.type }) else { continue }
            resolve([declaration], of: type, in: model)
        }
        record.hide()
        for declaration in followed { declaration.follow(record) }
        if let rule { record.followAll(by: rule) }
    }

    /// Finds the name of a private property in the macro's code of its class, by reading the property.
    ///
    /// Another name of the same property, such as one through a subclass, or the last part of a path, is equally private. For a
    /// part of a structure, the whole structure is private.
    private func resolve(_ declarations: [Declaration], of type: AnyClass, in model: AnyObject) {
        for declaration in declarations {
            guard let accesses = AccessList.accesses(of: { declaration.read(model) }) else { continue }
            let valueType = Swift.type(of: declaration.keyPath).valueType
            var same = accesses.filter {
                let type = Swift.type(of: $0.keyPath).valueType
                return type == valueType || (valueType as? any OptionalModel.Type)?.wrapped == type
            }
            if KeyPathName.isCompound(declaration.keyPath) {
                if same.isEmpty {
                    same = accesses.filter { !ModelValue.isModels(Swift.type(of: $0.keyPath).valueType) }
                    if same.count < accesses.count { hideUnreached(declaration.keyPath) }
                }
            } else if accesses.count != 1 {
                // It is computed: its sources are not declared private.
                same = []
            }
            lock.withLock {
                for access in same {
                    guard let root = Swift.type(of: access.keyPath).rootType as? AnyClass else { continue }
                    var facts = facts[ObjectIdentifier(root)] ?? Facts(type: root)
                    _ = facts.hidden.insert(access.keyPath)
                    self.facts[ObjectIdentifier(root)] = facts
                }
                facts[ObjectIdentifier(type)]?.unresolved.removeAll { $0.keyPath == declaration.keyPath }
            }
            for access in same {
                guard let root = Swift.type(of: access.keyPath).rootType as? AnyClass else { continue }
                for record in ModelRecords.shared.all(of: root) { record.hide() }
            }
        }
    }
}
#endif
