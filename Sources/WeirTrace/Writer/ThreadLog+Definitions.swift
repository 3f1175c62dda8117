import CWeir

/// The contents of a node's definition, except for facts that are counted by references.
package struct NodeDescription {
    package var kind: NodeKind
    package var isPrivate: Bool
    package var technique: NodeTechnique
    /// Nil: the node is no combiner.
    package var strategy: NodeStrategy?
    package var valueType: Any.Type?
    /// A string literal, ended by a zero byte; it must live for ever.
    package var file: UnsafePointer<UInt8>
    package var line: UInt32
    /// Code of the object that owns the node; 0: none.
    package var owner: UInt32

    @inlinable
    package init(
        kind: NodeKind, isPrivate: Bool, technique: NodeTechnique, strategy: NodeStrategy? = nil,
        valueType: Any.Type?, file: UnsafePointer<UInt8>, line: UInt32, owner: UInt32
    ) {
        self.kind = kind
        self.isPrivate = isPrivate
        self.technique = technique
        self.strategy = strategy
        self.valueType = valueType
        self.file = file
        self.line = line
        self.owner = owner
    }
}

/// The contents of a subscription's definition.
package struct SubscriptionDescription {
    /// Codes of nodes; `target` 0: a closure.
    package var source, target: UInt32
    /// Code of the object for which it works; 0: none.
    package var owner: UInt32
    package var isInternal: Bool
    /// Whether it triggers its target without giving it a value.
    package var isTiming: Bool
    /// Whether an `await` waits for its first value.
    package var isOfAwait: Bool
    package var file: UnsafePointer<UInt8>
    package var line: UInt32

    @inlinable
    package init(
        source: UInt32, target: UInt32, owner: UInt32 = 0, isInternal: Bool, isTiming: Bool = false,
        isOfAwait: Bool = false, file: UnsafePointer<UInt8>, line: UInt32
    ) {
        self.source = source
        self.target = target
        self.owner = owner
        self.isInternal = isInternal
        self.isTiming = isTiming
        self.isOfAwait = isOfAwait
        self.file = file
        self.line = line
    }
}

extension ThreadLog {
    /// Defines a node, unless another thread has done so; `again` replaces what was said of it. Returns its code.
    ///
    /// - Parameter value: form and value, as `encoded(_:)` gives it; empty: not recorded.
    package func define(
        _ node: NodeDescription, label: String?, value: [UInt8], word: UnsafeMutablePointer<UInt64>, again: Bool
    ) -> UInt32 {
        code(.node, word: word, again: again) { chunk, code in
            let label = chunk.id(of: label)
            let type = chunk.id(ofType: node.valueType)
            let file = chunk.id(ofLiteral: node.file)
            chunk.record(.node) { body in
                TraceCode.write(code, &body)
                body.storeBytes(of: node.kind.rawValue, as: UInt8.self)
                let flags = TraceFormat.NodeFlags(node.isPrivate, node.technique, node.strategy)
                body.storeBytes(of: flags.rawValue, toByteOffset: 1, as: UInt8.self)
                body += 2
                Varint.write(label, &body)
                Varint.write(type, &body)
                Varint.write(file, &body)
                Varint.write(UInt64(node.line), &body)
                TraceCode.write(node.owner, &body)
                Self.append(value, to: &body)
            }
        }
    }

    private static func append(_ value: borrowing [UInt8], to body: inout UnsafeMutableRawPointer) {
        guard !value.isEmpty, value.count <= DefinitionChunk.longestValue else {
            let form: TraceFormat.ValueForm = value.isEmpty ? .notRecorded : .opaque
            body.storeBytes(of: form.rawValue, as: UInt8.self)
            body += 1
            return
        }
        value.withUnsafeBytes {
            if let base = $0.baseAddress { body.copyMemory(from: base, byteCount: $0.count) }
        }
        body += value.count
    }

