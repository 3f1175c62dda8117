import CWeir

/// What a trace says of a node when it defines it.
package struct NodeDescription {
    package var kind: NodeKind
    package var isPrivate: Bool
    package var label: String?
    package var valueType: String
    /// A string literal, ended by a zero byte; it must live for ever.
    package var file: UnsafePointer<UInt8>
    package var line: UInt32
    /// Code of the object that owns the node; 0: none.
    package var owner: UInt32
    /// Form and value, as `ThreadLog.encoded(_:)` gives it.
    package var value: [UInt8]

    package init(
        kind: NodeKind, isPrivate: Bool, label: String?, valueType: String, file: UnsafePointer<UInt8>, line: UInt32,
        owner: UInt32, value: [UInt8]
    ) {
        self.kind = kind
        self.isPrivate = isPrivate
        self.label = label
        self.valueType = valueType
        self.file = file
        self.line = line
        self.owner = owner
        self.value = value
    }
}

/// What a trace says of a subscription when it defines it.
package struct SubscriptionDescription {
    /// Codes of nodes; `target` 0: a closure.
    package var source, target: UInt32
    package var isInternal: Bool
    package var file: UnsafePointer<UInt8>
    package var line: UInt32

    package init(
        source: UInt32, target: UInt32, isInternal: Bool, file: UnsafePointer<UInt8>, line: UInt32
    ) {
        self.source = source
        self.target = target
        self.isInternal = isInternal
        self.file = file
        self.line = line
    }
}

extension ThreadLog {
    /// Defines a node, unless another thread has done so; `again` replaces what was said of it. Returns its code.
    package func define(
        _ node: NodeDescription, word: UnsafeMutablePointer<UInt64>, again: Bool
    ) -> UInt32 {
        code(.node, word: word, again: again) { chunk, id in
            let label = chunk.id(of: node.label)
            let type = chunk.id(of: node.valueType.isEmpty ? nil : node.valueType)
            let file = chunk.id(ofLiteral: node.file)
            chunk.record(.node) { body in
                Varint.write(UInt64(id), &body)
                body.storeBytes(of: node.kind.rawValue, as: UInt8.self)
                body.storeBytes(of: node.isPrivate ? 1 : 0, toByteOffset: 1, as: UInt8.self)
                body += 2
                Varint.write(label, &body)
                Varint.write(type, &body)
                Varint.write(file, &body)
                Varint.write(UInt64(node.line), &body)
                Varint.write(UInt64(TraceCode.decode(node.owner)), &body)
                let value =
                    node.value.count <= DefinitionChunk.longestValue
                    ? node.value : [TraceFormat.ValueForm.opaque.rawValue]
                value.withUnsafeBytes {
                    if let base = $0.baseAddress { body.copyMemory(from: base, byteCount: $0.count) }
                }
                body += value.count
            }
        }
    }

    /// Defines a subscription, unless another thread has done so. Returns its code.
    package func define(
        _ subscription: SubscriptionDescription, word: UnsafeMutablePointer<UInt64>
    ) -> UInt32 {
        code(.subscription, word: word, again: false) { chunk, id in
            let file = chunk.id(ofLiteral: subscription.file)
            chunk.record(.subscription) { body in
                Varint.write(UInt64(id), &body)
                Varint.write(UInt64(TraceCode.decode(subscription.source)), &body)
                Varint.write(UInt64(TraceCode.decode(subscription.target)), &body)
                body.storeBytes(of: subscription.isInternal ? 1 : 0, as: UInt8.self)
                body += 1
                Varint.write(file, &body)
                Varint.write(UInt64(subscription.line), &body)
            }
        }
    }

    /// Defines an object. Returns its code.
    package func define(
        objectOfType type: String, label: String?, word: UnsafeMutablePointer<UInt64>
    ) -> UInt32 {
        code(.object, word: word, again: false) { chunk, id in
            let type = chunk.id(of: type)
            let label = chunk.id(of: label)
            chunk.record(.object) { body in
                Varint.write(UInt64(id), &body)
                Varint.write(type, &body)
                Varint.write(label, &body)
            }
        }
    }

    /// Whether this recording has given an id to what `word` belongs to.
    package func knows(_ word: UInt64) -> Bool {
        session != 0 && UInt32(truncatingIfNeeded: word >> 32) >= session
    }

    // MARK: Values in definitions

    package func encoded<Value>(_ value: Value) -> [UInt8] {
        ValueEncoding.bytes(of: value, keeper: ThreadKeeper.ofCallingThread())
    }

    package var encodedPrivacy: [UInt8] {
        [recordsValues ? TraceFormat.ValueForm.withheld.rawValue : TraceFormat.ValueForm.notRecorded.rawValue]
    }

    package var encodedAbsence: [UInt8] { [TraceFormat.ValueForm.notRecorded.rawValue] }

    private func code(
        _ kind: DefinitionIDs.Kind, word: UnsafeMutablePointer<UInt64>, again: Bool,
        write: (DefinitionChunk, UInt32) -> Void
    ) -> UInt32 {
        let keeper = ThreadKeeper.ofCallingThread()
        guard let writer = keeper.writer else { return 0 }
        return writer.ids.code(
            kind, word: word, keeper: keeper, generation: generation, firstGeneration: writer.firstGeneration,
            again: again, write: write)
    }
}
