import Foundation
import Weir
import WeirTrace

/// Kills a recording program at a random moment: every event that it had acknowledged is in the trace, or counted.
///
/// A seed decides what the program does and when it is killed; the actual moment varies by some microseconds.
final class KillAttack: RecorderAttack {
    private let place: SoakPlace
    private var acknowledged = 0
    private var kept = 0
    private var empty = 0
    private var closed = 0
    private var unknown = 0

    init(_ place: SoakPlace) { self.place = place }

    var figures: String {
        "\(acknowledged) emissions acknowledged, \(kept) of them kept; \(empty) traces killed before their header, "
            + "\(closed) after their end; \(unknown) counters killed in mid-store"
    }

    /// The program's notices so far.
    private struct Heard {
        var kinds: Set<Notice.Kind> = []
        var emitted: [Int: Int] = [:]
        var notices = 0
        var checkpoints = 0

        mutating func take(_ notice: Notice) {
            kinds.insert(notice.kind)
            notices += 1
            switch notice.kind {
            case .emitted: emitted[Int(notice.writer)] = max(emitted[Int(notice.writer)] ?? 0, Int(notice.number))
            case .checkpoint: checkpoints = Int(notice.number)
            default: break
            }
        }

        func hasReached(_ moment: KillCase.Moment) -> Bool {
            switch moment {
            case .spawned: true
            case .ready: kinds.contains(.ready)
            case .started: kinds.contains(.started)
            case .stopping: kinds.contains(.stopping)
            case .acknowledged(let count): notices >= count || kinds.contains(.stopped)
            }
        }
    }

    func problems(seed: UInt64) throws -> [String] {
        let test = KillCase(seed: seed)
        let path = place.path("killed.weir")
        let child = try place.child(.kills, seed: seed, path: path, environment: test.environment(path: path))
        var heard = Heard()
        var parser = Notice.Parser()
        let deadline = SoakClock.now + 60
        func take(_ bytes: ArraySlice<UInt8>) { parser.take(bytes) { heard.take($0) } }
        while !heard.hasReached(test.moment), SoakClock.now < deadline, child.read(until: deadline, take) {}
        let isTooSlow = SoakClock.now >= deadline
        let moment = SoakClock.now + Double(test.microseconds) / 1e6
        // The program continues, and must not wait for its reader.
        while SoakClock.now < moment, child.read(until: SoakClock.now, take) {}
        child.kill()
        let ending = child.end(by: SoakClock.now + 10, take)
        defer { unlink(path) }
        guard !isTooSlow else { return ["the program said nothing more for 60 s"] }
        guard ending.way == .signal(SIGKILL), !heard.kinds.contains(.refused) else {
            return ["the program \(ending.words) by itself: \(child.errors)"]
        }
        let problems = try judge(heard, path) + replace(path)
        if !problems.isEmpty { _ = try? FileManager.default.copyItem(atPath: path, toPath: path + ".\(seed)") }
        return problems
    }

    private func judge(_ heard: Heard, _ path: String) throws -> [String] {
        acknowledged += heard.emitted.values.reduce(0, +)
        let trace: KeptNumbers
        do {
            trace = try KeptNumbers(path)
        } catch {
            empty += 1
            // Before the program reports that it records, there may be no file, or one without a header.
            let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
            return heard.kinds.contains(.started) || size > 0 ? ["the trace cannot be read: \(error)"] : []
        }
        for (writer, most) in heard.emitted { kept += min(most, trace.writers[writer]?.count ?? 0) }
        if trace.header.isClosed { closed += 1 }
        if trace.counted == nil { unknown += 1 }
        var problems = trace.problems(emitted: heard.emitted)
        if heard.kinds.contains(.stopped), !trace.header.isClosed {
            problems.append("the recording had ended, but its trace is not closed")
        }
        if !trace.header.isFlightRecorder {
            if trace.checkpoints < heard.checkpoints {
                problems.append("\(heard.checkpoints - trace.checkpoints) acknowledged checkpoints are missing")
            }
            // The walks of the last four may still have been running.
            let lost = trace.unreadSnapshots.filter { trace.header.isClosed || $0 >= 4 }
            if !lost.isEmpty { problems.append("\(lost.count) snapshots are not whole") }
        }
        return problems
    }

    /// The next recording replaces the remnants.
    private func replace(_ path: String) throws -> [String] {
        do {
            try Trace.start(writingTo: path, limit: .bytes(1 << 20), snapshots: .none)
        } catch {
            return ["the next recording was refused: \(error)"]
        }
        Emitter<Int>().emit(1)
        Trace.stop()
        let header = try TraceReader(path: path).header
        let isOwn = header.isClosed && header.processID == UInt32(getpid())
        return isOwn ? [] : ["the next recording did not replace what was left"]
    }
}