    /// Defines a subscription, unless another thread has done so. Returns its code.
    package func define(
        _ subscription: SubscriptionDescription, word: UnsafeMutablePointer<UInt64>
    ) -> UInt32 {
        code(.subscription, word: word, again: false) { chunk, code in
            let file = chunk.id(ofLiteral: subscription.file)
            chunk.record(.subscription) { body in
                TraceCode.write(code, &body)
                TraceCode.write(subscription.source, &body)
                TraceCode.write(subscription.target, &body)
                let flags: UInt8 =
                    (subscription.isInternal ? 1 : 0) | (subscription.isTiming ? 2 : 0)
                    | (subscription.isOfAwait ? 4 : 0)
                body.storeBytes(of: flags, as: UInt8.self)
                body += 1
                Varint.write(file, &body)
                Varint.write(UInt64(subscription.line), &body)
                if subscription.owner != 0 { TraceCode.write(subscription.owner, &body) }
            }
        }
    }

    /// Defines an object; `again` replaces what was said of it. Returns its code.
    package func define(
        objectOfType type: Any.Type, label: String?, word: UnsafeMutablePointer<UInt64>, again: Bool = false
    ) -> UInt32 {
        code(.object, word: word, again: again) { chunk, code in
            let type = chunk.id(ofType: type)
            let label = chunk.id(of: label)
            chunk.record(.object) { body in
                TraceCode.write(code, &body)
                Varint.write(type, &body)
                Varint.write(label, &body)
            }
        }
    }

    /// Defines a write site, unless another thread has done so. Returns its code.
    package func define(
        writeSiteIn function: String?, file: String?, line: Int, word: UnsafeMutablePointer<UInt64>
    ) -> UInt32 {
        code(.writeSite, word: word, again: false) { chunk, code in
            let function = chunk.id(of: function)
            let file = chunk.id(of: file)
            chunk.record(.writeSite) { body in
                TraceCode.write(code, &body)
                Varint.write(function, &body)
                Varint.write(file, &body)
                Varint.write(UInt64(clamping: line), &body)
            }
        }
    }

    /// Whether this recording has given an id to what `word` belongs to.
    @inlinable @inline(__always)
    package func knows(_ word: UInt64) -> Bool {
        session != 0 && UInt32(truncatingIfNeeded: word >> 32) >= session
    }

    // MARK: Values in definitions

    package func encoded<Value>(_ value: Value) -> [UInt8] {
        ValueEncoding.bytes(of: value, keeper: ThreadKeeper.ofCallingThread())
    }

    package var encodedPrivacy: [UInt8] { recordsValues ? Self.withheld : Self.notRecorded }
    package var encodedAbsence: [UInt8] { Self.notRecorded }

    private static let withheld = [TraceFormat.ValueForm.withheld.rawValue]
    private static let notRecorded = [TraceFormat.ValueForm.notRecorded.rawValue]

    @inline(__always)
    private func code(
        _ kind: DefinitionIDs.Kind, word: UnsafeMutablePointer<UInt64>, again: Bool,
        write: (DefinitionChunk, UInt32) -> Void
    ) -> UInt32 {
        ThreadKeeper.inside { keeper in
            guard let ids = keeper.ids else { return 0 }
            return ids._withUnsafeGuaranteedRef {
                $0.code(
                    kind, word: word, keeper: keeper, generation: generation, firstGeneration: keeper.firstGeneration,
                    again: again, write: write)
            }
        }
    }
}

/// The record of a declared intention.
package struct IntentionDescription: Equatable {
    package var rule: RedundancyRule
    package var reason: String
    /// A string literal, ended by a zero byte; it must live for ever.
    package var file: UnsafePointer<UInt8>
    package var line: UInt32

    package init(rule: RedundancyRule, reason: String, file: UnsafePointer<UInt8>, line: UInt32) {
        self.rule = rule
        self.reason = reason
        self.file = file
        self.line = line
    }
}

extension ThreadLog {
    /// Says what is meant so at the node with code `node`, which has been defined.
    package func define(_ intention: IntentionDescription, of node: UInt32) {
        ThreadKeeper.inside { keeper in
            guard let chunk = keeper.definitionChunk() else { return keeper.countLost(1) }
            chunk._withUnsafeGuaranteedRef { chunk in
                let rule = chunk.id(of: intention.rule.rawValue)
                let reason = chunk.id(of: intention.reason)
                let file = chunk.id(ofLiteral: intention.file)
                chunk.record(.intention) { body in
                    Varint.write(UInt64(TraceCode.decode(node)), &body)
                    Varint.write(rule, &body)
                    Varint.write(reason, &body)
                    Varint.write(file, &body)
                    Varint.write(UInt64(intention.line), &body)
                }
                chunk.commit()
            }
        }
    }
}
