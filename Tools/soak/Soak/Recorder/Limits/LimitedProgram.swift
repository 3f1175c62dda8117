import Dispatch
import Foundation
import Weir

/// Emits on many threads at once, while a thread that recorded early is idle, and measures the longest emission.
struct LimitedProgram {
    let test: LimitCase
    let path: String

    init(_ test: LimitCase, path: String) {
        self.test = test
        self.path = path
    }

    func run() {
        do {
            try Trace.start(writingTo: path, values: test.values, limit: .bytes(test.bytes), snapshots: .none)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return Notice.say(.refused)
        }
        let (isIdle, mayEnd, hasEnded) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let test = test
        Thread {
            let writer = NumberedWriter(test.threads, isHeard: test.isHeard)
            for number in 1...10 { writer.emit(number, withText: false) }
            isIdle.signal()
            mayEnd.wait()
            withExtendedLifetime(writer) {}
            hasEnded.signal()
        }.start()
        isIdle.wait()
        let (mayBegin, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for place in 0..<test.threads {
            Thread {
                mayBegin.wait()
                Self.emit(test, place)
                isDone.signal()
            }.start()
        }
        for _ in 0..<test.threads { mayBegin.signal() }
        for _ in 0..<test.threads { isDone.wait() }
        mayEnd.signal()
        hasEnded.wait()
        Trace.stop()
        Notice.say(.stopped)
    }

    private static func emit(_ test: LimitCase, _ place: Int) {
        let writer = NumberedWriter(place, isHeard: test.isHeard)
        let watch = ProcessorWatch(ofAll: !test.isCrowded)
        let slow: UInt64 = 100_000_000
        var (longest, longestOfItsOwn, slowOnes) = (UInt64(0), UInt64(0), UInt64(0))
        var waitedBefore = watch.waited
        var before = SoakClock.nanoseconds
        for number in 1...test.emissions {
            writer.emit(number, withText: test.hasTexts)
            let now = SoakClock.nanoseconds
            let passed = now - before
            longest = max(longest, passed)
            before = now
            guard passed > slow || number % 256 == 0 else { continue }
            let waited = watch.waited
            if passed > slow {
                slowOnes += 1
                let wait = min(passed, waited &- min(waited, waitedBefore))
                longestOfItsOwn = max(longestOfItsOwn, passed - wait)
            }
            waitedBefore = waited
            before = SoakClock.nanoseconds
        }
        withExtendedLifetime(writer) {}
        Notice.say(.longest, writer: place, longest)
        Notice.say(.longestOfItsOwn, writer: place, longestOfItsOwn)
        Notice.say(.slow, writer: place, slowOnes)
    }
}

/// The time that threads have waited for a processor, which the recorder does not cause.
private struct ProcessorWatch {
    private let files: [Int32]

    /// - Parameter ofAll: whether to include all threads of the process, as one may wait for another; otherwise only the calling one.
    init(ofAll: Bool) {
        let tasks = ofAll ? (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] : []
        let paths = ofAll ? tasks.map { "/proc/self/task/\($0)/schedstat" } : ["/proc/thread-self/schedstat"]
        files = paths.map { open($0, O_RDONLY | O_CLOEXEC) }
    }

    /// In nanoseconds; 0 if the system does not report it.
    var waited: UInt64 { files.reduce(0) { $0 + Self.waited($1) } }

    private static func waited(_ file: Int32) -> UInt64 {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { text in
            let count = pread(file, text.baseAddress, text.count, 0)
            guard count > 0 else { return 0 }
            // Time on a processor, time of waiting for one, turns.
            let fields = text[..<count].split(separator: UInt8(ascii: " "))
            return fields.count > 1 ? UInt64(String(decoding: fields[1], as: UTF8.self)) ?? 0 : 0
        }
    }
}
