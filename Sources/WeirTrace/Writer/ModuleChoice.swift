import CWeir

/// The modules whose nodes a recording holds; the other nodes are left out.
///
/// A node belongs to the module of the file that made it: `#fileID` begins with the module's name.
package final class ModuleChoice: @unchecked Sendable {  // `lock` guards the mutable state.
    package let names: [String]
    private let chosen: Set<String>
    private let lock = SystemLock()
    private var verdicts: [UnsafePointer<UInt8>: Bool] = [:]
    private var seen: Set<String> = []

    /// The maximum number of names.
    static let most = 64
    /// The maximum length of all names in a file header.
    static let longestText = 2048

    /// Nil: one of the names cannot be that of a module, or there are too many.
    package init?(_ names: [String]) {
        var unique: [String] = []
        for name in names where !unique.contains(name) { unique.append(name) }
        guard unique.allSatisfy(Self.isName), unique.count <= Self.most, !unique.isEmpty,
            unique.joined(separator: ",").utf8.count <= Self.longestText
        else { return nil }
        self.names = unique
        chosen = Set(unique)
    }

    /// Whether a module can have this name: an identifier.
    private static func isName(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first == "_" || first.properties.isXIDStart else { return false }
        return name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
    }

    /// Whether the recording holds nodes that `file` made; a `#fileID`, which must live forever.
    package func includes(_ file: UnsafePointer<UInt8>) -> Bool {
        lock.withLock {
            if let known = verdicts[file] { return known }
            let module = Self.module(of: file)
            let isChosen = chosen.contains(module)
            verdicts[file] = isChosen
            if seen.count < Self.most || isChosen { seen.insert(module) }
            return isChosen
        }
    }

    /// The text before the first slash.
    package static func module(of file: UnsafePointer<UInt8>) -> String {
        var length = 0
        while file[length] != 0, file[length] != UInt8(ascii: "/") { length += 1 }
        return String(decoding: UnsafeBufferPointer(start: file, count: length), as: UTF8.self)
    }

    /// A sentence about the names of modules in which no node was made; nil: there are none.
    var unknown: String? {
        let (unknown, others) = lock.withLock {
            (names.filter { !seen.contains($0) }, seen.subtracting(chosen).sorted())
        }
        guard !unknown.isEmpty else { return nil }
        let quoted = unknown.map { "'\($0)'" }.joined(separator: ", ")
        let rest = others.prefix(8).joined(separator: ", ") + (others.count > 8 ? ", …" : "")
        return "no node was recorded of the chosen module\(unknown.count == 1 ? "" : "s") \(quoted)"
            + (others.isEmpty ? "" : "; nodes were made in \(rest)")
    }
}

extension TraceFormat.HeaderField {
    static let modules = 1104
}
