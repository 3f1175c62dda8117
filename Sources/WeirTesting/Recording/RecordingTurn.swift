/// Lets one recorded test run at a time, in the order in which they come, and gives each trace a name of its own.
actor RecordingTurn {
    static let shared = RecordingTurn()

    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var names: [String: Int] = [:]

    /// Waits for the turn of a test, and returns the path of its trace.
    func begin(_ name: String, in folder: String) async -> String {
        await take()
        let path = "\(folder)/\(name)"
        let count = names[path, default: 0] + 1
        names[path] = count
        return path + (count == 1 ? "" : "-\(count)") + ".weir"
    }

    /// Waits for the turn.
    func take() async {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            isTaken = true
        }
    }

    func end() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
