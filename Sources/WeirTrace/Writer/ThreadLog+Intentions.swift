import CWeir

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
