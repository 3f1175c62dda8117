import Foundation
import WeirTrace

/// Limits the size of files at random: the program's own output is complete, no signal ends it, and losses are counted.
final class SpaceAttack: RecorderAttack {
    private let place: SoakPlace
    private var refused = 0
    private var lost = 0
    private var emissions = 0
    private var resumed = 0

    init(_ place: SoakPlace) { self.place = place }

    var figures: String {
        "\(emissions) emissions, \(lost) events lost and counted; \(refused) recordings refused, \(resumed) resumed after growth"
    }

    func problems(seed: UInt64) throws -> [String] {
        let test = SpaceCase(seed: seed)
        let path = place.path("cramped.weir")
        let child = try place.child(
            .space, seed: seed, path: path, environment: test.environment(path: path),
            limits: SoakChild.Limits(fileBytes: UInt64(test.bytes)))
        var parser = Notice.Parser()
        var (said, isRefused, hasCome) = ([Int](repeating: 0, count: test.threads), false, false)
        var problems: [String] = []
        let ending = child.end(by: SoakClock.now + 60) { bytes in
            parser.take(bytes) { notice in
                switch notice.kind {
                case .refused: isRefused = true
                case .stopping: hasCome = true
                case .emitted:
                    let writer = Int(notice.writer)
                    if Int(notice.number) != said[writer] + SpaceCase.stride {
                        problems.append("the output of writer \(writer) is not whole at \(notice.number)")
                    }
                    said[writer] = Int(notice.number)
                default: break
                }
            }
        }
        defer { unlink(path) }
        emissions += test.emissions * test.threads
        let expected: SoakChild.Ending.Way = test.end == .isKilled ? .signal(SIGKILL) : .exit(0)
        if ending.way != expected { problems.append("the program \(ending.words): \(child.errors)") }
        let whole = test.emissions / SpaceCase.stride * SpaceCase.stride
        if !hasCome || said.contains(where: { $0 != whole }) { problems.append("the program's output is not whole") }
        problems += try judge(test, path, isRefused: isRefused, errors: child.errors)
        if !problems.isEmpty { _ = try? FileManager.default.copyItem(atPath: path, toPath: path + ".\(seed)") }
        return problems
    }

    private func judge(_ test: SpaceCase, _ path: String, isRefused: Bool, errors: String) throws -> [String] {
        let sentences = errors.split(separator: "\n").count
        guard FileManager.default.fileExists(atPath: path) else {
            refused += 1
            let isSaid = test.isStartedByEnvironment ? sentences == 1 && !isRefused : isRefused && sentences == 0
            return isSaid ? [] : ["nothing is recorded, and \(sentences) sentences say so: \(errors)"]
        }
        var problems: [String] = []
        if isRefused || sentences > 0 { problems.append("there is a trace, but the program said: \(errors)") }
        let trace = try KeptNumbers(path)
        // The number written after the end of the recording is not in it.
        let emitted = Dictionary(uniqueKeysWithValues: (0..<test.threads).map { ($0, test.emissions) })
        problems += trace.problems(emitted: emitted)
        if trace.header.isClosed != test.end.isOrderly {
            problems.append("the trace \(trace.header.isClosed ? "is" : "is not") closed")
        }
        guard let counted = trace.counted else { return problems + ["its counts are unknown"] }
        lost += counted.lost
        if counted.lost > 0, test.grownBytes == SpaceCase.plenty, !trace.header.isFlightRecorder {
            let isResumed = emitted.allSatisfy { trace.writers[$0.key]?.last == $0.value }
            if isResumed { resumed += 1 } else { problems.append("there was room again, but recording did not go on") }
        }
        return problems
    }
}
