import Foundation
import WeirTrace

/// Forks a program whose threads use all of Weir: no child hangs, and none writes to its parent's trace.
final class ForkAttack: RecorderAttack {
    private let place: SoakPlace
    private var forks = 0
    private var hung = 0
    private var failed = 0

    init(_ place: SoakPlace) { self.place = place }

    var figures: String { "\(forks) forks, \(hung) children hung, \(failed) failed" }

    func problems(seed: UInt64) throws -> [String] {
        let path = place.path("forking.weir")
        let child = try place.child(.forks, seed: seed, path: path)
        var parser = Notice.Parser()
        var problems: [String] = []
        var (done, hasStopped) = (0, false)
        let ending = child.end(by: SoakClock.now + 240) { bytes in
            parser.take(bytes) { notice in
                let deed = ForkCase.Deed(rawValue: Int(notice.writer)).map { "\($0)" } ?? "?"
                switch notice.kind {
                case .emitted: done = Int(notice.number)
                case .stopped: hasStopped = true
                case .hung:
                    hung += 1
                    problems.append("child \(notice.number), which \(deed), did not end within 20 s")
                case .failed:
                    failed += 1
                    problems.append("child \(notice.number), which \(deed), failed")
                default: break
                }
            }
        }
        forks += done
        defer {
            unlink(path)
            unlink(path + ".child")
        }
        if ending.way != .exit(0) || !hasStopped {
            problems.append("the program \(ending.words) after \(done) forks: \(child.errors)")
        } else {
            problems += try judge(ForkCase(seed: seed), path)
        }
        if !problems.isEmpty, !child.errors.isEmpty { problems.append("it wrote: \(child.errors.suffix(1000))") }
        if !problems.isEmpty { _ = try? FileManager.default.copyItem(atPath: path, toPath: path + ".\(seed)") }
        return problems
    }

    private func judge(_ test: ForkCase, _ path: String) throws -> [String] {
        guard test.isRecording else { return [] }
        let trace = try KeptNumbers(path)
        var problems = trace.problems(emitted: [ForkCase.writer: ForkCase.forks])
        if trace.writers[ForkCase.writer]?.last ?? 0 >= ForkCase.childNumber {
            problems.append("a child wrote to its parent's trace")
        }
        if !trace.header.isClosed { problems.append("the trace is not closed") }
        if FileManager.default.fileExists(atPath: path + ".child") {
            let own = try KeptNumbers(path + ".child")
            problems += own.damage.map { "damage in a child's trace: \($0)" }
            if !own.header.isClosed || own.events == 0 { problems.append("a child's trace is not whole") }
        }
        return problems
    }
}
