import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Ends the process when a run makes no progress: it waits forever, or loops without an event.
package final class Watchdog: Sendable {
    private let history: History
    private let seconds: Int
    private let current = LockedBox<(seed: UInt64, program: SoakProgram?)>((0, nil))
    private let isOver = LockedBox(false)

    /// - Parameter seconds: the longest time that a run may be without an event.
    package init(_ history: History, seconds: Int) {
        self.history = history
        self.seconds = seconds
        ThreadStacks.prepare()
        RunningThread.start(999) { [self] in watch() }.detach()
    }

    /// Sets the run to watch from now on.
    package func watch(_ program: SoakProgram, seed: UInt64) { current.change { $0 = (seed, program) } }

    package func stop() { isOver.change { $0 = true } }

    private func watch() {
        var (lastCount, lastSeed, still) = (0, UInt64(0), 0)
        while !isOver.value {
            sleep(1)
            let (seed, program) = current.value
            let count = history.count
            still = count == lastCount && seed == lastSeed ? still + 1 : 0
            (lastCount, lastSeed) = (count, seed)
            guard still >= seconds, let program else { continue }
            bark(seed, program)
        }
    }

    private func bark(_ seed: UInt64, _ program: SoakProgram) {
        var lines = ["no progress for \(seconds) seconds: a deadlock, or an endless loop", "seed: \(seed)"]
        lines.append(program.description)
        lines.append("history, its end:")
        lines += history.events.suffix(60).map { "    \(program.text($0))" }
        lines.append("stacks of the program's threads; llvm-symbolizer --obj=PROGRAM +ADDRESS gives their names:")
        write(lines.joined(separator: "\n") + "\n")
        ThreadStacks.write()
        _exit(1)
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Self.write(STDERR_FILENO, $0) }
    }

    private static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(file, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(file, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(file, bytes.baseAddress, bytes.count)
        #endif
    }
}
