import CWeir

/// The fields that a type declares, from the functions of the Swift runtime that serve mirrors.
enum RuntimeFields {
    struct Field {
        let name: String
        let type: Any.Type
        let offset: Int
    }

    private static let most = 64

    /// Empty if the runtime does not tell.
    static func all(of type: Any.Type) -> [Field] {
        #if _ptrauth(_arm64e)
        return []
        #else
        guard let functions else { return [] }
        return RuntimeNames.lock.withLock { functions.fields(unsafeBitCast(type, to: UnsafeRawPointer.self)) }
        #endif
    }

    private static let functions = Functions()

    private struct Functions {
        private typealias Count = @convention(c) (UnsafeRawPointer) -> Int
        private typealias Metadata =
            @convention(c) (UnsafeRawPointer, Int, UnsafeMutableRawPointer) -> UnsafeRawPointer?
        private typealias Offset = @convention(c) (UnsafeRawPointer, Int) -> Int
        private typealias Free = @convention(c) (UnsafePointer<CChar>) -> Void
        private let count: Count
        private let metadata: Metadata
        private let offset: Offset

        init?() {
            guard let count = weir_exported_address("swift_reflectionMirror_recursiveCount"),
                let metadata = weir_exported_address("swift_reflectionMirror_recursiveChildMetadata"),
                let offset = weir_exported_address("swift_reflectionMirror_recursiveChildOffset")
            else { return nil }
            self.count = unsafeBitCast(count, to: Count.self)
            self.metadata = unsafeBitCast(metadata, to: Metadata.self)
            self.offset = unsafeBitCast(offset, to: Offset.self)
        }

        /// A name, the function that frees it (nil: it need not be freed), and two flags.
        private typealias Details = (UnsafePointer<CChar>?, Free?, Bool, Bool)

        func fields(_ type: UnsafeRawPointer) -> [Field] {
            var fields: [Field] = []
            for place in 0..<max(0, min(count(type), RuntimeFields.most)) {
                var details: Details = (nil, nil, false, false)
                guard
                    let found = withUnsafeMutablePointer(
                        to: &details, { metadata(type, place, UnsafeMutableRawPointer($0)) })
                else { continue }
                let name = details.0.map { String(cString: $0) } ?? ""
                if let text = details.0, let free = details.1 { free(text) }
                // A weak or unowned reference has flags of its own; none is kept.
                guard !name.isEmpty else { continue }
                let lazy = "$__lazy_storage_$_"
                fields.append(
                    Field(
                        name: name.hasPrefix(lazy) ? String(name.dropFirst(lazy.count)) : name,
                        type: unsafeBitCast(found, to: Any.Type.self), offset: offset(type, place)))
            }
            return fields
        }
    }
}
