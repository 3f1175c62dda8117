import WeirTrace

/// The Swift files of a repository: finds the path of a file that `#fileID` names.
///
/// A `#fileID` is a module and a file name: "Login/LoginView.swift". In this order, it is
///
/// 1. the file of that name that the compiler compiled for the module, according to its own list;
/// 2. the file of that name in the folders of the target that a package manifest declares for the module;
/// 3. the file of that name below a folder with the name of the module, if no manifest gives it to another module;
/// 4. the only file of that name, if no manifest gives it to another module.
///
/// If a step finds several files, the name is ambiguous: no later step decides between them.
package struct SourceTree: Sendable {
    /// The result of a search.
    package enum Resolution: Sendable, Equatable {
        /// The path relative to the source root.
        case path(String)
        /// Several files may be meant; their paths, sorted.
        case ambiguous([String])
        /// No file has the name.
        case unknown
    }

    private let filesByName: [Substring: [String]]
    private let modulesByFolder: [String: Set<String>]
    private let compiled: [String: Set<String>]

    /// A tree of files, by their paths relative to the source root, with the targets of all manifests.
    ///
    /// `compiled` lists files that the compiler compiled, by module; those that are not in `files` do not count.
    package init(files: [String], targets: [SourceTarget], compiled: [String: Set<String>] = [:]) {
        self.compiled = compiled
        filesByName = Dictionary(grouping: files) { $0.split(separator: "/").last ?? "" }
        var folders: [String: Set<String>] = [:]
        for target in targets { for folder in target.folders { folders[folder, default: []].insert(target.module) } }
        modulesByFolder = folders
    }

    /// A tree without files: every name is unknown.
    package static let empty = SourceTree(files: [], targets: [])

    /// The file that a `#fileID` names. Cost: the depth of the files with that name.
    package func resolve(_ fileID: String) -> Resolution {
        let parts = fileID.split(separator: "/")
        guard parts.count >= 2, let module = parts.first, let name = parts.last, let found = filesByName[name] else {
            return .unknown
        }
        let candidates = found.sorted().map { (path: $0, modules: owners(of: $0)) }
        let built = candidates.map(\.path).filter { compiled[String(module)]?.contains($0) == true }
        if !built.isEmpty { return Self.only(built) }
        let declared = candidates.filter { $0.modules.contains(String(module)) }.map(\.path)
        if !declared.isEmpty { return Self.only(declared) }
        let free = candidates.filter { $0.modules.isEmpty }.map(\.path)
        let named = free.filter { $0.split(separator: "/").dropLast().contains(module) }
        return Self.only(named.isEmpty ? free : named)
    }

    private static func only(_ paths: [String]) -> Resolution {
        switch paths.count {
        case 0: .unknown
        case 1: .path(paths[0])
        default: .ambiguous(paths)
        }
    }

    /// The modules whose folder is the innermost declared one around a file; empty: none is declared.
    private func owners(of path: String) -> Set<String> {
        var folder = path[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            if let modules = modulesByFolder[String(folder)] { return modules }
        }
        return modulesByFolder[""] ?? []
    }
}

extension TraceSite {
    /// The file's name without its module and folders: "LoginView.swift".
    package var fileName: String { file.lastPart(separatedBy: "/") }
}

extension String {
    /// The text after the last separator; separators at the end do not count.
    func lastPart(separatedBy separator: Unicode.Scalar) -> String {
        let byte = UInt8(ascii: separator)
        guard let last = utf8.lastIndex(where: { $0 != byte }) else { return self }
        let start = utf8[..<last].lastIndex(of: byte).map(utf8.index(after:)) ?? startIndex
        return String(self[start...last])
    }
}
