import Dispatch
import Observation
import Weir
import WeirTrace

/// The cost of wrapping, observing and rendering an observable class, compared with the class itself.
@available(macOS 14, *)
struct WrappingObservable {
    let directory: TemporaryDirectory
    let isQuick: Bool

    private var batches: Batches { Batches(directory: directory, size: 10_000, untimed: 1) }
    private var rounds: Int { isQuick ? 5 : 31 }

    @Observable
    fileprivate final class Model: @unchecked Sendable {  // Each belongs to the one thread that is measured.
        var number = 0
        var text = ""
    }

    /// A use of a model: what it makes once, and what it then does the given number of times.
    struct Use: Sendable {
        let name: String
        fileprivate let make: @Sendable (Model) -> (Int) -> Void

        /// Returns the use, applied to a model of its own.
        func ofNewModel() -> (Int) -> Void {
            let model = Model()
            let run = make(model)
            // Most of these do not hold it.
            return { count in withExtendedLifetime(model) { run(count) } }
        }
    }

    static var uses: [Use] {
        [
            Use(name: "write, bare") { model in { count in for index in 0..<count { model.number = index } } },
            Use(name: "write, wrapped") { model in
                let wrapped = Trace.wrap(model)
                return { count in for index in 0..<count { wrapped.number = index } }
            },
            Use(name: "write, observed") { model in
                Trace.observe(model, \.number, on: Never())
                return { count in for index in 0..<count { model.number = index } }
            },
            Use(name: "write, bare, tracked anew each time") { model in
                func track() {
                    withObservationTracking {
                        _ = model.number
                    } onChange: {
                    }
                }
                return { count in
                    for index in 0..<count {
                        track()
                        model.number = index
                    }
                }
            },
            Use(name: "read, bare") { model in
                let tally = Tally()
                return { count in for _ in 0..<count { tally.add(model.number) } }
            },
            Use(name: "read, wrapped") { model in
                let (wrapped, tally) = (Trace.wrap(model), Tally())
                return { count in for _ in 0..<count { tally.add(wrapped.number) } }
            },
            Use(name: "write, wrapped, rendered at once") { model in
                let (wrapped, tally) = (Trace.wrap(model), Tally())
                Trace.render("body", on: .immediate) { [weak model] in tally.add(model?.number ?? 0) }
                return { count in for index in 0..<count { wrapped.number = index } }
            },
        ]
    }

    /// A scheduler that runs nothing: only the write is measured.
    private final class Never: Scheduler {
        var now: UInt64 { 0 }
        func schedule(_ work: @escaping @Sendable () -> Void) -> Disposable { Disposable {} }
        func schedule(after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) -> Disposable {
            Disposable {}
        }
    }

    func measure() throws -> Report.Section {
        var section = Report.Section(title: "An observable class, medians")
        var bare: [String: Double] = [:]
        let valgrind = isQuick ? nil : try Valgrind(in: directory)
        for use in Self.uses {
            let (off, on) = try times(use)
            let kind = String(use.name.prefix { $0 != "," })
            if bare[kind] == nil { bare[kind] = off }
            let allocations = try valgrind?.perOperation(
                .allocations, (10_000, 50_000), ["single", use.name, "--operations"])
            let base = bare[kind] ?? bare["write"] ?? .nan
            section.rows.append(
                Report.Row(
                    name: use.name,
                    figures: [
                        Figure("off", off, "ns"), Figure("traced", on, "ns"), Figure("off", off / base, "× bare"),
                        Figure("traced", on / base, "× bare"), Figure("allocations", allocations, "each"),
                    ]))
        }
        return section
    }

    private func times(_ use: Use) throws -> (off: Double, on: Double) {
        var (off, on) = (Sample(), Sample())
        for round in 0..<rounds + 1 {
            let model = Model()
            let run = use.make(model)
            _ = batches.nanoseconds(run)
            let (timeOff, timeOn) = (batches.nanoseconds(run), try batches.recordedNanoseconds(run))
            if round > 0 {
                off.add(timeOff)
                on.add(timeOn)
            }
        }
        return (off.median, on.median)
    }
}
