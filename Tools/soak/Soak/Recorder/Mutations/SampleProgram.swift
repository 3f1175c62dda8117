import Dispatch
import Foundation
import Weir

/// Records what the programs of `Samples` lack.
struct SampleProgram {
    enum Kind: Int, CaseIterable {
        case threads, wrapped, killed
    }

    let kind: Kind
    let path: String

    init(seed: UInt64, path: String) {
        kind = Kind(rawValue: Int(seed)) ?? .threads
        self.path = path
    }

    /// Keeps itself alive.
    private final class Model {
        let name = Observable("")
        let pressed = Emitter<Int>()
        let count = Observable(0)
        var sum: Combiner<Int>?
        var myself: Model?

        init() {
            myself = self
            sum = .combine(name, count, strategy: .settled) { $0.count + $1 }
            pressed.scan(0) { $0 + $1 }.bind(to: count)
            sum?.subscribe { _ in }
        }
    }

    private struct Failure: Error { let code: Int }

    func run() {
        do {
            try Trace.start(
                writingTo: path, values: .described(), limit: kind == .wrapped ? .bytes(SoakLimit.least) : .none)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return
        }
        for round in 1...3 {
            let model = Model()
            Trace.adopt(model)
            Trace.stimulus("round \(round)") {
                model.name.value = "name \(round)"
                batch {
                    model.pressed.emit(round)
                    model.name.value = "again"
                }
            }
            Signal<Int>.failed(Failure(code: round)).map { $0 + 1 }.subscribeEvents { _ in }
            Trace.frame()
            Trace.expectReleased(model)
            Trace.checkpoint("checkpoint \(round)")
        }
        emitOnThreads(emissions: kind == .wrapped ? 30_000 : 500)
        if kind == .killed { kill(getpid(), SIGKILL) }
        Trace.stop()
    }

    private func emitOnThreads(emissions: Int) {
        let done = DispatchSemaphore(value: 0)
        for place in 0..<3 {
            Thread {
                let writer = NumberedWriter(place, isHeard: true)
                for number in 1...emissions { writer.emit(number, withText: true) }
                done.signal()
            }.start()
        }
        for _ in 0..<3 { done.wait() }
    }
}
