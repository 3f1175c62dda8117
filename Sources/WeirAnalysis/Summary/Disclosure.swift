import WeirTrace

/// A public node fed by private nodes: their values were disclosed, or only time its emissions.
package struct Disclosure: Sendable, Equatable {
    /// The id of the public node.
    package var node: UInt32
    /// Its name.
    package var name: String
    /// Its kind; nil if this version does not know it.
    package var kind: NodeKind?
    /// The line that made it.
    package var site: TraceSite?
    /// The names of the private nodes that feed it, each once.
    package var sources: [String]

    /// The disclosures of a trace, by node.
    static func all(in definitions: TraceDefinitions) -> [Disclosure] {
        var found: [UInt32: Disclosure] = [:]
        for subscription in definitions.subscriptions.values.sorted(by: { $0.id < $1.id }) {
            guard let target = subscription.target.flatMap({ definitions.nodes[$0] }), !target.isPrivate,
                // A handler emits nothing.
                target.kind != .observer, let source = definitions.nodes[subscription.source], source.isPrivate
            else { continue }
            var disclosure =
                found[target.id]
                ?? Disclosure(node: target.id, name: target.name, kind: target.kind, site: target.site, sources: [])
            if !disclosure.sources.contains(source.name) { disclosure.sources.append(source.name) }
            found[target.id] = disclosure
        }
        return found.values.sorted { $0.node < $1.node }
    }
}
