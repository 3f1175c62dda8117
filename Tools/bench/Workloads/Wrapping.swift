import Dispatch
import Weir
import WeirTrace

/// The cost of a wrapper per event, compared with the bare model, recording off and on.
struct Wrapping {
    let directory: TemporaryDirectory
    let isQuick: Bool

    private var batches: Batches { Batches(directory: directory, size: 20_000, untimed: 20) }
    private var rounds: Int { isQuick ? 5 : 51 }

    func measure() throws -> Report.Section {
        var section = Report.Section(title: "Wrapping a model, an event, medians")
        let valgrind = isQuick ? nil : try Valgrind(in: directory)
        for technique in WrappedModel.all { section.rows.append(try row(technique, valgrind)) }
        return section
    }

    private func row(_ model: WrappedModel, _ valgrind: Valgrind?) throws -> Report.Row {
        let (bare, wrapped) = (model.bare(), model.wrapped())
        var (without, off, on) = (Sample(), Sample(), Sample())
        for round in 0..<rounds + 2 {
            let times = (
                batches.nanoseconds(bare), batches.nanoseconds(wrapped), try batches.recordedNanoseconds(wrapped)
            )
            // The first rounds warm up.
            guard round >= 2 else { continue }
            without.add(times.0)
            off.add(times.1)
            on.add(times.2)
        }
        let operations = (fewer: 50_000, more: 250_000)
        let arguments = ["single", model.name, "--operations"]
        let allocations = try valgrind?.perOperation(.allocations, operations, arguments)
        return Report.Row(
            name: model.name,
            figures: [
                Figure("bare", without.median, "ns"), Figure("wrapped", off.median, "ns"),
                Figure("traced", on.median, "ns"), Figure("wrapped / bare", off.median / without.median, ""),
                Figure("traced / bare", on.median / without.median, ""),
                // A new chunk, after some thousands of events, may cause a dozen.
                Figure("allocations", allocations.map { $0 * 1000 }, "per 1000", atMost: model.mostAllocations),
            ])
    }
}

/// A model without Weir, and the same one wrapped; both closures make the given number of events.
struct WrappedModel: Sendable {
    let name: String
    /// For 1000 events while recording; nil if not judged.
    var mostAllocations: Double? = 10
    let bare: @Sendable () -> (Int) -> Void
    let wrapped: @Sendable () -> (Int) -> Void

    static let all = [
        WrappedModel(
            name: "@Traced",
            bare: {
                let model = PlainModel()
                return { count in for index in 0..<count { model.value = index & 127 } }
            },
            wrapped: {
                let model = TracedModel()
                return { count in for index in 0..<count { model.value = index & 127 } }
            }),
        WrappedModel(
            name: "withTracing",
            bare: callback,
            wrapped: {
                let (tally, button) = (Tally(), Button())
                button.onTouch = { value in withTracing("touch", value) { tally.add(value) } }
                return { count in for index in 0..<count { button.onTouch?(index & 127) } }
            }),
        WrappedModel(
            name: "TraceProbe",
            bare: callback,
            wrapped: {
                let (tally, button) = (Tally(), Button())
                let subscription = TraceProbe("feed").subscribed()
                button.onTouch = { value in subscription.emitted(value) { tally.add(value) } }
                return { count in for index in 0..<count { button.onTouch?(index & 127) } }
            }),
        WrappedModel(
            name: "async sequence",
            bare: loop,
            wrapped: {
                let tally = Tally()
                return { count in
                    waiting { for await value in Numbers(count: count).traced("numbers") { tally.add(value) } }
                }
            }),
        // A body's task-local value is allocated in the task's own memory, which takes a new block now and then.
        WrappedModel(
            name: "forEach", mostAllocations: nil,
            bare: loop,
            wrapped: {
                let tally = Tally()
                return { count in
                    waiting { await Numbers(count: count).traced("numbers").forEach { tally.add($0) } }
                }
            }),
    ]
}

/// A callback without Weir.
@Sendable
private func callback() -> (Int) -> Void {
    let (tally, button) = (Tally(), Button())
    button.onTouch = { tally.add($0) }
    return { count in for index in 0..<count { button.onTouch?(index & 127) } }
}

/// A loop over an async sequence without Weir.
@Sendable
private func loop() -> (Int) -> Void {
    let tally = Tally()
    return { count in waiting { for await value in Numbers(count: count) { tally.add(value) } } }
}

/// Runs `body` in a task, to its end.
private func waiting(_ body: @escaping () async -> Void) {
    // The caller waits: no other code uses what `body` does.
    nonisolated(unsafe) let body = body
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        await body()
        done.signal()
    }
    done.wait()
}

private final class PlainModel {
    @exclusivity(unchecked) var value = 0
}

private final class TracedModel {
    @Traced var value = 0
}

private final class Button {
    var onTouch: ((Int) -> Void)?
}

/// Numbers that are available without waiting.
private struct Numbers: AsyncSequence {
    let count: Int

    func makeAsyncIterator() -> Iterator { Iterator(rest: count) }

    struct Iterator: AsyncIteratorProtocol {
        var rest: Int

        mutating func next() async -> Int? {
            guard rest > 0 else { return nil }
            rest -= 1
            return rest & 127
        }
    }
}
