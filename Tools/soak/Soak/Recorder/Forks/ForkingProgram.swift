import CWeirSoak
import Dispatch
import Foundation
import Weir

/// Forks while its threads adopt, write, subscribe and take checkpoints; each child uses Weir, too, and exits.
struct ForkingProgram {
    let test: ForkCase
    let path: String

    init(_ test: ForkCase, path: String) {
        self.test = test
        self.path = path
    }

    private final class Model {
        let name = Observable("")
        let pressed = Emitter<Int>()
    }

    private static let shared = Observable(0)
    private static let sum = Observable.combine(shared, strategy: .settled) { $0 + 1 }

    func run() {
        if test.isRecording {
            do {
                try Trace.start(
                    writingTo: path, limit: test.limit, snapshots: test.takesSnapshots ? .standard : .none)
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                return Notice.say(.refused)
            }
        }
        Self.sum.subscribe { _ in }
        let own = NumberedWriter(ForkCase.writer, isHeard: true)
        let isOver = LockedBox(false), isDone = DispatchSemaphore(value: 0), hasBegun = DispatchSemaphore(value: 0)
        let test = test
        for place in 0..<test.threads {
            Thread {
                Self.work(test, place, hasBegun: hasBegun.signal) { isOver.value }
                isDone.signal()
            }.start()
        }
        // A child forked while Foundation sets up its threads could create none; one forked while the runtime makes types
        // for the first time may hang, as the README says.
        for _ in 0..<test.threads { hasBegun.wait() }
        _ = use()
        var random = SeededRandom(seed: SeededRandom.mixed(test.seed))
        for number in 1...ForkCase.forks {
            own.emit(number, withText: false)
            usleep(UInt32(random.below(random.happens(50) ? 100 : 2000)))
            fork(random.element(of: ForkCase.Deed.allCases), number, own)
            Notice.say(.emitted, writer: ForkCase.writer, UInt64(number))
        }
        isOver.change { $0 = true }
        for _ in 0..<test.threads { isDone.wait() }
        Trace.stop()
        Notice.say(.stopped)
    }

    /// The work of a thread.
    private static func work(
        _ test: ForkCase, _ place: Int, hasBegun: () -> Int, until isOver: () -> Bool
    ) {
        var random = SeededRandom(seed: test.seed &+ UInt64(place) &* 7919)
        var kept: [Model] = []
        let writer = NumberedWriter(place, isHeard: true)
        var number = 0
        while !isOver() {
            number += 1
            writer.emit(number, withText: true)
            shared.modify { $0 += 1 }
            let model = Model()
            Trace.adopt(model)
            model.name.subscribe { _ in }.dispose()
            model.name.value = "\(number)"
            model.pressed.map { $0 + 1 }.filter { $0 > 1 }.subscribe { shared.value = $0 }
            model.pressed.emit(number)
            batch { shared.modify { $0 -= 1 } }
            // At first each of them, so that none makes its types later.
            switch number < 5 ? number : random.below(50) {
            case 0: Trace.checkpoint("\(number)")
            case 1: Trace.stimulus("tap") { model.name.value = "tapped" }
            case 2: Trace.track(Model())
            case 3: kept.append(model)
            case 4: kept.removeAll()
            default: break
            }
            if number == 150 { _ = hasBegun() }
        }
    }

    private func fork(_ deed: ForkCase.Deed, _ number: Int, _ own: NumberedWriter) {
        let child = weir_soak_fork()
        guard child != 0 else { _exit(perform(deed, own) ? 0 : 1) }
        guard child > 0 else { return Notice.say(.failed, writer: deed.rawValue, UInt64(number)) }
        var status: Int32 = -1
        let deadline = SoakClock.now + 20
        while waitpid(child, &status, WNOHANG) == 0 {
            guard SoakClock.now > deadline else {
                usleep(50)
                continue
            }
            Notice.say(.hung, writer: deed.rawValue, UInt64(number))
            kill(child, SIGKILL)
            waitpid(child, &status, 0)
            return
        }
        let hasSucceeded = weir_soak_has_exited(status) != 0 && weir_soak_exit_code(status) == 0
        if !hasSucceeded { Notice.say(.failed, writer: deed.rawValue, UInt64(number)) }
    }

    /// Runs in the child. Returns false if some part of Weir did not work.
    private func perform(_ deed: ForkCase.Deed, _ own: NumberedWriter) -> Bool {
        own.emit(ForkCase.childNumber, withText: true)
        switch deed {
        case .uses: return use() && !Trace.isRecording
        case .adopts:
            let models = (0..<20).map { _ in Model() }
            for model in models { Trace.adopt(model) }
            models[0].name.value = "child"
            return true
        case .tracks:
            let model = Model()
            Trace.track(model, as: "child")
            Trace.expectReleased(model)
            Trace.checkpoint("child")
            return true
        case .records, .takesSnapshot: return record(takesSnapshot: deed == .takesSnapshot)
        case .recordsOnThreads:
            let done = DispatchSemaphore(value: 0)
            guard start(takesSnapshot: false) else { return false }
            for place in 0..<2 {
                Thread {
                    let writer = NumberedWriter(place, isHeard: true)
                    for number in 1...500 { writer.emit(number, withText: true) }
                    done.signal()
                }.start()
            }
            for _ in 0..<2 { done.wait() }
            return Trace.stop() == 0
        }
    }

    private func use() -> Bool {
        let (number, doubled) = (Observable(0), Observable(0))
        number.map { $0 * 2 }.bind(to: doubled)
        batch { number.value = 3 }
        Self.shared.value = -1
        return doubled.value == 6
    }

    private func start(takesSnapshot: Bool) -> Bool {
        do {
            try Trace.start(
                writingTo: path + ".child", limit: .bytes(4 << 20), snapshots: takesSnapshot ? .standard : .none)
            return true
        } catch {
            FileHandle.standardError.write(Data("a child: \(error)\n".utf8))
            return false
        }
    }

    private func record(takesSnapshot: Bool) -> Bool {
        guard start(takesSnapshot: takesSnapshot) else { return false }
        let model = Model()
        Trace.adopt(model)
        model.name.subscribe { _ in }
        for number in 0..<200 { model.name.value = "\(number)" }
        if takesSnapshot { Trace.checkpoint("child") }
        Self.shared.value = -2
        return Trace.stop() == 0
    }
}
