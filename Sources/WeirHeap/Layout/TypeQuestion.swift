import CWeir

/// A question to the Swift runtime: which type does this mangled name mean?
///
/// The runtime may end the process over a name that it does not expect. A forked child therefore notes each name before it asks,
/// in memory that it shares with its parent. If the child crashes, the parent reads the name and walks again without it.
package enum TypeQuestion {
    /// The memory that a forked child shares with its parent; nil: a crash would end the program, too.
    package nonisolated(unsafe) static var note: Note?
    /// The names that are not asked about, as `MangledType.text` gives them.
    package nonisolated(unsafe) static var refused: Set<String> = []

    /// The refused names that this walk would have asked about.
    private(set) nonisolated(unsafe) static var avoided: Set<String> = []

    /// Whether the runtime must not be asked about `name`, because it ended an earlier walk.
    static func isRefused(_ name: MangledType) -> Bool { !refused.isEmpty && refused.contains(name.text) }

    /// Runs `ask`, which asks the runtime about `name`; nil: it must not be asked, or does not know.
    @inline(never)
    static func about(_ name: MangledType, _ ask: () -> Metadata?) -> Metadata? {
        if isRefused(name) {
            avoided.insert(name.text)
            return nil
        }
        guard let note else { return ask() }
        note.write(name.text)
        defer { note.clear() }
        return ask()
    }

    /// A page that holds one name.
    package struct Note: @unchecked Sendable {  // Written by the child, read by the parent once the child has ended.
        private let page: UnsafeMutableRawPointer

        /// Nil: the system has no memory.
        package init?() {
            guard let page = weir_share_page() else { return nil }
            self.page = page
        }

        /// The name that was being asked about; nil: none was.
        package var name: String? {
            let length = min(page.load(as: Int.self), Self.room)
            if length <= 0 { return nil }
            return String(decoding: UnsafeRawBufferPointer(start: page + 8, count: length), as: UTF8.self)
        }

        package func free() { weir_unshare_page(page) }

        private static let room = Int(WEIR_SHARED_PAGE) - 8

        package func write(_ name: String) {
            var name = name
            name.withUTF8 { bytes in
                let count = min(bytes.count, Self.room)
                if let base = bytes.baseAddress { (page + 8).copyMemory(from: base, byteCount: count) }
                page.storeBytes(of: count, as: Int.self)
            }
        }

        fileprivate func clear() { page.storeBytes(of: 0, as: Int.self) }
    }
}

/// Asks the runtime for types by their mangled names.
enum TypeResolver {
    /// The type that `name` denotes in a declaration; nil if it cannot be found.
    @inline(never)
    static func resolve(_ name: MangledType, in context: TypeDescriptor? = nil, arguments: UInt = 0) -> Metadata? {
        guard let text = UnsafePointer<UInt8>(bitPattern: name.address) else { return nil }
        return TypeQuestion.about(name) {
            _getTypeByMangledNameInContext(
                text, name.length, genericContext: UnsafeRawPointer(bitPattern: context?.address ?? 0),
                genericArguments: UnsafeRawPointer(bitPattern: arguments)
            ).map(Metadata.init)
        }
    }

    /// A builtin type, for example `Bo`; nil if this runtime has none.
    static func builtin(_ name: StaticString) -> Metadata? {
        resolve(MangledType(address: UInt(bitPattern: name.utf8Start), length: UInt(name.utf8CodeUnitCount)))
    }
}
