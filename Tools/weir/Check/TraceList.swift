import WeirTrace

/// The traces that arguments name: files, and all files in folders whose names end with '.weir'.
struct TraceList {
    /// The paths, each once: in the order of the arguments, and within a folder by name.
    private(set) var paths: [String] = []

    /// The traces of arguments; a folder is searched with the folders in it, but links to folders are not followed.
    init(_ arguments: [String]) throws(UsageError) {
        var seen: Set<String> = []
        for argument in arguments {
            if argument.isEmpty { throw .emptyTracePath }
            if argument == "-" { throw .standardInput }
            let found = System.isDirectory(argument) ? Self.traces(in: argument) : [argument]
            if found.isEmpty { throw .noTraces(folder: argument) }
            paths += found.filter { seen.insert($0).inserted }
        }
    }

    private static func traces(in folder: String) -> [String] {
        var found: [String] = []
        var pending = [folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder]
        while let folder = pending.popLast() {
            var folders: [String] = []
            for name in System.names(in: folder).sorted() where !name.hasPrefix(".") {
                let path = folder == "/" ? "/" + name : folder + "/" + name
                if System.isDirectory(path, followsLinks: false) {
                    folders.append(path)
                } else if name.hasSuffix(".weir"), !System.isDirectory(path) {
                    found.append(path)
                }
            }
            pending += folders.reversed()
        }
        return found
    }
}
