/// Queries to the Swift runtime that are safe while other threads may fork.
///
/// The runtime takes its own lock for each query. A child forked at that moment would wait for that lock forever. So Weir
/// queries inside a lock that every fork takes first.
package enum RuntimeNames {
    /// Held by every fork. Innermost: inside it, no other lock of Weir is taken and no foreign code runs.
    package static let lock = SystemLock()

    /// The type's name, as `String(describing:)` gives it.
    package static func name(of type: Any.Type) -> String { lock.withLock { String(describing: type) } }

    /// The type's name with its module.
    package static func qualifiedName(of type: Any.Type) -> String {
        lock.withLock { _typeName(type, qualified: true) }
    }

    /// The key path, as `String(describing:)` gives it.
    package static func description(of keyPath: AnyKeyPath) -> String {
        lock.withLock { String(describing: keyPath) }
    }
}
