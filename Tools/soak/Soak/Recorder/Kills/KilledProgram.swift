import Dispatch
import Foundation
import Weir

/// Records, reports what it has emitted, and waits to be killed.
struct KilledProgram {
    let test: KillCase
    let path: String

    init(_ test: KillCase, path: String) {
        self.test = test
        self.path = path
    }

    func run() {
        Notice.say(.ready)
        if !test.isStartedByEnvironment {
            do {
                try Trace.start(
                    writingTo: path, values: test.values, limit: test.limit,
                    snapshots: test.takesSnapshots ? .standard : .none)
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                Notice.say(.refused)
                return
            }
        }
        let isRecording = Trace.isRecording
        Notice.say(isRecording ? .started : .refused)
        guard isRecording else { return }
        let done = DispatchSemaphore(value: 0)
        let test = test
        for place in 0..<test.threads {
            Thread {
                Self.emit(test, place)
                done.signal()
                // The thread keeps its last chunk.
                while true { pause() }
            }.start()
        }
        for _ in 0..<test.threads { done.wait() }
        Notice.say(.stopping)
        Trace.stop()
        Notice.say(.stopped)
        while true { pause() }
    }

    private static func emit(_ test: KillCase, _ place: Int) {
        let writer = NumberedWriter(place, isHeard: test.isHeard)
        var checkpoints: UInt64 = 0
        for number in 1...test.emissions {
            writer.emit(number, withText: test.hasTexts)
            if number % test.stride == 0 { Notice.say(.emitted, writer: place, UInt64(number)) }
            guard place == 0, test.takesSnapshots, number % 5000 == 500 else { continue }
            Trace.stimulus("round") { Trace.checkpoint("\(number)") }
            checkpoints += 1
            Notice.say(.checkpoint, checkpoints)
        }
        withExtendedLifetime(writer) {}
    }
}

extension KillCase {
    /// The variables that start the recording.
    func environment(path: String) -> [String: String] {
        guard isStartedByEnvironment else { return [:] }
        var variables = ["WEIR_TRACE": path, "WEIR_SNAPSHOTS": takesSnapshots ? "standard" : "none"]
        switch values {
        case .none: variables["WEIR_VALUES"] = "none"
        case .scalars: variables["WEIR_VALUES"] = "scalars"
        case .described: variables["WEIR_VALUES"] = "described"
        }
        switch limit {
        case .none: variables["WEIR_LIMIT"] = "none"
        case .bytes(let count): variables["WEIR_LIMIT"] = "\(count)"
        }
        return variables
    }
}
