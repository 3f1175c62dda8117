/// A target that a package manifest declares, with the folders that may hold its sources.
package struct SourceTarget: Sendable, Equatable {
    /// The module's name, as `#fileID` begins with it.
    package let module: String
    /// The folders of its sources, relative to the source root, without a slash at the end; "" is the root itself.
    package let folders: [String]

    /// A target.
    package init(module: String, folders: [String]) {
        self.module = module
        self.folders = folders
    }

    /// The targets in the text of a `Package.swift` that lies in `folder`.
    ///
    /// The text is scanned, not run: a target whose name or path is computed is not found. Such a module is resolved by the
    /// names of folders alone.
    package static func targets(inManifest text: String, at folder: String) -> [SourceTarget] {
        var scanner = ManifestScanner(text)
        return scanner.calls().compactMap { call in
            guard let name = call.arguments["name"], let places = defaultFolders[call.function] else { return nil }
            let folders = call.arguments["path"].map { [$0] } ?? places.map { $0 + "/" + name }
            return SourceTarget(module: module(of: name), folders: folders.map { joined(folder, $0) })
        }
    }

    /// The functions that declare targets with Swift code, each with SwiftPM's folders for targets without a path.
    private static let defaultFolders: [String: [String]] = [
        "target": ["Sources", "Source", "src", "srcs"], "executableTarget": ["Sources", "Source", "src", "srcs"],
        "macro": ["Sources", "Source", "src", "srcs"], "testTarget": ["Tests", "Sources", "Source", "src", "srcs"],
    ]

    /// The module of a target: characters that Swift names cannot have become underscores.
    package static func module(of name: String) -> String {
        String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
    }

    /// A path below a folder, without "." and "..".
    private static func joined(_ folder: String, _ path: String) -> String {
        var parts: [Substring] = []
        for part in (folder + "/" + path).split(separator: "/") where part != "." {
            if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}

/// Finds the calls that declare targets in a manifest, with those of their arguments that are plain strings.
private struct ManifestScanner {
    struct Call {
        let function: String
        var arguments: [String: String] = [:]
    }

    private enum Token: Equatable {
        case word(String)
        case text(String)
        case mark(UInt8)
    }

    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The outermost calls of functions whose names are those of targets; calls inside them, such as dependencies, are
    /// references.
    mutating func calls() -> [Call] {
        var calls: [Call] = []
        var isMember = false
        while let token = next() {
            if isMember, case .word(let word) = token, word == "macro" || word.hasSuffix("arget"), peekOpens() {
                calls.append(call(word))
            }
            isMember = token == .mark(UInt8(ascii: "."))
        }
        return calls
    }

    private mutating func call(_ function: String) -> Call {
        var call = Call(function: function)
        var depth = 0
        var label: String?
        var last: Token?
        while let token = next() {
            switch token {
            case .mark(UInt8(ascii: "(")), .mark(UInt8(ascii: "[")), .mark(UInt8(ascii: "{")): depth += 1
            case .mark(UInt8(ascii: ")")), .mark(UInt8(ascii: "]")), .mark(UInt8(ascii: "}")): depth -= 1
            case .mark(UInt8(ascii: ":")):
                if depth == 1, case .word(let word)? = last { label = word }
            case .text(let text):
                if depth == 1, last == .mark(UInt8(ascii: ":")), let label { call.arguments[label] = text }
            default: break
            }
            if depth == 0 { break }
            last = token
        }
        return call
    }

    /// Whether the next character that is no space opens a call.
    private func peekOpens() -> Bool {
        var place = place
        while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x0A { place += 1 }
        return place < bytes.count && bytes[place] == UInt8(ascii: "(")
    }

    /// The next token; comments and spaces are skipped.
    private mutating func next() -> Token? {
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "/") where follows(UInt8(ascii: "/")): skip { $0 != 0x0A }
            case UInt8(ascii: "/") where follows(UInt8(ascii: "*")): skipComment()
            case UInt8(ascii: "\""): return .text(text())
            case _ where Self.isOfWord(byte):
                let start = place
                skip(Self.isOfWord)
                return .word(String(decoding: bytes[start..<place], as: UTF8.self))
            case 0x20, 0x09, 0x0A, 0x0D: place += 1
            default:
                place += 1
                return .mark(byte)
            }
        }
        return nil
    }

    private func follows(_ byte: UInt8) -> Bool { place + 1 < bytes.count && bytes[place + 1] == byte }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private mutating func skip(_ belongs: (UInt8) -> Bool) {
        while place < bytes.count, belongs(bytes[place]) { place += 1 }
    }

    private mutating func skipComment() {
        place += 2
        while place < bytes.count, !(bytes[place] == UInt8(ascii: "*") && follows(UInt8(ascii: "/"))) { place += 1 }
        place += 2
    }

    private mutating func text() -> String {
        place += 1
        let start = place
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(place, bytes.count)
        place = end + 1
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
