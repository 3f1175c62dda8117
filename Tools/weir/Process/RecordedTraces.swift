import WeirTrace

/// Separates the traces that a command and its further processes wrote from earlier files.
struct RecordedTraces {
    private let path: TracePath
    private let before: [String: FileState]
    private let began: Int64

    /// Records the state of the files at `path` and beside it, before the command runs.
    init(at path: TracePath) {
        self.path = path
        began = System.wallClockNanoseconds()
        before = Self.states(path, [path.name.text])
    }

    /// The traces written since, the command's own first.
    func find(child: UInt32) -> [String] {
        let main = path.name.file(of: child)
        return Self.states(path, [main]).filter { name, state in isNew(name, state) }.keys
            .sorted { one, other in
                func rank(_ name: String) -> (Int, UInt32) {
                    let process = path.name.process(ofFile: name) ?? 0
                    return (name == main ? 0 : process == child ? 1 : 2, process)
                }
                return rank(one) < rank(other)
            }
            .map { path.directory + $0 }
    }

    private func isNew(_ name: String, _ state: FileState) -> Bool {
        guard state != before[name] else { return false }
        let header: TraceHeader
        do { header = try TraceReader(path: path.directory + name).header } catch {
            // The requested trace is reported even if it is unreadable; a further file must be a trace.
            return path.name.process(ofFile: name) == nil
        }
        let process = path.name.process(ofFile: name)
        // Under a virtual clock a trace contains neither its process nor its time.
        if let process, header.processID != 0, header.processID != process { return false }
        // An earlier process may still be writing.
        return before[name] == nil || header.startWallClock == 0 || header.startWallClock >= began
    }

    /// The state of the files in the directory whose names the recorder may give, and of the `main` ones.
    private static func states(_ path: TracePath, _ main: [String]) -> [String: FileState] {
        // If the directory cannot be listed, the main trace can still be found.
        let others = System.names(in: path.directory.isEmpty ? "." : path.directory)
            .filter { path.name.process(ofFile: $0) != nil }
        var states: [String: FileState] = [:]
        for name in main + others { states[name] = FileState(path.directory + name) }
        return states
    }
}
