import WeirAnalysis
import WeirTrace

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A folder with sources: reads what `SourceTree` needs.
struct SourceFolder {
    /// The absolute path, without a slash at the end.
    let path: String

    /// A folder with more entries is read up to this number.
    private static let mostEntries = 500_000
    /// A longer manifest is not read.
    private static let longestManifest: UInt64 = 1 << 20

    /// The option that names it.
    static let option = CommandGrammar.Option(
        name: "source-root", placeholder: "DIR",
        help: "The folder that paths are relative to (default: the git repository).")

    /// The folder that `--source-root` names, or else the git repository around the current folder.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        if let path = arguments.value(Self.option.name) { try self.init(path) } else { self.init() }
    }

    /// A folder that must exist.
    private init(_ path: String) throws(UsageError) {
        var absolute = System.absolute(path)
        while absolute.count > 1, absolute.hasSuffix("/") { absolute.removeLast() }
        guard System.isDirectory(absolute) else { throw .noSuchSourceRoot(path: path) }
        self.path = absolute
    }

    /// The git repository around the current folder; without one, the current folder.
    private init() {
        let current = System.absolute(".").split(separator: "/").dropLast().map(String.init)
        let outer = (0...current.count).reversed().map { "/" + current[..<$0].joined(separator: "/") }
        path = outer.first { FileState($0 == "/" ? "/.git" : $0 + "/.git") != nil } ?? outer.first ?? "/"
    }

    /// The Swift files and the targets of all manifests; hidden folders and links to folders are left out.
    func tree() -> SourceTree {
        var files: [String] = []
        var targets: [SourceTarget] = []
        var pending = [""]
        var entries = 0
        while let folder = pending.popLast(), entries < Self.mostEntries {
            let names = System.names(in: folder.isEmpty ? path : path + "/" + folder).sorted()
            entries += names.count
            for name in names where !name.hasPrefix(".") {
                let inside = folder.isEmpty ? name : folder + "/" + name
                if name.hasSuffix(".swift") {
                    files.append(inside)
                    if name == "Package.swift", let text = System.text(path + "/" + inside, most: Self.longestManifest)
                    {
                        targets += SourceTarget.targets(inManifest: text, at: folder)
                    }
                } else if name != "node_modules", System.isDirectory(path + "/" + inside, followsLinks: false) {
                    pending.append(inside)
                }
            }
        }
        return SourceTree(files: files, targets: targets, compiled: compiled())
    }

    /// The files that SwiftPM gave to the compiler, by module: relative to this folder.
    private func compiled() -> [String: Set<String>] {
        var files: [String: Set<String>] = [:]
        for configuration in ["debug", "release"] {
            let build = path + "/.build/" + configuration
            for name in System.names(in: build) where name.hasSuffix(".build") {
                guard let list = System.text("\(build)/\(name)/sources", most: Self.longestManifest) else { continue }
                let module = SourceTarget.module(of: String(name.dropLast(".build".count)))
                for line in list.split(separator: "\n") where line.hasPrefix(path + "/") {
                    files[module, default: []].insert(String(line.dropFirst(path.count + 1)))
                }
            }
        }
        return files
    }
}

extension System {
    /// Whether a folder is at `path`.
    static func isDirectory(_ path: String, followsLinks: Bool = true) -> Bool {
        var status = stat()
        let result = SystemText.withBytes(of: path) { followsLinks ? stat($0, &status) : lstat($0, &status) }
        return result == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The text of a regular file; nil, with `errno` set, if it cannot be read or is longer than `most` bytes.
    static func text(_ path: String, most: UInt64) -> String? {
        let descriptor = SystemText.withBytes(of: path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else {
            errno = status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL
            return nil
        }
        guard UInt64(clamping: status.st_size) <= most else {
            errno = EFBIG
            return nil
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= most {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { return nil }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
        errno = EFBIG
        return nil
    }
}
