import Dispatch
import Foundation
import Weir

/// Records into too little room, while its own work continues.
struct CrampedProgram {
    let test: SpaceCase
    let path: String

    init(_ test: SpaceCase, path: String) {
        self.test = test
        self.path = path
    }

    func run() {
        do {
            if !test.isStartedByEnvironment { try Trace.start(writingTo: path, limit: test.limit, snapshots: .none) }
        } catch {
            Notice.say(.refused)
        }
        let writers = (0..<test.threads).map { NumberedWriter($0, isHeard: true) }
        emit(writers, from: 1, to: test.emissions / 2)
        if let bytes = test.grownBytes {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            limit.rlim_cur = rlim_t(bytes)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        }
        emit(writers, from: test.emissions / 2 + 1, to: test.emissions)
        switch test.end {
        case .returns: Notice.say(.stopping)
        case .stops:
            Trace.stop()
            writers[0].number.value = -1
            Notice.say(.stopping)
        case .exits:
            Notice.say(.stopping)
            exit(0)
        case .leaves:
            Notice.say(.stopping)
            _exit(0)
        case .isKilled:
            Notice.say(.stopping)
            kill(getpid(), SIGKILL)
        }
    }

    /// Uses one thread per writer.
    private func emit(_ writers: [NumberedWriter], from first: Int, to last: Int) {
        let done = DispatchSemaphore(value: 0)
        for place in writers.indices {
            nonisolated(unsafe) let writer = writers[place]
            Thread {
                for number in first...last {
                    writer.emit(number, withText: true)
                    if number % SpaceCase.stride == 0 { Notice.say(.emitted, writer: place, UInt64(number)) }
                }
                done.signal()
            }.start()
        }
        for _ in writers { done.wait() }
    }
}

extension SpaceCase {
    /// The variables that start the recording.
    func environment(path: String) -> [String: String] {
        guard isStartedByEnvironment else { return [:] }
        var variables = ["WEIR_TRACE": path, "WEIR_SNAPSHOTS": "none", "WEIR_LIMIT": "none"]
        if case .bytes(let count) = limit { variables["WEIR_LIMIT"] = "\(count)" }
        return variables
    }
}
